# SPDX-License-Identifier: GPL-3.0-or-later
"""One-sided goals, such as floors and leashes, as inequalities that steps keep."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Index
from ..goals import Goal
from ..goals.stack import TaskStack
from ..model.pose import Pose
from .iterate import Iterate
from .step_bounds import NO_NAMES, UNNAMED, Inequalities


class OneSidedGoals:
    """The one-sided goals of a problem.

    Args:
        goals: all of the problem's; stack: of them;
        difference: radians or figure sizes of the differences that give their curvature.
    """

    def __init__(self, goals: Sequence[Goal], stack: TaskStack, difference: float) -> None:
        self._goals = [goal for goal in goals if goal.one_sided]
        rows = np.zeros(stack.rows, bool) if stack.one_sided is None else stack.one_sided
        self._rows, self._scale = np.flatnonzero(rows), stack.scale[rows]
        self._steps = difference * stack.metric

    def inequalities(self, pose: Pose) -> list[Inequalities]:
        """Each goal's rows at a pose; first among all inequalities, their places are their names."""
        return [self._inequality(goal, pose) for goal in self._goals]

    def _inequality(self, goal: Goal, pose: Pose) -> Inequalities:
        def curvature(forces: Array) -> Array:
            return goal.curvature(pose, forces, self._steps)

        error, jacobian = goal.inequality(pose)
        return Inequalities(jacobian, np.minimum(-error, 0.0), None, curvature)

    def on_both_sides(self, iterate: Iterate, held: Sequence[Index]) -> tuple[Array, Array]:
        """Errors (k,) and their rows (k, n), where goals that hold a step count on either side.

        Otherwise a step would promise to use up what the one before has left free by its curvature.

        Args:
            held: names of the inequalities that held the step, at each of its levels.
        """
        places = np.unique(np.concatenate([NO_NAMES, *held])) - UNNAMED
        own = places[(places >= 0) & (places < len(self._rows))]
        if not len(own):
            return iterate.error, iterate.jacobian
        error, jacobian = iterate.error.copy(), iterate.jacobian.copy()
        both = [goal.inequality(iterate.pose) for goal in self._goals]
        rows, scale = self._rows[own], self._scale[own]
        error[rows] = np.concatenate([one.error for one in both])[own] * scale
        jacobian[rows] = np.concatenate([one.jacobian for one in both])[own] * scale[:, None]
        return error, jacobian
