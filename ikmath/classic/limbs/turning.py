# SPDX-License-Identifier: GPL-3.0-or-later
"""The best rotation of one joint within its limits, for each kind of joint.

Every geometric method reduces to this problem, for one joint after the other. It is solved by the great
circles of `alignment`:

- a hinge (one free rotation) is one great circle: exact, then its interval;
- a ball that carries one point uses the great circle of the gradient, which gives the shortest rotation:
  exact, and without unnecessary twist; with several points the step is repeated;
- swing limits are ellipses and strips in the vector part of the swing quaternion (`model.joint_limits`): the
  swing moves on its own sphere (w, x, z), is moved back to the boundary and then moves along it;
- elbows (a hinge and a twist) alternate between their two circles.

A rotation is only replaced by a better one, so a sweep never increases the sum of squares.
"""

import math
from dataclasses import dataclass
from typing import Final, Protocol

from .alignment import STILL, Davenport, Turned, climbed, level_on_circle, levelled, on_circle
from .arithmetic import (
    IDENTITY,
    Arithmetic,
    Number,
    Quaternion,
    Vector,
    combined,
    inner,
    multiply,
    normalized,
)
from .bending import Bending
from .curved import Curved
from .swinging import CLIMBS, Ball, beside, joined, split, swing_vector

_ELBOW_ROUNDS: Final = 4


class Turning(Protocol):
    """How one kind of joint rotates. Radians; rotations (x, y, z) are Swing(x, z) @ Twist(y)."""

    def start(self, m: Arithmetic, turns: Vector) -> Turned:
        """The rotation of the coordinates."""
        ...

    def best(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number, several: bool) -> Turned:
        """The best rotation within the limits, starting at this one; `several`: K has more than one pair."""
        ...

    def levelled(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number, level: Number) -> Turned:
        """The rotation near this one, within the limits, whose worth u^T K u is nearest to `level`."""
        ...

    def mixed(self, m: Arithmetic, old: Turned, new: Turned, share: Number) -> Turned:
        """The rotation at `share` of the path from old to new, or beyond; inside the limits."""
        ...

    def numbers(self, turned: Turned) -> tuple[Number, ...]:
        """The parameters of a rotation, which can be interpolated linearly."""
        ...

    def of_numbers(self, m: Arithmetic, numbers: tuple[Number, ...]) -> Turned:
        """The rotation of such parameters inside the limits, or one near it."""
        ...

    def nudged(self, m: Arithmetic, turned: Turned, angle: float) -> Turned:
        """A rotation near this one, inside the limits: leaves a stationary point."""
        ...

    def turns(self, m: Arithmetic, turned: Turned, near: Vector) -> Vector:
        """The coordinates; angles with several equivalents are those nearest to `near`."""
        ...


def turning(free: str, lower: Vector, upper: Vector, fixed: Vector) -> Turning:
    """The kind of a joint.

    Args:
        free: its free rotations, letters of "xyz", at least one.
        lower, upper: limits of x, y, z in radians, infinite for none; only those of free rotations are used.
        fixed: values of the rotations that are not free.
    """
    swings = [axis for axis in (0, 2) if "xyz"[axis] in free]
    twists = "y" in free
    if len(swings) == 2:
        limited = any(math.isfinite(limit) for axis in (0, 2) for limit in (lower[axis], upper[axis]))
        if twists and not limited and not (math.isfinite(lower[1]) or math.isfinite(upper[1])):
            return Free()
        twist = (lower[1], upper[1]) if twists else (fixed[1], fixed[1])
        return Ball.bounded(lower, upper, twist)
    if not swings:
        swing = _swing_quaternion(fixed[0], fixed[2])
        return Hinge(1, fixed, swing, multiply(swing, (0.0, 0.0, 1.0, 0.0)), lower[1], upper[1])
    axis = swings[0]
    if fixed[2 - axis] != 0.0:
        if not twists:
            lower, upper = ((x, fixed[1], z) for x, _, z in (lower, upper))
        return Curved(axis, lower, upper, twists, fixed)
    unit = (0.0, 1.0, 0.0, 0.0) if axis == 0 else (0.0, 0.0, 0.0, 1.0)
    if twists:
        return Elbow(axis, lower, upper, unit)
    twist_only = (math.cos(fixed[1] / 2), 0.0, math.sin(fixed[1] / 2), 0.0)
    return Hinge(axis, fixed, twist_only, multiply(unit, twist_only), lower[axis], upper[axis])


