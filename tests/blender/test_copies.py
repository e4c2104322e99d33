# SPDX-License-Identifier: GPL-3.0-or-later
"""Live figures that are copied, joined, separated, or opened where the extension is not enabled."""

from __future__ import annotations

from pathlib import Path

import bpy
import installed
import pytest
from addon_scenes import miss, reach, two_arms
from live_scenes import FRAMES, live_arm


def alone(rig: bpy.types.Object) -> None:
    """Make it the active object, and only that selected."""
    for thing in bpy.context.view_layer.objects:
        thing.select_set(thing == rig)
    bpy.context.view_layer.objects.active = rig


def played(*rigs: bpy.types.Object) -> list[float]:
    """How far each is off its target at worst, over all frames."""
    worst = [0.0] * len(rigs)
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        worst = [max(most, miss(rig, "b4")) for most, rig in zip(worst, rigs, strict=True)]
    return worst


@pytest.mark.parametrize("linked", [False, True])
def test_a_copy_of_a_live_figure_is_live_and_follows_the_same_target(linked: bool):
    rig = live_arm()
    alone(rig)
    bpy.ops.object.duplicate(linked=linked)
    copy = bpy.context.object
    copy.location.x += 0.3
    assert (copy.data == rig.data) == linked and copy.articulate.live
    assert max(played(rig, copy)) < 1e-3
    target = rig.articulate.effectors["b4"].target
    bpy.ops.articulate.clear(delete_targets=True)
    assert rig.articulate.effectors["b4"].target == target, "It is the other one's, too."
    copy.name, rig.name = rig.name, "Other"
    assert max(played(rig)) < 1e-3


def test_a_figure_that_another_one_is_joined_to_stays_live():
    rig = live_arm()
    other = two_arms()
    reach(other, "hand.L", (1.0, 1.0, 2.0))
    other.articulate.live = True
    alone(rig)
    other.select_set(True)
    bpy.ops.object.join()
    assert "hand.L" in rig.pose.bones and [e.name for e in rig.articulate.effectors] == ["b4"]
    assert max(played(rig)) < 1e-3 and not rig.articulate.message


def test_of_a_figure_that_is_separated_the_part_with_the_bone_goes_on():
    rig = live_arm()
    alone(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in rig.data.edit_bones:
        bone.select = bone.select_head = bone.select_tail = bone.name in ("b0", "b1")
    bpy.ops.armature.separate()
    bpy.ops.object.mode_set(mode="OBJECT")
    (part,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing != rig)
    assert [bone.name for bone in part.pose.bones] == ["b0", "b1"]
    played(rig)
    assert "Live: Effector 'b4'" in part.articulate.message and "has no bone 'b4'" in part.articulate.message
    assert "no bone" not in rig.articulate.message
    part.articulate.live = False
    rig.articulate.effectors["b4"].target.animation_data_clear()
    rig.articulate.effectors["b4"].target.location = rig.matrix_world @ rig.pose.bones["b3"].tail
    assert max(played(rig)) < 1e-3


def test_a_file_that_was_saved_without_the_extension_has_lost_nothing(tmp_path: Path):
    rig = live_arm()
    rig.articulate.solver.root = "FREE"
    rig.pose.bones["b1"].articulate.mass = 3.0
    first, second = str(tmp_path / "first.blend"), str(tmp_path / "second.blend")
    bpy.ops.wm.save_as_mainfile(filepath=first)
    installed.disable()
    try:
        bpy.ops.wm.open_mainfile(filepath=first)
        bpy.context.scene.frame_set(4)
        bpy.ops.wm.save_as_mainfile(filepath=second)
    finally:
        installed.enable()
    bpy.ops.wm.open_mainfile(filepath=second)
    rig = bpy.data.objects["Rig"]
    assert rig.articulate.live and rig.articulate.solver.root == "FREE"
    assert rig.pose.bones["b1"].articulate.mass == 3.0
    assert max(played(rig)) < 1e-3
