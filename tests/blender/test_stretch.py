# SPDX-License-Identifier: GPL-3.0-or-later
"""Effectors with Stretch: limbs lengthen where their target is out of reach; lengths are Blender's."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import add, animate, arm, curves, evaluated, miss, reach, tip
from drag_ways import figure


def length(rig: bpy.types.Object, bone: str) -> float:
    """Of a bone, over its own length, as Blender shows it."""
    shown = evaluated(rig).pose.bones[bone]
    return (shown.tail - shown.head).length / rig.data.bones[bone].length


@pytest.fixture
def human():
    """With forearms and hands that do not inherit scale, as in rigs that are made to stretch."""
    rig = figure("human")
    rig.articulate.solver.root = "PINNED"
    for name in ("forearm.L", "hand.L"):
        rig.data.bones[name].inherit_scale = "NONE"
    return rig


def hand_out(rig: bpy.types.Object, way: float, stretch: float, **options: object) -> bpy.types.Object:
    """The left forearm's target, so many lengths of the arm from the shoulder, ahead and aside."""
    upper = rig.pose.bones["upper_arm.L"]
    arm_length = sum(rig.data.bones[name].length for name in ("upper_arm.L", "forearm.L"))
    direction = np.array([0.6, -0.8, 0.1]) / np.linalg.norm([0.6, -0.8, 0.1])
    place = np.array(rig.matrix_world @ upper.head) + way * arm_length * direction
    target = reach(rig, "forearm.L", place, name="hand", chain_root="upper_arm.L", **options)
    rig.articulate.effectors["hand"].stretch = stretch
    return target


def test_a_limb_lengthens_as_far_as_it_takes(human):
    hand_out(human, 1.3, 0.5)
    assert bpy.ops.articulate.solve() == {"FINISHED"}
    assert human.articulate.report["status"] == "REACHED" and miss(human, "hand") < 1e-4
    for bone in ("upper_arm.L", "forearm.L"):
        assert length(human, bone) == pytest.approx(1.3, abs=2e-3)
    assert length(human, "upper_arm.R") == pytest.approx(1.0, abs=1e-5)


def test_a_target_in_reach_leaves_the_lengths_alone_and_takes_them_back(human):
    target = hand_out(human, 1.3, 0.5)
    bpy.ops.articulate.solve()
    shoulder = np.array(human.matrix_world @ human.pose.bones["upper_arm.L"].head)
    target.location = shoulder + 0.6 * (np.array(target.location) - shoulder)
    bpy.context.view_layer.update()
    bpy.ops.articulate.solve()
    assert miss(human, "hand") < 1e-4
    assert human.pose.bones["upper_arm.L"].scale[1] == 1.0
    assert human.pose.bones["forearm.L"].scale[1] == 1.0


def test_stretch_ends_where_the_effector_says(human):
    hand_out(human, 1.6, 0.2)
    bpy.ops.articulate.solve()
    arm_length = sum(human.data.bones[name].length for name in ("upper_arm.L", "forearm.L"))
    assert miss(human, "hand") == pytest.approx(0.4 * arm_length, rel=0.02)
    assert length(human, "forearm.L") == pytest.approx(1.2, abs=2e-3)
    assert human.articulate.report["status"] != "REACHED"


def test_without_it_bones_keep_their_length(human):
    hand_out(human, 1.3, 0.0)
    human.pose.bones["forearm.L"].scale = 1.0, 1.1, 1.0  # of the animator
    bpy.ops.articulate.solve()
    assert human.pose.bones["forearm.L"].scale[1] == pytest.approx(1.1)
    assert miss(human, "hand") > 0.05


@pytest.mark.parametrize("inherit", ["FULL", "ALIGNED", "AVERAGE"])
def test_however_scale_is_inherited_the_target_is_reached(human, inherit):
    human.data.bones["forearm.L"].inherit_scale = inherit
    hand_out(human, 1.25, 0.5)
    bpy.ops.articulate.solve()
    assert miss(human, "hand") < 1e-3
    assert length(human, "upper_arm.L") == pytest.approx(length(human, "forearm.L"), abs=0.01)


def test_ik_stretch_says_which_bones_and_a_locked_scale_which_not():
    rig = arm(4)
    for bone in rig.data.bones:
        bone.inherit_scale = "ALIGNED"
    rig.pose.bones["b1"].ik_stretch, rig.pose.bones["b2"].ik_stretch = 0.2, 0.1
    reach(rig, "b3", (0.0, 3.0, 3.5), name="end")
    rig.articulate.effectors["end"].stretch = 2.0
    bpy.ops.articulate.solve()
    assert miss(rig, "end") < 1e-4
    more = [length(rig, f"b{i}") - 1.0 for i in range(4)]
    assert more[0] == pytest.approx(0.0, abs=1e-5) and more[3] == pytest.approx(0.0, abs=1e-5)
    assert more[1] == pytest.approx(2.0 * more[2], rel=1e-3) and more[2] > 0.1
    rig.pose.bones["b1"].lock_scale[1] = True
    bpy.ops.articulate.solve()
    assert rig.pose.bones["b1"].scale[1] > 1.0  # locked, it keeps what it has
    assert miss(rig, "end") < 1e-4


def test_a_bake_keys_the_lengths_and_decimate_keeps_them(human):
    target = hand_out(human, 0.95, 0.5)
    near, shoulder = np.array(target.location), np.array(human.pose.bones["upper_arm.L"].head)
    animate(target, {1: near, 8: shoulder + 1.35 * (near - shoulder)})
    human.articulate.bake.decimate = True
    bpy.ops.articulate.bake(frame_start=1, frame_end=8)
    found = curves(human)['pose.bones["upper_arm.L"].scale', 1]
    assert dict(found)[1.0] == 1.0 and max(value for _, value in found) > 1.2
    for frame in (1, 3, 5, 8):
        bpy.context.scene.frame_set(frame)
        assert miss(human, "hand") < 0.01, frame


def test_live_lengthens_and_shortens_again(human):
    target = hand_out(human, 0.8, 0.5)
    human.articulate.live = True
    near, shoulder = np.array(target.location), np.array(human.pose.bones["upper_arm.L"].head)
    for way, stretches in ((1.6, True), (1.0, False), (1.5, True), (0.9, False)):
        target.location = shoulder + way * (near - shoulder)
        bpy.context.view_layer.update()
        assert miss(human, "hand") < 2e-3, way
        assert (length(human, "upper_arm.L") > 1.1) == stretches
        assert stretches or length(human, "upper_arm.L") == pytest.approx(1.0, abs=1e-5)


def test_a_drag_keeps_the_lengths_that_there_are(human):
    hand_out(human, 1.3, 0.5)
    bpy.ops.articulate.solve()
    then = length(human, "upper_arm.L")
    human.articulate.effectors["hand"].enabled = False
    drag = installed.module("control.drag.drag")
    held = drag.Drag(human, bpy.context, drag.Grip(bone="forearm.L"), budget=np.inf)
    held.move_to(tip(human, "forearm.L") + np.array([0.0, 0.05, 0.0]))
    held.finish(bpy.context)
    assert length(human, "upper_arm.L") == pytest.approx(then, abs=1e-3) and then > 1.2


def test_only_kinds_that_place_a_bone_stretch(human):
    assert "stretch" in add("hand.L", "POSE").kind_info.options
    assert "stretch" not in add("hand.R", "AIM").kind_info.options
