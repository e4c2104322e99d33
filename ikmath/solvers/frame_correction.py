# SPDX-License-Identifier: GPL-3.0-or-later
"""The error that the first step of a frame leaves, predicted from the frame before.

Points move along arcs, and a linear step along their tangents. In a motion that goes on, the errors that the
first step leaves are nearly the same from frame to frame; in one that slows down they shrink with the square
of the step. A first step that allows for them converges to second order and is mostly the only one.
"""

from typing import Final, NamedTuple

from ..rotation import Array
from .iterate import Iterate
from .step_model import Correction

_MOST: Final = 4.0  # share of the errors before by which the errors may have grown for two frames to be alike
_STEADY: Final = 0.5  # share of what a step left by which it may differ from the prediction


class FirstStep(NamedTuple):
    """The first step of a frame."""

    error: Array  # (k,) scaled, that it began with
    left: Array  # (k,) that it left, or would have left without the correction
    steady: bool  # whether the prediction held, so that the next frame may use it


class FrameCorrection(Correction):
    """See the module, and `Correction`.

    Args:
        before: the first step of the frame before, None if there was none.
        damping: of the first step of this one.

    Attributes:
        first: the first step of this frame, None before it is taken.
    """

    def __init__(self, before: FirstStep | None, damping: float) -> None:
        self._before, self.damping = before, damping
        self._foreseen: Array | None = None
        self._aside: Array | None = None
        self.first: FirstStep | None = None

    def aside(self, iterate: Iterate) -> Array | None:
        """See `Correction`."""
        before, self._before = self._before, None
        if before is None or len(before.error) != len(iterate.error):
            return None
        size = float(before.error.dot(before.error))
        share = float(iterate.error.dot(before.error)) / size if size > 0.0 else 0.0
        if 0.0 < share < _MOST:
            self._foreseen = share * share * before.left
            self._aside = self._foreseen if before.steady else None
        return self._aside

    def learn(self, iterate: Iterate, trial: Iterate) -> None:
        """See `Correction`."""
        if self.first is None:
            left = trial.error if self._aside is None else trial.error + self._aside
            away = left if self._foreseen is None else left - self._foreseen
            steady = float(away.dot(away)) < _STEADY * _STEADY * float(left.dot(left))
            self.first = FirstStep(iterate.error, left, steady)

    def drop(self) -> None:
        """See `Correction`: the step is repeated without a correction."""
        self._aside = None
