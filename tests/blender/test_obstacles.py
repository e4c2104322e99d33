# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures among obstacles; what they touch is measured by Blender alone."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import add, animate, arm, evaluated, reach, tip, two_arms
from bridge_rigs import make_rig
from mathutils import Vector
from mathutils.bvhtree import BVHTree

RADIUS = 0.1
"""Of the capsules of bones that are a metre long and have no skin."""


def box(name: str = "Table", size=(1.0, 1.0, 1.0), place=(0.0, 0.0, 0.0)) -> bpy.types.Object:
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=place)
    thing = bpy.context.object
    thing.name, thing.scale = name, size
    return thing


def among(rig: bpy.types.Object, *things: bpy.types.Object, **options: object) -> None:
    """Make an armature active again, and things its obstacles."""
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()
    rig.articulate.solver.max_iterations = 200  # sliding along a wall to the very end takes its time
    for thing in things:
        assert bpy.ops.articulate.obstacle_add(object=thing.name, **options) == {"FINISHED"}


def distance(rig: bpy.types.Object, thing: bpy.types.Object, samples: int = 41, cap: float = RADIUS) -> float:
    """Of the axes of the bones' capsules from what an object shows, metres; negative inside a closed one.

    The round ends of a capsule end where its bone ends, so its axis is shorter by the radius at either end.
    """
    shown = evaluated(thing)
    mesh = shown.to_mesh()
    mesh.calc_loop_triangles()
    vertices = [shown.matrix_world @ vertex.co for vertex in mesh.vertices]
    tree = BVHTree.FromPolygons(vertices, [tuple(t.vertices) for t in mesh.loop_triangles])
    shown.to_mesh_clear()
    figure, least = evaluated(rig), np.inf
    for bone in figure.pose.bones:
        head, tail = figure.matrix_world @ bone.head, figure.matrix_world @ bone.tail
        for share in np.linspace(cap, 1.0 - cap, samples):
            point = head.lerp(tail, share)
            place, normal, _, far = tree.find_nearest(point)
            crossed, _, _, _ = tree.ray_cast(point, Vector((0.123, 0.456, 0.881)))
            inside = crossed is not None and (point - place).dot(normal) < 0
            least = min(least, -far if inside else far)
    return least


def test_a_hand_stops_at_a_wall_and_says_so():
    rig = arm()
    wall = box("Wall", (0.2, 6.0, 8.0), (1.6, 0.0, 2.0))
    among(rig, wall)
    reach(rig, "b3", (2.6, 0.0, 2.0))
    assert bpy.ops.articulate.solve() == {"FINISHED"}
    assert distance(rig, wall) > RADIUS - 0.01
    report = rig.articulate.report
    assert report["status"] == "BLOCKED" and "Wall" in report["message"]
    row = report["effectors"]["b3"]
    assert row["status"] == "BLOCKED" and row["message"].endswith("stopped by Wall")
    assert rig.articulate.effectors["b3"].status == "BLOCKED"
    assert report["nearest"] == "Wall" and report["clearance"] == pytest.approx(0.0, abs=1e-3)
    assert distance(rig, wall) - RADIUS == pytest.approx(report["clearance"], abs=0.01)
    assert rig.articulate.body.nearest == "Wall"
    miss = np.linalg.norm(tip(rig, "b3") - (2.6, 0.0, 2.0))
    assert 1.0 < miss < 1.5
    rig.articulate.obstacles["Wall"].enabled = False
    bpy.ops.articulate.solve()
    assert np.linalg.norm(tip(rig, "b3") - (2.6, 0.0, 2.0)) < 1e-3
    assert "clearance" not in rig.articulate.report


