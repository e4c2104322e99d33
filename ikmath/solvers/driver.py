# SPDX-License-Identifier: GPL-3.0-or-later
"""The one iteration of the solver: evaluate, propose a step, take it or damp it, stop for a named reason.

A step is taken if the merit falls by a share of what was promised (gain ratio; Nocedal & Wright 2006, 4.1 and
10.3); a step that leaves a curved strong level is put back onto it first (second-order correction; 18.3).
Damping follows Levenberg and Marquardt with Nielsen's factors (1999). Where Gauss-Newton steps converge
slowly, steps by curvature follow (`newton_step`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial

import numpy as np
from numpy.linalg import norm

from .. import arguments
from ..arrays import Index
from ..linalg.hierarchical_qp import Level, Signs, hierarchical_qp
from ..model.pose import Pose
from ..problem.problem import Problem
from ..rotation import Array
from .collision_guard import CollisionGuard
from .iterate import Iterate, Merit, ScaledPosture
from .method import Pausing
from .newton_step import NewtonStep, StepModel, nearly_met
from .parameters import HierarchicalParameters, Patience
from .step_bounds import NO_NAMES, Bounds, Face, Inequalities, StepBounds, short_way
from .step_model import Correction, GaussNewtonStep, Metric


class Stop(Enum):
    """Why an iteration ended."""

    REACHED = "every effector is within its tolerance, and nothing else was asked for"
    NEAR = "every level is nearly met, and steps by curvature converge faster"
    CONVERGED = "no step improves the first level that is short, nor those below it"
    IDLE = "a frame's goals gain nothing more; its posture could"
    ITERATIONS = "the iterations ran out"
    TIME = "the time ran out"


@dataclass
class Budget:
    """What a solve may still spend. Every iteration counts, whether its step is taken or not.

    Second-order corrections belong to their iteration (Nocedal & Wright 2006, 18.3); they are counted apart.

    Attributes:
        iterations: left; taken: spent.
        deadline: of `time.perf_counter`, seconds; one iteration is always made.
        corrections: steps of second order that were worked out.
    """

    iterations: int
    deadline: float = np.inf
    taken: int = 0
    corrections: int = 0

    def out_of_time(self) -> bool:
        """Whether the deadline has passed."""
        return time.perf_counter() > self.deadline

    def spend(self, count: int) -> None:
        """So many iterations."""
        self.iterations -= count
        self.taken += count

    def add(self, part: Budget) -> None:
        """What a part of the solve has spent."""
        self.spend(part.taken)
        self.corrections += part.corrections


class IterationDriver:
    """Iterations of one problem.

    Args:
        problem: of one frame; posture: its cost or None; bounds: of steps; guard: of obstacles, or None.
        parameters: of the solver; tolerances: (E,) of the effectors.
        active: of the levels, the active sets to begin with, and the names of the rows in them.

    Attributes:
        active: of the levels, which coordinates (n,) were at their bounds in the last step.
        chooses: whether a posture cost chooses between all poses.
    """

    def __init__(
        self,
        problem: Problem,
        posture: ScaledPosture | None,
        bounds: StepBounds,
        guard: CollisionGuard | None,
        parameters: HierarchicalParameters,
        tolerances: Array,
        active: tuple[Sequence[Signs], Sequence[Index]] = ((), ()),
    ) -> None:
        self.problem, self.posture, self.bounds, self.guard = problem, posture, bounds, guard
        self.parameters, self.tolerances = parameters, tolerances
        self.active, self.held = active
        self.chooses = problem.posture_cost is not None
        self.last: tuple[Bounds, Sequence[Signs]] | None = None
        self.merit = Merit(len(problem.stack.levels), posture is not None, parameters)

    def begin(self, q: Array, known: Pose | None = None) -> Iterate:
        """The iterate at q (n,), out of all obstacles if there is a way out."""
        skeleton = self.problem.skeleton
        if known is None or known.skeleton is not skeleton or not np.array_equal(known.q, q):
            known = Pose.trusted(skeleton, q)
        if self.guard is None:
            return Iterate(self.problem, known, self.posture)
        near = self.guard.begun(known)
        return Iterate(self.problem, near.pose, self.posture, near)

    def run(
        self,
        iterate: Iterate,
        budget: Budget,
        correction: Correction | None,
        patience: Patience,
        *,
        at_once: bool = False,
        nearly: bool = False,
    ) -> Pausing[tuple[Iterate, Stop]]:
        """Gauss-Newton steps, until every effector is where it should be or they converge slowly.

        Args:
            patience: with slow and refused steps.
            at_once: whether to end at the first iterate at which every effector is where it should be, or
                after a step that promises the goals next to nothing.
            nearly: whether to end at the first iterate at which every level is nearly met.
        """

        def model(iterate: Iterate, waited: int, refusals: int) -> StepModel:
            aside = known.aside(iterate)
            return GaussNewtonStep(
                self.problem, iterate, self.merit, self.parameters, aside, strides=waited == 0
            )

        known = correction or Correction()
        return self._descend(iterate, budget, model, known, patience, at_once=at_once, nearly=nearly)

    def refine(self, iterate: Iterate, budget: Budget, share: float = 0.0) -> Pausing[tuple[Iterate, Stop]]:
        """Steps by curvature, to the constrained minimum.

        Args:
            share: of the costs; it ends where a few steps in a row change none by more. At 0 more such steps
                are waited for, which change no cost beyond rounding.
        """

        def model(iterate: Iterate, waited: int, refusals: int) -> StepModel:
            weights = self.merit.weights
            lenient = refusals == 0 and nearly_met(iterate, own.near)
            others, held = self.inequalities(iterate), self.held[-1] if self.held else NO_NAMES
            return NewtonStep(self.problem, iterate, weights, own, self.active, others, held, lenient=lenient)

        own = self.parameters
        patience = own.at_last if share == 0.0 else own.before_curvature
        return self._descend(iterate, budget, model, Correction(), patience._replace(share=share))

    def _descend(
        self,
        iterate: Iterate,
        budget: Budget,
        make: Callable[[Iterate, int, int], StepModel],
        correction: Correction,
        patience: Patience,
        *,
        at_once: bool = False,
        nearly: bool = False,
    ) -> Pausing[tuple[Iterate, Stop]]:
        """Better and better poses by one kind of step; where it ends short, what is met is put right.

        Args:
            make: the model of an iterate after so many slow steps in a row, and so many refused ones at all.
            patience, at_once, nearly: see `run`.
        """
        own, units = self.parameters, self.problem.strides
        damping, slow, refused, refusals, idle = correction.damping, 0, 0, 0, False
        model: StepModel | None = None
        reach = np.inf  # how long a step may be, since one was refused
        done = iterate.reached(self.tolerances)
        while True:
            correction.damping = damping
            if done and (self.posture is None or (at_once and budget.taken)):
                return iterate, Stop.REACHED
            if nearly and nearly_met(iterate, own.near):
                return iterate, Stop.NEAR
            if budget.iterations <= 0:
                return self._put_right(iterate, budget), Stop.ITERATIONS
            if budget.taken and time.perf_counter() > budget.deadline:
                return self._put_right(iterate, budget), Stop.TIME
            if idle or slow >= patience.slow or refused >= patience.refused:
                return self._put_right(iterate, budget), Stop.IDLE if idle else Stop.CONVERGED
            yield
            budget.iterations, budget.taken = budget.iterations - 1, budget.taken + 1
            model = model or make(iterate, slow, refusals)
            dq, to = self._propose(iterate, model, damping)
            landed = short_way(self.bounds.joint_limits, iterate.q, to)
            longest = float(abs(landed / units).max(initial=0.0))
            if longest < (own.posture_tolerance if done else own.step_tolerance):
                if slow or not model.strides:
                    return self._put_right(iterate, budget), Stop.CONVERGED
                slow, model = slow + 1, None
                continue
            limit = min(reach, own.nearby) if model.curved else reach
            if longest > limit and damping < own.firmest and not model.lenient:
                damping *= own.firmer
                continue
            trial, ratio, there = None, -1.0, False
            # a lenient model's step is as long as what it meets; others may be too long to compute with
            if longest <= (limit if model.lenient else arguments.LARGEST):
                # among obstacles corrections are costly: what promises nothing as it lands is not tried
                step = dq if self.guard is None else landed
                trial, ratio = self._try(iterate, model, step, to, budget)
                there = trial is not None and trial.reached(self.tolerances)
                idle = at_once and not there and not model.strides and self._is_idle(iterate, dq)
            if trial is not None and (ratio > own.least_gain or (there and not done)):
                quadratic = model.curved and damping <= 1.0 and ratio > own.full_gain
                fit = ratio
                if iterate.posture is not None and not model.curved:  # hidden by the goals
                    fit = min(ratio, iterate.posture.fit(dq, trial.all_costs[-1]))
                damping *= max(1.0 / 3.0, 1.0 - (2.0 * min(max(fit, 0.0), 1.0) - 1.0) ** 3)
                damping, refused, reach = max(damping, own.least_factor), 0, np.inf
                slow = slow + 1 if self._crept(iterate, trial, patience.share) else 0
                correction.learn(iterate, trial)
                iterate, model, done = trial, None, there
                # the next step would be as long as the square of this one
                if quadratic and max(trial.costs) < longest**4 < own.posture_tolerance**2:
                    return self._put_right(iterate, budget), Stop.CONVERGED
                continue
            refused, refusals = refused + 1, refusals + 1
            damping *= 2.0**refused
            correction.drop()
            if model.lenient:
                model = None
            else:
                reach = own.shorter * min(reach, longest)

    def _try(
        self, iterate: Iterate, model: StepModel, step: Array, to: Array, budget: Budget
    ) -> tuple[Iterate | None, float]:
        """The iterate after a model's step (n,) that lands at `to` (n,), and the gain ratio.

        It is corrected where that helps. Where gains are rounding, the ratio is near one (Conn, Gould & Toint
        2000, 17.4.2). What is short has an error that only small steps along a curved valley keep: after
        steps by curvature it is corrected, too.
        """
        own, before = self.parameters, iterate.all_costs
        promised, noise = model.promised(step), self.merit.noise(before)
        trial = self.move(iterate, to) if promised > -noise else None
        if trial is None:
            return None, -1.0
        ratio = (self.merit.gain(before, trial.all_costs) + noise) / (promised + noise)
        if ratio <= (own.full_gain if model.curved else own.least_gain):
            count = self._met(iterate.costs)
            sought = self._sought(iterate, step, count)
            trial = self._corrected(trial, sought, count, budget, others=model.curved)
            ratio = (self.merit.gain(before, trial.all_costs) + noise) / (promised + noise)
        return trial, ratio

    def _sought(self, iterate: Iterate, step: Array, count: int) -> Array:
        """Errors (k,) as a step (n,) promised; zero for the `count` met levels that come no nearer."""
        error = iterate.error
        promised: Array = error + iterate.jacobian.dot(step)
        for rows in self.problem.stack.levels[:count]:
            if promised[rows].dot(promised[rows]) >= error[rows].dot(error[rows]):
                promised[rows] = 0.0
        return promised

    def _put_right(self, end: Iterate, budget: Budget) -> Iterate:
        """An end where weaker levels and the posture no longer disturb what is met."""
        met = min(self._met(end.costs), len(end.costs) - (self.posture is None))
        right = max(end.costs[:met], default=0.0) <= self.parameters.hold**2
        return end if right else self._corrected(end, np.zeros(len(end.error)), met, budget)

    def _propose(self, iterate: Iterate, model: StepModel, damping: float) -> tuple[Array, Array]:
        """The step of a model (n,), and where it leads, within all bounds (n,)."""
        n, (metric, levels) = len(iterate.q), model.step_problem(damping)
        dq = np.zeros(n)  # of the last proposal, before it lands

        def best(bounds: Bounds) -> Array:
            nonlocal dq
            names, begin = bounds.names, self.active
            if len(names):
                sides = np.where(names < 0, 1, -1).astype(np.int8)  # tangents hold from above
                begin = [
                    np.concatenate([known, sides * (names[:, None] == held).any(1)])
                    for known, held in zip(begin, self.held, strict=True)
                ]
            step = hierarchical_qp(levels, bounds.by(metric), metric.target, begin)
            self.active, self.held = step.active, [names] * len(step.active)
            if len(names):
                self.active = [known[:n] for known in step.active]
                self.held = [names[known[n:] != 0] for known in step.active]
            self.last, dq = (bounds, step.active), metric.step(step.z)
            return dq

        to = self.bounds.step(iterate.q, best, self.inequalities(iterate))
        return dq, to

    def inequalities(self, iterate: Iterate) -> list[Inequalities]:
        """One-sided goals and obstacles at an iterate, as rows that steps must keep."""
        if iterate.sides is None:
            iterate.sides, step = [], self.parameters.difference * self.problem.stack.metric
            for goal in self.problem.tasks:
                if goal.one_sided:
                    error, jacobian = goal.inequality(iterate.pose)
                    curvature = partial(goal.curvature, iterate.pose, step=step)
                    iterate.sides.append(Inequalities(jacobian, -error, None, curvature))
            if self.guard is not None and iterate.near is not None and len(iterate.near):
                iterate.sides += self.guard.inequalities(iterate.near)
        return iterate.sides

    def move(self, iterate: Iterate, q: Array) -> Iterate | None:
        """The iterate at q, or as far on the way there as obstacles allow; None if they allow nothing."""
        if self.guard is None or iterate.near is None:
            return Iterate(self.problem, Pose.trusted(self.problem.skeleton, q), self.posture)
        way = short_way(self.bounds.joint_limits, iterate.q, q)
        near = self.guard.advance(iterate.near, iterate.q + way)
        return None if near is None else Iterate(self.problem, near.pose, self.posture, near)

    def _is_idle(self, iterate: Iterate, dq: Array) -> bool:
        """Whether a step dq (n,) promises next to nothing for any effector."""
        own, stack = self.parameters, self.problem.stack
        linear = iterate.error + iterate.jacobian.dot(dq)
        now, then = stack.squares(iterate.error), stack.squares(linear)
        return bool((np.abs(now - then) < own.slow * now + own.met**2).all())

    def wrapped(self, end: Iterate) -> Iterate:
        """The same pose with swings beyond half a turn wrapped to their shorter way round."""
        limits = self.bounds.joint_limits
        if np.abs(end.q).max(initial=0.0) <= np.pi:
            return end
        pose = Pose.trusted(self.problem.skeleton, limits.project(end.q))
        return Iterate(self.problem, pose, self.posture, end.near)

    def _crept(self, old: Iterate, new: Iterate, share: float) -> bool:
        """Whether a step has gained next to nothing at any level."""
        for was, now in zip(old.all_costs, new.all_costs, strict=True):
            if abs(was - now) >= share * abs(was) + self.parameters.met**2:
                return False
        return True

    def _met(self, costs: Sequence[float]) -> int:
        """How many strong levels in a row have what they want, at their costs."""
        short = (level for level, cost in enumerate(costs) if cost > self.parameters.near**2)
        return next(short, len(costs))

    def _corrected(
        self, trial: Iterate, sought: Array, count: int, budget: Budget, *, others: bool = False
    ) -> Iterate:
        """Second-order correction: the first `count` levels, which are met, get the errors (k,) sought.

        It stays on the limits that held the step: to leave them would cost weaker levels what they gained.
        After a step by curvature, contacts and one-sided goals that held it get the room that it left there:
        what its curvature has added would be promised again by the next one. Where one of the first levels
        would lose what it has, nothing is corrected.

        Args:
            others: after a step by curvature, when levels that are short get the directions of theirs, too:
                how long their errors are is the merit's matter.
        """
        stack, own = self.problem.stack, self.parameters
        metric = Metric.of(stack.metric, None, 0.0)
        face = Face(np.empty(0, np.intp), {})
        if self.last is not None:
            face = self.last[0].face(self.last[1], limits=not others)
        levels = stack.levels if others else stack.levels[:count]
        ways = [sought[rows] / (norm(sought[rows]) or 1.0) * (n >= count) for n, rows in enumerate(levels)]

        def across(values: Array) -> list[Array]:  # of each level, without what is along a short error
            pairs = zip(levels, ways, strict=True)
            return [values[rows] - np.multiply.outer(way, way.dot(values[rows])) for rows, way in pairs]

        def wrong(iterate: Iterate) -> list[float]:  # costs that count as none are alike
            room = face.missed(self.inequalities(iterate)) if others else 0.0
            off = [float(part.dot(part)) for part in across(iterate.error - sought)]
            return [max(cost, own.hold**2) for cost in (room, *off)]

        for _ in range(own.corrections if levels else 0):
            if max(wrong(trial)) <= own.hold**2:
                break
            budget.corrections += 1
            slopes, missing = metric.along(trial.jacobian), sought - trial.error
            wanted = zip(across(slopes), across(missing), strict=True)
            asked = [Level(rows, part, own.bias) for rows, part in wanted]

            def best(bounds: Bounds, levels: list[Level] = asked) -> Array:
                return metric.step(hierarchical_qp(levels, bounds.along(face).by(metric)).z)

            moved = self.move(trial, self.bounds.step(trial.q, best, self.inequalities(trial)))
            if moved is None or not wrong(moved) < wrong(trial) or self._met(moved.costs) < count:
                break
            trial = moved
        return trial
