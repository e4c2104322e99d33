# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes that are described by a few numbers, with a formula that works on many of them at once."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from ...rotation import Array
from ..closest_points import closest_of_segments
from ..narrow_phase import Nearest, RowGroup, ShapeGroup
from ..vectors import ONES, TINY, directions, dot, length, off_both
from .shape import Shape

_CROSSING: Final = 1e-12  # of the lengths: below it the difference of two points has no direction left


class Solid(Shape):
    """Base of the shapes that are given by a formula."""

    @property
    @abstractmethod
    def parameters(self) -> Array:
        """(*frames, m) all numbers of the shape in one row, in the world."""

    def _row(self, *parts: npt.ArrayLike) -> Array:
        """(*frames, m) numbers side by side; those without frames are the same in all of them."""
        if self.frames:
            parts = tuple(np.broadcast_to(part, (*self.frames, np.shape(part)[-1])) for part in parts)
        return np.concatenate(parts, -1)

    @staticmethod
    @abstractmethod
    def segment_distance(a: Array, b: Array, parameters: Array) -> Nearest:
        """The nearest or deepest points of segments a-b (P, 3) to shapes (P, m), row by row."""

    @classmethod
    def group(cls, shapes: Sequence[Self], frames: tuple[int, ...]) -> ShapeGroup:
        rows = [shape.parameters for shape in shapes]
        table = np.stack([np.broadcast_to(row, (*frames, row.shape[-1])) for row in rows], -2)
        return RowGroup(cls.segment_distance, table.reshape(-1, table.shape[-1]), len(rows))


def rod_distance(a: Array, b: Array, parameters: Array) -> Nearest:
    """`Solid.segment_distance` of rods with round ends, also without length; (P, 7) both ends, the radius.

    Where the axes cross, the normal is at right angles to both.
    """
    c, radius = parameters[:, :3], parameters[:, 6]
    d, e = b - a, parameters[:, 3:6] - c
    s, t = closest_of_segments(a, d, c, e)
    critical = a + s[:, None] * d
    difference = critical - c - t[:, None] * e
    reach = length(difference)
    least = _CROSSING * np.sqrt(dot(d, d) + dot(e, e))
    normal = directions(difference, reach, least, lambda own: off_both(d[own], e[own]))
    distance = reach - radius
    return Nearest(distance, critical - distance[:, None] * normal, s, normal)


def lowest_in_regions(start: Array, along: Array, half: Array, sides: Array, counted: Array) -> Array:
    """(P, K) parameters of segments at which the distance from a box is least, region by region.

    The planes of a box's faces cut space into regions. In each of them the squared distance is a parabola
    along the segment; where it does not change, the middle is as good as any place.

    Args:
        start, along: (P, 3) of segments, in the box's axes; half: (P, 3) half lengths of its edges;
        sides: (K, 3) of regions, -1, 0 or 1 below, between or above the faces across each axis;
        counted: (K, 3) 1 where the distance across an axis counts, else 0.
    """
    beyond = start[:, None] - sides * half[:, None]
    slope = (counted * beyond * along[:, None]).dot(ONES)
    curve = (along * along) @ counted.T
    return np.where(curve > 0.0, -slope / np.maximum(curve, TINY), 0.5)
