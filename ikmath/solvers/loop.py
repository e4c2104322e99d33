# SPDX-License-Identifier: GPL-3.0-or-later
"""The iteration that the incremental methods share.

A method proposes a step for linear rows. The loop owns everything around it: scaling of rows, joint limits,
acceptance (a step that does not lower the error is not taken but damped more and worked out again), reasons
to stop (reached, stalled, out of iterations) and the best pose so far. One pose and a batch have loops of
their own for the reason that `kinematics` gives; the method is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from ..diagnosis import conclude
from ..pose import Pose
from ..problem import Problem, Solution
from ..rotation import Array
from .base import gather
from .pushing import Pushing
from .rest import Resting, RestOptions, at_rest, may_rest

_PATIENCE: Final = 4  # accepted steps that may gain next to nothing before a solve is called stalled
_GAIN: Final = 5e-4  # share of the squared error that counts as next to nothing
_SETTLED: Final = 1e-2  # share by which the posture must come nearer, once all is reached, to go on
_MORE, _LESS, _LEAST, _MOST = 5.0, 0.4, 1e-3, 1e7  # how the caution answers refused and accepted steps


@dataclass(slots=True)
class Linear:
    """What a step is worked out from.

    Attributes:
        problem: the problem of this frame; q: (n, ...) where the figure stands, frames innermost if many.
        cost: squared length of the scaled errors; caution: 1 at the start, larger after refused steps; (...).
        mobility: (n, ...) metric of the coordinates, or None where all are alike.
        wish: (n, ...) step that the posture asks for, or None.
        level: (k,) priority of each row.
        memory: what the method wants to keep from step to step (a warm start); owned by this solve.
    """

    problem: Problem
    q: Array
    cost: Any
    caution: Any
    mobility: Array | None
    wish: Array | None
    level: Any
    memory: dict[str, Any]

    def of(self, frames: npt.NDArray[np.intp]) -> Linear:
        """The same for some of many frames."""
        wish = None if self.wish is None else self.wish.take(frames, 1)
        q, cost, caution = self.q.take(frames, 1), self.cost.take(frames), self.caution.take(frames)
        return Linear(self.problem, q, cost, caution, self.mobility, wish, self.level, self.memory)


class Incremental(Resting):
    """A method that proposes steps.

    Attributes:
        careful: whether steps that do not lower the error are refused, and the end is a pose of rest. The
            texts' plain methods take every step.
    """

    careful: ClassVar[bool] = True

    def step(self, error: Array, jacobian: Array, state: Linear, options: Any) -> Array:
        """Proposed step (n,) for scaled rows: error (k,), jacobian (k, n).

        Where `batched`, also (n, B) for error (k, B) and jacobian (k, n, B).
        """
        raise TypeError(f"{type(self).__name__} does not say how it steps.")

    def solve(self, problem: Problem, q: Array, options: Any) -> Solution:
        return solve_one(self, problem, q, options) if q.ndim == 1 else solve_many(self, problem, q, options)


@dataclass(slots=True)
class Proposer:
    """A method's steps for many frames, see `ProposeMany`."""

    method: Incremental
    state: Linear
    options: Any

    def __call__(self, error: Array, jacobian: Array, /) -> Array:
        return self.method.step(error, jacobian, self.state, self.options)

    def of(self, frames: npt.NDArray[np.intp]) -> Proposer:
        """The same for some of the frames."""
        every = len(frames) == self.state.q.shape[1]
        return self if every else Proposer(self.method, self.state.of(frames), self.options)