@pytest.mark.solver
@pytest.mark.parametrize("scale", [1.0, 0.01, 30.0])
def test_margins_hold_on_scaled_and_turned_figures(scale):
    rig = arm()
    rig.scale, rig.rotation_euler = [scale] * 3, (0.3, 0.5, -0.7)
    bpy.context.view_layer.update()
    ahead = rig.matrix_world @ Vector((1.2, 0.2, 2.2))
    ball = box("Ball", [0.5 * scale] * 3, ahead)
    ball.modifiers.new("Round", "SUBSURF").levels = 2
    among(rig, ball, margin=0.05 * scale)
    reach(rig, "b3", ahead)
    bpy.ops.articulate.solve()
    assert distance(rig, ball) > (RADIUS + 0.05 - 0.005) * scale
    assert rig.articulate.report["clearance"] == pytest.approx(
        distance(rig, ball) - RADIUS * scale, abs=0.01 * scale
    )


def test_a_bake_goes_around_what_moves():
    rig = arm(5)
    post = box("Post", (0.3, 0.3, 8.0), (1.5, -3.0, 2.0))
    among(rig, post)
    target = add("b4").target
    animate(target, {1: (2.0, -1.5, 2.5), 31: (2.0, 1.5, 2.5)})
    for frame, y in ((1, 3.0), (31, -3.0)):
        post.location.y = y
        post.keyframe_insert("location", index=1, frame=frame)
    assert bpy.ops.articulate.bake(frame_start=1, frame_end=31) == {"FINISHED"}
    report = rig.articulate.report
    (row,) = report["nearest_things"]
    assert (row["clearance"], row["frame"]) == (report["clearance"], report["clearance_frame"])
    assert row["name"] == report["nearest"] and report["clearance"] > -1e-6
    seen = []
    for frame in range(1, 32):
        bpy.context.scene.frame_set(frame)
        seen.append(distance(rig, post) - RADIUS)
        assert seen[-1] > -0.005, frame
    assert min(seen) == pytest.approx(report["clearance"], abs=0.02)
    bpy.context.scene.frame_set(report["clearance_frame"])
    assert distance(rig, post) - RADIUS < 0.05


def test_a_collection_is_as_many_obstacles():
    rig = arm()
    things = bpy.data.collections.new("Things")
    bpy.context.scene.collection.children.link(things)
    for name, x in (("Left", -1.5), ("Right", 1.5)):
        thing = box(name, (0.2, 6.0, 8.0), (x, 0.0, 2.0))
        for collection in thing.users_collection:
            collection.objects.unlink(thing)
        things.objects.link(thing)
    among(rig)
    assert bpy.ops.articulate.obstacle_add(collection="Things") == {"FINISHED"}
    target = reach(rig, "b3", (2.6, 0.0, 2.0))
    for x, name in ((2.6, "Right"), (-2.6, "Left")):
        target.location.x = x
        bpy.ops.articulate.solve()
        assert rig.articulate.report["nearest"] == name and rig.articulate.report["status"] == "BLOCKED"
        assert distance(rig, bpy.data.objects[name]) > RADIUS - 0.01


def test_limbs_keep_out_of_each_other():
    rig = two_arms()
    for side, x in (("L", -0.6), ("R", 0.6)):
        reach(rig, f"hand.{side}", (x, 0.4, 1.6))
    bpy.ops.articulate.solve()
    rig.articulate.body.self_collision = True
    bpy.ops.articulate.solve()
    report = rig.articulate.report
    assert report["clearance"] >= -1e-6 and report["nearest"]
    pair = rig.articulate.body.pairs.add()
    pair.a, pair.b = "hand.L", "hand.R"
    bpy.ops.articulate.solve()
    assert "clearance" in rig.articulate.report


def test_parts_that_are_stiff_to_each_other_are_not_watched():
    rig = make_rig(
        [
            ("arm", None, (0, 0, 0), (1, 0.1, 0)),
            ("hand", "arm", (1, 0.1, 0), (2, 0, 0)),
            ("left", "hand", (2, 0.15, 0), (3, 0.15, 0)),
            ("right", "hand", (2, -0.15, 0), (3, -0.15, 0)),
        ]
    )
    reach(rig, "hand", (1.5, 0.5, 0.5))
    rig.articulate.body.self_collision = True
    bpy.ops.articulate.solve()
    report = rig.articulate.report
    assert report["nearest"] not in {"left", "right"} or report["clearance"] > 0.11, (
        "the fingers are 0.1 m apart"
    )


