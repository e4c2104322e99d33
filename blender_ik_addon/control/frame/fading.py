# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets of effectors whose influence is below 1: drawn back towards the pose that the frame starts from.

A target that is drawn back, other than a smaller weight, lets an animated influence fade in and out without a
jump.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ikmath import rotation

from ...bridge.armature import Array
from .plan import EffectorPlan


def faded(
    effectors: Sequence[EffectorPlan],
    influence: Array,
    target: tuple[Array, Array],
    start: tuple[Array, Array],
) -> tuple[Array, Array]:
    """Places (E, 3) and rotations (E, 3, 3) of the targets, drawn back.

    Args:
        effectors: E of them.
        influence: (E,) in [0, 1].
        target: places (E, 3) and rotations (E, 3, 3) that are wanted in the end, figure space.
        start: places (E, 3) of the effectors' points and rotations (E, 3, 3) of their bones, before.
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
