# SPDX-License-Identifier: GPL-3.0-or-later
"""Swing regions as plain bounds.

A swing region is curved and holds two coordinates together, while the step's problem knows bounds of single
ones. Where a pair is at its boundary, its two coordinates are told along the boundary's normal and along its
tangent; then the region is an upper bound of the first.
"""

from __future__ import annotations

import math

import numpy as np

from ....model.limit_crossings import Edge
from ....rotation import Array


class SwingBounds:
    """Swing pairs told along and across their boundary, so that their regions become bounds like all others.

    Args:
        edges: where pairs stand at their boundary; columns: (x, z) of all pairs of the region;
        metric: (n,) units of the scaled coordinates.
    """

    def __init__(self, edges: dict[int, Edge], columns: list[tuple[int, int]], metric: list[float]) -> None:
        self.columns: list[int] = []  # x, z of one pair after the other
        self.room: list[float] = []
        self._turn = turn = np.zeros((2 * len(edges), 2 * len(edges)))
        for pair, edge in edges.items():
            x, z = columns[pair]
            across, along = edge.x * metric[x], edge.z * metric[z]
            length = math.sqrt(across * across + along * along)
            first = len(self.columns)
            turn[first, first] = turn[first + 1, first + 1] = across / length
            turn[first, first + 1], turn[first + 1, first] = along / length, -along / length
            self.columns += x, z
            self.room.append(max(edge.room / length, 0.0))

    def along(self, columns: Array) -> Array:
        """Columns x, z of (n, k) or (n,), the coordinates first -> along the normal, along the tangent."""
        if not self.columns:
            return columns
        out = columns.copy()
        out[self.columns] = self._turn.dot(columns.take(self.columns, 0))
        return out

    def back(self, x: Array) -> Array:
        """(n,) along and across -> the coordinates."""
        if not self.columns:
            return x
        out = x.copy()
        out[self.columns] = x.take(self.columns).dot(self._turn)
        return out

    def upper(self, upper: Array) -> Array:
        """The upper bounds with the pairs' room along their normals."""
        if not self.columns:
            return upper
        out = upper.copy()
        out[self.columns[::2]] = self.room
        return out
