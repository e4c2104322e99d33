# SPDX-License-Identifier: GPL-3.0-or-later
"""Ball joints with limits: swing ellipses and twist intervals.

The rotation is `u = S T`, a swing quaternion S = (w, sx, 0, sz) after a twist T. The limit of a swing is an
ellipse (with different radii per quadrant) or a strip in (sx, sz), as in `ikmath.joint_limits`; that of a
twist is an interval. If the unlimited optimum is outside, three exact steps are repeated, each kept only if
it is better: the best swing for the current twist, moved back to the boundary; the swing along the boundary;
the best twist for the current swing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Protocol

from .alignment import STILL, Davenport, Turned, applied, climbed, fitted, levelled, on_circle, value
from .arithmetic import (
    Arithmetic,
    Number,
    Quaternion,
    Vector,
    chosen,
    combined,
    conjugate,
    half_turn,
    inner,
    multiply,
)

CLIMBS: Final = 3  # for a ball that carries several points
_ROUNDS: Final = 3  # of swing, boundary and twist if a limit is reached
_SWING_ROUNDS: Final = 8  # if a joint can swing but not twist
_FLOOR: Final = 1e-9  # radius of a side of the swing region without room (as in `ikmath.joint_limits`)
_FALSE_POSITIONS: Final = 24
_BISECTIONS: Final = 40
_DIFFERENCE: Final = 1e-3  # radians, for differences along the boundary


def swing_vector(m: Arithmetic, w: Number, sx: Number, sz: Number) -> tuple[Number, Number]:
    """Swing coordinates (x, z) of the swing quaternion (w, sx, 0, sz), w >= 0."""
    sine = m.sqrt(sx * sx + sz * sz)
    small = sine < 1e-9
    factor = m.where(small, 2.0, 2.0 * m.atan2(sine, w) / m.where(small, 1.0, sine))
    return sx * factor, sz * factor


def split(m: Arithmetic, u: Quaternion, near: Number) -> tuple[Number, Number, Number]:
    """Swing (sx, sz) and twist angle of a rotation; the twist is in the turn nearest to `near`."""
    w, x, y, z = u
    size = m.sqrt(w * w + y * y)
    pole = size < 1e-9
    twist = m.where(pole, near, 2.0 * m.atan2(y, w))
    twist = fitted(m, twist, near, -math.inf, math.inf)
    c, s = m.cos(0.5 * twist), m.sin(0.5 * twist)
    sign = m.where(w * c + y * s < 0.0, -1.0, 1.0)
    return sign * (x * c + z * s), sign * (z * c - x * s), twist


def joined(m: Arithmetic, sx: Number, sz: Number, twist: Number) -> Quaternion:
    """Rotation of a swing and a twist; the inverse of `split`."""
    w = m.sqrt(m.maximum(1.0 - sx * sx - sz * sz, 0.0))
    c, s = m.cos(0.5 * twist), m.sin(0.5 * twist)
    return w * c, sx * c - sz * s, w * s, sz * c + sx * s


def beside(m: Arithmetic, value: Number, step: float, low: float, high: float) -> Number:
    """The value, moved by a step towards the side of the interval with more room."""
    up = m.minimum(value + step, high)
    down = m.maximum(value - step, low)
    return m.where(up - value >= value - down, up, down)


def ends(m: Arithmetic, value: Number, low: float, high: float) -> list[Number]:
    """The ends of an interval, at most half a turn from the value."""
    return [m.maximum(value - math.pi, low), m.minimum(value + math.pi, high)]


def twist_turn(m: Arithmetic, angle: Number) -> Quaternion:
    """The rotation about the long axis by an angle."""
    return m.cos(0.5 * angle), 0.0, m.sin(0.5 * angle), 0.0


class _Mixing(Protocol):
    """The part of a joint kind that `between` uses; see `Turning`."""

    def best(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number, several: bool) -> Turned: ...

    def mixed(self, m: Arithmetic, old: Turned, new: Turned, share: Number) -> Turned: ...

    def extremes(self, m: Arithmetic, turned: Turned) -> list[Turned]: ...


def between(
    m: Arithmetic, joint: _Mixing, turned: Turned, k: Davenport, size: Number, level: Number
) -> Turned:
    """The rotation between the current and the best (or worst) one whose worth is nearest to `level`.

    The path is inside the limits and the worth is continuous along it. So the level is reached on it unless
    its end has less; it is found by false position (Illinois). If the best rotation nearby has too little,
    the far sides of the joint's region are tried as ends.
    """
    worth = value(k, turned[0])
    sign = m.where(level >= worth, 1.0, -1.0)
    signed = tuple(sign * entry for entry in k)
    goal = joint.best(m, turned, signed, size, False)
    short = value(signed, goal[0]) < sign * level
    if m.any(short):
        other = goal
        for extreme in joint.extremes(m, turned):
            other = preferred(m, signed, other, extreme)
        goal = chosen(m, short, preferred(m, signed, goal, joint.best(m, other, signed, size, False)), goal)
    a, b = 0.0 * worth, 0.0 * worth + 1.0
    f_a, f_b = sign * (worth - level), value(signed, goal[0]) - sign * level
    reachable = f_b > 0.0
    best_share, best_miss = m.where(reachable, a, b), m.where(reachable, abs(f_a), 0.0 * worth)
    last: Number = 0
    for _ in range(_FALSE_POSITIONS):
        if m.all(best_miss <= 1e-15 * size):
            break
        gap = f_b - f_a
        share = m.where(gap > 0.0, (a * f_b - b * f_a) / m.where(gap > 0.0, gap, 1.0), a)
        f = value(signed, joint.mixed(m, turned, goal, share)[0]) - sign * level
        better = (abs(f) < best_miss) & (best_miss > 1e-15 * size)
        best_share, best_miss = m.where(better, share, best_share), m.where(better, abs(f), best_miss)
        if m.all(best_miss <= 1e-15 * size):
            break
        above = f > 0.0
        # an end that is kept twice in a row gets half its value, so that the other one converges too
        f_a = m.where(above, m.where(last == 1, 0.5 * f_a, f_a), f)
        f_b = m.where(above, f, m.where(last == -1, 0.5 * f_b, f_b))
        a, b = m.where(above, a, share), m.where(above, share, b)
        last = m.where(above, 1, -1)
    return joint.mixed(m, turned, goal, m.where(reachable, best_share, 1.0))


@dataclass(frozen=True)
class Ball:
    """Swing in x and z within limits, after a twist; parameters sx, sz, twist.

    Attributes:
        centre: (sx, sz) of the region; below, above: reciprocal radii of sx and sz on both sides of it, 0 for
            no limit.
        low, high: interval of the twist, radians; equal if the joint cannot twist.
        bounded_swing: whether the swing has limits.
    """

    centre: tuple[float, float]
    below: tuple[float, float]
    above: tuple[float, float]
    low: float
    high: float
    bounded_swing: bool

    @classmethod
    def bounded(cls, lower: Vector, upper: Vector, twist: tuple[float, float]) -> Ball:
        """From limits of x, y, z in radians, infinite for none."""
        centre, below, above = [], [], []
        for axis in (0, 2):
            low, high = max(lower[axis], -math.pi), min(upper[axis], math.pi)
            middle = math.sin(min(max(0.0, low), high) / 2)
            room = middle - math.sin(low / 2), math.sin(high / 2) - middle
            centre.append(middle)
            below.append(1.0 / max(room[0], _FLOOR) if math.isfinite(lower[axis]) else 0.0)
            above.append(1.0 / max(room[1], _FLOOR) if math.isfinite(upper[axis]) else 0.0)
        bounded = any(below) or any(above)
        return cls((centre[0], centre[1]), (below[0], below[1]), (above[0], above[1]), *twist, bounded)

    def start(self, m: Arithmetic, turns: Vector) -> Turned:
        """See `Turning.start`."""
        x, y, z = turns
        half = 0.5 * m.sqrt(x * x + z * z)
        small = half < 1e-9
        factor = m.where(small, 0.5, 0.5 * m.sin(half) / m.where(small, 1.0, half))
        factor = factor * m.where(m.cos(half) < 0.0, -1.0, 1.0)
        return self._turned(m, factor * x, factor * z, y)

    def _turned(self, m: Arithmetic, sx: Number, sz: Number, twist: Number) -> Turned:
        return joined(m, sx, sz, twist), (sx, sz, twist)

    def _measure(self, m: Arithmetic, sx: Number, sz: Number) -> Number:
        """Squared measure of the region: 1 on the boundary."""
        (cx, cz), (bx, bz), (ax, az) = self.centre, self.below, self.above
        a, b = (sx - cx) * m.where(sx < cx, bx, ax), (sz - cz) * m.where(sz < cz, bz, az)
        return a * a + b * b

    def _inside(self, m: Arithmetic, sx: Number, sz: Number) -> tuple[Number, Number, Number]:
        """The swing moved into its region, and whether it was outside."""
        (cx, cz), (bx, bz), (ax, az) = self.centre, self.below, self.above
        ix, iz = m.where(sx < cx, bx, ax), m.where(sz < cz, bz, az)
        a, b = (sx - cx) * ix, (sz - cz) * iz
        outside = a * a + b * b > 1.0
        if not m.any(outside):
            return sx, sz, outside
        a, b = m.minimum(m.maximum(a, -1.0), 1.0), m.minimum(m.maximum(b, -1.0), 1.0)
        shrink = (1.0 - 1e-15) / m.maximum(m.sqrt(a * a + b * b), 1.0)
        x = m.where(ix > 0.0, cx + a * shrink / m.where(ix > 0.0, ix, 1.0), sx)
        z = m.where(iz > 0.0, cz + b * shrink / m.where(iz > 0.0, iz, 1.0), sz)
        length = m.maximum(m.sqrt(x * x + z * z), 1.0)
        return m.where(outside, x / length, sx), m.where(outside, z / length, sz), outside

    def best(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number, several: bool) -> Turned:
        """See `Turning.best`."""
        if self.low == self.high:
            return self._refined(m, turned, k, size, _SWING_ROUNDS)
        u, now = turned[0], turned[1][2]
        for _ in range(CLIMBS if several else 1):
            u = climbed(m, k, size, u)
        sx, sz, free_twist = split(m, u, now)
        twist = fitted(m, free_twist, now, self.low, self.high)
        sx, sz, outside = self._inside(m, sx, sz)
        stopped = outside | (abs(twist - free_twist) > 1e-14)
        first: Turned = (chosen(m, stopped, joined(m, sx, sz, twist), u), (sx, sz, twist))
        if not m.any(stopped):
            return first
        start = preferred(m, k, turned, first)
        result: Turned = chosen(m, stopped, self._refined(m, start, k, size, _ROUNDS), first)
        return result

    def levelled(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number, level: Number) -> Turned:
        """See `Turning.levelled`."""
        if self.low == self.high:
            return between(m, self, turned, k, size, level)
        u = levelled(m, k, size, turned[0], level)
        sx, sz, twist = split(m, u, turned[1][2])
        _, _, outside = self._inside(m, sx, sz)
        outside = outside | (twist < self.low) | (twist > self.high)
        first: Turned = (u, (sx, sz, twist))
        if not m.any(outside):
            return first
        result: Turned = chosen(m, outside, between(m, self, turned, k, size, level), first)
        return result

    def extremes(self, m: Arithmetic, turned: Turned) -> list[Turned]:
        """Swings to the four sides of the region, with the current twist."""
        twist = turned[1][2]
        zero = 0.0 * twist
        sides = [(zero + x, zero + z) for x, z in ((0.99, 0.0), (-0.99, 0.0), (0.0, 0.99), (0.0, -0.99))]
        return [self._turned(m, *self._inside(m, x, z)[:2], twist) for x, z in sides]

    def _refined(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number, rounds: int) -> Turned:
        resting: Number = False
        for _ in range(rounds):
            before = turned
            turned = self._swung(m, turned, k, size)
            if self.bounded_swing:
                turned = preferred(m, k, turned, self._slid(m, turned, k))
            if self.low != self.high:
                turned = preferred(m, k, turned, self._twisted(m, turned, k, size))
            turned = chosen(m, resting, before, turned)
            same = inner(before[0], turned[0])
            resting = same * same > 1.0 - STILL
            if m.all(resting):
                break
        return turned

    def _swung(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number) -> Turned:
        """The swing nearest to the maximum of the circle along its gradient, inside the region."""
        u, (sx, sz, twist) = turned
        before = twist_turn(m, twist)
        g = applied(k, u)
        worth = inner(u, g)
        gw, gx, _, gz = multiply(g, conjugate(before))
        w = m.sqrt(m.maximum(1.0 - sx * sx - sz * sz, 0.0))
        r: Quaternion = (gw - worth * w, gx - worth * sx, 0.0, gz - worth * sz)
        slope = m.sqrt(inner(r, r))
        slopes = slope > STILL * size
        if not m.all(slopes):  # at the worst place: tilt about the axis with the largest change
            one, other = (-sx, w, 0.0, 0.0 * w), (-sz, 0.0 * w, 0.0, w)
            changes = [abs(value(k, multiply(way, before)) - worth) for way in (one, other)]
            side: Quaternion = chosen(m, changes[1] > changes[0], other, one)
            r = chosen(m, slopes, r, side)
            slope = m.where(slopes, slope, m.maximum(m.sqrt(inner(side, side)), 1e-9))
        d_swing = combined(r, 1.0 / slope, r, 0.0)
        d = multiply(d_swing, before)
        k_d = applied(k, d)
        rise, fall = 2.0 * inner(u, k_d), worth - inner(d, k_d)
        moves = rise * rise + fall * fall > STILL * STILL * size * size
        c, s = half_turn(m, m.where(moves, rise, 0.0), m.where(moves, fall, 1.0))
        x, z = self._leant(m, turned, w, d_swing, c, s)
        inside_x, inside_z, outside = self._inside(m, x, z)
        new = preferred(m, k, turned, self._turned(m, inside_x, inside_z, twist))
        if m.any(outside):  # if moving it back made it worse, or not much better, stop at the boundary
            cut = preferred(m, k, turned, self._as_far(m, turned, x, z))
            new = chosen(m, outside, preferred(m, k, new, cut), new)
        return new

    def _as_far(self, m: Arithmetic, old: Turned, x: Number, z: Number) -> Turned:
        """The last swing inside the region on the straight line to (x, z)."""
        sx, sz, twist = old[1]
        near: Number = 0.0 * twist
        far = near + 1.0
        for _ in range(_BISECTIONS):
            share = 0.5 * (near + far)
            inside = self._measure(m, sx + share * (x - sx), sz + share * (z - sz)) <= 1.0
            near, far = m.where(inside, share, near), m.where(inside, far, share)
        return self._turned(m, sx + near * (x - sx), sz + near * (z - sz), twist)

    def _leant(
        self, m: Arithmetic, turned: Turned, w: Number, d: Quaternion, c: Number, s: Number
    ) -> tuple[Number, Number]:
        """The swing c S + s d, also outside the region."""
        sx, sz, _ = turned[1]
        sign = m.where(w * c + d[0] * s < 0.0, -1.0, 1.0)
        return sign * (sx * c + d[1] * s), sign * (sz * c + d[3] * s)

    def _swung_by(
        self, m: Arithmetic, turned: Turned, w: Number, d: Quaternion, c: Number, s: Number
    ) -> Turned:
        """The swing c S + s d, moved into the region."""
        x, z, _ = self._inside(m, *self._leant(m, turned, w, d, c, s))
        return self._turned(m, x, z, turned[1][2])

    def _slid(self, m: Arithmetic, turned: Turned, k: Davenport) -> Turned:
        """The swing after a Newton step along the boundary of its region."""
        sx, sz, _ = turned[1]
        (cx, cz), (bx, bz), (ax, az) = self.centre, self.below, self.above
        ix, iz = m.where(sx < cx, bx, ax), m.where(sz < cz, bz, az)
        w = m.sqrt(m.maximum(1.0 - sx * sx - sz * sz, 0.0))
        # orthogonal to the gradient of the ellipse's measure
        tx, tz = -(sz - cz) * iz * iz, (sx - cx) * ix * ix
        tw = -(sx * tx + sz * tz) / m.maximum(w, 1e-9)
        length = m.maximum(m.sqrt(tw * tw + tx * tx + tz * tz), 1e-9)
        d: Quaternion = (tw / length, tx / length, 0.0, tz / length)
        here, step = value(k, turned[0]), _DIFFERENCE
        ahead = value(k, self._swung_by(m, turned, w, d, math.cos(step), math.sin(step))[0])
        behind = value(k, self._swung_by(m, turned, w, d, math.cos(step), -math.sin(step))[0])
        slope, bend = (ahead - behind) / (2.0 * step), (ahead - 2.0 * here + behind) / (step * step)
        way = m.where(bend < 0.0, slope / m.maximum(-bend, 1e-12), m.where(slope < 0.0, -0.5, 0.5))
        way = m.minimum(m.maximum(way, -0.5), 0.5)
        return self._swung_by(m, turned, w, d, m.cos(way), m.sin(way))

    def _twisted(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number) -> Turned:
        """The best twist for the current swing."""
        sx, sz, twist = turned[1]
        swing: Quaternion = (m.sqrt(m.maximum(1.0 - sx * sx - sz * sz, 0.0)), sx, 0.0, sz)
        quarter = multiply(swing, (0.0, 0.0, 1.0, 0.0))
        return self._turned(m, sx, sz, on_circle(m, k, size, swing, quarter, twist, self.low, self.high))

    def mixed(self, m: Arithmetic, old: Turned, new: Turned, share: Number) -> Turned:
        """See `Turning.mixed`."""
        (a, b, c), (d, e, f) = old[1], new[1]
        return self.of_numbers(m, (a + share * (d - a), b + share * (e - b), c + share * (f - c)))

    def numbers(self, turned: Turned) -> tuple[Number, ...]:
        """See `Turning.numbers`."""
        return turned[1]

    def of_numbers(self, m: Arithmetic, numbers: tuple[Number, ...]) -> Turned:
        """See `Turning.of_numbers`."""
        sx, sz, twist = numbers
        sx, sz, _ = self._inside(m, sx, sz)
        length = m.maximum(m.sqrt(sx * sx + sz * sz), 1.0)
        return self._turned(m, sx / length, sz / length, m.minimum(m.maximum(twist, self.low), self.high))

    def nudged(self, m: Arithmetic, turned: Turned, angle: float) -> Turned:
        """See `Turning.nudged`."""
        sx, sz, twist = turned[1]
        x, z, outside = self._inside(m, sx + 0.5 * angle, sz)
        other, other_z, _ = self._inside(m, sx - 0.5 * angle, sz)
        return self._turned(m, m.where(outside, other, x), m.where(outside, other_z, z), twist)

    def turns(self, m: Arithmetic, turned: Turned, near: Vector) -> Vector:
        """See `Turning.turns`."""
        sx, sz, twist = turned[1]
        x, z = swing_vector(m, m.sqrt(m.maximum(1.0 - sx * sx - sz * sz, 0.0)), sx, sz)
        return x, twist, z


def preferred(m: Arithmetic, k: Davenport, old: Turned, new: Turned) -> Turned:
    """The new rotation if it is better, else the old one."""
    result: Turned = chosen(m, value(k, new[0]) > value(k, old[0]), new, old)
    return result
