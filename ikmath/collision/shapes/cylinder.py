# SPDX-License-Identifier: GPL-3.0-or-later
"""A solid cylinder with flat ends: a table leg, a barrel, a pillar.

The signed distance of a convex solid is convex along a bone, so its minimum is unique. It is found exactly:
the bone is cut where the nearest feature changes (side, flat end, rim), on each piece but the rim's the
minimum has a closed form, and beside the rim a bracketed Newton iteration finishes.
"""

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from ...arrays import Array
from ...errors import BadValue
from ..narrow_phase import Nearest
from ..vectors import TINY, clamp, directions, dot, length, off_both
from .solid import Solid

_NEWTON: Final = 30  # halvings included; five are the rule


@dataclass(frozen=True, eq=False)
class Cylinder(Solid):
    """A solid cylinder with flat ends.

    Args:
        a, b: (3,) centres of the two ends, metres.
        radius: metres, above zero.

    Raises:
        BadShape, BadValue: ends that coincide; see `Shape`.
    """

    kind: ClassVar[str] = "cylinder"
    label: ClassVar[str] = "Cylinder"
    description: ClassVar[str] = "A rod with flat ends"
    source: ClassVar[str] = "Ge 2000, A.4.3, with its flat ends measured exactly"

    a: npt.ArrayLike
    b: npt.ArrayLike
    radius: float

    def __post_init__(self) -> None:
        super().__post_init__()
        a, b = self._vector("a"), self._vector("b")
        self._length("radius")
        if not np.sqrt((b - a) @ (b - a)) > 0:
            raise BadValue(f"The ends of obstacle {self.name!r}", "coincide; a cylinder needs two places.")

    @property
    def parameters(self) -> Array:
        """(*frames, 8): middle and unit axis in the world, half length, radius."""
        a, b = np.asarray(self.a), np.asarray(self.b)
        half = 0.5 * float(np.sqrt((b - a) @ (b - a)))
        middle = self._placed(0.5 * (a + b))
        axis = self.rotation @ ((b - a) / (2.0 * half))
        return self._row(middle, axis, [half, self.radius])

    @property
    def bounds(self) -> tuple[Array, float]:
        """The ball through both rims."""
        rows = self.parameters
        return rows[..., :3], float(np.hypot(*rows.reshape(-1, 8)[0, 6:]))

    @staticmethod
    def segment_distance(a: Array, b: Array, parameters: Array) -> Nearest:
        """See `Solid.segment_distance`; inside, the deepest point."""
        start: Array = a - parameters[:, :3]
        along: Array = b - a
        parameter: Array = _Profile(start, along, parameters).minimum()
        local = start + parameter[:, None] * along
        distance, normal = _signed(local, parameters, along)
        return Nearest.of_segments(a, b, distance, parameter, normal)


def _signed(local: Array, parameters: Array, along: Array) -> tuple[Array, Array]:
    """Signed distance and normal of points (P, 3) from the middle; on the axis at right angles to `along`."""
    axis, half, radius = parameters[:, 3:6], parameters[:, 6], parameters[:, 7]
    height = dot(local, axis)
    radial = local - height[:, None] * axis
    spread = length(radial)
    outward = directions(radial, spread, 1e-13 * radius, lambda own: off_both(axis[own], along[own]))
    over_end, over_side = np.abs(height) - half, spread - radius
    beyond_end, beyond_side = np.maximum(over_end, 0.0), np.maximum(over_side, 0.0)
    outer = np.sqrt(beyond_end * beyond_end + beyond_side * beyond_side)
    inside = outer <= 0.0
    by_end = inside & (over_end > over_side)
    scale = np.where(inside, 1.0, outer)
    up = np.where(inside, by_end, beyond_end / scale) * np.where(height < 0.0, -1.0, 1.0)
    out = np.where(inside, ~by_end, beyond_side / scale)
    distance = outer + np.minimum(np.maximum(over_end, over_side), 0.0)
    return distance, up[:, None] * axis + out[:, None] * outward


