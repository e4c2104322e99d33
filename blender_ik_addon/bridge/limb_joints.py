# SPDX-License-Identifier: GPL-3.0-or-later
"""The bends of a figure's limbs, and whether they have the correct direction.

Uses plain floats, because it runs in every frame for a few limbs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import cos, radians, sin, sqrt
from typing import Final

from .armature import Array, Flags, Indices

Vector = Sequence[float]

POSED: Final = sin(radians(10.0))  # a larger bend in the animation defines the direction
_TINY: Final = 1e-12  # radians


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
        """(k,) which limbs are bent the wrong way.

        Args:
            proper: from `proper`; q: (n,) coordinates.
        """
        found = []
        for bend, axis, (least, slight) in zip(self._bends(q), proper, self._bounds, strict=True):
            size = sqrt(_dot(bend, bend))
            found.append(size >= slight and _dot(bend, axis) < least * size)
        return found

    def bent(self, q: Array) -> list[bool]:
        """(k,) whether each limb is bent enough at coordinates (n,) to show its direction."""
        return [
            _dot(bend, bend) >= slight * slight
            for bend, (_, slight) in zip(self._bends(q), self._bounds, strict=True)
        ]

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
