# SPDX-License-Identifier: GPL-3.0-or-later
"""Several effectors, each in the null space of those of higher priority (Ki & Sheen, sections 5 and 6).

The formulas for two effectors (5.3), for any number (the recursion 6.1 to 6.4) and the general solution with
a null-space vector (5.2, 6.13, theorem 6.18) are one algorithm, `linalg.priority`. The goals of one priority
correspond to one effector of the text; the posture is the vector Z, projected by F_M.

The proofs require full rank of all goals together. In a stretched figure, or for goals that contradict each
other, the printed form divides by almost zero. There `damping` keeps the steps finite and the order strict;
damping 0 and threshold 0 give the printed form.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from ...diagnosis.status import conclude
from ...model.pose import Pose
from ...parameters import setting
from ...problem.problem import Problem, Solution, Status
from ...rotation import Array
from ...solvers.method import Options
from ..limits.base import ByRows, limits_of
from ..linalg.priority import solve_in_order
from ..loop import Incremental
from ..rest import at_rest_in_order, least_tolerance, may_rest
from ..stepping import LEAST, LESS, MORE, MOST, SETTLED, Linear, SteppingOptions, bounded, metric_of

_CLOSING: Final = 0.3  # factor per step of the errors of strong levels that do not count, in squares
_NEAR: Final = 1e-3  # damping that remains at the goals
_YIELD: Final = 0.1  # share of a strong goal's gain in a step that a weak one may cost
_ROUNDING: Final = 1e-6  # share of a squared error; smaller differences of nearest poses are rounding errors


@dataclass(frozen=True, kw_only=True)
class PrioritizedOptions(SteppingOptions):
    """Options of `prioritized`.

    Attributes:
        damping: of the inverses far from the goals (lengths in figure sizes); less near them, more after a
            step that was worse. 0 for none.
        threshold: share of a weaker goal's motion below which its projection counts as zero; 0 for rounding
            only.
    """

    damping: float = setting(
        0.3, "Damping", "Damping of the inverses far from the goals; 0 is the text's form"
    )
    threshold: float = setting(
        1e-3,
        "Threshold",
        "Share of a weaker goal's motion below which it counts as zero",
        maximum=0.999,
    )


class Prioritized(Incremental):
    """See the module."""

    name: ClassVar[str] = "prioritized"
    label: ClassVar[str] = "Prioritized"
    description: ClassVar[str] = "Goals of lower priority use only the motion that higher ones leave free."
    source: ClassVar[str] = "Ki & Sheen, sections 5 and 6"
    options: ClassVar[type[Options]] = PrioritizedOptions
    priorities: ClassVar[bool] = True

    def solve(self, problem: Problem, q: Array, options: Any) -> Solution:
        """Iterate one linear solution after another.

        The shared loop compares the sums of all errors. Here a step is better if the first level that changed
        is better, whatever the later ones lose. A long step for a weak goal disturbs a strong one, because
        the figure is not linear; the next step corrects that. So errors below an allowance, which decreases
        with every step, do not count; otherwise a reached goal would prevent all motion.
        """
        skeleton, stack, limits = problem.skeleton, problem.stack, limits_of(problem)
        mobility = metric_of(skeleton)
        state = Linear(problem, q, np.inf, 1.0, mobility, None, stack.level, {})
        scale = problem.stack.scale
        tolerances = problem.stack.tolerances(options.tolerance, options.angle_tolerance)
        least = (0.5 * least_tolerance(problem, options)) ** 2
        allowed = np.inf  # squared error of a level that does not count; decreases with every step
        best = [np.inf] * len(stack.levels)
        begin = error = jacobian = q
        iteration, patience, stalled, nearest = 0, 0, False, np.inf
        while True:
            pose = Pose.trusted(skeleton, q)
            raw, derivative = stack.evaluate(problem.tasks, pose)
            scaled = raw * scale
            costs = stack.costs(scaled)
            reached = bool((stack.squares(raw) < tolerances**2).all())
            gain = _first_gain(costs, best, allowed)
            settled = False
            if problem.posture is not None:
                posture_step = problem.posture.gain * (problem.posture.q - q)
                left = float(posture_step @ posture_step)
                settled = reached and left > nearest * (1.0 - SETTLED)
                nearest = left if reached else np.inf
            if gain > 0.0 or iteration == 0 or (reached and problem.posture is not None):
                patience = patience + 1 if gain < options.gain else 0
                allowed = max(least, max(costs) if iteration == 0 else allowed * _CLOSING)
                best, state.q, state.cost = costs, q, sum(costs)
                state.caution = max(state.caution * LESS, LEAST)
                extra = limits.rows(pose)
                error, jacobian = scaled, derivative * scale[:, None]
                if extra is not None:
                    error = np.concatenate([error, extra.error])
                    jacobian = np.concatenate([jacobian, extra.jacobian])
                if problem.posture is not None:
                    state.posture_step = posture_step
            else:
                state.caution *= MORE
            stalled = patience >= options.patience or state.caution > MOST
            if stalled and allowed > least:  # no further gain: now without the allowance
                allowed, patience, state.caution, stalled = least, 0, 1.0, False
            done = settled or (reached and problem.posture is None)
            if done or stalled or iteration == options.max_iterations:
                break
            iteration += 1
            q = bounded(problem, state.q, self._within_limits(error, jacobian, state, options))
        answer = _concluded(problem, state.q, iteration, options, stalled=stalled)
        if answer.status is not Status.BEST_EFFORT or not (options.rest and may_rest(problem)):
            return answer
        return self._at_rest(problem, begin, answer, options)

    def _at_rest(self, problem: Problem, begin: Array, answer: Solution, options: Any) -> Solution:
        """The answer at the nearest pose; the initial pose if that is just as good.

        Three and more levels are unchanged: the null space of the third is below rounding.
        """
        stack = problem.stack
        if len(stack.levels) > 2:
            return answer
        q, _ = at_rest_in_order(problem, answer.q)
        poses = [Pose.trusted(problem.skeleton, x) for x in (q, begin)]
        there, here = (stack.costs(stack.evaluate(problem.tasks, pose).error * stack.scale) for pose in poses)
        allowed = (0.5 * least_tolerance(problem, options)) ** 2
        if _first_gain(there, here, allowed) < _ROUNDING:
            q = begin
        return _concluded(problem, q, answer.iterations, options, stalled=True)

    def _within_limits(self, error: Array, jacobian: Array, state: Linear, options: Any) -> Array:
        """The pose (n,) after a step under the limits, for scaled rows: error (k,), jacobian (k, n).

        A limit that a joint reaches for a weak goal must not hinder a strong one. So if limits are reached,
        levels are added one by one, and each only takes the part of its step that does not cost the stronger
        ones.
        """
        problem, here = state.problem, state.q
        region, levels = problem.skeleton.joint_limits, problem.stack.levels
        asked = 0

        def lead(count: int | None) -> Array:
            def step(e: Array, rows: Array) -> Array:
                nonlocal asked
                asked += 1
                return self.step(e, rows, state, options, count)

            return limits_of(problem).step(region, here, error, ByRows(step, jacobian))

        every = lead(None)
        if asked == 1 or len(levels) == 1:
            return every
        to = lead(1)
        for count in range(2, len(levels) + 1):
            weaker = lead(count) if count < len(levels) else every
            share = 1.0
            for rows in levels[: count - 1]:
                left, lost = error[rows] + jacobian[rows] @ (to - here), jacobian[rows] @ (weaker - to)
                gain, loss = _length(error[rows]) - _length(left), _length(lost)
                if _length(left + lost) > _length(left) + _YIELD * max(gain, 0.0):
                    share = min(share, _YIELD * max(gain, 0.0) / loss)
            to = to + share * (weaker - to)
        return region.project(to)

    def step(
        self, error: Array, jacobian: Array, state: Linear, options: Any, count: int | None = None
    ) -> Array:
        """One linear solution for scaled rows: error (k,), jacobian (k, n); of `count` levels or all."""
        root = None if state.mobility is None else np.sqrt(state.mobility)
        weighed = jacobian if root is None else jacobian * root
        level = np.asarray(state.level)
        if len(error) > len(level):  # rows of a limit method: below all goals, as an objective
            level = np.concatenate([level, np.full(len(error) - len(level), level.max(initial=0) + 1)])
        tasks = [(weighed[level == step], -error[level == step]) for step in np.unique(level)[:count]]
        # Far from the goals the linear model does not hold and a long step is useless, as after refused
        # steps.
        damping = options.damping * float(np.sqrt((min(1.0, state.cost) + _NEAR) * state.caution))
        answer = solve_in_order(
            tasks, jacobian.shape[1], damping=damping, threshold=options.threshold or None
        )
        # Without damping, a refused step is repeated shorter, in the same direction.
        dq = answer.x if options.damping > 0.0 else answer.x / max(state.caution, 1.0)
        if state.posture_step is not None and count is None:
            posture_step = state.posture_step if root is None else state.posture_step / root
            dq = dq + answer.free @ posture_step / max(state.caution, 1.0)
        return dq if root is None else root * dq


def _concluded(problem: Problem, q: Array, iterations: int, options: Any, *, stalled: bool) -> Solution:
    return conclude(problem, q, iterations, options, limited_by="" if stalled else "iterations")


def _length(vector: Array) -> float:
    return float(np.sqrt(vector.dot(vector)))


def _first_gain(costs: Sequence[float], best: Sequence[float], allowed: float) -> float:
    """The share by which the first level that changed is better; negative if it is worse.

    Args:
        costs: (levels,) squared errors; best: the best so far; allowed: part that does not count, except for
            the last level.
    """
    last = len(costs) - 1
    for level, (now, before) in enumerate(zip(costs, best, strict=True)):
        if before == np.inf:
            return 1.0
        free = allowed if level < last else 0.0
        now, before = max(now - free, 0.0), max(before - free, 0.0)
        if abs(now - before) > 1e-9 * before:
            return float((before - now) / max(before, now))
    return 0.0
