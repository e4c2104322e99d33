# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations as matrices, vectors, quaternions, and swing with twist; Euler angles are in `euler`.

One home for the conventions, so that no other file has to restate them: column vectors (`R @ v`),
right-handed turns in radians, quaternions as (w, x, y, z). Every function takes any leading batch axes.

Swing and twist: `R = exp([x, 0, z]) @ Ry(y)`. The twist turns about the long axis (local +Y, as a Blender
bone), the swing then leans that axis. It is the decomposition in which the limits of Blender's own inverse
kinematics act.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from .arrays import Array as Array
from .errors import BadShape

_TINY: Final = 1e-30  # below any angle squared that matters, keeps 0/0 away
_NEXT: Final = np.array([1, 2, 0])
_LAST: Final = np.array([2, 0, 1])


def arrays(values: npt.ArrayLike, what: str, *axes: int) -> Array:
    """An array (..., *axes); BadShape names it by what it is if it has others."""
    array = np.asarray(values, dtype=float)
    if array.shape[max(array.ndim - len(axes), 0) :] != axes:
        raise BadShape(what, f"(..., {', '.join(map(str, axes))})", array.shape)
    return array


def cross(a: Array, b: Array) -> Array:
    """Cross product along the last axis; several times quicker than `numpy.cross` on small arrays."""
    return a.take(_NEXT, -1) * b.take(_LAST, -1) - a.take(_LAST, -1) * b.take(_NEXT, -1)


def across(directions: Array) -> Array:
    """Two unit vectors at right angles to each unit vector and to each other; (..., 3) -> (..., 2, 3)."""
    first = cross(directions, np.eye(3)[np.abs(directions).argmin(-1)])
    first /= np.sqrt((first * first).sum(-1, keepdims=True))
    return np.stack([first, cross(directions, first)], -2)


def shortest(a: Array, b: Array) -> Array:
    """The smallest rotation (3, 3) that turns one unit vector (3,) to another one.

    Half a turn about an arbitrary axis if they are opposite.
    """
    axis = np.cross(a, b)
    size = float(np.linalg.norm(axis))
    if size < 1e-9:
        return np.eye(3) if a @ b > 0 else exp(np.pi * across(a)[0])
    return exp(np.arctan2(size, float(a @ b)) * axis / size)


def skew(v: npt.ArrayLike) -> Array:
    """The matrix `[v]x` with `[v]x @ w = v x w`; (..., 3) -> (..., 3, 3)."""
    v = arrays(v, "vector", 3)
    out = np.zeros((*v.shape, 3))
    out[..., 2, 1], out[..., 0, 2], out[..., 1, 0] = v[..., 0], v[..., 1], v[..., 2]
    return out - np.swapaxes(out, -1, -2)


def exp(v: npt.ArrayLike) -> Array:
    """Rotation about the axis v by the angle |v| (Rodrigues); (..., 3) -> (..., 3, 3)."""
    return matrix_from_quaternion(quaternion_from_vector(v))


def quaternion_from_vector(v: npt.ArrayLike) -> Array:
    """Quaternion (w, x, y, z) of the turn about v by |v|; (..., 3) -> (..., 4)."""
    v = arrays(v, "rotation vector", 3)
    half = 0.5 * np.sqrt((v * v).sum(-1, keepdims=True))
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * v], -1)


def vector_from_quaternion(q: npt.ArrayLike) -> Array:
    """Rotation vector of the shorter turn; inverse of `quaternion_from_vector` up to half a turn."""
    given = arrays(q, "quaternion", 4)
    short: Array = given * np.where(given[..., :1] < 0, -1.0, 1.0)
    sine = np.sqrt((short[..., 1:] ** 2).sum(-1, keepdims=True))
    turn = 2.0 * np.arctan2(sine, short[..., :1])
    # near zero: turn / sine -> 2 / w
    factor = np.where(sine > 1e-12, turn / np.maximum(sine, _TINY), 2.0 / np.maximum(short[..., :1], _TINY))
    return np.asarray(short[..., 1:] * factor)


