# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones with a scale that is negative along two axes: a half turn that no rotation channel knows of."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import add, miss, turn_miss
from bridge_rigs import chain_rig, shake
from mathutils import Quaternion, Vector

from ikmath import rotation

FLIPS = [(-1, -1, 1), (1, -1, -1), (-1, 1, -1)]


def flipped(bone: str, flip: tuple[int, int, int]) -> bpy.types.Object:
    rig = chain_rig(4)
    shake(rig, 4, turn=0.3, move=0.0)
    rig.pose.bones[bone].scale = flip
    bpy.context.view_layer.update()
    return rig


def nudge(target: bpy.types.Object) -> None:
    target.location += Vector((0.02, -0.05, 0.03))
    target.rotation_quaternion = Quaternion((0.3, 0.8, -0.5), 0.1) @ target.rotation_quaternion


@pytest.mark.parametrize("flip", FLIPS)
@pytest.mark.parametrize("bone", ["b0", "b1", "b3"])
def test_places_and_turns_are_those_that_blender_shows(bone: str, flip: tuple[int, int, int]) -> None:
    rig = flipped(bone, flip)
    for name in ("b1", "b3"):
        nudge(add(name, "POSE").target)
    bpy.context.view_layer.update()
    bpy.ops.articulate.solve()
    for name in ("b1", "b3"):
        row = rig.articulate.report["effectors"][name]
        assert row["worst"] == pytest.approx(miss(rig, name), abs=1e-5)
        assert row["angle_worst"] == pytest.approx(turn_miss(rig, name), abs=1e-3)
        assert row["angle_worst"] < 0.15
    assert tuple(rig.pose.bones[bone].scale) == flip


OTHERS = [pytest.param(flip, marks=pytest.mark.solver) for flip in FLIPS[1:]]


@pytest.mark.parametrize("flip", [FLIPS[0], *OTHERS])
def test_limits_are_those_of_the_channels(flip: tuple[int, int, int]) -> None:
    """Wide to one side and narrow to the other, as the channels of the bone have them."""
    rig = flipped("b1", flip)
    bone = rig.pose.bones["b1"]
    bone.rotation_mode, bone.rotation_quaternion = "QUATERNION", (1.0, 0.0, 0.0, 0.0)
    for axis in "xyz":
        setattr(bone, f"use_ik_limit_{axis}", True)
        setattr(bone, f"ik_min_{axis}", -0.05)
        setattr(bone, f"ik_max_{axis}", 0.4)
    bpy.context.view_layer.update()
    target = add("b3", chain_root="b1").target
    start = np.array(target.location)
    found = []
    for step in np.random.default_rng(0).normal(size=(24, 3)):
        target.location = start + step
        bpy.context.view_layer.update()
        bpy.ops.articulate.solve()
        found.append(rotation.swing_twist_turns(np.array(bone.rotation_quaternion.to_matrix())))
    least, most = np.min(found, axis=0), np.max(found, axis=0)
    assert (least > -0.05 - 1e-4).all() and (most < 0.4 + 1e-4).all()
    assert most.min() > 0.1  # beyond what the narrow side would let it
