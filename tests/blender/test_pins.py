# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins: set where the bone is, removed, mirrored; solved like any effector."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import add, evaluated, reach, snapshot, tip, two_arms
from mathutils import Vector


def select(rig: bpy.types.Object, *names: str) -> None:
    """Pose Mode, with these bones selected."""
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in names


def pins(rig: bpy.types.Object) -> dict[str, str]:
    return {e.name: e.kind for e in rig.articulate.effectors if e.pinned and e.target is None}


@pytest.mark.parametrize("kind", ["POSITION", "ORIENTATION", "POSE"])
def test_selected_bones_are_pinned_where_they_are(kind):
    rig = two_arms()
    rig.location, rig.rotation_euler = (1, 2, 3), (0.3, 0.2, 0.1)
    rig.pose.bones["chest"].rotation_quaternion = (1, 0.2, 0.1, 0)
    select(rig, "hand.L", "hand.R")  # nothing has been updated since
    assert bpy.ops.articulate.pin(kind=kind) == {"FINISHED"}
    assert pins(rig) == {"hand.L": kind, "hand.R": kind}
    for name in pins(rig):
        effector = rig.articulate.effectors[name]
        assert np.allclose(effector.pin_location, tip(rig, name), atol=1e-5)
        shown = evaluated(rig)
        turn = (shown.matrix_world @ shown.pose.bones[name].matrix).to_quaternion()
        assert turn.rotation_difference(effector.pin_rotation.copy()).angle < 1e-3
    assert not [o for o in bpy.data.objects if o.type == "EMPTY"]
    assert bpy.ops.articulate.solve() == {"FINISHED"}


def test_a_pin_is_set_anew():
    rig = two_arms()
    bpy.ops.articulate.pin(bone="hand.L")
    rig.pose.bones["arm.L"].rotation_mode = "XYZ"
    rig.pose.bones["arm.L"].rotation_euler.x = 0.5
    bpy.ops.articulate.pin(bone="hand.L", kind="POSE")
    assert pins(rig) == {"hand.L": "POSE"}
    assert np.allclose(rig.articulate.effectors["hand.L"].pin_location, tip(rig, "hand.L"), atol=1e-5)


def test_pins_are_removed_and_targets_stay():
    rig = two_arms()
    target = reach(rig, "arm.L", (1, 0, 2))
    for bone in ("hand.L", "hand.R", "chest"):
        bpy.ops.articulate.pin(bone=bone)
    bpy.ops.articulate.unpin(bone="hand.L")
    assert set(pins(rig)) == {"hand.R", "chest"}
    bpy.ops.articulate.unpin_all()
    assert not pins(rig) and rig.articulate.effectors["arm.L"].target == target


def test_what_follows_a_target_is_not_pinned_in_the_same_way():
    rig = two_arms()
    add("hand.L")
    before = snapshot(rig)
    with pytest.raises(RuntimeError, match=r"kind Position already: .*; change that one"):
        bpy.ops.articulate.pin(bone="hand.L")
    with pytest.raises(RuntimeError, match="no bone 'tail'"):
        bpy.ops.articulate.pin(bone="tail")
    assert snapshot(rig) == before
    bpy.ops.articulate.pin(bone="hand.L", kind="ORIENTATION")
    assert pins(rig) == {"hand.L Orientation": "ORIENTATION"}


def test_pins_and_effectors_are_mirrored():
    rig = two_arms()
    bpy.ops.articulate.pin(bone="hand.L", kind="POSE")
    add("arm.L", priority=2, chain_root="arm.L").offset = (0.1, 0.0, 0.2)
    select(rig, "hand.L", "arm.L", "chest")
    assert bpy.ops.articulate.mirror() == {"FINISHED"}
    assert pins(rig) == {"hand.L": "POSE", "hand.R": "POSE"}
    assert np.allclose(rig.articulate.effectors["hand.R"].pin_location, tip(rig, "hand.R"), atol=1e-5)
    other = rig.articulate.effectors["arm.R"]
    assert (other.priority, other.chain_root, other.target.type) == (2, "arm.R", "EMPTY")
    assert np.allclose(other.offset, (-0.1, 0.0, 0.2))
    with pytest.raises(RuntimeError, match="nothing to mirror"):
        bpy.ops.articulate.mirror()
    with pytest.raises(RuntimeError, match="no effectors or pins"):
        bpy.ops.articulate.mirror(bone="root")


