# SPDX-License-Identifier: GPL-3.0-or-later
"""Other starts for a solve that ended short, tried in order.

A strategy proposes starts; the solve goes on from each of them and keeps the best. Strategies that jump are
used only where a jump is allowed.
"""

from collections.abc import Iterator
from typing import ClassVar, Final, NamedTuple, Protocol

import numpy as np

from .driver import Budget, IterationDriver
from .iterate import Iterate

_BEND: Final = 0.05  # radians given to straight limbs that must shorten
_BESIDE: Final = 1e-3
"""Radians from the middle of its limits, or from rest, within which a turn is on no side of it."""
_ROUNDING: Final = 1e-18  # squared scaled error that counts as none
_DEAD: Final = 1e-3  # share of the steepest slope of an error below which it has none


class Ended(NamedTuple):
    """A solve that ended short: its start and end, and the rest of its budget."""

    driver: IterationDriver
    budget: Budget
    start: Iterate
    end: Iterate
    rng: np.random.Generator


class RestartStrategy(Protocol):
    """Proposes starts.

    Attributes:
        jumps: whether its starts are elsewhere, so that the way is not checked.
        costly: whether it is tried only where an exact solve could end better elsewhere.
    """

    jumps: ClassVar[bool] = False
    costly: ClassVar[bool] = True

    def starts(self, ended: Ended) -> Iterator[Iterate | None]:
        """Starts inside the limits, the most promising first; iterations used are counted.

        None after an iteration of its own, where the solve may pause.
        """


class StraightLimbKick(RestartStrategy):
    """A small bend where the errors have no slope left: a straight limb that must shorten.

    Each turn of a limb that is short bends towards the middle of its limits or, where it has none, towards
    its rest pose; else to the positive side. Limbs that bar the way of a short one bend, too.
    """

    costly: ClassVar[bool] = False

    def starts(self, ended: Ended) -> Iterator[Iterate]:
        """See `RestartStrategy`."""
        driver, end = ended.driver, ended.end
        skeleton, stack, q = driver.problem.skeleton, driver.problem.stack, end.q
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
        preferred = np.where(np.abs(middle - q) > _BESIDE, middle - q, skeleton.rest - q)
        side = np.where(preferred < -_BESIDE, -1.0, 1.0)
        squares = stack.squares(error)
        short = squares > _DEAD**2 * squares.max()
        used = np.logical_or.reduceat(np.abs(rows) > _DEAD * np.abs(rows).max(), stack.starts, axis=0)
        barring = used[np.logical_or.reduceat(bars, stack.starts)].any(0) & ~stack.moved[short].any(0)
        bent = (used[short].any(0) | barring) & skeleton.is_turn
        kicked = skeleton.joint_limits.project(q + np.where(bent, np.minimum(_BEND, high - low) * side, 0.0))
        moved = driver.move(end, driver.bounds.inside(q, kicked))
        if moved is not None:
            yield moved


def better(new: Iterate, old: Iterate, share: float) -> bool:
    """Whether the first level in which two iterates differ is better by a share of its squared error."""
    for a, b in zip(new.costs, old.costs, strict=True):
        if a < b * (1.0 - share) - _ROUNDING:
            return True
        if a > b * (1.0 + 1e-4) + _ROUNDING:
            return False
    return False
