# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of the scene as obstacles: what is seen, where it is, kept as long as it may be."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bridge_rigs import chain_rig
from installed import module
from mathutils import Matrix, Vector
from mathutils.bvhtree import BVHTree

obstacles = module("bridge.obstacles")
space_of = module("bridge.space").read_space


def depsgraph() -> bpy.types.Depsgraph:
    bpy.context.view_layer.update()
    return bpy.context.evaluated_depsgraph_get()


def monkey(name: str = "Monkey", levels: int = 1) -> bpy.types.Object:
    bpy.ops.mesh.primitive_monkey_add()
    obj = bpy.context.object
    obj.name = name
    if levels:
        obj.modifiers.new("Subdivision", "SUBSURF").levels = levels
    return obj


def cube(name: str = "Cube", size: float = 1.0) -> bpy.types.Object:
    bpy.ops.mesh.primitive_cube_add(size=size)
    bpy.context.object.name = name
    return bpy.context.object


def read(reader, wanted, rig):
    graph = depsgraph()
    return reader.read(wanted, rig, space_of(rig.evaluated_get(graph)), graph)


def world_tree(obj: bpy.types.Object) -> BVHTree:
    """Blender's tree over what it shows, in the world: the oracle."""
    shown = obj.evaluated_get(depsgraph())
    mesh = shown.to_mesh()
    mesh.calc_loop_triangles()
    vertices = [shown.matrix_world @ v.co for v in mesh.vertices]
    faces = [tuple(t.vertices) for t in mesh.loop_triangles]
    shown.to_mesh_clear()
    return BVHTree.FromPolygons(vertices, faces, all_triangles=True)


def test_distances_are_those_of_what_blender_shows() -> None:
    rig = chain_rig(3)
    rig.matrix_world = Matrix.Translation((1, 2, 3)) @ Matrix.Rotation(0.7, 4, "X") @ Matrix.Scale(0.5, 4)
    obj = monkey()
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.collection.objects.link(parent)
    obj.parent = parent
    parent.rotation_euler = (0.3, 0.2, 0.1)
    obj.rotation_euler, obj.scale, obj.location = (0.5, -0.4, 1.0), (1.5, 0.6, -0.8), (0.4, 0.1, 0.2)
    (mesh,), faults = read(obstacles.ObstacleReader(), [obstacles.Avoided(obj, "TWO_SIDED", 0.01)], rig)
    assert not faults and mesh.name == obj.name and mesh.margin == 0.01 and mesh.mode == "two_sided"
    place = space_of(rig)
    tree = world_tree(obj)
    points = np.random.default_rng(0).normal(size=(200, 3))
    found = mesh.nearest(place.point_in(points))
    for point, distance, nearest in zip(points, found.distance, found.point, strict=True):
        _, _, _, length = tree.find_nearest(Vector(point))
        assert distance == pytest.approx(length, abs=2e-6)
        assert np.linalg.norm(place.point_out(nearest) - point) == pytest.approx(length, abs=2e-6)


def test_a_mirrored_object_is_still_solid_inside() -> None:
    rig, obj = chain_rig(2), cube(size=2.0)
    for scale in ((1, 1, 1), (-1, 1, 1), (-1, -1, -1), (1, -2, 0.5)):
        obj.scale = scale
        (mesh,), _ = read(obstacles.ObstacleReader(), [obstacles.Avoided(obj)], rig)
        assert mesh.closed
        assert mesh.nearest((0, 0, 0)).distance == pytest.approx(-min(abs(s) for s in scale), abs=1e-6)
        assert mesh.nearest((5, 0, 0)).distance > 0


def test_the_tree_is_kept_until_geometry_or_scale_changes() -> None:
    rig, obj = chain_rig(2), monkey(levels=2)
    reader = obstacles.ObstacleReader()
    wanted = [obstacles.Avoided(obj)]
    (first,), _ = read(reader, wanted, rig)
    for k in range(20):
        obj.location, obj.rotation_euler = (k, 0.1 * k, 0), (0.3 * k, 0.2 * k, 0.1)
        (moved,), _ = read(reader, wanted, rig)
        assert moved.geometry is first.geometry
        np.testing.assert_allclose(moved.translation, obj.matrix_world.translation, atol=1e-6)
    obj.scale = (1.1, 1.1, 1.1)
    (grown,), _ = read(reader, wanted, rig)
    assert grown.geometry is not first.geometry
    obj.scale = (1, 1, 1)
    obj.data.vertices[0].co.x += 0.5
    obj.data.update()
    (edited,), _ = read(reader, wanted, rig)
    assert edited.geometry is not grown.geometry
    (same,), _ = read(reader, [obstacles.Avoided(obj, "ONE_SIDED", 0.2)], rig)
    assert same.geometry is edited.geometry and same.mode == "one_sided"
    obj.modifiers["Subdivision"].levels = 1
    (coarse,), _ = read(reader, wanted, rig)
    assert len(coarse.geometry.faces) < len(edited.geometry.faces)


