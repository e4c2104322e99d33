# SPDX-License-Identifier: GPL-3.0-or-later
"""The goals of a problem as rows, which is how row-based methods see them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ..arrays import Mask
from ..model.pose import Pose
from ..model.skeleton import Skeleton
from ..model.topology import span
from ..rotation import Array
from . import Goal, Residual
from .fused_tasks import FusedTasks


class TaskStack:
    """Goals as rows on top of one another, in their order.

    Args:
        skeleton: the figure; goals: a problem's tasks; length: the problem's, metres.

    Attributes:
        rows: their number; starts: (E,) first row of every effector;
        sizes: of every effector how many rows it has, and its scaled error where it is a figure size off,
            infinite for turns;
        scale: (rows,) root of weight, with lengths measured in figure sizes: multiplies errors and Jacobians
            so that metres and radians weigh alike; level: (rows,) priority of each row.
        levels: the rows of each priority, strongest first, side by side wherever the goals are in order;
        place: (rows,) which of them each row belongs to;
        most: the largest root of weight of each, whatever the unit;
        largest, smallest: scale of all rows.
        metric: (n,) units of the coordinates in which all of them cost alike: a stiff one more, slides in
            figure sizes unless the figure is weighed.
        is_length: (E,) which effectors' errors are metres.
        effector: (rows,) index of the effector that each row belongs to.
        one_sided: (rows,) which belong to goals that are inequalities, None if none do.
    """

    def __init__(self, skeleton: Skeleton, goals: Sequence[Goal], length: float) -> None:
        self._goals, self._skeleton = goals, skeleton
        counts = [goal.effectors * goal.rows for goal in goals]
        self.rows = sum(counts)
        per_effector = np.array([goal.rows for goal in goals for _ in goal.labels], dtype=int)
        self.starts = np.cumsum(per_effector) - per_effector
        roots = np.concatenate([np.empty(0), *(np.repeat(np.sqrt(g.weight), g.rows) for g in goals)])
        units = np.repeat([length if goal.unit == "m" else 1.0 for goal in goals], counts)
        self.scale: Array = roots / units
        sizes = length * self.scale.take(self.starts)
        self.is_length = np.array([goal.unit == "m" for goal in goals for _ in goal.labels], dtype=bool)
        sizes = np.where(self.is_length & (sizes > 0.0), sizes, np.inf)
        self.sizes = list(zip(per_effector.tolist(), sizes.tolist(), strict=True))
        one_sided = np.repeat([goal.one_sided for goal in goals], counts).astype(bool)
        self.one_sided: Mask | None = one_sided if one_sided.any() else None
        self.effector = np.repeat(np.arange(len(per_effector)), per_effector)
        self.level = np.repeat([goal.priority for goal in goals], counts).astype(int)
        priorities, self.place = np.unique(self.level, return_inverse=True)
        self.levels = [span(np.flatnonzero(self.place == p)) for p in range(len(priorities))]
        self.levels = self.levels or [slice(0, 0)]
        self.most = [float(roots[rows].max(initial=0.0)) for rows in self.levels]
        self.largest = float(self.scale.max(initial=0.0))
        self.smallest = float(self.scale.min(initial=np.inf))
        self.metric = np.sqrt(skeleton.mobility_for(length))
        self._merged: FusedTasks | None = None
        self._seen: Sequence[Goal] = ()

    @cached_property
    def moved(self) -> Mask:
        """(E, n) which coordinates move which effector, whether its goal may use them or not."""
        return np.concatenate([goal.moved(self._skeleton) for goal in self._goals], 1).T

    def evaluate(self, goals: Sequence[Goal], pose: Pose) -> Residual:
        """Errors (*batch, rows) and Jacobian (*batch, rows, n) of the goals, unscaled."""
        if len(goals) == 1:
            return goals[0].evaluate(pose)
        if not goals:
            n = pose.skeleton.n
            return Residual(np.zeros((*pose.batch, 0)), np.zeros((*pose.batch, 0, n)))
        if not pose.batch:
            return self._rows(goals, pose.skeleton).evaluate(goals, pose)
        parts = [goal.evaluate(pose) for goal in goals]

        def jacobian() -> Array:  # frames lie innermost in memory; keep them there
            rows = np.concatenate([np.moveaxis(p.jacobian, (-2, -1), (0, 1)) for p in parts])
            return np.moveaxis(rows, (0, 1), (-2, -1))

        error = np.concatenate([np.moveaxis(p.error, -1, 0) for p in parts])
        return Residual(np.moveaxis(error, 0, -1), jacobian)

    def _rows(self, goals: Sequence[Goal], skeleton: Skeleton) -> FusedTasks:
        """What the goals have in common; found anew for goals that hold on to other points than before."""
        if self._merged is None or not (self._seen is goals or self._merged.fits(goals, skeleton)):
            self._merged = FusedTasks(goals, skeleton)
        self._seen = goals
        return self._merged

    def costs(self, scaled: Array) -> list[float]:
        """Squared length (rows,) of each level's scaled errors."""
        return [float(own.dot(own)) for own in map(scaled.__getitem__, self.levels)]

    def squares(self, error: Array) -> Array:
        """(*batch, rows) errors -> (*batch, E) squared sizes, in units of theirs."""
        return np.asarray(np.add.reduceat(error * error, self.starts, axis=-1)) if self.rows else error