def _swing_quaternion(x: float, z: float) -> Quaternion:
    half = math.hypot(x, z) / 2
    factor = 0.5 * math.sin(half) / half if half > 1e-9 else 0.5
    return math.cos(half), factor * x, 0.0, factor * z


def _nodded(turned: Quaternion, angle: float) -> Quaternion:
    """The rotation after another about the joint's own x axis."""
    return multiply(turned, (math.cos(angle / 2), math.sin(angle / 2), 0.0, 0.0))


@dataclass(frozen=True)
class Free:
    """A ball without limits; it has no parameters but the quaternion."""

    def start(self, m: Arithmetic, turns: Vector) -> Turned:
        """See `Turning.start`."""
        x, y, z = turns
        half = 0.5 * m.sqrt(x * x + z * z)
        small = half < 1e-9
        factor = m.where(small, 0.5, 0.5 * m.sin(half) / m.where(small, 1.0, half))
        sign = m.where(m.cos(half) < 0.0, -1.0, 1.0)
        return joined(m, sign * factor * x, sign * factor * z, y), ()

    def best(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number, several: bool) -> Turned:
        """See `Turning.best`."""
        u = turned[0]
        for _ in range(CLIMBS if several else 1):
            u = climbed(m, k, size, u)
        return u, ()

    def levelled(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number, level: Number) -> Turned:
        """See `Turning.levelled`."""
        return levelled(m, k, size, turned[0], level), ()

    def mixed(self, m: Arithmetic, old: Turned, new: Turned, share: Number) -> Turned:
        """See `Turning.mixed`."""
        u, v = old[0], new[0]
        sign = m.where(inner(u, v) < 0.0, -1.0, 1.0)
        cosine = m.minimum(abs(inner(u, v)), 1.0)
        angle = m.atan2(m.sqrt(m.maximum(1.0 - cosine * cosine, 0.0)), cosine)
        sine = m.sin(angle)
        small = sine < 1e-6
        sine = m.where(small, 1.0, sine)
        a = m.where(small, 1.0 - share, m.sin((1.0 - share) * angle) / sine)
        b = m.where(small, share, m.sin(share * angle) / sine)
        return normalized(m, combined(u, a, v, b * sign)), ()

    def numbers(self, turned: Turned) -> tuple[Number, ...]:
        """See `Turning.numbers`."""
        return turned[0]

    def of_numbers(self, m: Arithmetic, numbers: tuple[Number, ...]) -> Turned:
        """See `Turning.of_numbers`."""
        w, x, y, z = numbers
        factor = 1.0 / m.sqrt(m.maximum(inner((w, x, y, z), (w, x, y, z)), 1e-30))
        return (w * factor, x * factor, y * factor, z * factor), ()

    def nudged(self, m: Arithmetic, turned: Turned, angle: float) -> Turned:
        """See `Turning.nudged`."""
        return _nodded(turned[0], angle), ()

    def turns(self, m: Arithmetic, turned: Turned, near: Vector) -> Vector:
        """See `Turning.turns`."""
        sx, sz, twist = split(m, turned[0], near[1])
        x, z = swing_vector(m, m.sqrt(m.maximum(1.0 - sx * sx - sz * sz, 0.0)), sx, sz)
        return x, twist, z


