# SPDX-License-Identifier: GPL-3.0-or-later
"""From the pose that is shown to the one that is best, at a speed that the eye can follow.

The pose that is nearest to the one before a drag leaps where another one becomes the nearest: a straight leg
that is lifted higher and higher is suddenly better bent. That cannot be helped, but the figure need not leap:
it glides there, update after update, and the hand has what it wants all the while.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

import ikmath as ik

from ...bridge.armature import Array
from ..frame.goals import effector_errors
from ..frame.solve_frame import apart, solve_task
from ..frame.solved import Solved
from ..frame.task import Task

_PACE: Final = np.radians(4.0)  # that a joint turns in an update besides what the hand asks for,
_ASKED: Final = 4.0  # and for each figure's length that the hand has gone, radians
_FARTHEST: Final = np.radians(150.0)  # coordinates that are farther apart may be the same turn told otherwise
_AS_GOOD: Final = 1.05  # times the best pose's error that one on the way may have
_ITERATIONS: Final = 12
_STEPS: Final = 4  # along the curved ways that the goals leave
_LEAST: Final = 0.85  # share of the pace that a figure glides at least: one that lags gets stuck later
_SHALLOW: Final = 0.02  # figure sizes that a pose between may be in an obstacle, and is pushed out of it
_STUCK: Final = 0.3  # share of the pace below which there is no such way


def glide(task: Task, shown: Solved, best: Solved, gone: float) -> Solved:
    """A pose on the way from one to another that does for the effectors what that does; or that itself.

    Args:
        task: what is asked for; shown: the pose that was shown before; best: what the task comes to.
        gone: how far the hand has gone since then, figure sizes or radians.
    """
    most, allowed = apart(task.problem, shown.q, best.q), _PACE + _ASKED * gone
    if most <= allowed or most > _FARTHEST:
        return best
    return _along(task, shown, best, allowed) or _across(task, shown, best, allowed / most)


def _along(task: Task, shown: Solved, best: Solved, allowed: float) -> Solved | None:
    """On the way that the goals leave, for which nothing has to be given up; None if there is none."""
    if not task.figure.exact or best.status != "REACHED":
        return None
    here, start = shown, replace(shown, asked=None, rests=False)
    for leaps in (False, True):
        here = solve_task(task, start, brief=True, leaps=leaps, max_iterations=_ITERATIONS)
        if here.status == "REACHED":
            break
    else:
        return None
    aim = task.problem.towards([*task.problem.tasks, ik.Posture(best.q)])
    # going where the hand is has taken some of the pace already
    reach = max(allowed - apart(task.problem, shown.q, here.q), _LEAST * allowed)
    answer = task.plan.solver(brief=True).relax(aim, here.solution, most=_STEPS, reach=reach)
    if apart(task.problem, here.q, answer.q) < _STUCK * allowed:
        return None
    off = effector_errors(len(task.plan.effectors), task.parts, answer.errors)
    channels = task.figure.channels(answer.q, shown.channels)
    return replace(here, q=answer.q, solution=answer, channels=channels, off=off)


def _across(task: Task, shown: Solved, best: Solved, share: float) -> Solved:
    """From so much of the straight way between the coordinates, or from more where that does not do."""
    problem, region = task.problem, task.figure.skeleton.region
    way, left = best.q - shown.q, apart(problem, shown.q, best.q)
    wanted = max(_AS_GOOD * best.worst, task.plan.tolerance)
    while share < 1.0:
        q = region.project(shown.q + share * way)
        share *= 2.0
        if not _is_clear(problem, q):
            continue
        start = replace(shown, q=q, asked=None, rests=False)
        between = solve_task(task, start, brief=True, leaps=True, max_iterations=_ITERATIONS)
        if between.worst <= wanted and apart(problem, between.q, best.q) < left:
            return between
    return best


def _is_clear(problem: ik.Problem, q: Array) -> bool:
    """Whether coordinates (n,) are not so deep in an obstacle that the way would end on its near side."""
    if problem.scene is None:
        return True
    near = problem.scene.near(ik.Pose.forward(problem.skeleton, q), problem.margin)
    return float(near.worst) > problem.margin - _SHALLOW * problem.length
