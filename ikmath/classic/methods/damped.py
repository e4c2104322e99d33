# SPDX-License-Identifier: GPL-3.0-or-later
"""Damped least squares: a pseudo-inverse that is bounded in singular poses.

Minimises `|J dq + e|^2 + c |dq|^2` (Ki & Sheen, section 7; Ge, 3.2) in the metric of the joints' stiffness,
with the posture in the null space of the goals. The damping c adapts itself: it is large far from the goals,
where the linear model does not hold, vanishes near them, where the Newton step is right, and grows after a
step that was worse (Levenberg and Marquardt).

A batch takes the same steps as its frames one by one, up to rounding. The results may differ in two cases. If
all goals are reached, a single frame may end with a step from previous derivatives, within the tolerance. If
targets are out of reach, poses of the same error may be radians apart, and rounding decides among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from ... import arguments
from ...parameters import setting
from ...rotation import Array
from ...solvers.method import Options
from ..active_directions import HeldOfMany, HeldOfOne
from ..jacobian_blocks import Blocks
from ..limits.base import Propose
from ..linalg.many import solve_in_place
from ..loop import Incremental
from ..stepping import Linear, SteppingOptions

_NEAR: Final = 1e-6  # damping at the goal
_REFUSED: Final = 1e-4  # least damping after a refused step
_LEAST: Final = 1e-12  # least damping, so that singular poses can be left


@dataclass(frozen=True, kw_only=True)
class DampedOptions(SteppingOptions):
    """Options of `damped`.

    Attributes:
        damping: the constant c, added to squared singular values (lengths in figure sizes; 0 for almost
            none); None adapts it.
        far: if it adapts, the damping per unit of squared scaled error.
        string: distance in figure sizes above which the weight of a position goal grows with its distance,
            see `pulled`; infinite for none. Not used for many frames at once.
    """

    damping: float | None = setting(
        None, "Damping", "Weight of the squared step length against the squared error that is left"
    )
    far: float = 0.1
    string: float = np.inf

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.number(self.far, "far", least=0)
        arguments.number(self.string, "string", above=0, endless=True)


class Damped(Incremental):
    """See the module."""

    name: ClassVar[str] = "damped"
    label: ClassVar[str] = "Damped Least Squares"
    description: ClassVar[str] = "All goals weighted together. Steady in singular poses; the damping adapts."
    source: ClassVar[str] = "Ki & Sheen, section 7; Ge 2000, section 3.2"
    options: ClassVar[type[Options]] = DampedOptions
    obstacles: ClassVar[bool] = True
    batched: ClassVar[bool] = True
    simplifies: ClassVar[bool] = True

    def pulled(self, error: Array, jacobian: Array, state: Linear, options: Any) -> tuple[Array, Array]:
        """Raise the weights of far targets in proportion to their distance.

        `J^T J` of a row omits the change of its error's direction with the figure, which is proportional to
        the distance. Weighting the rows accordingly accounts for it, so that steps need no damping for far
        targets.
        """
        if state.cost <= options.string * options.string:
            return error, jacobian
        pulls = _pulls(error, state, options.string)
        if pulls is None:
            return error, jacobian
        error = error / pulls
        state.cost = float(error.dot(error))
        return error, jacobian * pulls[:, None]

    def step(self, error: Array, jacobian: Array, state: Linear, options: Any) -> Array:
        rows, n = jacobian.shape
        if rows <= n:
            return self.proposal(jacobian, state, options)(error)
        # the same step from the smaller system, (W J^T J + c) dq = -W J^T e
        weighed = (jacobian if state.mobility is None else jacobian * state.mobility).T
        posture_step = _posture_step(state)
        asked = error if posture_step is None else error + jacobian.dot(posture_step)
        normal = weighed.dot(jacobian)
        normal.ravel()[:: n + 1] += _damping(state, options)
        dq = np.linalg.solve(normal, -weighed.dot(asked))
        return np.asarray(dq if posture_step is None else dq + posture_step)

    def proposal(self, jacobian: Array, state: Linear, options: Any) -> Propose:
        if len(jacobian) > jacobian.shape[1]:
            return super().proposal(jacobian, state, options)
        weighed = jacobian if state.mobility is None else jacobian * state.mobility
        products = weighed.dot(jacobian.T)
        diagonal = products.ravel()[:: len(products) + 1]
        diagonal += _damping(state, options)
        return NormalEquationsOfOne(jacobian, weighed, products, _posture_step(state), state.mobility)

    def steps(self, jacobian: Blocks, state: Linear, options: Any) -> NormalEquationsOfMany:
        products = jacobian.products(state.mobility)
        products.reshape(-1, products.shape[2])[:: len(products) + 1] += _damping(state, options)
        posture_step = (
            None if state.posture_step is None else state.posture_step / np.maximum(state.caution, 1.0)
        )
        metric = None if state.mobility is None else state.mobility[:, 0]
        return NormalEquationsOfMany(jacobian, products, posture_step, metric)


class NormalEquationsOfOne(NamedTuple):
    """`(J W J^T + c) y = e` of one frame, with the step `-W J^T y`; see `Propose`.

    Held directions are subtracted from the left side, so that holding them needs no new system.

    Attributes:
        jacobian: J (k, n); weighed: J W; products: (k, k) the left side;
        posture_step: (n,) step towards the posture, or None; metric: (n,) diagonal of W, or None.
    """

    jacobian: Array
    weighed: Array
    products: Array
    posture_step: Array | None
    metric: Array | None

    def __call__(self, error: Array, held: HeldOfOne | None = None, /) -> Array:
        posture_step, products = self.posture_step, self.products
        asked = error if posture_step is None else error + self.jacobian.dot(posture_step)
        if held is not None:
            moved = held.measure.dot(self.weighed.T)
            way = held.way if posture_step is None else held.way - held.measure.dot(posture_step)
            products, asked = products - moved.T.dot(moved), asked + way.dot(moved)
        towards: Array = self.weighed.T.dot(np.linalg.solve(products, asked))
        dq = -towards if posture_step is None else posture_step - towards
        return dq if held is None else held.keep(dq)


@dataclass(frozen=True, slots=True)
class NormalEquationsOfMany:
    """`(J W J^T + c) y = e` of many frames, with the step `-W J^T y`; see `ProposeMany`.

    Attributes:
        jacobian: J; products: (k, k, B) the left side, upper triangles;
        posture_step: (n, B) step towards the posture, or None; metric: (n,) diagonal of W, or None.
    """

    jacobian: Blocks
    products: Array
    posture_step: Array | None
    metric: Array | None

    def __call__(self, error: Array, held: HeldOfMany | None = None, /) -> Array:
        asked = error if self.posture_step is None else error + self.jacobian.times(self.posture_step)
        systems = np.concatenate([self.products, asked[:, None]], 1)
        if held is not None:
            way = held.way if self.posture_step is None else held.way - held.gone(self.posture_step)
            self.jacobian.without(held._replace(way=way), systems)
        dq = self.jacobian.back(solve_in_place(systems))
        np.negative(dq, out=dq)
        if self.metric is not None:
            dq *= self.metric[:, None]
        if self.posture_step is not None:
            dq += self.posture_step
        return dq if held is None else held.keep(dq)


def _pulls(error: Array, state: Linear, length: float) -> Array | None:
    """(k,) square roots of the weights of the rows by distance, 1 for near targets; None if all are 1.

    Args:
        error: (k,) scaled; state: of the step; length: distance from which weights grow, figure sizes.
    """
    stack = state.problem.stack
    # scaled errors of effectors that are that far away
    least = length * state.problem.length * stack.scale.take(stack.starts)
    squares, counts = stack.squares(error[: stack.rows]), stack.is_length & (least > 0.0)
    if not (squares > least * least)[counts].any():
        return None
    far = np.where(counts, np.sqrt(squares) / np.where(counts, least, 1.0), 1.0)
    pulls = np.ones(len(error))  # limits add rows at the end
    pulls[: stack.rows] = np.sqrt(np.maximum(far, 1.0)).take(stack.effector)
    return pulls


def _posture_step(state: Linear) -> Array | None:
    """(n,) the step of one frame towards the posture, or None.

    It becomes shorter after refused steps, because damping alone would not shorten it.
    """
    return (
        state.posture_step
        if state.posture_step is None or state.caution <= 1.0
        else state.posture_step / state.caution
    )


def _damping(state: Linear, options: DampedOptions) -> Any:
    """The constant c of one frame, or (B,) of many."""
    if options.damping is None:
        return (options.far * state.cost + _NEAR) * state.caution
    return _grown(options.damping, state.caution)


def _grown(damping: float, caution: Any) -> Any:
    """A constant damping, raised by the caution, a number or (B,)."""
    # the step after a refused one must be shorter, however small the damping
    if isinstance(caution, float):
        return max(damping, _REFUSED if caution > 1.0 else _LEAST) * max(caution, 1.0)
    least = np.where(caution > 1.0, _REFUSED, _LEAST)
    return np.maximum(damping, least) * np.maximum(caution, 1.0)
