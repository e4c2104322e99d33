# SPDX-License-Identifier: GPL-3.0-or-later
"""Symmetric systems of a few rows, for which what is done around the arithmetic costs more than that.

A place's three rows are solved in plain numbers: a call of LAPACK costs four times their arithmetic. Others
are given to what `numpy.linalg.solve` calls in the end: its dozen functions that look at types and shapes
take as long as a system of ten rows, and twice that within a frame of Blender's, which has emptied the
caches. numpy calls that function its own business; where it is not found, or has found nothing,
`numpy.linalg.solve` answers.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ..arrays import Array

_SOLVE: Final[Any] = getattr(getattr(np.linalg, "_umath_linalg", None), "solve1", np.linalg.solve)


def solved(gram: Array, right: Array) -> Array:
    """The solution x (k,) of a positive definite system `G x = b`.

    Raises:
        numpy.linalg.LinAlgError: it is singular to the last digit.
    """
    if len(right) != 3:
        return _by_lapack(gram, right)
    (a, d, g), (_, e, h), (_, _, i) = gram.tolist()
    x, y, z = right.tolist()
    if a <= 0.0:
        return _by_lapack(gram, right)
    first, second = d / a, g / a
    e, h = e - first * d, h - second * d
    if e <= 0.0:
        return _by_lapack(gram, right)
    third = h / e
    i = i - second * g - third * h
    if i <= 0.0:
        return _by_lapack(gram, right)
    y = y - first * x
    z = (z - second * x - third * y) / i
    y = (y - h * z) / e
    return np.array(((x - d * y - g * z) / a, y, z))


def _by_lapack(gram: Array, right: Array) -> Array:
    x: Array = _SOLVE(gram, right)
    return x if len(x) and x[0] == x[0] else np.linalg.solve(gram, right)  # which says what is wrong
