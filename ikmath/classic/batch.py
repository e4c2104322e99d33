# SPDX-License-Identifier: GPL-3.0-or-later
"""The iteration of many poses at once; `loop` is the one for a single pose."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arrays import Index, Mask
from ..diagnosis.status import conclude
from ..model.pose import Pose
from ..problem.problem import Problem, Solution
from ..rotation import Array
from ..solvers.method import gather
from .jacobian_blocks import Blocks, evaluate_many, layout_of
from .limits.base import limits_of
from .rest import at_rest, may_rest
from .stepping import LEAST, LESS, MORE, MOST, SETTLED, Linear, Stepping, SteppingOptions, bounded, metric_of


def solve_many(method: Stepping, problem: Problem, q: Array, options: SteppingOptions) -> Solution:
    """Iterate a batch q (*batch, n); frames that are done leave it."""
    _keep_memory()
    batch, n = q.shape[:-1], problem.skeleton.n
    trial, iteration = np.ascontiguousarray(q.reshape(-1, n).T), 0
    work = _Batch(method, problem, trial, options)
    while len(work.frames):
        at, derivative = work.look(trial)
        done, better = work.is_done(at), work.is_better(at)
        if iteration == 0 or not method.careful:
            better[:] = True
        at = work.judged(at, better)
        stalled = np.where(better, at.stall >= options.patience, at.caution > MOST) & ~done
        over = done | stalled | (iteration >= options.max_iterations)
        work.leave(at, over, iteration, stalled)
        if over.all():
            break
        trial, iteration = work.step(at, derivative, ~better, over), iteration + 1
    work.come_to_rest()
    return gather(work.answers(), batch, problem)


class _Standing(NamedTuple):
    """The best poses so far of the B frames that are not done.

    Attributes:
        q: (n, B); error: (k, B) scaled; cost: (B,) its squared length;
        squares: (E, B) of the effectors' errors, unscaled; reached: (B,) whether all are within tolerance;
        posture_step: (n, B) step towards the posture, empty without one; left: (B,) its squared length in the
            metric;
        caution, stall: (B,) as in `Linear` and `_Walk`.
    """

    q: Array
    error: Array
    cost: Array
    squares: Array
    reached: Mask
    posture_step: Array
    left: Array
    caution: Array
    stall: Index

    def take(self, frames: Index) -> _Standing:
        """The poses of some frames."""
        return _Standing._make(array.take(frames, -1) for array in self)


class _Batch:
    """The frames of a batch that are not done, and the results of those that are.

    Args:
        method: proposes the steps; problem: of B frames; q: (n, B) initial poses; options: of the method.

    Attributes:
        frames: those that are not done; now: the problem of these;
        tolerances: (E,) of the effectors, metres or radians; allowed: (E,) their squares;
        before: the best pose of each so far; rows: the Jacobians of these;
        best, squares, iterations, stalled: results of all B frames.
    """

    def __init__(self, method: Stepping, problem: Problem, q: Array, options: SteppingOptions) -> None:
        self.method, self.problem, self.options = method, problem, options
        skeleton, stack, (n, count) = problem.skeleton, problem.stack, q.shape
        self.tolerances = problem.stack.tolerances(options.tolerance, options.angle_tolerance)
        self.allowed = self.tolerances**2
        mobility = metric_of(skeleton)
        self.mobility = None if mobility is None else mobility[:, None]
        self.frames = np.arange(count)
        self.now = problem.at(self.frames)
        # any pose is better than none
        worst, none, no = np.full(count, np.inf), np.empty((0, count)), np.zeros(count, dtype=bool)
        self.before = _Standing(q, none, worst, none, no, none, worst, np.ones(count), no.astype(int))
        self.layout = layout_of(skeleton, problem.tasks)
        self.rows = Blocks((stack.rows, n, count), [], [])
        self.best, self.squares = np.empty((count, n)), np.empty((count, len(problem.effectors)))
        self.iterations, self.stalled = np.zeros(count, dtype=int), np.zeros(count, dtype=bool)

    def look(self, q: Array) -> tuple[_Standing, Callable[[], Blocks]]:
        """Evaluate poses (n, B); returns them with a function for their Jacobian."""
        stack, posture = self.problem.stack, self.now.posture
        pose = Pose.trusted(self.problem.skeleton, q.T)
        raw, derivative = evaluate_many(stack, self.layout, self.now.tasks, pose)
        error = np.ascontiguousarray((raw * stack.scale).T)
        squares = np.ascontiguousarray(stack.squares(raw).T)
        reached = (squares < self.allowed[:, None]).all(0)
        if posture is None:
            posture_step, left = np.empty((0, q.shape[1])), np.empty(q.shape[1])
        else:
            posture_step = np.ascontiguousarray((posture.gain * (posture.q - q.T)).T)
            left = np.einsum(
                "nb,nb->b",
                posture_step,
                posture_step if self.mobility is None else posture_step / self.mobility,
            )
        cost = np.einsum("kb,kb->b", error, error)
        before = self.before
        at = _Standing(q, error, cost, squares, reached, posture_step, left, before.caution, before.stall)
        return at, derivative

    def is_done(self, at: _Standing) -> Mask:
        """(B,) whether all goals are reached and the figure does not approach its posture any more."""
        if self.now.posture is None:
            return at.reached
        settled = at.left > self.before.left * (1.0 - SETTLED)
        return at.reached & (settled | (not self.options.settle))

    def is_better(self, at: _Standing) -> Mask:
        """(B,) whether a pose is better than the best before; within the tolerance the posture decides."""
        better = (at.cost < self.before.cost) | at.reached
        if self.now.posture is None:
            return better
        return np.where(at.reached & self.before.reached, at.left < self.before.left, better)

    def judged(self, at: _Standing, better: Mask) -> _Standing:
        """The better poses, and the previous ones of the other frames, with the updated caution and stall."""
        before = self.before
        gained = at.reached | (at.cost < before.cost * (1.0 - self.options.gain))
        stall = np.where(better, np.where(gained, 0, before.stall + 1), before.stall)
        caution = np.where(better, np.maximum(before.caution * LESS, LEAST), before.caution * MORE)
        refused = ~better
        if refused.any():
            for new, old in zip(at[:-2], before[:-2], strict=True):
                np.copyto(new, old, where=refused)
        return at._replace(caution=caution, stall=stall)

    def leave(self, at: _Standing, over: Mask, iteration: int, stalled: Mask) -> None:
        """Store the results of the frames (B,) that are done."""
        if over.any():
            done = self.frames[over]
            self.best[done], self.squares[done] = at.q.T[over], at.squares.T[over]
            self.iterations[done], self.stalled[done] = iteration, stalled[over]

    def step(self, at: _Standing, derivative: Callable[[], Blocks], refused: Mask, over: Mask) -> Array:
        """The poses after the next steps, (n, B') of the frames that are not done.

        Args:
            at: the best poses of B frames; derivative: gives the Jacobian of the evaluated poses;
            refused: (B,) which of these were not better; over: (B,) which frames are done.
        """
        rows = derivative()
        if refused.any():
            rows.replace(refused, self.rows)
        if over.any():
            own = np.flatnonzero(~over)
            self.frames, at, rows = self.frames[own], at.take(own), rows.take(own)
            self.now = self.problem.at(self.frames)
        self.rows, self.before = rows, at
        problem, posture_step = self.problem, None if self.now.posture is None else at.posture_step
        state = Linear(
            problem, at.q, at.cost, at.caution, self.mobility, posture_step, problem.stack.level, {}
        )
        propose = self.method.steps(rows, state, self.options)
        to = limits_of(problem).step_many(problem.skeleton.joint_limits, at.q, at.error, propose)
        return bounded(problem, at.q, to)

    def come_to_rest(self) -> None:
        """Move frames that stalled before their goals to the nearest pose."""
        if not (self.options.rest and self.method.careful and may_rest(self.problem)):
            return
        short = self.stalled & (self.squares >= self.allowed).any(1)
        for i in np.flatnonzero(short).tolist():
            self.best[i], self.squares[i] = at_rest(self.problem.at(i), self.best[i])

    def answers(self) -> list[Solution]:
        """The solution of each frame."""
        problem, options, errors = self.problem, self.options, np.sqrt(self.squares)
        short = (errors > self.tolerances).any(1)
        return [
            conclude(
                problem.at(i) if short[i] else problem,  # frames that reach all goals need no reason
                self.best[i],
                int(self.iterations[i]),
                options,
                errors=errors[i],
                limited_by="" if self.stalled[i] else "iterations",
            )
            for i in range(len(short))
        ]


def _keep_memory() -> None:
    """Have the C library keep freed memory for the next arrays instead of returning it to the system.

    Allocating a few megabytes in every iteration costs as much as the arithmetic on them (measured: half of a
    batch's time). glibc sets its threshold from the largest freed block. This block is just below the largest
    size that counts, and it is never written to, so that it costs nothing.
    """
    np.empty(31 << 20, dtype=np.uint8)
