# SPDX-License-Identifier: GPL-3.0-or-later
"""Skin weights: each vertex follows the bones whose flesh is nearest to it."""

from typing import Final

import numpy as np
import numpy.typing as npt

from ..rotation import Array

_MOST: Final = 4  # bones that a point follows


def bone_weights(
    points: npt.ArrayLike,
    heads: npt.ArrayLike,
    tails: npt.ArrayLike,
    radius: npt.ArrayLike,
    soft: float,
) -> Array:
    """Weights of bones on points, which add up to one for every point, except for rounding.

    Args:
        points: (V, 3); heads, tails: (B, 3) of the bones at rest; radius: (B,) of the flesh around each.
        soft: distance over which the weights change from one bone to the next.

    Returns:
        (B, V), in steps of a two-hundredth, so that few different weights are to be written.
    """
    p, a, b = (np.asarray(each, dtype=float) for each in (points, heads, tails))
    axis = b - a
    square = np.maximum((axis * axis).sum(1), 1e-300)
    away = np.empty((len(a), len(p)))
    for bone in range(len(a)):  # bones are few and points are many
        along = np.clip((p - a[bone]) @ axis[bone] / square[bone], 0.0, 1.0)
        away[bone] = np.linalg.norm(p - a[bone] - along[:, None] * axis[bone], axis=1)
    away -= np.asarray(radius, dtype=float)[:, None]
    weight: Array = np.exp(-(away - away.min(0)) / soft)
    weight[weight < np.sort(weight, 0)[-min(_MOST, len(weight))]] = 0.0
    return np.asarray(np.round(weight / weight.sum(0) * 200.0) / 200.0)
