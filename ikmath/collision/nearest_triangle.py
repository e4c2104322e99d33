# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest triangle of a tree to every segment, out of some dozens that the tree leaves."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ..arrays import Array, Index, Mask
from .bvh import Bvh, starts_of
from .closest_points import FeatureDistances

_PIECE: Final = 1 << 12  # pairs that are measured together: as many as the processor's cache holds


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
    """Nearest triangles to segments a-b (Q, 3), see `Bvh.near_segments`."""
    query, row = tree.near_segments(a, b, limit, root)
    hit, stop = Hit.nowhere(len(a)), 0
    while stop < len(query):
        start = stop  # some whole segments at a time
        last = query[min(start + _PIECE, len(query)) - 1]
        stop = int(np.searchsorted(query, last, "right"))
        own, triangle = query[start:stop], row[start:stop]
        facets, way = tree.facets.take(triangle), (b - a).take(own, 0)
        distances = FeatureDistances.of(facets, a.take(own, 0), way)
        best = first_of_least(own, distances.least)
        distance, parameter, point, feature, through = distances.closest(best)
        measured = Hit(distance, point, parameter, triangle.take(best), feature, through)
        if len(best) == len(a):
            return measured.within(limit)
        for every, some in zip(hit, measured, strict=True):
            every[own.take(best)] = some
    return hit.within(limit)


def first_of_least(query: Index, distance: Array) -> Index:
    """(Q,) the first row of the least distance (P,) of each query in an ascending list (P,)."""
    starts = starts_of(query)
    least = np.empty(int(query[-1]) + 1)
    least[query.take(starts)] = np.minimum.reduceat(distance, starts)
    equal: Index = (distance == least.take(query)).nonzero()[0]
    return equal if len(equal) == len(starts) else equal.take(starts_of(query.take(equal)))
