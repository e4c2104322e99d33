# SPDX-License-Identifier: GPL-3.0-or-later
"""The region that joint limits leave to the coordinates: intervals, and Blender's swing ellipses.

Slides, twists and single turns have intervals. Where a joint is free in both swing turns x and z, its limits
bound them together, as in Blender's own inverse kinematics (measured there, not guessed): with
`S = sin(t/2)/t * (x, z)`, `t = |(x, z)|`, the vector part of the swing quaternion, and `r = sin(limit/2)` on
the side where S lies,

    (S.x / r.x)^2 + (S.z / r.z)^2 <= 1          four quarter ellipses, or a strip if only one turn is limited

measured from the centre `clip(0, lower, upper)`, which is the rest pose unless the limits leave it out.

Arrays here are `q` with the coordinates along the LAST axis in public functions; the private ones take the
coordinates first, because that is how a batch of frames lies in memory.
"""

from __future__ import annotations

from math import prod
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ..arrays import Array, Index, Mask
from ..lean import Remade
from .joint import Coupling
from .swing import ALMOST, EDGE, FLOOR, NARROW, Room, edge_of, swing_pairs
from .topology import span

INSIDE: Final = 1e-13  # how far outside still counts as inside, in the region's own measure
OUTSIDE: Final = 1.0 + INSIDE
_ROUNDING: Final = 1e-12  # of a step that ends where it began; share of the largest limit, at least of 1


class BoundaryTangent(NamedTuple):
    """Where a swing pair stands at the boundary of its region: outward unit normal, room along it."""

    x: float
    z: float
    room: float


class CrossingsOfOne(NamedTuple):
    """Where a step of one frame would leave the region, in plain numbers."""

    columns: list[tuple[int, float]]  # and their limits
    pairs: list[tuple[int, int, int, tuple[float, float, float, float]]]
    """Pair, columns of x and z, (point of the boundary x, z, unit normal x, z, outward there)."""

    def ends(self) -> list[tuple[int, float]]:
        """(column, where it ends inside) of both."""
        ends = self.columns.copy()
        for _, x, z, (a, b, _, _) in self.pairs:
            ends += (x, a), (z, b)
        return ends

    def land(self, to: Array) -> None:
        """Put a step that ends at to (n,) inside, in place."""
        for column, inside in self.ends():  # a few: sooner than by numpy
            to[column] = inside

    def crossed(self, q: Array, to: Array, most: Array) -> list[tuple[int, BoundaryTangent]]:
        """The edges of pairs for which ending inside takes more than `most` off to, from q.

        Args:
            q, to: (n,) coordinates before and after the step; most: one number or (n,).
        """
        there = np.broadcast_to(most, to.shape).item
        return [
            (pair, BoundaryTangent(u, v, u * (a - q.item(x)) + v * (b - q.item(z))))
            for pair, x, z, (a, b, u, v) in self.pairs
            if abs(a - to.item(x)) > there(x) or abs(b - to.item(z)) > there(z)
        ]


