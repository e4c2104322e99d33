# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes that are described by a few numbers, with a formula that works on many of them at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

import numpy as np

from ...rotation import Array
from ..narrow_phase import Nearest, RowGroup, ShapeGroup
from ..vectors import ONES, TINY
from .shape import Shape


class Solid(Shape):
    """Base of the shapes that are given by a formula."""

    @property
    @abstractmethod
    def parameters(self) -> Array:
        """(*frames, m) all numbers of the shape in one row, in the world."""

    @staticmethod
    @abstractmethod
    def segment_distance(a: Array, b: Array, parameters: Array) -> Nearest:
        """The nearest or deepest points of segments a-b (P, 3) to shapes (P, m), row by row."""

    @classmethod
    def group(cls, shapes: Sequence[Self], frames: tuple[int, ...]) -> ShapeGroup:
        rows = [shape.parameters for shape in shapes]
        table = np.stack([np.broadcast_to(row, (*frames, row.shape[-1])) for row in rows], -2)
        return RowGroup(cls.segment_distance, table.reshape(-1, table.shape[-1]), len(rows))


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
