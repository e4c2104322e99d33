# SPDX-License-Identifier: GPL-3.0-or-later
"""The joint without a fixed axis: one swing is free, the other is locked at a value other than zero.

Such joints are rare (a bone with one axis locked outside its rest pose), but a skeleton may have them.
"""

import math
from dataclasses import dataclass

from .alignment import Davenport, Turned, on_circle
from .arithmetic import Arithmetic, Number, Quaternion, Vector, multiply
from .bending import Bending
from .swinging import preferred, twist_turn


@dataclass(frozen=True)
class Curved(Bending):
    """One free swing, the other locked at a value other than zero; with or without a twist.

    The rotation has no fixed axis and its curve is no circle, so the best angle is searched on a grid that is
    refined around its best point.

    Attributes:
        twists: whether the twist is free; fixed: values of the locked rotations, x, y, z.
    """

    twists: bool
    fixed: Vector

    def _swing(self, m: Arithmetic, bend: Number) -> Quaternion:
        other = self.fixed[2 - self.axis]
        x, z = (bend, other) if self.axis == 0 else (other, bend)
        half = 0.5 * m.sqrt(x * x + z * z)
        factor = 0.5 * m.sin(half) / half
        return m.cos(half), factor * x, 0.0, factor * z

    def turned(self, m: Arithmetic, bend: Number, twist: Number) -> Turned:
        """See `Bending.turned`."""
        return multiply(self._swing(m, bend), twist_turn(m, twist)), (bend, twist)

    def best(self, m: Arithmetic, turned: Turned, k: Davenport, size: Number, several: bool) -> Turned:
        """See `Turning.best`."""
        low, high = self.lower[self.axis], self.upper[self.axis]
        for _ in range(2 if self.twists else 1):
            bend, twist = turned[1]
            middle, half_width = bend, math.pi
            for _ in range(24):
                for tooth in range(-4, 5):
                    place = m.minimum(m.maximum(middle + half_width * tooth / 4.0, low), high)
                    turned = preferred(m, k, turned, self.turned(m, place, twist))
                middle = turned[1][0]
                half_width *= 0.35
            if self.twists:
                bend = turned[1][0]
                swing = self._swing(m, bend)
                quarter = multiply(swing, (0.0, 0.0, 1.0, 0.0))
                twist = on_circle(m, k, size, swing, quarter, twist, self.lower[1], self.upper[1])
                turned = preferred(m, k, turned, self.turned(m, bend, twist))
        return turned

    def turns(self, m: Arithmetic, turned: Turned, near: Vector) -> Vector:
        """See `Turning.turns`."""
        bend, twist = turned[1]
        return (bend, twist, self.fixed[2]) if self.axis == 0 else (self.fixed[0], twist, bend)
