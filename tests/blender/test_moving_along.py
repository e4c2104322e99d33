# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs that move along with bones that have effectors: legs below hips that tilt, a shin below a knee."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import evaluated, place, solve_by, tip
from bridge_rigs import metarig

plan = installed.module("control.frame.plan")
LEGS = {f"{bone}.{side}" for bone in ("thigh", "shin", "foot") for side in "LR"}


def moving(rig: bpy.types.Object) -> set[str]:
    """Names of the bones that may move."""
    return set(plan.read_plan(rig, bpy.context).solved)


@pytest.mark.parametrize("way", ["solve", "live", "bake"])
@pytest.mark.parametrize("to", [(-0.4, -0.5, -0.75), (-0.5, -1.2, 0.0)])
def test_feet_stay_nearly_where_they_are_below_hips_that_tilt(way: str, to: tuple):
    rig = metarig()
    before = [tip(rig, f"foot.{side}") for side in "LR"]
    place(rig, "hand.L", to)
    solve_by(rig, way)
    tilt = evaluated(rig).pose.bones["spine"].matrix.to_quaternion().angle
    tilt -= rig.data.bones["spine"].matrix_local.to_quaternion().angle
    assert abs(np.degrees(tilt)) > 15.0
    for side, was in zip("LR", before, strict=True):
        assert np.linalg.norm(tip(rig, f"foot.{side}") - was) < 0.12


@pytest.mark.parametrize("way", ["solve", "live", "bake"])
def test_a_shin_hangs_from_a_raised_knee(way: str):
    rig = metarig()
    bpy.ops.articulate.pin(bone="foot.R", kind="POSE")
    place(rig, "thigh.L", (0.0, -0.4, 0.35))
    solve_by(rig, way)
    knee, ankle = tip(rig, "thigh.L"), tip(rig, "shin.L")
    down = (knee - ankle)[2] / np.linalg.norm(knee - ankle)
    assert down > np.cos(np.radians(40.0))


def test_an_arm_that_does_not_reach_keeps_its_pose():
    rig = metarig()
    place(rig, "hand.L", (-0.4, -0.5, -0.75))
    assert moving(rig) >= LEGS
    assert not any(bone.endswith(".R") for bone in moving(rig) - LEGS)


def test_a_limb_with_constraints_is_left_to_them():
    rig = metarig()
    rig.pose.bones["shin.R"].constraints.new("IK").chain_count = 2
    place(rig, "hand.L", (-0.4, -0.5, -0.75))
    assert {"thigh.L", "shin.L"} <= moving(rig)
    assert moving(rig).isdisjoint({"thigh.R", "shin.R", "foot.R"})


def test_only_the_posture_objective_moves_limbs_along():
    rig = metarig()
    place(rig, "hand.L", (-0.4, -0.5, -0.75))
    rig.articulate.solver.effort = "EVEN"
    assert moving(rig).isdisjoint(LEGS)


def test_a_chain_keeps_the_legs_out():
    rig = metarig()
    place(rig, "hand.L", (-0.1, -0.1, 0.1), chain_root="shoulder.L")
    assert moving(rig).isdisjoint(LEGS)
