# SPDX-License-Identifier: GPL-3.0-or-later
"""Other starts for a solve that ended short, tried in order.

A strategy proposes starts; the solve goes on from each of them and keeps the best. Strategies that jump are
used only where a jump is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Protocol

import numpy as np

from ..model.pose import Pose
from ..problem.problem import Problem
from ..rotation import Array
from .iterate import Iterate

_BEND: Final = 0.05
"""Radians given to straight limbs that must shorten."""
_DEAD: Final = 1e-3
"""Share of the steepest slope of an error below which it has none."""
_DRAWN: Final = 32
"""Starts drawn in a batch."""
_STEPS: Final = 16
"""Steps of the batch: enough to tell good starts from bad ones."""
_TRIED: Final = 3
"""Best of the batch that the solve goes on from."""


class RestartStrategy(Protocol):
    """Proposes starts.

    Attributes:
        jumps: whether its starts are elsewhere; steps: iterations that proposing them takes.
    """

    @property
    def jumps(self) -> bool: ...
    @property
    def steps(self) -> int: ...

    def starts(self, problem: Problem, end: Iterate, rng: np.random.Generator) -> Iterator[Array]:
        """Coordinates (n,) inside the limits, the most promising first."""


class StraightLimbKick:
    """A small bend where the errors have no slope left: a straight limb that must shorten.

    Each turn of a limb that is short bends towards the middle of its limits or, where it has none, towards
    its rest pose; else to the positive side. Limbs that bar the way of a short one bend, too.
    """

    jumps: ClassVar[bool] = False
    steps: ClassVar[int] = 0

    def starts(self, problem: Problem, end: Iterate, rng: np.random.Generator) -> Iterator[Array]:
        skeleton, stack, q = problem.skeleton, problem.stack, end.q
        rows, error = end.jacobian, end.error
        met = next((i for i, cost in enumerate(end.costs) if cost > 1e-12), len(end.costs))
        held = stack.place < met
        way, strong = error.dot(rows), rows[held]
        steepest = float(np.sqrt((rows * rows).sum(1).max(initial=0.0) * error.dot(error)))
        bars = np.zeros(len(error), dtype=bool)
        if len(strong):
            push = np.linalg.lstsq(strong.T, way, rcond=None)[0]
            bars[held] = np.abs(push) * np.sqrt((strong * strong).sum(1)) > _DEAD * steepest
            way = way - push.dot(strong)
        if steepest == 0.0 or np.abs(way).max(initial=0.0) > _DEAD * steepest:
            return
        low, high = np.maximum(skeleton.lower, -np.pi), np.minimum(skeleton.upper, np.pi)
        middle = 0.5 * (low + high)
        preferred = np.where(np.abs(middle - q) > 1e-3, middle - q, skeleton.rest - q)
        side = np.where(preferred < -1e-9, -1.0, 1.0)
        squares = np.add.reduceat(error * error, stack.starts)
        short = squares > _DEAD**2 * squares.max()
        used = np.logical_or.reduceat(rows != 0.0, stack.starts, axis=0)
        barring = used[np.logical_or.reduceat(bars, stack.starts)].any(0) & ~stack.moved[short].any(0)
        bent = (used[short].any(0) | barring) & skeleton.is_turn
        yield skeleton.region.project(q + np.where(bent, np.minimum(_BEND, high - low) * side, 0.0))


class SeededRestarts:
    """Starts drawn evenly inside the limits, led on as one batch by damped least squares."""

    jumps: ClassVar[bool] = True
    steps: ClassVar[int] = _STEPS

    def starts(self, problem: Problem, end: Iterate, rng: np.random.Generator) -> Iterator[Array]:
        drawn = scattered(problem, end.q, rng, _DRAWN)
        q, costs = batch_descent(problem, drawn, _STEPS)
        yield from q[np.argsort(costs, kind="stable")[:_TRIED]]


def scattered(problem: Problem, q: Array, rng: np.random.Generator, count: int) -> Array:
    """Coordinates (count, n) drawn inside the limits; slides stay where they are in q."""
    skeleton = problem.skeleton
    low, high = np.maximum(skeleton.lower, -np.pi), np.minimum(skeleton.upper, np.pi)
    drawn = rng.uniform(low, np.maximum(low, high), (count, len(q)))
    return skeleton.region.project(np.where(skeleton.is_turn, drawn, q))


def batch_descent(problem: Problem, q: Array, steps: int) -> tuple[Array, Array]:
    """Many poses (B, n) led on at once: damped steps with coordinates at their limits locked.

    Returns:
        The best pose of each (B, n), and its weighted squared error (B,), stronger levels counting 1e4 times
        as much as the next.
    """
    stack, region = problem.stack, problem.skeleton.region
    largest = np.array([max(most, 1e-150) for most in stack.most])
    share = np.asarray(1e-2 ** np.arange(len(stack.levels)) / largest)[stack.place]
    best, least = q, np.full(len(q), np.inf)
    for step in range(steps + 1):
        residual = stack.evaluate(problem.tasks, Pose.trusted(problem.skeleton, q))
        error = residual.error * stack.scale * share
        cost = (error * error).sum(-1)
        better = cost < least
        best, least = np.where(better[:, None], q, best), np.minimum(cost, least)
        if step == steps:
            break
        rows = residual.jacobian * (stack.scale * share)[:, None] * stack.metric
        damping = (0.05 * cost + 1e-6)[:, None, None]
        for _ in range(2):
            gram = rows @ rows.swapaxes(-1, -2) + damping * np.eye(rows.shape[1])
            z = -np.matmul(rows.swapaxes(-1, -2), np.linalg.solve(gram, error[..., None]))[..., 0]
            dq = z * stack.metric
            out = ((q + dq < region.low) & (q <= region.low)) | ((q + dq > region.high) & (q >= region.high))
            if not out.any():
                break
            rows, dq = np.where(out[:, None], 0.0, rows), np.where(out, 0.0, dq)
        q = region.project(q + dq)
    return best, least


def better(problem: Problem, new: Iterate, old: Iterate, share: float) -> bool:
    """Whether the first level that tells two iterates apart is better by a share of its squared error."""
    for a, b, most in zip(new.costs, old.costs, problem.stack.most, strict=True):
        rounding = (1e-9 * most * problem.length) ** 2
        if a < b * (1.0 - share) - rounding:
            return True
        if a > b * (1.0 + 1e-4) + rounding:
            return False
    return False
