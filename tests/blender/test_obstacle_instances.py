# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object shows as instances is kept out of: sets of furniture, scattered and borne things."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import arm, reach, tip
from bridge_rigs import chain_rig
from installed import module
from mathutils import Vector
from mathutils.bvhtree import BVHTree

bridge = module("bridge.obstacles")
space_of = module("bridge.space").read_space


def put(thing: bpy.types.Object, collection: bpy.types.Collection) -> None:
    for each in thing.users_collection:
        each.objects.unlink(thing)
    collection.objects.link(thing)


def instance(collection: bpy.types.Collection, name: str, into: bpy.types.Collection) -> bpy.types.Object:
    empty = bpy.data.objects.new(name, None)
    empty.instance_type, empty.instance_collection = "COLLECTION", collection
    into.objects.link(empty)
    return empty


def cube(name: str, collection: bpy.types.Collection, size: float = 1.0) -> bpy.types.Object:
    bpy.ops.mesh.primitive_cube_add(size=size)
    thing = bpy.context.object
    thing.name = name
    put(thing, collection)
    return thing


@pytest.fixture
def room() -> bpy.types.Object:
    """A table and, as an instance within, a shelf with a book; moved, turned, scaled, mirrored."""
    shelf, inside = bpy.data.collections.new("Shelf"), bpy.data.collections.new("Room")
    shelf.instance_offset, inside.instance_offset = (0.3, -0.2, 0.1), (1.0, 2.0, 3.0)
    book, table = cube("Book", shelf), cube("Table", inside)
    book.location, book.rotation_euler, book.scale = (1, 2, 3), (0.3, 0.2, 0.1), (1.0, 2.0, 0.5)
    table.modifiers.new("Bevel", "BEVEL").width = 0.1
    cube("Gone", inside).hide_viewport = True
    inner = instance(shelf, "Shelf", inside)
    inner.location, inner.rotation_euler = (4, 5, 6), (0.1, 0.7, 0.2)
    outer = instance(inside, "Room", bpy.context.scene.collection)
    outer.location, outer.rotation_euler, outer.scale = (1, 1, 0), (0.5, 0.0, 0.4), (0.5, -1.5, 1.0)
    bpy.context.view_layer.update()
    return outer


def test_surfaces_are_where_blender_shows_them(room: bpy.types.Object) -> None:
    rig = chain_rig(2)
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    meshes, faults = bridge.ObstacleReader().read([bridge.Avoided(room)], rig, space_of(rig), graph)
    assert not faults and len(meshes) == 2 and {mesh.name for mesh in meshes} == {"Room"}
    shown = []
    for each in graph.object_instances:
        if each.is_instance and each.object.type == "MESH":
            mesh = each.object.to_mesh()
            shown.append(np.array([each.matrix_world @ vertex.co for vertex in mesh.vertices]))
            each.object.to_mesh_clear()
    assert len(shown) == 2
    for mesh in meshes:
        vertices = mesh.geometry.vertices @ mesh.rotation.T + mesh.translation
        close = min(
            np.abs(vertices - other).max() if vertices.shape == other.shape else np.inf for other in shown
        )
        assert close < 1e-5
        assert mesh.mode == "solid"


def wall_in_a_set() -> bpy.types.Object:
    kit = bpy.data.collections.new("Kit")
    wall = cube("Wall", kit)
    wall.scale = (0.2, 6.0, 8.0)
    return instance(kit, "Set", bpy.context.scene.collection)


@pytest.mark.parametrize("how", ["instance", "collection with an instance"])
def test_a_figure_keeps_out_of_a_set(how: str) -> None:
    empty = wall_in_a_set()
    empty.location = (1.5, 0.0, 2.0)
    if how != "instance":
        furniture = bpy.data.collections.new("Furniture")
        bpy.context.scene.collection.children.link(furniture)
        put(empty, furniture)
    rig = arm()
    if how == "instance":
        bpy.ops.articulate.obstacle_add(object="Set")
    else:
        bpy.ops.articulate.obstacle_add(collection="Furniture")
    reach(rig, "b3", (2.6, 0.0, 2.0))
    bpy.ops.articulate.solve()
    report = rig.articulate.report
    assert report["status"] == "BLOCKED" and report["nearest"] == "Set" and tip(rig, "b3")[0] < 1.4
    empty.location.x = 20.0
    bpy.ops.articulate.solve()
    assert rig.articulate.report["status"] == "REACHED"


