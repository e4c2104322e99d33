# SPDX-License-Identifier: GPL-3.0-or-later
"""The constants of a drag, each with its unit and its reason."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class DragParameters:
    """See the module.

    Attributes:
        seen: share of the figure's size; an effector that is nearer to its target is seen as there.
        stride: figure sizes; a farther leap of the mouse is followed by so long strides, so that the figure
            comes to the same pose as with a slow mouse; strides: of one leap at most, a limb's reach.
        iterations: of an update while the mouse moves at most: the next update goes on.
        turn_asked: radians that a joint turns about each axis while the mouse moves, unless the hand asks for
            more: a better pose is not leapt to.
        turn: the same while the mouse rests, which the eye can follow.
        still: radians or figure sizes; an update that moves the figure by less has arrived.
        slow: share of `turn` by which the way to a better pose gets shorter in an update at least.
        least_seconds: of a solve at least; for shorter updates than any display has.
        at_rest: iterations of an update while the mouse rests; at_most: of the last one, or one that begins
            anew.
        search_iterations: of an update that solves from the pose before the drag, where the hand rests short.
        gain: share of what is missed that such a solve leaves at most to go on in the next update,
        patience: or so many updates in vain.
        nearer: share of what is missed by which a pose elsewhere is worth going to,
        much_nearer: and by which it must be possible where no pose reaches the target,
        farther: times as far as where that was tried in vain.
    """

    seen: float = 1e-4
    stride: float = 0.1
    strides: int = 8
    iterations: int = 8
    turn_asked: float = math.radians(5.0)
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
