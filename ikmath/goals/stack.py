# SPDX-License-Identifier: GPL-3.0-or-later
"""The goals of a problem as rows, which is how row-based methods see them.

numpy takes hardly longer for five joints than for one. So all positions and orientations are evaluated
together, whatever their priority: one binding of their points, and one product of the coordinates' screws for
their Jacobian. Other kinds of goals give their own rows.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import Mask
from ..model.frame_points import FramePoints
from ..model.geometric_stiffness import Curvature, Loads, turned_curvature
from ..model.pose import Pose, carriage
from ..model.skeleton import Skeleton
from ..model.topology import span
from ..rotation import Array, log_and_derivative
from . import Goal, Orientation, Position, Residual


class TaskStack:
    """Goals as rows on top of one another, in their order: those given, or others that are like them.

    Args:
        skeleton: the figure; goals: a problem's tasks; length: the problem's, metres.

    Attributes:
        rows: their number; starts: (E,) first row of every effector;
        scale: (rows,) root of weight, where the largest of a level is one, with lengths measured in figure
            sizes: multiplies errors and Jacobians so that metres and radians weigh alike;
        level: (rows,) priority of each row.
        levels: the rows of each priority, strongest first, side by side wherever the goals are in order;
        place: (rows,) which of them each row belongs to;
        metric: (n,) units of the coordinates in which all of them cost alike: a stiff one more, slides in
            figure sizes unless the figure is weighed.
        is_length, is_angle: (E,) which effectors' errors are metres, and which radians.
        effector: (rows,) index of the effector that each row belongs to.
        places: (goal, effectors, points) of whole positions: number, its slice of all effectors.
        swings: (row, carrier, goal, effector) of places on limbs that turn and do not slide: the first of
            its rows, and the joint nearest to the root that moves it.
    """

    def __init__(self, skeleton: Skeleton, goals: Sequence[Goal], length: float) -> None:
        self._goals, self._skeleton = goals, skeleton
        counts = [goal.effectors * goal.rows for goal in goals]
        self.rows = sum(counts)
        per_effector = np.array([goal.rows for goal in goals for _ in goal.labels], dtype=int)
        self.starts = np.cumsum(per_effector) - per_effector
        roots = np.concatenate([np.empty(0), *(np.repeat(np.sqrt(g.weight), g.rows) for g in goals)])
        units = np.repeat([length if goal.unit == "m" else 1.0 for goal in goals], counts)
        self.level = np.repeat([goal.priority for goal in goals], counts).astype(int)
        priorities, self.place = np.unique(self.level, return_inverse=True)
        self.levels = [span(np.flatnonzero(self.place == p)) for p in range(len(priorities))]
        self.levels = self.levels or [slice(0, 0)]
        for rows in self.levels:  # weights count against others of their level alone
            roots[rows] /= roots[rows].max(initial=0.0) or 1.0
        self.scale: Array = roots / units
        self.is_length = np.array([goal.unit == "m" for goal in goals for _ in goal.labels], dtype=bool)
        self.is_angle = np.array([goal.unit == "rad" for goal in goals for _ in goal.labels], dtype=bool)
        self.effector = np.repeat(np.arange(len(per_effector)), per_effector)
        self.metric = np.sqrt(skeleton.mobility_for(length))
        first = np.cumsum([0, *(goal.effectors for goal in goals)]).tolist()
        self.places: list[tuple[int, slice, FramePoints]] = [
            (number, slice(*first[number : number + 2]), goal.points(skeleton))
            for number, goal in enumerate(goals)
            if isinstance(goal, Position) and goal.mask is None and not goal.own_rows
        ]
        # those that are evaluated together
        plain = ((i, g) for i, g in enumerate(goals) if isinstance(g, Position | Orientation) and g.plain)
        bound = {i: points for i, goal in plain if not (points := goal.points(skeleton)).cuts}
        self._places = [i for i in bound if isinstance(goals[i], Position)]
        self._turns = [i for i in bound if isinstance(goals[i], Orientation)]
        self._others = [i for i in range(len(goals)) if i not in bound]
        own = np.split(np.arange(self.rows), np.cumsum(counts)[:-1])
        found = [own[i] for i in self._places + self._turns + self._others]
        order = np.argsort(np.concatenate([np.empty(0, dtype=int), *found]))
        self._order = None if (order == np.arange(len(order))).all() else order
        self._place = _together(skeleton, [bound[i] for i in self._places])
        self._turn = _together(skeleton, [bound[i] for i in self._turns])
        self._split = 3 * self._place.count
        self._reach = np.concatenate([self._place.reach, self._turn.turn_reach], 1)
        self.swings: list[tuple[int, int, int, int]] = []
        for i in self._places:
            moved = goals[i].moved(skeleton)
            turns_only = ~(moved & ~skeleton.is_turn[:, None]).any(0) & moved.any(0)
            carrier = skeleton.owner[moved.argmax(0)] if skeleton.n else np.zeros(0, dtype=int)
            self.swings += [
                (int(own[i][0]) + 3 * e, int(carrier[e]), i, e) for e in np.flatnonzero(turns_only).tolist()
            ]

    @cached_property
    def moved(self) -> Mask:
        """(E, n) which coordinates move which effector, whether its goal may use them or not."""
        return np.concatenate([goal.moved(self._skeleton) for goal in self._goals], 1).T

    def evaluate(self, goals: Sequence[Goal], pose: Pose) -> Residual:
        """Errors (*batch, rows) and Jacobian (*batch, rows, n) of the goals, unscaled."""
        return Residual(*self.evaluate_lazily(goals, pose))

    def tolerances(self, length: float, angle: float | None) -> Array:
        """(E,) errors within which effectors are at their targets, metres and radians (None: the same)."""
        return np.where(self.is_angle, float(length if angle is None else angle), float(length))

    def costs(self, scaled: Array) -> list[float]:
        """Squared length (rows,) of each level's scaled errors."""
        costs = []
        for rows in self.levels:
            own = scaled[rows]
            costs.append(float(own.dot(own)))
        return costs

    def squares(self, error: Array) -> Array:
        """(*batch, rows) errors -> (*batch, E) squared sizes, in units of theirs."""
        return np.asarray(np.add.reduceat(error * error, self.starts, axis=-1)) if self.rows else error

    def evaluate_lazily(self, goals: Sequence[Goal], pose: Pose) -> tuple[Array, Callable[[], Array]]:
        """Errors (*batch, k) and a function for the Jacobian (*batch, k, n)."""
        errors, x, derivative, batch = [], None, None, pose.batch
        if self._places:
            x = pose.points(self._place)
            one: Any = goals[self._places[0]]
            targets = _targets(goals, self._places, batch, 2) if len(self._places) > 1 else one.target
            errors.append((x - targets).reshape(*batch, self._split))
        if self._turns:
            vectors, derivative = log_and_derivative(self._turned(goals, pose))
            errors.append(vectors.reshape(*batch, 3 * self._turn.count))
        others: list[Residual] = []
        for i in self._others:
            others.append(goals[i].evaluate(pose))
            errors.append(others[-1].error)
        if not errors:
            return np.zeros((*batch, 0)), lambda: np.zeros((*batch, 0, pose.skeleton.n))
        error = errors[0] if len(errors) == 1 else np.concatenate(errors, -1)
        if self._order is not None:
            error = error.take(self._order, -1)

        def jacobian() -> Array:
            if batch:
                return self._many(pose, x, derivative, others)
            parts: list[Array] = []  # the coordinates come first in memory
            if x is not None or derivative is not None:
                wrenches = np.zeros((6, self._reach.shape[1]))
                if x is not None:
                    wrenches[:, : self._split] = carriage(x)
                if derivative is not None:
                    wrenches[:3, self._split :] = derivative().reshape(-1, 3).T
                columns = pose.twists.dot(wrenches)
                columns *= self._reach
                parts.append(columns)
            for one in others:
                parts.append(one.jacobian.T)
            whole: Array = parts[0] if len(parts) == 1 else np.concatenate(parts, 1)
            return whole.T if self._order is None else whole.take(self._order, 1).T

        return error, jacobian

    def _turned(self, goals: Sequence[Goal], pose: Pose) -> Array:
        """Rotations (m, 3, 3) from the targets to the orientations."""
        back = _targets(goals, self._turns, pose.batch, 3).swapaxes(-1, -2)
        return np.asarray(np.matmul(pose.frames(self._turn), back).reshape(-1, 3, 3))

    def curvature(self, goals: Sequence[Goal], pose: Pose, pull: Array, step: Array) -> Curvature:
        """Second derivative of the errors, each multiplied by its pull and added up.

        Args:
            goals: to evaluate; pose: a single one; pull: (k,) of each row; step: see `Goal.curvature`.
        """
        if self._order is not None:
            ordered = np.empty_like(pull)
            ordered[self._order] = pull
            pull = ordered
        places, turns, others = np.split(pull, [self._split, self._split + 3 * self._turn.count])
        loads = Loads.on_points(self._place.joints, pose.points(self._place), places.reshape(-1, 3))
        found = Curvature(loads, np.zeros((pose.skeleton.n, pose.skeleton.n)))
        if self._turns:
            turned = turned_curvature(pose, self._turn, self._turned(goals, pose), turns.reshape(-1, 3))
            found = found.along_with(turned)
        for i in self._others:
            own, others = np.split(others, [goals[i].effectors * goals[i].rows])
            found.rest[:] += goals[i].curvature(pose, own, step)
        return found

    def _many(
        self, pose: Pose, x: Array | None, derivative: Callable[[], Array] | None, others: Sequence[Residual]
    ) -> Array:
        """(*batch, k, n) the Jacobian of places at x, of turns and of other goals, frames innermost."""
        parts = [] if x is None else [pose.point_jacobian(self._place, x)]
        if derivative is not None:
            rows = derivative().reshape(*pose.batch, 3 * self._turn.count, 3)
            parts.append(pose.turned_jacobian(self._turn, rows))
        parts += [one.jacobian for one in others]
        whole = np.concatenate([np.moveaxis(one, (-2, -1), (0, 1)) for one in parts])
        if self._order is not None:
            whole = whole.take(self._order, 0)
        return np.moveaxis(whole, (0, 1), (-2, -1))


def _together(skeleton: Skeleton, some: Sequence[FramePoints]) -> FramePoints:
    """The points of several goals as one."""
    joints = np.concatenate([np.empty(0, dtype=int), *(one.joints for one in some)])
    offsets = np.concatenate([np.empty((0, 3)), *(one.offsets for one in some)])
    return FramePoints(skeleton, joints.tolist(), offsets)


def _targets(goals: Sequence[Any], some: list[int], batch: tuple[int, ...], axes: int) -> Array:
    """The targets of some places (axes = 2) or turns (3), one after another along the effectors."""
    targets: list[Array] = [goals[i].target for i in some]
    if batch:
        targets = [np.broadcast_to(one, (*batch, *one.shape[one.ndim - axes :])) for one in targets]
    return np.concatenate(targets, -axes)
