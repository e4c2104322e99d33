# SPDX-License-Identifier: GPL-3.0-or-later
"""Damped least squares: the pseudo-inverse that survives singular poses.

Minimises `|J dq + e|^2 + c |dq|^2` (Ki & Sheen, section 7; Ge, 3.2) in the metric of the joints' stiffness,
with the posture acting where the goals leave the figure free. The damping c adapts by itself: it is large
while the figure is far from its goals, where the linear picture does not hold, vanishes near them, where
Newton's step is right, and grows when a step turned out worse (Levenberg and Marquardt).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from ..parameters import setting
from ..rotation import Array
from .base import Options
from .loop import Incremental, Linear
from .rest import RestOptions

_FAR: Final = 0.1  # damping for each unit of squared scaled error
_NEAR: Final = 1e-6  # damping at the goal
_REFUSED: Final = 1e-4  # damping at least after a refused step
_MANY: Final = 50  # frames from which on it is worth to look for zeros before they are multiplied
_LEAST: Final = 1e-12  # what a damping of 0 becomes, so that singular poses can be left


@dataclass(frozen=True, kw_only=True)
class DampedOptions(RestOptions):
    """Options of `damped`.

    Attributes:
        damping: the constant c, added to squared singular values (lengths in figure sizes; 0 is as good as
            none); None adapts it.
    """

    damping: float | None = setting(
        None, "Damping", "Weighs the squared length of a step against the squared error it leaves"
    )


class Damped(Incremental):
    """See the module."""

    name: ClassVar[str] = "damped"
    label: ClassVar[str] = "Damped Least Squares"
    description: ClassVar[str] = (
        "All goals weighed together, steady in singular poses, damping that adapts by itself."
    )
    source: ClassVar[str] = "Ki & Sheen, section 7; Ge 2000, section 3.2"
    options: ClassVar[type[Options]] = DampedOptions
    obstacles: ClassVar[bool] = True
    batched: ClassVar[bool] = True

    def step(self, error: Array, jacobian: Array, state: Linear, options: Any) -> Array:
        if options.damping is None:
            damping = (_FAR * state.cost + _NEAR) * state.caution
        else:
            damping = _grown(options.damping, state.caution)
        weighed = jacobian if state.mobility is None else jacobian * state.mobility
        if state.wish is None:
            return np.negative(damped_solution(jacobian, weighed, error, damping))
        # Damping alone would leave the wish, and with it a step that was refused.
        wish = state.wish / np.maximum(state.caution, 1.0)
        dq: Array = wish - damped_solution(jacobian, weighed, error + (jacobian * wish).sum(1), damping)
        return dq


def _grown(damping: float, caution: Any) -> Any:
    """A constant damping as the caution, a number or (B,), asks for it."""
    # a step that was refused must become shorter, however small the damping
    if isinstance(caution, float):
        return max(damping, _REFUSED if caution > 1.0 else _LEAST) * max(caution, 1.0)
    least = np.where(caution > 1.0, _REFUSED, _LEAST)
    return np.maximum(damping, least) * np.maximum(caution, 1.0)


def damped_solution(jacobian: Array, weighed: Array, error: Array, damping: Any) -> Array:
    """`W J^T (J W J^T + c)^-1 e`, for one frame or for many at once.

    Args:
        jacobian: (k, n, ...); weighed: the same with its columns times the mobilities W; error: (k, ...);
        damping: c, a number or (...).
    """
    rows, n = jacobian.shape[:2]
    if jacobian.ndim == 2:
        if rows <= n:
            normal = weighed.dot(jacobian.T)
            normal.ravel()[:: rows + 1] += damping
            return np.asarray(weighed.T.dot(np.linalg.solve(normal, error)))
        # the same step from the smaller system, (W J^T J + c) dq = W J^T e
        normal = weighed.T.dot(jacobian)
        normal.ravel()[:: n + 1] += damping
        return np.asarray(np.linalg.solve(normal, weighed.T.dot(error)))
    diagonal = np.arange(rows)
    many = _products(weighed, jacobian)
    many[diagonal, diagonal] += damping
    y = np.linalg.solve(np.moveaxis(many, -1, 0), error.T[:, :, None])[:, :, 0].T
    return np.asarray(np.einsum("anb,ab->nb", weighed, y))


def _products(weighed: Array, jacobian: Array) -> Array:
    """`W J J^T` (k, k, B) of (k, n, B) each.

    A limb moves its own effectors only, so that most of a figure's Jacobian is zeros: the columns that are
    zero in the same rows, in all frames, are multiplied together, without those rows.
    """
    if jacobian.shape[2] < _MANY or (moves := (jacobian != 0.0).any(-1)).all():
        return np.asarray(np.einsum("anb,cnb->acb", weighed, jacobian))
    groups: dict[bytes, list[int]] = {}
    for column, moved in enumerate(moves.T):
        groups.setdefault(moved.tobytes(), []).append(column)
    out = np.zeros((len(jacobian), len(jacobian), jacobian.shape[2]))
    for columns in groups.values():
        rows = np.flatnonzero(moves[:, columns[0]])
        own = rows[:, None], np.array(columns)
        part = jacobian[own]
        out[np.ix_(rows, rows)] += np.einsum(
            "anb,cnb->acb", part if weighed is jacobian else weighed[own], part
        )
    return out
