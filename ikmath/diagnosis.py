# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a figure stands where it stands: the status of a solve and one sentence for a person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from .goals import Position
from .pose import Pose
from .problem import Problem, Solution, Status
from .rotation import Array

_FULL: Final = 1e-3  # share of the figure's length by which an effector must be short to count as too far
_OUT: Final = 1e-2  # radians or metres beyond a limit that are worth a word

_STEP = 1e-3  # radians or metres
_BREAKS = 0.02  # of such a step, relative to the size of the figure; less is but the bending of the way


def conclude(
    problem: Problem,
    q: Array,
    iterations: int,
    tolerance: float,
    *,
    errors: Array | None = None,
    stalled: bool = False,
    measure: Callable[[], float] | None = None,
    blocked: str = "",
    memory: Any = None,
) -> Solution:
    """The solution for final coordinates q (n,): errors, status and message.

    Args:
        problem: the problem of this frame.
        q: (n,) where the solve ended.
        iterations: how many steps it took.
        tolerance: metres and radians within which an effector is there.
        errors: (E,) sizes of the errors at q, if the method knows them.
        stalled: whether no further step was better, as opposed to running out of iterations.
        measure: finds the distance to the nearest obstacle, metres, where there are any.
        blocked: name of the obstacle that stands in the way, if one does.
        memory: what the method wants back for the frame after, see `Solution`.
    """
    if errors is None:
        errors = problem.errors(Pose.trusted(problem.skeleton, q))
    if not len(errors) or max(errors.tolist()) <= tolerance:
        status, message = Status.REACHED, f"All goals are reached{_beyond_limits(problem, q)}."
    else:
        status = Status.BLOCKED if blocked else Status.BEST_EFFORT if stalled else Status.STOPPED
        message = explain(problem, q, errors, tolerance, stalled=stalled, blocked=blocked)
    return Solution(
        q=q,
        status=status,
        iterations=iterations,
        errors=errors,
        message=message,
        memory=memory,
        measure=measure,
    )


def explain(
    problem: Problem, q: Array, errors: Array, tolerance: float, *, stalled: bool, blocked: str = ""
) -> str:
    """One sentence: the effector that is most short, by how much, and what holds it back at q (n,)."""
    relative = np.where(np.array(problem.units) == "m", errors / problem.length, errors)
    worst = int(np.argmax(np.where(errors > tolerance, relative, -1.0)))
    size = (
        f"{errors[worst]:.4g} m"
        if problem.units[worst] == "m"
        else f"{np.degrees(errors[worst]):.3g} degrees"
    )
    if problem.units[worst] == "":
        size = f"{errors[worst]:.4g}"
    head = f"{problem.effectors[worst]} is short by {size}"
    if blocked:
        return f"{head}: stopped by {blocked}."
    if not stalled:
        return f"{head}: it still came nearer when the iterations ran out."
    return f"{head}: {reason(problem, Pose.trusted(problem.skeleton, q), worst)}."


def reason(problem: Problem, pose: Pose, effector: int) -> str:
    """What holds an effector back where the solve ended, told from the geometry and the rows there."""
    stack, skeleton = problem.stack, problem.skeleton
    if not stack.scale[stack.starts[effector]]:
        return "its weight is zero"
    raw, jacobian = stack.evaluate(problem.tasks, pose)
    first = int(stack.starts[effector])
    last = int(stack.starts[effector + 1]) if effector + 1 < len(stack.starts) else stack.rows
    gradient = raw[first:last] @ jacobian[first:last]  # uphill for this effector's own error
    limited = skeleton.region.at_limit(pose.q)
    scale = problem.length if problem.units[effector] == "m" else 1.0
    level = float(np.linalg.norm(raw[first:last])) * scale
    free = np.where(limited, 0.0, gradient)
    if float(np.linalg.norm(free)) > 1e-2 * level:
        level_of = stack.level[stack.starts]
        # Place and orientation of one effector share its name; it is no use to say that it is in its own way.
        others = [e for e, name in enumerate(problem.effectors) if name != problem.effectors[effector]]
        stronger = [e for e in others if level_of[e] <= level_of[effector]]
        for some in (stronger, others):
            opposed = _opponent(problem, raw, jacobian, gradient, some)
            if opposed is None:
                opposed = _broken(problem, pose, free, some)
            if opposed is not None:
                return f"in conflict with {problem.effectors[opposed]}"
    if limited.any() and float(np.linalg.norm(np.where(limited, gradient, 0.0))) > 1e-2 * level:
        blocking = int(np.argmax(np.where(limited, np.abs(gradient), -1.0)))
        return f"{skeleton.names[skeleton.owner[blocking]]} is at its joint limit"
    if problem.units[effector] == "m" and not _within_reach(problem, effector):
        return "the target is out of reach"
    return "no small turn of the joints brings it nearer"