def log(rotation: npt.ArrayLike) -> Array:
    """Rotation vector, the inverse of `exp` within half a turn; (..., 3, 3) -> (..., 3)."""
    return vector_from_quaternion(quaternion_from_matrix(rotation))


_DIFFERENCE: Final = np.column_stack([skew(np.eye(3)).reshape(3, 9).T, np.eye(3).ravel()])
"""(9, 4): a rotation, flat, -> its axis times 2 sin(angle), and its trace."""
_NO_TURN: Final = 1e-300  # keeps the angle of no turn from being exactly zero
_WIDE: Final = -0.9  # trace beyond which an axis read off the antisymmetric part loses digits


def log_and_derivative(rotation: Array) -> tuple[Array, Callable[[], Array]]:
    """Rotation vectors v (m, 3) of (m, 3, 3) rotations; and what gives their derivative by angular velocity.

    The derivative, (m, 3, 3), is the inverse of the exponential's left Jacobian,
    `k I - [v]x / 2 + (1 - k) u u^T` with `u = v / t`, `t = |v|`, `k = t/2 cot(t/2)`. Since a rotation is
    `cos t I + sin t [u]x + (1 - cos t) u u^T`, it is a sum of I, R and its transpose.
    """
    count = len(rotation)
    parts = rotation.reshape(count, 9).dot(_DIFFERENCE)
    axis, trace = parts[:, :3], parts[:, 3]
    if trace.min(initial=0.0) < _WIDE:
        v = log(rotation)  # near half a turn the antisymmetric part vanishes with its digits
        return v, partial(_log_derivative, v)
    sine = np.sqrt((axis * axis).sum(1) + _NO_TURN)
    ratio = np.arctan2(sine, trace - 1.0) / sine  # t / (2 sin t), 1/2 at zero

    def derivative() -> Array:
        cosine = 0.5 * (trace - 1.0)
        k = ratio * (1.0 + cosine)
        # where 1 - cos t is all rounding, so is what it multiplies
        share = (1.0 - k) / np.maximum(1.0 - cosine, 1e-12)
        half = 0.5 * share
        out: Array = np.multiply(rotation, (half - 0.5 * ratio)[:, None, None], order="C")
        out += rotation.swapaxes(1, 2) * (half + 0.5 * ratio)[:, None, None]
        out.reshape(count, 9)[:, ::4] += (k - share * cosine)[:, None]
        return out

    return axis * ratio[:, None], derivative


def _log_derivative(v: Array) -> Array:
    """(m, 3, 3) `I - [v]x / 2 + g [v]x^2`, what `log_and_derivative` gives, of rotation vectors (m, 3)."""
    g, _ = _bends((v * v).sum(1))
    out: Array = -0.5 * skew(v) + (g[:, None] * v)[:, :, None] * v[:, None, :]
    out[:, (0, 1, 2), (0, 1, 2)] += (1.0 - g * (v * v).sum(1))[:, None]
    return out


def _bends(square: Array) -> tuple[Array, Array]:
    """(m,) `g = (1 - t/2 cot(t/2)) / t^2` and its derivative by t over t, of squared angles (m,)."""
    small = square < 0.09  # radians squared; below it four terms of the series are exact enough
    near, t2 = np.where(small, square, 0.0), np.where(small, 1.0, square)
    half = 0.5 * np.sqrt(t2)
    cotangent = 1.0 / np.tan(half)
    g = np.where(
        small, 1 / 12 + near / 720 + near**2 / 30240 + near**3 / 1209600, (1.0 - half * cotangent) / t2
    )
    change = 0.5 * (half / np.sin(half) ** 2 - cotangent) / (t2 * 2.0 * half) - 2.0 * g / t2
    series = 1 / 360 + near / 7560 + near**2 / 201600 + near**3 / 5987520
    return g, np.where(small, series, change)


