# SPDX-License-Identifier: GPL-3.0-or-later
"""The triangles that may be nearest to segments that hardly move: who asks again asks only these.

What was the nearest place of a mesh is still one, if not the nearest; nothing farther need be measured. And
along any direction no triangle is nearer to a segment than it reaches towards it; along the gap that there
was, that tells of most that they are not the nearest.

So those are kept that are near enough and reach far enough along the gap. What is found among them is the
nearest as long as it is before all that the others reach: on a surface that bulges for quite a while.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ..rotation import Array
from .bvh import Index, Tree
from .vectors import ONES

_FEW: Final = 100  # candidates that are measured at once, whether they can be the nearest or not
_MANY: Final = 800  # candidates, of which to look through all takes as long as to seek them anew
_DEPTH: Final = 0.1  # of the way ahead: so far behind the foremost along the gap those are who are kept
_WORN: Final = 0.3  # of that depth: with less left it is time to seek anew
_AIR: Final = 1e-12  # relative, above rounding


class Gap(NamedTuple):
    """What is nearest to each of Q segments a-b, of all that has been measured.

    Attributes:
        point: (Q, 3) on the mesh, in its own space; parameter: (Q,) where on the segment.
        way: (Q, 3) from there to the segment; unit, or shorter.
        begin: (Q,) where along it the segments begin.
        bound: (Q,) metres; nothing farther is of interest.
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
        """(Q,) how far along it a triangle has to reach to be nearer."""
        return self.begin - self.bound

    def within(self, a: Array, d: Array, limit: Array) -> Array:
        """(Q,) how far the nearest place is at most of segments elsewhere, or the limit if that is less.

        Args:
            a, d: (Q, 3) where they begin, and from there to their ends; limit: (Q,) metres.
        """
        off = a + self.parameter[:, None] * d
        off -= self.point
        off *= off
        reach: Array = np.fmin(limit, np.sqrt(off.dot(ONES)) * (1.0 + _AIR))
        return reach

    def along(self, a: Array, b: Array) -> Array:
        """(Q,) where along the gap segments elsewhere begin."""
        begin: Array = np.minimum((a * self.way).dot(ONES), (b * self.way).dot(ONES))
        return begin

    def front(self, tree: Tree, query: Index, row: Index) -> Array:
        """(P,) how far triangles reach along the gap of the segment that each is for."""
        reach = np.matmul(tree.corners.take(row, 0), self.way.take(query, 0)[:, :, None])
        front: Array = np.maximum(np.maximum(reach[:, 0, 0], reach[:, 1, 0]), reach[:, 2, 0])
        return front


class Candidates(NamedTuple):
    """Triangles that are or may soon be the nearest to segments; P rows, those of a segment together.

    Attributes:
        query: (P,) the segment; row: (P,) index into `Tree.corners`.
        front: (P,) how far they reach along the gap that there was.
        gap: what that was.
        depth: (Q,) how far all the others stay behind what can be the nearest; others: (Q,) how far along the
            gap they reach at most.
    """

    query: Index
    row: Index
    front: Array
    gap: Gap
    depth: Array
    others: Array

    def of(self, queries: Index) -> Candidates:
        """Those of some of the segments, ascending, which are then counted anew."""
        number = np.full(len(self.depth), -1)
        number[queries] = np.arange(len(queries))
        query = number.take(self.query)
        rows = (query >= 0).nonzero()[0]
        return Candidates(
            query.take(rows),
            self.row.take(rows),
            self.front.take(rows),
            self.gap.take(queries),
            self.depth.take(queries),
            self.others.take(queries),
        )

    def near(self, a: Array, d: Array, begin: Array, way: Array) -> tuple[Index, Index, Array]:
        """Those that can be the nearest to segments, which have gone no farther than a way (Q,).

        Args:
            a, d: (Q, 3) where they begin, and from there to their ends.
            begin: (Q,) where along the gap they begin; way: (Q,) metres.

        Returns:
            Query, row and front of some of them.
        """
        if len(self.query) <= _FEW:
            return self.query, self.row, self.front
        least = begin - self.gap.within(a, d, self.gap.bound + way)
        rows = (self.front >= least.take(self.query)).nonzero()[0]
        return self.query.take(rows), self.row.take(rows), self.front.take(rows)


class Shortlist:
    """The triangles that can be nearest to some segments as long as none of these goes far.

    No triangle comes nearer by more than a segment goes, and the nearest does not get farther by more. So
    what is farther than the nearest by twice the way that they may go is not the nearest on all that way.

    Args:
        way: (Q,) metres that segments may go.
        nearest: (Q,) what was nearest to them, index into `Tree.corners`, -1 where nobody knows.
        candidates: what has been found.

    Attributes:
        way, nearest: as given; candidates: as given, or found; None if there are none.
        worn: whether it is time to seek all anew.
    """

    def __init__(self, way: Array, nearest: Index, candidates: Candidates | None = None) -> None:
        self.way, self.nearest, self.candidates, self.worn = way, nearest, candidates, False

    def __len__(self) -> int:
        return 0 if self.candidates is None else len(self.candidates.query)

    def depth(self, gap: Gap) -> Array:
        """(Q,) how far along the gap behind the foremost they may be; of what is touched it tells nothing."""
        depth: Array = np.where(gap.bound > 0.0, _DEPTH * self.way, np.inf)
        return depth

    def fill(self, query: Index, row: Index, front: Array, gap: Gap) -> None:
        """Keep what may come to be the nearest, if it is not too much.

        Args:
            query, row: (P,) all that is within the bound and twice the way and no deeper than the depth.
            front: (P,) how far it reaches along the gap.
            gap: what is the nearest.
        """
        depth = self.depth(gap)
        others = gap.foremost - depth
        rows = (front > others.take(query)).nonzero()[0]
        self.worn = len(rows) > _MANY
        if not self.worn:
            own = query.take(rows), row.take(rows), front.take(rows)
            self.candidates = Candidates(*own, gap, depth, others)

    def proven(self, known: Candidates, begin: Array, bound: Array) -> Array | None:
        """(Q,) up to which distance the nearest of the candidates is the nearest of all to segments.

        Args:
            known: the candidates; begin: (Q,) where along the gap the segments begin.
            bound: (Q,) metres, up to which that has to be proven; None is returned where it is not.
        """
        behind = begin - known.others
        self.worn = np.count_nonzero(behind - bound < _WORN * known.depth) > 0
        if self.worn and np.count_nonzero(bound <= behind) < len(bound):
            return None
        proven: Array = np.minimum(behind, known.gap.bound + self.way)
        return proven

    def found(self, row: Index, point: Array, parameter: Array) -> None:
        """Begin with that the next time: (Q,) rows, -1 where nothing is; (Q, 3) and (Q,), see `Gap`."""
        self.nearest = np.where(row < 0, self.nearest, row)
        if self.candidates is not None:
            gap = self.candidates.gap._replace(point=point.copy(), parameter=parameter.copy())
            self.candidates = self.candidates._replace(gap=gap)

    def of(self, queries: Index) -> Shortlist:
        """That of some of the segments, ascending."""
        known = self.candidates
        some = Shortlist(
            self.way.take(queries),
            self.nearest.take(queries),
            None if known is None else known.of(queries),
        )
        some.worn = self.worn
        return some
