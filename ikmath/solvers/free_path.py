# SPDX-License-Identifier: GPL-3.0-or-later
"""Test whether the straight path between two poses is free of collisions."""

from __future__ import annotations

from typing import Final

from ..collision import VelocityDamper
from ..problem.problem import Problem
from ..rotation import Array
from .collision_guard import CollisionGuard

_POSES: Final = 100  # maximum number of checks; a path that needs more runs along a surface
_CAREFUL: Final = 0.95  # factor on the share of a path that is known to be free


def is_free_path(problem: Problem, start: Array, end: Array) -> bool:
    """Whether the straight path between coordinates (n,) is free, by the collision check of solves.

    A figure that starts nearer than the margin may not come nearer. Without a scene every path is free. With
    avoidance methods other than Velocity Damper the result is False, because only that one is exact.

    Args:
        problem: of one frame; start, end: (n,) within the joint limits.
    """
    if problem.scene is None:
        return True
    if not isinstance(problem.avoidance, VelocityDamper):
        return False
    guard = CollisionGuard(problem, problem.scene, problem.stack.metric)
    here, goal = guard.stand(start), guard.stand(end)
    floor = min(problem.margin, float(here.near.worst))
    ahead = [goal]  # poses on the path that still have to be connected, the next one last
    for _ in range(_POSES):
        if float(ahead[-1].near.worst) < floor:
            return False
        share = guard.share(here, ahead[-1])
        if share >= 1.0:
            here = ahead.pop()
            if not ahead:
                return True
        else:
            way = min(0.5, _CAREFUL * share) * (ahead[-1].pose.q - here.pose.q)
            ahead.append(guard.stand(here.pose.q + way))
    return False
