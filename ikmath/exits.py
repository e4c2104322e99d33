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

Index = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


class Bounds(NamedTuple):
    """Over all coordinates; frames innermost, if there are many.

    Attributes:
        held: (n, ...) bool, interval coordinates that would leave; shift: (n, ...) their way to the limit,
            else 0.
        leaving: (P, ...) bool, swing pairs that would leave; normal: (2, P, ...) unit, outward at the
            boundary point, 0 for pairs that stay; way: (2, P, ...) from where they are to the boundary point,
            else 0.
    """

    held: Mask
    shift: Array
    leaving: Mask
    normal: Array
    way: Array


class ExitsOfMany(NamedTuple):
    """What leaves in many frames, one entry after the other.

    Attributes:
        frames: B.
        column: (a,) interval coordinates, where they stand in (n, B) flat; limit, way: (a,) its, and to it.
        pair: (w,) swing pairs, where they stand in (P, B) flat; ends: (2, w) their coordinates, as `column`;
        point: (2, w) of the boundary; normal: (2, w) unit, outward there; pair_way: (2, w) to the point.
    """

    frames: int
    column: Index
    limit: Array
    way: Array
    pair: Index
    ends: Index
    point: Array
    normal: Array
    pair_way: Array

    def leaving(self) -> Mask:
        """(B,) in which of the frames something leaves."""
        out = np.zeros(self.frames, dtype=bool)
        out[self.column % self.frames] = True
        out[self.pair % self.frames] = True
        return out

    def beyond(self, to: Array, most: Array) -> Mask:
        """(B,) in which frames ending inside takes more than `most` off a coordinate of to (n, B).

        Args:
            to: where the steps end; most: (B,), or (n, B) for each coordinate, see `Region.largest`.
        """
        out = np.zeros(self.frames, dtype=bool)
        for inside, at in ((self.limit, self.column), (self.point, self.ends)):
            frame = at % self.frames
            out[frame[np.abs(inside - to.take(at)) > most.take(at if most.ndim > 1 else frame)]] = True
        return out

    def land(self, to: Array) -> None:
        """Put steps that end at to (n, B) inside, in place."""
        flat = to.reshape(-1)
        flat[self.column], flat[self.ends] = self.limit, self.point

    def of(self, frames: Index) -> ExitsOfMany:
        """Those of some of the frames."""
        place = np.full(self.frames, -1)
        place[frames] = np.arange(len(frames))

        def moved(at: Index) -> Index:
            number, frame = np.divmod(at, self.frames)
            return np.asarray(number * len(frames) + place.take(frame))

        column = (place.take(self.column % self.frames) >= 0).nonzero()[0]
        pair = (place.take(self.pair % self.frames) >= 0).nonzero()[0]
        return ExitsOfMany(
            len(frames),
            moved(self.column.take(column)),
            self.limit.take(column),
            self.way.take(column),
            moved(self.pair.take(pair)),
            moved(self.ends.take(pair, 1)),
            self.point.take(pair, 1),
            self.normal.take(pair, 1),
            self.pair_way.take(pair, 1),
        )

    def of_one(self, to: Array) -> ExitsOfOne:
        """The same where there is but one frame, of a step that ends at to (n,)."""
        where, inside = np.append(self.column, self.ends), np.append(self.limit, self.point)
        return ExitsOfOne(
            list(zip(self.column.tolist(), self.way.tolist(), strict=True)),
            list(zip(self.pair.tolist(), *self.normal.tolist(), *self.pair_way.tolist(), strict=True)),
            list(zip(where.tolist(), inside.tolist(), strict=True)),
            float(np.abs(inside - to.take(where)).max()),
        )

    def bounds(self, n: int, pairs: int, batch: tuple[int, ...]) -> Bounds:
        """The same over all coordinates, pairs and frames."""
        shift, (normal, way) = np.zeros((n, *batch)), np.zeros((2, 2, pairs, *batch))
        held, leaving = np.zeros(shift.shape, dtype=bool), np.zeros((pairs, *batch), dtype=bool)
        held.ravel()[self.column], shift.ravel()[self.column] = True, self.way
        leaving.ravel()[self.pair] = True
        normal.reshape(2, -1)[:, self.pair], way.reshape(2, -1)[:, self.pair] = self.normal, self.pair_way
        return Bounds(held, shift, leaving, normal, way)


class Edge(NamedTuple):
    """Where a swing pair stands at the boundary of its region: outward unit normal, room along it."""

    x: float
    z: float
    room: float


class ExitsOfOne(NamedTuple):
    """Of one frame, in plain numbers.

    Attributes:
        columns: (column, way to the limit); pairs: (pair, normal x, z, way x, z);
        ends: (column, where it ends inside) of both;
        off: how much of the step that takes, of a coordinate at most.
    """

    columns: list[tuple[int, float]]
    pairs: list[tuple[int, float, float, float, float]]
    ends: list[tuple[int, float]]
    off: float

    def beyond(self, to: Array, most: Array) -> bool:
        """Whether ending inside takes more than `most`, one number or (n,), off a coordinate of to (n,)."""
        if not most.ndim:
            return bool(self.off > most)
        return any(abs(inside - to[column]) > most[column] for column, inside in self.ends)

    def land(self, to: Array) -> None:
        """Put a step that ends at to (n,) inside, in place."""
        for column, inside in self.ends:  # a few: sooner than by numpy
            to[column] = inside

    def crossed(self) -> dict[int, Edge]:
        """The edges of the pairs that would leave."""
        return {pair: Edge(u, v, u * a + v * b) for pair, u, v, a, b in self.pairs}

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
