# SPDX-License-Identifier: GPL-3.0-or-later
"""A goal for an effector whose chain is shorter than the part of the figure that moves."""

from __future__ import annotations

from typing import Self

import numpy as np

from ikmath.goals import Goal, Residual
from ikmath.model.pose import Pose
from ikmath.model.skeleton import Skeleton

from ...bridge.armature import Array, Flags


class WithinChain(Goal):
    """Restricts the Jacobian of another goal to some coordinates.

    The bones above the chain still carry the effector when other goals move them, but not for this goal.

    Args:
        goal: any goal.
        keep: (n,) whether the goal may use each coordinate.
    """

    whole = False

    def __init__(self, goal: Goal, keep: Flags) -> None:
        self.goal, self.keep = goal, keep
        self.weight, self.priority, self.labels = goal.weight, goal.priority, goal.labels

    @property
    def kind(self) -> str:  # type: ignore[override]
        """See the inner goal."""
        return self.goal.kind

    @property
    def unit(self) -> str:  # type: ignore[override]
        """See the inner goal."""
        return self.goal.unit

    @property
    def rows(self) -> int:  # type: ignore[override]
        """See the inner goal."""
        return self.goal.rows

    def evaluate(self, pose: Pose) -> Residual:
        """The goal's error; its Jacobian is zero outside the chain."""
        error, jacobian = self.goal.evaluate(pose)
        return Residual(error, np.where(self.keep, jacobian, 0.0))

    def moved(self, skeleton: Skeleton) -> Flags:
        """The coordinates that move the inner goal, inside its chain or not."""
        return self.goal.moved(skeleton)

    def sizes(self, error: Array) -> Array:
        """See the inner goal."""
        return self.goal.sizes(error)

    def check(self, skeleton: Skeleton) -> None:
        """Check that the goal fits the skeleton."""
        self.goal.check(skeleton)

    def bind_as(self, before: Goal) -> None:
        """Reuse the prepared data of the inner goal of another one."""
        if isinstance(before, WithinChain):
            self.goal.bind_as(before.goal)

    def with_targets(self, **targets: Array) -> Self:
        """The goal with other targets."""
        return type(self)(self.goal.with_targets(**targets), self.keep)

    def with_choices(self, pose: Pose, before: Goal | None = None) -> Self:
        """The goal with its alternatives chosen, see the inner goal."""
        earlier = before.goal if isinstance(before, WithinChain) else None
        return type(self)(self.goal.with_choices(pose, earlier), self.keep)
