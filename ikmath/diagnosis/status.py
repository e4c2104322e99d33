# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of a solve; the sentence that explains it is made when it is read."""

from functools import partial
from typing import Any

import numpy as np

from ..collision import ClosestPairs
from ..model.pose import Pose
from ..problem.problem import Problem, Solution, Status
from ..rotation import Array
from .explanation import RAN_OUT, all_reached, deepest_penetration, explain


def conclude(
    problem: Problem,
    q: Array,
    iterations: int,
    options: Any,
    *,
    errors: Array | None = None,
    limited_by: str = "",
    blocked: str = "",
    near: ClosestPairs | None = None,
    memory: Any = None,
) -> Solution:
    """The solution for final coordinates q (n,): errors, status and message.

    Args:
        problem: of one frame; iterations: how many steps it took; options: of the method.
        errors: (E,) sizes of the errors at q, if known.
        limited_by: see `Solution`; blocked: name of the obstacle that stands in the way, if one does.
        near: what is near at q, if known.
        memory: state of the method for the next frame.
    """
    if errors is None:
        errors = problem.errors(Pose.trusted(problem.skeleton, q))
    inside = ""
    if near is not None and near.least < -options.tolerance:
        inside = deepest_penetration(problem, near)
    tolerances = problem.stack.tolerances(options.tolerance, options.angle_tolerance)
    if (errors <= tolerances).all():
        status, sentence, limited_by = Status.REACHED, partial(all_reached, problem, q, inside), ""
    else:
        status = Status.STOPPED if limited_by in RAN_OUT else Status.BEST_EFFORT
        status = Status.BLOCKED if blocked else status
        sentence = partial(explain, problem, q, errors, tolerances, limited_by, blocked, inside)
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
        limited_by=limited_by,
    )