def log_curvature(v: Array, pull: Array) -> Array:
    """What `pull . v''` has beyond the change of the angular velocities; symmetric (m, 3, 3).

    For rotation vectors v (m, 3) of rotations that turn with angular velocities u and w, v changes with
    `D(v) u`, see `log_and_derivative`, and `pull . D'` with `u^T L w`, which this gives.
    """
    square, along = (v * v).sum(1), (pull * v).sum(1)
    g, change = _bends(square)
    outer = v[:, :, None] * pull[:, None, :]
    lines = v[:, :, None] * v[:, None, :]
    bent = 0.5 * skew(pull) + g[:, None, None] * (outer.swapaxes(1, 2) - 2.0 * outer)
    bent += (change * along)[:, None, None] * lines - (change * square)[:, None, None] * outer
    bent[:, (0, 1, 2), (0, 1, 2)] += (g * along)[:, None]
    out: Array = np.matmul(_log_derivative(v).swapaxes(1, 2), bent)
    return 0.5 * (out + out.swapaxes(1, 2))


def axial(matrix: Array) -> Array:
    """(..., 3, 3) -> (..., 3), the a of `M - M^T = [a]x`; of a rotation its axis times 2 sin(angle)."""
    flat = matrix.reshape(*matrix.shape[:-2], 9)
    return np.asarray(flat[..., (7, 2, 3)] - flat[..., (5, 6, 1)])


def angle(rotation: npt.ArrayLike) -> Array:
    """Angle of a rotation in [0, pi], exact near both ends; (..., 3, 3) -> (...)."""
    m = arrays(rotation, "rotation", 3, 3)
    axis = axial(m)
    return np.asarray(np.arctan2(np.sqrt((axis * axis).sum(-1)), np.trace(m, axis1=-2, axis2=-1) - 1.0))


