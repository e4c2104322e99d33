# SPDX-License-Identifier: GPL-3.0-or-later
"""The joint that turns about no fixed axis: one swing is free, the other is held at a value other than zero.

Figures have such joints hardly ever (a bone with one axis locked in a pose that is not its rest), but they
are part of what a skeleton may hold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .alignment import Davenport, Turned, on_circle
from .arithmetic import Arithmetic, Number, Quaternion, Vector, multiply
from .swinging import beside, between, ends, preferred, twist_turn


@dataclass(frozen=True)
class Curved:
    """One free swing while the other swing is held at a value other than zero; with or without a twist.

    The turn then is about no fixed axis and the curve is no circle, so it is searched: a fine comb, drawn
    closer and closer about its best tooth. Figures have such joints hardly ever. Parameters: the free swing
    and the twist.
    """

    axis: int
    twists: bool
    lower: Vector
    upper: Vector
    fixed: Vector

    def _swing(self, m: Arithmetic, bend: Number) -> Quaternion:
        other = self.fixed[2 - self.axis]
        x, z = (bend, other) if self.axis == 0 else (other, bend)
        half = 0.5 * m.sqrt(x * x + z * z)
        factor = 0.5 * m.sin(half) / half
        return m.cos(half), factor * x, 0.0, factor * z

    def _turned(self, m: Arithmetic, bend: Number, twist: Number) -> Turned:
        return multiply(self._swing(m, bend), twist_turn(m, twist)), (bend, twist)

    def start(self, m: Arithmetic, turns: Vector) -> Turned:
        """See `Turning.start`."""
        return self._turned(m, turns[self.axis], turns[1])

    def best(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number, several: bool) -> Turned:
        """See `Turning.best`."""
        low, high = self.lower[self.axis], self.upper[self.axis]
        for _ in range(2 if self.twists else 1):
            bend, twist = turned[1]
            middle, half_width = bend, math.pi
            for _ in range(24):
                for tooth in range(-4, 5):
                    place = m.minimum(m.maximum(middle + half_width * tooth / 4.0, low), high)
                    turned = preferred(m, k, turned, self._turned(m, place, twist))
                middle = turned[1][0]
                half_width *= 0.35
            if self.twists:
                bend = turned[1][0]
                swing = self._swing(m, bend)
                quarter = multiply(swing, (0.0, 0.0, 1.0, 0.0))
                twist = on_circle(m, k, size, swing, quarter, twist, self.lower[1], self.upper[1])
                turned = preferred(m, k, turned, self._turned(m, bend, twist))
        return turned

    def levelled(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number, level: Number) -> Turned:
        """See `Turning.levelled`."""
        return between(m, self, turned, k, size, level)

    def extremes(self, m: Arithmetic, turned: Turned) -> list[Turned]:
        """The ends of the interval, or half a turn to both sides."""
        return [
            self._turned(m, end, turned[1][1])
            for end in ends(m, turned[1][0], self.lower[self.axis], self.upper[self.axis])
        ]

    def mixed(self, m: Arithmetic, old: Turned, new: Turned, share: Number) -> Turned:
        """See `Turning.mixed`."""
        (a, b), (c, d) = old[1], new[1]
        return self.of_numbers(m, (a + share * (c - a), b + share * (d - b)))

    def numbers(self, turned: Turned) -> tuple[Number, ...]:
        """See `Turning.numbers`."""
        return turned[1]

    def of_numbers(self, m: Arithmetic, numbers: tuple[Number, ...]) -> Turned:
        """See `Turning.of_numbers`."""
        bend, twist = numbers
        bend = m.minimum(m.maximum(bend, self.lower[self.axis]), self.upper[self.axis])
        if self.twists:
            twist = m.minimum(m.maximum(twist, self.lower[1]), self.upper[1])
        return self._turned(m, bend, twist)

    def nudged(self, m: Arithmetic, turned: Turned, angle: float) -> Turned:
        """See `Turning.nudged`."""
        bend, twist = turned[1]
        return self._turned(m, beside(m, bend, angle, self.lower[self.axis], self.upper[self.axis]), twist)

    def turns(self, m: Arithmetic, turned: Turned, near: Vector) -> Vector:
        """See `Turning.turns`."""
        bend, twist = turned[1]
        y = twist if self.twists else self.fixed[1]
        return (bend, y, self.fixed[2]) if self.axis == 0 else (self.fixed[0], y, bend)
