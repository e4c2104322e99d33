# SPDX-License-Identifier: GPL-3.0-or-later
"""A segment with a radius: a branch, a post, and every bone of the figure itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ...rotation import Array
from ..closest_points import closest_of_segments
from ..narrow_phase import Nearest
from ..vectors import cross, directions, dot, length, perpendicular
from .solid import Solid

_CROSSING = 1e-12  # of the lengths: below it the difference of two points has no direction left


@dataclass(frozen=True, eq=False)
class Capsule(Solid):
    """All points within a radius of a segment; a ball if both ends coincide.

    Args:
        a, b: (3,) ends of the axis, metres.
        radius: metres, above zero.
    """

    kind: ClassVar[str] = "capsule"
    label: ClassVar[str] = "Capsule"
    description: ClassVar[str] = "A rod with round ends"
    source: ClassVar[str] = "Ge 2000, A.4.3, which measures cylinders so"

    a: npt.ArrayLike
    b: npt.ArrayLike
    radius: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._vector("a")
        self._vector("b")
        self._length("radius")

    @property
    def parameters(self) -> Array:
        """(*frames, 7): both ends in the world, radius."""
        a = self._placed(self.a)
        b = self._placed(self.b)
        return np.concatenate([a, b, np.full((*self.frames, 1), self.radius)], -1)

    @property
    def bounds(self) -> tuple[Array, float]:
        """The ball around the middle."""
        rows = self.parameters
        half = np.asarray(self.b) - np.asarray(self.a)
        return 0.5 * (rows[..., :3] + rows[..., 3:6]), 0.5 * float(np.sqrt(half @ half)) + self.radius

    @staticmethod
    def segment_distance(a: Array, b: Array, parameters: Array) -> Nearest:
        """See `Solid.segment_distance`; where the axes cross, the normal is at right angles to both."""
        c, radius = parameters[:, :3], parameters[:, 6]
        d, e = b - a, parameters[:, 3:6] - c
        s, t = closest_of_segments(a, d, c, e)
        critical = a + s[:, None] * d
        difference = critical - c - t[:, None] * e
        reach = length(difference)
        least = _CROSSING * np.sqrt(dot(d, d) + dot(e, e))
        normal = directions(difference, reach, least, lambda own: _off_both(d[own], e[own]))
        distance = reach - radius
        return Nearest(distance, critical - distance[:, None] * normal, s, normal)


def _off_both(d: Array, e: Array) -> Array:
    """Unit vectors at right angles to both directions, or to the longer where they are parallel."""
    longer = np.where((dot(d, d) >= dot(e, e))[:, None], d, e)
    normal = cross(d, e)
    parallel = 1e-12 * dot(longer, longer)
    return directions(normal, length(normal), parallel, lambda own: perpendicular(longer[own]))