def test_capsules_are_fitted_to_the_skin_and_can_be_changed():
    rig = arm(2)
    bpy.ops.mesh.primitive_cylinder_add(radius=0.3, depth=2.0, vertices=24, location=(0, 0, 1))
    skin = bpy.context.object
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide(number_cuts=7)
    bpy.ops.object.mode_set(mode="OBJECT")
    for name, chosen in (("b0", lambda z: z <= 0), ("b1", lambda z: z >= 0)):
        group = skin.vertex_groups.new(name=name)
        group.add([v.index for v in skin.data.vertices if chosen(v.co.z)], 1.0, "REPLACE")
    among(rig)
    assert bpy.ops.articulate.body_fit() == {"FINISHED"}
    links = rig.articulate.body.links
    assert [link.name for link in links] == ["b0", "b1"]
    assert all(0.2 < link.radius < 0.31 for link in links)
    with pytest.raises(RuntimeError, match="moved by"):
        bpy.ops.articulate.obstacle_add(object=skin.name)
    for link in links:
        link.radius = 0.45
    wall = box("Wall", (0.2, 6.0, 8.0), (1.0, 0.0, 2.0))
    among(rig, wall)
    reach(rig, "b1", (2.0, 0.0, 0.5))
    bpy.ops.articulate.solve()
    assert distance(rig, wall, cap=0.3) > 0.43
    assert [link.radius for link in links] == [pytest.approx(0.45)] * 2, "what a person set stays"
    bpy.ops.articulate.body_clear()
    assert not len(rig.articulate.body.links)


def test_what_cannot_be_an_obstacle_is_refused_or_said():
    rig = arm()
    flat, bare, hidden, broken = (box(name) for name in ("Flat", "Bare", "Hidden", "Broken"))
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    bpy.context.scene.collection.objects.link(lamp)
    among(rig)
    for name, words in (("Nothing", "no object 'Nothing'"), ("Lamp", "no surface"), (rig.name, "itself")):
        with pytest.raises(RuntimeError, match=words):
            bpy.ops.articulate.obstacle_add(object=name)
    with pytest.raises(RuntimeError, match="no collection 'Nothing'"):
        bpy.ops.articulate.obstacle_add(collection="Nothing")
    assert not len(rig.articulate.obstacles)
    among(rig, flat, bare, hidden, broken)
    with pytest.raises(RuntimeError, match="already"):
        bpy.ops.articulate.obstacle_add(object="Flat")
    flat.scale.z = 0.0
    bare.data.clear_geometry()
    hidden.hide_viewport = True
    broken.data.vertices[0].co.x = float("nan")
    gone = box("Gone", place=(9.0, 0.0, 0.0))
    among(rig, gone)
    bpy.data.objects.remove(gone)
    reach(rig, "b3", (1.5, 0.5, 2.0))
    assert bpy.ops.articulate.solve() == {"FINISHED"}
    said = rig.articulate.report["ignored"]
    assert len(said) == 5 and rig.articulate.body.notes.splitlines() == said
    for name, words in (
        ("Flat", "zero"),
        ("Bare", "faces"),
        ("Hidden", "hidden"),
        ("Broken", "finite"),
        ("Gone", ""),
    ):
        assert any(name in sentence and words in sentence for sentence in said), name
    assert np.linalg.norm(tip(rig, "b3") - (1.5, 0.5, 2.0)) < 1e-3
    assert bpy.ops.articulate.obstacle_remove(obstacle="Flat") == {"FINISHED"}
    assert "Flat" not in rig.articulate.obstacles
    bpy.ops.articulate.obstacle_remove()
    assert len(rig.articulate.obstacles) == 3
    with pytest.raises(RuntimeError, match="no obstacle 'Flat'"):
        bpy.ops.articulate.obstacle_remove(obstacle="Flat")