def test_a_mirrored_pinned_plane_is_level_too():
    rig = two_arms()
    floor = add("hand.L", "PLANE")
    floor.target, floor.pinned = None, True
    select(rig, "hand.L")
    assert bpy.ops.articulate.mirror() == {"FINISHED"}
    for effector in rig.articulate.effectors:
        assert (effector.kind, effector.pinned) == ("PLANE", True)
        assert tuple(effector.pin_rotation) == (1.0, 0.0, 0.0, 0.0), effector.name


@pytest.mark.parametrize(("left", "right"), [("mixamorig:Left", "mixamorig:Right"), ("Bip01 L ", "Bip01 R ")])
def test_sides_that_names_do_not_tell_are_told_by_how_the_figure_is_drawn(left: str, right: str):
    rig = two_arms()
    for bone in rig.data.bones:
        stem, _, side = bone.name.partition(".")
        bone.name = {"L": left, "R": right}.get(side, "") + stem
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones[f"{right}hand"].roll += 1.0  # its own axes are no mirror image
    bpy.ops.object.mode_set(mode="OBJECT")
    add(f"{left}hand", chain_root=f"{left}arm").offset = (0.1, 0.3, 0.2)
    add("chest")
    select(rig, f"{left}hand", "chest")
    assert bpy.ops.articulate.mirror() == {"FINISHED"}
    assert [effector.bone for effector in rig.articulate.effectors] == [
        f"{left}hand",
        "chest",
        f"{right}hand",
    ]
    other = rig.articulate.effectors[f"{right}hand"]
    assert other.chain_root == f"{right}arm"
    own, mirrored = (
        np.array(rig.data.bones[effector.bone].matrix_local @ Vector(effector.offset))
        for effector in (rig.articulate.effectors[f"{left}hand"], other)
    )
    assert np.allclose(mirrored, own * (-1, 1, 1), atol=1e-5)


@pytest.mark.parametrize("roll", [0.0, np.pi / 2, np.pi])
def test_an_aim_is_mirrored_to_the_axis_that_points_to_the_mirrored_side(roll: float):
    rig = two_arms()
    bpy.ops.object.mode_set(mode="EDIT")
    own, other = (rig.data.edit_bones[name] for name in ("hand.L", "hand.R"))
    other.roll = roll - own.roll
    bpy.ops.object.mode_set(mode="OBJECT")
    for axis in ("X", "-Z", "Y"):
        bpy.ops.articulate.clear(delete_targets=True)
        add("hand.L", kind="AIM", axis=axis)
        select(rig, "hand.L")
        bpy.ops.articulate.mirror()
        bpy.context.view_layer.update()
        left, right = (np.array(each.target.matrix_world.translation) for each in rig.articulate.effectors)
        assert np.allclose(right, left * (-1, 1, 1), atol=1e-5)


def test_a_hand_welded_to_the_chest_is_mirrored_as_it_is_posed():
    rig = two_arms()
    bpy.ops.articulate.effector_add(bone="hand.L", kind="LOOP", second_bone="chest", rigid=True)
    select(rig, "hand.L")
    assert bpy.ops.articulate.mirror() == {"FINISHED"}
    bpy.context.view_layer.update()
    before = np.array(rig.pose.bones["hand.R"].matrix)
    bpy.ops.articulate.solve()
    bpy.context.view_layer.update()
    assert np.allclose(rig.pose.bones["hand.R"].matrix, before, atol=1e-4)


def test_pinning_is_one_undo_step():
    two_arms()
    bpy.ops.ed.undo_push(message="set-up")
    bpy.ops.articulate.pin("EXEC_DEFAULT", True, bone="hand.L")
    bpy.ops.ed.undo()
    assert not pins(bpy.data.objects["Rig"])
    bpy.ops.ed.redo()
    assert set(pins(bpy.data.objects["Rig"])) == {"hand.L"}
