# SPDX-License-Identifier: GPL-3.0-or-later
"""Elbows and knees that bend about no axis of their bones, as those of captured and imported figures."""

from __future__ import annotations

import bpy
import drag_ways
import numpy as np
import pytest
from bridge_rigs import map_of
from installed import module
from mathutils import Matrix
from test_limbs import off

pytestmark = pytest.mark.solver

drag = module("control.drag.drag")
BONES = ("LeftArm", "LeftForeArm", "LeftHand")


def figure(roll: float) -> bpy.types.Object:
    """A person whose forearm has its axes turned about the bone; roll in degrees."""
    rig = drag_ways.figure("t_pose")
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["LeftForeArm"].roll += np.radians(roll)
    bpy.ops.object.mode_set(mode="POSE")
    return rig


def solved(roll: float, turn: float, share: float) -> tuple[float, list[np.ndarray]]:
    """How far the elbow is off its hinge, and the arm's joints, with the hand turned and led inwards.

    Args:
        roll: see `figure`; turn: degrees of the hand about the forearm; share: of the arm's length.
    """
    rig = figure(roll)
    arm, hand = rig.pose.bones["LeftArm"], rig.pose.bones["LeftHand"]
    bpy.ops.articulate.effector_add(bone="LeftHand", kind="POSE")
    target = rig.articulate.effectors[0].target
    way = hand.head - arm.head
    place = rig.matrix_world @ Matrix.Translation(arm.head + share * way)
    about = Matrix.Rotation(np.radians(turn), 4, way)
    lift = Matrix.Translation((0.0, hand.length, 0.0))
    target.matrix_world = place @ about @ hand.matrix.to_3x3().to_4x4() @ lift
    bpy.context.view_layer.update()
    bpy.ops.articulate.solve()
    bpy.context.view_layer.update()
    bones = module("bridge.armature").read_bones(rig)
    limbs = module("bridge.limbs").find_limbs(bones, map_of(rig, bones).kinds)
    limb = next(one for one in limbs if bones.names[one.lower] == "LeftForeArm")
    pose = {name: np.array(rig.pose.bones[name].matrix.to_3x3()) for name in BONES}
    heads = [np.array(rig.pose.bones[name].head) for name in BONES]
    return off(pose, "LeftArm", "LeftForeArm", limb), heads


@pytest.mark.parametrize(("turn", "share"), [(90, 0.98), (135, 0.98), (180, 0.98), (180, 0.9)])
def test_an_elbow_bends_alike_whatever_its_bones_axes(turn: float, share: float) -> None:
    """Where the hinge is no axis of the bone there was no limit, and elbows bent backwards."""
    (plain, places), (skew, others) = (solved(roll, turn, share) for roll in (0.0, 35.0))
    size = float(np.ptp(places, axis=0).max())
    assert max(plain, skew) < 20.0
    assert np.abs(np.array(places) - others).max() < 1e-3 * size


def test_a_drag_bends_alike_whatever_its_bones_axes() -> None:
    ends = []
    for roll in (0.0, 35.0):
        felt = drag_ways.lead(drag, figure(roll), "LeftHand", (-0.25, -0.12, 0.1), 0.02)
        ends.append([felt.poses[-1][name][:, 1] for name in ("LeftArm", "LeftForeArm", "LeftHand")])
    assert np.abs(np.subtract(*ends)).max() < 1e-3
