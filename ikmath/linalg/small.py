# SPDX-License-Identifier: GPL-3.0-or-later
"""Symmetric systems of a place's three rows, for which a call of LAPACK costs four times its arithmetic."""

from __future__ import annotations

import numpy as np

from ..arrays import Array


def solved(gram: Array, right: Array) -> Array:
    """The solution x (k,) of a positive definite system `G x = b`.

    Raises:
        numpy.linalg.LinAlgError: it is singular to the last digit.
    """
    if len(right) != 3:
        return np.linalg.solve(gram, right)
    (a, d, g), (_, e, h), (_, _, i) = gram.tolist()
    x, y, z = right.tolist()
    if a <= 0.0:
        return np.linalg.solve(gram, right)
    first, second = d / a, g / a
    e, h = e - first * d, h - second * d
    if e <= 0.0:
        return np.linalg.solve(gram, right)
    third = h / e
    i = i - second * g - third * h
    if i <= 0.0:
        return np.linalg.solve(gram, right)
    y = y - first * x
    z = (z - second * x - third * y) / i
    y = (y - h * z) / e
    return np.array(((x - d * y - g * z) / a, y, z))
