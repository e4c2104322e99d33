# SPDX-License-Identifier: GPL-3.0-or-later
"""The reasons why effectors miss their targets, as sentences for the report."""

from typing import Final

import numpy as np

import ikmath as ik
from ikmath.diagnosis.explanation import LIMITED_BY, OUT_OF_REACH, explain, reason

from ...bridge.armature import Array, Flags
from ...bridge.joints import root_slides
from ..collision.surroundings import Near
from .plan import Plan
from .task import Task

_EXAMINED: Final = 10  # effectors whose causes are sought, a tenth of a second each on a figure of 78 bones


def held_back(task: Task, q: Array, solution: ik.Solution, near: Near, *, brief: bool) -> tuple[str, ...]:
    """(E,) why each effector misses its target; "" if it is reached or off.

    q (n,) are the coordinates of the result, `near` is the nearest obstacle there. If `brief`, it is not
    mentioned that the time ran out.
    """
    plan, problem = task.plan, task.problem
    reasons = [""] * len(plan.effectors)
    if solution.status is ik.Status.REACHED:
        return tuple(reasons)
    rows = np.concatenate([part.rows for part in task.parts]).tolist()
    pose = ik.Pose.forward(problem.skeleton, q)
    errors = problem.errors(pose)
    worst_first = np.argsort(errors / problem.spans, kind="stable")[::-1]
    short = worst_first[errors[worst_first] > plan.tolerance].tolist()
    for place, number in enumerate(short):
        if reasons[rows[number]]:  # the larger error of position and orientation is reported
            continue
        if solution.status is ik.Status.BLOCKED and near.name:
            reasons[rows[number]] = f"stopped by {near.name}"
        elif solution.status is ik.Status.STOPPED and not brief:
            reasons[rows[number]] = LIMITED_BY[solution.limited_by]
        elif place >= _EXAMINED:
            reasons[rows[number]] = f"not examined, because {_EXAMINED} others are farther off"
        else:
            found = reason(problem, pose, number, limited_by=_lasting(solution))
            reasons[rows[number]] = naming_the_root(plan, found)
    return tuple(reasons)


def naming_the_root(plan: Plan, message: str) -> str:
    """A message in which a target is out of reach, with the root if it stays but could move."""
    ends_before = any(effector.chain_root for effector in plan.effectors)
    if OUT_OF_REACH not in message or plan.root != "PINNED" or ends_before:
        return message
    _, slides = root_slides(plan.bones, np.array([plan.bones.number(name) for name in plan.solved]))
    return message.replace(OUT_OF_REACH, f"{OUT_OF_REACH} while the root stays") if slides.any() else message


def shortest(task: Task, solution: ik.Solution, counts: Flags) -> str:
    """The solution's message about the effectors that count, (E,); the others are meant to yield."""
    rows, tolerance = np.concatenate([part.rows for part in task.parts]), task.plan.tolerance
    errors = np.where(counts[rows], solution.errors, 0.0)
    known = solution.status in (ik.Status.BEST_EFFORT, ik.Status.STOPPED)
    if not known or not errors.max() > tolerance:
        return str(solution.message)
    return explain(task.problem, solution.q, errors, tolerance, limited_by=_lasting(solution))


def _lasting(solution: ik.Solution) -> str:
    """What limited a solve, as it is told to users: limits of one update of a drag end with the next one."""
    return "jump" if solution.limited_by in ("jump", "max_turn") else ""