def test_a_renamed_obstacle_goes_by_both_names():
    rig = arm()
    for name in ("First", "Second"):
        thing = box(place=(1.5, 0.0, 2.0))
        thing.name = name
        among(rig, thing)
        thing.name = f"New {name}"
    bpy.ops.articulate.obstacle_remove(obstacle="New Second")
    assert [obstacle.name for obstacle in rig.articulate.obstacles] == ["First"]
    bpy.ops.articulate.obstacle_remove(obstacle="First")
    assert not rig.articulate.obstacles


def test_a_method_that_knows_no_obstacles_says_so():
    rig = arm()
    among(rig, box(place=(1.5, 0.0, 2.0)))
    add("b3")
    rig.articulate.solver.method = "fabrik"
    with pytest.raises(RuntimeError, match="does not support obstacles"):
        bpy.ops.articulate.solve()
    rig.articulate.obstacles[0].enabled = False
    assert bpy.ops.articulate.solve() == {"FINISHED"}


def test_a_body_part_on_a_bone_that_is_gone_is_said():
    rig = arm()
    among(rig, box(place=(1.5, 0.0, 2.0)))
    bpy.ops.articulate.body_fit()
    add("b3")
    rig.articulate.body.links[0].name = "lost"
    with pytest.raises(RuntimeError, match="lost"):
        bpy.ops.articulate.solve()


@pytest.mark.solver
def test_unevenly_scaled_bones_keep_clear_too():
    rig = arm(5)
    rig.pose.bones["b1"].scale = (1.0, 0.8, 1.1)
    bpy.context.view_layer.update()
    wall = box("Wall", (0.2, 6.0, 8.0), (1.6, 0.0, 2.0))
    among(rig, wall)
    reach(rig, "b4", (2.6, 0.0, 2.0))
    bpy.ops.articulate.solve()
    assert distance(rig, wall) > 0.05
    assert rig.articulate.report["nearest"] == "Wall"


def test_obstacles_and_body_are_saved(tmp_path):
    rig = arm()
    among(rig, box("Wall", (0.2, 6.0, 8.0), (1.6, 0.0, 2.0)), mode="TWO_SIDED", margin=0.02)
    bpy.ops.articulate.body_fit()
    count = len(rig.articulate.body.links)
    rig.articulate.body.self_collision = True
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    rig = bpy.data.objects["Rig"].articulate
    (obstacle,) = rig.obstacles
    assert (obstacle.object.name, obstacle.mode) == ("Wall", "TWO_SIDED")
    assert obstacle.margin == pytest.approx(0.02)
    assert len(rig.body.links) == count and rig.body.self_collision


def test_an_arm_keeps_out_of_the_body_that_it_does_not_move():
    rig = two_arms()
    bpy.ops.articulate.body_fit()
    body = rig.articulate.body
    body.links["chest"].radius = 0.3
    rig.articulate.solver.max_iterations = 200
    reach(rig, "hand.L", (0.0, 0.0, 1.5), chain_root="arm.L")
    bpy.ops.articulate.solve()
    assert "clearance" not in rig.articulate.report
    body.self_collision = True
    bpy.ops.articulate.solve()
    report = rig.articulate.report
    assert report["status"] == "BLOCKED" and "chest" in report["message"]
    assert report["clearance"] >= -1e-6 and "hand.L" in report["nearest"]  # it may touch another arm, too
    shown, least = evaluated(rig), np.inf
    chest, hand = (shown.pose.bones[name] for name in ("chest", "hand.L"))
    thin = body.links["hand.L"].radius
    for one in np.linspace(0.0, 1.0, 61):
        for other in np.linspace(thin / hand.length, 1.0 - thin / hand.length, 61):
            gap = chest.head.lerp(chest.tail, one) - hand.head.lerp(hand.tail, other)
            least = min(least, gap.length)
    assert least > 0.3 + thin - 0.06, "the chest's capsule ends where its bone does"


