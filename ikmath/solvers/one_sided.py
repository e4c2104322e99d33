# SPDX-License-Identifier: GPL-3.0-or-later
"""One-sided goals, such as floors and leashes, as inequalities that steps keep."""

from __future__ import annotations

from ..arrays import Array
from ..goals import Goal
from ..model.pose import Pose
from .step_bounds import Inequalities


def inequality(goal: Goal, pose: Pose, steps: Array) -> Inequalities:
    """The rows of a one-sided goal; steps (n,) are those of the differences that give their curvature."""

    def curvature(forces: Array) -> Array:
        return goal.curvature(pose, forces, steps)

    error, jacobian = goal.inequality(pose)
    return Inequalities(jacobian, -error, None, curvature)
