# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs with every flag, lock and mode at random: what a solve reports is what Blender alone measures."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import add, miss
from bridge_rigs import any_flags, chain_rig, shake, tree_rig

SLOW = (10, 12)  # far out of reach
SEEDS = [pytest.param(seed, marks=pytest.mark.solver) if seed in SLOW else seed for seed in range(16)]
CHANNELS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")


def odd_rig(rng: np.random.Generator, seed: int) -> bpy.types.Object:
    """A tree whose bones have locks of every sort, IK limits and stiffness, on an object that is anywhere."""
    rig = tree_rig(seed, int(rng.integers(3, 12)), any_flags)
    shake(rig, seed, turn=float(rng.choice([0.0, 0.5, 2.0])), scale=str(rng.choice(["NONE", "UNIFORM"])))
    for bone in rig.pose.bones:
        if rng.random() < 0.5:
            bone.lock_rotation = (rng.random(3) < 0.4).tolist()
        bone.lock_rotation_w = bool(rng.random() < 0.3)
        bone.lock_rotations_4d = bool(rng.random() < 0.7)
        for axis in "xyz":
            setattr(bone, f"lock_ik_{axis}", bool(rng.random() < 0.2))
            setattr(bone, f"ik_stiffness_{axis}", float(rng.choice([0.0, 0.9], p=[0.8, 0.2])))
            if rng.random() < 0.2:
                setattr(bone, f"use_ik_limit_{axis}", True)
                setattr(bone, f"ik_min_{axis}", -rng.uniform(0.0, 2.0))
                setattr(bone, f"ik_max_{axis}", rng.uniform(0.0, 2.0))
    rig.scale = (float(rng.choice([0.01, 1.0, 100.0])),) * 3
    rig.location, rig.rotation_euler = rng.normal(size=3), rng.normal(size=3)
    rig.articulate.solver.root = str(rng.choice(["PINNED", "FREE"]))
    bpy.context.view_layer.update()
    return rig


def locked(bone: bpy.types.PoseBone) -> list[tuple[str, int]]:
    """The components that nobody may write."""
    locks = (bone.lock_rotation_w, *bone.lock_rotation)
    if bone.rotation_mode in ("QUATERNION", "AXIS_ANGLE"):
        channel = f"rotation_{bone.rotation_mode.lower()}"
        return [(channel, i) for i in range(4) if bone.lock_rotations_4d and locks[i]]
    return [("rotation_euler", i) for i in range(3) if bone.lock_rotation[i]]


def held(rig: bpy.types.Object) -> dict[tuple[str, str, int], float]:
    return {
        (bone.name, channel, index): getattr(bone, channel)[index]
        for bone in rig.pose.bones
        for channel, index in locked(bone)
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_reported_is_what_blender_shows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rig = odd_rig(rng, seed)
    size = 3.0 * rig.scale[0]
    for name in rng.choice([bone.name for bone in rig.pose.bones], size=2, replace=False).tolist():
        target = add(name).target
        target.location = np.array(target.location) + size * 0.3 * rng.normal(size=3)
    before = held(rig)
    try:
        bpy.ops.articulate.solve()
    except RuntimeError as error:
        assert "cannot turn about any axis" in str(error)
        return
    assert held(rig) == before
    for effector in rig.articulate.effectors:
        reported = rig.articulate.report["effectors"][effector.name]["worst"]
        assert reported == pytest.approx(miss(rig, effector.name), abs=1e-4 * size)


def test_a_lock_for_rotation_beside_one_for_ik() -> None:
    """The axis that is put to zero turns the others in Blender, as the locked angles go on being applied."""
    rig = chain_rig(3)
    shake(rig, 2, turn=0.7, move=0.0, modes=["ZYX"])
    bone = rig.pose.bones["b1"]
    bone.lock_rotation, bone.lock_ik_z = (True, True, False), True
    target = add("b2").target
    target.location = (0.5, 0.7, 1.5)
    bpy.ops.articulate.solve()
    assert abs(bone.rotation_euler[2]) < 1e-7
    reported = rig.articulate.report["effectors"]["b2"]["worst"]
    assert reported == pytest.approx(miss(rig, "b2"), abs=1e-5)
    assert reported < 1e-3


@pytest.mark.solver
@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE"])
def test_a_bone_alone_that_cannot_quite_turn(mode: str) -> None:
    """One joint has no extent of its own; its locked component makes a first answer wrong."""
    rig = chain_rig(1)
    shake(rig, 3, turn=0.7, move=0.0, modes=[mode])
    bone = rig.pose.bones["b0"]
    bone.lock_rotation_w = bone.lock_ik_z = True
    add("b0", "POSE").target.location = (0.4, 0.3, 0.6)
    add("b0", "AIM").target.location = (0.4, 0.3, 0.6)
    bpy.ops.articulate.solve()
    reported = rig.articulate.report["effectors"]["b0"]["worst"]
    assert reported == pytest.approx(miss(rig, "b0"), abs=1e-5)


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_single_components_that_are_locked_keep_nobody_from_the_target(mode: str, axis: int) -> None:
    """Rigid joints only nearly describe such a bone; what Blender lacks of it is asked for again."""
    reached = 0
    for seed in range(6):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        rng = np.random.default_rng(seed)
        rig = chain_rig(4)
        shake(rig, seed, turn=0.3, move=0.0, modes=[mode])
        bone = rig.pose.bones["b1"]
        bone.lock_rotation[axis] = True
        target = add("b3").target
        target.location = 0.8 * np.array(target.location) + 0.3 * rng.normal(size=3)
        bpy.ops.articulate.solve()
        assert miss(rig, "b3") < 3e-3
        reached += rig.articulate.report["status"] == "REACHED"
    assert reached >= 4
