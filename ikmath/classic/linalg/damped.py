# SPDX-License-Identifier: GPL-3.0-or-later
"""Damped least squares: a step that is bounded where the pseudo-inverse is not (Ki & Sheen, 7; Ge, 3.2).

`minimise |dX - J dh|^2 + c^2 |dh|^2`. The damping c, in the units of the singular values, trades the
remaining error against the length of the step; `condition_number` and `residual_bounds` give both effects.
"""

import numpy as np

from ... import arguments
from ...arrays import Array
from ...errors import BadValue
from ..svd.decomposition import Svd, as_matrix


def damped_least_squares(decomposition: Svd, right: Array, damping: float | Array) -> Array:
    """The minimiser of `|right - J x|^2 + c^2 |x|^2`, (*batch, n) (Ki & Sheen, eq. 7.2).

    Args:
        decomposition: of J (*batch, m, n).
        right: (*batch, m).
        damping: c, not negative, one number or (*batch,); 0 is the pseudo-inverse.

    Raises:
        BadValue: the damping is negative or NaN.
    """
    inner = np.einsum("...mk,...m->...k", decomposition.u, right) * damped_values(decomposition, damping)
    result: Array = np.einsum("...kn,...k->...n", decomposition.vt, inner)
    return result


def damped_values(decomposition: Svd, damping: float | Array) -> Array:
    """Damped reciprocals s / (s^2 + c^2), (*batch, k): about 1 / s for s >> c, 0 for s = 0 (Ge, 3.2)."""
    square = _square(damping)[..., None]
    # Without damping, a value whose square would underflow counts as zero.
    denominator = decomposition.s**2 + square
    counts = np.where(square > 0.0, denominator > 0.0, decomposition.rank())
    result: Array = np.where(counts, decomposition.s, 0.0) / np.where(counts, denominator, 1.0)
    return result


def condition_number(jacobian: Array, damping: float | Array) -> Array:
    """The condition number of `J^T J + c^2 I` (Ki & Sheen, lemma 7.1).

    The lemma prints `(s_1^2 + c^2) / c^2`. This holds for a redundant J, n > m. For n <= m, the smallest
    eigenvalue is `s_n^2 + c^2`, which is used then.

    Args:
        jacobian: (*batch, m, n).
        damping: c, not negative, one number or (*batch,).

    Returns:
        (*batch,), infinite for an undamped singular matrix.

    Raises:
        BadShape: fewer than two axes, or an empty axis.
        BadValue: the damping is negative, or a value is not finite.
    """
    matrix = as_matrix(arguments.numbers(jacobian, "Jacobian"), "Jacobian")
    values = np.linalg.svd(matrix, compute_uv=False)
    square = _square(damping)
    smallest = np.zeros(values.shape[:-1]) if matrix.shape[-1] > matrix.shape[-2] else values[..., -1]
    lowest = smallest**2 + square
    highest = values[..., 0] ** 2 + square
    result: Array = np.where(lowest > 0.0, highest / np.where(lowest > 0.0, lowest, 1.0), np.inf)
    return result


def residual_bounds(jacobian: Array, damping: float | Array) -> tuple[Array, Array]:
    """Bounds of the share of the task that remains after one damped step (Ki & Sheen, lemma 7.2).

    `c^2 / (s_1^2 + c^2) <= |dX - J dh| / |dX| <= c^2 / (s_m^2 + c^2)` for every dX other than zero. The lemma
    assumes full rank with m <= n; if J has more rows than columns, or low rank, part of dX may be unreachable
    and the upper bound is 1. Equality occurs on both sides (dX along u_1 and u_m), so the strict inequalities
    of the text do not hold.

    Args:
        jacobian: (*batch, m, n).
        damping: c > 0, one number or (*batch,).

    Returns:
        The lower and the upper bound, (*batch,) each.

    Raises:
        BadShape: fewer than two axes, or an empty axis.
        BadValue: the damping is not positive, or a value is not finite.
    """
    matrix = as_matrix(arguments.numbers(jacobian, "Jacobian"), "Jacobian")
    values = np.linalg.svd(matrix, compute_uv=False)
    square = _square(damping)
    if not (square > 0.0).all():
        raise BadValue("damping", "must be positive for a bound on the residual.")
    smallest = np.zeros(values.shape[:-1]) if matrix.shape[-2] > matrix.shape[-1] else values[..., -1]
    return square / (values[..., 0] ** 2 + square), square / (smallest**2 + square)


def _square(damping: float | Array) -> Array:
    factor = arguments.numbers(damping, "damping")
    if (factor < 0.0).any():
        raise BadValue("damping", "must be a number that is not negative.")
    return factor * factor
