# SPDX-License-Identifier: GPL-3.0-or-later
"""The temporal coherence cache: what was measured at previous poses bounds what is measured at the next one.

The distance of a link's axis from a fixed obstacle changes by no more than the axis has moved. So each
measured distance bounds the present one from both sides. Pairs that cannot have come near are not measured,
the others are sought only as far away as they can be. As long as all links have moved by little, the nearest
triangle is sought among the candidates of the previous pose. Results are the same; queries of large meshes
become fewer and cheaper.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ..arrays import Array, Index
from .broad_phase import AIR, BroadPhase
from .candidate_set import CandidateSet
from .narrow_phase import NarrowPhaseQuery
from .vectors import ONES

_FARTHER: Final = 1.5  # times the needed reach: a pair that is not found within needs no query for a while
_STEPS: Final = 6.0  # steps like the last one for which candidates are kept at most
_LEAST_STEPS: Final = 1.5  # with fewer steps keeping candidates does not pay
_LESS: Final = 0.5  # factor for the number of steps after too many candidates
_MORE: Final = 1.1  # factor for the number of steps otherwise
_SLOWEST: Final = 0.25  # share of the longest step that every link may move


class CoherenceCache:
    """Bounds of the distances between links and fixed obstacles, for one pose after the other.

    Args:
        broad: the pairs of links and obstacles.
        steady: whether poses mostly follow each other closely and in the same direction.
    """

    def __init__(self, broad: BroadPhase, steady: bool) -> None:
        self._broad, self._steady = broad, steady
        count = len(broad.link)
        self._least, self._most = np.full(count, -np.inf), np.full(count, np.inf)
        self._nearest = np.full(count, -1)
        self._start: Array | None = None
        self._last: Array | None = None
        self._squares: Array | None = None
        self._detect = 0.0
        self._steps = _STEPS
        self._way = self._room = np.zeros(0)
        self._queries: list[NarrowPhaseQuery] = []
        self._learning = True

    def queries(self, places: Array, detect: float) -> list[NarrowPhaseQuery]:
        """The queries of all pairs that can be nearer than `detect`.

        Args:
            places: (L, 3, 3) where the links are, with the ends of their axes as first rows.
            detect: metres, see `Scene.near`.
        """
        repeated = self._repeated(places, detect)
        self._learning = repeated is None
        if repeated is not None:
            return repeated
        found = self._refresh(places, detect)
        queries = self._broad.obstacle_queries(places, found, None, None)
        return [query._replace(candidates=self._candidates(query)) for query in queries]

    def _repeated(self, places: Array, detect: float) -> list[NarrowPhaseQuery] | None:
        """The previous queries at new places; None if other pairs may be near as well."""
        if self._start is None:
            return None
        squares = self._squares = _squared_ways(self._start, places)
        if not (detect <= self._detect and np.count_nonzero(squares <= self._room) == len(squares)):
            return None
        if any(query.candidates is not None and query.candidates.worn for query in self._queries):
            return None
        self._last = places
        return [query.at(places) for query in self._queries]

    def _refresh(self, places: Array, detect: float) -> Index:
        """Update all bounds; the pairs that can be near, also after a little further motion."""
        broad = self._broad
        moved = None if self._squares is None else _ways(self._squares)
        if moved is not None:
            moves = moved.take(broad.link)
            self._least -= moves
            self._most += moves
        for query in self._queries:
            if query.candidates is not None:
                self._nearest[query.pair] = query.candidates.nearest
        # the distance that each pair has left until it is near
        room = np.sqrt(broad.obstacle_squares(places)) - broad.reach
        room = np.maximum(room, self._least - broad.thickness)
        room -= detect * (1.0 + AIR) + AIR
        self._way = self._way_ahead(places, room, detect, moved)
        ahead = self._way.take(broad.link)
        found: Index = (room <= ahead).nonzero()[0]
        room[found] = ahead.take(found)
        outward = broad.body.outward
        free = np.full(len(places), np.inf)
        free[outward] = room.reshape(len(outward), -1).min(1)
        self._room = _squares_within(free)
        self._start = self._last = places
        self._detect, self._queries = detect, []
        return found

    def _way_ahead(self, places: Array, room: Array, detect: float, moved: Array | None) -> Array:
        """(L,) metres that links will move in the next steps if they continue; zero if that is too far.

        Args:
            places, detect: see `queries`.
            room: (M,) distance that each pair has left until it is near.
            moved: (L,) how far links have moved since the last refresh.
        """
        if self._steady and self._last is not None:
            known = moved if self._last is self._start else None
            step = _ways(_squared_ways(self._last, places)) if known is None else known
            link = self._broad.link
            near = link.take((room <= self._steps * step.take(link)).nonzero()[0])
            longest = float(step.take(near).max(initial=0.0))
            steps = min(self._steps, detect / longest) if longest else 0.0
            if steps >= _LEAST_STEPS:
                return steps * np.clip(step, _SLOWEST * longest, longest)
        self._steps = min(_STEPS, self._steps * _MORE)
        return np.zeros(len(places))

    def _candidates(self, query: NarrowPhaseQuery) -> CandidateSet | None:
        """A set to be filled with candidates for the way ahead; None where that is of no use."""
        way = self._way.take(query.link)
        if not (query.group.limited and way.any()):
            return None
        return CandidateSet(way, self._nearest.take(query.pair))

    def reach(self, query: NarrowPhaseQuery, limit: Array) -> Array:
        """(P,) metres up to which to seek pairs that matter up to `limit` (P,)."""
        if not self._learning:
            return limit
        farther = np.where(self._broad.costly.take(query.pair), _FARTHER * limit, limit)
        return np.minimum(self._most.take(query.pair), farther)

    def learn(self, query: NarrowPhaseQuery, distance: Array, reach: Array | None, detect: float) -> None:
        """Keep what a query has measured.

        Args:
            query: the query.
            distance: (P,) metres, infinite for pairs farther than their reach (P,).
            reach: None if distances of all pairs were measured.
            detect: metres, as in `queries`.
        """
        pair, candidates = query.pair, query.candidates
        if not self._learning:
            return
        if reach is None:
            self._queries.append(query)
            return
        found, costly = np.isfinite(distance), self._broad.costly.take(pair)
        self._least[pair] = np.where(costly, np.where(found, distance, reach), -np.inf)
        # the distance that a search needs has no sign
        self._most[pair] = np.where(costly & found & (distance > 0.0), distance, np.inf)
        if candidates is not None:
            self._nearest[pair] = candidates.nearest
            self._steps = min(_STEPS, self._steps * (_LESS if candidates.worn else _MORE))
        if candidates is None or candidates.candidates is None or not costly.all():
            self._room[:] = -1.0  # the next pose needs a refresh
            return
        rows = (distance < query.thickness + (detect + candidates.way)).nonzero()[0]
        self._queries.append(query.take(rows)._replace(candidates=candidates.of(rows)))


def _squared_ways(before: Array, after: Array) -> Array:
    """(2 L,) squares of how far both ends of links (L, 3, 3) have moved, those of a link together."""
    way = after[:, :2] - before[:, :2]
    way *= way
    squares: Array = way.reshape(-1, 3).dot(ONES)
    return squares


def _ways(squares: Array) -> Array:
    """(L,) upper bounds of how far links have moved with either end."""
    moved: Array = np.sqrt(np.maximum(squares[::2], squares[1::2]))
    return moved * (1.0 + AIR) + AIR


def _squares_within(ways: Array) -> Array:
    """(2 L,) the largest squares of ends of links that have moved by these ways (L,) at most."""
    moved = (ways - AIR) / (1.0 + AIR)
    return np.where(moved < 0.0, -1.0, moved * moved).repeat(2)
