# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of a solve, and one sentence that explains it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

import numpy as np

from ..arrays import Mask
from ..collision import ClosestPairs
from ..model.pose import Pose
from ..problem.problem import Problem, Solution, Status
from ..rotation import Array
from .attribution import causes_of
from .error_bounds import error_lower_bounds

_FULL: Final = 1e-3  # share of the figure's length by which an effector must be short to count as too far
_OUT: Final = 1e-2  # radians or metres beyond a limit that are mentioned
_MOSTLY: Final = 0.5  # share of an error that, if it is distance beyond all reach, is reason enough


def conclude(
    problem: Problem,
    q: Array,
    iterations: int,
    tolerance: float,
    *,
    angle_tolerance: float | None = None,
    errors: Array | None = None,
    stalled: bool = False,
    measure: Callable[[], float] | None = None,
    blocked: str = "",
    near: ClosestPairs | None = None,
    memory: Any = None,
    paced: bool = False,
) -> Solution:
    """The solution for final coordinates q (n,): errors, status and message.

    Args:
        problem: the problem of this frame.
        q: (n,) where the solve ended.
        iterations: how many steps it took.
        tolerance, angle_tolerance: metres and radians within which an effector is there, see
            `Problem.allowed_errors`.
        errors: (E,) sizes of the errors at q, if known.
        stalled: whether no further step was better, as opposed to running out of iterations.
        measure: finds the distance to the nearest obstacle, metres, where there are any.
        blocked: name of the obstacle that stands in the way, if one does.
        near: what is near at q, if known.
        memory: state of the method for the next frame; paced: it avoided a jump; see `Solution`.
    """
    if errors is None:
        errors = problem.errors(Pose.trusted(problem.skeleton, q))
    inside = _inside(problem, near) if near is not None and near.least < -tolerance else ""
    sentence: Callable[[], str]
    tolerances = problem.allowed_errors(tolerance, angle_tolerance)
    if (errors <= tolerances).all():
        status, sentence = Status.REACHED, partial(_all_reached, problem, q, inside)
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
        measure=measure,
        paced=paced,
    )


def _all_reached(problem: Problem, q: Array, inside: str) -> str:
    return f"All goals are reached{_beyond_limits(problem, q)}{inside and f', but {inside}'}."


def explain(
    problem: Problem,
    q: Array,
    errors: Array,
    tolerances: float | Array,
    *,
    stalled: bool,
    blocked: str = "",
    inside: str = "",
    paced: bool = False,
) -> str:
    """One sentence: the effector with the largest error, its size, and its cause at q (n,).

    Effectors whose errors (E,) are within the tolerances, (E,) or one for all, are not short.
    """
    worst = int(np.argmax(np.where(errors > tolerances, errors / problem.spans, -1.0)))
    size = (
        f"{errors[worst] * problem.metre:.4g} m"
        if problem.units[worst] == "m"
        else f"{np.degrees(errors[worst]):.3g} degrees"
    )
    if problem.units[worst] == "":
        size = f"{errors[worst]:.4g}"
    if blocked:
        why = f"stopped by {blocked}"
    elif not stalled:
        why = "it was still improving when the iterations ran out"
    elif inside:  # reported before all other causes
        why, inside = inside, ""
    else:
        why = reason(problem, Pose.trusted(problem.skeleton, q), worst, paced=paced)
    return f"{problem.effectors[worst]} is short by {size}: {why}{inside and f'; {inside}'}."


def reason(problem: Problem, pose: Pose, effector: int, *, paced: bool = False) -> str:
    """What holds an effector back where the solve ended; paced: the solve avoided a jump."""
    stack = problem.stack
    if not stack.scale[stack.starts[effector]]:
        return "its weight is zero"
    if _on_roots_that_only_turn(problem)[effector]:
        return "the root may turn but not move"
    beyond = float(_beyond_reach(problem)[effector])
    if beyond > _MOSTLY * float(problem.errors(pose)[effector]):
        return "the target is out of reach"
    found = causes_of(problem, pose, effector)
    parts = []
    if found.goals:
        parts.append(f"in conflict with {listed(problem.effectors[goal] for goal in found.goals)}")
    if found.joints:
        held = listed(problem.skeleton.names[joint] for joint in found.joints)
        parts.append(
            f"{held} {'is at its joint limit' if len(found.joints) == 1 else 'are at their joint limits'}"
        )
    if parts:
        return ", and ".join(parts)
    if found.method and paced:
        return "it would need a jump to get there in one frame"
    if found.method:
        return "the method does not use the joints that would bring it nearer"
    return "the target is out of reach" if beyond > 0.0 else "no small turn of the joints brings it nearer"


