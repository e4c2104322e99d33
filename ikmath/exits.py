# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a step would leave the region of the joint limits, and what it may do instead.

`region` tells it in the form that suits who asks: one entry for each coordinate and pair that leaves, in
plain numbers for one frame and in arrays for many, or as arrays over all coordinates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .rotation import Array


class Bounds(NamedTuple):
    """Over all coordinates; frames innermost, if there are many.

    Attributes:
        held: (n, ...) bool, interval coordinates that would leave; shift: (n, ...) their way to the limit,
            else 0.
        leaving: (P, ...) bool, swing pairs that would leave; normal: (2, P, ...) unit, outward at the
            boundary point, 0 for pairs that stay; way: (2, P, ...) from where they are to the boundary point,
            else 0.
    """

    held: npt.NDArray[np.bool_]
    shift: Array
    leaving: npt.NDArray[np.bool_]
    normal: Array
    way: Array

    def frames(self) -> npt.NDArray[np.bool_]:
        """(B,) in which of many frames something leaves."""
        return np.asarray(self.held.any(0) | self.leaving.any(0))

    def take(self, frames: npt.NDArray[np.intp]) -> Bounds:
        """Those of some of many frames."""
        held, leaving = self.held.take(frames, 1), self.leaving.take(frames, 1)
        normal, way = self.normal.take(frames, 2), self.way.take(frames, 2)
        return Bounds(held, self.shift.take(frames, 1), leaving, normal, way)

    def of_one(self) -> ExitsOfOne:
        """The same for one frame, told by what leaves."""
        columns, pairs = self.held.nonzero()[0], self.leaving.nonzero()[0]
        normal, way = self.normal[:, pairs].tolist(), self.way[:, pairs].tolist()
        return ExitsOfOne(
            list(zip(columns.tolist(), self.shift[columns].tolist(), strict=True)),
            list(zip(pairs.tolist(), *normal, *way, strict=True)),
        )


class Edge(NamedTuple):
    """Where a swing pair stands at the boundary of its region: outward unit normal, room along it."""

    x: float
    z: float
    room: float


class ExitsOfOne(NamedTuple):
    """Of one frame, in plain numbers.

    Attributes:
        columns: (column, way to the limit); pairs: (pair, normal x, z, way x, z).
    """

    columns: list[tuple[int, float]]
    pairs: list[tuple[int, float, float, float, float]]

    def crossed(self) -> dict[int, Edge]:
        """The edges of the pairs that would leave."""
        return {pair: Edge(u, v, u * a + v * b) for pair, u, v, a, b in self.pairs}

    def off(self, dq: Array, pairs: list[tuple[int, int]]) -> float:
        """How much of the step dq (n,) it takes, of a coordinate at most, to end it on the boundary.

        Args:
            dq: the step; pairs: columns of the region's swing pairs.
        """
        step: list[float] = dq.tolist()
        off = [abs(way - step[column]) for column, way in self.columns]
        for pair, _, _, a, b in self.pairs:
            x, z = pairs[pair]
            off += abs(a - step[x]), abs(b - step[z])
        return max(off)

    def edges(self) -> tuple[npt.NDArray[np.intp], Array]:
        """Which pairs leave, and their ways (2, w) to the boundary."""
        entries = np.array(self.pairs).reshape(-1, 5)
        return entries[:, 0].astype(int), entries[:, 3:].T

    def bounds(self, n: int, pairs: int) -> Bounds:
        """The same over all coordinates and pairs."""
        held, shift = np.zeros(n, dtype=bool), np.zeros(n)
        leaving, normal, way = np.zeros(pairs, dtype=bool), np.zeros((2, pairs)), np.zeros((2, pairs))
        for column, along in self.columns:
            held[column], shift[column] = True, along
        for pair, u, v, a, b in self.pairs:
            leaving[pair] = True
            normal[0, pair], normal[1, pair], way[0, pair], way[1, pair] = u, v, a, b
        return Bounds(held, shift, leaving, normal, way)
