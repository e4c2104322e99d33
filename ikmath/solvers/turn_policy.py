# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a figure may turn from one frame of a motion to the next, and how it catches up.

Small turns, each little farther than in the frame before, keep a motion continuous. Where they hold a frame
back, it goes on in wider ranges, as a motion that is fast already may.
A turn that is seen as a jump is spread over frames, unless a target leapt or the figure is late for long;
where a target turns, bones may turn as far besides.
What no turn reaches is no reason to jump.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from ..arrays import Index, Mask
from ..collision import ClosestPairs
from ..linalg.hierarchical_qp import Signs
from ..model.pose import Pose
from ..model.skeleton import Skeleton
from ..problem.problem import Problem, Solution, Status
from ..rotation import Array, angle
from .frame_correction import FirstStep
from .parameters import HierarchicalParameters
from .step_bounds import short_way

_CONTACT: Final = 1e-5  # figure sizes above the margin within which a link touches an obstacle
_ROUNDING: Final = 1e-9  # radians, of turns that end where their range does
_ABOUT: Final = 0.05
"""Share of a turn limit by which a figure that is held back by it may stay within: steps are corrected."""


class Trail(NamedTuple):
    """What a frame leaves to the one after it, as far as it is known."""

    pose: Pose | None = None  # where it ended
    near: ClosestPairs | None = None  # the closest pairs there
    error: Array | None = None  # (k,) scaled, that it ended with
    moved: Array | None = None  # (k,) by how much its targets had moved since the frame before
    first: FirstStep | None = None  # its first step
    damping: float = 1.0  # factor that its steps ended with, see `Correction`
    active: tuple[Sequence[Signs], Sequence[Index]] = ((), ())  # see `IterationDriver`
    turned: Array | None = None  # (n,) by how much its coordinates had changed a frame
    late: int = 0  # frames in a row that would have had to jump to come nearer


Range = tuple[Array, Array]
"""Least and greatest coordinates (n,)."""
Solve = Callable[[Range | None, Solution | None], Solution]
"""A solve of the frame within a range, which begins where the last one ended, if that is given."""


