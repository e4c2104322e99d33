# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading bones, and forward kinematics against `pose_bone.matrix` for every inheritance flag."""

from __future__ import annotations

import itertools

import bpy
import numpy as np
import pytest
from bridge_rigs import (
    INHERIT_SCALE,
    any_flags,
    chain_rig,
    evaluated,
    metarig,
    pose_matrices,
    shake,
    tree_rig,
)
from installed import module

armature = module("bridge.armature")
inheritance = module("bridge.inheritance")
rotation_channels = module("bridge.rotation_channels")
refusal = module("properties.refusal")

# Blender computes in single precision; the poses below reach some ten units away from the origin.
SINGLE = 3e-6


def forward(bones, basis: np.ndarray) -> np.ndarray:
    return inheritance.forward(bones, basis, np.zeros_like(basis), np.arange(len(bones)))


def error_of_forward(rig: bpy.types.Object) -> float:
    bones = armature.read_bones(rig)
    state = armature.read_state(evaluated(rig), bones)
    basis = rotation_channels.basis_matrices(bones, state.channels, np.arange(len(bones)))
    assert np.abs(basis - state.basis).max() < SINGLE * max(1.0, np.abs(basis).max())
    found, shown = forward(bones, basis), pose_matrices(rig)
    assert np.array_equal(state.matrix.astype(float), shown)
    return float(np.abs(found - shown).max() / max(1.0, np.abs(shown).max()))


@pytest.mark.parametrize("kind", ["human", "basic"])
@pytest.mark.parametrize("scale", ["NONE", "UNIFORM", "FREE"])
def test_forward_on_metarigs(kind: str, scale: str) -> None:
    rig = metarig(kind)
    shake(rig, 1, scale=scale, turn=0.7)
    assert error_of_forward(rig) < SINGLE


@pytest.mark.parametrize(
    ("inherit_scale", "inherit_rotation", "local_location"),
    list(itertools.product(INHERIT_SCALE, (True, False), (True, False))),
)
@pytest.mark.parametrize("scale", ["NONE", "FREE"])
def test_forward_with_every_flag(
    inherit_scale: str, inherit_rotation: bool, local_location: bool, scale: str
) -> None:
    flags = {
        "inherit_scale": inherit_scale,
        "use_inherit_rotation": inherit_rotation,
        "use_local_location": local_location,
    }
    rig = tree_rig(3, 16, lambda _rng: flags)
    shake(rig, 2, scale=scale)
    assert error_of_forward(rig) < SINGLE


@pytest.mark.parametrize("seed", range(8))
def test_forward_with_mixed_flags(seed: int) -> None:
    rig = tree_rig(seed, 24, any_flags)
    shake(rig, seed + 50, scale="FREE")
    assert error_of_forward(rig) < SINGLE


def test_forward_of_some_bones_keeps_the_others() -> None:
    rig = tree_rig(5, 20, any_flags)
    shake(rig, 6, scale="FREE")
    bones = armature.read_bones(rig)
    before = armature.read_state(evaluated(rig), bones)
    which = np.array(bones.ancestors("b19"))
    for number in which.tolist():
        rig.pose.bones[bones.names[number]].location.x += 0.5
    after = armature.read_state(evaluated(rig), bones)
    basis = rotation_channels.basis_matrices(bones, after.channels, np.arange(len(bones)))
    found = inheritance.forward(bones, basis, before.matrix, which)
    assert np.abs(found[which] - after.matrix[which]).max() < 1e-5
    others = np.setdiff1d(np.arange(len(bones)), which)
    assert np.array_equal(found[others], before.matrix[others].astype(float))


def test_a_pose_that_has_not_changed_is_the_one_before() -> None:
    rig = tree_rig(5, 20, any_flags)
    shake(rig, 6)
    bones = armature.read_bones(rig)
    before = armature.read_state(evaluated(rig), bones)
    assert armature.read_state(evaluated(rig), bones, before) is before
    limit = rig.pose.bones["b3"].constraints.new("LIMIT_ROTATION")
    limit.use_limit_x = True  # moves bones, and none of their channels
    held = armature.read_state(evaluated(rig), bones, before)
    assert held is not before and held.digest != before.digest
    fresh = armature.read_state(evaluated(rig), bones)
    assert np.array_equal(held.matrix, fresh.matrix) and np.array_equal(held.basis, fresh.basis)
    assert held.digest == fresh.digest
    rig.pose.bones["b3"].constraints.remove(limit)
    rig.pose.bones["b4"].location.x += 0.5
    moved = armature.read_state(evaluated(rig), bones, before)
    assert moved.channels.tobytes() != before.channels.tobytes() and moved.digest != before.digest
    assert np.array_equal(moved.matrix, armature.read_state(evaluated(rig), bones).matrix)


