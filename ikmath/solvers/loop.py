# SPDX-License-Identifier: GPL-3.0-or-later
"""The iteration that the incremental methods share.

A method proposes a step for linear rows. The loop owns everything around it: scaling of rows, joint limits,
acceptance (a step that does not lower the error is not taken but damped more and worked out again), reasons
to stop (reached, stalled, out of iterations) and the best pose so far. One pose and a batch have loops of
their own for the reason that `kinematics` gives; the method is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..blocks import Blocks
from ..diagnosis import conclude
from ..limits import ByRows, Propose, ProposeMany
from ..pose import Pose
from ..problem import Problem, Solution
from ..rotation import Array
from .base import gather
from .pushing import Pushing
from .rest import Resting, RestOptions, at_rest, may_rest

_SETTLED: Final = 1e-2  # share by which the posture must come nearer, once all is reached, to go on
_LANDING: Final = 1e-5  # scaled squared error from which on a figure that need not settle only has to arrive
_CLOSER: Final = 0.5  # share of the squared error; a step that leaves more of it is held up by the posture
_MORE, _LESS, _LEAST, _MOST = 5.0, 0.4, 1e-3, 1e7  # how the caution answers refused and accepted steps


@dataclass(frozen=True, kw_only=True)
class SteppingOptions(RestOptions):
    """Options of methods that propose steps.

    Attributes:
        patience: accepted steps that may gain next to nothing before a solve is called stalled.
        gain: share of the squared error that counts as next to nothing.
    """

    patience: int = 4
    gain: float = 5e-4

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.whole(self.patience, "patience", least=1)
        arguments.number(self.gain, "gain", least=0)


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


class Incremental(Resting):
    """A method that proposes steps.

    Attributes:
        careful: whether steps that do not lower the error are refused, and the end is a pose of rest. The
            texts' plain methods take every step.
    """

    careful: ClassVar[bool] = True

    def pulled(self, error: Array, jacobian: Array, state: Linear, options: Any) -> tuple[Array, Array]:
        """Scaled rows (k,) and (k, n) of one frame, weighed for a step; their cost goes into `state`."""
        return error, jacobian

    def step(self, error: Array, jacobian: Array, state: Linear, options: Any) -> Array:
        """Proposed step (n,) for scaled rows: error (k,), jacobian (k, n)."""
        raise TypeError(f"{type(self).__name__} does not say how it steps.")

    def proposal(self, jacobian: Array, state: Linear, options: Any) -> Propose:
        """What proposes the steps of one frame, for scaled rows (k, n)."""
        return ByRows(lambda error, rows: self.step(error, rows, state, options), jacobian, state.mobility)

    def steps(self, jacobian: Blocks, state: Linear, options: Any) -> ProposeMany:
        """As `step` for many frames, where `batched`: what proposes their steps."""
        raise TypeError(f"{type(self).__name__} does not say how many frames step.")

    def solve(self, problem: Problem, q: Array, options: Any) -> Solution:
        return solve_one(self, problem, q, options) if q.ndim == 1 else solve_many(self, problem, q, options)


def solve_one(method: Incremental, problem: Problem, q: Array, options: SteppingOptions) -> Solution:
    """Iterate one pose until it is there, stalls, or the iterations run out."""
    skeleton, stack, limits = problem.skeleton, problem.stack, problem.limits
    region, tasks = skeleton.region, problem.tasks
    scale: Any = float(stack.scale[0]) if stack.even else stack.scale
    columns: Any = scale if stack.even else stack.scale[:, None]
    tolerance = options.tolerance * options.tolerance
    enough = 1.01 * tolerance * len(stack.starts) * float((stack.scale * stack.scale).max(initial=0.0))
    mobility = skeleton.mobility if skeleton.uneven else None
    state = Linear(problem, q, np.inf, 1.0, mobility, None, stack.level, {})
    pushing = None if problem.scene is None else Pushing(problem, problem.scene)

    def unusual(error: Array, jacobian: Array) -> Array:
        if not len(error):  # no goal and no limit near: the posture alone
            return np.zeros(skeleton.n) if state.wish is None else state.wish
        plain = method.step(error, jacobian, state, options)
        return plain if pushing is None else pushing.step(error, jacobian, plain)

    careful = method.careful and pushing is None
    posture = problem.posture
    best_q, best_cost, best_wish, stall, iteration = q, np.inf, np.inf, 0, 0
    error = jacobian = best_error = q  # replaced before use: the first pose is always accepted
    stalled = settled = best_reached = False
    best_pose = pose = stack.begin(skeleton, q)
    while True:
        rows = stack.evaluate(tasks, pose)
        raw = rows.error
        scaled = raw * scale
        cost = float(scaled.dot(scaled))
        # what costs more than all effectors at their tolerances is not there
        reached = not stack.rows or (cost <= enough and max(stack.squares(raw).tolist()) < tolerance)
        extra = limits.rows(pose)
        if extra is not None:
            cost += float(extra.error.dot(extra.error))
        if pushing is not None:
            pushing.look(pose)
        if posture is None:
            if reached and (pushing is None or pushing.settled):
                best_q, best_pose, best_error = q, pose, raw
                break
            better = cost < best_cost
        else:
            # within the tolerance the posture decides
            wish = posture.gain * (posture.q - q)
            left = float(wish.dot(wish if mobility is None else wish / mobility))
            better = left < best_wish if reached and best_reached else cost < best_cost or reached
            settled = reached and (left > best_wish * (1.0 - _SETTLED) or not options.settle)
            if better or iteration == 0:
                best_wish, best_reached = left, reached
                closing_in = _LANDING < cost < _CLOSER * best_cost
                state.wish = wish if options.settle or closing_in else None
        if better or not careful:
            gained = cost < best_cost * (1.0 - options.gain) or (reached and pushing is not None)
            stall = 0 if gained else stall + 1
            best_q, best_pose, best_cost, best_error = q, pose, cost, raw
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
            error, jacobian = method.pulled(error, jacobian, state, options)
            stalled = stall >= options.patience
        else:
            state.caution *= _MORE
            stalled = state.caution > _MOST
        if stalled or iteration == options.max_iterations or (posture is not None and settled):
            break
        iteration += 1
        if pushing is None and len(error):
            propose = method.proposal(jacobian, state, options)
        else:
            propose = ByRows(unusual, jacobian, mobility)
        q = limits.step(region, state.q, error, propose)
        pose = Pose.trusted(skeleton, q)
    stack.end(best_pose)
    best_squares = stack.squares(best_error)
    short = stalled and bool((best_squares >= tolerance).any())
    if short and careful and options.rest and may_rest(problem):
        best_q, best_squares = at_rest(problem, best_q)
    errors = np.sqrt(best_squares)
    return conclude(
        problem,
        best_q.copy(),
        iteration,
        options.tolerance,
        errors=errors,
        stalled=stalled,
        measure=None if problem.scene is None else problem.scene.measure(best_q),
        near=None if pushing is None else pushing.near,
    )


def _keep_memory() -> None:
    """Have the C library keep what arrays free, for the next ones, rather than give it back to the system.

    To get a few megabytes anew in every iteration costs as much as all arithmetic on them (measured: half of
    a batch's time). glibc learns from the largest block that was freed how much is worth keeping; this one
    is just below the most that it heeds, and nobody touches it, so that it costs nothing by itself.
    """
    np.empty(31 << 20, dtype=np.uint8)


class _Standing(NamedTuple):
    """The best poses so far of B frames that are still in work.

    Attributes:
        q: (n, B); error: (k, B) of its rows, scaled; cost: (B,) its squared length;
        squares: (E, B) of the effectors' errors, unscaled; reached: (B,) whether all are within tolerance;
        wish: (n, B) step that the posture asks for, left: (B,) its squared length in the metric; both empty
            without one;
        caution, stall: (B,) as in `solve_one`.
    """

    q: Array
    error: Array
    cost: Array
    squares: Array
    reached: Array
    wish: Array
    left: Array
    caution: Array
    stall: Array

    def take(self, frames: npt.NDArray[np.intp]) -> _Standing:
        """Some of the frames."""
        return _Standing(*(array.take(frames, -1) for array in self))


def solve_many(method: Incremental, problem: Problem, q: Array, options: SteppingOptions) -> Solution:
    """As `solve_one` for a batch q (*batch, n) at once; frames that are done leave the batch."""
    _keep_memory()
    skeleton, stack, limits = problem.skeleton, problem.stack, problem.limits
    batch, count, n = q.shape[:-1], prod(q.shape[:-1]), skeleton.n
    tolerance = options.tolerance * options.tolerance
    mobility = skeleton.mobility[:, None] if skeleton.uneven else None
    best, best_squares = np.empty((count, n)), np.empty((count, len(problem.effectors)))
    iterations, stalled = np.zeros(count, dtype=int), np.zeros(count, dtype=bool)
    frames = np.arange(count)  # those still in work
    now, trial, iteration = problem.at(frames), np.ascontiguousarray(q.reshape(count, n).T), 0
    before, rows = _nowhere(trial), Blocks((stack.rows, n, count), [], [])
    while len(frames):
        raw, derivative = stack.evaluate_many(now.tasks, Pose.trusted(skeleton, trial.T))
        error = np.ascontiguousarray((raw * stack.scale).T)
        cost = np.einsum("kb,kb->b", error, error)
        squares = np.ascontiguousarray(stack.squares(raw).T)
        reached = squares.max(0, initial=0.0) < tolerance
        if now.posture is None:
            wish, left = np.empty((0, len(frames))), np.empty(len(frames))
            better, finished = (cost < before.cost) | reached, reached
        else:
            # within the tolerance the posture decides
            wish = np.ascontiguousarray((now.posture.gain * (now.posture.q - trial.T)).T)
            left = np.einsum("nb,nb->b", wish, wish if mobility is None else wish / mobility)
            nearer = left < before.left
            better = np.where(reached & before.reached, nearer, (cost < before.cost) | reached)
            finished = reached & ((left > before.left * (1.0 - _SETTLED)) | (not options.settle))
        if iteration == 0 or not method.careful:
            better = np.ones(len(frames), dtype=bool)
        gained = cost < before.cost * (1.0 - options.gain)
        stall = np.where(better, np.where(gained, 0, before.stall + 1), before.stall)
        caution = np.where(better, np.maximum(before.caution * _LESS, _LEAST), before.caution * _MORE)
        stuck = np.where(better, stall >= options.patience, caution > _MOST)
        at = _Standing(trial, error, cost, squares, reached, wish, left, caution, stall)
        refused = ~better
        if refused.any():
            for new, old in zip(at[:-2], before[:-2], strict=True):
                np.copyto(new, old, where=refused)
        over = finished | stuck | (iteration >= options.max_iterations)
        if over.any():
            done = frames[over]
            best[done], best_squares[done] = at.q.T[over], at.squares.T[over]
            iterations[done], stalled[done] = iteration, (stuck & ~finished)[over]
        if over.all():
            break
        following = derivative()
        if refused.any():
            following.replace(refused, rows)
        if over.any():
            own = np.flatnonzero(~over)
            frames, at, following = frames[own], at.take(own), following.take(own)
            now = problem.at(frames)
        rows, before, iteration = following, at, iteration + 1
        asked = None if now.posture is None else at.wish
        state = Linear(problem, at.q, at.cost, at.caution, mobility, asked, stack.level, {})
        trial = limits.step_many(skeleton.region, at.q, at.error, method.steps(rows, state, options))
    if options.rest and method.careful and may_rest(problem):
        short = stalled & (best_squares.max(1, initial=0.0) >= tolerance)
        for i in np.flatnonzero(short).tolist():
            best[i], best_squares[i] = at_rest(problem.at(i), best[i])
    errors = np.sqrt(best_squares)
    short = (errors > options.tolerance).any(1)
    answers = [
        conclude(
            problem.at(i) if short[i] else problem,  # who is there need not be told what is short
            best[i],
            int(iterations[i]),
            options.tolerance,
            errors=errors[i],
            stalled=bool(stalled[i]),
        )
        for i in range(count)
    ]
    return gather(answers, batch, problem)


def _nowhere(q: Array) -> _Standing:
    """Before the first pose (n, B), than which any is better."""
    worst, none = np.full(q.shape[1], np.inf), np.empty((0, q.shape[1]))
    no = np.zeros(q.shape[1], dtype=bool)
    return _Standing(
        q, none, worst, none, no, none, worst, np.ones(q.shape[1]), np.zeros(q.shape[1], dtype=int)
    )
