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
from .closest_points import FeatureDistances
from .vectors import ONES, TINY, cross, dot

_FEW: Final = 1000  # triangles that are measured without further tests
_PIECE: Final = 1 << 16  # pairs that are measured together, which bounds the memory
_CROWD: Final = 1000  # triangles above which their planes are tested first
_NEEDLE: Final = 1e-8  # squared sine of a triangle's angle below which it has no plane
_AIR: Final = 1e-9  # of the coordinates, far above the rounding error of a plane
_ROUNDING: Final = 1e-14  # of the coordinates


class Hit(NamedTuple):
    """The nearest triangle of each of Q queries, if one is within the limit."""

    distance: Array  # (Q,) metres, without sign; else infinite
    point: Array  # (Q, 3) its nearest point
    parameter: Array  # (Q,) where on the segment
    row: Index  # (Q,) index into `Bvh.corners`, else -1
    feature: Index  # (Q,) see `closest_points.FACE`
    through: Mask  # (Q,) whether the segment passes through a triangle

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
    query, row, least = tree.near_segments(a, b, limit, root)
    if len(query) > max(_FEW, 2 * len(a)):
        first = first_of_least(query, least)
        known = _nearest_of(tree, a, b, query.take(first), row.take(first))
        rows = _remaining(tree, a, b, query, row, least, known)
        rows = np.union1d(rows, first)
        query, row = query.take(rows), row.take(rows)
    return _nearest_of(tree, a, b, query, row).within(limit)


def _nearest_of(tree: Bvh, a: Array, b: Array, query: Index, row: Index) -> Hit:
    """The nearest of some triangles (P,) to segments a-b (Q, 3), those of a segment together."""
    hit, stop = Hit.nowhere(len(a)), 0
    while stop < len(query):
        start = stop  # some whole segments at a time bound the memory
        last = query[min(start + _PIECE, len(query)) - 1]
        stop = int(np.searchsorted(query, last, "right"))
        own, triangle = query[start:stop], row[start:stop]
        facets, way = tree.facets.take(triangle), (b - a).take(own, 0)
        distances = FeatureDistances.of(facets, a.take(own, 0), way)
        best = first_of_least(own, distances.least)
        distance, parameter, point, feature, through = distances.closest(best)
        measured = Hit(distance, point, parameter, triangle.take(best), feature, through)
        if len(best) == len(a):
            return measured
        for every, some in zip(hit, measured, strict=True):
            every[own.take(best)] = some
    return hit


def _remaining(tree: Bvh, a: Array, b: Array, query: Index, row: Index, least: Array, known: Hit) -> Index:
    """Those of pairs (P,) whose lower bounds are below the known distances of their segments a-b."""
    distance = known.distance.take(query)
    rows = (least < distance).nonzero()[0]
    size = tree.size + max(float(np.abs(ends).max(initial=0.0)) for ends in (a, b))
    ahead = _ahead(tree, a, b, query.take(rows), row.take(rows), known)
    rows = rows[ahead < distance.take(rows) - _ROUNDING * size]
    if len(rows) <= _CROWD:
        return rows
    # inside a hollow all triangles lie ahead; none is nearer than its plane
    planes = _from_planes(
        tree.corners.take(row.take(rows), 0), *(ends.take(query.take(rows), 0) for ends in (a, b))
    )
    return rows[planes - _AIR * size < distance.take(rows)]


def _ahead(tree: Bvh, a: Array, b: Array, query: Index, row: Index, known: Hit) -> Array:
    """(P,) lower bounds of the distances of triangles, along the gaps from the known nearest points."""
    gap = a + known.parameter[:, None] * (b - a) - known.point
    # where they touch the difference is rounding; any direction of at most unit length serves
    gap /= np.maximum(np.sqrt((gap * gap).dot(ONES)), TINY)[:, None]
    begin = np.minimum((a * gap).dot(ONES), (b * gap).dot(ONES))
    reach = np.matmul(tree.corners.take(row, 0), gap.take(query, 0)[:, :, None])[:, :, 0]
    front = np.maximum(np.maximum(reach[:, 0], reach[:, 1]), reach[:, 2])
    return np.asarray(begin.take(query) - front)


def _from_planes(corners: Array, a: Array, b: Array) -> Array:
    """(P,) lower bounds of the distances of segments a-b to the planes of triangles; 0 for needles."""
    one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = cross(one, two)
    square = dot(normal, normal)
    height, other = (dot(ends - corners[:, 0], normal) for ends in (a, b))
    away = np.where(height * other > 0.0, np.minimum(np.abs(height), np.abs(other)), 0.0)
    # the normal of a needle is rounding
    sure = square > _NEEDLE * dot(one, one) * dot(two, two)
    return np.where(sure, away / np.sqrt(np.maximum(square, TINY)), 0.0)


def first_of_least(query: Index, distance: Array) -> Index:
    """(Q,) the first row of the least distance (P,) of each query in an ascending list (P,)."""
    starts = _starts(query)
    least = np.empty(int(query[-1]) + 1)
    least[query.take(starts)] = np.minimum.reduceat(distance, starts)
    equal: Index = (distance == least.take(query)).nonzero()[0]
    return equal if len(equal) == len(starts) else equal.take(_starts(query.take(equal)))


def _starts(query: Index) -> Index:
    """Where the rows of each query begin, in an ascending list."""
    first = np.ones(len(query), dtype=bool)
    np.not_equal(query[1:], query[:-1], out=first[1:])
    return first.nonzero()[0]
