# SPDX-License-Identifier: GPL-3.0-or-later
"""The narrow phase: exact distances of the pairs that the broad phase leaves.

Obstacles of one kind are queried together: the cost is the number of numpy calls, not of obstacles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, Self

import numpy as np

from ..arrays import Array, Index, Mask


class Nearest(NamedTuple):
    """The point of a segment that is nearest to an obstacle, or deepest inside it.

    Attributes:
        distance: (*b,) metres, negative inside; infinite where nothing is within the limit.
        point: (*b, 3) on the obstacle's surface, in the world (Ge's obstacle point); NaN beyond the limit.
        parameter: (*b,) where on the segment, 0 at its first end, 1 at its second (Ge's critical point).
        normal: (*b, 3) unit, from the obstacle to the segment, zero beyond the limit; moving along it by
            -distance ends a penetration.
    """

    distance: Array
    point: Array
    parameter: Array
    normal: Array

    @classmethod
    def of_segments(cls, a: Array, b: Array, distance: Array, parameter: Array, normal: Array) -> Self:
        """Of segments a-b (P, 3), whose critical points are at the parameters (P,)."""
        critical = a + parameter[:, None] * (b - a)
        return cls(distance, critical - distance[:, None] * normal, parameter, normal)


class ShapeGroup(Protocol):
    """Several obstacles that are measured together; in each frame of their motion each is one row.

    Attributes:
        count: K, the number of obstacles; row k + f K is obstacle k in frame f.
        limited: whether a limit of the distance saves work.
    """

    count: int
    limited: bool

    def segments(self, a: Array, b: Array, row: Index, limit: Array, reach: Array) -> Nearest:
        """As `Solid.segment_distance`.

        Args:
            a, b: (P, 3) ends; row: (P,) of the obstacles;
            limit: (P,) depth up to which a segment counts as behind an open surface, metres.
            reach: (P,) distance beyond which the result may be infinite, metres.
        """

    def meets(self, a: Array, b: Array, row: Index, near: Array) -> Mask:
        """(P,) whether segments are nearer than `near` (P,) metres."""


Kernel = Callable[[Array, Array, Array], Nearest]


class RowGroup:
    """Shapes that are described by a few numbers, which are the rows of one table.

    Args:
        distance: the kind's `Solid.segment_distance`.
        table: (K, m), or (frames K, m) frame after frame, the shapes' `Solid.parameters`.
        count: K, the number of shapes.
    """

    limited = False

    def __init__(self, distance: Kernel, table: Array, count: int) -> None:
        self.distance, self.table, self.count = distance, table, count

    def segments(self, a: Array, b: Array, row: Index, limit: Array, reach: Array) -> Nearest:
        return self.distance(a, b, self.table.take(row, 0))

    def meets(self, a: Array, b: Array, row: Index, near: Array) -> Mask:
        return np.asarray(self.segments(a, b, row, near, near).distance < near)


class PairBatch(NamedTuple):
    """Measured pairs; P rows, of distances and so on from the links' axes, see `Nearest`."""

    pair: Index  # (P,) their numbers in the broad phase
    frame: Index | None  # (P,) their poses in the flattened batch, None for a single pose
    distance: Array
    point: Array
    parameter: Array
    normal: Array

    def take(self, rows: Index) -> PairBatch:
        """Some of the rows."""
        return PairBatch._make(None if array is None else array.take(rows, 0) for array in self)

    @classmethod
    def joined(cls, batches: Sequence[PairBatch]) -> PairBatch:
        """One batch out of several, also out of none; the rows of one pose become neighbours."""
        if len(batches) == 1:
            return batches[0]
        if not batches:
            return cls(np.zeros(0, dtype=np.intp), None, *(np.zeros((0, 3)[:k]) for k in (1, 2, 1, 2)))
        one = cls._make(
            None if columns[0] is None else np.concatenate(columns) for columns in zip(*batches, strict=True)
        )
        return one if one.frame is None else one.take(one.frame.argsort(kind="stable"))


class NarrowPhaseQuery(NamedTuple):
    """Pairs to be measured, of links with obstacles of one kind or of links with links; P rows."""

    group: ShapeGroup  # the shapes that the links are measured against
    pair: Index  # (P,), see `PairBatch`
    frame: Index | None  # (P,), see `PairBatch`
    axes: Array  # (P, 3, 3) ends and middle of the links' axes, as rows
    row: Index  # (P,) of the shapes in the group
