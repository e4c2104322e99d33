# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a solve of the default method stands, and what it learnt on the way there."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from ....collision import ClosestPairs
from ....goals import Posture
from ....goals.stack import Stack
from ....linalg.inequalities import Working
from ....model.pose import Pose
from ....model.residual import Residual
from ....problem.problem import Problem
from ....rotation import Array
from ...stepping import LEAST, LESS, MORE

_CREEP = 0.02  # share of each level's squared error
_ALIKE: Final = 2.0  # speed against the frame before up to which a motion goes on
_SLIGHT: Final = 0.01  # share of what was asked for (squared) that is left by no more than a sag
_STEADY: Final = 0.25  # share of it (squared) that may differ from frame to frame
_TO_AND_FRO: Final = 0.3  # share of two changes of speed by which they cancel, in a motion that sways
_CALMER, _BOLDER, _CALMEST = 0.4, 1.005, 0.05  # factors of the posture's share, and its least
_NO_SWAY: Final = 1e-6  # radians or metres a frame; changes of speed below that are rounding
_AS_GOOD: Final = 1e-8  # share of what poses cost by which they may differ and be as good,
_NOTHING: Final = 1e-14  # and squared figure sizes or radians
_TRUE, _FALSE = 0.75, 0.25  # shares of the promised gain above which to be bolder, below which not


@dataclass
class State:
    """Where a solve stands: the accepted pose and all that is known of it.

    Attributes:
        q: (n,); pose: there; rows: of the goals, unscaled; scaled: (k,) their errors in units of `Stack`;
        units: (n, k) what makes the Jacobian so;
        costs: squared length of each level's scaled errors; squares: (E,) of each effector's unscaled ones;
        reached: whether every effector is within the tolerance;
        near: what obstacles are near; wish: (n,) step that the posture asks for; left: see `Draw`.
    """

    q: Array
    pose: Pose
    rows: Residual
    scaled: Array
    units: Array
    costs: list[float]
    squares: list[float]
    reached: bool
    near: ClosestPairs | None = None
    left: float = 0.0
    wish: Array | None = None

    def is_nearer(self, other: State) -> bool:
        """Whether a pose is nearer to anything than another, in order, and by more than rounding."""
        if self.reached != other.reached:
            return self.reached
        first = -1 if self.reached else 0  # what is reached is reached: then the posture decides
        pairs = zip([*self.costs, self.left][first:], [*other.costs, other.left][first:], strict=True)
        tell = (new < old for new, old in pairs if abs(new - old) > _AS_GOOD * old + _NOTHING)
        return next(tell, False)

    @cached_property
    def columns(self) -> Array:
        """(n, k) the scaled Jacobian, the coordinates first, as it lies in memory."""
        return self.rows.jacobian.T * self.units


class Draw:
    """How a posture draws a figure.

    Args:
        posture: of the problem; metric: (n,) see `Stack`.
    """

    def __init__(self, posture: Posture, metric: Array) -> None:
        self._there, self._gain = posture.q, posture.gain
        self._weight = self._gain / (metric * metric)

    @classmethod
    def of(cls, problem: Problem) -> Draw | None:
        """That of a problem's posture, None if it has none."""
        posture = problem.posture
        return None if posture is None else cls(posture, problem.stack.metric)

    def at(self, q: Array) -> tuple[Array, float]:
        """At coordinates (n,) the step (n,) that it asks for; and what that would make less, to nothing."""
        away = self._there - q
        return self._gain * away, float((self._weight * away).dot(away))


@dataclass(slots=True)
class Trail:
    """What the frame after goes on from: the pose, what held it, whether the motion is a fast one.

    It lags where it stayed a little short rather than jump; its first step was off by a sag; and it may sway.
    """

    pose: Pose | None
    working: list[Working]
    fast: bool = False
    near: ClosestPairs | None = None
    lags: bool = False
    sag: Sag | None = None
    sway: Sway | None = None