def solve_one(method: Incremental, problem: Problem, q: Array, options: RestOptions) -> Solution:
    """Iterate one pose until it is there, stalls, or the iterations run out."""
    skeleton, stack, limits = problem.skeleton, problem.stack, problem.limits
    region, tasks = skeleton.region, problem.tasks
    scale: Any = float(stack.scale[0]) if stack.even else stack.scale
    columns: Any = scale if stack.even else stack.scale[:, None]
    tolerance = options.tolerance * options.tolerance
    mobility = None if not skeleton.stiffness.any() else skeleton.mobility
    state = Linear(problem, q, np.inf, 1.0, mobility, None, stack.level, {})
    pushing = None if problem.scene is None else Pushing(problem, problem.scene)

    def propose(error: Array, jacobian: Array) -> Array:
        if not len(error):  # no goal and no limit near: the posture alone
            return np.zeros(skeleton.n) if state.wish is None else state.wish
        plain = method.step(error, jacobian, state, options)
        return plain if pushing is None else pushing.step(error, jacobian, plain)

    careful = method.careful and pushing is None
    posture = problem.posture
    best_q, best_cost, best_wish, stall, iteration = q, np.inf, np.inf, 0, 0
    error = jacobian = best_squares = q  # replaced before use: the first pose is always accepted
    stalled = settled = best_reached = False
    while True:
        pose = Pose.trusted(skeleton, q)
        rows = stack.evaluate(tasks, pose)
        raw = rows.error
        scaled = raw * scale
        cost = float(scaled.dot(scaled))
        extra = limits.rows(pose)
        if extra is not None:
            cost += float(extra.error.dot(extra.error))
        squares = stack.squares(raw)
        reached = not stack.rows or max(squares.tolist()) < tolerance
        if pushing is not None:
            pushing.look(pose)
        if posture is None:
            if reached and (pushing is None or pushing.settled):
                best_q, best_squares = q, squares
                break
            better = cost < best_cost
        else:
            # within the tolerance the posture decides
            wish = posture.gain * (posture.q - q)
            left = float(wish.dot(wish))
            better = left < best_wish if reached and best_reached else cost < best_cost or reached
            settled = reached and (left > best_wish * (1.0 - _SETTLED) or not options.settle)
            if better or iteration == 0:
                best_wish, best_reached, state.wish = left, reached, wish
        if better or not careful:
            gained = cost < best_cost * (1.0 - _GAIN) or (reached and pushing is not None)
            stall = 0 if gained else stall + 1
            best_q, best_cost, best_squares = q, cost, squares
            if settled:
                break  # without the Jacobian, which nobody will ask for
            state.caution = max(state.caution * _LESS, _LEAST)
            error, jacobian = scaled, rows.jacobian * columns
            if extra is not None:
                error, jacobian = (
                    np.concatenate([error, extra.error]),
                    np.concatenate([jacobian, extra.jacobian]),
                )
            state.q, state.cost = q, cost
            stalled = stall >= _PATIENCE
        else:
            state.caution *= _MORE
            stalled = state.caution > _MOST
        if stalled or iteration == options.max_iterations or (posture is not None and settled):
            break
        iteration += 1
        q = limits.step(region, state.q, error, jacobian, propose)
    short = stalled and bool((best_squares >= tolerance).any())
    if short and careful and options.rest and may_rest(problem):
        best_q, best_squares = at_rest(problem, best_q)
    errors = np.sqrt(best_squares)
    return conclude(
        problem,
        best_q,
        iteration,
        options.tolerance,
        errors=errors,
        stalled=stalled,
        measure=None if problem.scene is None else problem.scene.measure(best_q),
    )


def _keep_memory() -> None:
    """Have the C library keep what arrays free, for the next ones, rather than give it back to the system.

    To get a few megabytes anew in every iteration costs as much as all arithmetic on them (measured: half of
    a batch's time). glibc learns from the largest block that was freed how much is worth keeping; this one
    is just below the most that it heeds, and nobody touches it, so that it costs nothing by itself.
    """
    np.empty(31 << 20, dtype=np.uint8)


