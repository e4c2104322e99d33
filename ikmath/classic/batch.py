# SPDX-License-Identifier: GPL-3.0-or-later
"""The iteration of many poses at once; for one pose and for what is iterated see `loop`."""

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
from .rest import at_rest, may_rest
from .stepping import LEAST, LESS, MORE, MOST, SETTLED, Linear, Stepping, SteppingOptions, bounded


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
    """The best poses so far of B frames that are still in work.

    Attributes:
        q: (n, B); error: (k, B) of its rows, scaled; cost: (B,) its squared length;
        squares: (E, B) of the effectors' errors, unscaled; reached: (B,) whether all are within tolerance;
        wish: (n, B) step towards the posture, left: (B,) its squared length in the metric; both empty
            without one;
        caution, stall: (B,) as in `loop`.
    """

    q: Array
    error: Array
    cost: Array
    squares: Array
    reached: Mask
    wish: Array
    left: Array
    caution: Array
    stall: Index

    def take(self, frames: Index) -> _Standing:
        """Some of the frames."""
        return _Standing._make(array.take(frames, -1) for array in self)


class _Batch:
    """A batch at work.

    Args:
        method: what proposes the steps; problem: of B frames; q: (n, B) where they begin; options: its own.

    Attributes:
        frames: those still in work; now: the problem of these;
        tolerances: (E,) of the effectors; allowed: (E,) their squares;
        before: the best pose of each so far; rows: the Jacobian there;
        best, squares, iterations, stalled: what came of all B.
    """

    def __init__(self, method: Stepping, problem: Problem, q: Array, options: SteppingOptions) -> None:
        self.method, self.problem, self.options = method, problem, options
        skeleton, stack, (n, count) = problem.skeleton, problem.stack, q.shape
        self.tolerances = problem.allowed_errors(options.tolerance, options.angle_tolerance)
        self.allowed = self.tolerances**2
        self.mobility = skeleton.mobility[:, None] if skeleton.uneven else None
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
        """What there is to say of poses (n, B), and what gives their Jacobian."""
        stack, posture = self.problem.stack, self.now.posture
        pose = Pose.trusted(self.problem.skeleton, q.T)
        raw, derivative = evaluate_many(stack, self.layout, self.now.tasks, pose)
        error = np.ascontiguousarray((raw * stack.scale).T)
        squares = np.ascontiguousarray(stack.squares(raw).T)
        reached = (squares < self.allowed[:, None]).all(0)
        if posture is None:
            wish, left = np.empty((0, q.shape[1])), np.empty(q.shape[1])
        else:
            wish = np.ascontiguousarray((posture.gain * (posture.q - q.T)).T)
            left = np.einsum("nb,nb->b", wish, wish if self.mobility is None else wish / self.mobility)
        cost = np.einsum("kb,kb->b", error, error)
        before = self.before
        at = _Standing(q, error, cost, squares, reached, wish, left, before.caution, before.stall)
        return at, derivative

    def is_done(self, at: _Standing) -> Mask:
        """(B,) whether all is reached and nothing else is wished for."""
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
        """The better poses, and of the other frames those before, with the caution and stall that follow."""
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
        """Keep what has come of the frames (B,) that are over."""
        if over.any():
            done = self.frames[over]
            self.best[done], self.squares[done] = at.q.T[over], at.squares.T[over]
            self.iterations[done], self.stalled[done] = iteration, stalled[over]

    def step(self, at: _Standing, derivative: Callable[[], Blocks], refused: Mask, over: Mask) -> Array:
        """Where the next steps lead, (n, B') of the frames that are not over.

        Args:
            at: the best poses (of B frames); derivative: gives the Jacobian of those that were looked at;
            refused: (B,) which of these were not better; over: (B,) which frames leave.
        """
        rows = derivative()
        if refused.any():
            rows.replace(refused, self.rows)
        if over.any():
            own = np.flatnonzero(~over)
            self.frames, at, rows = self.frames[own], at.take(own), rows.take(own)
            self.now = self.problem.at(self.frames)
        self.rows, self.before = rows, at
        problem, wish = self.problem, None if self.now.posture is None else at.wish
        state = Linear(problem, at.q, at.cost, at.caution, self.mobility, wish, problem.stack.level, {})
        propose = self.method.steps(rows, state, self.options)
        to = problem.limits.step_many(problem.skeleton.joint_limits, at.q, at.error, propose)
        return bounded(problem, at.q, to)

    def come_to_rest(self) -> None:
        """Bring frames that stalled short of their goals to the nearest pose."""
        if not (self.options.rest and self.method.careful and may_rest(self.problem)):
            return
        short = self.stalled & (self.squares >= self.allowed).any(1)
        for i in np.flatnonzero(short).tolist():
            self.best[i], self.squares[i] = at_rest(self.problem.at(i), self.best[i])

    def answers(self) -> list[Solution]:
        """What came of each frame."""
        problem, options, errors = self.problem, self.options, np.sqrt(self.squares)
        short = (errors > self.tolerances).any(1)
        return [
            conclude(
                problem.at(i) if short[i] else problem,  # frames that reach all goals need no reason
                self.best[i],
                int(self.iterations[i]),
                options.tolerance,
                angle_tolerance=options.angle_tolerance,
                errors=errors[i],
                stalled=bool(self.stalled[i]),
            )
            for i in range(len(short))
        ]


def _keep_memory() -> None:
    """Have the C library keep what arrays free, for the next ones, rather than give it back to the system.

    To get a few megabytes anew in every iteration costs as much as all arithmetic on them (measured: half of
    a batch's time). glibc learns from the largest block that was freed how much is worth keeping; this one
    is just below the largest that counts, and it is never touched, so that it costs nothing.
    """
    np.empty(31 << 20, dtype=np.uint8)
