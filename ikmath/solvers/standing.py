# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a solve of the default method stands, and what it learnt on the way there."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from ..linalg.inequalities import Working
from ..obstacles import Proximity
from ..pose import Pose
from ..residual import Residual
from ..rotation import Array

_MORE, _LESS, LEAST, MOST = 5.0, 0.4, 1e-3, 1e7  # how the caution answers refused and accepted steps
_CREEP = 0.02  # share of each level's squared error
_TRUE, _FALSE = 0.75, 0.25  # shares of the promised gain above which to be bolder, below which not


@dataclass
class State:
    """Where a solve stands: the accepted pose and all that is known of it.

    Attributes:
        q: (n,); pose: there; rows: of the goals, unscaled; scaled: (k,) their errors in units of `Stack`;
        units: (n, k) what makes the Jacobian so;
        costs: squared length of each level's scaled errors; squares: (E,) of each effector's unscaled ones;
        reached: whether every effector is within the tolerance;
        near: what obstacles are near; wish: (n,) step that the posture asks for; left: its squared length.
    """

    q: Array
    pose: Pose
    rows: Residual
    scaled: Array
    units: Array
    costs: list[float]
    squares: list[float]
    reached: bool
    near: Proximity | None = None
    left: float = 0.0
    wish: Array | None = None

    @cached_property
    def columns(self) -> Array:
        """(n, k) the scaled Jacobian, the coordinates first, as it lies in memory."""
        return self.rows.jacobian.T * self.units


@dataclass(slots=True)
class Trail:
    """What the frame after goes on from: the pose, what held it, whether the motion is a fast one.

    It lags where it stayed a little short rather than jump.
    """

    pose: Pose | None
    working: list[Working]
    fast: bool = False
    near: Proximity | None = None
    lags: bool = False


@dataclass(slots=True)
class Memory:
    """What is kept from step to step of one solve; together: whether no level has been in another's way."""

    caution: list[float]
    working: list[Working] = field(default_factory=list)
    together: bool = True

    def refused(self, worse: int) -> None:
        """Learn from a step that was not taken because it spoiled a level.

        What spoils a level at second order is mostly the step of weaker ones: they become the most careful.
        """
        for level in range(worse, len(self.caution)):
            self.caution[level] *= _MORE if level == worse else 2.0 * _MORE

    def taken(self, before: list[float], promised: list[float], after: list[float]) -> None:
        """Learn from a step that was taken: how much of what the linear picture promised came true."""
        for level, (old, linear, new) in enumerate(zip(before, promised, after, strict=True)):
            gain = old - linear
            share = (old - new) / gain if gain > 1e-9 * old else 1.0
            if share > _TRUE:
                self.caution[level] = max(self.caution[level] * _LESS, LEAST)
            elif share < _FALSE:
                self.caution[level] *= 2.0


@dataclass(slots=True)
class Creeping:
    """Whether a solve has all but come to rest, told by what several steps gain together.

    Sliding along a curved surface gains less and less in every step, but never nothing; neither does the way
    to the nearest pose where levels are in conflict.

    Attributes:
        steps: that are looked at; floors: squared errors of each level that do not count;
        lowest: what each level had at its best, step by step.
    """

    steps: int
    floors: list[float]
    lowest: list[list[float]] = field(default_factory=list)

    def at(self, lowest: list[float]) -> bool:
        """Take notice of the next step, and say whether it and those before have gained next to nothing."""
        self.lowest.append(lowest)
        if len(self.lowest) <= self.steps:
            return False
        levels = zip(lowest, self.lowest.pop(0), self.floors, strict=True)
        return all(now >= then * (1.0 - _CREEP) - floor for now, then, floor in levels)
