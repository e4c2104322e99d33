# SPDX-License-Identifier: GPL-3.0-or-later
"""Residual rows: errors that should vanish, with their derivative, and arithmetic that kinds of goals share.

Goals make them, limit methods add to them, and every solving method uses them. The last evaluation of a solve
needs errors only, so a Jacobian may be evaluated lazily.
"""

from collections.abc import Callable, Iterator

import numpy as np

from ..arrays import Array
from ..errors import BadValue


class Residual:
    """Rows of a goal; unpacks as `error, jacobian`.

    Args:
        error: (*batch, k), in the goal's unit.
        jacobian: (*batch, k, n), its derivative by the coordinates, or what gives it.
    """

    __slots__ = ("_jacobian", "error")

    def __init__(self, error: Array, jacobian: Array | Callable[[], Array]) -> None:
        self.error, self._jacobian = error, jacobian

    @property
    def jacobian(self) -> Array:
        """(*batch, k, n), the derivative of the error by the coordinates."""
        if callable(self._jacobian):
            self._jacobian = self._jacobian()
        return self._jacobian

    def __iter__(self) -> Iterator[Array]:
        yield self.error
        yield self.jacobian


def with_slack(error: Array, jacobian: Array, slack: float, effectors: int) -> Residual:
    """Take a slack off the length of each effector's error: nothing inside it, and nothing to do there.

    `e -> e (1 - slack / |e|)` outside, with its exact derivative; error (*batch, E * r),
    jacobian (*batch, E * r, n).
    """
    if not slack:
        return Residual(error, jacobian)
    *batch, k = error.shape
    n = jacobian.shape[-1]
    e = error.reshape(*batch, effectors, k // effectors)
    j = jacobian.reshape(*batch, effectors, k // effectors, n)
    length = np.sqrt((e * e).sum(-1, keepdims=True))
    outside = length > slack
    safe = np.where(outside, length, 1.0)
    unit = e / safe
    factor = np.where(outside, 1.0 - slack / safe, 0.0)
    along = np.where(outside, slack / safe, 0.0) * unit
    shrunk = factor[..., None] * j + along[..., None] * (unit[..., None, :] @ j)
    return Residual((factor * e).reshape(*batch, k), shrunk.reshape(*batch, k, n))


def outer(a: Array, b: Array) -> Array:
    """(m, 3), (m, 3) -> (m, 3, 3), the products a b^T."""
    return a[:, :, None] * b[:, None, :]


def blocks(factors: Array, jacobian: Array) -> Array:
    """Each effector's three rows times a matrix of its own.

    Args:
        factors: (*batch, E, r, 3); jacobian: (*batch, 3 E, n), memory as `Pose.point_jacobian` leaves it.

    Returns:
        (*batch, E * r, n), for many frames with them innermost in memory.
    """
    *batch, effectors, r, _ = factors.shape
    n = jacobian.shape[-1]
    if not batch:
        if effectors == 1:
            return np.asarray(factors[0].dot(jacobian))
        return np.asarray(np.matmul(factors, jacobian.reshape(effectors, 3, n)).reshape(effectors * r, n))
    frames = int(np.prod(batch))
    rows: Array = jacobian.reshape(frames, effectors, 3, n).transpose(1, 2, 3, 0)
    scale = np.ascontiguousarray(factors.reshape(frames, effectors, r, 3).transpose(1, 2, 3, 0))
    out: Array = np.einsum("ejnf,eijf->einf", rows, scale)
    return out.reshape(effectors * r, n, frames).transpose(2, 0, 1).reshape(*batch, effectors * r, n)


def violated(room: Residual) -> Residual:
    """The part of an inequality's rows that is on the wrong side; zero where there is room."""
    out = room.error < 0.0
    return Residual(np.where(out, room.error, 0.0), room.jacobian * out[..., None])


def unit_vectors(vectors: Array, what: str) -> Array:
    """Vectors (..., 3) at unit length.

    Raises:
        BadValue: one of length zero.
    """
    length = np.sqrt((vectors * vectors).sum(-1, keepdims=True))
    if (length < 1e-12).any():
        raise BadValue(what, "has no length; give a direction.")
    return np.asarray(vectors / length)


def readiest(rows: Array, square_to: Array | None = None) -> Array:
    """The unit direction (3,) in which a motion with these rows (3, n) costs least.

    Args:
        rows: derivative of a place, or an angular velocity.
        square_to: (3,) a unit vector; only directions at right angles to it count.
    """
    across = np.eye(3) if square_to is None else np.eye(3) - np.outer(square_to, square_to)
    free = across @ rows
    direction: Array = np.linalg.eigh(across + free @ free.T)[1][:, -1]
    return direction * (1.0 if direction[np.argmax(np.abs(direction))] > 0.0 else -1.0)
