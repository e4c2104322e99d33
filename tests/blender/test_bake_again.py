# SPDX-License-Identifier: GPL-3.0-or-later
"""Baking again: what an earlier bake made is written over, what a person made is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import animate, arm, curves, miss, reach


@pytest.fixture
def rig() -> bpy.types.Object:
    """A chain with a key of a person's, whose tip follows a target."""
    rig = arm()
    animate(reach(rig, "b3", (1.5, 0.5, 2.0)), {1: (1.5, 0.5, 2.0), 8: (0, 1.5, 2)})
    rig.pose.bones["b0"].keyframe_insert("location", frame=3)
    return rig


def bake() -> None:
    assert bpy.ops.articulate.bake(frame_start=1, frame_end=8) == {"FINISHED"}


def test_five_bakes_leave_one_action_beside_the_persons(rig):
    mine = rig.animation_data.action
    before = curves(rig)
    for number in range(5):
        rig.articulate.effectors["b3"].target.animation_data_clear()
        animate(rig.articulate.effectors["b3"].target, {1: (1.5, 0.5, 2.0), 8: (0, 1.0 + 0.1 * number, 2)})
        bake()
        bpy.context.scene.frame_set(8)
        assert miss(rig, "b3") < 1e-3
    baked = rig.animation_data.action
    targets = {o.animation_data.action for o in bpy.data.objects if o.type == "EMPTY" and o.animation_data}
    assert {action for action in bpy.data.actions if action.users} - targets == {mine, baked}
    assert mine.use_fake_user and not baked.use_fake_user
    installed.module("compat").play(
        rig.animation_data, mine, mine.slots[0].identifier if hasattr(mine, "slots") else ""
    )
    assert curves(rig) == before


def test_also_after_saving_and_with_keys_on_settings(rig, tmp_path: Path):
    for number in range(3):
        bake()
        rig.articulate.effectors["b3"].keyframe_insert("influence", frame=number)
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
        rig = bpy.data.objects["Rig"]
        bpy.context.view_layer.objects.active = rig
    rigs = [action.name for action in bpy.data.actions if action.name.startswith("RigAction")]
    assert rigs == ["RigAction", "RigAction.001"]
    keys = curves(rig)["articulate.effectors[0].influence", 0]
    assert [frame for frame, _ in keys] == [0, 1, 2]


def edit_key(rig: bpy.types.Object) -> None:
    bag = installed.module("compat").find_bag(rig)
    bag.fcurves.find('pose.bones["b1"].rotation_quaternion', index=0).keyframe_points[2].co.y += 0.1


def add_key(rig: bpy.types.Object) -> None:
    rig.pose.bones["b2"].keyframe_insert("scale", frame=4)


def keep(rig: bpy.types.Object) -> None:
    rig.animation_data.action.use_fake_user = True


def rename(rig: bpy.types.Object) -> None:
    rig.animation_data.action.name = "Take 2"


def duplicate(rig: bpy.types.Object) -> None:
    copy = rig.animation_data.action.copy()
    installed.module("compat").play(
        rig.animation_data, copy, installed.module("compat").played_slot(rig.animation_data)
    )


def lock(rig: bpy.types.Object) -> None:
    installed.module("compat").find_bag(rig).fcurves[0].lock = True


def use_elsewhere(rig: bpy.types.Object) -> None:
    twin = rig.copy()
    bpy.context.scene.collection.objects.link(twin)
    twin.articulate.live = False


@pytest.mark.parametrize("change", [edit_key, add_key, keep, rename, duplicate, lock, use_elsewhere])
def test_what_a_person_made_of_a_bake_is_kept(rig, change: Callable[[bpy.types.Object], None]):
    bake()
    change(rig)
    theirs, there = rig.animation_data.action, curves(rig)
    name = theirs.name
    rig.articulate.effectors["b3"].target.animation_data_clear()
    rig.articulate.effectors["b3"].target.location = (0.5, 1.0, 2.0)
    bake()
    assert rig.animation_data.action != theirs and theirs.name == name and theirs.users > 0
    assert curves(rig) != there
    installed.module("compat").play(
        rig.animation_data, theirs, theirs.slots[0].identifier if hasattr(theirs, "slots") else ""
    )
    assert curves(rig) == there


def test_undo_and_a_backup_give_the_earlier_bake_back(rig):
    bake()
    first = curves(rig)
    bpy.ops.ed.undo_push(message="Baked")
    rig.articulate.effectors["b3"].target.animation_data_clear()
    rig.articulate.effectors["b3"].target.location = (0.5, 1.0, 2.0)
    bpy.ops.ed.undo_push(message="Moved")
    bpy.ops.articulate.bake("EXEC_DEFAULT", True, frame_start=1, frame_end=8)
    assert curves(rig) != first
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    assert curves(rig) == first
    own = installed.module("bridge.action")
    assert own.is_own_bake(rig)
    baked = installed.module("bridge.curves").Curve(
        "b1", "location", 0, np.array([1.0, 2.0]), np.array([0.0, 1.0])
    )
    backup = installed.module("bridge.action").write_keys(rig, [baked], new_action=True)
    assert curves(rig) != first
    backup.close()
    assert curves(rig) == first and own.is_own_bake(rig)
