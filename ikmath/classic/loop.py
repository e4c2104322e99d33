# SPDX-License-Identifier: GPL-3.0-or-later
"""The iteration that the incremental methods share.

A method proposes a step for linear rows. The loop owns everything around it: scaling of rows, joint limits,
acceptance (a step that does not lower the error is not taken but damped more and worked out again), reasons
to stop (reached, stalled, out of iterations) and the best pose so far. One pose and a batch (`batch`) have
loops of their own for the reason that `kinematics` gives; the method is the same.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from ..diagnosis.status import conclude
from ..limits import ByRows, Propose
from ..model.pose import Pose
from ..model.residual import Residual
from ..problem.problem import Problem, Solution
from ..rotation import Array
from .batch import solve_many
from .pushing import Pushing
from .rest import at_rest, may_rest
from .stepping import LEAST, LESS, MORE, MOST, SETTLED, Linear, Stepping, SteppingOptions, bounded

_LANDING: Final = 1e-5  # scaled squared error from which on a figure that need not settle only has to arrive
_CLOSER: Final = 0.5  # share of the squared error; a step that leaves more of it is held up by the posture
_LIKELY: Final = 64.0  # squares of the 2 in `is_last` and of a margin of 4


class Incremental(Stepping):
    """A method that is iterated step by step."""

    def solve(self, problem: Problem, q: Array, options: Any) -> Solution:
        return solve_one(self, problem, q, options) if q.ndim == 1 else solve_many(self, problem, q, options)


def solve_one(method: Stepping, problem: Problem, q: Array, options: SteppingOptions) -> Solution:
    """Iterate one pose until it is there, stalls, or the iterations run out."""
    return _Walk(method, problem, q, options).solve(q)


class _Look(NamedTuple):
    """One pose, and how good it is.

    Attributes:
        pose: the pose; rows: of its goals, extra: of limits that are near, or None;
        scaled: (k,) errors of the goals; cost: squared length of all of them; reached: within tolerances;
        squares: (E,) squared sizes of the effectors' errors, None where they are far from it;
        wish: (n,) step towards the posture, None if the figure need not settle there; left: its squared
            length in the metric.
    """

    pose: Pose
    rows: Residual
    extra: Residual | None
    scaled: Array
    cost: float
    reached: bool
    squares: Array | None
    wish: Array | None
    left: float


class _Walk:
    """One solve of one pose: look at it, accept or refuse it, step on.

    Attributes:
        best: the pose that was accepted last; linear: what the next step from there is worked out from, and
            rows: its scaled rows, None until they are needed;
        allowed: (E,) squared sizes of the effectors' errors that count as none;
        propose: what proposed the step before, if it will do for the next one, too; last: (n,) that step;
        stall: accepted steps that gained next to nothing.
    """

    def __init__(self, method: Stepping, problem: Problem, q: Array, options: SteppingOptions) -> None:
        self.method, self.problem, self.options = method, problem, options
        skeleton, stack = problem.skeleton, problem.stack
        self.scale, self.columns = stack.scale, stack.scale[:, None]
        self.allowed = problem.allowed_errors(options.tolerance, options.angle_tolerance) ** 2
        # what costs more than all effectors at their tolerances is not there
        most = float(self.allowed.max(initial=0.0)) * len(stack.starts)
        self.enough = 1.01 * most * stack.largest * stack.largest
        self.least = float(self.allowed.min(initial=np.inf)) * stack.smallest * stack.smallest
        self.mobility = skeleton.mobility if skeleton.uneven else None
        self.pushing = None if problem.scene is None else Pushing(problem, problem.scene)
        self.careful = method.careful and self.pushing is None
        self.linear = Linear(problem, q, np.inf, 1.0, self.mobility, None, stack.level, {})
        self.rows: tuple[Array, Array] | None = None
        self.propose: Propose | None = None
        self.stall = 0

    def solve(self, q: Array) -> Solution:
        """From q (n,)."""
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
        """Whether no step has gained anything for a while, or none is short enough to."""
        return self.stall >= self.options.patience or self.linear.caution > MOST

    def look(self, pose: Pose) -> _Look:
        """What there is to say of a pose."""
        problem, stack = self.problem, self.problem.stack
        rows = stack.evaluate(problem.tasks, pose)
        scaled = rows.error * self.scale
        cost = float(scaled.dot(scaled))
        squares = stack.squares(rows.error) if cost <= self.enough else None
        reached = squares is not None and bool((squares < self.allowed).all())
        extra = problem.limits.rows(pose)
        if extra is not None:
            cost += float(extra.error.dot(extra.error))
        if self.pushing is not None:
            self.pushing.look(pose)
        wish, left = self.wish(pose) if self.options.settle else None, 0.0
        if wish is not None:
            left = float(wish.dot(wish if self.mobility is None else wish / self.mobility))
        return _Look(pose, rows, extra, scaled, cost, reached, squares, wish, left)

    def wish(self, pose: Pose) -> Array | None:
        """(n,) the step towards the posture at a pose, or None."""
        posture = self.problem.posture
        return None if posture is None else np.asarray(posture.gain * (posture.q - pose.q))

    def is_done(self, look: _Look, left: float) -> bool:
        """Whether all is reached and nothing else is wished for; `left` is of the best pose before."""
        if not look.reached:
            return False
        if look.wish is None:
            return self.pushing is None or self.pushing.settled
        return look.left > left * (1.0 - SETTLED)

    def is_better(self, look: _Look, done: bool) -> bool:
        """Whether a pose is better than the best before; within the tolerance the posture decides."""
        if look.wish is None:
            return done or look.cost < self.best.cost
        if look.reached and self.best.reached:
            return look.left < self.best.left
        return look.reached or look.cost < self.best.cost

    def accept(self, look: _Look, cost: float) -> None:
        """Go on from a pose; `cost` is of the best pose before."""
        options, linear = self.options, self.linear
        gained = look.reached or look.cost < cost * (1.0 - options.gain)  # within the tolerance see `is_done`
        self.stall = 0 if gained else self.stall + 1
        if self.propose is not None and not self.is_last(look, cost):
            self.propose = None
        self.best, self.rows = look, None
        closing_in = _LANDING < look.cost < _CLOSER * cost
        linear.q, linear.cost = look.pose.q, look.cost
        linear.wish = self.wish(look.pose) if closing_in and not options.settle else look.wish
        linear.caution = max(linear.caution * LESS, LEAST)

    def is_last(self, look: _Look, cost: float) -> bool:
        """Whether a step from a pose along the slopes of the one before, of the given cost, will arrive.

        Newton's step leaves about `d' = c d^2` of an error d; one along the slopes of the step before leaves
        `2 c d d'` of that (simplified Newton). So the last step of a solve need not work out slopes.
        """
        return _LIKELY * look.cost * look.cost < self.least * cost

    def step(self) -> Array:
        """Where the next step from the best pose leads, (n,)."""
        problem, linear = self.problem, self.linear
        limits, region = problem.limits, problem.skeleton.joint_limits
        if self.propose is not None:
            propose, self.propose = self.propose, None
            return limits.step(region, linear.q, self.best.scaled, propose)
        if self.rows is None:
            self.rows = self.linearise(self.best)
        error, jacobian = self.rows
        if self.pushing is None and len(error):
            propose = self.method.proposal(jacobian, linear, self.options)
            if self.method.simplifies and linear.wish is None and error is self.best.scaled:
                self.propose = propose
        else:
            propose = ByRows(self.unusual, jacobian, self.mobility)
        return limits.step(region, linear.q, error, propose)

    def linearise(self, look: _Look) -> tuple[Array, Array]:
        """Scaled rows (k,) and (k, n) that the method steps by."""
        error, jacobian = look.scaled, look.rows.jacobian * self.columns
        if look.extra is not None:
            error = np.concatenate([error, look.extra.error])
            jacobian = np.concatenate([jacobian, look.extra.jacobian])
        return self.method.pulled(error, jacobian, self.linear, self.options)

    def unusual(self, error: Array, jacobian: Array) -> Array:
        """A step (n,) where obstacles push, or where there is no row at all."""
        if not len(error):  # no goal and no limit near: the posture alone
            return np.zeros(self.problem.skeleton.n) if self.linear.wish is None else self.linear.wish
        plain = self.method.step(error, jacobian, self.linear, self.options)
        return plain if self.pushing is None else self.pushing.step(error, jacobian, plain)

    def finish(self, iterations: int, *, stalled: bool) -> Solution:
        """What comes of the best pose."""
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
            self.options.tolerance,
            angle_tolerance=self.options.angle_tolerance,
            errors=np.sqrt(squares),
            stalled=stalled,
            near=None if self.pushing is None else self.pushing.near,
        )
