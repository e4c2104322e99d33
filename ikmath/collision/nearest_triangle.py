# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest triangle of a tree to every segment.

The tree leaves some dozens of triangles a query. An exact distance costs far more than a comparison in the
tree. So of many triangles the most promising one of each query is measured first, then those that can be
nearer. A triangle whose corners do not exceed the first one along its gap cannot be nearer; on flat or convex
surfaces this leaves none.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ..arrays import Array, Index, Mask
from .bvh import Bvh
from .vectors import ONES, TINY, cross, dot

_FEW: Final = 1000  # triangles that are measured without further tests
_PIECE: Final = 1 << 16  # pairs that are measured together, which bounds the memory
_CROWD: Final = 1000  # triangles above which their planes are tested first
_NEEDLE: Final = 1e-8  # squared sine of a triangle's angle below which it has no plane
_AIR: Final = 1e-9  # of the coordinates, far above the rounding of a plane
_ROUNDING: Final = 1e-14  # of the coordinates


class Hit(NamedTuple):
    """The nearest triangle of each of Q queries.

    Attributes:
        distance: (Q,) metres, without sign; infinite where no triangle is within the limit.
        point: (Q, 3) its nearest point.
        parameter: (Q,) where on the segment.
        row: (Q,) index into `Bvh.corners`, -1 where no triangle is within the limit.
        feature: (Q,) see `triangles.FACE`.
        through: (Q,) whether the segment passes through a triangle.
    """

    distance: Array
    point: Array
    parameter: Array
    row: Index
    feature: Index
    through: Mask

    @classmethod
    def nowhere(cls, count: int) -> Hit:
        """The result of so many queries before any measurement."""
        return cls(
            np.full(count, np.inf),
            np.full((count, 3), np.nan),
            np.zeros(count),
            np.full(count, -1, dtype=np.intp),
            np.zeros(count, dtype=np.intp),
            np.zeros(count, dtype=bool),
        )

    def within(self, limit: Array) -> Hit:
        """The same, without triangles beyond a limit (Q,); changed in place."""
        beyond = self.distance > limit
        if np.count_nonzero(beyond):
            self.distance[beyond], self.row[beyond], self.point[beyond] = np.inf, -1, np.nan
        return self

    def take(self, rows: Index) -> Hit:
        """Some of the queries."""
        return Hit._make(array.take(rows, 0) for array in self)


def nearest_to_segments(tree: Bvh, a: Array, b: Array, limit: Array, root: Index | None = None) -> Hit:
    """Nearest triangles to segments (Q, 3), see `Bvh.near_segments`."""
    return _Search(tree, a, b).run(*tree.near_segments(a, b, limit, root)).within(limit)