def listed(names: Iterable[str]) -> str:
    """Names as a list in words, each once."""
    *most, last = dict.fromkeys(names)
    return f"{', '.join(most)} and {last}" if most else last


def _on_roots_that_only_turn(problem: Problem) -> Mask:
    """(E,) which effectors have a target for the place of a root joint without slides."""
    skeleton = problem.skeleton
    sliding = skeleton.owner[~skeleton.is_turn]
    found = np.zeros(len(problem.effectors), dtype=bool)
    for goal, own in problem.places():
        joints = goal.points(skeleton).joints
        found[own] = (skeleton.parents[joints] < 0) & ~np.isin(joints, sliding)
    return found


def _beyond_reach(problem: Problem) -> Array:
    """(E,) metres that targets are farther from a root than the chain would be long if all joints were free.

    Zero if unknown.
    """
    skeleton = problem.skeleton
    roots, slides, start = skeleton.parents < 0, ~skeleton.is_turn, skeleton.constants.translation
    lengths = np.where(roots, 0.0, np.sqrt((start * start).sum(-1)))
    room = np.maximum(np.abs(skeleton.lower[slides]), np.abs(skeleton.upper[slides]))
    beyond = np.zeros(len(problem.effectors))
    for goal, own in problem.places():
        points = goal.points(skeleton)
        above = skeleton.ancestors[points.joints]
        reach = above @ lengths + np.sqrt((points.offsets**2).sum(-1)) + goal.slack
        reach += np.where(above[:, skeleton.owner[slides]], room, 0.0).sum(-1)
        away = np.sqrt(((goal.target - start[np.argmax(above & roots, 1)]) ** 2).sum(-1))
        beyond[own] = np.maximum(away - reach, 0.0)
    return beyond


def _inside(problem: Problem, near: ClosestPairs) -> str:
    """The deepest penetration, as a phrase."""
    worst = int(np.argmin(near.clearance))
    other, link = int(near.other[worst]), near.body.names[int(near.link[worst])]
    into = near.names[worst] if other < 0 else near.body.names[other]
    depth = -float(near.clearance[worst]) * problem.metre
    size = f"{1e3 * depth:.3g} mm" if depth < 1.0 else f"{depth:.3g} m"
    return f"{link} goes {size} into {into or 'an obstacle'}"


def _beyond_limits(problem: Problem, q: Array) -> str:
    """The largest limit violation of a method that permits some, as the end of a sentence."""
    skeleton = problem.skeleton
    if problem.limits.strict:
        return ""
    out = np.abs(q - skeleton.joint_limits.project(q))
    if not out.max(initial=0.0) > _OUT:
        return ""
    worst = int(np.argmax(out))
    far = out[worst]
    size = f"{np.degrees(far):.3g} degrees" if skeleton.is_turn[worst] else f"{far * problem.metre:.4g} m"
    return f", but {skeleton.names[skeleton.owner[worst]]} is {size} beyond its limit"


def as_near_as_can_be(problem: Problem, errors: Array, tolerances: float | Array) -> bool:
    """Whether all effectors that are short are so by no more than their chains are too short for."""
    beyond, short = _beyond_reach(problem), errors > tolerances
    nearly = (beyond > 0.0) & (errors - beyond <= _FULL * problem.length)
    return bool(nearly[short].all())


def is_hopeless(problem: Problem, pose: Pose, errors: Array, tolerances: float | Array) -> bool:
    """Whether some target is known to be out of reach of any pose: it is too far away, or inside an obstacle.

    Args:
        problem: of one frame; pose: of the figure, any.
        errors: (E,) sizes of the effectors' errors; tolerances: (E,) or one for all, that are none.
    """
    if (_beyond_reach(problem)[errors > _FULL * problem.length] > 0.0).any():
        return True
    return bool(((errors > tolerances) & (error_lower_bounds(problem, pose) > tolerances)).any())
