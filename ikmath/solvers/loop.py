# SPDX-License-Identifier: GPL-3.0-or-later
"""The iteration that the incremental methods share.

A method proposes a step for linear rows. The loop owns everything around it: scaling of rows, joint limits,
acceptance (a step that does not lower the error is not taken but damped more and worked out again), reasons to stop
(reached, stalled, out of iterations) and the best pose so far. One pose and a batch have loops of their own for the
reason that `kinematics` gives; the method is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from ..diagnosis import conclude
from ..pose import Pose
from ..problem import Problem, Solution
from ..rotation import Array
from .base import Method, Options

_PATIENCE: Final = 4  # accepted steps that may gain next to nothing before a solve is called stalled
_GAIN: Final = 5e-4  # share of the squared error that counts as next to nothing
_SETTLED: Final = 1e-2  # share by which the posture must come nearer, once all is reached, to go on
_MORE, _LESS, _LEAST, _MOST = 5.0, 0.4, 1e-3, 1e7  # how the caution answers refused and accepted steps


@dataclass(slots=True)
class Linear:
    """What a step is worked out from.

    Attributes:
        problem: the problem of this frame; q: (n,) where the figure stands.
        cost: squared length of the scaled errors; caution: 1 at the start, larger after refused steps.
        mobility: (n,) metric of the coordinates, or None where all are alike.
        wish: (n,) step that the posture asks for, or None.
        level: (k,) priority of each row.
        memory: what the method wants to keep from step to step (a warm start); owned by this solve.
    """

    problem: Problem
    q: Array
    cost: float
    caution: float
    mobility: Array | None
    wish: Array | None
    level: Any
    memory: dict[str, Any]


class Incremental(Method):
    """A method that proposes steps.

    Attributes:
        careful: whether steps that do not lower the error are refused. The texts' plain methods take every step.
    """

    careful: ClassVar[bool] = True

    def step(self, error: Array, jacobian: Array, state: Linear, options: Any) -> Array:
        """Proposed step (n,) for scaled rows: error (k,), jacobian (k, n)."""
        raise TypeError(f"{type(self).__name__} does not say how it steps.")

    def solve(self, problem: Problem, q: Array, options: Any) -> Solution:
        if q.ndim > 1:
            return self.solve_batch(problem, q, options)
        return solve_one(self, problem, q, options)

    def solve_batch(self, problem: Problem, q: Array, options: Any) -> Solution:
        """Solve a batch at once; only called where `batched`."""
        raise TypeError(f"{type(self).__name__} does not say how it solves a batch.")


def solve_one(method: Incremental, problem: Problem, q: Array, options: Options) -> Solution:
    """Iterate one pose until it is there, stalls, or the iterations run out."""
    skeleton, stack, limits = problem.skeleton, problem.stack, problem.limits
    region, tasks = skeleton.region, problem.tasks
    scale: Any = float(stack.scale[0]) if stack.even else stack.scale
    columns: Any = scale if stack.even else stack.scale[:, None]
    tolerance = options.tolerance * options.tolerance
    mobility = None if not skeleton.stiffness.any() else skeleton.mobility
    state = Linear(problem, q, np.inf, 1.0, mobility, None, stack.level, {})
    propose = lambda error, jacobian: method.step(error, jacobian, state, options)  # noqa: E731

    posture = problem.posture
    best_q, best_cost, best_wish, stall, iteration = q, np.inf, np.inf, 0, 0
    error = jacobian = q  # replaced before use: the first pose is always accepted
    stalled = settled = best_reached = False
    while True:
        pose = Pose.trusted(skeleton, q)
        raw, derivative = stack.evaluate(tasks, pose)
        scaled = raw * scale
        cost = float(scaled.dot(scaled))
        extra = limits.rows(pose)
        if extra is not None:
            cost += float(extra.error.dot(extra.error))
        reached = not stack.rows or max(stack.squares(raw).tolist()) < tolerance
        if posture is None:
            if reached:
                best_q = q
                break
            better = cost < best_cost
        else:
            # within the tolerance the posture decides
            wish = posture.gain * (posture.q - q)
            left = float(wish.dot(wish))
            better = left < best_wish if reached and best_reached else cost < best_cost or reached
            settled = reached and left > best_wish * (1.0 - _SETTLED)
            if better or iteration == 0:
                best_wish, best_reached, state.wish = left, reached, wish
        if better or not method.careful:
            stall = 0 if cost < best_cost * (1.0 - _GAIN) else stall + 1
            best_q, best_cost = q, cost
            state.caution = max(state.caution * _LESS, _LEAST)
            error, jacobian = scaled, derivative * columns
            if extra is not None:
                error, jacobian = np.concatenate([error, extra.error]), np.concatenate([jacobian, extra.jacobian])
            state.q, state.cost = q, cost
            stalled = stall >= _PATIENCE
        else:
            state.caution *= _MORE
            stalled = state.caution > _MOST
        if stalled or iteration == options.max_iterations or (posture is not None and settled):
            break
        iteration += 1
        q = limits.step(region, state.q, error, jacobian, propose)
    return conclude(problem, best_q, iteration, options.tolerance, stalled=stalled)