class _Search:
    """The rounds of one search."""

    def __init__(self, tree: Bvh, a: Array, b: Array) -> None:
        self.tree, self.a, self.b, self.d = tree, a, b, b - a
        self._found: Hit | None = None

    @property
    def found(self) -> Hit:
        """The nearest triangles measured so far, within the limit or not."""
        if self._found is None:
            self._found = Hit.nowhere(len(self.a))
        return self._found

    def run(self, query: Index, row: Index, least: Array) -> Hit:
        """Measure candidates (P,), those of a query next to each other; `least` is a lower bound of each."""
        if len(query) > max(_FEW, 2 * len(self.a)):
            starts = _starts(query)
            nearest = np.minimum.reduceat(least, starts).repeat(_counts(starts, len(query)))
            first = (least == nearest).nonzero()[0]
            self._measure(query.take(first), row.take(first))
            query, row = self._remaining(query, row, least)
        self._measure(query, row)
        return self.found

    def _measure(self, query: Index, row: Index) -> None:
        """Measure pairs exactly and keep the nearest of each query."""
        for start in range(0, len(query), _PIECE):
            own, triangle = query[start : start + _PIECE], row[start : start + _PIECE]
            facets = self.tree.facets.take(triangle)
            distances = facets.distances(self.a.take(own, 0), self.d.take(own, 0))
            best = first_of_least(own, distances.least)
            distance, parameter, point, feature, through = distances.closest(best)
            hit = Hit(distance, point, parameter, triangle.take(best), feature, through)
            self._keep(own.take(best), hit)

    def _keep(self, queries: Index, measured: Hit) -> None:
        """Keep measurements of some queries, ascending, where they are nearer than those before."""
        if self._found is None and len(queries) == len(self.a):
            self._found = measured
            return
        found = self.found
        nearer = (measured.distance < found.distance.take(queries)).nonzero()[0]
        if len(nearer) < len(queries):
            queries, measured = queries.take(nearer), measured.take(nearer)
        for old, new in zip(found, measured, strict=True):
            old[queries] = new

    def _remaining(self, query: Index, row: Index, least: Array) -> tuple[Index, Index]:
        """The triangles that may be nearer than what was found."""
        distance = self.found.distance
        keep = (least < distance.take(query)).nonzero()[0]
        query, row = query.take(keep), row.take(keep)
        size = self._size()
        keep = (self._ahead(query, row) < distance.take(query) - _ROUNDING * size).nonzero()[0]
        query, row = query.take(keep), row.take(keep)
        if len(query) <= _CROWD:
            return query, row
        # inside a hollow all triangles lie ahead; none is nearer than its plane
        keep = (self._from_planes(query, row, size) < distance.take(query)).nonzero()[0]
        return query.take(keep), row.take(keep)

    def _ahead(self, query: Index, row: Index) -> Array:
        """(P,) lower bounds of the distances of triangles, along the gaps from the nearest points found."""
        found = self.found
        gap = self.a + found.parameter[:, None] * self.d
        gap -= found.point
        # where they touch the difference is rounding; any direction of at most unit length serves
        gap /= np.maximum(np.sqrt((gap * gap).dot(ONES)), TINY)[:, None]
        begin = np.minimum((self.a * gap).dot(ONES), (self.b * gap).dot(ONES))
        reach = np.matmul(self.tree.corners.take(row, 0), gap.take(query, 0)[:, :, None])[:, :, 0]
        front = np.maximum(np.maximum(reach[:, 0], reach[:, 1]), reach[:, 2])
        return np.asarray(begin.take(query) - front)

    def _from_planes(self, query: Index, row: Index, size: float) -> Array:
        """(P,) lower bounds of the distances to the planes of triangles; 0 for needles."""
        corners = self.tree.corners.take(row, 0)
        one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        normal = cross(one, two)
        square = dot(normal, normal)
        length = np.sqrt(np.maximum(square, TINY))
        height = dot(self.a.take(query, 0) - corners[:, 0], normal) / length
        other = dot(self.b.take(query, 0) - corners[:, 0], normal) / length
        away = np.where(height * other > 0.0, np.minimum(np.abs(height), np.abs(other)), 0.0)
        # the normal of a needle is rounding
        sure = square > _NEEDLE * dot(one, one) * dot(two, two)
        return np.where(sure, away - _AIR * size, 0.0)

    def _size(self) -> float:
        """Largest coordinate, metres."""
        a, b = float(np.abs(self.a).max(initial=0.0)), float(np.abs(self.b).max(initial=0.0))
        return self.tree.size + max(a, b)


def first_of_least(query: Index, distance: Array) -> Index:
    """(Q,) the first row of the least distance (P,) of each query in an ascending list (P,)."""
    starts = _starts(query)
    least = np.empty(int(query[-1]) + 1)
    least[query.take(starts)] = np.minimum.reduceat(distance, starts)
    equal: Index = (distance == least.take(query)).nonzero()[0]
    return equal if len(equal) == len(starts) else equal.take(_starts(query.take(equal)))


def _counts(starts: Index, rows: int) -> Index:
    """How many rows each query has, of so many in all."""
    counts = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=counts[:-1])
    counts[-1:] = rows - starts[-1:]
    return counts


def _starts(query: Index) -> Index:
    """Where the rows of each query begin, in an ascending list."""
    first = np.ones(len(query), dtype=bool)
    np.not_equal(query[1:], query[:-1], out=first[1:])
    return first.nonzero()[0]
