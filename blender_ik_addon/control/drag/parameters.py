# SPDX-License-Identifier: GPL-3.0-or-later
"""The constants of a drag, each with its unit and its reason."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class DragParameters:
    """See the module.

    Attributes:
        least_seconds: of an update at least, as the solver takes no time of zero.
        turn: radians that a joint turns about each axis in an update while the mouse rests: the eye can
            follow.
        slow: share of that by which the way to a better pose gets shorter in an update at least.
        still: radians or figure sizes; an update that moves the figure by less has arrived.
        nearer: share of what is missed by which a pose elsewhere is worth going to,
        much_nearer: and by which it must be possible where no pose reaches the target,
        farther: times as far as where that was tried in vain.
        pieces: updates that a solve from elsewhere may take.
    """

    seen: float = 1e-4
    iterations: int = 8
    least_seconds: float = 4e-3
    turn_asked: float = math.radians(5.0)
    turn: float = math.radians(2.5)
    slow: float = 0.2
    still: float = 0.001
    nearer: float = 0.9
    much_nearer: float = 0.5
    farther: float = 1.5
    pieces: int = 60


DEFAULTS = DragParameters()