def test_bones_are_read_as_they_are() -> None:
    rig = tree_rig(7, 12, any_flags)
    bone = rig.pose.bones["b3"]
    bone.lock_ik_y = bone.use_ik_limit_x = bone.lock_rotations_4d = bone.lock_rotation_w = True
    bone.ik_min_x, bone.ik_max_x, bone.ik_stiffness_z = -0.25, 0.5, 0.75
    bone.lock_location, bone.lock_rotation = (True, False, True), (False, False, True)
    bone.rotation_mode = "ZYX"
    bones = armature.read_bones(rig)
    i = bones.number("b3")
    assert bones.lock_ik[i].tolist() == [False, True, False]
    assert bones.use_ik_limit[i].tolist() == [True, False, False]
    assert (bones.ik_min[i, 0], bones.ik_max[i, 0], bones.ik_stiffness[i, 2]) == (-0.25, 0.5, 0.75)
    assert bones.lock_location[i].tolist() == [True, False, True]
    assert bones.lock_rotation[i].tolist() == [False, False, True]
    assert bones.lock_rotations_4d[i] and bones.lock_rotation_w[i]
    assert bones.rotation_mode[i] == "ZYX"
    for j, pose_bone in enumerate(rig.pose.bones):
        bone = pose_bone.bone
        assert bones.names[j] == bone.name
        assert bones.parents[j] == (bones.index[bone.parent.name] if bone.parent else -1)
        assert np.array_equal(bones.rest[j], np.array(bone.matrix_local))
        assert bones.inherit_scale[j] == bone.inherit_scale
        assert bones.inherit_rotation[j] == bone.use_inherit_rotation
        assert bones.local_location[j] == bone.use_local_location
        assert bones.length[j] == pytest.approx(bone.length, rel=1e-6)
    assert bones.names[bones.ancestors("b3")[0]] == "b3"


def test_a_snapshot_is_given_back_to_the_last_bit() -> None:
    rig = tree_rig(8, 20, any_flags)
    shake(rig, 9, scale="FREE")
    before = armature.read_channels(rig)
    matrices = pose_matrices(rig)
    shake(rig, 10, scale="FREE", modes=[str(b.rotation_mode) for b in rig.pose.bones][:1])
    for bone, mode in zip(rig.pose.bones, armature.read_bones(rig).rotation_mode, strict=True):
        bone.rotation_mode = str(mode)
    assert np.abs(pose_matrices(rig) - matrices).max() > 0.1
    armature.write_channels(rig, before)
    after = armature.read_channels(rig)
    for name in armature.CHANNEL_WIDTHS:
        assert np.array_equal(before[name], after[name])


def test_written_channels_are_shown_after_an_update() -> None:
    rig = chain_rig(3)
    channels = armature.read_channels(rig).copy()
    channels["rotation_quaternion"][1] = (np.cos(0.4), np.sin(0.4), 0, 0)
    armature.write_channels(rig, channels)
    bones = armature.read_bones(rig)
    expected = forward(bones, rotation_channels.basis_matrices(bones, channels, np.arange(3)))
    assert np.abs(pose_matrices(rig) - expected).max() < SINGLE


def test_wrong_objects_and_names_are_named() -> None:
    empty = bpy.data.objects.new("Some Empty", None)
    with pytest.raises(refusal.Refused, match="'Some Empty' is not an armature"):
        armature.read_bones(empty)
    with pytest.raises(refusal.Refused, match="is not an armature"):
        armature.read_bones(None)
    rig = chain_rig(2)
    bones = armature.read_bones(rig)
    with pytest.raises(refusal.Refused, match="Bone 'hand' does not exist in armature 'Rig'"):
        bones.number("hand")
    other = chain_rig(3)
    with pytest.raises(refusal.Refused, match="have changed in the meantime"):
        armature.read_state(other, bones)
    with pytest.raises(refusal.Refused, match="have changed in the meantime"):
        armature.write_channels(other, armature.read_channels(rig))


def test_an_armature_without_bones() -> None:
    rig = bpy.data.objects.new("Bare", bpy.data.armatures.new("Bare"))
    bpy.context.collection.objects.link(rig)
    with pytest.raises(refusal.Refused, match="'Bare'"):
        armature.read_bones(rig)
