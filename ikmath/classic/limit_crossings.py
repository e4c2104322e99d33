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
from ..model.swing import ALMOST, EDGE, NARROW


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
        """(B,) in which frames ending inside takes more than `most` (n, B) off a coordinate of to (n, B)."""
        out = np.zeros(self.frames, dtype=bool)
        for inside, at in ((self.limit, self.column), (self.point, self.ends)):
            out[at[np.abs(inside - to.take(at)) > most.take(at)] % self.frames] = True
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
        swing = _swing(region, to.take(ends), number)
        outside = (swing.measure > OUTSIDE).nonzero()[0]
        pair, ends = pair.take(outside), ends.take(outside, 1)
        point, normal = _boundary(region, swing.take(outside))
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


class Swing(NamedTuple):
    """Swings of w pairs."""

    measure: Array  # (w,) 1 on the boundary
    pairs: Index  # (w,)
    radii: Array  # (2, w) sines from the centre, in radii of the sides where they lie
    sine: Array  # (2, w) the same as they are
    scale: Array  # (2, w) reciprocal radii

    def take(self, which: Index) -> Swing:
        """Some of the pairs."""
        pairs, others = self.pairs.take(which), (array.take(which, 1) for array in self[2:])
        return Swing(self.measure.take(which), pairs, *others)


def _swing(region: JointLimits, v: Array, pairs: Index) -> Swing:
    """Half-angle sines and measure of turns v (2, w) of the given pairs (w,)."""
    t = np.sqrt(v[0] * v[0] + v[1] * v[1])
    t += 1e-150
    # beyond half a turn the sine falls again; there the turn itself goes on measuring
    ratio = np.where(t < np.pi, np.sin(0.5 * t) / t, 1.0 / np.pi)
    s = v * ratio - region.centre.take(pairs, 1)
    scale = np.where(s < 0, region.inverse[0].take(pairs, 1), region.inverse[1].take(pairs, 1))
    w = s * scale
    measure = np.sqrt(w[0] * w[0] + w[1] * w[1])
    return Swing(np.maximum(measure, t * region.half_turn.take(pairs)), pairs, w, s, scale)


def _boundary(region: JointLimits, swing: Swing) -> tuple[Array, Array]:
    """The boundary point of swings near or beyond it, and the outward unit normal there, (2, w) each.

    Each sine goes to its own limit first, then both along the ray.
    """
    _, pairs, w, s, scale = swing
    most = np.where(scale < 1.0 / NARROW, 1.0, EDGE)
    w = np.minimum(np.maximum(w, -most), most)
    w *= (1.0 - 1e-15) / np.sqrt(np.maximum(w[0] * w[0] + w[1] * w[1], 1.0))
    way = np.where(scale > 0, w / np.maximum(scale, 1e-300), s)
    centre = region.centre.take(pairs, 1)
    s = centre + way
    square = s[0] * s[0] + s[1] * s[1]
    if square.max(initial=0.0) > 1.0:  # beyond half a turn: back towards the centre, so as to stay inside
        a, b = (way * way).sum(0), (centre * way).sum(0)
        share = (np.sqrt(b * b + a * (1.0 - (centre * centre).sum(0))) - b) / np.maximum(a, 1e-300)
        s = np.where(square > 1.0, centre + share * way, s)
        square = np.minimum(s[0] * s[0] + s[1] * s[1], 1.0)
    length = np.sqrt(np.maximum(square, 1e-24))
    factor = 2.0 * np.arcsin(length) / length  # v = S t / sin(t/2), t = 2 asin |S|
    # the measure's gradient by S, then through S(v) = sin(t/2)/t v, up to its length
    normal = scale * w
    along = 0.5 * factor * np.sqrt(np.maximum(1.0 - square, 0.0)) - 1.0
    along *= normal[0] * s[0] + normal[1] * s[1]
    along /= length * length
    normal += along * s
    normal /= np.maximum(np.sqrt(normal[0] * normal[0] + normal[1] * normal[1]), 1e-300)
    at_half_turn = (region.half_turn.take(pairs) > 0.0) & (length > ALMOST)
    if at_half_turn.any():
        normal = np.where(at_half_turn, s, normal)
        factor = np.where(at_half_turn, factor * ALMOST, factor)
    return s * factor, normal
