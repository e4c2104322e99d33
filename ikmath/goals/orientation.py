# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints turned as wanted (Ki & Sheen, section 2, goal 2)."""

from __future__ import annotations

from typing import ClassVar, Final, Self

import numpy as np
import numpy.typing as npt

from ..errors import BadValue
from ..pose import Pose
from ..rotation import Array, log, matrix_from_quaternion, quaternion_from_matrix
from .base import Effectors, Frame, Names, Residual, axis_mask, check_slack, check_space, with_slack


def _difference_map() -> Array:
    """(9, 4): a rotation, flat, -> its axis times 2 sin(angle), and 2 cos(angle) + 1."""
    out = np.zeros((9, 4))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[3 * k + j, i], out[3 * j + k, i] = 1.0, -1.0
        out[4 * i, 3] = 1.0
    return out


def _skew_map() -> Array:
    """(3, 9): v -> -[v]x / 2, flat."""
    out = np.zeros((3, 9))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[i, 3 * j + k], out[i, 3 * k + j] = 0.5, -0.5
    return out


_DIFFERENCE: Final = _difference_map()
_HALF_SKEW: Final = _skew_map()
_IDENTITY: Final = np.eye(3).reshape(9)
_TINY: Final = 1e-300  # keeps the angle of no turn from being exactly zero
_WIDE: Final = -1.9  # twice the cosine beyond which an axis read off the antisymmetric part loses digits


def log_and_derivative(rotation: Array) -> tuple[Array, Array]:
    """Rotation vectors v of (m, 3, 3) rotations, (m, 3), and their derivative by angular velocity, (m, 3, 3).

    The derivative is the inverse of the exponential's left Jacobian,
    `k I - [v]x / 2 + (1 - k) u u^T` with `u = v / t`, `t = |v|`, `k = t/2 cot(t/2)`.
    """
    parts = rotation.reshape(-1, 9).dot(_DIFFERENCE)
    axis, cosine = parts[:, :3], parts[:, 3] - 1.0
    sine = np.sqrt((axis * axis).sum(1) + _TINY)
    ratio = np.arctan2(sine, cosine) / sine  # t / (2 sin t), 1/2 at zero
    if len(parts) and cosine.min() < _WIDE:
        v = log(rotation)
        turn = np.sqrt((v * v).sum(1) + _TINY)
        unit = v / turn[:, None]
        half = 0.5 * turn
        k = half * np.cos(half) / np.sin(half)
    else:
        v = axis * ratio[:, None]
        unit = axis / sine[:, None]
        k = ratio * (1.0 + 0.5 * cosine)
    derivative = v.dot(_HALF_SKEW)
    derivative += k[:, None] * _IDENTITY
    derivative = derivative.reshape(-1, 3, 3)
    derivative += unit[:, :, None] * ((1.0 - k)[:, None] * unit)[:, None]
    return v, derivative


class Orientation(Effectors):
    """Each effector's joint should be turned as its target; the error is the rotation vector between them.

    Args:
        joint: a joint's name, or several names.
        target: (*batch, 3, 3) for one name, (*batch, E, 3, 3) for several; world rotations.
        weight, priority: see `Goal`.
        axes: which components of the rotation vector count, letters out of "xyz".
        space: the axes of the "world", of the "target", or of the "bone" (which to first order are the same
            as the target's once the other two axes are met; the error is told in the target's axes for both).
        slack: angle inside which the goal costs nothing, radians.
        name: for messages.
    """

    kind: ClassVar[str] = "Orientation"
    unit: ClassVar[str] = "rad"
    rows: ClassVar[int] = 3

    def __init__(
        self,
        joint: Names,
        target: npt.ArrayLike,
        weight: npt.ArrayLike = 1.0,
        priority: int = 0,
        *,
        axes: str = "xyz",
        space: str = "world",
        slack: float = 0.0,
        name: str | None = None,
    ) -> None:
        self._hold(joint, (0.0, 0.0, 0.0))
        self._begin(self.joints, weight, priority, name)
        self.target = self._target(target, (3, 3))
        crooked = np.abs(self.target @ self.target.swapaxes(-1, -2) - np.eye(3)).max(initial=0.0)
        if crooked > 1e-4 or (np.linalg.det(self.target) < 0).any():
            raise BadValue(f"target of {self.describe()}", "is no rotation; remove scale and shear from it.")
        if crooked > 1e-12:  # single precision
            self.target = matrix_from_quaternion(quaternion_from_matrix(self.target))
        self.mask = axis_mask(axes, self.describe())
        self.space = check_space(space, self.describe())
        self.slack = check_slack(slack, self.describe())

    def evaluate(self, pose: Pose) -> Residual:
        points, count, n = self.points(pose.skeleton), self.effectors, pose.skeleton.n
        back = self.target.swapaxes(-1, -2)
        turn = np.matmul(pose.frames(points), back)
        error, derivative = log_and_derivative(turn.reshape(-1, 3, 3))
        if self.mask is not None:
            if self.space != "world":
                back = np.broadcast_to(back, turn.shape).reshape(-1, 3, 3)
                error, derivative = np.matmul(back, error[:, :, None])[:, :, 0], np.matmul(back, derivative)
            error, derivative = error * self.mask, derivative * self.mask[:, None]
        error = error.reshape(*pose.batch, 3 * count)
        jacobian = pose.turned_jacobian(points, derivative.reshape(*pose.batch, 3 * count, 3))
        if self.slack:
            return with_slack(error, jacobian, self.slack, count)
        return Residual(error, jacobian.reshape(*error.shape, n))

    @property
    def frames(self) -> int | None:
        return None if self.target.ndim == 3 else int(self.target.shape[0])

    def at(self, frame: Frame) -> Self:
        return self._copy(target=self.target[frame]) if self.target.ndim > 3 else self
