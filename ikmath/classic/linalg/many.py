# SPDX-License-Identifier: GPL-3.0-or-later
"""Many small symmetric systems at once, with frames as the innermost axis."""

from typing import Final

import numpy as np

from ...arrays import Array

_WORTH: Final = 5  # systems per row from which operations over all of them are faster than LAPACK for each


def solve_in_place(systems: Array) -> Array:
    """Solve positive definite systems.

    Args:
        systems: (k, k + 1, B), matrices, of which only the upper triangles are used, with the right sides as
            last column; overwritten.

    Returns:
        (k, B).
    """
    rows, _, frames = systems.shape
    if frames < _WORTH * rows:
        upper = np.triu(np.moveaxis(systems[:, :rows], -1, 0))
        whole = upper + np.triu(upper, 1).swapaxes(1, 2)
        return np.asarray(np.linalg.solve(whole, systems[:, rows].T[:, :, None])[:, :, 0].T)
    # A = L D L^T row by row: A becomes D L^T, with L^-1 b beside it
    upper, below = systems, np.empty((rows, frames))  # below: one over D
    for row in range(rows):
        if row:
            left = upper[:row, row] * below[:row]
            upper[row, row:] -= np.einsum("ib,inb->nb", left, upper[:row, row:])
        np.divide(1.0, upper[row, row], out=below[row])
    y: Array = upper[:, rows] * below
    for row in range(rows - 1, 0, -1):
        y[:row] -= upper[:row, row] * below[:row] * y[row]
    return y
