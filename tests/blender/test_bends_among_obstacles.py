# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures bend among obstacles as they do without: knees, also of rolled bones, and the trunk at a table."""

from __future__ import annotations

import bpy
import installed
import natural_poses as natural
import numpy as np
import pytest
from addon_scenes import animate, reach, tip
from drag_ways import ENDLESS, PARTS, WAYS, figure
from metarig_clips import metarig

FAR = (3.0, 3.0, 3.0)  # metres, out of everything's way
UPDATES = 6


def person(name: str, roll: float, *, obstacle: bool) -> bpy.types.Object:
    """A figure with its bones rolled by an angle, and perhaps a cube that is far away."""
    rig = figure(name)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in rig.data.edit_bones:
        bone.roll += roll
    bpy.ops.object.mode_set(mode="OBJECT")
    if obstacle:
        bpy.ops.mesh.primitive_cube_add(size=0.3, location=FAR)
        cube = bpy.context.object
        bpy.context.view_layer.objects.active = rig
        bpy.ops.articulate.obstacle_add(object=cube.name)
    bpy.ops.object.mode_set(mode="POSE")
    return rig


def knee(rig: bpy.types.Object, foot: str) -> np.ndarray:
    """(3,) from the line between hip and ankle to the knee above a foot, metres."""
    shin = rig.pose.bones[foot].parent
    points = (shin.parent.head, shin.head, shin.tail)
    hip, joint, ankle = (np.array(rig.matrix_world @ point) for point in points)
    line = (ankle - hip) / np.linalg.norm(ankle - hip)
    return (joint - hip) - line * (line @ (joint - hip))


@pytest.mark.solver
@pytest.mark.parametrize(("way", "roll"), [("kick aside", 0.0), ("back", 0.7), ("up", 0.7)])
def test_in_a_drag(way: str, roll: float):
    found = []
    for obstacle in (False, True):
        rig = person("t_pose", roll, obstacle=obstacle)
        drag, end = installed.module("control.drag.drag"), natural.height(rig) * np.array(WAYS["foot"][way])
        foot = PARTS["t_pose"]["foot"]
        held = drag.Drag(rig, bpy.context, drag.Grip(bone=foot), budget=ENDLESS)
        for share in np.linspace(0.0, 1.0, UPDATES + 1)[1:]:
            held.move_to(held.anchor + share * end)
        held.finish(bpy.context)
        bpy.context.view_layer.update()
        found.append(knee(rig, foot))
    without, among = found
    assert np.linalg.norm(without) > 0.05
    np.testing.assert_allclose(among, without, atol=0.03)


def test_in_a_solve():
    found = []
    for obstacle in (False, True):
        rig = person("t_pose", 0.7, obstacle=obstacle)
        foot = PARTS["t_pose"]["foot"]
        place = tip(rig, foot) + natural.height(rig) * np.array(WAYS["foot"]["back"])
        reach(rig, foot, place, name="foot")
        bpy.ops.articulate.solve()
        found.append(knee(rig, foot))
    assert np.linalg.norm(found[0]) > 0.05
    np.testing.assert_allclose(found[1], found[0], atol=0.03)


@pytest.mark.solver
@pytest.mark.parametrize("frames", [16, 24])
def test_who_presses_a_hand_onto_a_table_bends_forward(frames: int):
    """A flat hand touches the table with both ends of its bones, and the trunk need not help it."""
    rig = metarig("human")
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.mesh.primitive_cube_add(location=(-0.2, -0.6, 0.85), scale=(0.5, 0.3, 0.02))
    table = bpy.context.object
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in ("foot.L", "foot.R")
    bpy.ops.articulate.pin()
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    animate(target, {1: (-0.25, -0.45, 1.15), frames: (-0.25, -0.45, 0.6)})
    bpy.ops.articulate.effector_add(bone="hand.R", kind="POSITION", target=target.name)
    bpy.ops.articulate.obstacle_add(object=table.name)
    assert bpy.ops.articulate.bake(frame_start=1, frame_end=frames) == {"FINISHED"}
    bpy.context.scene.frame_set(frames)
    posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    assert abs(posed["hand.R"].tail.z - 0.88) < 0.02, "the hand lies on the table"
    trunk = posed["spine.003"].tail - posed["spine"].head
    assert trunk.y < 0.0, "not backwards"
    assert np.degrees(trunk.angle((0.0, 0.0, 1.0))) < 22.0
