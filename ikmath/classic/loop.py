# SPDX-License-Identifier: GPL-3.0-or-later
"""The iteration of the incremental methods, for a single pose.

A method proposes a step for linear rows. The loop does everything else: scaling of rows, joint limits,
acceptance (a step that does not reduce the error is recomputed with more damping), reasons to stop (reached,
stalled, maximum of iterations) and the best pose so far. A batch has a loop of its own (`batch`), for the
reason in `kinematics`; the method is the same.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from ..diagnosis.status import conclude
from ..model.pose import Pose
from ..model.residual import Residual
from ..problem.problem import Problem, Solution
from ..rotation import Array
from .batch import solve_many
from .limits.base import ByRows, Propose, limits_of
from .pushing import Pushing
from .rest import at_rest, may_rest
from .stepping import LEAST, LESS, MORE, MOST, SETTLED, Linear, Stepping, SteppingOptions, bounded, metric_of

_LANDING: Final = 1e-5  # scaled squared error above which a figure that need not settle may use its posture
_CLOSER: Final = 0.5  # share of the squared error; a step that leaves more of it is hindered by the posture
_LIKELY: Final = 64.0  # square of the 2 in `is_last`, times that of a margin of 4


class Incremental(Stepping):
    """A method that proposes one step after another."""

    def solve(self, problem: Problem, q: Array, options: Any) -> Solution:
        return solve_one(self, problem, q, options) if q.ndim == 1 else solve_many(self, problem, q, options)


def solve_one(method: Stepping, problem: Problem, q: Array, options: SteppingOptions) -> Solution:
    """Iterate one pose until its goals are reached, it stalls, or the maximum of iterations."""
    return _Walk(method, problem, q, options).solve(q)


class _Look(NamedTuple):
    """One pose and its errors.

    Attributes:
        pose: the pose; rows: of its goals; extra: rows of near limits, or None;
        scaled: (k,) errors of the goals; cost: squared length of all rows; reached: whether within
            tolerances;
        squares: (E,) squared errors of the effectors, None if far from reached;
        posture_step: (n,) step towards the posture, None if the figure need not settle; left: its squared
            length in the metric.
    """

    pose: Pose
    rows: Residual
    extra: Residual | None
    scaled: Array
    cost: float
    reached: bool
    squares: Array | None
    posture_step: Array | None
    left: float


class _Walk:
    """One solve of one pose: evaluate, accept or refuse, step.

    Attributes:
        best: the pose that was accepted last; linear: the data of the next step; rows: its scaled rows, None
            until needed;
        allowed: (E,) squared tolerances of the effectors;
        propose: proposed the previous step, if it can be used for the next one too, else None;
        stall: number of accepted steps in a row with little gain.
    """

    def __init__(self, method: Stepping, problem: Problem, q: Array, options: SteppingOptions) -> None:
        self.method, self.problem, self.options = method, problem, options
        skeleton, stack = problem.skeleton, problem.stack
        self.scale, self.columns = stack.scale, stack.scale[:, None]
        self.allowed = problem.stack.tolerances(options.tolerance, options.angle_tolerance) ** 2
        # a cost above that of all effectors at their tolerances is not reached
        most = float(self.allowed.max(initial=0.0)) * len(stack.starts)
        largest = float(stack.scale.max(initial=0.0))
        smallest = float(stack.scale.min(initial=np.inf))
        self.enough = 1.01 * most * largest * largest
        self.least = float(self.allowed.min(initial=np.inf)) * smallest * smallest
        self.mobility = metric_of(skeleton)
        self.pushing = None if problem.scene is None else Pushing(problem, problem.scene)
        self.careful = method.careful and self.pushing is None
        self.linear = Linear(problem, q, np.inf, 1.0, self.mobility, None, stack.level, {})
        self.rows: tuple[Array, Array] | None = None
        self.propose: Propose | None = None
        self.stall = 0

    def solve(self, q: Array) -> Solution:
        """Solve from q (n,)."""
        skeleton, most = self.problem.skeleton, self.options.max_iterations
        look, iteration = self.look(Pose.trusted(skeleton, q.copy())), 0
        done = self.is_done(look, np.inf)
        self.accept(look, np.inf)
        while not (done or self.is_stalled or iteration == most):
            iteration += 1
            to = bounded(self.problem, self.linear.q, self.step())
            look = self.look(Pose.trusted(skeleton, to))
            done = self.is_done(look, self.best.left)
            if not self.careful or self.is_better(look, done):
                self.accept(look, self.best.cost)
            else:
                self.linear.caution *= MORE
                self.propose = None
        return self.finish(iteration, stalled=not done and self.is_stalled)

    @property
    def is_stalled(self) -> bool:
        """Whether the last steps gained too little, or the step is damped too much."""
        return self.stall >= self.options.patience or self.linear.caution > MOST

    def look(self, pose: Pose) -> _Look:
        """Evaluate a pose."""
        problem, stack = self.problem, self.problem.stack
        rows = stack.evaluate(problem.tasks, pose)
        scaled = rows.error * self.scale
        cost = float(scaled.dot(scaled))
        squares = stack.squares(rows.error) if cost <= self.enough else None
        reached = squares is not None and bool((squares < self.allowed).all())
        extra = limits_of(problem).rows(pose)
        if extra is not None:
            cost += float(extra.error.dot(extra.error))
        if self.pushing is not None:
            self.pushing.look(pose)
        posture_step, left = self.posture_step(pose) if self.options.settle else None, 0.0
        if posture_step is not None:
            left = float(
                posture_step.dot(posture_step if self.mobility is None else posture_step / self.mobility)
            )
        return _Look(pose, rows, extra, scaled, cost, reached, squares, posture_step, left)

    def posture_step(self, pose: Pose) -> Array | None:
        """(n,) the step towards the posture at a pose, or None."""
        posture = self.problem.posture
        return None if posture is None else np.asarray(posture.gain * (posture.q - pose.q))

    def is_done(self, look: _Look, left: float) -> bool:
        """Whether the goals are reached and the posture is settled; `left` is of the best pose before."""
        if not look.reached:
            return False
        if look.posture_step is None:
            return self.pushing is None or self.pushing.settled
        return look.left > left * (1.0 - SETTLED)

    def is_better(self, look: _Look, done: bool) -> bool:
        """Whether a pose is better than the best before; within the tolerance the posture decides."""
        if look.posture_step is None:
            return done or look.cost < self.best.cost
        if look.reached and self.best.reached:
            return look.left < self.best.left
        return look.reached or look.cost < self.best.cost

    def accept(self, look: _Look, cost: float) -> None:
        """Continue from a pose; `cost` is that of the best pose before."""
        options, linear = self.options, self.linear
        gained = look.reached or look.cost < cost * (1.0 - options.gain)  # within the tolerance see `is_done`
        self.stall = 0 if gained else self.stall + 1
        if self.propose is not None and not self.is_last(look, cost):
            self.propose = None
        self.best, self.rows = look, None
        closing_in = _LANDING < look.cost < _CLOSER * cost
        linear.q, linear.cost = look.pose.q, look.cost
        linear.posture_step = (
            self.posture_step(look.pose) if closing_in and not options.settle else look.posture_step
        )
        linear.caution = max(linear.caution * LESS, LEAST)

    def is_last(self, look: _Look, cost: float) -> bool:
        """Whether a step from a pose with the previous derivatives reaches the goals; `cost` before it.

        A Newton step reduces an error d to about `d' = c d^2`; another one with the same derivatives reduces
        that to `2 c d d'` (simplified Newton). So the last step of a solve needs no new derivatives.
        """
        return _LIKELY * look.cost * look.cost < self.least * cost

    def step(self) -> Array:
        """The pose (n,) after the next step from the best pose."""
        problem, linear = self.problem, self.linear
        limits, region = limits_of(problem), problem.skeleton.joint_limits
        if self.propose is not None:
            propose, self.propose = self.propose, None
            return limits.step(region, linear.q, self.best.scaled, propose)
        if self.rows is None:
            self.rows = self.linearise(self.best)
        error, jacobian = self.rows
        if self.pushing is None and len(error):
            propose = self.method.proposal(jacobian, linear, self.options)
            if self.method.simplifies and linear.posture_step is None and error is self.best.scaled:
                self.propose = propose
        else:
            propose = ByRows(self.unusual, jacobian, self.mobility)
        return limits.step(region, linear.q, error, propose)

    def linearise(self, look: _Look) -> tuple[Array, Array]:
        """Scaled rows (k,) and (k, n) for the method's step."""
        error, jacobian = look.scaled, look.rows.jacobian * self.columns
        if look.extra is not None:
            error = np.concatenate([error, look.extra.error])
            jacobian = np.concatenate([jacobian, look.extra.jacobian])
        return self.method.pulled(error, jacobian, self.linear, self.options)

    def unusual(self, error: Array, jacobian: Array) -> Array:
        """A step (n,) with pushes from obstacles, or without any row."""
        if not len(error):  # no goal and no near limit: only the posture
            return (
                np.zeros(self.problem.skeleton.n)
                if self.linear.posture_step is None
                else self.linear.posture_step
            )
        plain = self.method.step(error, jacobian, self.linear, self.options)
        return plain if self.pushing is None else self.pushing.step(error, jacobian, plain)

    def finish(self, iterations: int, *, stalled: bool) -> Solution:
        """The solution of the best pose."""
        problem, stack = self.problem, self.problem.stack
        best = self.best
        q, squares = best.pose.q, stack.squares(best.rows.error) if best.squares is None else best.squares
        short = stalled and bool((squares >= self.allowed).any())
        if short and self.careful and self.options.rest and may_rest(problem):
            q, squares = at_rest(problem, q)
        return conclude(
            problem,
            q.copy(),
            iterations,
            self.options,
            errors=np.sqrt(squares),
            limited_by="" if stalled else "iterations",
            near=None if self.pushing is None else self.pushing.near,
        )
