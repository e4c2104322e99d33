# SPDX-License-Identifier: GPL-3.0-or-later
"""Directions with a prescribed motion: a step moves along them as given, and solves for all others.

`measure` gives how far a step goes along a direction. In a metric W the direction moves the coordinates by W
times that. The product of both is 1; different directions are apart.
"""

from typing import NamedTuple

import numpy as np

from ..arrays import Index
from ..rotation import Array


class HeldOfOne(NamedTuple):
    """Of one frame.

    Attributes:
        measure: (h, n), see the module; way: (h,) how far they are to go;
        metric: (n,) diagonal of W, or None.
    """

    measure: Array
    way: Array
    metric: Array | None

    def out_of(self, rows: Array) -> tuple[Array, Array]:
        """Rows (k, n) without the directions, and the effect (k,) of their prescribed motion on the rows."""
        columns = rows.T
        moved = self.measure.dot(columns if self.metric is None else columns * self.metric[:, None])
        return (columns - self.measure.T.dot(moved)).T, self.way.dot(moved)

    def keep(self, step: Array) -> Array:
        """The step (n,) with the prescribed motion along the directions."""
        short = (self.way - self.measure.dot(step)).dot(self.measure)
        return np.asarray(step + (short if self.metric is None else short * self.metric))


class HeldOfMany(NamedTuple):
    """Of many frames; here a direction moves one coordinate or two.

    Attributes:
        first: (h,) a coordinate of each; second: (h',) the other of those that have two, which come last;
        along, measure: (h, B) and (h', B) of these coordinates, 0 in frames that do not hold them: how they
            are moved, and see the module;
        way: (h, B) how far they are to go.
    """

    first: Index
    second: Index
    along: tuple[Array, Array]
    measure: tuple[Array, Array]
    way: Array

    def gone(self, step: Array) -> Array:
        """(h, B) how far steps (n, B) go along the directions."""
        out = step.take(self.first, 0)
        out *= self.measure[0]
        if len(self.second):
            out[-len(self.second) :] += step.take(self.second, 0) * self.measure[1]
        return out

    def keep(self, step: Array) -> Array:
        """Steps (n, B), in place, with the prescribed motion along the directions."""
        short, lone = self.way - self.gone(step), len(self.first) - len(self.second)
        step[self.first[:lone]] += short[:lone] * self.along[0][:lone]  # apart: of a pair that is held
        step[self.first[lone:]] += short[lone:] * self.along[0][lone:]  # altogether in other frames
        step[self.second] += short[lone:] * self.along[1]
        return step
