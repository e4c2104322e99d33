# SPDX-License-Identifier: GPL-3.0-or-later
"""The constants of a drag, with units and reasons."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class DragParameters:
    """Constants of `DragSolver`.

    Attributes:
        seen: share of the figure's size; an effector with a smaller error counts as at its target.
        stride: figure sizes; a larger jump of the mouse is split into steps of this length, so that the pose
            is the same as with a slow mouse.
        strides: maximum number of these steps; together they cover a limb's reach.
        iterations: maximum for an update while the mouse moves; the next update continues.
        turn: radians, largest rotation of a joint about each axis in an update towards a better pose, slow
            enough to follow by eye.
        still: radians or figure sizes; after an update with less motion the figure has arrived.
        slow: share of `turn`, smallest progress per update towards a better pose.
        least_seconds: minimum time limit of a solve, for updates faster than any display.
        at_rest: maximum iterations of an update while the mouse rests.
        at_most: the same for the last update, or one that starts again.
        search_iterations: maximum iterations of an update that solves from the pose before the drag, if the
            resting target is not reached.
        gain: share of the error; such a solve continues in the next update if it has less than this left,
        patience: or for this number of updates without that.
        nearer: share of the error that the other pose must be below to be used.
        much_nearer: the same for the lower bound of the error, if no pose reaches the target.
        farther: factor by which the error must exceed that of the last failed attempt.
    """

    seen: float = 1e-4
    stride: float = 0.1
    strides: int = 8
    iterations: int = 8
    turn: float = math.radians(2.5)
    still: float = 1e-3
    slow: float = 0.2
    least_seconds: float = 4e-3
    at_rest: int = 24
    at_most: int = 60
    search_iterations: int = 32
    gain: float = 0.98
    patience: int = 3
    nearer: float = 0.9
    much_nearer: float = 0.5
    farther: float = 1.5


DEFAULTS = DragParameters()
