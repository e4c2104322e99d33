# SPDX-License-Identifier: GPL-3.0-or-later
"""Which targets no pose can reach, as far as that can be told from their places."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ..model.pose import Pose
from ..problem.problem import Problem
from ..rotation import Array
from .error_bounds import error_lower_bounds

_FULL: Final = 1e-3  # share of the figure's length by which an effector must be short to count as too far


def beyond_reach(problem: Problem) -> Array:
    """(E,) metres that targets are farther from a root than the chain would be long if all joints were free.

    Zero if unknown.
    """
    skeleton = problem.skeleton
    roots, slides, start = skeleton.parents < 0, ~skeleton.is_turn, skeleton.constants.translation
    lengths = np.where(roots, 0.0, np.sqrt((start * start).sum(-1)))
    room = np.maximum(np.abs(skeleton.lower[slides]), np.abs(skeleton.upper[slides]))
    beyond = np.zeros(len(problem.effectors))
    for number, own, points in problem.stack.places:
        goal: Any = problem.tasks[number]
        above = skeleton.ancestors[points.joints]
        reach = above @ lengths + np.sqrt((points.offsets**2).sum(-1)) + goal.slack
        reach += np.where(above[:, skeleton.owner[slides]], room, 0.0).sum(-1)
        away = np.sqrt(((goal.target - start[np.argmax(above & roots, 1)]) ** 2).sum(-1))
        beyond[own] = np.maximum(away - reach, 0.0)
    return beyond


def is_hopeless(
    problem: Problem, pose: Pose, errors: Array, tolerances: float | Array, *, guarded: bool
) -> bool:
    """Whether it is known that no other pose comes nearer, or if guarded by obstacles, reaches everything.

    Targets are too far away for their chains, or inside an obstacle.

    Args:
        problem: of one frame; pose: of the figure, any.
        errors: (E,) sizes of the effectors' errors; tolerances: (E,) or one for all, that are none.
    """
    beyond, short, full = beyond_reach(problem), errors > tolerances, _FULL * problem.length
    if not guarded:
        return bool(((beyond > 0.0) & (errors - beyond <= full))[short].all())
    if (beyond[errors > full] > 0.0).any():
        return True
    return bool((short & (error_lower_bounds(problem, pose) > tolerances)).any())
