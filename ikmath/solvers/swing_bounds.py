# SPDX-License-Identifier: GPL-3.0-or-later
"""Swing regions as plain bounds.

A swing region is curved and holds two coordinates together, while the step's problem knows bounds of single
ones. Where a pair is at its boundary, its two coordinates are told along the boundary's normal and along its
tangent; then the region is an upper bound of the first.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..linalg.lexicographic import Working
from ..rotation import Array


class SwingBounds:
    """Swing pairs told along and across their boundary, so that their regions become bounds like all others.

    Args:
        columns: (w, 2) columns (x, z) of the pairs; normal: (2, w) outward; way: (w,) room along the normal;
        metric: (n,) units of the scaled coordinates.
    """

    def __init__(self, columns: npt.NDArray[np.intp], normal: Array, way: Array, metric: Array) -> None:
        self.x, self.z = columns[:, 0], columns[:, 1]
        if not len(columns):
            return
        across = normal * metric[columns.T]
        length = np.sqrt((across * across).sum(0))
        self.c, self.s = across / length
        self.room = way / length

    def rows(self, array: Array) -> Array:
        """Columns x, z of (k, n) -> along the normal, along the tangent."""
        if not len(self.x):
            return array
        out = array.copy()
        x, z = array[:, self.x], array[:, self.z]
        out[:, self.x], out[:, self.z] = x * self.c + z * self.s, z * self.c - x * self.s
        return out

    def back(self, x: Array) -> Array:
        """(n,) along and across -> the coordinates."""
        if not len(self.x):
            return x
        out = x.copy()
        n, t = x[self.x], x[self.z]
        out[self.x], out[self.z] = n * self.c - t * self.s, n * self.s + t * self.c
        return out

    def bounds(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """The bounds with the pairs' room along their normals."""
        if not len(self.x):
            return lower, upper
        upper = upper.copy()
        upper[self.x] = np.maximum(self.room, 0.0)
        return lower, upper

    def warm(self, working: list[Working], pairs: npt.NDArray[np.intp]) -> list[Working]:
        """Working sets of the step before, without the pairs that are no longer at their boundary."""
        if not working or not len(pairs):
            return working
        now = np.zeros(len(working[0].bounds), dtype=bool)
        now[self.x] = True
        gone = pairs[:, 0][~now[pairs[:, 0]]]
        if not any(held.bounds[gone].any() for held in working):
            return working
        copies = [Working(held.bounds.copy(), held.rows) for held in working]
        for held in copies:
            held.bounds[gone] = 0
        return copies


def merge(
    pairs: npt.NDArray[np.intp],
    normal: Array,
    way: Array,
    leaving: npt.NDArray[np.bool_],
    n: Array,
    to: Array,
) -> tuple[npt.NDArray[np.intp], Array, Array]:
    """The pairs at their boundary with those that would leave put in, or told anew."""
    new = leaving.nonzero()[0]
    stay = ~leaving[pairs]
    room = (n[:, new] * to[:, new]).sum(0)
    return (
        np.concatenate([pairs[stay], new]),
        np.concatenate([normal[:, stay], n[:, new]], 1),
        np.concatenate([way[stay], room]),
    )
