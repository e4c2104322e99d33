# SPDX-License-Identifier: GPL-3.0-or-later
"""Vector operations on rows, one row for each pair.

Distances are computed in the inner loop of the solver, for some tens of pairs, where the number of numpy
calls is the cost. So everything below works on two-dimensional arrays, one row for each pair: `(a *
b).dot(ONES)` takes half the time of `einsum` and a quarter of that of `sum(-1)`.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from ..arrays import Array, Mask
from ..rotation import cross as cross

ONES: Final = np.ones(3)
TINY: Final = 1e-300  # keeps 0/0 away and changes no other number


def dot(a: Array, b: Array) -> Array:
    """Dot products of rows; (P, 3), (P, 3) -> (P,)."""
    return np.asarray((a * b).dot(ONES))


def length(a: Array) -> Array:
    """Lengths of rows; (P, 3) -> (P,)."""
    return np.asarray(np.sqrt((a * a).dot(ONES)))


def turned(a: Array, matrices: Array) -> Array:
    """Rows, each turned by a matrix of its own; (P, 3), (P, 3, 3) -> (P, 3)."""
    return np.asarray(np.matmul(matrices, a[:, :, None])[:, :, 0])


def turned_back(a: Array, matrices: Array) -> Array:
    """The same by the matrices' transposes."""
    return np.asarray(np.matmul(a[:, None], matrices)[:, 0])


def clamp(t: Array) -> Array:
    """`t` put into [0, 1], in place."""
    np.maximum(t, 0.0, out=t)
    np.minimum(t, 1.0, out=t)
    return t


def perpendicular(d: Array) -> Array:
    """A unit vector at right angles to each row, whatever the row (a zero row gives +X); (P, 3) -> (P, 3).

    Used as the way out where the geometry does not define one, such as for a sphere's centre on a bone.
    """
    other = np.eye(3)[np.abs(d).argmin(-1)]
    normal = other - d * (dot(d, other) / np.maximum(dot(d, d), TINY))[:, None]
    return np.asarray(normal / np.maximum(length(normal), TINY)[:, None])


def off_both(d: Array, e: Array) -> Array:
    """Unit vectors at right angles to both directions, or to the longer where they are parallel; (P, 3)."""
    longer = np.where((dot(d, d) >= dot(e, e))[:, None], d, e)
    normal = cross(d, e)
    parallel = 1e-12 * dot(longer, longer)
    return directions(normal, length(normal), parallel, lambda own: perpendicular(longer[own]))


def directions(difference: Array, distance: Array, least: Array, instead: Callable[[Mask], Array]) -> Array:
    """Unit vectors `difference / distance`; where that is rounding, others.

    Args:
        difference: (P, 3); distance: (P,) its lengths.
        least: (P,) distance up to which a difference has no direction left.
        instead: gives unit vectors for such rows (P,).
    """
    touching = distance <= least
    if not touching.any():
        return np.asarray(difference / distance[:, None])
    result: Array = difference / np.where(touching, 1.0, distance)[:, None]
    result[touching] = instead(touching)
    return result
