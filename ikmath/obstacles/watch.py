# SPDX-License-Identifier: GPL-3.0-or-later
"""What was measured at poses before, which spares much of the measuring at the next one.

The distance of a link's axis from a thing that stands still changes by no more than the axis has moved. So
each distance that was measured bounds the present one from both sides. What cannot have come near need not
be asked; and what is asked needs to be sought only as far as it can be. The answers are the same: meshes of
many triangles are asked less often, and give them sooner.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ..rotation import Array
from .group import Index
from .vectors import ONES

_FARTHER: Final = 1.5  # times as far as needed: what is not there need not be asked for a while
_AIR: Final = 1e-9  # relative, far above rounding


class Watch:
    """Bounds of the distances between links and obstacles of a scene, for one pose after the other.

    Args:
        link: (M,) the link of each pair of the scene's broad phase.
        steady: (M,) whether its distance changes without leaps; only then is it kept. Behind the rim of a
            solid that is open the outside turns into the inside all at once.

    Attributes:
        least, most: (M,) bounds of the distances of the axes, metres.
    """

    def __init__(self, link: Index, steady: npt.NDArray[np.bool_]) -> None:
        self.link, self.steady = link, steady
        self.least, self.most = np.full(len(link), -np.inf), np.full(len(link), np.inf)
        self.places: Array | None = None

    def follow(self, places: Array) -> None:
        """Take notice of where the links are now, (L, 3, 3) with the ends of their axes as first rows."""
        if self.places is not None:
            way = places[:, :2] - self.places[:, :2]
            way *= way
            square = way.reshape(-1, 3).dot(ONES)
            moved = np.sqrt(np.maximum(square[::2], square[1::2])).take(self.link)
            moved += _AIR * (moved + 1.0)
            self.least -= moved
            self.most += moved
        self.places = places

    def reach(self, pairs: Index, limit: Array) -> Array:
        """(P,) how far to seek pairs that are of interest up to `limit`: farther, so as to rest then."""
        farther = np.where(self.steady.take(pairs), _FARTHER * limit, limit)
        return np.minimum(self.most.take(pairs), farther)

    def learn(self, pairs: Index, distance: Array, reach: Array) -> None:
        """Keep what was measured: (P,) distances, infinite for what is farther than its reach (P,)."""
        found, steady = np.isfinite(distance), self.steady.take(pairs)
        self.least[pairs] = np.where(steady, np.where(found, distance, reach), -np.inf)
        # the distance that a search is about has no sign
        self.most[pairs] = np.where(steady & found & (distance > 0.0), distance, np.inf)
