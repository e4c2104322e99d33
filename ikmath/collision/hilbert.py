# SPDX-License-Identifier: GPL-3.0-or-later
"""Sorts points along Hilbert's curve: neighbours in the list are neighbours in space.

Cutting such a list into equal pieces gives a tree of boxes without building one (the way of packed R-trees).
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ..rotation import Array

_BITS: Final = 10  # cells a side, as a power of two


def hilbert_order(points: Array) -> npt.NDArray[np.intp]:
    """(N,) indices that sort places along Hilbert's curve; equal places keep their order.

    Skilling's transform ("Programming the Hilbert curve", 2004) on all places at once.

    Args:
        points: (N, 3), finite.
    """
    if not len(points):
        return np.zeros(0, dtype=np.intp)
    bits = min(_BITS, max(4, int(np.ceil(np.log2(len(points)) / 2)) + 1))  # a surface in a few cells each
    columns = np.ascontiguousarray(points.T)
    low, high = columns.min(1, keepdims=True), columns.max(1, keepdims=True)
    span = float((high - low).max())
    x, y, z = ((columns - low) * ((2**bits - 1) / span if span > 0 else 0.0)).astype(np.uint32)
    axes = (x, y, z)
    zero = np.uint32(0)
    for k in range(bits - 1, 0, -1):
        below = np.uint32((1 << k) - 1)
        for axis in axes:
            # all ones where the bit is set: there the lower bits of x are inverted, elsewhere swapped with x
            set_ = zero - ((axis >> np.uint32(k)) & np.uint32(1))
            swap = (x ^ axis) & ~set_ & below
            x ^= swap | (set_ & below)
            if axis is not x:
                axis ^= swap
    y ^= x
    z ^= y
    turn = np.zeros(len(points), dtype=np.uint32)
    for k in range(bits - 1, 0, -1):
        turn ^= (zero - ((z >> np.uint32(k)) & np.uint32(1))) & np.uint32((1 << k) - 1)
    x, y, z = x ^ turn, y ^ turn, z ^ turn
    fine, coarse = (_spread(x, s) << 2 | _spread(y, s) << 1 | _spread(z, s) for s in (0, 5))
    # the number of a place in the lower bits keeps equal ones in order
    ranked = np.sort(coarse.astype(np.int64) << 47 | fine.astype(np.int64) << 32 | np.arange(len(points)))
    return np.asarray(ranked & (1 << 32) - 1, dtype=np.intp)


def _spread(cells: npt.NDArray[np.uint32], shift: int) -> npt.NDArray[np.uint32]:
    """Five bits from `shift` on, with two zeros before each."""
    table = np.zeros(32, dtype=np.uint32)
    for k in range(5):
        table |= ((np.arange(32, dtype=np.uint32) >> np.uint32(k)) & np.uint32(1)) << np.uint32(3 * k)
    return table.take((cells >> np.uint32(shift)) & np.uint32(31))
