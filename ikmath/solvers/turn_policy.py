# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a figure may turn from one frame of a motion to the next, and how it catches up.

Small turns keep a motion continuous. A target that leaps is followed at once. Where the turn limit leaves a
frame short of targets that a wider turn would reach, the figure comes there by small turns, frame after
frame; where that does not succeed, it jumps. What no turn reaches is no reason to turn farther.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ..collision import ClosestPairs
from ..linalg.hierarchical_qp import Signs
from ..model.pose import Pose
from ..model.skeleton import Skeleton
from ..postures import ScaledPosture
from ..problem.problem import Problem, Solution, Status
from ..rotation import Array, angle
from .frame_correction import FirstStep
from .iterate import Iterate
from .parameters import HierarchicalParameters

_ABOUT: Final = 0.05
"""Share of a turn limit by which a figure that is held back by it may stay within: steps are corrected."""


@dataclass(frozen=True)
class Trail:
    """What a frame leaves to the one after it.

    Attributes:
        pose, near: where it ended, and the closest pairs there.
        error: (k,) scaled, that it ended with, None if that is not known.
        moved: (k,) by how much its targets had moved since the frame before, None if that is not known.
        first: its first step; active: see `IterationDriver`.
        late: frames in a row that were short of targets which a wider turn would have reached.
        posture: its posture cost, scaled.
    """

    pose: Pose | None = None
    near: ClosestPairs | None = None
    error: Array | None = None
    moved: Array | None = None
    first: FirstStep | None = None
    active: Sequence[Signs] = ()
    late: int = 0
    posture: ScaledPosture | None = None


class TurnPolicy:
    """The turn limit of one frame.

    Args:
        problem: of the frame; q: (n,) where the frame before ended; trail: what it left.

    Attributes:
        limits: radians that a turn may go, tried one after the other.
    """

    def __init__(self, problem: Problem, q: Array, trail: Trail, parameters: HierarchicalParameters) -> None:
        self._problem, self._q, self._trail, self._parameters = problem, q, trail, parameters
        self.limits = parameters.turn_limits
        self._late = 0

    def is_held_back(self, answer: Solution, limit: float) -> bool:
        """Whether a frame may be short because of its turn limit."""
        if answer.status is Status.REACHED:
            return False
        turned = np.abs(answer.q - self._q)[self._problem.skeleton.is_turn]
        return bool(turned.max(initial=0.0) >= limit * (1.0 - _ABOUT))

    def goes_at_once(self, answer: Solution, free: Solution) -> bool:
        """Whether the figure goes in this frame to where it would without a limit.

        Args:
            answer: within the usual limit; free: without one.
        """
        own = self._parameters
        if free.status is not Status.REACHED:
            return False
        sudden = largest_turn(self._problem.skeleton, self._q, free.q) > own.jump
        if sudden and self._is_slight(answer.errors):
            return False
        self._late = self._trail.late + 1
        if sudden and self._late <= own.frames_late and not self._leaps(free):
            return False
        self._late = 0
        return True

    @property
    def is_late(self) -> bool:
        """Whether the figure is short of targets that a jump would reach."""
        return self._late > 0

    def catches_up(self, answer: Solution) -> bool:
        """Whether an answer with wider turns is no jump either, by the bones' own turns."""
        return largest_turn(self._problem.skeleton, self._q, answer.q) <= self._parameters.jump + 1e-9

    def noted(self, answer: Solution, spent: int) -> Solution:
        """The answer with what the next frame needs to know, and the iterations of all of its solves."""
        trail = answer.memory if isinstance(answer.memory, Trail) else Trail()
        return replace(answer, iterations=spent, memory=replace(trail, late=self._late), paced=self._late > 0)

    def _is_slight(self, errors: Array) -> bool:
        return bool((errors < self._parameters.slight * self._problem.spans).all())

    def _leaps(self, answer: Solution) -> bool:
        """Whether a target's motion differs so much from the frame before that a jump is allowed."""
        moved, before, scale = answer.memory.moved, self._trail.moved, self._problem.stack.scale
        if moved is None:
            return True
        change = moved if before is None or len(before) != len(moved) else moved - before
        change = np.divide(change, scale, out=np.zeros_like(change), where=scale > 0.0)
        size = np.sqrt(self._problem.stack.squares(change))
        return bool((size > self._parameters.leap * self._problem.spans).any())


def moved_targets(start: Iterate, before: Trail) -> Array | None:
    """(k,) scaled, by how much targets moved since the frame before, at the start of a frame."""
    known = before.error
    return None if known is None or len(known) != len(start.error) else start.error - known


def largest_turn(skeleton: Skeleton, before: Array, after: Array) -> float:
    """Radians that a bone turns at most against its parent between coordinates (n,)."""
    world = Pose.trusted(skeleton, np.stack([before, after])).rotation
    above = np.concatenate([world, np.broadcast_to(np.eye(3), (2, 1, 3, 3))], 1)[:, skeleton.parents]
    then, now = np.swapaxes(above, -1, -2) @ world
    return float(angle(np.swapaxes(then, -1, -2) @ now).max(initial=0.0))
