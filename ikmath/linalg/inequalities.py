# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounds and inequality rows of a least-squares problem, and which of them hold its optimum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..arrays import Array, Index

Signs = npt.NDArray[np.int8]

FEASIBLE: Final = 1e-11
STEP: Final = 1e-13  # movement that counts as none
_NOWHERE: Final = np.empty(0, dtype=np.intp), np.empty(0)
_NO_ROWS, _NO_LEAST = np.empty((0, 0)), np.empty(0)
_AT: Final = 1e-3  # distance at which x = 0 stands at a side


@dataclass(slots=True)
class Working:
    """Which inequalities hold a level: -1 at the lower side, 1 at the upper, 0 free.

    Attributes:
        bounds: (n,) of the coordinates; rows: (p,) of the inequality rows, -1 or 0.
    """

    bounds: Signs
    rows: Signs


class Box:
    """The inequalities of a problem; what is within rounding of a side counts as inside.

    Attributes:
        lower, upper: (n,) bounds; rows, least: (p, n) and (p,), none if not given;
        nothing: the working set that holds nothing.
    """

    def __init__(self, lower: Array, upper: Array, rows: Array | None, least: Array | None) -> None:
        self.lower, self.upper = lower, upper
        self.rows, self.least = (_NO_ROWS, _NO_LEAST) if rows is None or least is None else (rows, least)
        self._asked: Signs | None = None
        self._sides: tuple[Index, Array] = _NOWHERE
        self._below, self._above = lower - FEASIBLE, upper + FEASIBLE
        self.nothing = Working(np.zeros(len(lower), dtype=np.int8), np.zeros(len(self.least), dtype=np.int8))

    def violated(self, x: Array) -> tuple[Signs, Signs]:
        """Bounds (-1 below, 1 above) and rows (-1) that x breaks."""
        bounds: Signs = (x > self._above).view(np.int8) - (x < self._below).view(np.int8)
        if not len(self.least):
            return bounds, self.nothing.rows
        return bounds, -(self.rows.dot(x) < self.least - FEASIBLE).view(np.int8)

    def sides(self, bounds: Signs) -> tuple[Index, Array]:
        """Which coordinates the bounds hold (h,), and where (h,); asked again, it is known."""
        if self._asked is not bounds:
            self._asked, held = bounds, bounds.nonzero()[0]
            at = self.lower.take(held)
            if len(held):
                at = np.where(bounds.take(held) > 0, self.upper.take(held), at)
            self._sides = held, at
        return self._sides

    def onto_sides(self, x: Array, bounds: Signs) -> Array:
        """X (n,) with what is held at its side."""
        return np.where(bounds == 0, x, np.where(bounds > 0, self.upper, self.lower))

    def start(self, given: Working) -> Working:
        """A working set without sides that x = 0 does not stand at: they moved, or are gone."""
        held, at = self.sides(given.bounds)
        gone = held[np.abs(at) > _AT] if len(held) else held
        if not len(gone):
            return given
        bounds = given.bounds.copy()
        bounds[gone] = 0
        return Working(bounds, given.rows)


def blocking(box: Box, held: Working, x: Array, step: Array) -> tuple[float, int, int]:
    """How far (1 is all) the step may go, which free inequality stops it, on which side (0 for a row)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.where((held.bounds == 0) & (step > STEP), (box.upper - x) / step, np.inf)
        down = np.where((held.bounds == 0) & (step < -STEP), (box.lower - x) / step, np.inf)
    reach, blocking, side = 1.0, -1, 0
    for ratios, name in ((up, 1), (down, -1)):
        index = int(np.argmin(ratios))
        if ratios[index] < reach:
            reach, blocking, side = max(float(ratios[index]), 0.0), index, name
    if len(box.least):
        slope = box.rows.dot(step)
        room = box.rows.dot(x) - box.least
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where((held.rows == 0) & (slope < -STEP), -room / slope, np.inf)
        index = int(np.argmin(ratios))
        if ratios[index] < reach:
            reach, blocking, side = max(float(ratios[index]), 0.0), index, 0
    return reach, blocking, side
