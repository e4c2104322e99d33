# SPDX-License-Identifier: GPL-3.0-or-later
"""The triangles that may be nearest to segments that hardly move: who asks again asks only these.

Few of them are measured. What was the nearest place of a mesh is still one, if not the nearest; nothing
farther need be. And along a gap, whatever the gap, no triangle is nearer to a segment than it reaches towards
it; along the gap that was, that tells of most that they are not the nearest.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ..rotation import Array
from .bvh import Index, Tree
from .vectors import ONES, TINY

_FEW: Final = 40  # candidates that are measured at once, whether they can be the nearest or not
_AIR: Final = 1e-12  # relative, above rounding

Pairs = tuple[Index, Index, Array]
"""Query (P,), those of a query together, row (P,) of `Tree.corners`, and (P,) no more than their distance."""


class Before(NamedTuple):
    """What was nearest to each of Q segments a-b when they were asked last, not finite where nothing was.

    Attributes:
        point: (Q, 3) on the mesh, in its own space; parameter: (Q,) where on the segment.
        gap: (Q, 3) unit, from there to the segment.
    """

    point: Array
    parameter: Array
    gap: Array

    @classmethod
    def of(cls, a: Array, b: Array, point: Array, parameter: Array) -> Before:
        """What has been found for segments a-b."""
        gap = a + parameter[:, None] * (b - a) - point
        # where they touch that is rounding; any direction will do that is no longer than one
        gap /= np.maximum(np.sqrt((gap * gap).dot(ONES)), TINY)[:, None]
        return cls(point, parameter, gap)

    def take(self, rows: Index) -> Before:
        """Some of them."""
        return Before(self.point.take(rows, 0), self.parameter.take(rows), self.gap.take(rows, 0))

    def within(self, a: Array, b: Array, limit: Array) -> Array:
        """(Q,) how far the nearest place is at most, if that is within the limit; else the limit."""
        off = a + self.parameter[:, None] * (b - a) - self.point
        off *= off
        reach: Array = np.fmin(limit, np.sqrt(off.dot(ONES)) * (1.0 + _AIR))
        return reach

    def along(self, a: Array, b: Array) -> Array:
        """(Q,) where along the gap the segments begin."""
        begin: Array = np.minimum((a * self.gap).dot(ONES), (b * self.gap).dot(ONES))
        return begin

    def reach(self, query: Index, corners: Array) -> Array:
        """(P,) how far triangles (P, 3, 3) reach along the gap of the segment that each is for."""
        reach = (corners * self.gap.take(query, 0)[:, None]).reshape(-1, 3).dot(ONES)
        return np.asarray(np.maximum(np.maximum(reach[0::3], reach[1::3]), reach[2::3]))


class Candidates(NamedTuple):
    """Triangles that are or may soon be the nearest to segments; P rows, those of a segment together.

    Attributes:
        query: (P,) the segment; row: (P,) index into `Tree.corners`.
        least: (P,) no more than their distance when they were found.
        front: (P,) how far they reach along the gap that there was then.
        most: (Q,) no less than how far the nearest was then; before: what that was.
    """

    query: Index
    row: Index
    least: Array
    front: Array
    most: Array
    before: Before

    def of(self, queries: Index) -> Candidates:
        """Those of some of the segments, ascending, which are then counted anew."""
        number = np.full(len(self.most), -1)
        number[queries] = np.arange(len(queries))
        query = number.take(self.query)
        rows = (query >= 0).nonzero()[0]
        return Candidates(
            query.take(rows),
            self.row.take(rows),
            self.least.take(rows),
            self.front.take(rows),
            self.most.take(queries),
            self.before.take(queries),
        )

    def near(self, a: Array, b: Array, moved: Array) -> Pairs:
        """Those that can be the nearest to segments a-b, which have moved (Q,) metres since."""
        query, row, least = self.query, self.row, self.least
        if len(query) <= _FEW:
            return query, row, least
        most = self.before.within(a, b, self.most + moved)
        close = least <= (most + moved).take(query)
        close &= ~(self.front < (self.before.along(a, b) - most).take(query))
        rows = close.nonzero()[0]
        query = query.take(rows)
        return query, row.take(rows), least.take(rows) - moved.take(query)


class Shortlist:
    """The triangles that can be nearest to some segments as long as none of these goes far.

    No triangle comes nearer by more than a segment goes, and the nearest does not get farther by more. So
    what is farther than the nearest by twice the way that they may go is not the nearest on all that way.

    Args:
        way: (Q,) metres that segments may go.
        candidates: what has been found.

    Attributes:
        way: as given; candidates: as given, or found; None as long as nobody has asked.
        moved: (Q,) metres that segments have gone since.
    """

    def __init__(self, way: Array, candidates: Candidates | None = None) -> None:
        self.way, self.candidates, self.moved = way, candidates, np.zeros(len(way))

    def __len__(self) -> int:
        return 0 if self.candidates is None else len(self.candidates.query)

    def fill(self, tree: Tree, pairs: Pairs, most: Array, before: Before) -> None:
        """Keep what may come to be the nearest.

        Args:
            tree: that was asked; pairs: what it gave for all that is nearer than the nearest and twice the
                way.
            most: (Q,) how far the nearest triangle is, or how far away there surely is none; before: what is.
        """
        query, row, least = pairs
        rows = (least <= (most + 2.0 * self.way).take(query)).nonzero()[0]
        query, row = query.take(rows), row.take(rows)
        front = before.reach(query, tree.corners.take(row, 0)) + _AIR * tree.size
        self.candidates = Candidates(query, row, least.take(rows), front, most, before)

    def of(self, queries: Index) -> Shortlist:
        """That of some of the segments, ascending."""
        known = self.candidates
        return Shortlist(self.way.take(queries), None if known is None else known.of(queries))
