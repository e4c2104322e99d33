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

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .rotation import Array

_FLOOR: Final = 1e-10  # radius of a side that has no room, so that nothing divides by zero
_NARROW: Final = 1e-9  # a side narrower than this has no room
_EDGE: Final = (
    1e-3  # where on such a side the boundary is taken to be: enough to tell the side, and for the normal
)
INSIDE: Final = 1e-13  # how far outside still counts as inside, in the region's own measure


class Bounds(NamedTuple):
    """Where a step would leave the region, and what it may do instead; frames innermost, if there are many.

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


class Region:
    """Limits of all coordinates of a skeleton.

    Args:
        owner: (n,) joint of each coordinate; slot: (n,) which of its six; lower, upper: (n,) limits.

    Attributes:
        pairs: (P, 2) columns of the swing turns (x, z) of joints that are free in both and limited in one.
        free_pairs: (F, 2) the same for joints with no swing limit at all: they are only kept within half a
            turn.
        boxed: columns with an interval of their own; low, high: (n,) those intervals, infinite for all
            others.
    """

    def __init__(
        self, owner: npt.NDArray[np.intp], slot: npt.NDArray[np.intp], lower: Array, upper: Array
    ) -> None:
        self.n = len(owner)
        self.lower, self.upper = lower, upper
        limited = np.isfinite(lower) | np.isfinite(upper)
        x_of = {
            joint: c for c, (joint, k) in enumerate(zip(owner.tolist(), slot.tolist(), strict=True)) if k == 3
        }
        both = [
            (x_of[joint], c)
            for c, (joint, k) in enumerate(zip(owner.tolist(), slot.tolist(), strict=True))
            if k == 5 and joint in x_of
        ]
        pairs = [(x, z) for x, z in both if limited[x] or limited[z]]
        self.pairs = np.array(pairs, dtype=int).reshape(-1, 2)
        self.free_pairs = np.array([p for p in both if p not in pairs], dtype=int).reshape(-1, 2)
        interval = limited.copy()
        interval[self.pairs] = False
        self.boxed = np.flatnonzero(interval)
        # intervals of everything; a pair's own coordinates are left open here
        self.low = np.where(interval, lower, -np.inf)
        self.high = np.where(interval, upper, np.inf)
        self._any_box = bool(interval.any())
        low, high = np.maximum(lower[self.pairs], -np.pi), np.minimum(upper[self.pairs], np.pi)
        centre = np.clip(0.0, low, high)
        self._centre = np.sin(centre / 2)
        self._centred = not self._centre.any()
        # (side, P, 2) reciprocal radii in half-angle sines, 0 where there is no limit
        radius = np.stack([self._centre - np.sin(low / 2), np.sin(high / 2) - self._centre])
        open_side = np.stack([~np.isfinite(lower[self.pairs]), ~np.isfinite(upper[self.pairs])])
        self._inverse = np.where(open_side, 0.0, 1.0 / np.maximum(radius, _FLOOR))

    # ------------------------------------------------------------------ public, coordinates last
    def project(self, q: npt.ArrayLike) -> Array:
        """The coordinates put inside the region, those inside as they are; (*batch, n) -> (*batch, n)."""
        first = np.moveaxis(np.array(q, dtype=float), -1, 0)
        return np.ascontiguousarray(np.moveaxis(self.project_first(first), 0, -1))

    def violation(self, q: npt.ArrayLike) -> Array:
        """How far each coordinate is outside: (*batch, n), 0 inside.

        Intervals: the distance to the limit. Swing pairs: how much the ellipse's measure (1 on the boundary)
        is exceeded, told of both coordinates.
        """
        first = np.moveaxis(np.asarray(q, dtype=float), -1, 0)
        low, high = _columns_first(self.low, first), _columns_first(self.high, first)
        out = np.maximum(np.maximum(low - first, first - high), 0.0)
        if len(self.pairs):
            excess = np.maximum(self._measure(first[self.pairs.T])[0] - 1.0, 0.0)
            out[self.pairs[:, 0]] = out[self.pairs[:, 1]] = excess
        return np.moveaxis(out, 0, -1)

    def at_limit(self, q: Array, margin: float = 1e-6) -> npt.NDArray[np.bool_]:
        """Which coordinates stand at (or within `margin` of) a limit: (*batch, n) bool."""
        first = np.moveaxis(np.asarray(q, dtype=float), -1, 0)
        low, high = _columns_first(self.low, first), _columns_first(self.high, first)
        out = (first <= low + margin) | (first >= high - margin)
        if len(self.pairs):
            out[self.pairs.T] = self._measure(first[self.pairs.T])[0] >= 1.0 - margin
        return np.moveaxis(out, 0, -1)

    # ------------------------------------------------------------------ for solvers, coordinates first
    def project_first(self, q: Array) -> Array:
        """As `project`, in place on a (n, ...) array, which is also returned."""
        if self._any_box:
            np.maximum(q, _columns_first(self.low, q), out=q)
            np.minimum(q, _columns_first(self.high, q), out=q)
        if len(self.pairs):
            v = q[self.pairs.T]  # (2, P, ...)
            if not self._surely_inside(v):
                measure, _, _ = self._measure(v)
                out = np.nonzero(measure > 1.0)
                if len(out[0]):
                    q[self.pairs[out[0]].T, *out[1:]] = self._pull(v[:, *out], out[0])
        if len(self.free_pairs):
            v = q[self.free_pairs.T]
            turn = np.sqrt(v[0] * v[0] + v[1] * v[1])
            over = np.nonzero(turn > np.pi)
            if len(over[0]):  # the same rotation the shorter way round
                q[self.free_pairs[over[0]].T, *over[1:]] = v[:, *over] * (1.0 - 2.0 * np.pi / turn[over])
        return q

    def leaving(self, q: Array, dq: Array) -> Bounds | None:
        """What of the step dq would leave the region; None if nothing. q, dq: (n, ...)."""
        to = q + dq
        held, shift = np.zeros(to.shape, dtype=bool), np.zeros(to.shape)
        some = False
        if self._any_box:
            low, high = _columns_first(self.low, to), _columns_first(self.high, to)
            held = (to < low) | (to > high)
            some = bool(held.any())
            if some:
                shift = np.where(held, np.minimum(np.maximum(to, low), high) - q, 0.0)
        v = to[self.pairs.T]
        leaving, normal, way = np.zeros(v.shape[1:], dtype=bool), np.zeros(v.shape), np.zeros(v.shape)
        if len(self.pairs) and not self._surely_inside(v):
            leaving = self._measure(v)[0] > 1.0 + INSIDE
            out = np.nonzero(leaving)
            if len(out[0]):
                some = True
                point = self._pull(v[:, *out], out[0])
                normal[:, *out] = self.normals(point, out[0])
                way[:, *out] = point - q[self.pairs[out[0]].T, *out[1:]]
        return Bounds(held, shift, leaving, normal, way) if some else None

    def near_boundary(self, q: Array, measure: float) -> tuple[npt.NDArray[np.intp], Array, Array]:
        """Swing pairs near their boundary at q (n,): which (w,), outward normals (2, w), room (w,)."""
        if not len(self.pairs):
            return _NO_PAIRS
        v = q[self.pairs.T]
        if self._surely_inside(v / measure):
            return _NO_PAIRS
        near = (self._measure(v)[0] >= measure).nonzero()[0]
        if not len(near):
            return _NO_PAIRS
        inner = v[:, near]
        point = self._pull(inner * (1.0 + 2.0 * (1.0 - measure)), near)
        normal = self.normals(point, near)
        return near, normal, (normal * (point - inner)).sum(0)

    def normals(self, v: Array, pairs: npt.NDArray[np.intp]) -> Array:
        """Outward unit normals of the swing regions at v (2, w) of those pairs, in coordinates: (2, w)."""
        _, scale, s = self._measure(v, pairs)
        # gradient of the measure with respect to S, then through S(v) = sin(t/2)/t v
        g = scale * scale * s
        t2 = np.maximum(v[0] * v[0] + v[1] * v[1], 1e-24)
        t = np.sqrt(t2)
        across = np.sin(t / 2) / t
        along = 0.5 * np.cos(t / 2)
        radial = (g * v).sum(0) / t2
        gradient = across * g + (along - across) * radial * v
        return np.asarray(gradient / np.maximum(np.sqrt((gradient * gradient).sum(0)), 1e-300))

    def _surely_inside(self, v: Array) -> bool:
        """A quick yes without trigonometry: |S| <= |v| / 2."""
        if not self._centred:
            return False
        w = v * np.where(v < 0, _pairs_first(self._inverse[0], v), _pairs_first(self._inverse[1], v))
        square = w[0] * w[0] + w[1] * w[1]
        return bool(square.max(initial=0.0) <= 4.0) and bool(np.abs(v).max(initial=0.0) <= 2.0)

    def _measure(self, v: Array, pairs: npt.NDArray[np.intp] | None = None) -> tuple[Array, Array, Array]:
        """From v (2, P, ...): measure (P, ...), reciprocal radii and centred half-angle sines (2, P, ...)."""
        inverse = self._inverse if pairs is None else self._inverse[:, pairs]
        t = np.sqrt(v[0] * v[0] + v[1] * v[1])
        t += 1e-150
        ratio = np.sin(0.5 * t)
        ratio /= t
        if t.size and t.max() >= np.pi:
            # beyond half a turn the sine falls again; there the turn itself goes on measuring
            ratio = np.where(t < np.pi, ratio, 1.0 / np.pi)
        s = v * ratio
        if not self._centred:
            s -= _pairs_first(self._centre if pairs is None else self._centre[pairs], v)
        scale = np.where(s < 0, _pairs_first(inverse[0], v), _pairs_first(inverse[1], v))
        w = s * scale
        return np.sqrt(w[0] * w[0] + w[1] * w[1]), scale, s

    def _pull(self, v: Array, pairs: npt.NDArray[np.intp]) -> Array:
        """Points outside (2, w) -> the boundary: each sine to its own limit, then along the ray."""
        _, scale, s = self._measure(v, pairs)
        most = np.where(scale < 1.0 / _NARROW, 1.0, _EDGE)
        w = np.minimum(np.maximum(s * scale, -most), most)
        w = w / np.maximum(np.sqrt(w[0] * w[0] + w[1] * w[1]), 1.0) * (1.0 - 1e-15)
        way, centre = np.where(scale > 0, w / np.maximum(scale, 1e-300), s), self._centre[pairs].T
        s = centre + way
        square = s[0] * s[0] + s[1] * s[1]
        if (square > 1.0).any():  # more than half a turn: back towards the centre, so as to stay inside
            a, b = (way * way).sum(0), (centre * way).sum(0)
            share = (np.sqrt(b * b + a * (1.0 - (centre * centre).sum(0))) - b) / np.maximum(a, 1e-300)
            s = np.where(square > 1.0, centre + share * way, s)
        length = np.minimum(np.sqrt(s[0] * s[0] + s[1] * s[1]), 1.0)
        # v = S t / sin(t/2), t = 2 asin |S|
        factor = np.where(length > 1e-8, 2.0 * np.arcsin(length) / np.maximum(length, 1e-300), 2.0)
        return np.asarray(s * factor)


_NO_PAIRS: Final = (np.empty(0, dtype=np.intp), np.empty((2, 0)), np.empty(0))


def _columns_first(limit: Array, q: Array) -> Array:
    return limit.reshape(-1, *(1,) * (q.ndim - 1))


def _pairs_first(value: Array, v: Array) -> Array:
    """(P, 2) constants against (2, P, ...) arrays."""
    return value.T.reshape(2, -1, *(1,) * (v.ndim - 2))