def torus(around: int, through: int, major: float, minor: float) -> bpy.types.Object:
    """A ring of as many four-cornered faces, closed."""
    a, b = np.meshgrid(
        np.linspace(0.0, 2 * np.pi, around, endpoint=False),
        np.linspace(0.0, 2 * np.pi, through, endpoint=False),
        indexing="ij",
    )
    wide = major + minor * np.cos(b)
    places = np.stack([wide * np.cos(a), wide * np.sin(a), minor * np.sin(b)], -1)
    number = np.arange(around * through).reshape(around, through)
    beside = np.roll(number, -1, 0)
    quads = np.stack([number, beside, np.roll(beside, -1, 1), np.roll(number, -1, 1)], -1)
    mesh = bpy.data.meshes.new("Ring")
    mesh.vertices.add(number.size)
    mesh.vertices.foreach_set("co", places.astype(np.float32).ravel())
    mesh.loops.add(4 * number.size)
    mesh.loops.foreach_set("vertex_index", quads.astype(np.int32).ravel())
    mesh.polygons.add(number.size)
    mesh.polygons.foreach_set("loop_start", np.arange(0, 4 * number.size, 4, dtype=np.int32))
    mesh.update(calc_edges=True)
    thing = bpy.data.objects.new("Ring", mesh)
    bpy.context.scene.collection.objects.link(thing)
    return thing


@pytest.mark.solver
def test_a_mesh_of_a_million_triangles_works_with_one_pause(monkeypatch):
    reading, built = installed.module("bridge.obstacles"), []
    mesh_of = reading.TriangleMesh
    monkeypatch.setattr(reading, "TriangleMesh", lambda *a, **k: built.append(1) or mesh_of(*a, **k))
    rig = arm(5)
    ring = torus(1000, 500, 0.7, 0.3)
    ring.location = (2.2, 0.0, 2.5)
    among(rig, ring)
    rig.articulate.solver.max_iterations = 0
    animate(reach(rig, "b4", (2.2, 0.0, 3.9)), {1: (2.2, 0.0, 3.9), 4: (1.9, 0.0, 4.0)})
    assert bpy.ops.articulate.bake(frame_start=1, frame_end=4) == {"FINISHED"}
    assert len(built) == 1, "its tree is built once for all frames"
    assert rig.articulate.report["clearance"] > -1e-6
    for bone in evaluated(rig).pose.bones:
        for share in np.linspace(RADIUS, 1.0 - RADIUS, 21):
            x, y, z = bone.head.lerp(bone.tail, share) - ring.location
            away = np.hypot(np.hypot(x, y) - 0.7, z) - 0.3
            assert away > RADIUS - 1e-3


def test_what_became_part_of_the_figure_is_left_out_and_said():
    rig = arm()
    coat, hat = box("Coat", place=(1.0, 0.0, 2.0)), box("Hat", place=(1.0, 0.0, 3.0))
    sword, cloak = box("Sword", place=(1.0, 0.0, 3.5)), box("Cloak", place=(1.0, 0.0, 2.5))
    among(rig, coat, hat, sword, cloak)
    held = sword.constraints.new("CHILD_OF")
    held.target, held.subtarget = rig, "b3"
    cloak.modifiers.new("Bound", "SURFACE_DEFORM").target = coat
    coat.modifiers.new("Armature", "ARMATURE").object = rig
    hat.parent, hat.parent_type, hat.parent_bone = rig, "BONE", "b3"
    reach(rig, "b3", (1.5, 0.5, 2.0))
    bpy.ops.articulate.solve()
    said = rig.articulate.report["ignored"]
    assert len(said) == 4 and all("itself" in sentence for sentence in said)
    names = {"Coat", "Hat", "Sword", "Cloak"}
    assert {name for name in names for sentence in said if name in sentence} == names
    assert np.linalg.norm(tip(rig, "b3") - (1.5, 0.5, 2.0)) < 1e-3
