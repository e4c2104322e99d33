# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets of effectors whose influence is below 1: drawn back towards the pose that the frame starts from.

A target that is drawn back, other than a smaller weight, lets an animated influence fade in and out without a
jump.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

import ikmath as ik
from ikmath import rotation

from ...bridge.armature import Array
from .plan import EffectorPlan

_TINY: Final = 1e-12  # metres; a limb whose ends are nearer to each other has no line


def faded(
    effectors: Sequence[EffectorPlan],
    influence: Array,
    target: tuple[Array, Array],
    start: tuple[Array, Array],
    pose: ik.Pose,
) -> tuple[Array, Array]:
    """Places (E, 3) and rotations (E, 3, 3) of the targets, drawn back.

    Args:
        effectors: E of them.
        influence: (E,) in [0, 1].
        target: places (E, 3) and rotations (E, 3, 3) that are wanted in the end, figure space.
        start: places (E, 3) of the effectors' points and rotations (E, 3, 3) of their bones, before.
        pose: before.
    """
    (place, turn), (point, frame) = target, start
    share = influence[:, None]
    drawn = point + share * (place - point)
    turned = rotation.exp(share * rotation.log(turn @ np.swapaxes(frame, -1, -2))) @ frame
    for row, effector in enumerate(effectors):
        if effector.alone:
            drawn[row], turned[row] = place[row], turn[row]  # `bridge.goals` sees to it
        elif "aim" in effector.kind.asks:
            # Nearer on the same line would be no less of an aim.
            drawn[row] = (
                _between(frame[row] @ effector.axis, place[row] - point[row], influence[row]) + point[row]
            )
        elif "pole" in effector.kind.asks:
            drawn[row] = _pole_between(effector, pose, place[row], point[row], influence[row])
        elif "plane" in effector.kind.asks:
            turned[row] = turn[row]
            if effector.settings["one_sided"] and turn[row, :, 2] @ (point[row] - place[row]) > 0.0:
                drawn[row] = place[row]  # a floor does not rise towards a point above it
    return drawn, turned


def _between(axis: Array, way: Array, share: float) -> Array:
    """(3,) as long as `way`, turned that share of the angle from the axis to it."""
    length = float(np.sqrt(way @ way))
    if length == 0.0:
        return way
    ahead = way / length
    across = np.cross(axis, ahead)
    sine, cosine = float(np.sqrt(across @ across)), float(axis @ ahead)
    if sine == 0.0:
        return way  # straight ahead, or straight behind, where no way round is the shorter one
    turn: Array = rotation.exp(across / sine * (share * float(np.arctan2(sine, cosine))))
    return length * (turn @ axis)


def _pole_between(effector: EffectorPlan, pose: ik.Pose, pole: Array, end: Array, share: float) -> Array:
    """(3,) the pole, turned about its limb's line to that share of the angle from where the joint points."""
    middle, root = pose.point(effector.bone), pose.point(str(effector.settings["root"]))
    line = (end - root) / max(float(np.sqrt((end - root) @ (end - root))), _TINY)
    bend, way = middle - root, pole - root
    across, along = line @ np.cross(bend, way), bend @ way - (line @ bend) * (line @ way)
    back = (share - 1.0) * float(np.arctan2(across, along))
    return np.asarray(root + rotation.exp(back * line) @ way)
