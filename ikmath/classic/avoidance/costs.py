# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by the cost functions: the cost of critical distances, and z from Cartesian vectors.

The text writes `z = -alpha h_s^2 (dx, dy, dz, 0, ..., 0)`: a Cartesian vector in the first three coordinates.
For the original camera these are its position. For a chain they are the rotations of its first joints, which
"has no clear physical interpretation" (Ge, 4.1.2). This package follows the text.
"""

import numpy as np

from ...arrays import Index
from ...rotation import Array
from .situation import Situation


def cost(distance: Array) -> float:
    """`h_s = sum 1 / d_i^2` (Ge, 4.1.2 and 5.3.2)."""
    return float((distance**-2.0).sum())


def blending(distance: Array) -> Array:
    """(K,) gains of eq. 5.4, larger for nearer obstacles; their sum is one."""
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
    """(n,) the vectors (K, 3) written to the first coordinates, as many as fit; the others are zero."""
    flat = vectors.ravel()[:n]
    return np.concatenate([flat, np.zeros(n - len(flat))])


def in_order(at: Situation) -> Index:
    """Indices of the nearest obstacles, one for every three coordinates, in the order of the scene."""
    most = max(1, len(at.plain) // 3)
    things = at.near.obstacle[at.rows[:most]]
    return np.asarray(np.argsort(np.where(things < 0, np.iinfo(np.intp).max, things), kind="stable"))