class Sway(NamedTuple):
    """Whether a motion goes to and fro, a frame this way and a frame that way, and what keeps it from it.

    A step towards the posture goes along the linear picture. Where goals hold a figure on strongly curved
    ways, as closed chains are, it goes farther than there was to go, and the next one back again. So it goes
    but a share of the way there as soon as that is seen, and more again while it is not.

    Attributes:
        share: of the step towards the posture; moved: (n,) from frame to frame; turned: (n,) how much that
            was another way than before, None in the first two frames.
    """

    share: float
    moved: Array
    turned: Array | None

    @staticmethod
    def calm(before: Sway | None) -> float:
        """Which share of the way to the posture the next step goes."""
        return 1.0 if before is None else before.share

    @classmethod
    def after(cls, before: Sway | None, moved: Array) -> Sway:
        """With one more frame, in which the figure has moved by (n,)."""
        if before is None or before.moved.shape != moved.shape:
            return cls(1.0, moved, None)
        turned = moved - before.moved
        share = min(1.0, before.share * _BOLDER)
        if before.turned is not None:
            now, then = (math.sqrt(float(one.dot(one))) for one in (turned, before.turned))
            sways = float(turned.dot(before.turned)) < -_TO_AND_FRO * now * then
            if sways and min(now, then) > _NO_SWAY:
                share = max(before.share * _CALMER, _CALMEST)
        return cls(share, moved, turned)


class Sag(NamedTuple):
    """What a first step left, since a figure moves along arcs and the linear picture along their tangents.

    A motion that goes on is off by nearly the same in the next frame, one that slows down by the square of
    how much slower it is. A step that aims off by that is one order better and mostly the only one.

    Attributes:
        stack: of the rows; asked: (k,) scaled errors that the step was to put right;
        left: (k,) what it left of them, or would have if it had not aimed off;
        steady: whether it could be foreseen.
    """

    stack: Stack
    asked: Array
    left: Array
    steady: bool

    @classmethod
    def of(cls, stack: Stack, asked: Array, left: Array, expected: Array | None) -> Sag | None:
        """See `Sag`; expected: (k,) what the step was thought to leave, None if nobody knew.

        None where it left so much that something else must have been in its way.
        """
        size = float(left.dot(left))
        if not size < _SLIGHT * float(asked.dot(asked)):
            return None
        away = left if expected is None else left - expected
        return cls(stack, asked, left, float(away.dot(away)) < _STEADY * size)

    def now(self, stack: Stack, scaled: Array) -> Array | None:
        """What a first step will leave of scaled errors (k,) if the motion goes on; None if it does not."""
        if not stack.like(self.stack):
            return None
        share = float(scaled.dot(self.asked)) / float(self.asked.dot(self.asked))
        return share * share * self.left if 0.0 < share < _ALIKE else None


@dataclass(slots=True)
class Memory:
    """What is kept from step to step of one solve.

    Attributes:
        caution: of each level; working: see `lexicographic`; together: whether no level has been in another's
            way; sag: (k,) what the next step is known to leave, None if nothing is.
        share: of what the posture asks for that a step goes.
    """

    caution: list[float]
    working: list[Working] = field(default_factory=list)
    together: bool = True
    sag: Array | None = None
    share: float = 1.0

    def expect(self, sag: Sag | None, stack: Stack, scaled: Array) -> Array | None:
        """Aim off, if the frame before tells by how much; returns what to expect, though it be too unsure."""
        expected = None if sag is None else sag.now(stack, scaled)
        self.sag = expected if sag is not None and sag.steady else None
        return expected

    def refused(self, worse: int) -> None:
        """Learn from a step that was not taken because it spoiled a level.

        What spoils a level at second order is mostly the step of weaker ones: they become the most careful.
        """
        self.share /= MORE
        for level in range(worse, len(self.caution)):
            self.caution[level] *= MORE if level == worse else 2.0 * MORE

    def taken(self, before: list[float], promised: list[float], after: list[float]) -> None:
        """Learn from a step that was taken: how much of what the linear picture promised came true."""
        self.share = min(1.0, self.share / LESS)
        for level, (old, linear, new) in enumerate(zip(before, promised, after, strict=True)):
            gain = old - linear
            share = (old - new) / gain if gain > 1e-9 * old else 1.0
            if share > _TRUE:
                self.caution[level] = max(self.caution[level] * LESS, LEAST)
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
