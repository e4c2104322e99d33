# SPDX-License-Identifier: GPL-3.0-or-later
"""Where steps of many frames would leave the region of the joint limits, and what they may do instead.

It comes in two forms: one entry for each coordinate and pair that leaves, or arrays over all coordinates.
`joint_limits` has the same for one frame, in plain numbers.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from ..arrays import Array, Index, Mask
from ..model.joint_limits import OUTSIDE, JointLimits


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


def leaving(region: JointLimits, q: Array, dq: Array) -> Bounds | None:
    """What of the step dq would leave the region; None if nothing. q, dq: (n, ...)."""
    flat = region.n, prod(q.shape[1:])
    crossings = crossings_of_many(region, q.reshape(flat), (q + dq).reshape(flat))
    return None if crossings is None else crossings.bounds(region.n, len(region.pairs), q.shape[1:])


def crossings_of_many(region: JointLimits, q: Array, to: Array) -> CrossingsOfMany | None:
    """As `leaving`, for steps of many frames from q to others (n, B), listed by what leaves."""
    if region.boundless:
        return None
    suspects = to < region.sure_low[:, None]
    suspects |= to > region.sure_high[:, None]
    if not suspects.any():
        return None
    # flat, which numpy finds and picks out several times as quickly
    frames = q.shape[1]
    which, frame = np.divmod(suspects.take(region.boxed, 0).ravel().nonzero()[0], frames)
    number = region.boxed.take(which)
    column = number * frames + frame
    limit = np.minimum(np.maximum(to.take(column), region.low.take(number)), region.high.take(number))
    x, z = region.pairs.T
    pair = (suspects.take(x, 0) | suspects.take(z, 0)).ravel().nonzero()[0]
    ends, (point, normal, way) = np.zeros((2, 0), dtype=int), np.zeros((3, 2, 0))
    if len(pair):
        number, frame = np.divmod(pair, frames)
        ends = region.pairs.T.take(number, 1) * frames + frame
        swing = region.swing(to.take(ends), number)
        outside = (swing.measure > OUTSIDE).nonzero()[0]
        pair, ends = pair.take(outside), ends.take(outside, 1)
        point, normal = region.boundary(swing.take(outside))
        way = point - q.take(ends)
    if not len(column) and not len(pair):
        return None
    return CrossingsOfMany(frames, column, limit, limit - q.take(column), pair, ends, point, normal, way)


def landing_of_many(region: JointLimits, to: Array, crossings: CrossingsOfMany) -> Array:
    """Steps that end at to (n, B), put inside in place; `crossings` are those that would leave."""
    crossings.land(to)
    if len(region.open_pairs):
        own = crossings.leaving().nonzero()[0]
        to[:, own] = region.unwound(to.take(own, 1))
    return to
