# SPDX-License-Identifier: GPL-3.0-or-later
"""Candidate sets: the triangles among which the nearest one is while segments move by little.

The nearest point of the previous pose bounds the distance at the next one. Along any direction a triangle is
at least as far from a segment as its foremost corner; along the previous gap this rules out most triangles.
A set keeps those that are near enough and reach far enough along the gap. The nearest of them is the nearest
of all as long as it lies in front of all others, which on convex surfaces lasts for many poses.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ..arrays import Array, Index
from .bvh import Bvh
from .vectors import ONES

_FEW: Final = 100  # candidates that are measured without further tests
_MANY: Final = 800  # candidates above which a new search is as quick
_DEPTH: Final = 0.1  # share of the way ahead: depth of the set behind the foremost triangle along the gap
_WORN: Final = 0.3  # share of that depth: with less left a new search is due
_AIR: Final = 1e-12  # relative, above rounding


class Gap(NamedTuple):
    """From the nearest point that was measured to each of Q segments a-b.

    Attributes:
        point: (Q, 3) on the mesh, in its own space; parameter: (Q,) where on the segment.
        way: (Q, 3) its direction from there to the segment; of unit length or shorter.
        begin: (Q,) coordinate along the direction at which the segments begin.
        bound: (Q,) metres; nothing farther matters.
    """

    point: Array
    parameter: Array
    way: Array
    begin: Array
    bound: Array

    def take(self, rows: Index) -> Gap:
        """Some of them."""
        return Gap._make(array.take(rows, 0) for array in self)

    @property
    def foremost(self) -> Array:
        """(Q,) coordinate along the direction that a nearer triangle has to exceed."""
        return self.begin - self.bound

    def within(self, a: Array, d: Array, limit: Array) -> Array:
        """(Q,) upper bounds of the distances of moved segments, at most the limit.

        Args:
            a, d: (Q, 3) first ends, and from there to the second; limit: (Q,) metres.
        """
        off = a + self.parameter[:, None] * d
        off -= self.point
        off *= off
        reach: Array = np.fmin(limit, np.sqrt(off.dot(ONES)) * (1.0 + _AIR))
        return reach

    def along(self, a: Array, b: Array) -> Array:
        """(Q,) coordinates along the direction at which moved segments begin."""
        begin: Array = np.minimum((a * self.way).dot(ONES), (b * self.way).dot(ONES))
        return begin

    def front(self, tree: Bvh, query: Index, row: Index) -> Array:
        """(P,) largest coordinates of triangles along the direction of their segments."""
        reach = np.matmul(tree.corners.take(row, 0), self.way.take(query, 0)[:, :, None])
        front: Array = np.maximum(np.maximum(reach[:, 0, 0], reach[:, 1, 0]), reach[:, 2, 0])
        return front


class CandidateTriangles(NamedTuple):
    """Triangles that are or may become the nearest to segments; P rows, those of a segment together.

    Attributes:
        query: (P,) the segment; row: (P,) index into `Bvh.corners`.
        front: (P,) their largest coordinates along the gap.
        gap: the gap at the time of the search.
        depth: (Q,) by how much all other triangles stay behind the foremost; others: (Q,) upper bound of
            their coordinates along the gap.
    """

    query: Index
    row: Index
    front: Array
    gap: Gap
    depth: Array
    others: Array

    def of(self, queries: Index) -> CandidateTriangles:
        """Those of some of the segments, ascending, which are renumbered."""
        number = np.full(len(self.depth), -1)
        number[queries] = np.arange(len(queries))
        query = number.take(self.query)
        rows = (query >= 0).nonzero()[0]
        return CandidateTriangles(
            query.take(rows),
            self.row.take(rows),
            self.front.take(rows),
            self.gap.take(queries),
            self.depth.take(queries),
            self.others.take(queries),
        )

    def near(self, a: Array, d: Array, begin: Array, way: Array) -> tuple[Index, Index, Array]:
        """Those that can be the nearest to segments that have moved by at most a way (Q,).

        Args:
            a, d: (Q, 3) first ends, and from there to the second.
            begin: (Q,) coordinates along the gap at which they begin; way: (Q,) metres.

        Returns:
            Query, row and front of some of them.
        """
        if len(self.query) <= _FEW:
            return self.query, self.row, self.front
        least = begin - self.gap.within(a, d, self.gap.bound + way)
        rows = (self.front >= least.take(self.query)).nonzero()[0]
        return self.query.take(rows), self.row.take(rows), self.front.take(rows)


class CandidateSet:
    """The triangles that can be nearest to some segments as long as these move by little.

    No distance changes by more than a segment moves. So a triangle that is farther than the nearest one by
    twice the way of the segment does not become the nearest on that way.

    Args:
        way: (Q,) metres that segments may move.
        nearest: (Q,) previous nearest triangle, index into `Bvh.corners`, -1 if unknown.
        candidates: the triangles, None before the first search.

    Attributes:
        way, nearest: as given; candidates: as given, or found; None if there are none.
        worn: whether a new search is due.
    """

    def __init__(self, way: Array, nearest: Index, candidates: CandidateTriangles | None = None) -> None:
        self.way, self.nearest, self.candidates, self.worn = way, nearest, candidates, False

    def __len__(self) -> int:
        return 0 if self.candidates is None else len(self.candidates.query)

    def depth(self, gap: Gap) -> Array:
        """(Q,) by how much triangles may stay behind the foremost; unlimited where segments touch."""
        depth: Array = np.where(gap.bound > 0.0, _DEPTH * self.way, np.inf)
        return depth

    def fill(self, query: Index, row: Index, front: Array, gap: Gap) -> None:
        """Keep the triangles that may become the nearest, unless they are too many.

        Args:
            query, row: (P,) all triangles within the bound and twice the way, and within the depth.
            front: (P,) their largest coordinates along the gap.
            gap: the gap to the nearest.
        """
        depth = self.depth(gap)
        others = gap.foremost - depth
        rows = (front > others.take(query)).nonzero()[0]
        self.worn = len(rows) > _MANY
        if not self.worn:
            own = query.take(rows), row.take(rows), front.take(rows)
            self.candidates = CandidateTriangles(*own, gap, depth, others)

    def proven(self, known: CandidateTriangles, begin: Array, bound: Array) -> Array | None:
        """(Q,) distance up to which the nearest of the candidates is the nearest of all triangles.

        Args:
            known: the candidates; begin: (Q,) coordinates along the gap at which the segments begin.
            bound: (Q,) metres up to which a proof is needed; the result is None without one.
        """
        behind = begin - known.others
        self.worn = np.count_nonzero(behind - bound < _WORN * known.depth) > 0
        if self.worn and np.count_nonzero(bound <= behind) < len(bound):
            return None
        proven: Array = np.minimum(behind, known.gap.bound + self.way)
        return proven

    def found(self, row: Index, point: Array, parameter: Array) -> None:
        """Start from this result next time: (Q,) rows, -1 for none; (Q, 3) and (Q,), see `Gap`."""
        self.nearest = np.where(row < 0, self.nearest, row)
        if self.candidates is not None:
            gap = self.candidates.gap._replace(point=point.copy(), parameter=parameter.copy())
            self.candidates = self.candidates._replace(gap=gap)

    def of(self, queries: Index) -> CandidateSet:
        """The set of some of the segments, ascending."""
        known = self.candidates
        some = CandidateSet(
            self.way.take(queries),
            self.nearest.take(queries),
            None if known is None else known.of(queries),
        )
        some.worn = self.worn
        return some
