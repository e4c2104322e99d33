# SPDX-License-Identifier: GPL-3.0-or-later
"""The temporal coherence cache: distances at previous poses bound those at the next one.

The distance of a link's axis from a fixed obstacle changes by no more than the axis has moved, and that of
two links by no more than both have. So each measured distance bounds the present one from both sides. Pairs
that cannot have come near are not measured, and the others are searched only as far away as they can be.
Results are the same.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ..arrays import Array, Index
from .broad_phase import AIR, BroadPhase
from .vectors import ONES

_FARTHER: Final = 1.5  # times the needed reach: a pair that is not found within needs no query for a while


class CoherenceCache:
    """Bounds of the distances of the pairs of a broad phase, for one pose after the other."""

    def __init__(self, broad: BroadPhase) -> None:
        self._broad = broad
        self._places: Array | None = None
        self._least, self._most = np.full(len(broad.link), -np.inf), np.full(len(broad.link), np.inf)

    def near(self, places: Array, found: Index, detect: float) -> Index:
        """Those of some pairs (P,) that can be nearer than `detect`.

        Args:
            places: (L, 3, 3), see `Body.places`; found: (P,) numbers of pairs; detect: metres.
        """
        broad = self._broad
        if self._places is not None:
            way = places[:, :2] - self._places[:, :2]  # of both ends; no other point moves farther
            farthest = np.sqrt((way * way).dot(ONES)).max(1)
            moved = np.append(farthest * (1.0 + AIR) + AIR, 0.0)
            ways = moved.take(broad.link) + moved.take(broad.other)
            self._least -= ways
            self._most += ways
        self._places = places
        near = self._least.take(found) <= broad.thickness.take(found) + detect
        return found[near]

    def reach(self, pair: Index, limit: Array) -> Array:
        """(P,) metres up to which to search pairs (P,) that matter up to `limit` (P,)."""
        return np.minimum(self._most.take(pair), _FARTHER * limit)

    def learn(self, pair: Index, distance: Array, reach: Array) -> None:
        """Store the measured distances of pairs (P,): metres, infinite where beyond their reach (P,)."""
        self._least[pair] = np.minimum(distance, reach)
        # the distance that a search needs has no sign
        self._most[pair] = np.where(distance > 0.0, distance, np.inf)
