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
import numpy.typing as npt

from .. import arguments
from ..blocks import Blocks, Held
from ..linalg.many import solve_in_place
from ..parameters import setting
from ..rotation import Array
from .base import Options
from .loop import Incremental, Linear
from .rest import RestOptions

_NEAR: Final = 1e-6  # damping at the goal
_REFUSED: Final = 1e-4  # damping at least after a refused step
_LEAST: Final = 1e-12  # what a damping of 0 becomes, so that singular poses can be left


@dataclass(frozen=True, kw_only=True)
class DampedOptions(RestOptions):
    """Options of `damped`.

    Attributes:
        damping: the constant c, added to squared singular values (lengths in figure sizes; 0 is as good as
            none); None adapts it.
        far: where it adapts, the damping for each unit of squared scaled error.
    """

    damping: float | None = setting(
        None, "Damping", "Weighs the squared length of a step against the squared error it leaves"
    )
    far: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.number(self.far, "far", least=0)


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
        weighed = jacobian if state.mobility is None else jacobian * state.mobility
        damping = _damping(state, options)
        if state.wish is None:
            return np.negative(damped_solution(jacobian, weighed, error, damping))
        # Damping alone would leave the wish, and with it a step that was refused.
        wish: Array = state.wish / max(state.caution, 1.0)
        return wish - damped_solution(jacobian, weighed, error + jacobian.dot(wish), damping)

    def steps(self, jacobian: Blocks, state: Linear, options: Any) -> NormalEquations:
        products = jacobian.products(state.mobility)
        products.reshape(-1, products.shape[2])[:: len(products) + 1] += _damping(state, options)
        wish = None if state.wish is None else state.wish / np.maximum(state.caution, 1.0)
        metric = None if state.mobility is None else state.mobility[:, 0]
        return NormalEquations(jacobian, products, wish, metric)


@dataclass(frozen=True, slots=True)
class NormalEquations:
    """`(J W J^T + c) y = e` of many frames, with `-W J^T y` as the step; see `ProposeMany`.

    Attributes:
        jacobian: J; products: (k, k, B) the left side, upper triangles;
        wish: (n, B) step that the posture asks for, or None; metric: (n,) diagonal of W, or None.
    """

    jacobian: Blocks
    products: Array
    wish: Array | None
    metric: Array | None

    def __call__(self, error: Array, held: Held | None = None, /) -> Array:
        asked = error if self.wish is None else error + self.jacobian.times(self.wish)
        systems = np.concatenate([self.products, asked[:, None]], 1)
        if held is not None:
            if self.wish is not None:
                held = held._replace(way=held.way - held.gone(self.wish))
            self.jacobian.without(held, systems)
        dq = self.jacobian.back(solve_in_place(systems))
        np.negative(dq, out=dq)
        if self.metric is not None:
            dq *= self.metric[:, None]
        return dq if self.wish is None else dq + self.wish

    def of(self, frames: npt.NDArray[np.intp]) -> NormalEquations:
        """The same for some of the frames."""
        wish = None if self.wish is None else self.wish.take(frames, 1)
        return NormalEquations(self.jacobian.take(frames), self.products.take(frames, 2), wish, self.metric)


def _damping(state: Linear, options: DampedOptions) -> Any:
    """The constant c of one frame, or (B,) of many."""
    if options.damping is None:
        return (options.far * state.cost + _NEAR) * state.caution
    return _grown(options.damping, state.caution)


def _grown(damping: float, caution: Any) -> Any:
    """A constant damping as the caution, a number or (B,), asks for it."""
    # a step that was refused must become shorter, however small the damping
    if isinstance(caution, float):
        return max(damping, _REFUSED if caution > 1.0 else _LEAST) * max(caution, 1.0)
    least = np.where(caution > 1.0, _REFUSED, _LEAST)
    return np.maximum(damping, least) * np.maximum(caution, 1.0)


def damped_solution(jacobian: Array, weighed: Array, error: Array, damping: float) -> Array:
    """`W J^T (J W J^T + c)^-1 e`.

    Args:
        jacobian: (k, n); weighed: the same with its columns times the mobilities W; error: (k,); damping: c.
    """
    rows, n = jacobian.shape
    if rows <= n:
        normal = weighed.dot(jacobian.T)
        normal.ravel()[:: rows + 1] += damping
        return np.asarray(weighed.T.dot(np.linalg.solve(normal, error)))
    # the same step from the smaller system, (W J^T J + c) dq = W J^T e
    normal = weighed.T.dot(jacobian)
    normal.ravel()[:: n + 1] += damping
    return np.asarray(np.linalg.solve(normal, weighed.T.dot(error)))
