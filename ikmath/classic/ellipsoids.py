# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision test of two ellipsoids: the body parts of Ge's elephant are scaled spheres.

Ge (A.3) tests points of one ellipsoid's surface for being inside the other, which misses collisions between
the points. `collide` is exact. It computes the factor by which both must grow about their centres to touch
(Perram & Wertheim 1985); its square is the maximum of a concave function of one variable. They collide if the
factor is below one.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..errors import BadShape, BadValue
from ..rotation import Array

_STEPS: Final = 60  # Newton steps with bisection; usually six


@dataclass(frozen=True, eq=False)
class Ellipsoids:
    """One ellipsoid or a batch.

    Args:
        center: (*b, 3) metres.
        scale: (*b, 3) half axes, metres, above zero.
        rotation: (*b, 3, 3) from the ellipsoid's axes to world space.

    Raises:
        BadShape: an array has the wrong shape.
    """

    center: npt.ArrayLike
    scale: npt.ArrayLike
    rotation: npt.ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        for name, tail in (("center", (3,)), ("scale", (3,)), ("rotation", (3, 3))):
            value = arguments.numbers(getattr(self, name), f"{name} of the ellipsoids")
            if value.shape[-len(tail) :] != tail:
                raise BadShape(
                    f"{name} of the ellipsoids", f"(..., {', '.join(map(str, tail))})", value.shape
                )
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        if not (np.asarray(self.scale) > 0).all():
            raise BadValue("scale of the ellipsoids", "has a half axis that is not above zero.")

    def into_unit(self, points: Array) -> Array:
        """World points (*b, k, 3) in the space where the ellipsoid is the unit ball."""
        center, scale, rotation = (np.asarray(x) for x in (self.center, self.scale, self.rotation))
        result: Array = (points - center[..., None, :]) @ rotation / scale[..., None, :]
        return result

    def from_unit(self, points: Array) -> Array:
        """The inverse of `into_unit`; (k, 3) -> (*b, k, 3)."""
        center, scale, rotation = (np.asarray(x) for x in (self.center, self.scale, self.rotation))
        turned: Array = (points * scale[..., None, :]) @ np.swapaxes(rotation, -1, -2) + center[..., None, :]
        return turned


def collide(first: Ellipsoids, second: Ellipsoids) -> npt.NDArray[np.bool_]:
    """(*b,) whether ellipsoids overlap; touching does not count."""
    result: npt.NDArray[np.bool_] = growth(first, second) < 1.0
    return result


def growth(first: Ellipsoids, second: Ellipsoids) -> Array:
    """(*b,) factor by which both have to grow (or shrink) about their centres to touch.

    With A and B the matrices `R diag(scale^2) R^T` and r between the centres, its square is the maximum
    over l in [0, 1] of `l (1 - l) r^T [(1 - l) A + l B]^-1 r`. In the axes in which A is the unit matrix
    and B is diagonal that is a sum of three terms.
    """
    scale = np.asarray(first.scale)
    rotation = np.asarray(first.rotation)
    # the space in which the first is the unit ball
    gap = ((np.asarray(second.center) - np.asarray(first.center))[..., None, :] @ rotation)[..., 0, :] / scale
    axes = np.swapaxes(rotation, -1, -2) @ np.asarray(second.rotation)
    axes = axes * np.asarray(second.scale)[..., None, :] / scale[..., :, None]
    stretch, turn = np.linalg.eigh(axes @ np.swapaxes(axes, -1, -2))
    stretch, square = np.broadcast_arrays(stretch, (gap[..., None, :] @ turn)[..., 0, :] ** 2)
    low, high = np.zeros(square.shape[:-1]), np.ones(square.shape[:-1])
    share = 0.5 * (low + high)
    for _ in range(_STEPS):
        slope, bend = _slopes(share, stretch, square)
        low, high = np.where(slope > 0.0, share, low), np.where(slope > 0.0, high, share)
        step = share - slope / np.where(bend < 0.0, bend, -1.0)
        following = np.where((step > low) & (step < high), step, 0.5 * (low + high))
        done = np.abs(following - share).max(initial=0.0) <= 1e-15
        share = following
        if done:
            break
    between = 1.0 - share[..., None] + share[..., None] * stretch
    result: Array = np.sqrt(share * (1.0 - share) * (square / between).sum(-1))
    return result


def _slopes(share: Array, stretch: Array, square: Array) -> tuple[Array, Array]:
    """First and second derivative of the sum of `l (1 - l) y / (1 - l + l m)`.

    Each term is, up to a linear part, `-m y / ((m - 1)^2 (1 - l + l m))`, whence the second derivative below.
    """
    l = share[..., None]
    between = 1.0 - l + l * stretch
    # d/dl l (1 - l) / b = ((1 - l)^2 - m l^2) / b^2
    slope = (square * ((1.0 - l) ** 2 - stretch * l**2) / between**2).sum(-1)
    bend = (-2.0 * square * stretch / between**3).sum(-1)
    return slope, bend


def collide_by_slices(first: Ellipsoids, second: Ellipsoids, slices: int = 8) -> npt.NDArray[np.bool_]:
    """(*b,) Ge's own test (A.3): whether a point on slices of the first is inside the second.

    A positive result is always right. It misses collisions between the points, and a second ellipsoid that is
    completely inside the first.

    Args:
        first: the one with the points.
        second: the other one.
        slices: number of horizontal and of vertical slices.
    """
    if slices < 1:
        raise BadValue("slices", f"is {slices}; give one at least.")
    height = np.pi * np.arange(1, slices + 1) / (slices + 1)
    round_ = 2.0 * np.pi * np.arange(2 * slices) / (2 * slices)
    net = np.stack(
        [
            np.outer(np.sin(height), np.cos(round_)).ravel(),
            np.outer(np.sin(height), np.sin(round_)).ravel(),
            np.repeat(np.cos(height), 2 * slices),
        ],
        -1,
    )
    net = np.concatenate([net, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]])
    unit = second.into_unit(first.from_unit(net))
    result: npt.NDArray[np.bool_] = ((unit * unit).sum(-1) < 1.0).any(-1)
    return result
