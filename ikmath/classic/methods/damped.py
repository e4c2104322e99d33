# SPDX-License-Identifier: GPL-3.0-or-later
"""Damped least squares: the pseudo-inverse that survives singular poses.

Minimises `|J dq + e|^2 + c |dq|^2` (Ki & Sheen, section 7; Ge, 3.2) in the metric of the joints' stiffness,
with the posture acting where the goals leave the figure free. The damping c adapts by itself: it is large
while the figure is far from its goals, where the linear picture does not hold, vanishes near them, where
Newton's step is right, and grows when a step turned out worse (Levenberg and Marquardt).

A batch takes the same steps as its frames one by one, up to rounding. The ends may differ in two cases. If
all is reached, a single frame may end with a step along old slopes, within the tolerance. If targets are out
of reach, poses of the same error may be radians apart, and rounding chooses among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, sqrt
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from ... import arguments
from ...limits import Propose
from ...model.active_directions import HeldOfMany, HeldOfOne
from ...parameters import setting
from ...rotation import Array
from ...solvers.method import Options
from ..jacobian_blocks import Blocks
from ..linalg.many import solve_in_place
from ..loop import Incremental
from ..stepping import Linear, SteppingOptions

_NEAR: Final = 1e-6  # damping at the goal
_REFUSED: Final = 1e-4  # damping at least after a refused step
_LEAST: Final = 1e-12  # what a damping of 0 becomes, so that singular poses can be left


@dataclass(frozen=True, kw_only=True)
class DampedOptions(SteppingOptions):
    """Options of `damped`.

    Attributes:
        damping: the constant c, added to squared singular values (lengths in figure sizes; 0 is as good as
            none); None adapts it.
        far: where it adapts, the damping for each unit of squared scaled error.
        string: figure sizes from which on a place that is farther away pulls as if on a string of that
            length; infinite for none. For many frames at once there are none.
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
        """Far places on strings: as strong as they are far, but bent about the figure as near ones are.

        `J^T J` of a row does not contain how much its error's own direction turns with the figure. Of
        a target ten limbs away that is ten times as much as of one that is a limb away; rows that weigh so
        much more take its place, and steps need no damping for it.
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
        wish = _wish(state)
        asked = error if wish is None else error + jacobian.dot(wish)
        normal = weighed.dot(jacobian)
        normal.ravel()[:: n + 1] += _damping(state, options)
        dq = np.linalg.solve(normal, -weighed.dot(asked))
        return np.asarray(dq if wish is None else dq + wish)

    def proposal(self, jacobian: Array, state: Linear, options: Any) -> Propose:
        if len(jacobian) > jacobian.shape[1]:
            return super().proposal(jacobian, state, options)
        weighed = jacobian if state.mobility is None else jacobian * state.mobility
        products = weighed.dot(jacobian.T)
        diagonal = products.ravel()[:: len(products) + 1]
        diagonal += _damping(state, options)
        return NormalEquationsOfOne(jacobian, weighed, products, _wish(state), state.mobility)

    def steps(self, jacobian: Blocks, state: Linear, options: Any) -> NormalEquationsOfMany:
        products = jacobian.products(state.mobility)
        products.reshape(-1, products.shape[2])[:: len(products) + 1] += _damping(state, options)
        wish = None if state.wish is None else state.wish / np.maximum(state.caution, 1.0)
        metric = None if state.mobility is None else state.mobility[:, 0]
        return NormalEquationsOfMany(jacobian, products, wish, metric)


class NormalEquationsOfOne(NamedTuple):
    """`(J W J^T + c) y = e` of one frame, with `-W J^T y` as the step; see `Propose`.

    What is held comes out of the left side, so that to hold something begins with nothing anew.

    Attributes:
        jacobian: J (k, n); weighed: J W; products: (k, k) the left side;
        wish: (n,) step towards the posture, or None; metric: (n,) diagonal of W, or None.
    """

    jacobian: Array
    weighed: Array
    products: Array
    wish: Array | None
    metric: Array | None

    def __call__(self, error: Array, held: HeldOfOne | None = None, /) -> Array:
        wish, products = self.wish, self.products
        asked = error if wish is None else error + self.jacobian.dot(wish)
        if held is not None:
            moved = held.measure.dot(self.weighed.T)
            way = held.way if wish is None else held.way - held.measure.dot(wish)
            products, asked = products - moved.T.dot(moved), asked + way.dot(moved)
        towards: Array = self.weighed.T.dot(np.linalg.solve(products, asked))
        dq = -towards if wish is None else wish - towards
        return dq if held is None else held.keep(dq)


@dataclass(frozen=True, slots=True)
class NormalEquationsOfMany:
    """`(J W J^T + c) y = e` of many frames, with `-W J^T y` as the step; see `ProposeMany`.

    Attributes:
        jacobian: J; products: (k, k, B) the left side, upper triangles;
        wish: (n, B) step towards the posture, or None; metric: (n,) diagonal of W, or None.
    """

    jacobian: Blocks
    products: Array
    wish: Array | None
    metric: Array | None

    def __call__(self, error: Array, held: HeldOfMany | None = None, /) -> Array:
        asked = error if self.wish is None else error + self.jacobian.times(self.wish)
        systems = np.concatenate([self.products, asked[:, None]], 1)
        if held is not None:
            way = held.way if self.wish is None else held.way - held.gone(self.wish)
            self.jacobian.without(held._replace(way=way), systems)
        dq = self.jacobian.back(solve_in_place(systems))
        np.negative(dq, out=dq)
        if self.metric is not None:
            dq *= self.metric[:, None]
        if self.wish is not None:
            dq += self.wish
        return dq if held is None else held.keep(dq)


def _pulls(error: Array, state: Linear, length: float) -> Array | None:
    """(k,) roots of what rows weigh as if places pulled on strings, 1 for those that are near; None for all.

    Args:
        error: (k,) scaled; state: where the figure stands; length: of the strings, figure sizes.
    """
    numbers, pulls, start = error.tolist(), [], 0  # a few effectors cost less in plain numbers
    for rows, size in state.problem.stack.sizes:
        far = hypot(*numbers[start : start + rows]) / (length * size)
        pulls += [sqrt(far) if far > 1.0 else 1.0] * rows
        start += rows
    if max(pulls, default=1.0) <= 1.0:
        return None
    return np.array(pulls + [1.0] * (len(numbers) - start))  # limits add rows at the end


def _wish(state: Linear) -> Array | None:
    """(n,) the step of one frame towards the posture, or None.

    Damping alone would leave it, and with it a step that was refused.
    """
    return state.wish if state.wish is None or state.caution <= 1.0 else state.wish / state.caution


def _damping(state: Linear, options: DampedOptions) -> Any:
    """The constant c of one frame, or (B,) of many."""
    if options.damping is None:
        return (options.far * state.cost + _NEAR) * state.caution
    return _grown(options.damping, state.caution)


def _grown(damping: float, caution: Any) -> Any:
    """A constant damping, raised by the caution, a number or (B,)."""
    # a step that was refused must become shorter, however small the damping
    if isinstance(caution, float):
        return max(damping, _REFUSED if caution > 1.0 else _LEAST) * max(caution, 1.0)
    least = np.where(caution > 1.0, _REFUSED, _LEAST)
    return np.maximum(damping, least) * np.maximum(caution, 1.0)
