# SPDX-License-Identifier: GPL-3.0-or-later
"""Rooms, sets and walls that the figure is behind of: they are kept clear of from where it stands."""

from __future__ import annotations

import bmesh
import bpy
import numpy as np
import pytest
from addon_scenes import animate, arm, miss, reach, tip


def cube(rig: bpy.types.Object, size: float, place=(0.0, 0.0, 2.0), name: str = "Room") -> bpy.types.Object:
    bpy.ops.mesh.primitive_cube_add(size=size, location=place)
    thing = bpy.context.object
    thing.name = name
    bpy.context.view_layer.objects.active = rig
    return thing


def test_what_is_all_around_the_figure_is_a_room():
    rig = arm()
    rig.scale = (0.5, 0.5, 0.5)
    for name, size, place in (("Room", 10.0, (0, 0, 2)), ("Table", 1.0, (2, 0, 1)), ("Pit", 3.0, (0, 0, -1))):
        cube(rig, size, place, name)
        bpy.ops.articulate.obstacle_add(object=name)
    modes = {obstacle.name: obstacle.mode for obstacle in rig.articulate.obstacles}
    assert modes == {"Room": "TWO_SIDED", "Table": "SOLID", "Pit": "SOLID"}


def opened(thing: bpy.types.Object) -> None:
    """Without its front, as a set is for the camera."""
    made = bmesh.new()
    made.from_mesh(thing.data)
    bmesh.ops.delete(made, geom=[face for face in made.faces if face.normal.y < -0.9], context="FACES")
    made.to_mesh(thing.data)
    made.free()


@pytest.mark.parametrize("turned", [False, True])
def test_a_set_without_its_front_keeps_the_figure_in(turned):
    """Whichever way its faces look."""
    rig = arm()
    room = cube(rig, 10.0, (0.0, 0.0, 4.5))
    opened(room)
    if turned:
        room.data.flip_normals()
    bpy.ops.articulate.obstacle_add(object="Room")
    assert rig.articulate.obstacles["Room"].mode == "SOLID"  # which counts as two-sided, since it is open
    reach(rig, "b3", (1.5, 0.3, 2.0))
    bpy.ops.articulate.solve()
    assert rig.articulate.report["status"] == "REACHED" and miss(rig, "b3") < 1e-3
    assert rig.articulate.report["clearance"] >= 0.0


@pytest.mark.solver
@pytest.mark.parametrize("turn", [0.0, np.pi])
def test_a_floor_is_a_floor_whichever_way_it_lies(turn):
    rig = arm()
    bpy.ops.mesh.primitive_plane_add(size=10.0, location=(0, 0, -0.5), rotation=(turn, 0, 0))
    bpy.context.object.name = "Floor"
    bpy.context.view_layer.objects.active = rig
    bpy.ops.articulate.obstacle_add(object="Floor", margin=0.01)
    reach(rig, "b3", (2.0, 0.3, -1.0))
    bpy.ops.articulate.solve()
    report = rig.articulate.report
    assert report["status"] == "BLOCKED" and "stopped by Floor" in report["message"]
    assert tip(rig, "b3")[2] > -0.5 and report["clearance"] > 0.0


def test_who_chooses_a_mode_has_it():
    rig = arm()
    cube(rig, 10.0)
    bpy.ops.articulate.obstacle_add(object="Room", mode="SOLID")
    assert rig.articulate.obstacles["Room"].mode == "SOLID"


def test_a_collection_with_a_room_is_two_sided():
    rig = arm()
    for name, size, place in (("Chair", 0.5, (3, 0, 0)), ("Room", 10.0, (0, 0, 2))):
        cube(rig, size, place, name)
    stage = bpy.data.collections.new("Stage")
    bpy.context.scene.collection.children.link(stage)
    for name in ("Chair", "Room"):
        stage.objects.link(bpy.data.objects[name])
    bpy.ops.articulate.obstacle_add(collection="Stage")
    assert rig.articulate.obstacles["Stage"].mode == "TWO_SIDED"


def test_an_armature_that_cannot_be_solved_is_refused_and_nothing_is_half_done():
    rig = arm()
    rig.scale = (1.0, 2.0, 1.0)
    cube(rig, 20.0)
    with pytest.raises(RuntimeError, match="scaled unevenly"):
        bpy.ops.articulate.obstacle_add(object="Room")
    assert not rig.articulate.obstacles and not rig.articulate.body.links


def test_the_figure_reaches_within_the_room_and_stops_at_its_wall():
    rig = arm(3)
    cube(rig, 5.0)
    bpy.ops.articulate.obstacle_add(object="Room")
    target = reach(rig, "b2", (1.5, 0.3, 1.5))
    bpy.ops.articulate.solve()
    assert rig.articulate.report["status"] == "REACHED" and miss(rig, "b2") < 1e-3
    animate(target, {1: (1.5, 0.3, 1.5), 30: (2.8, 0.3, 1.0)})  # so slowly that turns may follow
    bpy.ops.articulate.bake(frame_start=1, frame_end=30)
    report = rig.articulate.report
    assert report["status"] == "BLOCKED" and "stopped by Room" in report["message"]
    assert report["clearance"] > 0.0 and report["effectors"]["b2"]["worst"] == pytest.approx(0.3, abs=0.1)


ACROSS = [pytest.param(height, marks=pytest.mark.solver) for height in (0.5, 1.7)]  # bones pass through it


@pytest.mark.parametrize("height", [-3.0, -0.5, *ACROSS, 2.9, 6.0])
def test_beside_an_open_surface_what_is_nearest_has_a_name(height):
    """A level sheet, wherever it is: below the figure, across it, above it."""
    rig = arm()
    bpy.ops.mesh.primitive_plane_add(size=18.0, location=(0.0, 0.0, height))
    bpy.context.object.name = "Sheet"
    bpy.context.view_layer.objects.active = rig
    bpy.ops.articulate.obstacle_add(object="Sheet", mode="ONE_SIDED")
    reach(rig, "b3", (1.0, 0.3, 2.5))
    bpy.ops.articulate.solve()
    report = rig.articulate.report
    assert report["nearest"] == "Sheet"
    inside = report["clearance"] < -1e-4
    assert inside == (report["status"] == "INFEASIBLE") == ("into Sheet" in report["message"])
