# SPDX-License-Identifier: GPL-3.0-or-later
"""Other starts from where a solve got stuck, worth a try because of how it got stuck."""

from __future__ import annotations

from typing import Final

import numpy as np

from ....arrays import Index, Mask
from ....model.pose import Pose
from ....model.skeleton import Skeleton
from ....problem.problem import Problem
from ....rotation import Array

_BEND: Final = 0.05  # radians, the bend given to straight limbs that must shorten
_DRAWN: Final = 32  # poses of which the best is gone on from,
_WEAKER: Final = 0.3  # with this share of the level above in the weight of each level's errors
_DEAD: Final = 1e-3  # share of the best slope of an error, below which a pose gives it no way to go


def bend(
    skeleton: Skeleton, q: Array, error: Array, rows: Array, starts: Index, held: Mask, moved: Mask
) -> Array | None:
    """A small bend, where an error has no slope left: a straight limb that must shorten.

    Only limbs of what is short are bent, and those of what bars its way: others would bring it nearer that
    have no say in it. Each turn goes towards the middle of its limits or, where it has none, towards its rest
    pose; what has neither side preferred goes to the positive one.

    Args:
        skeleton: the figure; q: (n,) where it is stuck.
        error, rows: (k,) and (k, n), weighed; starts: (E,) first row of every effector.
        held: (k,) which rows have what they want and keep it: a slope against them is none.
        moved: (E, n) which coordinates move which effector, whether it may use them or not.

    Returns:
        (n,) coordinates, or None where the slope is not gone.
    """
    way, strong = error.dot(rows), rows[held]
    steepest = float(np.sqrt((rows * rows).sum(1).max(initial=0.0) * error.dot(error)))
    bars = np.zeros(len(error), dtype=bool)
    if len(strong):
        push = np.linalg.lstsq(strong.T, way, rcond=None)[0]
        bars[held] = np.abs(push) * np.sqrt((strong * strong).sum(1)) > _DEAD * steepest
        way = way - push.dot(strong)
    if np.abs(way).max(initial=0.0) > _DEAD * steepest or steepest == 0.0:
        return None
    low, high = np.maximum(skeleton.lower, -np.pi), np.minimum(skeleton.upper, np.pi)
    middle = 0.5 * (low + high)
    preferred = np.where(np.abs(middle - q) > 1e-3, middle - q, skeleton.rest - q)
    side = np.where(preferred < -1e-9, -1.0, 1.0)
    squares = np.add.reduceat(error * error, starts)
    short = squares > _DEAD**2 * squares.max()
    used = np.logical_or.reduceat(rows != 0.0, starts, axis=0)
    barring = used[np.logical_or.reduceat(bars, starts)].any(0) & ~moved[short].any(0)
    bent = (used[short].any(0) | barring) & skeleton.is_turn
    return skeleton.region.project_first(q + np.where(bent, np.minimum(_BEND, high - low) * side, 0.0))


def unlock(skeleton: Skeleton, q: Array) -> Array | None:
    """Coordinates (n,) with the turns that stand at a limit put back to mid-range; None if none does."""
    stuck = skeleton.region.at_limit(q, 1e-3) & skeleton.is_turn
    if not stuck.any():
        return None
    middle = 0.5 * (np.maximum(skeleton.lower, -np.pi) + np.minimum(skeleton.upper, np.pi))
    return skeleton.region.project_first(np.where(stuck, middle, q))


def scattered(skeleton: Skeleton, q: Array, rng: np.random.Generator, count: int) -> Array:
    """Coordinates (count, n) drawn inside the limits; slides stay where they are in q."""
    low, high = np.maximum(skeleton.lower, -np.pi), np.minimum(skeleton.upper, np.pi)
    drawn = rng.uniform(low, np.maximum(low, high), (count, len(q)))
    return skeleton.region.project(np.where(skeleton.is_turn, drawn, q))


def elsewhere(problem: Problem, q: Array, rng: np.random.Generator) -> Array:
    """Of many coordinates drawn inside the limits those (n,) that are nearest to the goals."""
    drawn, stack = scattered(problem.skeleton, q, rng, _DRAWN), problem.stack
    error = stack.evaluate(problem.tasks, Pose.trusted(problem.skeleton, drawn)).error
    scale = stack.scale * _WEAKER**stack.place
    return np.asarray(drawn[int(((error * scale) ** 2).sum(-1).argmin())])
