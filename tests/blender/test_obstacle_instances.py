# SPDX-License-Identifier: GPL-3.0-or-later
"""Sets of furniture come as instances of collections: what such an Empty shows is kept out of."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import arm, reach, tip
from bridge_rigs import chain_rig
from installed import module

bridge = module("bridge.obstacles")
surfaces_of = module("properties.obstacle").surfaces_of
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
    wanted = [bridge.Wanted(thing, within=within) for thing, within in surfaces_of(room)]
    meshes, faults = bridge.ObstacleReader().read(wanted, rig, space_of(rig), graph)
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