def _broken(problem: Problem, pose: Pose, gradient: Array, others: list[int]) -> int | None:
    """The other effector that a small step downhill would break most, as one that holds at its very edge."""
    if not others:
        return None
    step = pose.q - _STEP * gradient / float(np.linalg.norm(gradient))
    before, after = problem.errors(pose), problem.errors(Pose.trusted(problem.skeleton, step))
    grown = np.where(np.array(problem.units) == "m", (after - before) / problem.length, after - before)
    worst = max(others, key=lambda effector: float(grown[effector]))
    return worst if grown[worst] > _BREAKS * _STEP else None


def _within_reach(problem: Problem, effector: int) -> bool:
    """Whether a place is nearer to the root than the chain would be long if all its joints were free."""
    skeleton = problem.skeleton
    for goal in problem.tasks:
        if effector >= goal.effectors:
            effector -= goal.effectors
            continue
        if not isinstance(goal, Position) or goal.mask is not None:
            return False
        points = goal.points(skeleton)
        above = skeleton.ancestors[points.joints[effector]]
        roots = skeleton.parents < 0
        lengths = np.where(roots, 0.0, np.sqrt((skeleton.constants[1] ** 2).sum(-1)))
        slides = ~skeleton.is_turn & above[skeleton.owner]
        room = np.maximum(np.abs(skeleton.lower[slides]), np.abs(skeleton.upper[slides])).sum()
        reach = lengths[above].sum() + np.sqrt((points.offsets[effector] ** 2).sum()) + room
        base = skeleton.constants[1][np.argmax(above & roots)]
        return bool(np.sqrt(((goal.target[effector] - base) ** 2).sum()) <= reach + goal.slack)
    return False


def _beyond_limits(problem: Problem, q: Array) -> str:
    """What limits that give, or that a method does not know, have let pass, as the end of a sentence."""
    skeleton = problem.skeleton
    if problem.limits.strict:
        return ""
    out = np.abs(q - skeleton.region.project(q))
    if not out.max(initial=0.0) > _OUT:
        return ""
    worst = int(np.argmax(out))
    size = f"{np.degrees(out[worst]):.3g} degrees" if skeleton.is_turn[worst] else f"{out[worst]:.4g} m"
    return f", but {skeleton.names[skeleton.owner[worst]]} is {size} beyond its limit"


def too_far(problem: Problem, errors: Array) -> bool:
    """Whether some target is farther from where its chain is held than the chain is long."""
    skeleton = problem.skeleton
    lengths = np.sqrt((skeleton.constants[1] ** 2).sum(-1))
    roots = skeleton.parents < 0
    first = 0
    for goal in problem.tasks:
        own = slice(first, first + goal.effectors)
        first += goal.effectors
        if not isinstance(goal, Position) or (skeleton.slot < 3).any():
            continue
        joints = goal.points(skeleton).joints
        above = skeleton.ancestors[joints]
        reach = above @ np.where(roots, 0.0, lengths) + np.sqrt((goal.points(skeleton).offsets ** 2).sum(-1))
        base = skeleton.constants[1][np.argmax(above & roots, 1)]
        away = np.sqrt(((goal.target - base) ** 2).sum(-1))
        if ((away > reach + goal.slack) & (errors[own] > _FULL * problem.length)).any():
            return True
    return False


def _opponent(
    problem: Problem, raw: Array, jacobian: Array, gradient: Array, others: list[int]
) -> int | None:
    """The other effector that stands most against this one: following this one's wish would worsen it."""
    stack = problem.stack
    best, found = 1e-9, None
    ends = np.append(stack.starts[1:], stack.rows)
    for other in others:
        rows = slice(int(stack.starts[other]), int(ends[other]))
        moved = jacobian[rows] @ gradient * stack.scale[rows]
        strength = float(np.linalg.norm(moved))
        if strength > best:
            best, found = strength, other
    return found
