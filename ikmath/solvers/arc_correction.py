# SPDX-License-Identifier: GPL-3.0-or-later
"""Polar correction: the arc on which a limb swings to a target, as a correction of the error.

Seen from the joint that carries it, the tip of a limb reaches a target by turning and by bending: in polar
coordinates an angle and a distance (Ki & Sheen, section 3). A step along the tangent in Cartesian
coordinates overshoots. In polar coordinates about half as many steps are needed.
"""

from math import atan2, sqrt
from typing import Final, cast

import numpy as np

from ..goals import Position
from ..problem.problem import Problem
from ..rotation import Array
from .iterate import Iterate
from .step_model import Correction

_NEAR: Final = 1e-3  # figure sizes from the carrying joint within which the angle is undefined
_NO_TURN: Final = 1e-9  # sine below which an angle counts as zero


class ArcCorrection(Correction):
    """The arcs of one solve: of whole positions on limbs that turn and do not slide.

    Args:
        problem: of one frame; gain: share of the squared error that each step must leave at most.
    """

    def __init__(self, problem: Problem, gain: float) -> None:
        self._length, self._scale = problem.length, problem.stack.scale
        self._gain, self._least = gain, np.inf
        # first row, carrying joint, target
        self._ends: list[tuple[int, int, Array]] = []
        for row, carrier, number, effector in problem.stack.swings:
            place = cast(Position, problem.tasks[number])
            self._ends.append((row, carrier, place.target[effector]))

    def aside(self, iterate: Iterate) -> Array | None:
        """See `Correction`; None once steps along arcs gain too little."""
        cost = sum(iterate.costs)
        if not self._ends or cost > self._gain * self._least:
            self._ends = []
            return None
        self._least = cost
        out = np.zeros(len(iterate.error))
        position = iterate.pose.position
        for row, joint, target in self._ends:
            # the target and the tip, seen from the carrier
            own, there = slice(row, row + 3), target - position[joint]
            missing = iterate.error[own] / np.maximum(self._scale[own], 1e-300)
            tip = there + missing
            square, product = float(tip.dot(tip)), float(tip.dot(there))
            now, then = sqrt(square), sqrt(there.dot(there))
            if min(now, then) < _NEAR * self._length or then > self._length:
                continue
            across = sqrt(max(square * then * then - product * product, 0.0))
            if across < _NO_TURN * now * then:
                continue
            share = atan2(across, product) / across
            # the tangent is `ahead * tip + aside * target`; what is missed is the straight way less that
            ahead, aside = (then - now) / now - share * product, share * square
            out[own] = -missing - ahead * tip - aside * there
        return out * self._scale

    def drop(self) -> None:
        """See `Correction`: after a refused step no arcs are used."""
        self._ends = []
