# SPDX-License-Identifier: GPL-3.0-or-later
"""Lower bounds of errors from places alone: of targets too far away for their chains, or inside obstacles.

A point of the figure at some depth inside a link stays out of obstacles by this depth, as the link does. So
it cannot come nearer to a target that is deeper in an obstacle.
"""

from typing import Any, Final

import numpy as np

from ..arrays import Array, Mask
from ..collision import Scene
from ..collision.closest_points import gaps
from ..model.frame_points import FramePoints
from ..model.pose import Pose
from ..model.skeleton import Skeleton
from ..problem.problem import Problem

_FULL: Final = 1e-3  # share of the figure's length by which an effector must be short to count as too far


def beyond_reach(problem: Problem) -> Array:
    """(E,) metres that targets are farther from a root than the chain would be long if all joints were free.

    Zero if unknown.
    """
    skeleton = problem.skeleton
    roots, slides, start = skeleton.parents < 0, ~skeleton.is_turn, skeleton.constants.translation
    lengths = np.where(roots, 0.0, np.sqrt((start * start).sum(-1)))
    room = np.maximum(np.abs(skeleton.lower[slides]), np.abs(skeleton.upper[slides]))
    beyond = np.zeros(len(problem.effectors))
    for number, own, points in problem.stack.places:
        goal: Any = problem.tasks[number]
        above = skeleton.ancestors[points.joints]
        reach = above @ lengths + np.sqrt((points.offsets**2).sum(-1)) + goal.slack
        reach += np.where(above[:, skeleton.owner[slides]], room, 0.0).sum(-1)
        away = np.sqrt(((goal.target - start[np.argmax(above & roots, 1)]) ** 2).sum(-1))
        beyond[own] = np.maximum(away - reach, 0.0)
    return beyond


def error_lower_bounds(problem: Problem, pose: Pose) -> Array:
    """(E,) metres by which effectors must be short at least, 0 if unknown; any pose of the figure serves."""
    least, scene = np.zeros(len(problem.effectors)), problem.scene
    if scene is None or not scene.obstacles or not len(scene.body):
        return least
    a, b = scene.body.segments(pose)
    for goal, rows in problem.places():
        points = goal.points(pose.skeleton)
        places = pose.points(points)
        for own in range(goal.effectors):
            within = _within(scene, a, b, places[own], _moving(points, own, pose.skeleton)) - goal.slack
            if np.isfinite(within):
                least[rows][own] = within - _clearance(problem, scene, goal.target[own], within)
    return np.maximum(least, 0.0)


def _moving(points: FramePoints, row: int, skeleton: Skeleton) -> Mask:
    """(n,) which coordinates move a point; a point on a joint is not moved by the joint's turns."""
    if points.offsets[row].any():
        return points.moved[:, row]
    own: Mask = (skeleton.owner == points.joints[row]) & skeleton.is_turn
    return np.asarray(points.moved[:, row] & ~own)


def _within(scene: Scene, a: Array, b: Array, place: Array, moved: Mask) -> float:
    """How deep a place is in links a-b (L, 3) that the coordinates `moved` (n,) carry too; -inf in none."""
    outward = scene.body.outward
    links = outward[(scene.motion.moves[outward] == moved).all(1)]
    gap = gaps(a[links], b[links], place)
    depth = scene.body.radius[links] - np.sqrt((gap * gap).sum(-1))
    return float(depth.max(initial=-np.inf))


def _clearance(problem: Problem, scene: Scene, place: Array, within: float) -> float:
    """Metres from a place (3,) to what is to be kept clear of, less what is to be kept; negative inside.

    Infinite if not nearer than `within`.
    """
    # places far behind an open surface do not count as inside, as for `Problem.detection_distance`
    sight, margin = problem.detection_distance, problem.margin
    _, near = scene.broad_phase.around(place[None], place[None], within + margin)
    some = (scene.obstacles[number] for number in near.tolist())
    each = (float(one.nearest(place, sight).distance) - one.margin for one in some)
    return min(each, default=np.inf) - margin


def is_hopeless(
    problem: Problem, pose: Pose, errors: Array, tolerances: float | Array, *, guarded: bool
) -> bool:
    """Whether it is known that no other pose comes nearer, or if guarded by obstacles, reaches everything.

    Targets are too far away for their chains, or inside an obstacle.

    Args:
        problem: of one frame; pose: of the figure, any.
        errors: (E,) sizes of the effectors' errors; tolerances: (E,) or one for all, that are none.
    """
    beyond, short, full = beyond_reach(problem), errors > tolerances, _FULL * problem.length
    if not guarded:
        return bool(((beyond > 0.0) & (errors - beyond <= full))[short].all())
    if (beyond[errors > full] > 0.0).any():
        return True
    return bool((short & (error_lower_bounds(problem, pose) > tolerances)).any())
