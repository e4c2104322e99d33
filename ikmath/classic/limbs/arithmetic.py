# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors and quaternions as tuples of components, each a float or an array of frames.

The geometric methods do a few hundred multiplications per joint, one joint after the other. For one small
chain, numpy calls would cost ten times the arithmetic (measured: 0.5 us per call, 0.04 us per float
operation). For thousands of targets, arrays are needed. Written in components, the same code does both:
`FLOATS` for a single frame, `ARRAYS` for a batch, with frames along the only axis.

Quaternions are (w, x, y, z), of unit length if they are rotations.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

Number: TypeAlias = Any
"""A float, or an array (B,) with one value per frame."""
Vector: TypeAlias = tuple[Number, Number, Number]
Quaternion: TypeAlias = tuple[Number, Number, Number, Number]

TINY: Final = 1e-300
IDENTITY: Final[Quaternion] = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Arithmetic:
    """The functions that differ between a float and an array of frames.

    Attributes:
        where: (condition, a, b); both sides are always computed, so denominators must not be zero.
        any, all: of a condition, over the frames.
    """

    sqrt: Callable[[Number], Number]
    sin: Callable[[Number], Number]
    cos: Callable[[Number], Number]
    atan2: Callable[[Number, Number], Number]
    minimum: Callable[[Number, Number], Number]
    maximum: Callable[[Number, Number], Number]
    where: Callable[[Number, Number, Number], Number]
    rint: Callable[[Number], Number]
    any: Callable[[Number], bool]
    all: Callable[[Number], bool]


def _either(condition: bool, a: float, b: float) -> float:
    return a if condition else b


def _least(a: float, b: float) -> float:
    return a if a < b else b


def _most(a: float, b: float) -> float:
    return a if a > b else b


# Numpy's functions for floats too: they may differ from math's in the last bit, and a batch must give the
# same result as its frames one by one. Square roots and the rest are exact in both.
FLOATS: Final = Arithmetic(
    math.sqrt,
    lambda angle: float(np.sin(angle)),
    lambda angle: float(np.cos(angle)),
    lambda y, x: float(np.arctan2(y, x)),
    _least,
    _most,
    _either,
    round,
    bool,
    bool,
)
ARRAYS: Final = Arithmetic(
    np.sqrt,
    np.sin,
    np.cos,
    np.arctan2,
    np.minimum,
    np.maximum,
    np.where,
    np.rint,
    lambda condition: bool(np.any(condition)),
    lambda condition: bool(np.all(condition)),
)


def dot(a: Vector, b: Vector) -> Number:
    """Inner product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def add(a: Vector, b: Vector) -> Vector:
    """The sum a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def subtract(a: Vector, b: Vector) -> Vector:
    """The difference a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def scaled(a: Vector, factor: Number) -> Vector:
    """The product factor * a."""
    return a[0] * factor, a[1] * factor, a[2] * factor


def length(m: Arithmetic, a: Vector) -> Number:
    """Euclidean length."""
    return m.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """The rotation b followed by a."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def conjugate(a: Quaternion) -> Quaternion:
    """The inverse rotation."""
    return a[0], -a[1], -a[2], -a[3]


def rotate(a: Quaternion, v: Vector) -> Vector:
    """The vector v rotated by a."""
    w, x, y, z = a
    vx, vy, vz = v
    tx, ty, tz = 2.0 * (y * vz - z * vy), 2.0 * (z * vx - x * vz), 2.0 * (x * vy - y * vx)
    return vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, vz + w * tz + x * ty - y * tx


def inner(a: Quaternion, b: Quaternion) -> Number:
    """Inner product of two quaternions."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]


def combined(a: Quaternion, by_a: Number, b: Quaternion, by_b: Number) -> Quaternion:
    """The sum by_a * a + by_b * b."""
    return (
        a[0] * by_a + b[0] * by_b,
        a[1] * by_a + b[1] * by_b,
        a[2] * by_a + b[2] * by_b,
        a[3] * by_a + b[3] * by_b,
    )


def normalized(m: Arithmetic, a: Quaternion) -> Quaternion:
    """The quaternion a at unit length."""
    factor = 1.0 / m.sqrt(inner(a, a))
    return a[0] * factor, a[1] * factor, a[2] * factor, a[3] * factor


def half_turn(m: Arithmetic, y: Number, x: Number) -> tuple[Number, Number]:
    """Cosine and sine of half the angle atan2(y, x), without trigonometry; x and y not both zero."""
    r = m.sqrt(x * x + y * y)
    ahead = x >= 0.0
    large = m.sqrt(0.5 * (1.0 + abs(x) / r))
    small = 0.5 * abs(y) / (r * large)
    cosine, sine = m.where(ahead, large, small), m.where(ahead, small, large)
    return cosine, m.where(y < 0.0, -sine, sine)


def chosen(m: Arithmetic, condition: Number, a: Any, b: Any) -> Any:
    """`a` where the condition holds, else `b`, for each component; tuples of the same nesting."""
    if isinstance(a, tuple):
        return tuple(chosen(m, condition, x, y) for x, y in zip(a, b, strict=True))
    return m.where(condition, a, b)


def taken(values: Any, index: Any) -> Any:
    """The frames `index` of nested tuples and lists of arrays; constants are unchanged."""
    if isinstance(values, tuple | list):
        return type(values)(taken(value, index) for value in values)
    return values[index] if isinstance(values, np.ndarray) else values


def alone(values: Any, index: int) -> Any:
    """One frame of nested tuples and lists of arrays, as floats."""
    if isinstance(values, tuple | list):
        return type(values)(alone(value, index) for value in values)
    return values[index].item() if isinstance(values, np.ndarray) else values