class _Profile:
    """Signed distances along segments; height h + t dh, squared distance from the axis p t^2 + 2 q t + s."""

    def __init__(self, start: Array, along: Array, parameters: Array) -> None:
        axis = parameters[:, 3:6]
        self.h, self.dh = dot(start, axis)[:, None], dot(along, axis)[:, None]
        across, moving = start - self.h * axis, along - self.dh * axis
        self.p, self.q = dot(moving, moving)[:, None], dot(moving, across)[:, None]
        self.s = dot(across, across)[:, None]
        self.half, self.radius = parameters[:, 6:7], parameters[:, 7:8]

    def _cuts(self) -> Array:
        """Parameters at which a piece of the curve begins, ends or is lowest; (P, 14), sorted."""
        h, dh, p, q, s, half, radius = self.h, self.dh, self.p, self.q, self.s, self.half, self.radius
        levels = np.concatenate([-half, 0.0 * half, half], -1)
        heights = np.divide(levels - h, dh, out=np.zeros_like(levels), where=dh != 0.0)
        rounds = [_roots(p, q, s - radius * radius)]
        for sign in (1.0, -1.0):
            # inside, side and end are equally near where the distance from the axis is |height| - half +
            # radius
            lift, climb = sign * h - half + radius, sign * dh
            rounds.append(_roots(p - climb * climb, q - climb * lift, s - lift * lift))
        lowest = -q / np.maximum(p, TINY)
        ends = np.broadcast_to([0.0, 1.0], (len(h), 2))
        cuts: Array = clamp(np.concatenate([heights, *rounds, lowest, ends], -1))
        cuts.sort(-1)
        return cuts

    def _value(self, t: Array) -> Array:
        over_end = np.abs(self.h + t * self.dh) - self.half
        over_side = np.sqrt(np.maximum(self.p * t * t + 2.0 * self.q * t + self.s, 0.0)) - self.radius
        outer = np.hypot(np.maximum(over_end, 0.0), np.maximum(over_side, 0.0))
        return np.asarray(outer + np.minimum(np.maximum(over_end, over_side), 0.0))

    def _slopes(self, t: Array) -> tuple[Array, Array]:
        """First and second derivative of half the squared distance, outside; t is (P, 1)."""
        height = self.h + t * self.dh
        # nearer to the axis than the side it does not count, and on the axis it has no slope
        spread = np.maximum(np.sqrt(np.maximum(self.p * t * t + 2.0 * self.q * t + self.s, 0.0)), self.radius)
        beyond_end = np.maximum(np.abs(height) - self.half, 0.0)
        beyond_side = spread - self.radius
        rate = (self.p * t + self.q) / spread
        first = beyond_end * np.sign(height) * self.dh + beyond_side * rate
        bend = (self.p - rate * rate) / spread
        second = (beyond_end > 0) * self.dh**2 + (beyond_side > 0) * (rate * rate + beyond_side * bend)
        return first, second

    def minimum(self) -> Array:
        """Parameter of the lowest point; (P,)."""
        cuts = self._cuts()
        rows = np.arange(len(cuts))
        values = self._value(cuts)
        best = values.argmin(1)
        t: Array = cuts[rows, best][:, None]
        first, _ = self._slopes(t)
        open_ = (values[rows, best][:, None] > 0.0) & (np.abs(first) > 1e-15 * (self.p + self.dh**2))
        # a stretch of equal cuts is one cut: step over it to the true neighbours
        below = np.where(cuts < t, cuts, 0.0).max(1, keepdims=True)
        above = np.where(cuts > t, cuts, 1.0).min(1, keepdims=True)
        low, high = np.where(open_ & (first >= 0.0), below, t), np.where(open_ & (first < 0.0), above, t)
        # the zero of the slope, by Newton steps that never leave the bracket
        t = 0.5 * (low + high)
        for _ in range(_NEWTON):
            first, second = self._slopes(t)
            low, high = np.where(first < 0.0, t, low), np.where(first > 0.0, t, high)
            step = t - first / np.maximum(second, TINY)
            following = np.where((step >= low) & (step <= high), step, 0.5 * (low + high))
            still = np.abs(following - t) <= 1e-15
            t = following
            if still.all():
                break
        return t[:, 0]


def _roots(p: Array, q: Array, s: Array) -> Array:
    """Real roots of p t^2 + 2 q t + s; (P, 1) each -> (P, 2)."""
    root = np.sqrt(np.maximum(q * q - p * s, 0.0))
    far = -(q + np.where(q < 0.0, -root, root))  # the sum that loses no digits
    first = far / np.where(np.abs(p) > TINY, p, 1.0)
    second = s / np.where(np.abs(far) > TINY, far, 1.0)
    roots = np.concatenate([first, second], -1)
    return np.where(np.isfinite(roots), roots, 0.0)
