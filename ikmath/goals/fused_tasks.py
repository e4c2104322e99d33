# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of several goals, worked out at once for one pose.

numpy takes hardly longer for five joints than for one. So all positions and orientations are evaluated
together, whatever their priority: one binding of their points, and one product of the coordinates' screws for
the whole Jacobian.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arrays import Index
from ..model.frame_points import FramePoints
from ..model.pose import Pose
from ..model.skeleton import Skeleton
from ..rotation import Array
from . import Goal, Orientation, Position, Residual
from .rows import log_and_derivative


class FusedTasks:
    """The rows of goals on top of one another, in their order.

    Args:
        goals: of one problem; skeleton: the figure.
    """

    def __init__(self, goals: Sequence[Goal], skeleton: Skeleton) -> None:
        self._kinds, self._bound = [type(goal) for goal in goals], _bound(goals, skeleton)
        own = [i for i, points in enumerate(self._bound) if points is not None]
        self._places = [i for i in own if isinstance(goals[i], Position)]
        self._turns = [i for i in own if isinstance(goals[i], Orientation)]
        self._others = [i for i in range(len(goals)) if i not in own]
        counts = [goal.effectors * goal.rows for goal in goals]
        rows = np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])
        mine = np.concatenate([np.empty(0, dtype=int), *(rows[i] for i in self._places + self._turns)])
        self._within = _order(mine)
        self._order = _order(np.concatenate([np.sort(mine), *(rows[i] for i in self._others)]))
        self._place, self._turn = (
            self._together(skeleton, self._places),
            self._together(skeleton, self._turns),
        )
        self._split = 3 * self._place.count
        reach = np.concatenate([self._place.reach, self._turn.turn_reach], 1)
        self._reach = reach if self._within is None else reach.take(self._within, 1)

    def _together(self, skeleton: Skeleton, some: list[int]) -> FramePoints:
        """The points of some goals as one."""
        points = [one for one in map(self._bound.__getitem__, some) if one is not None]
        joints = np.concatenate([np.empty(0, dtype=int), *(one.joints for one in points)])
        return FramePoints(
            skeleton, joints.tolist(), np.concatenate([np.empty((0, 3)), *(p.offsets for p in points)])
        )

    def fits(self, goals: Sequence[Goal], skeleton: Skeleton) -> bool:
        """Whether it was made for goals that hold on to the same points."""
        if [type(goal) for goal in goals] != self._kinds:
            return False
        return all(map(operator.is_, _bound(goals, skeleton), self._bound))

    def evaluate(self, goals: Sequence[Goal], pose: Pose) -> Residual:
        """Errors (k,) and Jacobian (k, n) at a pose without batch axes."""
        x, errors, derivative = np.empty(0), [], None
        if self._places:
            x = pose.points(self._place)
            errors.append((x - _targets(goals, self._places)).ravel())
        if self._turns:
            back = _targets(goals, self._turns).swapaxes(1, 2)
            vectors, derivative = log_and_derivative(np.matmul(pose.frames(self._turn), back))
            errors.append(vectors.ravel())
        own = [_side_by_side(errors, self._within)] if errors else []
        others = [goals[i].evaluate(pose) for i in self._others]
        error = _side_by_side([*own, *(one.error for one in others)], self._order)

        def jacobian() -> Array:
            own = [self._columns(pose, x, derivative)] if errors else []
            return _side_by_side([*own, *(one.jacobian.T for one in others)], self._order).T

        return Residual(error, jacobian)

    def _columns(self, pose: Pose, x: Array, derivative: Callable[[], Array] | None) -> Array:
        """(n, k) the Jacobian of places at x (E, 3) and of turns, the coordinates first."""
        wrenches = np.zeros((6, self._reach.shape[1]))
        if self._places:
            wrenches[:, : self._split] = self._place.lift(x)
        if derivative is not None:
            wrenches[:3, self._split :] = derivative().reshape(-1, 3).T
        if self._within is not None:
            wrenches = wrenches.take(self._within, 1)
        columns: Array = pose.twists.dot(wrenches)
        columns *= self._reach
        return columns


def _bound(goals: Sequence[Goal], skeleton: Skeleton) -> list[FramePoints | None]:
    """The points of each goal that can be looked at together with others, None for other goals."""
    bound = []
    for goal in goals:
        points = goal.points(skeleton) if isinstance(goal, Position | Orientation) and goal.plain else None
        bound.append(None if points is None or points.cuts else points)
    return bound


def _targets(goals: Sequence[Any], some: list[int]) -> Array:
    """The targets of some places or turns, one after another."""
    targets = [goals[i].target for i in some]
    return np.concatenate(targets) if len(targets) > 1 else np.asarray(targets[0])


def _order(rows: Index) -> Index | None:
    """What puts rows with these numbers in their order, None if they are."""
    order = np.argsort(rows)
    return None if (order == np.arange(len(rows))).all() else order


def _side_by_side(parts: list[Array], order: Index | None) -> Array:
    """Arrays side by side along the last axis, and put in order."""
    whole = parts[0] if len(parts) == 1 else np.concatenate(parts, -1)
    return whole if order is None else whole.take(order, -1)
