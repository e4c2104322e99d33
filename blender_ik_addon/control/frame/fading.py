# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets of effectors whose influence is below 1: blended with the pose that the frame starts from.

Unlike a smaller weight, a blended target lets an animated influence fade in and out without a jump.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

import ikmath as ik
from ikmath import rotation

from ...bridge.armature import Array
from .plan import EffectorPlan

_TINY: Final = 1e-12  # metres; a limb whose ends are closer has no direction


def faded(
    effectors: Sequence[EffectorPlan],
    influence: Array,
    target: tuple[Array, Array],
    start: tuple[Array, Array],
    pose: ik.Pose,
) -> tuple[Array, Array]:
    """Blend the targets: positions (E, 3) and rotations (E, 3, 3).

    Args:
        effectors: E of them.
        influence: (E,) in [0, 1].
        target: positions (E, 3) and rotations (E, 3, 3) for an influence of 1, figure space.
        start: positions (E, 3) of the effectors' points and rotations (E, 3, 3) of their bones in `pose`.
        pose: that the frame starts from.
    """
    (place, turn), (point, frame) = target, start
    share = influence[:, None]
    drawn = point + share * (place - point)
    turned = rotation.exp(share * rotation.log(turn @ np.swapaxes(frame, -1, -2))) @ frame
    for row, effector in enumerate(effectors):
        if effector.alone:
            drawn[row], turned[row] = place[row], turn[row]  # `bridge.goals` handles the influence
        elif "aim" in effector.kind.asks:
            # A nearer point on the same line would not weaken an aim.
            drawn[row] = (
                _between(frame[row] @ effector.axis, place[row] - point[row], influence[row]) + point[row]
            )
        elif "pole" in effector.kind.asks:
            drawn[row] = _pole_between(effector, pose, place[row], point[row], influence[row])
        elif "plane" in effector.kind.asks:
            turned[row] = turn[row]
            if effector.settings["one_sided"] and turn[row, :, 2] @ (point[row] - place[row]) > 0.0:
                drawn[row] = place[row]  # a floor does not rise to a point above it
    return drawn, turned


def _between(axis: Array, way: Array, share: float) -> Array:
    """(3,) with the length of `way`, rotated from the axis towards it by a share of the angle."""
    length = float(np.sqrt(way @ way))
    if length == 0.0:
        return way
    ahead = way / length
    across = np.cross(axis, ahead)
    sine, cosine = float(np.sqrt(across @ across)), float(axis @ ahead)
    if sine == 0.0:
        return way  # parallel, or opposite, where the direction of rotation is undefined
    turn: Array = rotation.exp(across / sine * (share * float(np.arctan2(sine, cosine))))
    return length * (turn @ axis)


def _pole_between(effector: EffectorPlan, pose: ik.Pose, pole: Array, end: Array, share: float) -> Array:
    """(3,) the pole, rotated about the limb's line by a share of the angle from the joint's present side."""
    middle, root = pose.point(effector.bone), pose.point(str(effector.settings["root"]))
    line = (end - root) / max(float(np.sqrt((end - root) @ (end - root))), _TINY)
    bend, way = middle - root, pole - root
    across, along = line @ np.cross(bend, way), bend @ way - (line @ bend) * (line @ way)
    back = (share - 1.0) * float(np.arctan2(across, along))
    return np.asarray(root + rotation.exp(back * line) @ way)