class TurnPolicy:
    """The ranges of turns of one frame, and which of the answers within them counts.

    Args:
        problem: of the frame; q: (n,) where the frame before ended; trail: what it left.
        dt: seconds since the frame before, None if speeds do not count.
        frames: that pass since then; turns may go so many times farther.
    """

    def __init__(
        self,
        problem: Problem,
        q: Array,
        trail: Trail,
        parameters: HierarchicalParameters,
        dt: float | None = None,
        frames: float = 1.0,
    ) -> None:
        self._problem, self._q, self._trail, self._frames = problem, q, trail, frames
        self._parameters = own = parameters
        skeleton, before = problem.skeleton, trail.turned
        if before is None or len(before) != len(q):
            before = np.zeros(len(q))
        turns = skeleton.is_turn
        self._back = np.where(turns, frames * (np.maximum(-before, 0.0) + own.faster), np.inf)
        self._on = np.where(turns, frames * (np.maximum(before, 0.0) + own.faster), np.inf)
        fast = None if dt is None else skeleton.max_speed * dt
        self._fast = None if fast is None or not np.isfinite(fast).any() else (q - fast, q + fast)

    def follow(self, solve: Solve, deadline: float) -> Solution:
        """The answer of the frame, with what the next frame needs to know and all iterations.

        The last answer counts in which no bone is seen to jump. Where a target leapt, or the figure is late
        for long, it may jump to where everything is reached. After the deadline, of `time.perf_counter`, no
        wider range is tried.
        """
        own = self._parameters
        # small turns, little farther than in the frame before; one of the two; no jump by itself
        within = self._within(np.minimum, own.turn)
        first = last = answer = solve(within, None)
        spent, late, held = first.iterations, 0, self._is_held_back(first, within)
        jump = own.jump + self._target_turn(first) / self._frames
        for turn in (own.turn, jump):
            if not held or time.perf_counter() > deadline:
                break
            within = self._within(np.maximum, turn)
            last = solve(within, last)
            spent, held = spent + last.iterations, self._is_held_back(last, within)
            if not self._is_jump(last, jump):
                answer = last
        if held or last is not answer:
            late = self._trail.late + 1
            if self._leaps(first) or late % max(own.frames_late, 1) == 0:
                if held and time.perf_counter() <= deadline:
                    last = solve(self._fast, None)
                    spent += last.iterations
                if last.status is Status.REACHED:
                    answer, late = last, 0
        known: Trail = first.memory  # began where the frame before ended
        turned = self._turned(answer) / self._frames
        trail = answer.memory._replace(moved=known.moved, first=known.first, late=late, turned=turned)
        limited_by = "" if answer.limited_by == "jump" and not late else answer.limited_by
        return replace(answer, iterations=spent, memory=trail, limited_by=limited_by)

    def _within(self, choose: np.ufunc, turn: float) -> Range:
        """Turns up to the smaller or the larger of `turn` and steady ones, within the speed limits."""
        most = np.where(self._problem.skeleton.is_turn, self._frames * turn, np.inf)
        low, high = self._q - choose(self._back, most), self._q + choose(self._on, most)
        if self._fast is None:
            return low, high
        return np.maximum(low, self._fast[0]), np.minimum(high, self._fast[1])

    def _is_held_back(self, answer: Solution, within: Range) -> bool:
        """Whether a frame is short because its turns stayed within a range.

        A level that is short then pushes against the ends of the range, and would gain if they were farther,
        unless obstacles or stronger levels push back.
        """
        own, stack = self._parameters, self._problem.stack
        if answer.status is Status.REACHED:
            return False
        least = _ABOUT * own.faster
        back, on = answer.q - within[0] < least, within[1] - answer.q < least
        if not (back | on).any():
            return False
        found = stack.evaluate(self._problem.tasks, answer.memory.pose)
        far = min(self._frames * own.jump, np.pi)
        error, slopes = found.error * stack.scale, (found.jacobian.T * stack.scale).T
        free, contacts, stronger = ~(back | on), self._contacts(answer), np.empty((0, len(answer.q)))
        for rows in stack.levels:
            cost = float(error[rows].dot(error[rows]))
            push = _unopposed(error[rows].dot(slopes[rows]), free, contacts, stronger)
            gain = 2.0 * far * float(np.maximum(push, 0.0)[back].sum() + np.maximum(-push, 0.0)[on].sum())
            if cost > own.met**2 and gain > own.slow * cost:
                return True
            stronger = np.concatenate([stronger, slopes[rows]])
        return False

    def _contacts(self, answer: Solution) -> Array:
        """(m, n) derivatives of the clearances of what touches."""
        problem, near = self._problem, answer.memory.near
        if problem.scene is None or near is None:
            return np.empty((0, len(answer.q)))
        least = problem.margin + _CONTACT * problem.length
        pairs = (near, problem.scene.at_ends(near))
        return np.concatenate([some.jacobian(answer.memory.pose)[some.room < least] for some in pairs])

    def _is_jump(self, answer: Solution, reaching: float) -> bool:
        """Whether a bone is seen to jump; not where speed limits or a motion as fast allow such turns.

        Args:
            reaching: radians that a bone may turn a frame where everything is reached.
        """
        skeleton, fast, own, frames = self._problem.skeleton, self._fast, self._parameters, self._frames
        if fast is not None and np.isfinite(fast[1][skeleton.is_turn]).all():  # the limits say how fast
            return False
        turns = turns_of(skeleton, self._q, answer.q)
        if answer.status is not Status.REACHED:
            return bool((turns > frames * own.jump).any())
        turned = self._turned(answer)
        faster = (-turned > self._back + _ROUNDING) | (turned > self._on + _ROUNDING)
        return bool((turns[skeleton.owner[faster]] > frames * reaching).any())

    def _target_turn(self, first: Solution) -> float:
        """Radians by which a target has turned at most; a bone that holds to it turns as far."""
        stack, moved = self._problem.stack, self._moved(first.memory.moved)
        return 0.0 if moved is None else float(np.sqrt(stack.squares(moved)[stack.is_angle]).max(initial=0.0))

    def _turned(self, answer: Solution) -> Array:
        """(n,) by how much an answer changes the coordinates."""
        return short_way(self._problem.skeleton.joint_limits, self._q, answer.q)

    def _moved(self, scaled: Array | None) -> Array | None:
        """(k,) how targets have moved, metres and radians; zero where they have no weight."""
        scale = self._problem.stack.scale
        if scaled is None or len(scaled) != len(scale):
            return None
        return np.divide(scaled, scale, out=np.zeros_like(scaled), where=scale > 0.0)

    def _leaps(self, answer: Solution) -> bool:
        """Whether a target's motion differs so much from the frame before that a jump is allowed."""
        moved, before = self._moved(answer.memory.moved), self._moved(self._trail.moved)
        if moved is None:
            return True
        change = moved if before is None or len(before) != len(moved) else moved - before
        size = np.sqrt(self._problem.stack.squares(change))
        return bool((size > self._parameters.leap * self._problem.spans).any())


def _unopposed(push: Array, free: Mask, contacts: Array, stronger: Array) -> Array:
    """What is left of a slope (n,) where stronger levels (k, n) and contacts (m, n), which push, are kept."""
    while len(contacts) + len(stronger):
        holding = np.concatenate([contacts, stronger])
        forces = np.linalg.lstsq(holding[:, free].T, push[free], rcond=None)[0]
        presses = forces[: len(contacts)] > 0.0
        if presses.all():
            return np.asarray(push - forces.dot(holding))
        contacts = contacts[presses]
    return push


def turns_of(skeleton: Skeleton, before: Array, after: Array) -> Array:
    """(J,) radians by which bones turn against their parents between coordinates (n,)."""
    world = Pose.trusted(skeleton, np.stack([before, after])).rotation
    above = np.concatenate([world, np.broadcast_to(np.eye(3), (2, 1, 3, 3))], 1)[:, skeleton.parents]
    then, now = np.swapaxes(above, -1, -2) @ world
    return np.asarray(angle(np.swapaxes(then, -1, -2) @ now))
