# SPDX-License-Identifier: GPL-3.0-or-later
"""The reasons why effectors miss their targets, as sentences for the report."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import ikmath as ik
from ikmath.diagnosis.explanation import explain, reason

from ...bridge.armature import Array, Flags
from ..collision.surroundings import Near
from .goals import Part
from .plan import Plan


def held_back(
    plan: Plan,
    parts: Sequence[Part],
    problem: ik.Problem,
    q: Array,
    solution: ik.Solution,
    near: Near,
    *,
    brief: bool,
) -> tuple[str, ...]:
    """(E,) why each effector misses its target; "" if it is reached or off.

    q (n,) are the coordinates of the result, `near` is the nearest obstacle there. If `brief`, it is not
    mentioned that the time ran out.
    """
    reasons = [""] * len(plan.effectors)
    if solution.status is ik.Status.REACHED:
        return tuple(reasons)
    rows = np.concatenate([part.rows for part in parts]).tolist()
    pose = ik.Pose.forward(problem.skeleton, q)
    errors = problem.errors(pose)
    # the larger error of position and orientation is reported
    for number in np.argsort(errors / problem.spans, kind="stable").tolist():
        if errors[number] <= plan.tolerance:
            continue
        if solution.status is ik.Status.BLOCKED and near.name:
            reasons[rows[number]] = f"stopped by {near.name}"
        elif solution.status is ik.Status.STOPPED and not brief:
            reasons[rows[number]] = "it was still improving when the iterations ran out"
        else:
            reasons[rows[number]] = reason(problem, pose, number, paced=solution.paced)
    return tuple(reasons)


def shortest(
    plan: Plan, parts: Sequence[Part], problem: ik.Problem, solution: ik.Solution, counts: Flags
) -> str:
    """The solution's message about the effectors that count, (E,); the others are meant to yield."""
    rows = np.concatenate([part.rows for part in parts])
    errors = np.where(counts[rows], solution.errors, 0.0)
    known = solution.status in (ik.Status.BEST_EFFORT, ik.Status.STOPPED)
    if not known or not errors.max() > plan.tolerance:
        return str(solution.message)
    stalled = solution.status is ik.Status.BEST_EFFORT
    return explain(problem, solution.q, errors, plan.tolerance, stalled=stalled, paced=solution.paced)
