# SPDX-License-Identifier: GPL-3.0-or-later
"""What the cost functions share: the cost of critical distances, and z out of Cartesian vectors.

The text writes `z = -alpha h_s^2 (dx, dy, dz, 0, ..., 0)`, a vector of space in the place of the first three
coordinates. For the camera it comes from, these are its place in space; for a chain of joints they are the
turns of its first ones, which "has no clear physical interpretation" (Ge, 4.1.2). It is done as written.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Index
from ...rotation import Array
from .situation import Situation


def cost(distance: Array) -> float:
    """`h_s = sum 1 / d_i^2` (Ge, 4.1.2 and 5.3.2)."""
    return float((distance**-2.0).sum())


def blending(distance: Array) -> Array:
    """(K,) the gains of eq. 5.4, the larger the nearer; they add up to one."""
    count = len(distance)
    if count == 1:
        return np.ones(1)
    total = float(distance.sum())
    gains: Array = (total - distance) / (total * (count - 1))
    return gains


def blended_cost(distance: Array) -> float:
    """`h_s` of eq. 5.4."""
    return float((blending(distance) / distance**2).sum())


def as_coordinates(vectors: Array, n: int) -> Array:
    """(n,) with vectors (K, 3) in the place of the first coordinates, as far as there are so many."""
    flat = vectors.ravel()[:n]
    return np.concatenate([flat, np.zeros(n - len(flat))])


def in_order(at: Situation) -> Index:
    """The nearest obstacles, as many as coordinates take three each, in the order of the scene."""
    most = max(1, len(at.plain) // 3)
    things = at.near.obstacle[at.rows[:most]]
    return np.asarray(np.argsort(np.where(things < 0, np.iinfo(np.intp).max, things), kind="stable"))