def test_what_holds_no_surface_is_refused() -> None:
    empty = instance(bpy.data.collections.new("Nothing"), "Set", bpy.context.scene.collection)
    arm()
    with pytest.raises(RuntimeError, match=r"'Set' has no surface.*instance of a collection"):
        bpy.ops.articulate.obstacle_add(object=empty.name)


def test_a_set_that_is_hidden_or_emptied_later_is_left_out_and_said() -> None:
    empty = wall_in_a_set()
    rig = arm()
    bpy.ops.articulate.obstacle_add(object="Set")
    reach(rig, "b3", (1.0, 1.0, 2.0))
    empty.hide_set(True)
    bpy.ops.articulate.solve()
    assert "'Set' is hidden" in rig.articulate.report["ignored"][0]
    empty.hide_set(False)
    empty.instance_collection = None
    bpy.ops.articulate.solve()
    assert "'Set' has no surface" in rig.articulate.report["ignored"][0]


def nodes_of(host: bpy.types.Object, *, shown: bpy.types.Object | None = None) -> None:
    """Let geometry nodes put a cube, or another object, on every vertex, in place of the surface itself."""
    tree = bpy.data.node_groups.new("Scatter", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    begin, end, put_on = (
        tree.nodes.new(name) for name in ("NodeGroupInput", "NodeGroupOutput", "GeometryNodeInstanceOnPoints")
    )
    if shown is None:
        made = tree.nodes.new("GeometryNodeMeshCube")
        made.inputs["Size"].default_value = (0.4, 0.3, 0.2)
        tree.links.new(made.outputs["Mesh"], put_on.inputs["Instance"])
    else:
        made = tree.nodes.new("GeometryNodeObjectInfo")
        made.inputs["Object"].default_value, made.inputs["As Instance"].default_value = shown, True
        tree.links.new(made.outputs["Geometry"], put_on.inputs["Instance"])
    put_on.inputs["Rotation"].default_value = (0.3, 0.2, 0.1)
    put_on.inputs["Scale"].default_value = (1.0, -0.5, 2.0)
    tree.links.new(begin.outputs[0], put_on.inputs["Points"])
    tree.links.new(put_on.outputs["Instances"], end.inputs[0])
    host.modifiers.new("Scatter", "NODES").node_group = tree


def bearer(how: str) -> bpy.types.Object:
    """An object that shows solids at other places, by one of the ways that Blender has."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=3, y_subdivisions=3, size=3.0)
    host = bpy.context.object
    host.name = "Bearer"
    host.rotation_euler, host.scale, host.location = (0.2, 0.4, 0.1), (1.0, 1.3, 0.7), (0.5, 0.2, 0.1)
    if how == "nodes":
        nodes_of(host)
        return host
    bpy.ops.mesh.primitive_ico_sphere_add(radius=0.2, subdivisions=2)
    ball = bpy.context.object
    ball.name = "Ball"
    if how == "nodes with an object":
        nodes_of(host, shown=ball)
    elif how == "particles":
        host.modifiers.new("Particles", "PARTICLE_SYSTEM")
        settings = host.particle_systems[0].settings
        settings.type, settings.count, settings.use_advanced_hair = "HAIR", 7, True
        settings.render_type, settings.instance_object = "OBJECT", ball
        settings.particle_size, settings.size_random = 1.0, 0.5
    else:
        ball.parent = host
        host.instance_type = how
    return host


WAYS = ("nodes", "nodes with an object", "particles", "FACES", "VERTS")


def shown_tree(maker: bpy.types.Object) -> tuple[BVHTree, int]:
    """What Blender draws of an object and of all that it bears, and how many instances that are."""
    graph = bpy.context.evaluated_depsgraph_get()
    vertices, faces, count = [], [], 0
    for each in graph.object_instances:
        if (each.parent if each.is_instance else each.object).original != maker:
            continue
        mesh = each.object.to_mesh()
        mesh.calc_loop_triangles()
        start = len(vertices)
        vertices += [each.matrix_world @ vertex.co for vertex in mesh.vertices]
        faces += [tuple(start + corner for corner in face.vertices) for face in mesh.loop_triangles]
        each.object.to_mesh_clear()
        count += each.is_instance
    return BVHTree.FromPolygons(vertices, faces, all_triangles=True), count


@pytest.mark.parametrize("how", WAYS)
def test_all_that_an_object_bears_is_where_blender_draws_it(how: str) -> None:
    host, rig = bearer(how), chain_rig(2)
    bpy.context.view_layer.update()
    reader = bridge.ObstacleReader()

    def read():
        graph = bpy.context.evaluated_depsgraph_get()
        return reader.read([bridge.Avoided(host, "TWO_SIDED")], rig, space_of(rig), graph)

    for place in ((0.5, 0.2, 0.1), (-1.0, 2.0, 0.4)):
        host.location = place
        bpy.context.view_layer.update()
        meshes, faults = read()
        tree, count = shown_tree(host)
        own = 0 if how.startswith("nodes") else 1
        assert not faults and count >= 7 and len(meshes) == count + own
        assert {mesh.name for mesh in meshes} == {"Bearer"}
        points = np.random.default_rng(1).uniform(-3, 3, (60, 3))
        nearest = np.min([mesh.nearest(points).distance for mesh in meshes], 0)
        expected = [tree.find_nearest(Vector(point))[3] for point in points]
        assert nearest == pytest.approx(np.array(expected), abs=5e-6)
    if how != "particles":  # those are of many sizes
        assert len({id(mesh.geometry) for mesh in meshes}) <= 1 + own, "one tree serves all places"
    again, _ = read()
    assert all(new is old for new, old in zip(again, meshes, strict=True)), "nothing is made anew"


@pytest.mark.parametrize("how", WAYS)
def test_a_figure_keeps_out_of_what_is_borne(how: str) -> None:
    host = bearer(how)
    host.location, host.rotation_euler, host.scale = (0.3, 1.2, 2.2), (np.pi / 2, 0.0, 0.0), (0.8, 0.8, 0.8)
    rig = arm(5)
    bpy.ops.articulate.obstacle_add(object="Bearer", mode="SOLID" if "nodes" in how else "TWO_SIDED")
    reach(rig, "b4", (0.3, 1.25, 2.2))
    assert bpy.ops.articulate.solve() == {"FINISHED"}
    report = rig.articulate.report
    assert report["nearest"] == "Bearer" and report["clearance"] > -1e-6
    tree, _ = shown_tree(host)
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    for bone in shown.pose.bones:
        for share in np.linspace(0.1, 0.9, 31):
            assert tree.find_nearest(bone.head.lerp(bone.tail, share))[3] > 0.1 - 1e-4


def test_an_object_that_shows_only_what_it_bears_is_not_there_itself() -> None:
    host, rig = bearer("FACES"), chain_rig(2)
    host.show_instancer_for_viewport = False
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    meshes, _ = bridge.ObstacleReader().read([bridge.Avoided(host)], rig, space_of(rig), graph)
    assert len(meshes) == 9 and all(mesh.closed for mesh in meshes)


def test_the_figures_own_skin_shown_elsewhere_is_no_obstacle() -> None:
    kit = bpy.data.collections.new("Kit")
    skin, chair = cube("Skin", kit), cube("Chair", kit)
    chair.location = (3.0, 0.0, 0.0)
    rig = chain_rig(2)
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    crowd = instance(kit, "Crowd", bpy.context.scene.collection)
    crowd.location = (5.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    (mesh,), faults = bridge.ObstacleReader().read([bridge.Avoided(crowd)], rig, space_of(rig), graph)
    assert not faults and mesh.translation == pytest.approx((8.0, 0.0, 0.0))
