# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations in every rotation mode: the right ones, and next to the values of the frame before."""

from __future__ import annotations

import numpy as np
import pytest
from bridge_rigs import MODES, chain_rig
from installed import module

from ikmath import rotation
from ikmath.euler import matrix_from_euler

armature = module("bridge.armature")
channels = module("bridge.rotation_channels")
ORDERS = MODES[2:]
# Seeded loops, not hypothesis: what hypothesis keeps of a test keeps `bpy` alive past the interpreter's end,
# and Blender 4.5 then never ends.
MANY = 200


def angles(rng: np.random.Generator) -> np.ndarray:
    """Three angles, up to almost three turns apart."""
    return rng.uniform(-9.0, 9.0, 3)


def small(rng: np.random.Generator) -> np.ndarray:
    """A little step of three angles, now and then none."""
    return rng.uniform(-0.1, 0.1, 3) * (rng.random() < 0.9)


def quaternion(euler: np.ndarray, order: str) -> np.ndarray:
    return rotation.quaternion_from_matrix(matrix_from_euler(euler, order))[None]


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_stay_where_they_were(order: str) -> None:
    """Angles beyond a turn, and on the branch beyond the pole, are found again after a little move."""
    rng = np.random.default_rng(1)
    for _ in range(MANY):
        before = angles(rng)
        after = before + small(rng)
        if abs(np.cos(after["XYZ".index(order[1])])) < 0.15:
            continue  # next to the pole both branches are near: the next test
        found = channels.continuous_eulers(quaternion(after, order), before[None], order)[0]
        assert np.abs(found - after).max() < 1e-7


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_at_the_pole_the_outer_angles_share_the_way(order: str, side: float) -> None:
    i, j, k = ("XYZ".index(letter) for letter in order)
    rng = np.random.default_rng(2)
    for _ in range(MANY):
        before = angles(rng)
        before[j] = side * np.pi / 2
        after = before.copy()
        after[i] += 0.06
        after[k] += 0.02
        found = channels.continuous_eulers(quaternion(after, order), before[None], order)[0]
        turned = matrix_from_euler(found, order)
        assert np.abs(turned - matrix_from_euler(after, order)).max() < 1e-6
        assert np.abs(found - before).max() < 0.0401  # 0.04 = the share of either, at most


@pytest.mark.parametrize("order", ORDERS)
def test_a_bone_that_swings_through_the_pole_does_not_jump(order: str) -> None:
    j = "XYZ".index(order[1])
    path = np.zeros((200, 3))
    path[:, j] = np.linspace(-4.0, 4.0, 200)
    path[:, (j + 1) % 3] = 0.3
    before = path[:1]
    for angles in path:
        found = channels.continuous_eulers(quaternion(angles, order), before, order)
        assert np.abs(found - before).max() < 0.06
        assert np.abs(found - angles).max() < 1e-6
        before = found


def test_quaternions_keep_their_sign() -> None:
    rng = np.random.default_rng(3)
    for _ in range(MANY):
        q, before = (rotation.quaternion_from_vector(angles(rng))[None] for _ in range(2))
        for sign in (1, -1):
            found = channels.continuous_quaternions(sign * q, before)
            assert (found * before).sum() >= -1e-15
            assert np.allclose(np.abs(found), np.abs(q))


def test_axis_and_angle_stay_where_they_were() -> None:
    rng = np.random.default_rng(4)
    for _ in range(MANY):
        angle, axis, step = rng.uniform(-20, 20), rng.normal(size=3), small(rng)
        if abs(np.sin(angle / 2)) < 0.1:
            continue  # next to no turn at all the axis is hardly known
        axis = axis / np.linalg.norm(axis)
        before = np.array([[angle, *axis]])
        moved = axis + 0.1 * step
        after = np.array([angle + step[0], *(moved / np.linalg.norm(moved))])
        q = rotation.quaternion_from_vector(after[0] * after[1:])[None]
        found = channels.continuous_axis_angles(q, before)[0]
        assert np.abs(found - after).max() < 1e-6


def test_axis_and_angle_of_no_turn_keep_the_axis() -> None:
    before = np.array([[2 * np.pi + 0.1, 0.6, 0.0, 0.8], [0.0, 0.0, 0.0, 0.0]])
    still = np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))
    found = channels.continuous_axis_angles(still, before)
    assert np.allclose(found, [[2 * np.pi, 0.6, 0, 0.8], [0, 0, 1, 0]])


@pytest.mark.parametrize("mode", MODES)
def test_as_blender_reads_them(mode: str) -> None:
    rig = chain_rig(40, length=0.1)
    for bone in rig.pose.bones:
        bone.rotation_mode = mode
    bones = armature.read_bones(rig)
    rng = np.random.default_rng(2)
    q = rng.normal(size=(40, 4))
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    writer = channels.RotationChannels(bones, np.arange(40))
    out = armature.read_channels(rig)
    before = out.copy()
    writer.write(q, before, out)
    for name in armature.CHANNEL_WIDTHS:
        rig.pose.bones.foreach_set(name, out[name].ravel())
        if name != channels.channel_of(mode):
            assert np.array_equal(out[name], before[name])
    shown = np.array([np.array(bone.matrix_basis)[:3, :3] for bone in rig.pose.bones])
    assert np.abs(shown - rotation.matrix_from_quaternion(q)).max() < 2e-6


@pytest.mark.parametrize("mode", MODES)
def test_locked_components(mode: str) -> None:
    rig = chain_rig(4)
    _free, some, every, axes = rig.pose.bones
    for bone in rig.pose.bones:
        bone.rotation_mode = mode
    some.lock_rotation = (True, False, False)
    every.lock_rotation = (True, True, True)
    axes.lock_rotation, axes.lock_rotations_4d = (True, True, False), False
    bones = armature.read_bones(rig)
    may = [channels.writable(bones, np.array([i]), mode)[0].tolist() for i in range(4)]
    if mode in ("QUATERNION", "AXIS_ANGLE"):
        assert may == [[True] * 4, [True, False, True, True], [False] * 4, [True] * 4]
    else:
        assert may == [[True] * 3, [False, True, True], [False] * 3, [False, False, True]]
