# SPDX-License-Identifier: GPL-3.0-or-later
"""Several linear tasks, each in the null space of the earlier ones (Ki & Sheen, sections 5 and 6).

For tasks `J_i dh = dX_i` the recursion builds, task after task, the pseudo-inverse of all of them stacked:

    F_1  = I - J_1^+ J_1,   F_(i+1)  = F_i {I - (J_(i+1) F_i)^+ J_(i+1) F_i}                   (6.1, 6.2)
    ~J_1 = J_1^+,           ~J_(i+1) = ({I - F_i (J_(i+1) F_i)^+ J_(i+1)} ~J_i, F_i (J_(i+1) F_i)^+)
                                                                                            (6.3, 6.4)

Applied to the right sides it is the correction `dh += F_i (J_(i+1) F_i)^+ (dX_(i+1) - J_(i+1) dh)`, which
`solve_in_order` computes without `~J`.

The text assumes that all stacked tasks have full rank. Then the order does not matter and the result is the
shortest common solution (theorem 6.19). Its lemma 5.1 claims that full rank of each of J_1 and J_2 is enough,
which is wrong for two equal ones. Without full rank the recursion gives earlier tasks priority over later
ones. If `J_(i+1) F_i` is nearly singular, its inverse is huge; damping this inverse, but not the projections
F, keeps the step small and the order strict.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ..svd.svd import lapack
from .damped import damped_least_squares
from .pseudoinverse import least_squares


class InOrder(NamedTuple):
    """The solution of tasks in order."""

    x: Array
    """(n,)."""
    free: Array
    """(n, n), F_M: the projection onto the null space of all tasks."""


def solve_in_order(
    tasks: Sequence[tuple[Array, Array]],
    size: int,
    *,
    damping: float = 0.0,
    threshold: float | None = None,
) -> InOrder:
    """Solve tasks `J_i x = dX_i`, the first one strongest.

    Args:
        tasks: Jacobians (m_i, n) with right sides (m_i,).
        size: n.
        damping: c of the damped inverses, in the units of the singular values; 0 for the text's form.
        threshold: the projection of a later task counts as zero below this share of the task; None for
            rounding only, the text's form.
    """
    x, free = np.zeros(size), np.eye(size)
    for jacobian, right in tasks:
        seen = jacobian @ free
        decomposition, _ = lapack(seen)
        share = _against(jacobian, seen, threshold)
        left = right - jacobian @ x
        if damping > 0.0:
            x = x + free @ damped_least_squares(decomposition, left, damping)
        else:
            x = x + free @ least_squares(decomposition, left, threshold=share)
        kept = decomposition.vt[decomposition.rank(share)]
        free = free - kept.T @ kept
    return InOrder(x, free)


def _against(jacobian: Array, seen: Array, threshold: float | None) -> float:
    """The threshold as a share of the largest singular value of the projection, not of the whole task."""
    whole, rest = float(np.linalg.norm(jacobian)), float(np.linalg.norm(seen, 2))
    least = (
        threshold if threshold is not None else 10.0 * max(jacobian.shape) * float(np.finfo(np.float64).eps)
    )
    return min(least * whole / rest, 1.0) if rest > 0.0 else 1.0
