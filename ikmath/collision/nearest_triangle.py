# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest triangle of a tree to every point or segment.

The tree leaves some dozens of triangles a query. Measuring a triangle exactly costs far more than the tree's
comparisons, so it is done in rounds: first the most promising triangle of each query, then only those that
    can be nearer than it. What can be nearer is judged along the gap that was found: a triangle that does
    not reach further towards the query than the first one cannot be nearer, and on flat or bulging surfaces
    no other does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ..rotation import Array
from .bvh import Index, Tree
from .candidate_set import Gap, Shortlist
from .triangles import closest_on_triangles
from .vectors import ONES, TINY, cross, dot

_FEW: Final = 400  # candidates that are measured at once, whosever they are
_ROUNDS: Final = 2  # of single triangles before all that remain are measured
_CROWD: Final = 1000  # candidates of which it is worth to look at their planes first
_NEEDLE: Final = 1e-8  # squared sine of a triangle's angle below which it has no plane
_AIR: Final = 1e-9  # of the coordinates, far above the rounding of a plane
_ROUNDING: Final = 1e-14  # of the coordinates


class Hit(NamedTuple):
    """The nearest triangle of each of Q queries.

    Attributes:
        distance: (Q,) metres, without sign; infinite where nothing is within the limit.
        point: (Q, 3) its nearest point.
        parameter: (Q,) where on the segment; zero for points.
        row: (Q,) index into `Tree.corners`, -1 where nothing is within the limit.
        feature: (Q,) see `triangles.FACE`.
        through: (Q,) whether the segment passes through a triangle.
    """

    distance: Array
    point: Array
    parameter: Array
    row: Index
    feature: Index
    through: npt.NDArray[np.bool_]

    @classmethod
    def nowhere(cls, count: int) -> Hit:
        """That of so many queries before anything has been measured."""
        return cls(
            np.full(count, np.inf),
            np.full((count, 3), np.nan),
            np.zeros(count),
            np.full(count, -1, dtype=np.intp),
            np.zeros(count, dtype=np.intp),
            np.zeros(count, dtype=bool),
        )

    def within(self, limit: Array) -> Hit:
        """The same, without what is beyond a limit (Q,), in place."""
        beyond = self.distance > limit
        if np.count_nonzero(beyond):
            self.distance[beyond], self.row[beyond], self.point[beyond] = np.inf, -1, np.nan
        return self

    def take(self, rows: Index) -> Hit:
        """Some of the queries."""
        return Hit(
            self.distance.take(rows),
            self.point.take(rows, 0),
            self.parameter.take(rows),
            self.row.take(rows),
            self.feature.take(rows),
            self.through.take(rows),
        )


def nearest_to_points(tree: Tree, points: Array, limit: Array, root: Index | None = None) -> Hit:
    """Nearest triangles to points (Q, 3), see `Tree.near_points`."""
    query, row, least = tree.near_points(points, limit, root)
    return _Search(tree, points, points, limit, points_only=True).run(query, row, least)


def nearest_to_segments(
    tree: Tree,
    a: Array,
    b: Array,
    limit: Array,
    root: Index | None = None,
    shortlist: Shortlist | None = None,
) -> Hit:
    """Nearest triangles to segments (Q, 3), see `Tree.near_segments`.

    Args:
        tree, a, b, limit, root: see there.
        shortlist: for who asks the same segments again soon: filled here, and asked if it is.
    """
    if shortlist is not None:
        hit = _Search(tree, a, b, limit, points_only=False).follow(root, shortlist)
        if np.count_nonzero(hit.distance) == len(a):
            return hit
        # of several triangles that are passed through, which one is told must not hang on what was before
    return _Search(tree, a, b, limit, points_only=False).run(*tree.near_segments(a, b, limit, root))


