# SPDX-License-Identifier: GPL-3.0-or-later
"""Euler angles; all other conventions are those of `rotation`."""

from typing import Final

import numpy as np
import numpy.typing as npt

from .registries import choose
from .rotation import Array, about, arrays

EULER_ORDERS: Final = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
EULER_AXES: Final = {order: tuple("XYZ".index(letter) for letter in order) for order in EULER_ORDERS}
"""The axes of each order, the one that is turned about first in front."""


def matrix_from_euler(angles: npt.ArrayLike, order: str = "XYZ") -> Array:
    """Euler angles (x, y, z in this order, whatever the order of turning) -> matrix, as Blender means it.

    "XYZ" turns about X first: `Rz @ Ry @ Rx`.

    Raises:
        UnknownName: an order that is none of the six.
    """
    angles = arrays(angles, "Euler angles", 3)
    first, second, third = choose(EULER_AXES, "Euler order", order)
    return np.asarray(
        about(third, angles[..., third])
        @ about(second, angles[..., second])
        @ about(first, angles[..., first])
    )


def euler_from_matrix(rotation: npt.ArrayLike, order: str = "XYZ") -> Array:
    """Euler angles (x, y, z) of the branch whose middle turn is within a quarter; inverse of the above."""
    m = arrays(rotation, "rotation", 3, 3)
    i, j, k = choose(EULER_AXES, "Euler order", order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    cosine = np.hypot(m[..., i, i], m[..., j, i])
    plain = cosine > 1e-9
    out = np.empty(m.shape[:-1])
    # at the pole the third turn is set to zero and the first takes all
    out[..., i] = np.where(
        plain, np.arctan2(sign * m[..., k, j], m[..., k, k]), np.arctan2(-sign * m[..., j, k], m[..., j, j])
    )
    out[..., j] = np.arctan2(-sign * m[..., k, i], cosine)
    out[..., k] = np.where(plain, np.arctan2(sign * m[..., j, i], m[..., i, i]), 0.0)
    return out
