# SPDX-License-Identifier: GPL-3.0-or-later
"""Products with the Moore-Penrose pseudo-inverse, which is never formed (Ki & Sheen, section 4).

They use the singular value decomposition, so that rank is decided in one place and a warm-started
decomposition can be used everywhere. The texts assume a Jacobian of full rank and write `J^T (J J^T)^-1`.
Here singular values below a threshold count as zero, which is equal for full rank and finite otherwise.
"""

import numpy as np

from ...arrays import Array
from ..svd.decomposition import Svd


def least_squares(decomposition: Svd, right: Array, *, threshold: float | None = None) -> Array:
    """The shortest x that minimises `|matrix x - right|` (Ki & Sheen, theorem 4.9).

    Args:
        decomposition: of the matrix (*batch, m, n).
        right: (*batch, m).
        threshold: singular values up to this share of the largest count as zero; None for max(m, n) epsilon.

    Returns:
        (*batch, n).
    """
    inner = np.einsum("...mk,...m->...k", decomposition.u, right)
    inner = inner * inverse_values(decomposition, threshold)
    result: Array = np.einsum("...kn,...k->...n", decomposition.vt, inner)
    return result


def project_to_null_space(decomposition: Svd, vector: Array, *, threshold: float | None = None) -> Array:
    """The part of (*batch, n) in the null space of the matrix: `(I - J^+ J) z` (Ki & Sheen, theorem 4.4)."""
    right = np.where(decomposition.rank(threshold)[..., None], decomposition.vt, 0.0)
    inner = np.einsum("...kn,...n->...k", right, vector)
    result: Array = vector - np.einsum("...kn,...k->...n", right, inner)
    return result


def null_space_projector(decomposition: Svd, *, threshold: float | None = None) -> Array:
    """`I - J^+ J`, (*batch, n, n), the projection onto the null space (Ki & Sheen, eq. 6.1)."""
    right = np.where(decomposition.rank(threshold)[..., None], decomposition.vt, 0.0)
    result: Array = np.eye(right.shape[-1]) - right.swapaxes(-1, -2) @ right
    return result


def inverse_values(decomposition: Svd, threshold: float | None = None) -> Array:
    """1 / s, or 0 for singular values that count as zero: (*batch, k)."""
    counts = decomposition.rank(threshold)
    result: Array = counts / np.where(counts, decomposition.s, 1.0)
    return result
