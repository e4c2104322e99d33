# SPDX-License-Identifier: GPL-3.0-or-later
"""What a straight step to a place will miss, because a limb swings there on an arc.

Seen from where a limb is held, its tip goes to a target by turning and by bending: in polar coordinates, an
angle and a distance. A step along the tangent in Cartesian ones is longer than the arc and overshoots. Steps
that are best in polar coordinates are half as many, and hardly one of them overshoots (measured: a trunk of
thirty balls takes 2.7 to a target instead of 5). It is Ki & Sheen's smooth path (section 3), on which the
distance from the centre changes evenly while the direction turns.
"""

from __future__ import annotations

from math import atan2, sqrt
from typing import Final

import numpy as np

from ....goals import Position
from ....problem.problem import Problem
from ....rotation import Array
from ...limbs.arithmetic import Vector
from .standing import State

_NEAR: Final = 1e-3  # figure sizes from where a limb is held within which there is no angle to speak of;
# nothing reaches farther than one, and who only stretches is better off straight on
_HELPS: Final = 0.9  # share of the squared error that a step must get below for arcs to be followed on
_NO_TURN: Final = 1e-9  # sine of an angle that is none


class Arcs:
    """The arcs of one solve's effectors.

    Args:
        problem: of one frame. Of its goals whole places count, on limbs that are held by what cannot slide.
    """

    def __init__(self, problem: Problem) -> None:
        skeleton, self._length = problem.skeleton, problem.length
        self._scale, self._before = problem.stack.scale, np.inf
        self._ends: list[tuple[int, int, Vector]] = []  # first row, joint where it is held, target
        row = 0
        for goal in problem.tasks:
            if isinstance(goal, Position) and goal.plain and not goal.points(skeleton).cuts:
                moved = goal.points(skeleton).moved
                held = skeleton.owner.take(moved.argmax(0)).tolist()
                slides = (moved & ~skeleton.is_turn[:, None]).any(0).tolist()
                turned = moved.any(0).tolist()
                for e, (x, y, z) in enumerate(goal.target.tolist()):
                    if turned[e] and not slides[e]:
                        self._ends.append((row + 3 * e, held[e], (x, y, z)))
            row += goal.effectors * goal.rows

    def sag(self, state: State) -> Array | None:
        """(k,) by how much the scaled errors understate what a step has to do, None for not at all.

        So it is where steps along arcs do not help.
        """
        cost = sum(state.costs)
        if not self._ends or cost > _HELPS * self._before:
            self._before = 0.0
            return None
        self._before = cost
        sag = np.zeros(len(state.scaled))
        for row, joint, target in self._ends:
            away = state.rows.error[row : row + 3].tolist()
            held = state.pose.position[joint].tolist()
            missed = _missed(
                (target[0] - held[0], target[1] - held[1], target[2] - held[2]), away, self._length
            )
            if missed is not None:
                sag[row : row + 3] = missed
        sag *= self._scale
        return sag


def _missed(target: Vector, away: list[float], size: float) -> Vector | None:
    """The straight way to a target less the tangent of the arc there, as seen from the centre of the arc.

    Args:
        target: from the centre; away: from the target to the tip; size: of the figure.

    Returns:
        None where there is no arc: too near to the centre, out of reach, or straight ahead.
    """
    (tx, ty, tz), (ax, ay, az) = target, away
    x, y, z = tx + ax, ty + ay, tz + az
    square, product = x * x + y * y + z * z, x * tx + y * ty + z * tz
    now, then = sqrt(square), sqrt(tx * tx + ty * ty + tz * tz)
    if min(now, then) < _NEAR * size or then > size:
        return None
    cx, cy, cz = y * tz - z * ty, z * tx - x * tz, x * ty - y * tx
    across = sqrt(cx * cx + cy * cy + cz * cz)
    if across < _NO_TURN * now * then:
        return None
    share = atan2(across, product) / across
    # the tangent is `ahead * tip + aside * target`
    ahead, aside = (then - now) / now - share * product, share * square
    return -ax - ahead * x - aside * tx, -ay - ahead * y - aside * ty, -az - ahead * z - aside * tz
