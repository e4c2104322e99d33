# SPDX-License-Identifier: GPL-3.0-or-later
"""The bends of a figure's limbs: whether they have the correct direction, and limits that keep it.

The check uses plain floats, because it runs in every frame for a few limbs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import cos, radians, sin, sqrt
from typing import Final

import numpy as np

import ikmath as ik
from ikmath import rotation

from .armature import Array, Flags, Indices

Vector = Sequence[float]

POSED: Final = sin(radians(10.0))  # a larger bend in the animation defines the direction
_TINY: Final = 1e-12  # radians
_ALONG: Final = 0.95  # minimum cosine of a limb's hinge axis with a bone axis, to use the limits of that
_BACKWARDS: Final = np.radians(10.0)  # a limb that starts bent backwards by less than this counts as straight


@dataclass(frozen=True)
class LimbJoints:
    """The limbs of a figure whose bones turn freely; k of them.

    Attributes:
        upper, lower, end: (k,) joints; the end is -1 if it is not a joint.
        turns: (k, 3) indices of the lower joint's rotation coordinates.
        first: (k, 3) along the upper bone, second: along the lower one, axis: of the bend; unit vectors in
            the axes of the lower bone with zero rotation.
        least: (k,) cosine between a bend and the axis below which the bend is wrong; slight: (k,) sine of a
            bend that is too small to be wrong.
    """

    upper: Indices
    lower: Indices
    end: Indices
    turns: Indices
    first: Array
    second: Array
    axis: Array
    least: Array
    slight: Array

    def some(self, which: Flags) -> LimbJoints:
        """The limbs selected by flags (k,)."""
        return LimbJoints(*(getattr(self, column.name)[which] for column in fields(self)))

    def proper(self, q: Array) -> list[Vector]:
        """(k,) unit vectors of the bend axes, for a figure that starts from coordinates (n,).

        A limb that is clearly bent in the start keeps that axis.
        """
        found: list[Vector] = []
        for bend, axis in zip(self._bends(q), self.axis.tolist(), strict=True):
            length = sqrt(_dot(bend, bend))
            found.append([part / length for part in bend] if length > POSED else axis)
        return found

    def wrong(self, proper: Sequence[Vector], q: Array) -> list[bool]:
        """(k,) which limbs are bent the wrong way at coordinates (n,); with bend axes from `proper`."""
        found = []
        for bend, axis, (least, slight) in zip(self._bends(q), proper, self._bounds, strict=True):
            size = sqrt(_dot(bend, bend))
            found.append(size >= slight and _dot(bend, axis) < least * size)
        return found

    @cached_property
    def _ways(self) -> list[tuple[Vector, Vector]]:
        return list(zip(self.first.tolist(), self.second.tolist(), strict=True))

    @cached_property
    def _bounds(self) -> list[tuple[float, float]]:
        return list(zip(self.least.tolist(), self.slight.tolist(), strict=True))

    def _bends(self, q: Array) -> Iterator[Vector]:
        """(k,) cross products of the bones' directions; their length is the sine of the bend."""
        for (first, second), turns in zip(self._ways, q.take(self.turns).tolist(), strict=True):
            yield _cross(first, _turned(second, turns))


@dataclass(frozen=True)
class Hinges:
    """How limbs bend as hinges; k of them.

    Attributes:
        bends: (k,) index of the coordinate that bends it; across: of the one that bends it sideways.
        sides: (k,) sign of the coordinate for a correct bend.
        at_rest: (k,) radians, bend if the coordinate is 0.
        which: (k,) whether the hinge axis is a bone axis.
        own: (k, n) 1.0 for the coordinates of the limb's joints, else 0.0.
    """

    bends: Indices
    across: Indices
    sides: Array
    at_rest: Array
    which: Flags
    own: Array

    @classmethod
    def of(cls, limbs: LimbJoints, owner: Indices) -> Hinges:
        """The hinges of limbs in a figure whose coordinates belong to joints `owner` (n,)."""
        joints = np.stack([limbs.upper, limbs.lower, limbs.end], 1)
        swing, rows = limbs.axis[:, [0, 2]], np.arange(len(limbs.axis))
        best = np.abs(swing).argmax(1)
        along = swing[rows, best]
        return cls(
            bends=limbs.turns[rows, 2 * best],
            across=limbs.turns[rows, 2 - 2 * best],
            sides=np.sign(along),
            at_rest=angles_about(limbs.first, limbs.second, limbs.axis),
            which=np.abs(along) > _ALONG,
            own=(joints[:, :, None] == owner).any(1).astype(float),
        )

    def bent(self, q: Array) -> Array:
        """(k,) radians by which the limbs are bent at coordinates (n,)."""
        return np.asarray(self.at_rest + self.sides * q[self.bends])

    def limited(
        self, limbs: LimbJoints, skeleton: ik.Skeleton, q: Array, which: Flags, aside: Array | float
    ) -> ik.Skeleton:
        """The skeleton with limits that keep some limbs from bending the wrong way, for a starting pose (n,).

        A limb that starts bent the wrong way is excepted, because a knee bent backwards by hand is intended.
        Those whose hinge axis is not a bone axis are skipped. They may bend sideways by `aside`, radians.
        """
        turned = rotation.swing_twist_matrix(q[limbs.turns]) @ limbs.second[:, :, None]
        backwards = angles_about(limbs.first, turned[:, :, 0], limbs.axis) < -_BACKWARDS
        now, straight = self.sides * q[self.bends], -self.at_rest
        least = np.where(backwards, -np.inf, np.minimum(straight, now))
        most = np.where(backwards, np.maximum(straight, now), np.inf)
        rows = which & self.which
        lower, upper = skeleton.lower.copy(), skeleton.upper.copy()
        lower[self.bends[rows]] = np.where(self.sides > 0, least, -most)[rows]
        upper[self.bends[rows]] = np.where(self.sides > 0, most, -least)[rows]
        across, room = self.across[rows], np.broadcast_to(aside, rows.shape)[rows]
        lower[across] = np.minimum(-room, q[across])
        upper[across] = np.maximum(room, q[across])
        return skeleton.with_limits(lower, upper)


def angles_about(first: Array, second: Array, axis: Array) -> Array:
    """(k,) angles from first to second (k, 3) about an axis (k, 3), radians."""
    across = (np.cross(first, second) * axis).sum(-1)
    return np.asarray(np.arctan2(across, (first * second).sum(-1)))


def _turned(v: Vector, turns: Vector) -> Vector:
    """A vector rotated by a joint: twist about Y, then swing."""
    x, y, z = turns
    c, s = cos(y), sin(y)
    a, b, d = c * v[0] + s * v[2], v[1], c * v[2] - s * v[0]
    angle = sqrt(x * x + z * z)
    if angle < _TINY:
        return a, b, d
    x, z = x / angle, z / angle
    c, s = cos(angle), sin(angle)
    along = (1.0 - c) * (x * a + z * d)
    return c * a - s * z * b + along * x, c * b + s * (z * a - x * d), c * d + s * x * b + along * z


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
