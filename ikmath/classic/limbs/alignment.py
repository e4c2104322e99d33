# SPDX-License-Identifier: GPL-3.0-or-later
"""The rotation that best aligns points with their targets, by great circles of quaternions.

For points e_k and targets t_k, the rotation R minimises `sum w |R e - t|^2`. That maximises `u^T K u` over
unit quaternions u, with the symmetric matrix K of Davenport (the q-method for Wahba's problem). On a great
circle `cos(a) u + sin(a) d` this is `mean + swell cos(2a - phase)`. So its maximum, and the angles where it
has a given value (a point at a given distance from another), have closed forms. Joints with fewer degrees of
freedom are subsets of the quaternion sphere, with the same formulas. Below, `u^T K u` is the *worth* of a
rotation.
"""

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

from .arithmetic import (
    TINY,
    Arithmetic,
    Number,
    Quaternion,
    Vector,
    chosen,
    combined,
    half_turn,
    inner,
    multiply,
    normalized,
)

Pair: TypeAlias = tuple[Vector, Vector, Number]
"""A carried point (joint frame), its target (rest frame), and the weight."""
Davenport: TypeAlias = tuple[Number, ...]
"""ww wx wy wz xx xy xz yy yz zz of the symmetric matrix."""
Turned: TypeAlias = tuple[Quaternion, tuple[Number, ...]]
"""A joint's rotation as a quaternion, and its parameters."""

STILL: Final = 1e-12  # share of the largest possible value; smaller slopes are rounding errors
_TURN: Final = 2.0 * math.pi


def davenport(pairs: Sequence[Pair]) -> tuple[Davenport, Number]:
    """K of the pairs, and a bound of its entries, relative to which slopes count as zero."""
    xx: Number = 0.0
    xy: Number = 0.0
    xz: Number = 0.0
    yx: Number = 0.0
    yy: Number = 0.0
    yz: Number = 0.0
    zx: Number = 0.0
    zy: Number = 0.0
    zz: Number = 0.0
    size: Number = TINY
    for (ex, ey, ez), (tx, ty, tz), weight in pairs:
        tx, ty, tz = tx * weight, ty * weight, tz * weight
        xx, xy, xz = xx + tx * ex, xy + tx * ey, xz + tx * ez
        yx, yy, yz = yx + ty * ex, yy + ty * ey, yz + ty * ez
        zx, zy, zz = zx + tz * ex, zy + tz * ey, zz + tz * ez
        size = size + (abs(tx) + abs(ty) + abs(tz)) * (abs(ex) + abs(ey) + abs(ez))
    trace = xx + yy + zz
    k = (
        trace, zy - yz, xz - zx, yx - xy,
        2.0 * xx - trace, xy + yx, xz + zx,
        2.0 * yy - trace, yz + zy,
        2.0 * zz - trace,
    )  # fmt: skip
    return k, size


def applied(k: Davenport, u: Quaternion) -> Quaternion:
    """The product K u."""
    ww, wx, wy, wz, xx, xy, xz, yy, yz, zz = k
    w, x, y, z = u
    return (
        ww * w + wx * x + wy * y + wz * z,
        wx * w + xx * x + xy * y + xz * z,
        wy * w + xy * x + yy * y + yz * z,
        wz * w + xz * x + yz * y + zz * z,
    )


def wrapped(m: Arithmetic, angle: Number) -> Number:
    """The equivalent angle nearest to zero."""
    return angle - _TURN * m.rint(angle / _TURN)


def fitted(m: Arithmetic, angle: Number, current: Number, low: float, high: float) -> Number:
    """The angle plus whole turns, nearest to the current one if inside, else clipped to [low, high]."""
    near = current + wrapped(m, angle - current)
    if low == -math.inf and high == math.inf:
        return near
    if low == -math.inf:
        middle = high - math.pi
    elif high == math.inf:
        middle = low + math.pi
    else:
        middle = 0.5 * (low + high)
    other = m.minimum(m.maximum(middle + wrapped(m, angle - middle), low), high)
    return m.where((near >= low) & (near <= high), near, other)


def value(k: Davenport, u: Quaternion) -> Number:
    """The worth of a rotation: u^T K u = sum w t . R e."""
    return inner(u, applied(k, u))


def _wave(k: Davenport, zero: Quaternion, quarter: Quaternion) -> tuple[Number, Number, Number]:
    """(mean, cosine, sine): the worth at cos(a/2) zero + sin(a/2) quarter is their wave over a."""
    k_zero, k_quarter = applied(k, zero), applied(k, quarter)
    at_zero, at_quarter = inner(zero, k_zero), inner(quarter, k_quarter)
    return 0.5 * (at_zero + at_quarter), 0.5 * (at_zero - at_quarter), inner(zero, k_quarter)


def on_circle(
    m: Arithmetic,
    k: Davenport,
    size: Number,
    zero: Quaternion,
    quarter: Quaternion,
    current: Number,
    low: float,
    high: float,
) -> Number:
    """The best angle a in [low, high] of the rotations cos(a/2) zero + sin(a/2) quarter."""
    _, cosine, sine = _wave(k, zero, quarter)
    flat = cosine * cosine + sine * sine <= STILL * STILL * size * size
    best = fitted(m, m.atan2(sine, cosine + m.where(flat, 1.0, 0.0)), current, low, high)
    return m.where(flat, current, best)


