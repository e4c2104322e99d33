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

Where = tuple[npt.NDArray[np.intp], ...]


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

    def edges(self) -> tuple[Where, Array]:
        """Where in (P, ...) pairs leave, and their ways (2, w) to the boundary."""
        where = self.leaving.nonzero()
        return where, self.way.reshape(2, -1)[:, self.leaving.ravel()]


class Exits(NamedTuple):
    """Of many frames, one entry for each coordinate or pair that would leave.

    Attributes:
        columns: where in (n, ...); shift: (c,) their ways to the limit;
        pairs: where in (P, ...); normal, way: (2, w) of each.
    """

    columns: Where
    shift: Array
    pairs: Where
    normal: Array
    way: Array

    def edges(self) -> tuple[Where, Array]:
        """As in `Bounds`."""
        return self.pairs, self.way

    def bounds(self, shape: tuple[int, ...], pairs: int) -> Bounds:
        """The same over all coordinates (n, ...) and pairs."""
        held, shift = np.zeros(shape, dtype=bool), np.zeros(shape)
        shape = (pairs, *shape[1:])
        leaving, normal, way = np.zeros(shape, dtype=bool), np.zeros((2, *shape)), np.zeros((2, *shape))
        held[self.columns], shift[self.columns] = True, self.shift
        leaving[self.pairs] = True
        normal[:, *self.pairs], way[:, *self.pairs] = self.normal, self.way
        return Bounds(held, shift, leaving, normal, way)

    def of_one(self) -> ExitsOfOne:
        """The same for one frame, whose arrays have no frame axis."""
        entries = zip(self.pairs[0].tolist(), *self.normal.tolist(), *self.way.tolist(), strict=True)
        return ExitsOfOne(
            list(zip(self.columns[0].tolist(), self.shift.tolist(), strict=True)), list(entries)
        )

    def frames(self, count: int) -> npt.NDArray[np.bool_]:
        """(B,) which of so many frames leave."""
        out = np.zeros(count, dtype=bool)
        out[self.columns[1]] = out[self.pairs[1]] = True
        return out

    def of(self, frames: npt.NDArray[np.bool_]) -> Exits:
        """Those of some frames (B,), which are numbered anew."""
        if frames.all():
            return self
        number = np.cumsum(frames) - 1
        c, w = frames[self.columns[1]], frames[self.pairs[1]]
        columns = self.columns[0][c], number[self.columns[1][c]]
        pairs = self.pairs[0][w], number[self.pairs[1][w]]
        return Exits(columns, self.shift[c], pairs, self.normal[:, w], self.way[:, w])


class ExitsOfOne(NamedTuple):
    """Of one frame, in plain numbers.

    Attributes:
        columns: (column, way to the limit); pairs: (pair, normal x, z, way x, z).
    """

    columns: list[tuple[int, float]]
    pairs: list[tuple[int, float, float, float, float]]

    def edges(self) -> tuple[Where, Array]:
        """As in `Bounds`."""
        entries = np.array(self.pairs).reshape(-1, 5)
        return (entries[:, 0].astype(int),), entries[:, 3:].T

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
