# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Moore-Penrose pseudo-inverse does to a vector (Ki & Sheen, section 4): it is never built.

All of it through the singular value decomposition, so that rank is judged in one place and a warm-started
decomposition serves every caller. The texts assume a Jacobian of full rank and write `J^T (J J^T)^-1`;
here singular values below a threshold count as zero, which is the same thing where the assumption holds
and stays finite where it does not.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ..svd.decomposition import Svd


def least_squares(decomposition: Svd, right: Array, *, threshold: float | None = None) -> Array:
    """Give the shortest x of those that bring `|matrix x - right|` to its minimum (Ki & Sheen, theorem 4.9).

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
    """Take all that the matrix acts on out of (*batch, n): `(I - J^+ J) z` (Ki & Sheen, theorem 4.4)."""
    right = np.where(decomposition.rank(threshold)[..., None], decomposition.vt, 0.0)
    inner = np.einsum("...kn,...n->...k", right, vector)
    result: Array = vector - np.einsum("...kn,...k->...n", right, inner)
    return result


def null_space_projector(decomposition: Svd, *, threshold: float | None = None) -> Array:
    """Give `I - J^+ J`, (*batch, n, n), the projection onto the null space (Ki & Sheen, eq. 6.1)."""
    right = np.where(decomposition.rank(threshold)[..., None], decomposition.vt, 0.0)
    result: Array = np.eye(right.shape[-1]) - right.swapaxes(-1, -2) @ right
    return result


def inverse_values(decomposition: Svd, threshold: float | None = None) -> Array:
    """Give 1 / s where the singular value counts, else 0: (*batch, k)."""
    counts = decomposition.rank(threshold)
    result: Array = counts / np.where(counts, decomposition.s, 1.0)
    return result
