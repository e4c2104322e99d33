# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets so far away that what they leave hides all other errors.

Of the squares of a level that holds a target twenty figure sizes away, what another limb could still gain is
next to nothing, and the damping that such an error asks for is too much for it. So the figure is solved first
with the far target drawn in along the way to it, which pulls the same way, and then goes on to the true one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from ....arrays import Mask
from ....model.pose import Pose
from ....problem.problem import Problem, Solution, Status
from ....rotation import Array

_FAR: Final = 0.5  # figure sizes that an error may have without hiding others,
_LIKE: Final = 0.3  # share of the farthest from which another is as far
_DRAWN: Final = 0.2  # and that are left of it for the first look
_LOST: Final = 1e-2  # figure sizes that far errors may grow while others are seen
_HIDDEN: Final = 1e-3  # figure sizes or radians that may be hidden


def seen(
    problem: Problem, first: Solution, again: Callable[[Problem, Solution | None], Solution]
) -> Solution:
    """The better one of a solution and of one that no far target has hidden anything from.

    Args:
        problem: of one frame; first: its solution.
        again: solves a problem as the first one was, from the same start (None) or on from a solution.
    """
    if first.status is Status.REACHED or problem.scene is not None:
        return first
    nearer = _drawn_in(problem, first)
    if nearer is None:
        return first
    second = again(problem, again(nearer, None))
    # what is lost of the far ones by stopping early is nothing beside what they are short
    lost = (second.errors - first.errors)[_far(problem, first)].max()
    counted = np.where(_far(problem, first), 0.0, 1.0)
    better = worth(problem, second.errors * counted) < worth(problem, first.errors * counted)
    return second if better and lost < _LOST * problem.length else first


def worth(problem: Problem, errors: Array) -> list[float]:
    """Squares of errors (E,) level by level, to compare solutions by."""
    scale = problem.stack.scale[problem.stack.starts]
    weighed = (errors * scale) ** 2
    level = problem.stack.level[problem.stack.starts]
    return [float(weighed[level == p].sum()) for p in sorted(set(level.tolist()))]


def _far(problem: Problem, solution: Solution) -> Mask:
    """(E,) which effectors are so far from their targets that they hide others."""
    lengths = np.array(problem.units) == "m"
    largest = float(solution.errors[lengths].max(initial=0.0))
    return np.asarray(lengths & (solution.errors > max(_FAR * problem.length, _LIKE * largest)))


def _drawn_in(problem: Problem, solution: Solution) -> Problem | None:
    """The problem with its far targets no farther than they may be; None if nothing is hidden by them."""
    errors, size = solution.errors, problem.length
    far = _far(problem, solution)
    if not far.any() or not ((errors / problem.spans)[~far] > _HIDDEN).any():
        return None
    pose, nearer = Pose.trusted(problem.skeleton, solution.q), problem
    for goal, own in problem.places():
        if far[own].any():
            here = pose.points(goal.points(problem.skeleton))
            share = np.minimum(_DRAWN * size / np.maximum(errors[own], 1e-300), 1.0)[:, None]
            nearer = nearer.instead(goal, goal.towards(target=here + share * (goal.target - here)))
    return None if nearer is problem else nearer