def level_on_circle(
    m: Arithmetic,
    k: Davenport,
    size: Number,
    zero: Quaternion,
    quarter: Quaternion,
    current: Number,
    low: float,
    high: float,
    level: Number,
) -> Number:
    """The angle in [low, high], near the current one, whose worth is nearest to `level`."""
    mean, cosine, sine = _wave(k, zero, quarter)
    swell = m.sqrt(cosine * cosine + sine * sine)
    flat = swell <= STILL * size
    phase = m.atan2(sine, cosine + m.where(flat, 1.0, 0.0))
    ratio = m.minimum(m.maximum((level - mean) / m.where(flat, 1.0, swell), -1.0), 1.0)
    way = m.atan2(m.sqrt(m.maximum((1.0 - ratio) * (1.0 + ratio), 0.0)), ratio)
    one, other = (fitted(m, phase + side * way, current, low, high) for side in (1.0, -1.0))
    miss, other_miss = (abs(mean + swell * m.cos(angle - phase) - level) for angle in (one, other))
    even = abs(miss - other_miss) <= 1e-9 * size
    nearer = abs(one - current) <= abs(other - current)
    best = m.where(m.where(even, nearer, miss < other_miss), one, other)
    return m.where(flat, current, best)


def gradient_circle(
    m: Arithmetic, k: Davenport, size: Number, u: Quaternion
) -> tuple[Quaternion, Number, Number]:
    """The direction d, orthogonal to u, in which the worth of an unlimited rotation grows fastest.

    At a stationary point, it is the joint's own axis about which the worth changes most.

    Returns:
        d, the worth of u, and whether the worth changes along d.
    """
    g = applied(k, u)
    worth = inner(u, g)
    r = combined(g, 1.0, u, -worth)
    slope = m.sqrt(inner(r, r))
    slopes = slope > STILL * size
    leads = slopes
    if not m.all(slopes):
        side, change = _best_side(m, k, u, worth)
        leads = slopes | (change > STILL * size)
        r, slope = chosen(m, slopes, r, side), m.where(slopes, slope, 1.0)
    d = combined(r, 1.0 / slope, u, 0.0)
    return normalized(m, combined(d, 1.0, u, -inner(d, u))), worth, leads


def climbed(m: Arithmetic, k: Davenport, size: Number, u: Quaternion) -> Quaternion:
    """One step to the maximum on the great circle along the gradient, without limits.

    With one pair this is the shortest rotation to the best place.
    """
    better, cosine = _top(m, k, size, u)
    far = cosine < 0.07
    if m.any(far):  # near the worst place the direction is mostly rounding error: repeat
        better = chosen(m, far, _top(m, k, size, better)[0], better)
    return better


def _top(m: Arithmetic, k: Davenport, size: Number, u: Quaternion) -> tuple[Quaternion, Number]:
    """Maximum on the gradient's circle, and the cosine of half the rotation angle to it."""
    d, worth, leads = gradient_circle(m, k, size, u)
    k_d = applied(k, d)
    y, x = 2.0 * inner(u, k_d), worth - inner(d, k_d)
    if not m.all(leads):
        y, x = m.where(leads, y, 0.0), m.where(leads, x, 1.0)
    c, s = half_turn(m, y, x)
    return normalized(m, combined(u, c, d, s)), c


def levelled(m: Arithmetic, k: Davenport, size: Number, u: Quaternion, level: Number) -> Quaternion:
    """The unlimited rotation nearest to u, on the circle of its gradient, with a worth nearest to `level`."""
    d, _, leads = gradient_circle(m, k, size, u)
    mean, cosine, sine = _wave(k, u, d)
    swell = m.sqrt(cosine * cosine + sine * sine)
    leads = leads & (swell > STILL * size)
    swell = m.where(leads, swell, 1.0)
    cosine, sine = cosine / swell, sine / swell
    ratio = m.minimum(m.maximum((level - mean) / swell, -1.0), 1.0)
    across = m.sqrt((1.0 - ratio) * (1.0 + ratio))
    # the two solutions are at phase minus and plus acos(ratio); the nearer one has the larger cosine
    sign = m.where(sine >= 0.0, 1.0, -1.0)
    x = cosine * ratio + sign * sine * across
    y = sine * ratio - sign * cosine * across
    c, s = half_turn(m, m.where(leads, y, 0.0), m.where(leads, x, 1.0))
    return normalized(m, combined(u, c, d, s))


def _best_side(m: Arithmetic, k: Davenport, u: Quaternion, worth: Number) -> tuple[Quaternion, Number]:
    """The half turn about one of the joint's own axes that changes the worth most, and this change."""
    side = multiply(u, (0.0, 1.0, 0.0, 0.0))
    change = abs(value(k, side) - worth)
    for axis in ((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.0)):
        other = multiply(u, axis)
        other_change = abs(value(k, other) - worth)
        better = other_change > change * (1.0 + 1e-9)
        side, change = chosen(m, better, other, side), m.where(better, other_change, change)
    return side, change
