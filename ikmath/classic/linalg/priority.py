# SPDX-License-Identifier: GPL-3.0-or-later
"""Several linear tasks, the later ones only where the earlier leave room (Ki & Sheen, sections 5 and 6).

For tasks `J_i dh = dX_i` their recursion builds, task after task, the pseudo-inverse of all of them stacked:

    F_1  = I - J_1^+ J_1,   F_(i+1)  = F_i {I - (J_(i+1) F_i)^+ J_(i+1) F_i}                   (6.1, 6.2)
    ~J_1 = J_1^+,           ~J_(i+1) = ({I - F_i (J_(i+1) F_i)^+ J_(i+1)} ~J_i, F_i (J_(i+1) F_i)^+)
                                                                                            (6.3, 6.4)

Applied to the right sides it is the running correction `dh += F_i (J_(i+1) F_i)^+ (dX_(i+1) - J_(i+1)
dh)`, which is what `solve_in_order` does, without building `~J`.

The text assumes that all tasks stacked have full rank; then the order is of no consequence and the result
is the shortest common solution (theorem 6.19). Its lemma 5.1 claims that J_1 and J_2 of full rank each are
enough: two equal ones refute it. Without full rank the recursion still has a meaning, and a better one:
earlier tasks come first, later ones do what they can. But at the edge, where `J_(i+1) F_i` is nearly
singular, its inverse explodes; damping that inverse, but not the projections F, keeps the step small and
the order strict.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ..svd.svd import lapack
from .damped import damped_least_squares
from .pseudoinverse import least_squares


class InOrder(NamedTuple):
    """A solution of tasks in order."""

    x: Array
    """(n,)."""
    free: Array
    """(n, n), F_M: the projection onto what no task acts on."""


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
        threshold: what a later task has left counts as nothing below this share of the task itself; None for
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
    """The threshold, a share of the whole task, as a share of the largest value of what is left of it."""
    whole, rest = float(np.linalg.norm(jacobian)), float(np.linalg.norm(seen, 2))
    least = (
        threshold if threshold is not None else 10.0 * max(jacobian.shape) * float(np.finfo(np.float64).eps)
    )
    return min(least * whole / rest, 1.0) if rest > 0.0 else 1.0
