# SPDX-License-Identifier: GPL-3.0-or-later
"""One sentence that explains how a solve ended."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from ..arrays import Array, Mask
from ..collision import ClosestPairs
from ..model.pose import Pose
from ..problem.problem import Problem
from .attribution import causes_of
from .error_bounds import beyond_reach

_OUT: Final = 1e-2  # radians or metres beyond a limit that are mentioned
_MOSTLY: Final = 0.5  # share of an error that, if it is distance beyond all reach, is reason enough
_NAMED: Final = 5  # names that a sentence lists before it counts the others
OUT_OF_REACH: Final = "the target is out of reach"
RAN_OUT: Final = ("iterations", "time")
"""Values of `Solution.limited_by` with which a solve is `STOPPED`."""
LIMITED_BY: Final[Mapping[str, str]] = MappingProxyType(
    {
        "": "the method does not use the joints that would bring it nearer",
        "iterations": "it was still improving when the iterations ran out",
        "time": "the time ran out before the solve was finished",
        "max_turn": "it would have to turn farther than max_turn; raise it, or solve again from here",
        "jump": "it would need a jump to get there in one frame",
    }
)
"""`Solution.limited_by` -> why an effector is short that nothing in the problem holds back."""


def all_reached(problem: Problem, q: Array, inside: str) -> str:
    """The sentence of a solve that reached everything; inside: see `deepest_penetration`."""
    return f"All goals are reached{_beyond_limits(problem, q)}{inside and f', but {inside}'}."


def explain(
    problem: Problem,
    q: Array,
    errors: Array,
    tolerances: float | Array,
    limited_by: str = "",
    blocked: str = "",
    inside: str = "",
) -> str:
    """One sentence: the effector with the largest error, its size, and its cause at q (n,).

    Effectors whose errors (E,) are within the tolerances, (E,) or one for all, are not short.
    """
    worst = int(np.argmax(np.where(errors > tolerances, errors / problem.spans, -1.0)))
    size = _error(problem, errors[worst], problem.units[worst])
    if blocked:
        why = f"stopped by {blocked}"
    elif limited_by in RAN_OUT:
        why = LIMITED_BY[limited_by]
    elif inside:  # reported before all other causes
        why, inside = inside, ""
    else:
        why = reason(problem, Pose.trusted(problem.skeleton, q), worst, limited_by=limited_by)
    return f"{problem.effectors[worst]} is {size} from its target: {why}{inside and f'; {inside}'}."


def reason(problem: Problem, pose: Pose, effector: int, *, limited_by: str = "") -> str:
    """What holds an effector back where the solve ended; limited_by: see `Solution`."""
    stack = problem.stack
    if not stack.scale[stack.starts[effector]]:
        return "its weight is zero"
    if _on_roots_that_only_turn(problem)[effector]:
        return "the root may turn but not move"
    beyond = float(beyond_reach(problem)[effector])
    if beyond > _MOSTLY * float(problem.errors(pose)[effector]):
        return OUT_OF_REACH
    found = causes_of(problem, pose, effector, limited=bool(limited_by))
    parts = []
    if found.goals:
        own, names = problem.effectors[effector], [problem.effectors[goal] for goal in found.goals]
        others = listed(f"another goal of {own}" if name == own else name for name in names)
        parts.append(f"in conflict with {others}")
    if found.joints:
        held = listed(problem.skeleton.names[joint] for joint in found.joints)
        alone = len(found.joints) == 1
        parts.append(f"{held} {'is at its joint limit' if alone else 'are at their joint limits'}")
    if parts:
        return ", and ".join(parts)
    if found.method:
        return LIMITED_BY[limited_by]
    return OUT_OF_REACH if beyond > 0.0 else "no small turn of the joints brings it nearer"


def degrees_text(radians: float) -> str:
    """An angle for a sentence, in degrees."""
    return f"{np.degrees(radians):.3g} degrees"


def length_text(metres: float) -> str:
    """A length for a sentence, in millimetres or, from one metre on, in metres."""
    return f"{1e3 * metres:.4g} mm" if abs(metres) < 1.0 else f"{metres:.4g} m"


def _error(problem: Problem, value: float, unit: str) -> str:
    """A value in its unit, see `Problem.units`, for a sentence."""
    if unit == "rad":
        return degrees_text(value)
    return length_text(value * problem.metre) if unit else f"{value:.4g}"


def listed(names: Iterable[str]) -> str:
    """Names as a list in words, each once; of very many the first ones and how many others there are."""
    *most, last = dict.fromkeys(names)
    if len(most) > _NAMED:
        most, last = most[:_NAMED], f"{len(most) + 1 - _NAMED} others"
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


def deepest_penetration(problem: Problem, near: ClosestPairs) -> str:
    """The deepest penetration, as a phrase."""
    worst = int(np.argmin(near.clearance))
    other, link = int(near.other[worst]), near.body.names[int(near.link[worst])]
    into = near.names[worst] if other < 0 else near.body.names[other]
    size = length_text(-float(near.clearance[worst]) * problem.metre)
    return f"{link} goes {size} into {into or 'an obstacle'}"


def _beyond_limits(problem: Problem, q: Array) -> str:
    """The largest limit violation of a method that permits some, as the end of a sentence."""
    skeleton = problem.skeleton
    out = np.abs(q - skeleton.joint_limits.project(q))
    if not out.max(initial=0.0) > _OUT:
        return ""
    worst = int(np.argmax(out))
    size = _error(problem, out[worst], "rad" if skeleton.is_turn[worst] else "m")
    return f", but {skeleton.names[skeleton.owner[worst]]} is {size} beyond its limit"