@dataclass(frozen=True)
class Hinge:
    """One free rotation: cos(a/2) zero + sin(a/2) quarter; the parameter is a.

    Attributes:
        axis: 0, 1 or 2, the free rotation; fixed: values of the others.
    """

    axis: int
    fixed: Vector
    zero: Quaternion
    quarter: Quaternion
    lower: float
    upper: float

    def _turned(self, m: Arithmetic, angle: Number) -> Turned:
        return combined(self.zero, m.cos(0.5 * angle), self.quarter, m.sin(0.5 * angle)), (angle,)

    def start(self, m: Arithmetic, turns: Vector) -> Turned:
        """See `Turning.start`."""
        return self._turned(m, turns[self.axis])

    def best(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number, several: bool) -> Turned:
        """See `Turning.best`."""
        current = turned[1][0]
        return self._turned(
            m, on_circle(m, k, size, self.zero, self.quarter, current, self.lower, self.upper)
        )

    def levelled(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number, level: Number) -> Turned:
        """See `Turning.levelled`."""
        current = turned[1][0]
        return self._turned(
            m, level_on_circle(m, k, size, self.zero, self.quarter, current, self.lower, self.upper, level)
        )

    def mixed(self, m: Arithmetic, old: Turned, new: Turned, share: Number) -> Turned:
        """See `Turning.mixed`."""
        return self.of_numbers(m, (old[1][0] + share * (new[1][0] - old[1][0]),))

    def numbers(self, turned: Turned) -> tuple[Number, ...]:
        """See `Turning.numbers`."""
        return turned[1]

    def of_numbers(self, m: Arithmetic, numbers: tuple[Number, ...]) -> Turned:
        """See `Turning.of_numbers`."""
        return self._turned(m, m.minimum(m.maximum(numbers[0], self.lower), self.upper))

    def nudged(self, m: Arithmetic, turned: Turned, angle: float) -> Turned:
        """See `Turning.nudged`."""
        return self._turned(m, beside(m, turned[1][0], angle, self.lower, self.upper))

    def turns(self, m: Arithmetic, turned: Turned, near: Vector) -> Vector:
        """See `Turning.turns`."""
        x, y, z = self.fixed
        angle = turned[1][0]
        return (angle, y, z) if self.axis == 0 else (x, angle, z) if self.axis == 1 else (x, y, angle)


@dataclass(frozen=True)
class Elbow(Bending):
    """A hinge about x or z after a twist.

    Attributes:
        unit: the half turn of the hinge, as a quaternion.
    """

    unit: Quaternion

    def turned(self, m: Arithmetic, bend: Number, twist: Number) -> Turned:
        """See `Bending.turned`."""
        hinge = combined(IDENTITY, m.cos(0.5 * bend), self.unit, m.sin(0.5 * bend))
        return multiply(hinge, (m.cos(0.5 * twist), 0.0, m.sin(0.5 * twist), 0.0)), (bend, twist)

    def best(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number, several: bool) -> Turned:
        """See `Turning.best`."""
        bend, twist = turned[1]
        low, high = self.lower, self.upper
        resting: Number = False
        for _ in range(_ELBOW_ROUNDS):
            zero: Quaternion = (m.cos(0.5 * twist), 0.0, m.sin(0.5 * twist), 0.0)
            quarter = multiply(self.unit, zero)
            to_bend = on_circle(m, k, size, zero, quarter, bend, low[self.axis], high[self.axis])
            zero = combined(IDENTITY, m.cos(0.5 * to_bend), self.unit, m.sin(0.5 * to_bend))
            quarter = multiply(zero, (0.0, 0.0, 1.0, 0.0))
            to_twist = on_circle(m, k, size, zero, quarter, twist, low[1], high[1])
            moved = abs(to_bend - bend) + abs(to_twist - twist)
            bend, twist = m.where(resting, bend, to_bend), m.where(resting, twist, to_twist)
            resting = moved < STILL
            if m.all(resting):
                break
        return self.turned(m, bend, twist)

    def turns(self, m: Arithmetic, turned: Turned, near: Vector) -> Vector:
        """See `Turning.turns`."""
        bend, twist = turned[1]
        return (bend, twist, 0.0) if self.axis == 0 else (0.0, twist, bend)
