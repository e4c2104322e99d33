# SPDX-License-Identifier: GPL-3.0-or-later
"""A relaxed stance for any figure with known kinds of joints.

Arms hang 70 degrees below the horizontal, elbows are bent by 15 degrees and knees by 14. Other joints keep
the pose in which the figure's map was made, for example a T-pose, an A-pose or a walking pose.
"""

from typing import Final

import numpy as np

from ..model.figure_map import FigureMap, Kind, Limb
from ..model.pose import Pose
from ..model.skeleton import Skeleton
from ..rotation import Array, exp, shortest

ARMS_DOWN: Final = float(np.radians(70.0))
"""Angle below the horizontal, radians: that of people standing at ease, clear of the hips."""
ELBOWS: Final = float(np.radians(15.0))
KNEES: Final = float(np.radians(14.0))
"""Radians; these bends also define the bend directions of elbows and knees."""


def stance(
    skeleton: Skeleton,
    figure: FigureMap,
    figure_q: Array | None = None,
    *,
    arms_down: float = ARMS_DOWN,
    elbows: float = ELBOWS,
    knees: float = KNEES,
) -> Array:
    """Coordinates (n,) of a relaxed stance.

    For figures that walk on all limbs or have no limbs, this is the pose of the map.

    Args:
        skeleton: the figure; figure: its map, made in the pose `figure_q` (n,), the rest pose by default.
        arms_down: radians below the horizontal; elbows, knees: bends, radians.
    """
    q = np.array(skeleton.rest if figure_q is None else figure_q, dtype=float)
    if not stands_on_two(figure):
        return q
    for limb in figure.limbs:
        legs = limb.end in figure.feet
        if not legs and figure.kinds[limb.joints[0]] != Kind.SHOULDER:
            continue
        first, second = (figure.heads[one.joints[0]] for one in (limb, figure.limbs[limb.twin]))
        side = 1.0 if (first - second) @ figure.left > 0 else -1.0
        if legs:
            # each half leans by half the bend, so that the foot stays below the hip
            first, second = exp(-0.5 * knees * figure.left), exp(0.5 * knees * figure.left)
            ways = [-(first @ figure.up), -(second @ figure.up)]
        else:
            way = np.cos(arms_down) * side * figure.left - np.sin(arms_down) * figure.up
            ahead = np.cross(way, figure.forward)
            ways = [way, exp(elbows * ahead / np.linalg.norm(ahead)) @ way]
        _aim(skeleton, figure, limb, ways, q, keep_end=legs)
    return skeleton.project(q)


def stands_on_two(figure: FigureMap) -> bool:
    """Whether a figure stands on two hind legs, like a person or a bird."""
    walking = [limb for limb in figure.limbs if limb.end in figure.feet]
    return len(walking) == 2 and not any(limb.front for limb in walking)


def _aim(
    skeleton: Skeleton, figure: FigureMap, limb: Limb, ways: list[Array], q: Array, *, keep_end: bool
) -> None:
    """Turn the two long bones of a limb to given directions, by the shortest rotation."""
    before = Pose.forward(skeleton, q)
    upper, lower = limb.joints
    for joint, beyond, way in ((upper, lower, ways[0]), (lower, limb.end, ways[1])):
        pose = Pose.forward(skeleton, q)
        if beyond >= 0:
            now = pose.position[beyond] - pose.position[joint]
        else:
            shift = pose.rotation[joint] @ before.rotation[joint].T
            now = shift @ (figure.tails[joint] - figure.heads[joint])
        turn = shortest(now / np.linalg.norm(now), way)
        _turn(skeleton, q, joint, pose, turn @ pose.rotation[joint])
        if joint == upper:  # then twist, so that the hinge axis is perpendicular to the plane of the bend
            _twist_hinge(skeleton, figure, limb, ways, q, before)
    if keep_end and limb.end >= 0:
        pose = Pose.forward(skeleton, q)
        _turn(skeleton, q, limb.end, pose, before.rotation[limb.end])


def _twist_hinge(
    skeleton: Skeleton, figure: FigureMap, limb: Limb, ways: list[Array], q: Array, before: Pose
) -> None:
    """Twist the upper bone until its hinge bends in the plane of the two directions."""
    upper, lower = limb.joints
    pose = Pose.forward(skeleton, q)
    hinge = pose.rotation[upper] @ before.rotation[upper].T @ figure.hinge[lower]
    wanted = np.cross(ways[0], ways[1])
    flat = hinge - ways[0] * (hinge @ ways[0])
    size = float(np.linalg.norm(flat) * np.linalg.norm(wanted))
    if size < 1e-9:
        return
    turn = float(np.arctan2(np.cross(flat, wanted) @ ways[0], flat @ wanted))
    _turn(skeleton, q, upper, pose, exp(turn * ways[0]) @ pose.rotation[upper])


def _turn(skeleton: Skeleton, q: Array, joint: int, pose: Pose, rotation: Array) -> None:
    """Set the world rotation of a joint, as far as its free rotations allow."""
    parent = int(skeleton.parents[joint])
    above = pose.rotation[parent] if parent >= 0 and skeleton.inherits[joint] else np.eye(3)
    skeleton.set_turn(q, joint, skeleton.rest_rotation[joint].T @ above.T @ rotation)
