# SPDX-License-Identifier: GPL-3.0-or-later
"""The way to the posture: of all poses that do the same for the goals, the nearest to it.

Where a goal is short, all joints that have a part in it stay, and the others relax.

What the goals hold fast is a curved surface, and the posture draws the figure along it. Steps of the linear
picture with the posture as a wish below all levels (`picture`) are steepest descents there, in the metric of
the joints. Where goals are far from where the posture has them, the surface is curved as much as the measure
is, and such steps creep along valleys: a hand on the floor stays tens of degrees away from the pose that
would do (measured). So the way is turned by what the steps before have shown of the curvature (Nocedal's
two loops, here between tangents of the surface), and each step is put back on the surface before it is
judged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ....rotation import Array
from ....solvers.method import Allows
from ...stepping import LEAST
from .descent import Descent
from .standing import Memory, State

_RECENT: Final = 6  # steps that tell of the curvature
_CURVED: Final = 1e-4  # share of a step by which the way down must have changed along it, to tell anything
_STILL: Final = 1e-3  # radians or figure sizes; who would not go farther is there
_FARTHEST: Final = 0.5  # radians or figure sizes that the first step goes at most
_LESS, _MORE = 0.3, 2.0  # how the farthest step answers one that was no good, and one that was
_RETURNS: Final = 4  # steps back onto the surface
_EXACT: Final = 1e-10  # squared errors, in figure sizes, from which on there is no need for them
_SAME: Final = 1e-9  # share of its squared error by which what is short may be so more, for rounding
_GAIN: Final = 1e-7  # share of the squared distance from the posture that a step must gain


@dataclass
class _Bends:
    """What steps have shown of the curvature.

    Attributes:
        shown: steps (n,) with how much that changed the way down (n,), both in the metric; oldest first.
    """

    shown: list[tuple[Array, Array]] = field(default_factory=list)

    def learn(self, step: Array, change: Array) -> None:
        """Take notice of a step and of what it changed, if it went where the measure curves up."""
        if step.dot(change) > _CURVED * step.dot(step):
            self.shown = [*self.shown, (step, change)][-_RECENT:]

    def way(self, down: Array) -> Array:
        """Where to go (n,), where steepest descent would go (n,)."""
        if not self.shown:
            return down
        way, shares = down.copy(), []
        for step, change in reversed(self.shown):
            shares.append(step.dot(way) / step.dot(change))
            way -= shares[-1] * change
        step, change = self.shown[-1]
        way *= step.dot(change) / change.dot(change)
        for (step, change), share in zip(self.shown, reversed(shares), strict=True):
            way += (share - change.dot(way) / step.dot(change)) * step
        return way


def relax(
    descent: Descent, state: State, most: int, allows: Allows | None = None, reach: float = np.inf
) -> tuple[State, int, bool]:
    """Go on towards the posture, and keep all goals as near as they are.

    Args:
        descent: a solve whose problem has a posture; state: where it has ended; most: steps.
        allows: whether the figure may be at coordinates (n,); None for everywhere.
        reach: radians or figure sizes after which it stays, be there more to gain or not.

    Returns:
        The state, how many steps were tried, and whether nothing more could be gained.
    """
    metric, bends, farthest = descent.stack.metric, _Bends(), _FARTHEST
    kept = [max(cost * (1.0 + _SAME), _EXACT) for cost in state.costs]
    if not state.reached:
        short = np.array(state.squares) >= descent.tolerances**2
        descent.picture.still = descent.stack.moved[short].any(0)
    strides, start = descent.problem.strides, state.q
    measure = metric / strides
    memory = Memory([LEAST] * len(state.costs), descent.working)
    down = _along(descent, state, memory, state.wish)
    moved: Array | None = None  # the step before, if it was taken
    for steps in range(most):
        if moved is not None:
            then, down = down, _along(descent, state, memory, state.wish)
            bends.learn(moved, then - down)
        if np.abs(down * measure).max() < _STILL:
            return state, steps, True
        room = reach - float(np.abs((state.q - start) / strides).max())
        if room < _STILL:
            return state, steps, False
        way = down if not bends.shown else _along(descent, state, memory, bends.way(down) * metric)
        length = float(np.abs(way * measure).max())
        share = min(1.0, min(farthest, room) / max(length, _STILL))
        trial = _landed(descent, state, share * way * metric, memory, kept)
        allowed = trial is not None and (allows is None or allows(trial.q))
        if trial is not None and allowed and trial.left < state.left * (1.0 - _GAIN):
            moved, state, farthest = (trial.q - state.q) / metric, trial, _MORE * farthest
            continue
        moved, farthest = None, _LESS * min(farthest, length)
        if farthest < _STILL:
            return state, steps + 1, True
    return state, most, False


def _along(descent: Descent, state: State, memory: Memory, wish: Array | None) -> Array:
    """Where the goals and the limits let a wish (n,) lead, in the metric (n,)."""
    to = descent.picture.step(state, memory, wish=wish)
    return np.asarray((to - state.q) / descent.stack.metric)


def _landed(descent: Descent, state: State, way: Array, memory: Memory, kept: list[float]) -> State | None:
    """The pose where a step (n,) leads, once the goals have back what it took; None if it is lost.

    Args:
        kept: what each level of a pose that is short may cost.
    """
    trial = descent.move(state, descent.skeleton.region.project(state.q + way))
    for _ in range(_RETURNS):
        if trial is None or _is_back(trial, state, kept):
            return trial
        trial = descent.move(trial, descent.picture.step(trial, memory, wish=None))
    return trial if trial is not None and (trial.reached or _is_back(trial, state, kept)) else None


def _is_back(trial: State, state: State, kept: list[float]) -> bool:
    """Whether a pose does for the goals what another one did."""
    if state.reached:
        return trial.reached and sum(trial.costs) <= max(sum(state.costs), _EXACT)
    return all(cost <= most for cost, most in zip(trial.costs, kept, strict=True))