def _linear_maps() -> tuple[Array, Array]:
    """Both conversions between quaternion and matrix are linear in products; these are the maps."""
    # (10, 9): `PRODUCTS` of a quaternion of squared length 2 -> rotation matrix minus identity;
    # (9, 16): rotation matrix -> 4 q_i q_j minus identity, in whose rows Shepperd's four quaternions stand
    w, x, y, z = range(4)
    to_matrix = np.zeros((4, 4, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        to_matrix[1 + j, 1 + j, i, i] = to_matrix[1 + k, 1 + k, i, i] = -0.5
        to_matrix[1 + i, 1 + j, i, j] = to_matrix[1 + i, 1 + j, j, i] = 1.0
        to_matrix[w, 1 + k, j, i], to_matrix[w, 1 + k, i, j] = 1.0, -1.0
    to_products = np.zeros((3, 3, 4, 4))
    for i, signs in enumerate(((1, 1, -1, -1), (1, -1, 1, -1), (1, -1, -1, 1))):
        to_products[i, i, range(4), range(4)] = signs
    for one, other, i, j in ((y, z, 1, 2), (z, x, 2, 0), (x, y, 0, 1)):
        axis = 6 - one - other
        to_products[j, i, (w, axis), (axis, w)], to_products[i, j, (w, axis), (axis, w)] = 1.0, -1.0
        to_products[i, j, (one, other), (other, one)] = to_products[j, i, (one, other), (other, one)] = 1.0
    both_orders = to_matrix + to_matrix.swapaxes(0, 1)
    return both_orders[tuple(PRODUCTS)].reshape(10, 9), to_products.reshape(9, 16)


PRODUCTS: Final = np.array(np.triu_indices(4))
"""(2, 10) which two of a quaternion's numbers make each product; `TO_MATRIX` maps products to rotations."""
TO_MATRIX, _TO_PRODUCTS = _linear_maps()
_IDENTITY_MATRIX, _IDENTITY_PRODUCTS = np.eye(3).ravel(), np.eye(4).ravel()


def matrix_from_quaternion(q: npt.ArrayLike) -> Array:
    """(..., 4) as (w, x, y, z), of any length but zero -> (..., 3, 3)."""
    given = arrays(q, "quaternion", 4)
    unit = given * np.sqrt(2.0 / np.maximum((given * given).sum(-1, keepdims=True), _TINY))
    first, second = PRODUCTS
    products = unit.take(first, -1) * unit.take(second, -1)
    return np.asarray(products @ TO_MATRIX + _IDENTITY_MATRIX).reshape(*given.shape[:-1], 3, 3)


def quaternion_from_matrix(rotation: npt.ArrayLike) -> Array:
    """(..., 3, 3) -> (..., 4) as (w, x, y, z) with w >= 0.

    The four ways to divide are all formed and the one with the largest divisor is taken (Shepperd), so that
    no angle loses digits.
    """
    m = arrays(rotation, "rotation", 3, 3)
    rows = m.reshape(-1, 9) @ _TO_PRODUCTS + _IDENTITY_PRODUCTS
    q = rows.reshape(-1, 4, 4)[np.arange(len(rows)), rows[:, ::5].argmax(-1)]
    q = q / np.copysign(np.sqrt((q * q).sum(-1, keepdims=True)), q[:, :1])
    return np.asarray(q).reshape(*m.shape[:-2], 4)


RIGHT: Final = np.array([[0, 5, 6, 7], [1, 0, 3, 6], [2, 7, 0, 1], [3, 2, 5, 0]])
"""(4, 4) where the matrix M of `a b = M @ a` has its entries: in the numbers of b, then of -b."""


def multiply_quaternions(a: Array, b: Array) -> Array:
    """The turn b, then a: (..., 4) times (..., 4)."""
    right = np.concatenate([b, -b], -1).take(RIGHT, -1)
    return np.asarray(np.matmul(right, a[..., None])[..., 0])


def sine_and_cosine(turn: Array) -> tuple[Array, Array]:
    """Sine and cosine of many angles (...), from the tangent of their halves.

    One function instead of two, and one that numpy has in vectors where it takes sines and cosines one by
    one: ten times as quick there (measured with AVX-512), and nowhere slower.
    """
    tangent = np.tan(0.5 * turn)
    cosine = tangent * tangent
    cosine += 1.0
    np.divide(2.0, cosine, out=cosine)
    tangent *= cosine
    cosine -= 1.0
    return tangent, cosine


def about(axis: int, turn: npt.ArrayLike) -> Array:
    """Rotation about the coordinate axis 0, 1 or 2; (...) -> (..., 3, 3)."""
    turn = np.asarray(turn, dtype=float)
    out = np.zeros((*turn.shape, 3, 3))
    b, c = (axis + 1) % 3, (axis + 2) % 3
    out[..., axis, axis] = 1.0
    out[..., b, b] = out[..., c, c] = np.cos(turn)
    out[..., c, b] = np.sin(turn)
    out[..., b, c] = -out[..., c, b]
    return out


def swing_twist_quaternion(turns: npt.ArrayLike) -> Array:
    """Turns (x, y, z) -> the quaternion of `exp([x, 0, z]) @ Ry(y)`; (..., 3) -> (..., 4)."""
    turns = arrays(turns, "turns", 3)
    x, y, z = (turns[..., i] for i in range(3))
    half = 0.5 * np.stack([np.hypot(x, z) + _TINY, y])
    (sine, s), (w, c) = np.sin(half), np.cos(half)
    sine = 0.5 * sine / half[0]
    x, z = sine * x, sine * z
    return np.stack([w * c, x * c - z * s, w * s, z * c + x * s], -1)


def swing_twist_matrix(turns: npt.ArrayLike) -> Array:
    """Turns (x, y, z) -> `exp([x, 0, z]) @ Ry(y)`; (..., 3) -> (..., 3, 3)."""
    return matrix_from_quaternion(swing_twist_quaternion(turns))


def swing_twist_turns(rotation: npt.ArrayLike) -> Array:
    """Turns (x, y, z) of a rotation, swing within half a turn and twist in (-pi, pi]; inverse of the above.

    Where the long axis points straight back (a swing of half a turn) the split is not unique; the twist is
    then 0.
    """
    q = quaternion_from_matrix(rotation)
    w, x, y, z = (q[..., i] for i in range(4))
    # at the pole w and y are zero, and so is the twist that arctan2 then gives
    half = np.arctan2(y, w)
    c, s = np.cos(half), np.sin(half)
    # S = q * T^-1 has no y part: (x, z) of it, whose length is that of (x, z) of q
    sine = np.hypot(x, z)
    factor = 2.0 * np.arctan2(sine, np.hypot(w, y)) / np.maximum(sine, _TINY)
    return np.stack([(x * c + z * s) * factor, 2.0 * half, (z * c - x * s) * factor], -1)
