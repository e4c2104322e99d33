# SPDX-License-Identifier: GPL-3.0-or-later
"""The Moore-Penrose pseudo-inverse and the general solution that rests on it (Ki & Sheen, section 4).

All of it through the singular value decomposition, so that rank is judged in one place and a warm-started
decomposition serves every caller. The texts assume a Jacobian of full rank and write `J^T (J J^T)^-1`;
here singular values below a threshold count as zero, which is the same thing where the assumption holds
and stays finite where it does not.
"""

from __future__ import annotations

import numpy as np

from .decomposition import FloatArray, Svd
from .svd import lapack


def pseudoinverse(
    matrix: FloatArray, *, threshold: float | None = None, decomposition: Svd | None = None
) -> FloatArray:
    """Invert in the sense of Moore and Penrose (Ki & Sheen, theorem 4.7).

    Args:
        matrix: (*batch, m, n).
        threshold: singular values up to this share of the largest count as zero; None for max(m, n) epsilon.
        decomposition: of this very matrix, from any backend; None to decompose by LAPACK.

    Returns:
        (*batch, n, m).

    Raises:
        BadShape: fewer than two axes, or an empty one.
        BadValue: NaN or infinity.
    """
    if decomposition is None:
        decomposition, _ = lapack(matrix)
    inverse = inverse_values(decomposition, threshold)
    transposed_u = decomposition.u.swapaxes(-1, -2)
    result: FloatArray = decomposition.vt.swapaxes(-1, -2) @ (inverse[..., None] * transposed_u)
    return result


def least_squares(decomposition: Svd, right: FloatArray, *, threshold: float | None = None) -> FloatArray:
    """Give the shortest x of those that bring `|matrix x - right|` to its minimum (Ki & Sheen, theorem 4.9).

    Args:
        decomposition: of the matrix (*batch, m, n).
        right: (*batch, m).
        threshold: as for `pseudoinverse`.

    Returns:
        (*batch, n).
    """
    inner = np.einsum("...mk,...m->...k", decomposition.u, right)
    inner = inner * inverse_values(decomposition, threshold)
    result: FloatArray = np.einsum("...kn,...k->...n", decomposition.vt, inner)
    return result


def project_to_null_space(
    decomposition: Svd, vector: FloatArray, *, threshold: float | None = None
) -> FloatArray:
    """Take all that the matrix acts on out of (*batch, n): `(I - J^+ J) z` (Ki & Sheen, theorem 4.4)."""
    right = np.where(decomposition.rank(threshold)[..., None], decomposition.vt, 0.0)
    inner = np.einsum("...kn,...n->...k", right, vector)
    result: FloatArray = vector - np.einsum("...kn,...k->...n", right, inner)
    return result


def general_solution(
    matrix: FloatArray,
    right: FloatArray,
    vector: FloatArray,
    *,
    threshold: float | None = None,
    decomposition: Svd | None = None,
) -> FloatArray:
    """Solve `J dh = dX`, with `vector` telling which of the solutions (Ki & Sheen, 4.3; Ge, eq. 4.2).

    `dh = J^+ dX + (I - J^+ J) z`: of all solutions the one nearest to z. (Ki & Sheen write (J^+ J - I) Z;
    their Z is arbitrary and this -z.)

    Args:
        matrix: (*batch, m, n).
        right: (*batch, m).
        vector: z, (*batch, n).
        threshold: as for `pseudoinverse`.
        decomposition: of this matrix, or None.

    Returns:
        (*batch, n).
    """
    if decomposition is None:
        decomposition, _ = lapack(matrix)
    shortest = least_squares(decomposition, right, threshold=threshold)
    return shortest + project_to_null_space(decomposition, vector, threshold=threshold)


def null_space_projector(
    matrix: FloatArray, *, threshold: float | None = None, decomposition: Svd | None = None
) -> FloatArray:
    """Give `I - J^+ J`, (*batch, n, n), the projection onto the null space (Ki & Sheen, eq. 6.1)."""
    if decomposition is None:
        decomposition, _ = lapack(matrix)
    right = np.where(decomposition.rank(threshold)[..., None], decomposition.vt, 0.0)
    result: FloatArray = np.eye(right.shape[-1]) - right.swapaxes(-1, -2) @ right
    return result


def inverse_values(decomposition: Svd, threshold: float | None = None) -> FloatArray:
    """Give 1 / s where the singular value counts, else 0: (*batch, k)."""
    counts = decomposition.rank(threshold)
    result: FloatArray = counts / np.where(counts, decomposition.s, 1.0)
    return result
