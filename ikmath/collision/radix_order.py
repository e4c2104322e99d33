# SPDX-License-Identifier: GPL-3.0-or-later
"""Sorting whole numbers in linear time: numpy sorts 16-bit integers by radix, so we sort by digits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Index = npt.NDArray[np.intp]


def digit_order(*digits: npt.NDArray[np.uint16]) -> Index:
    """(N,) stable order by several digits of 16 bits, the last the most significant."""
    order = digits[0].argsort(kind="stable")
    for digit in digits[1:]:
        order = order.take(digit.take(order).argsort(kind="stable"))
    return order


def order_by(*keys: Index, below: int) -> Index:
    """(N,) stable order by several keys of whole numbers in [0, below), the last the most significant."""
    digits = []
    for key in keys:
        digits.append(key.astype(np.uint16))
        for shift in range(16, max(below - 1, 1).bit_length(), 16):
            digits.append((key >> shift).astype(np.uint16))
    return digit_order(*digits)