def solve_many(method: Incremental, problem: Problem, q: Array, options: RestOptions) -> Solution:
    """As `solve_one` for a batch q (*batch, n) at once; frames that are done leave the batch.

    A refused step is answered by evaluating the best pose again rather than by keeping its rows: that costs
    an evaluation for those frames only, where keeping would copy every Jacobian in every round.
    """
    _keep_memory()
    skeleton, stack, limits, posture = problem.skeleton, problem.stack, problem.limits, problem.posture
    batch, n = q.shape[:-1], skeleton.n
    best = q.reshape(-1, n).copy()
    count = len(best)
    tolerance = options.tolerance * options.tolerance
    state = Linear(problem, best, np.inf, 1.0, None, None, stack.level, {})
    if skeleton.stiffness.any():
        state.mobility = skeleton.mobility[:, None]
    propose = Proposer(method, state, options)

    best_cost, best_left = np.full(count, np.inf), np.full(count, np.inf)
    best_squares = np.full((count, len(problem.effectors)), np.inf)
    best_reached, stalled = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    caution, stall, iterations = np.ones(count), np.zeros(count, dtype=int), np.zeros(count, dtype=int)
    again = np.zeros(count, dtype=bool)  # evaluated again after a refused step
    active = np.arange(count)
    trial = best
    while len(active):
        now = problem if problem.frames is None else problem.at(active)
        raw, derivative = stack.evaluate(now.tasks, Pose.trusted(skeleton, trial))
        scaled = raw * stack.scale
        cost = np.einsum("bk,bk->b", scaled, scaled)
        squares = stack.squares(raw)
        reached = squares.max(1) < tolerance if stack.rows else np.ones(len(active), dtype=bool)
        retry = again[active]
        settled = np.zeros(len(active), dtype=bool)
        if posture is None:
            better = (cost < best_cost[active]) | reached | retry
            finished = reached
            wish = None
        else:
            wish = now.posture.gain * (now.posture.q - trial)  # type: ignore[union-attr]
            left = np.einsum("bn,bn->b", wish, wish)
            both = reached & best_reached[active]
            better = np.where(both, left < best_left[active], (cost < best_cost[active]) | reached) | retry
            settled = reached & (left > best_left[active] * (1.0 - _SETTLED)) & ~retry
            finished = settled
            first = better | (iterations[active] == 0)
            best_left[active[first]], best_reached[active[first]] = left[first], reached[first]
        if not method.careful:
            better = np.ones(len(active), dtype=bool)
        fresh = better & ~retry
        changed = active[fresh]
        gained = cost[fresh] < best_cost[changed] * (1.0 - _GAIN)
        stall[changed] = np.where(gained, 0, stall[changed] + 1)
        best[changed], best_cost[changed], best_squares[changed] = trial[fresh], cost[fresh], squares[fresh]
        caution[changed] = np.maximum(caution[changed] * _LESS, _LEAST)
        refused = active[~better]
        caution[refused] *= _MORE
        again[active] = ~better
        stuck = np.where(better, stall[active] >= _PATIENCE, caution[active] > _MOST)
        stalled[active[stuck & ~finished]] = True
        going = ~(finished | stuck | (iterations[active] >= options.max_iterations))
        stepping = going & better
        following = active[going]
        if stepping.any():
            frames = active[stepping]
            state.q = np.ascontiguousarray(best[frames].T)
            state.cost, state.caution = cost[stepping], caution[frames]
            if wish is not None:
                state.wish = np.ascontiguousarray(wish[stepping].T)
            error = np.ascontiguousarray(scaled[stepping].T)
            columns = np.moveaxis(derivative, 0, -1)
            columns = columns if stepping.all() else columns.compress(stepping, 2)
            moved = limits.step_many(
                skeleton.region, state.q, error, columns * stack.scale[:, None, None], propose
            )
            iterations[frames] += 1
            trial = best[active]  # refused frames stand at their best pose
            trial[stepping] = moved.T
            trial = trial[going]
        else:
            trial = best[following]
        active = following
    if options.rest and method.careful and may_rest(problem):
        short = stalled & (best_squares.max(1, initial=0.0) >= tolerance)
        for i in np.flatnonzero(short).tolist():
            now = problem if problem.frames is None else problem.at(i)
            best[i], best_squares[i] = at_rest(now, best[i])
    answers = [
        conclude(
            problem.at(i) if problem.frames is not None else problem,
            best[i],
            int(iterations[i]),
            options.tolerance,
            errors=np.sqrt(best_squares[i]),
            stalled=bool(stalled[i]),
        )
        for i in range(count)
    ]
    return gather(answers, batch, problem)
