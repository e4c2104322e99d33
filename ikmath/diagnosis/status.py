# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of a solve; the sentence that explains it is made when it is read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..collision import ClosestPairs
from ..model.pose import Pose
from ..problem.problem import Problem, Solution, Status
from ..rotation import Array
from .explanation import all_reached, deepest_penetration, explain


def conclude(
    problem: Problem,
    q: Array,
    iterations: int,
    tolerance: float,
    *,
    angle_tolerance: float | None = None,
    errors: Array | None = None,
    stalled: bool = False,
    blocked: str = "",
    near: ClosestPairs | None = None,
    memory: Any = None,
    paced: bool = False,
) -> Solution:
    """The solution for final coordinates q (n,): errors, status and message.

    Args:
        problem: of one frame; iterations: how many steps it took.
        tolerance, angle_tolerance: see `TaskStack.tolerances`.
        errors: (E,) sizes of the errors at q, if known.
        stalled: whether no further step was better, as opposed to running out of iterations.
        blocked: name of the obstacle that stands in the way, if one does.
        near: what is near at q, if known.
        memory: state of the method for the next frame; paced: it avoided a jump; see `Solution`.
    """
    if errors is None:
        errors = problem.errors(Pose.trusted(problem.skeleton, q))
    inside = deepest_penetration(problem, near) if near is not None and near.least < -tolerance else ""
    sentence: Callable[[], str]
    tolerances = problem.stack.tolerances(tolerance, angle_tolerance)
    if (errors <= tolerances).all():
        status, sentence = Status.REACHED, partial(all_reached, problem, q, inside)
    else:
        status = Status.BLOCKED if blocked else Status.BEST_EFFORT if stalled else Status.STOPPED
        sentence = partial(
            explain,
            problem,
            q,
            errors,
            tolerances,
            stalled=stalled,
            blocked=blocked,
            inside=inside,
            paced=paced,
        )
    if inside:
        status = Status.INFEASIBLE
    return Solution(
        q=q,
        status=status,
        iterations=iterations,
        errors=errors,
        sentence=sentence,
        memory=memory,
        measure=np.inf if problem.scene is None else problem.measure(q, near),
        paced=paced,
    )