def test_a_deforming_object_follows_its_frames() -> None:
    rig, obj = chain_rig(2), cube(size=2.0)
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Tall")
    for point in key.data:
        point.co.z *= 3
    for frame, value in ((1, 0.0), (11, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    reader = obstacles.ObstacleReader()
    for frame, height in ((1, 1.0), (6, 2.0), (11, 3.0)):
        bpy.context.scene.frame_set(frame)
        (mesh,), _ = read(reader, [obstacles.Avoided(obj)], rig)
        assert mesh.nearest((0, 0, 10)).distance == pytest.approx(10 - height, abs=0.01)


@pytest.mark.parametrize("kind", ["curve", "text", "metaball"])
def test_other_surfaces(kind) -> None:
    rig = chain_rig(2)
    if kind == "curve":
        bpy.ops.curve.primitive_bezier_circle_add(radius=2)
        bpy.context.object.data.bevel_depth = 0.1
    elif kind == "text":
        bpy.ops.object.text_add()
        bpy.context.object.data.extrude = 0.1
    else:
        bpy.ops.object.metaball_add(radius=2)
    wanted = obstacles.Avoided(bpy.context.object, "TWO_SIDED")  # Blender's texts are not closed
    (mesh,), faults = read(obstacles.ObstacleReader(), [wanted], rig)
    assert not faults and len(mesh.geometry.faces) > 10


def test_what_cannot_be_an_obstacle_is_said() -> None:
    rig = chain_rig(2)
    good, hidden, off, flat, empty, bare, skin, prop, bad = (
        cube(name) for name in ("Good", "Hidden", "Off", "Flat", "Empty", "Bare", "Skin", "Prop", "Bad")
    )
    hidden.hide_set(True)
    off.hide_viewport = True
    flat.scale = (1, 1, 0)
    empty.data = bpy.data.meshes.new("Nothing")
    bare.data = bpy.data.meshes.new("Loose")
    bare.data.from_pydata([(0, 0, 0), (1, 0, 0)], [(0, 1)], [])
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    prop.parent, prop.parent_type, prop.parent_bone = rig, "BONE", "b1"
    bad.data.vertices[3].co.x = float("nan")
    lamp_data = bpy.data.lights.new("Lamp", "POINT")
    light = bpy.data.objects.new("Lamp", lamp_data)
    bpy.context.collection.objects.link(light)
    cases = {
        "Hidden": (hidden, "hidden"),
        "Off": (off, "hidden"),
        "Flat": (flat, "scaled to zero"),
        "Empty": (empty, "no faces"),
        "Bare": (bare, "no faces"),
        "Skin": (skin, "moved by 'Rig' itself"),
        "Prop": (prop, "moved by 'Rig' itself"),
        "Bad": (bad, "not at a finite place"),
        "Lamp": (light, "no surface"),
    }
    wanted = [obstacles.Avoided(obj) for obj, _ in cases.values()]
    wanted += [obstacles.Avoided(None, name="Gone"), obstacles.Avoided(good)]
    meshes, faults = read(obstacles.ObstacleReader(), wanted, rig)
    assert [mesh.name for mesh in meshes] == ["Good"]
    assert len(faults) == len(cases) + 1
    for name, (_, word) in cases.items():
        (said,) = (sentence for sentence in faults if f"bstacle '{name}'" in sentence)
        assert word in said
    assert any("no longer in the scene" in said and "'Gone'" in said for said in faults)


def test_a_floor_is_no_solid() -> None:
    rig = chain_rig(2)
    bpy.ops.mesh.primitive_plane_add(size=4)
    floor = bpy.context.object
    (mesh,), (fault,) = read(obstacles.ObstacleReader(), [obstacles.Avoided(floor)], rig)
    assert mesh.mode == "two_sided" and "Plane" in fault
    assert "open rim" in fault and "two-sided" in fault
    assert mesh.nearest((0.5, 0.3, -0.2)).distance == pytest.approx(0.2)
    assert mesh.nearest((0.5, 0.3, 0.2)).distance == pytest.approx(0.2)
    (ground,), faults = read(obstacles.ObstacleReader(), [obstacles.Avoided(floor, "ONE_SIDED")], rig)
    assert ground.nearest((0.5, 0.3, -0.2)).distance == pytest.approx(-0.2) and not faults
    assert ground.nearest((3, 0, -0.2)).distance > 1
    (sheet,), faults = read(obstacles.ObstacleReader(), [obstacles.Avoided(floor, "TWO_SIDED")], rig)
    assert sheet.mode == "two_sided" and not faults


def test_nothing_in_the_scene_is_changed() -> None:
    rig, obj = chain_rig(2), monkey()
    before = set(bpy.data.meshes.keys()), obj.matrix_world.copy(), len(obj.data.vertices)
    read(obstacles.ObstacleReader(), [obstacles.Avoided(obj)], rig)
    assert before == (set(bpy.data.meshes.keys()), obj.matrix_world, len(obj.data.vertices))


def test_what_a_render_shows_counts_in_a_render(tmp_path) -> None:
    rig = chain_rig(2)
    for name in ("Both", "Proxy", "Final"):
        cube(name)
    bpy.data.objects["Proxy"].hide_render = True
    bpy.data.objects["Final"].hide_viewport = True
    found = {}

    def look(_scene: bpy.types.Scene, graph: bpy.types.Depsgraph) -> None:
        wanted = [obstacles.Avoided(bpy.data.objects[name]) for name in ("Both", "Proxy", "Final")]
        meshes, _ = obstacles.ObstacleReader().read(wanted, rig, space_of(rig), graph)
        found[graph.mode] = [mesh.name for mesh in meshes]

    scene = bpy.context.scene
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(scene.camera)
    scene.render.engine, scene.render.filepath = "CYCLES", str(tmp_path / "frame_")
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.cycles.samples, scene.cycles.use_denoising, scene.cycles.device = 1, False, "CPU"
    scene.frame_start = scene.frame_end = 1
    bpy.app.handlers.frame_change_post.append(look)
    try:
        scene.frame_set(1)
        in_viewport = dict(found)
        bpy.ops.render.render(animation=True)
    finally:
        bpy.app.handlers.frame_change_post.remove(look)
    assert in_viewport == {"VIEWPORT": ["Both", "Proxy"]}
    assert found["RENDER"] == ["Both", "Final"]


def test_linked_duplicates_are_read_once_and_one_of_another_shape_is_not_taken_for_them(monkeypatch) -> None:
    rig, asked = chain_rig(2), []
    whole = obstacles.surface_of
    monkeypatch.setattr(
        obstacles, "surface_of", lambda shown, *more: asked.append(shown.name) or whole(shown, *more)
    )
    things = [cube("first")]
    for number in range(4):
        things.append(bpy.data.objects.new(f"twin {number}", things[0].data))
        bpy.context.collection.objects.link(things[-1])
        things[-1].location.x = 3.0 * (number + 1)
    things[4].modifiers.new("Subdivision", "SUBSURF").levels = 1
    keyed = things[3]
    bpy.context.view_layer.update()
    reader, wanted = obstacles.ObstacleReader(), [obstacles.Avoided(one) for one in things]
    for _ in range(2):
        asked.clear()
        meshes, faults = read(reader, wanted, rig)
        assert not faults and len(meshes) == 5
        assert asked == ["first", "twin 3"]
        counts = [len(mesh.faces) for mesh in meshes]
        assert counts[:4] == [12] * 4 and counts[4] > 12
        middles = [float(np.asarray(mesh.bounds[0])[0]) for mesh in meshes]
        np.testing.assert_allclose(middles, [3.0 * number for number in range(5)], atol=1e-6)
    keyed.scale = (2.0, 1.0, 1.0)
    meshes, _ = read(reader, wanted, rig)
    assert np.ptp(meshes[3].vertices[:, 0]) == pytest.approx(2.0)
    assert np.ptp(meshes[0].vertices[:, 0]) == pytest.approx(1.0)
    bpy.context.scene.collection.objects.unlink(keyed)
    _, faults = read(reader, wanted, rig)
    assert len(faults) == 1 and "no longer in the scene" in faults[0]
