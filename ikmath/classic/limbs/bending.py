# SPDX-License-Identifier: GPL-3.0-or-later
"""The common part of joints that bend about x or z after a twist."""

from dataclasses import dataclass

from .alignment import Davenport, Turned
from .arithmetic import Arithmetic, Number, Vector
from .swinging import beside, between, ends


@dataclass(frozen=True)
class Bending:
    """A joint whose rotation has two parameters, bend and twist.

    Attributes:
        axis: 0 to bend about x, 2 about z.
        lower, upper: limits of the rotations x, y, z; only those of the bend and the twist are used.
    """

    axis: int
    lower: Vector
    upper: Vector

    def turned(self, m: Arithmetic, bend: Number, twist: Number) -> Turned:
        """The rotation of two angles."""
        raise TypeError(f"{type(self).__name__} must implement a turn.")

    def best(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number, several: bool) -> Turned:
        """See `Turning.best`."""
        raise TypeError(f"{type(self).__name__} must implement the best turn.")

    def start(self, m: Arithmetic, turns: Vector) -> Turned:
        """See `Turning.start`."""
        return self.turned(m, turns[self.axis], turns[1])

    def levelled(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number, level: Number) -> Turned:
        """See `Turning.levelled`."""
        return between(m, self, turned, k, size, level)

    def extremes(self, m: Arithmetic, turned: Turned) -> list[Turned]:
        """The ends of the bend's interval, at most half a turn away."""
        bend, twist = turned[1]
        return [
            self.turned(m, end, twist) for end in ends(m, bend, self.lower[self.axis], self.upper[self.axis])
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
        return self.turned(m, bend, m.minimum(m.maximum(twist, self.lower[1]), self.upper[1]))

    def nudged(self, m: Arithmetic, turned: Turned, angle: float) -> Turned:
        """See `Turning.nudged`."""
        bend, twist = turned[1]
        return self.turned(m, beside(m, bend, angle, self.lower[self.axis], self.upper[self.axis]), twist)
