# SPDX-License-Identifier: GPL-3.0-or-later
"""The temporal coherence cache: distances at previous poses bound those at the next one.

The distance of a link's axis from a fixed obstacle changes by no more than the axis has moved, and that of
two links by no more than both have. So each measured distance bounds the present one from both sides. Pairs
that cannot have come near are not measured, and the others are searched only as far away as they can be.
Results are the same.
"""

from typing import Final

import numpy as np

from ..arrays import Array, Index
from .broad_phase import BroadPhase
from .clusters import AIR
from .vectors import ONES

_FARTHER: Final = 1.5  # times the needed reach: a pair that is not found within needs no query for a while


class CoherenceCache:
    """Bounds of the distances of the pairs of a broad phase, for one pose after the other."""

    def __init__(self, broad: BroadPhase) -> None:
        self._broad = broad
        self._places: Array | None = None
        # metres that each link has moved at most, of all poses together, and a zero for "no link"
        self._moved = np.zeros(len(broad.body) + 1)
        # the distances of pairs, if their links had not moved at all
        self._least, self._most = np.full(len(broad.link), -np.inf), np.full(len(broad.link), np.inf)

    def near(self, places: Array, found: Index, detect: float) -> Index:
        """Those of the pairs found (P,) that can be nearer than `detect`, at places as in `Body.places`."""
        if self._places is not None:
            way = places[:, :2] - self._places[:, :2]  # of both ends; no other point moves farther
            self._moved[:-1] += np.sqrt((way * way).dot(ONES)).max(1) * (1.0 + AIR) + AIR
        self._places = places
        least = self._least.take(found) - self._ways(found)
        return found[least <= self._broad.thickness.take(found) + detect]

    def _ways(self, pair: Index) -> Array:
        """(P,) metres that the links of pairs (P,) have moved."""
        return self._moved.take(self._broad.link.take(pair)) + self._moved.take(self._broad.other.take(pair))

    def reach(self, pair: Index, limit: Array) -> Array:
        """(P,) metres up to which to search pairs (P,) that matter up to `limit` (P,)."""
        return np.minimum(self._most.take(pair) + self._ways(pair), _FARTHER * limit)

    def learn(self, pair: Index, distance: Array, reach: Array) -> None:
        """Store the measured distances of pairs (P,): metres, infinite where beyond their reach (P,)."""
        ways = self._ways(pair)
        self._least[pair] = np.minimum(distance, reach) + ways
        # the distance that a search needs has no sign
        self._most[pair] = np.where(distance > 0.0, distance, np.inf) - ways
