# SPDX-License-Identifier: GPL-3.0-or-later
"""What the first step of a frame leaves, foreseen from the frame before.

Points move along arcs, and a linear step along their tangents. In a motion that goes on, the errors that the
first step leaves are nearly the same from frame to frame; in one that slows down they shrink with the square
of the step. A first step that aims off by them is of second order, and mostly the only one.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ..rotation import Array
from .iterate import Iterate

_MOST: Final = 4.0
"""Share of the errors before by which the errors may have grown for the two frames to be alike."""


class FirstStep(NamedTuple):
    """The first step of a frame: the scaled errors (k,) that it began with, and how they curved (k,)."""

    error: Array
    curved: Array


class FrameCorrection:
    """See the module, and `driver.Correction`.

    Args:
        before: the first step of the frame before, None if there was none.

    Attributes:
        first: the first step of this frame, None before it is taken.
    """

    def __init__(self, before: FirstStep | None) -> None:
        self._before, self.first = before, None  # type: FirstStep | None, FirstStep | None

    def aside(self, iterate: Iterate) -> Array | None:
        """See `Correction`."""
        before, self._before = self._before, None
        if before is None or len(before.error) != len(iterate.error):
            return None
        size = float(before.error.dot(before.error))
        share = float(iterate.error.dot(before.error)) / size if size > 0.0 else 0.0
        return share * share * before.curved if 0.0 < share < _MOST else None

    def learn(self, iterate: Iterate, dq: Array, trial: Iterate) -> None:
        """See `Correction`."""
        if self.first is None:
            self.first = FirstStep(iterate.error, trial.error - iterate.error - iterate.jacobian.dot(dq))

    def drop(self) -> None:
        """See `Correction`."""