class JointLimits(Remade):
    """Limits of all coordinates of a skeleton.

    Args:
        owner: (n,) joint of each coordinate; slot: (n,) which of its six; lower, upper: (n,) limits;
        coupling: which coordinates follow others, None if none does.

    Attributes:
        pairs: (P, 2) columns of the swing turns (x, z) of joints that are free in both and limited in one.
        pair_columns: the same pairs in plain numbers;
        free_pairs: (F, 2) the same for joints with no swing limit at all: they are only kept within half a
            turn; open_pairs: (O, 2) of both those with an open side.
        boxed: columns with an interval of their own; low, high: (n,) those intervals, infinite for all
            others.
    """

    def __init__(
        self, owner: Index, slot: Index, lower: Array, upper: Array, coupling: Coupling | None = None
    ) -> None:
        self.n, self.coupling = len(owner), coupling
        self.lower, self.upper = lower, upper
        limited = np.isfinite(lower) | np.isfinite(upper)
        both = swing_pairs(owner, slot)
        pairs = [(x, z) for x, z in both if limited[x] or limited[z]]
        self.pairs = np.array(pairs, dtype=int).reshape(-1, 2)
        self.free_pairs = np.array([p for p in both if p not in pairs], dtype=int).reshape(-1, 2)
        interval = limited.copy()
        interval[self.pairs] = False
        self.boxed = np.flatnonzero(interval)
        # intervals of everything; a pair's own coordinates are left open here
        self.low = np.where(interval, lower, -np.inf)
        self.high = np.where(interval, upper, np.inf)
        self._any_box, self.boundless = bool(interval.any()), not limited.any()
        turns = slot >= 3
        kinds = [kind for kind in (~turns, turns) if kind.any()] or [turns]
        size = np.where(np.isfinite([lower, upper]), np.abs([lower, upper]), 1.0)
        self._kinds = [
            (span(np.flatnonzero(k)), _ROUNDING * float(size[:, k].max(initial=1.0))) for k in kinds
        ]
        low, high = np.maximum(lower[self.pairs], -np.pi), np.minimum(upper[self.pairs], np.pi)
        centre = np.sin(np.clip(0.0, low, high) / 2)
        self._centre = np.ascontiguousarray(centre.T)
        ends = np.isfinite(lower[self.pairs]) & np.isfinite(upper[self.pairs])
        self.open_pairs = np.concatenate([self.free_pairs, self.pairs[~ends.all(1)]])
        # (side, 2, P) reciprocal radii in half-angle sines, 0 where there is no limit
        radius = np.stack([centre - np.sin(low / 2), np.sin(high / 2) - centre])
        open_side = np.stack([~np.isfinite(lower[self.pairs]), ~np.isfinite(upper[self.pairs])])
        inverse = np.where(open_side, 0.0, 1.0 / np.maximum(radius, FLOOR))
        # the same as plain floats, for one frame
        self._ends = list(zip(self.low.tolist(), self.high.tolist(), strict=True))
        self.pair_columns = [(int(x), int(z)) for x, z in pairs]
        self._pair_of = [-1] * self.n
        for number, columns in enumerate(self.pair_columns):
            for column in columns:
                self._pair_of[column] = number
        corner = np.maximum(np.abs(np.sin(low / 2)), np.abs(np.sin(high / 2)))
        beyond = ends.all(1) & centre.any(1) & ((corner * corner).sum(1) > 1.0)
        self._half_turn = np.where(beyond, 1.0 / np.pi, 0.0)
        rooms = np.concatenate([centre, inverse[0], inverse[1], self._half_turn[:, None]], 1).tolist()
        self._rooms = [Room(*room) for room in rooms]
        self._inverse = np.ascontiguousarray(inverse.transpose(0, 2, 1))
        # inside these intervals nothing can leave: a pair's is a rectangle in its ellipses, as |S| <= |v| / 2
        self.sure_low, self.sure_high = self.low.copy(), self.high.copy()
        if not centre.any():
            side = np.where(open_side, 2.0, np.sqrt(2.0) * np.maximum(radius, 0.0))
            self.sure_low[self.pairs] = -np.minimum(side[0], 2.0)
            self.sure_high[self.pairs] = np.minimum(side[1], 2.0)
        else:
            self.sure_low[self.pairs], self.sure_high[self.pairs] = np.inf, -np.inf

    # ------------------------------------------------------------------ public, coordinates last
    def project(self, q: npt.ArrayLike) -> Array:
        """The coordinates put inside the region, those inside as they are; (*batch, n) -> (*batch, n).

        Coordinates that follow others are put where their leaders put them.
        """
        first = np.moveaxis(np.array(q, dtype=float), -1, 0)
        inside = np.ascontiguousarray(np.moveaxis(self.project_first(first), 0, -1))
        return inside if self.coupling is None else self.coupling.apply(inside)

    def violation(self, q: npt.ArrayLike) -> Array:
        """How far each coordinate is outside: (*batch, n), 0 inside.

        Intervals: the distance to the limit. Swing pairs: how much the ellipse's measure (1 on the boundary)
        is exceeded, for both coordinates.
        """
        first = np.moveaxis(np.asarray(q, dtype=float), -1, 0)
        low, high = _columns_first(self.low, first), _columns_first(self.high, first)
        out = np.maximum(np.maximum(low - first, first - high), 0.0)
        if len(self.pairs):
            excess = np.maximum(self._measures(first) - 1.0, 0.0)
            out[self.pairs[:, 0]] = out[self.pairs[:, 1]] = excess
        return np.moveaxis(out, 0, -1)

    def at_limit(self, q: Array, margin: float = 1e-6) -> Mask:
        """Which coordinates stand at (or within `margin` of) a limit: (*batch, n) bool."""
        first = np.moveaxis(np.asarray(q, dtype=float), -1, 0)
        low, high = _columns_first(self.low, first), _columns_first(self.high, first)
        out = (first <= low + margin) | (first >= high - margin)
        if len(self.pairs):
            out[self.pairs.T] = self._measures(first) >= 1.0 - margin
        return np.moveaxis(out, 0, -1)

    # ------------------------------------------------------------------ for solvers, coordinates first
    def project_first(self, q: Array) -> Array:
        """As `project`, in place on a (n, ...) array, which is also returned."""
        if self._any_box:
            np.maximum(q, _columns_first(self.low, q), out=q)
            np.minimum(q, _columns_first(self.high, q), out=q)
        self._onto_boundary(q)
        return self.unwound(q)

    def _onto_boundary(self, q: Array) -> None:
        """Put swings that are outside onto the boundary of their regions, in place."""
        swings = self._swings(q)
        outside = (swings.measure > 1.0).nonzero()[0]
        if len(outside):
            pair, *frame = np.unravel_index(outside, (len(self.pairs), *q.shape[1:]))
            q[self.pairs[pair].T, *frame] = self.boundary(swings.take(outside))[0]

    def unwound(self, q: Array) -> Array:
        """Swings beyond half a turn, where a side is open, replaced by the shorter way round; in place."""
        if len(self.open_pairs):
            v = q[self.open_pairs.T]
            turn = np.sqrt(v[0] * v[0] + v[1] * v[1])
            over = np.nonzero(turn > np.pi + 1e-9)  # at half a turn both ways are as short
            if len(over[0]):
                t = turn[over]
                shorter = 1.0 - 2.0 * np.pi * np.rint(t / (2.0 * np.pi)) / t
                q[self.open_pairs[over[0]].T, *over[1:]] = v[:, *over] * shorter
                self._onto_boundary(q)  # the other way round a swing may be beyond another limit
        return q

    def crossings_of_one(self, to: Array) -> CrossingsOfOne | None:
        """What of a step of one frame that ends at to (n,) would leave the region; None if nothing.

        Candidates are checked one by one: few of a figure's joints stand at their limits.
        """
        if self.boundless:
            return None
        suspects = ((to < self.sure_low) | (to > self.sure_high)).nonzero()[0].tolist()
        if not suspects:
            return None
        limits = [(column, *self._ends[column]) for column in suspects if self._pair_of[column] < 0]
        columns = [(column, low if to.item(column) < low else high) for column, low, high in limits]
        pairs = self._edges(to, suspects, OUTSIDE) if len(self.pairs) else []
        return CrossingsOfOne(columns, pairs) if columns or pairs else None

    def _edges(
        self, q: Array, suspects: list[int], measure: float
    ) -> list[tuple[int, int, int, tuple[float, float, float, float]]]:
        """As `CrossingsOfOne.pairs`, of the pairs of suspects whose measure at q (n,) is above a number."""
        edges = []
        for pair in dict.fromkeys(map(self._pair_of.__getitem__, suspects)):
            if pair >= 0:
                x, z = self.pair_columns[pair]
                edge = edge_of(q.item(x), q.item(z), self._rooms[pair], measure)
                if edge is not None:
                    edges.append((pair, x, z, edge))
        return edges

    def slight(self, dq: Array, share: float) -> Array:
        """What part of steps dq (n, ...) counts as little, the same for all coordinates: (...).

        It is a share of the largest component, and at least rounding, which the largest is where everything
        is held. For figures that turn and slide, (n, ...): for each coordinate, in radians or metres.
        """
        size = np.abs(dq)
        if len(self._kinds) == 1:
            return np.asarray(np.maximum(share * size.max(0), self._kinds[0][1]))
        slight = np.empty_like(size)
        for kind, rounding in self._kinds:
            slight[kind] = np.maximum(share * size[kind].max(0), rounding)
        return slight

    def near_boundary(self, q: Array, measure: float) -> dict[int, BoundaryTangent]:
        """The edges by which swing pairs stand whose measure at q (n,) is above the given one."""
        if not len(self.pairs):
            return {}
        wide = q / measure
        suspects = ((wide < self.sure_low) | (wide > self.sure_high)).nonzero()[0].tolist()
        return {
            pair: BoundaryTangent(nx, nz, max(nx * (px - q.item(x)) + nz * (pz - q.item(z)), 0.0))
            for pair, x, z, (px, pz, nx, nz) in self._edges(wide, suspects, 1.0)
        }

    # ------------------------------------------------------------------ swing pairs as arrays (2, w)
    def _swings(self, q: Array) -> Swing:
        """All pairs of q (n, ...), one after another with their frames."""
        v = q[self.pairs.T]
        return self.swing(v.reshape(2, -1), np.arange(len(self.pairs)).repeat(prod(v.shape[2:])))

    def _measures(self, q: Array) -> Array:
        """Measure (P, ...) of all pairs of q (n, ...)."""
        return self._swings(q).measure.reshape(len(self.pairs), *q.shape[1:])

    def swing(self, v: Array, pairs: Index) -> Swing:
        """Half-angle sines and measure of turns v (2, w) of the given pairs (w,)."""
        t = np.sqrt(v[0] * v[0] + v[1] * v[1])
        t += 1e-150
        # beyond half a turn the sine falls again; there the turn itself goes on measuring
        ratio = np.where(t < np.pi, np.sin(0.5 * t) / t, 1.0 / np.pi)
        s = v * ratio - self._centre.take(pairs, 1)
        scale = np.where(s < 0, self._inverse[0].take(pairs, 1), self._inverse[1].take(pairs, 1))
        w = s * scale
        measure = np.sqrt(w[0] * w[0] + w[1] * w[1])
        return Swing(np.maximum(measure, t * self._half_turn.take(pairs)), pairs, w, s, scale)

    def boundary(self, swing: Swing) -> tuple[Array, Array]:
        """The boundary point of swings near or beyond it, and the outward unit normal there, (2, w) each.

        Each sine goes to its own limit first, then both along the ray.
        """
        _, pairs, w, s, scale = swing
        most = np.where(scale < 1.0 / NARROW, 1.0, EDGE)
        w = np.minimum(np.maximum(w, -most), most)
        w *= (1.0 - 1e-15) / np.sqrt(np.maximum(w[0] * w[0] + w[1] * w[1], 1.0))
        way = np.where(scale > 0, w / np.maximum(scale, 1e-300), s)
        centre = self._centre.take(pairs, 1)
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
        at_half_turn = (self._half_turn.take(pairs) > 0.0) & (length > ALMOST)
        if at_half_turn.any():
            normal = np.where(at_half_turn, s, normal)
            factor = np.where(at_half_turn, factor * ALMOST, factor)
        return s * factor, normal


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


def _columns_first(limit: Array, q: Array) -> Array:
    return limit.reshape(-1, *(1,) * (q.ndim - 1))