class _Search:
    """The rounds of one question."""

    def __init__(self, tree: Tree, a: Array, b: Array, limit: Array, points_only: bool) -> None:
        self.tree, self.a, self.b, self.points_only = tree, a, b, points_only
        self.d, self.limit = b - a, limit
        self._found: Hit | None = None

    @property
    def found(self) -> Hit:
        """The nearest of what was measured, within the limit or not."""
        if self._found is None:
            self._found = Hit.nowhere(len(self.a))
        return self._found

    def run(self, query: Index, row: Index, least: Array) -> Hit:
        """Measure candidates (P,), those of a query next to each other; `least` is a lower bound of each."""
        self._rounds(query, row, lambda: least)
        return self.found.within(self.limit)

    def follow(self, root: Index | None, shortlist: Shortlist) -> Hit:
        """As `run`, for segments that are asked again and again and move on by little."""
        if not self._among(shortlist):
            self._beyond(np.zeros(len(self.a), dtype=np.intp) if root is None else root, shortlist)
        found = self.found
        shortlist.found(found.row, found.point, found.parameter)
        return found.within(self.limit)

    def _among(self, shortlist: Shortlist) -> bool:
        """Measure what was kept; whether the nearest of that is the nearest of all."""
        known = shortlist.candidates
        if known is None:
            return False
        begin = known.gap.along(self.a, self.b)
        query, row, front = known.near(self.a, self.d, begin, shortlist.way)
        self._rounds(query, row, lambda: begin.take(query) - front)
        proven = shortlist.proven(known, begin, self._bound())
        if proven is None:
            return False
        self.limit = proven
        return True

    def _beyond(self, root: Index, shortlist: Shortlist) -> None:
        """Measure what was nearest, then what may be nearer than that is now; keep what may soon be."""
        sieve, nearest = self.tree.sieve, shortlist.nearest
        new = (nearest < 0).nonzero()[0]
        if len(new):
            middle = 0.5 * (self.a.take(new, 0) + self.b.take(new, 0))
            nearest[new] = sieve.guess(middle, root.take(new))
        self._measure(np.arange(len(self.a)), nearest)
        gap = self._gap()
        keep = shortlist.candidates is None and bool(shortlist.way.any())
        ahead, reach = gap.foremost, gap.bound
        if keep:
            ahead, reach = ahead - shortlist.depth(gap), reach + 2.0 * shortlist.way
        query, row = sieve.within(self.a, self.b, gap.way, ahead, reach, root)
        front = gap.front(self.tree, query, row)
        if keep:
            shortlist.fill(query, row, front, gap)
        rows = (front > (gap.foremost + _ROUNDING * self._size()).take(query)).nonzero()[0]
        query, front = query.take(rows), front.take(rows)
        self._rounds(query, row.take(rows), lambda: gap.begin.take(query) - front)

    def _rounds(self, query: Index, row: Index, bound: Callable[[], Array]) -> None:
        """Measure what can be the nearest, see `run`; the bound is asked only of many."""
        few = max(_FEW, 2 * len(self.a))
        least = bound() if len(query) > few else _NONE
        for _ in range(_ROUNDS):
            if len(query) <= few:
                break
            starts = _starts(query)
            nearest = np.minimum.reduceat(least, starts).repeat(_counts(starts, len(query)))
            first = (least == nearest).nonzero()[0]
            self._measure(query.take(first), row.take(first))
            query, row, least = self._remaining(query, row, least)
        self._measure(query, row)

    def _measure(self, query: Index, row: Index) -> None:
        """Measure pairs exactly and keep the nearest of each query, if it is nearer than the one before."""
        if not len(query):
            return
        a = self.a.take(query, 0)
        if self.points_only:
            distance, point, feature = closest_on_triangles(a, self.tree.corners.take(row, 0))
            best = _best(query, distance)
            distance, point, feature = distance.take(best), point.take(best, 0), feature.take(best)
            parameter, through = np.zeros(len(best)), np.zeros(len(best), dtype=bool)
        else:
            ways = self.tree.facets.take(row).ways(a, self.d.take(query, 0))
            best = _best(query, ways.least)
            distance, parameter, point, feature, through = ways.closest(best)
        self._keep(query.take(best), Hit(distance, point, parameter, row.take(best), feature, through))

    def _keep(self, asked: Index, measured: Hit) -> None:
        """Keep what was measured of some queries, ascending, where it is nearer than what was before."""
        if self._found is None and len(asked) == len(self.a):
            self._found = measured
            return
        found = self.found
        nearer = (measured.distance < found.distance.take(asked)).nonzero()[0]
        if len(nearer) < len(asked):
            asked, measured = asked.take(nearer), measured.take(nearer)
        for old, new in zip(found, measured, strict=True):
            old[asked] = new

    def _remaining(self, query: Index, row: Index, least: Array) -> tuple[Index, Index, Array]:
        """The candidates that may be nearer than what was found."""
        distance = self.found.distance
        keep = (least < distance.take(query)).nonzero()[0]
        query, row, least = query.take(keep), row.take(keep), least.take(keep)
        gap = self._gap()
        front = gap.front(self.tree, query, row)
        ahead = gap.begin.take(query) - front
        size = self._size()
        keep = (ahead < distance.take(query) - _ROUNDING * size).nonzero()[0]
        query, row, least = query.take(keep), row.take(keep), np.maximum(least, ahead).take(keep)
        if len(query) <= _CROWD:
            return query, row, least
        # inside a hollow all of it lies ahead; nobody is nearer to a triangle than to its plane
        least = np.maximum(least, self._from_planes(query, row, size))
        keep = (least < distance.take(query)).nonzero()[0]
        return query.take(keep), row.take(keep), least.take(keep)

    def _gap(self) -> Gap:
        """From what was found to the queries."""
        found = self.found
        way = self.a + found.parameter[:, None] * self.d
        way -= found.point
        # where they touch that is rounding; any direction will do that is no longer than one
        way /= np.maximum(np.sqrt((way * way).dot(ONES)), TINY)[:, None]
        begin = (self.a * way).dot(ONES)
        if not self.points_only:
            begin = np.minimum(begin, (self.b * way).dot(ONES))
        return Gap(found.point, found.parameter, way, begin, self._bound())

    def _from_planes(self, query: Index, row: Index, size: float) -> Array:
        """(P,) no more than how far queries are from the planes of triangles; 0 for needles."""
        corners = self.tree.corners.take(row, 0)
        one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        normal = cross(one, two)
        square = dot(normal, normal)
        length = np.sqrt(np.maximum(square, TINY))
        height = dot(self.a.take(query, 0) - corners[:, 0], normal) / length
        away = np.abs(height)
        if not self.points_only:
            other = dot(self.b.take(query, 0) - corners[:, 0], normal) / length
            away = np.where(height * other > 0.0, np.minimum(away, np.abs(other)), 0.0)
        # the normal of a needle is rounding
        sure = square > _NEEDLE * dot(one, one) * dot(two, two)
        return np.where(sure, away - _AIR * size, 0.0)

    def _bound(self) -> Array:
        """(Q,) metres; nothing farther is of interest."""
        return np.minimum(self.found.distance, self.limit)

    def _size(self) -> float:
        """Of the coordinates."""
        a, b = float(np.abs(self.a).max(initial=0.0)), float(np.abs(self.b).max(initial=0.0))
        return self.tree.size + max(a, b)


def _best(query: Index, distance: Array) -> Index:
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


_NONE: Final = np.zeros(0)
