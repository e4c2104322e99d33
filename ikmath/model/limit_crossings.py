# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a step would leave the region of the joint limits, and the motion that is left.

`joint_limits` returns it in three forms: one entry for each coordinate and pair that leaves, in plain numbers
for one frame or in arrays for many, or arrays over all coordinates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, Index, Mask


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


class CrossingsOfMany(NamedTuple):
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
            to: where the steps end; most: (B,), or (n, B) for each coordinate, see `JointLimits.slight`.
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

    def bounds(self, n: int, pairs: int, batch: tuple[int, ...]) -> Bounds:
        """The same over all coordinates, pairs and frames."""
        shift, (normal, way) = np.zeros((n, *batch)), np.zeros((2, 2, pairs, *batch))
        held, leaving = np.zeros(shift.shape, dtype=bool), np.zeros((pairs, *batch), dtype=bool)
        held.ravel()[self.column], shift.ravel()[self.column] = True, self.way
        leaving.ravel()[self.pair] = True
        normal.reshape(2, -1)[:, self.pair], way.reshape(2, -1)[:, self.pair] = self.normal, self.pair_way
        return Bounds(held, shift, leaving, normal, way)


class BoundaryTangent(NamedTuple):
    """Where a swing pair stands at the boundary of its region: outward unit normal, room along it."""

    x: float
    z: float
    room: float


class CrossingsOfOne(NamedTuple):
    """Of one frame, in plain numbers.

    Attributes:
        columns: (column, its limit);
        pairs: (pair, columns of x and z, (point of the boundary x, z, unit normal x, z, outward there)).
    """

    columns: list[tuple[int, float]]
    pairs: list[tuple[int, int, int, tuple[float, float, float, float]]]

    def ends(self) -> list[tuple[int, float]]:
        """(column, where it ends inside) of both."""
        ends = self.columns.copy()
        for _, x, z, (a, b, _, _) in self.pairs:
            ends += (x, a), (z, b)
        return ends

    def beyond(self, to: Array, most: Array) -> bool:
        """Whether ending inside takes more than `most`, one number or (n,), off a coordinate of to (n,)."""
        there, allowed = to.item, most.item
        if not most.ndim:
            single = allowed()
            return any(abs(inside - there(column)) > single for column, inside in self.ends())
        return any(abs(inside - there(column)) > allowed(column) for column, inside in self.ends())

    def land(self, to: Array) -> None:
        """Put a step that ends at to (n,) inside, in place."""
        for column, inside in self.ends():  # a few: sooner than by numpy
            to[column] = inside

    def crossed(self, q: Array, to: Array, most: Array) -> list[tuple[int, BoundaryTangent]]:
        """The edges of pairs for which ending inside takes more than `most` off, from q; see `beyond`."""
        there = np.broadcast_to(most, to.shape).item
        return [
            (pair, BoundaryTangent(u, v, u * (a - q.item(x)) + v * (b - q.item(z))))
            for pair, x, z, (a, b, u, v) in self.pairs
            if abs(a - to.item(x)) > there(x) or abs(b - to.item(z)) > there(z)
        ]
