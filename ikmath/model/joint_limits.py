# SPDX-License-Identifier: GPL-3.0-or-later
"""The region that joint limits leave to the coordinates: intervals, and Blender's swing ellipses.

Slides, twists and single turns have intervals. Where a joint is free in both swing turns x and z, its limits
bound them together, as in Blender's own inverse kinematics (measured there, not guessed): with
`S = sin(t/2)/t * (x, z)`, `t = |(x, z)|`, the vector part of the swing quaternion, and `r = sin(limit/2)` on
the side where S lies,

    (S.x / r.x)^2 + (S.z / r.z)^2 <= 1          four quarter ellipses, or a strip if only one turn is limited

measured from the centre `clip(0, lower, upper)`, which is the rest pose unless the limits leave it out. The
axes x and z of a region may be turned about the twist's axis, for a knee that bends about neither.

Arrays here are `q` with the coordinates along the LAST axis in public functions; the private ones take the
coordinates first, because that is how a batch of frames lies in memory.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ..arrays import Array, Index, Mask
from ..lean import Remade
from .joint import Coupling
from .swing import FLOOR, Room, edge_of, swing_pairs
from .topology import span

INSIDE: Final = 1e-13  # how far outside still counts as inside, in the region's own measure
OUTSIDE: Final = 1.0 + INSIDE
_ROUNDING: Final = 1e-12  # of a step that ends where it began; share of the largest limit, at least of 1


class BoundaryTangent(NamedTuple):
    """Where a swing pair stands at the boundary of its region: outward unit normal, room along it."""

    x: float
    z: float
    room: float


PairEdges = list[tuple[int, int, int, tuple[float, float, float, float]]]
"""Pair, columns of x and z, (point of the boundary x, z, unit normal x, z, outward there)."""


class CrossingsOfOne(NamedTuple):
    """Where a step of one frame would leave the region, in plain numbers."""

    columns: list[tuple[int, float]]  # and their limits
    pairs: PairEdges

    def land(self, to: Array) -> None:
        """Put a step that ends at to (n,) inside, in place."""
        for column, inside in self.columns:  # a few: sooner than by numpy
            to[column] = inside
        for _, x, z, (a, b, _, _) in self.pairs:
            to[x], to[z] = a, b

    def crossed(self, q: Array, to: Array, most: Array) -> list[tuple[int, BoundaryTangent]]:
        """The edges of pairs for which ending inside takes more than `most` off to, from q.

        Args:
            q, to: (n,) coordinates before and after the step; most: (n,).
        """
        return [
            (pair, BoundaryTangent(u, v, u * (a - q.item(x)) + v * (b - q.item(z))))
            for pair, x, z, (a, b, u, v) in self.pairs
            if abs(a - to.item(x)) > most.item(x) or abs(b - to.item(z)) > most.item(z)
        ]


class JointLimits(Remade):
    """Limits of all coordinates of a skeleton.

    Args:
        owner: (n,) joint of each coordinate; slot: (n,) which of its six; lower, upper: (n,) limits;
        coupling: which coordinates follow others, None if none does.
        turned: (J,) radians by which the axes of a joint's swing limits are turned about y; None: nowhere.

    Attributes:
        pairs: (P, 2) columns of the swing turns (x, z) of joints that are free in both and limited in one.
        pair_columns: the same pairs in plain numbers;
        free_pairs: (F, 2) the same for joints with no swing limit at all: they are only kept within half a
            turn; open_pairs: (O, 2) of both those with an open side.
        centre: (2, P) of the pairs' regions, inverse: (2, 2, P) reciprocal radii below and above it, in
            half-angle sines, 0 where there is no limit; half_turn: (P,) see `swing.Room`.
        boxed: columns with an interval of their own; low, high: (n,) those intervals, infinite for all
            others.
    """

    def __init__(
        self,
        owner: Index,
        slot: Index,
        lower: Array,
        upper: Array,
        coupling: Coupling | None = None,
        turned: Array | None = None,
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
        self.boundless = not limited.any()
        turns = slot >= 3
        kinds = [kind for kind in (~turns, turns) if kind.any()] or [turns]
        size = np.where(np.isfinite([lower, upper]), np.abs([lower, upper]), 1.0)
        self._kinds = [
            (span(np.flatnonzero(k)), _ROUNDING * float(size[:, k].max(initial=1.0))) for k in kinds
        ]
        low, high = np.maximum(lower[self.pairs], -np.pi), np.minimum(upper[self.pairs], np.pi)
        centre = np.sin(np.clip(0.0, low, high) / 2)
        self.centre = np.ascontiguousarray(centre.T)
        ends = np.isfinite(lower[self.pairs]) & np.isfinite(upper[self.pairs])
        self.open_pairs = np.concatenate([self.free_pairs, self.pairs[~ends.all(1)]])
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
        self.half_turn = np.where(beyond, 1.0 / np.pi, 0.0)
        rooms = np.concatenate([centre, inverse[0], inverse[1], self.half_turn[:, None]], 1).tolist()
        self._rooms = [Room(*room) for room in rooms]
        angle = np.zeros(len(pairs)) if turned is None else turned[owner[self.pairs[:, 0]]]
        self._turned = np.stack([np.cos(angle), np.sin(angle)])
        self._turns = list(zip(*self._turned.tolist(), strict=True))
        self.inverse = np.ascontiguousarray(inverse.transpose(0, 2, 1))
        # inside these intervals nothing can leave: a pair's is a rectangle in its ellipses, as |S| <= |v| / 2
        self.sure_low, self.sure_high = self.low.copy(), self.high.copy()
        side = np.minimum(np.where(open_side, 2.0, np.sqrt(2.0) * np.maximum(radius, 0.0)), 2.0)
        side[:, angle != 0.0] = side.min((0, 2), initial=2.0)[angle != 0.0, None]  # a square, however turned
        if centre.any():
            side = np.full_like(side, -np.inf)
        self.sure_low[self.pairs], self.sure_high[self.pairs] = -side[0], side[1]

    # ------------------------------------------------------------------ public, coordinates last
    def project(self, q: npt.ArrayLike) -> Array:
        """The coordinates put inside the region, those inside as they are; (*batch, n) -> (*batch, n).

        Coordinates that follow others are put where their leaders put them.
        """
        inside = np.array(q, dtype=float)
        if inside.ndim == 1:
            crossings = self.crossings_of_one(inside)
            if crossings is not None:
                crossings.land(inside)
            self.unwound(inside)
        else:
            first = np.moveaxis(inside, -1, 0)
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
        out[self.pairs[:, 0]] = out[self.pairs[:, 1]] = np.maximum(self._measures(first) - 1.0, 0.0)
        return np.moveaxis(out, 0, -1)

    def at_limit(self, q: Array, margin: float = 1e-6) -> Mask:
        """Which coordinates stand at (or within `margin` of) a limit: (*batch, n) bool."""
        first = np.moveaxis(np.asarray(q, dtype=float), -1, 0)
        low, high = _columns_first(self.low, first), _columns_first(self.high, first)
        out = (first <= low + margin) | (first >= high - margin)
        out[self.pairs.T] = self._measures(first) >= 1.0 - margin
        return np.moveaxis(out, 0, -1)

    # ------------------------------------------------------------------ for solvers, coordinates first
    def project_first(self, q: Array) -> Array:
        """As `project`, in place on a (n, ...) array, which is also returned."""
        np.maximum(q, _columns_first(self.low, q), out=q)
        np.minimum(q, _columns_first(self.high, q), out=q)
        self._onto_boundary(q)
        return self.unwound(q)

    def _onto_boundary(self, q: Array) -> None:
        """Put swings that are outside onto the boundary of their regions, in place."""
        for pair, *frame in np.argwhere(self._measures(q) > 1.0).tolist():
            x, z = ((column, *frame) for column in self.pair_columns[pair])
            edge = self._edge(pair, q.item(x), q.item(z), 1.0)
            if edge is not None:
                q[x], q[z], *_ = edge

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

    def _edges(self, q: Array, suspects: list[int], measure: float) -> PairEdges:
        """The edges of the pairs of suspects whose measure at q (n,) is above a number."""
        edges = []
        for pair in dict.fromkeys(map(self._pair_of.__getitem__, suspects)):
            if pair >= 0:
                x, z = self.pair_columns[pair]
                edge = self._edge(pair, q.item(x), q.item(z), measure)
                if edge is not None:
                    edges.append((pair, x, z, edge))
        return edges

    def _edge(
        self, pair: int, x: float, z: float, measure: float
    ) -> tuple[float, float, float, float] | None:
        """As `edge_of` for one of the pairs, whose region may be turned."""
        c, s = self._turns[pair]
        found = edge_of(c * x - s * z, s * x + c * z, self._rooms[pair], measure)
        if found is None:
            return None
        a, b, u, v = found
        return c * a + s * b, c * b - s * a, c * u + s * v, c * v - s * u

    def slight(self, dq: Array, share: float) -> Array:
        """(n, ...) what part of steps dq (n, ...) counts as little, in radians or metres.

        It is a share of the largest turn or slide, and at least rounding, which the largest is where
        everything is held.
        """
        size = np.abs(dq)
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

    def normals(self, edges: Sequence[tuple[int, BoundaryTangent]], side: float = 1.0) -> Array:
        """(m, n) normals of the boundaries of some pairs, outward or, for the side -1, inward."""
        rows = np.zeros((len(edges), self.n))
        for row, (pair, edge) in zip(rows, edges, strict=True):
            row[list(self.pair_columns[pair])] = side * edge.x, side * edge.z
        return rows

    # ------------------------------------------------------------------ swing pairs
    def _measures(self, q: Array) -> Array:
        """Measure (P, ...) of all pairs of q (n, ...), 1 on the boundary; as in `swing.edge_of`."""
        (x, z), more = q[self.pairs.T], (1,) * (q.ndim - 1)
        c, s = (_columns_first(one, x) for one in self._turned)
        v = np.stack([c * x - s * z, s * x + c * z])
        centre, below, above = (one.reshape(2, -1, *more) for one in (self.centre, *self.inverse))
        t = np.sqrt(v[0] * v[0] + v[1] * v[1]) + 1e-150
        sines = v * np.where(t < np.pi, np.sin(0.5 * t) / t, 1.0 / np.pi) - centre
        w = sines * np.where(sines < 0, below, above)
        measure = np.sqrt(w[0] * w[0] + w[1] * w[1])
        return np.asarray(np.maximum(measure, t * _columns_first(self.half_turn, t)))


def _columns_first(limit: Array, q: Array) -> Array:
    return limit.reshape(-1, *(1,) * (q.ndim - 1))
