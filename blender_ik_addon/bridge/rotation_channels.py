# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations as channels of a bone's own rotation mode, continuous with the previous values.

A rotation has several representations: a quaternion and its negative, Euler angles plus full turns and the
second solution, an axis and its negative. Blender's conversions ignore the previous frame, and such keys make
a bone spin between frames. Here every conversion chooses the representation nearest to the previous values.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from ikmath import euler, rotation

from .armature import Array, Bones, Channels, Indices

CHANNEL_OF_MODE: Final = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
_TURN: Final = 2.0 * np.pi
_POLE: Final = 1e-6  # cosine of the middle Euler angle; below it only the sum of the outer ones is defined


def channel_of(mode: str) -> str:
    """Name of the rotation channel that a rotation mode uses."""
    return CHANNEL_OF_MODE.get(mode, "rotation_euler")


def by_mode(modes: npt.NDArray[np.str_]) -> list[tuple[str, Indices]]:
    """Each rotation mode among those of some bones (k,), and the rows of its bones."""
    return [(mode, np.flatnonzero(modes == mode)) for mode in dict.fromkeys(modes.tolist())]


def nearest_turn(angles: Array, before: Array | float) -> Array:
    """Angles plus the number of full turns that brings each nearest to `before`."""
    return angles - _TURN * np.round((angles - before) / _TURN)


def continuous_quaternions(turns: Array, before: Array) -> Array:
    """Quaternions (k, 4) with the sign nearer to `before` (k, 4)."""
    return np.where((turns * before).sum(-1, keepdims=True) < 0.0, -turns, turns)


def continuous_eulers(turns: Array, before: Array, order: str) -> Array:
    """Convert quaternions (k, 4) to the Euler angles (k, 3) nearest to `before` (k, 3).

    At the pole only the sum or the difference of the outer angles is determined; both change as little as
    possible.
    """
    i, j, k = euler.EULER_AXES[order]
    first = euler.euler_from_matrix(rotation.matrix_from_quaternion(turns), order)
    both = np.stack([first, first + np.pi])
    both[1, :, j] = np.pi - first[:, j]
    both = nearest_turn(both, before)
    steps = both - before
    nearer = np.einsum("bki,bki->bk", steps, steps).argmin(0)
    out = both[nearer, np.arange(len(nearer))]
    pole = np.abs(np.cos(first[:, j])) < _POLE
    if pole.any():
        # third @ second @ first = third(c) @ second(+-quarter) @ first(a) depends on a - s c alone, s = +-1
        s = np.sign(np.sin(first[:, j])) * (1.0 if (j - i) % 3 == 1 else -1.0)
        missing = nearest_turn(first[:, i] - s * first[:, k], before[:, i] - s * before[:, k])
        missing -= before[:, i] - s * before[:, k]
        out[pole, i] = (before[:, i] + 0.5 * missing)[pole]
        out[pole, k] = (before[:, k] - 0.5 * s * missing)[pole]
    return out


def continuous_axis_angles(turns: Array, before: Array) -> Array:
    """Convert quaternions (k, 4) to angle and unit axis (k, 4), nearest to `before` (k, 4)."""
    vector, before = rotation.vector_from_quaternion(turns), before.astype(float)
    angle = np.sqrt((vector * vector).sum(-1))
    turned = angle > 1e-6
    before_axis = before[:, 1:]
    length = np.sqrt((before_axis * before_axis).sum(-1, keepdims=True))
    fallback = np.where(length > 1e-6, before_axis / np.maximum(length, 1e-6), [0.0, 1.0, 0.0])
    axis = np.where(turned[:, None], vector / np.where(turned, angle, 1.0)[:, None], fallback)
    flip = (axis * fallback).sum(-1) < 0
    axis, angle = np.where(flip[:, None], -axis, axis), np.where(flip, -angle, angle)
    return np.concatenate([nearest_turn(angle, before[:, 0])[:, None], axis], -1)


class RotationChannels:
    """Writes rotations of the bones with some indices into channels, with modes and locks prepared once."""

    def __init__(self, bones: Bones, which: Indices) -> None:
        # for each rotation mode its name, the rows of its bones, their indices in the armature, and the
        # writable components (k, 3) or (k, 4), None for all
        self._groups: list[tuple[str, Indices, Indices, npt.NDArray[np.bool_] | None]] = []
        for mode, rows in by_mode(bones.rotation_mode[which]):
            free = writable(bones, which[rows], mode)
            self._groups.append((mode, rows, which[rows], None if free.all() else free))

    def write(self, turns: Array, before: Channels, into: Channels) -> None:
        """Write quaternions (k, 4) to unlocked components of `into`, nearest to the values in `before`."""
        for mode, rows, numbers, free in self._groups:
            name = channel_of(mode)
            previous = before[name][numbers]
            own = turns if len(rows) == len(turns) else turns.take(rows, 0)
            if mode == "QUATERNION":
                values = continuous_quaternions(own, previous)
            elif mode == "AXIS_ANGLE":
                values = continuous_axis_angles(own, previous)
            else:
                values = continuous_eulers(own, previous, mode)
            target = into[name]
            target[numbers] = values if free is None else np.where(free, values, target[numbers])


def writable(bones: Bones, numbers: Indices, mode: str) -> npt.NDArray[np.bool_]:
    """Which components of the rotation channel in a mode are not locked; (k, 3) or (k, 4).

    With `lock_rotations_4d` (the default), the locks of a quaternion or of axis and angle apply to
    components. Otherwise they apply to axes, to which all four components contribute. If all three axes are
    locked, no component is writable.
    """
    locks = bones.lock_rotation[numbers]
    if mode not in CHANNEL_OF_MODE:
        return ~locks
    every = np.repeat(locks.all(-1)[:, None], 4, 1)
    single = np.concatenate([bones.lock_rotation_w[numbers][:, None], locks], -1)
    return ~(every | (single & bones.lock_rotations_4d[numbers][:, None]))


def turn_matrices(values: Array, mode: str) -> Array:
    """Rotation matrices (..., 3, 3) from channel values (..., 3) or (..., 4) in a rotation mode."""
    if mode == "QUATERNION":
        return rotation.matrix_from_quaternion(values)
    if mode == "AXIS_ANGLE":
        axis = values[..., 1:]
        length = np.sqrt((axis * axis).sum(-1, keepdims=True))
        return rotation.exp(values[..., :1] * axis / np.where(length > 0, length, 1.0))
    return euler.matrix_from_euler(values, mode)


def basis_matrices(bones: Bones, channels: Channels, which: Indices) -> Array:
    """`matrix_basis` (..., k, 4, 4) of some bones from channels; without the location of connected bones.

    The channels are of all bones, for one moment or, with leading axes, for many.
    """
    scale = channels["scale"][..., which, None, :]
    turns = np.empty((*scale.shape[:-2], 3, 3))
    for mode, rows in by_mode(bones.rotation_mode[which]):
        values = channels[channel_of(mode)][..., which[rows], :]
        turns[..., rows, :, :] = turn_matrices(values.astype(float), mode)
    out = np.zeros((*turns.shape[:-2], 4, 4))
    out[..., :3, :3] = turns * scale
    out[..., :3, 3] = channels["location"][..., which, :] * ~bones.connected[which, None]
    out[..., 3, 3] = 1.0
    return out
