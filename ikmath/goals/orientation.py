# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints turned as wanted (Ki & Sheen, section 2, goal 2)."""

from __future__ import annotations

from typing import ClassVar, Final, Self

import numpy as np
import numpy.typing as npt

from ..errors import BadValue
from ..pose import Pose
from ..rotation import Array, log, skew
from .base import Effectors, Frame, Names, Residual, axis_mask, check_slack, check_space, with_slack

_SMALL: Final = (
    1e-4  # angle below which the series of the logarithm's derivative is exact to double precision
)


def inverse_left_jacobian(v: Array) -> Array:
    """Derivative of a rotation vector by angular velocity: `d log(R) = Jl^-1 w`; (..., 3) -> (..., 3, 3)."""
    square = (v * v).sum(-1)
    t = np.sqrt(square)
    safe = np.where(t > _SMALL, t, 1.0)
    half = 0.5 * safe
    # (1 - (t/2) cot(t/2)) / t^2 -> 1/12
    factor = np.where(t > _SMALL, (1.0 - half / np.tan(half)) / (safe * safe), 1.0 / 12.0 + square / 720.0)
    k = skew(v)
    return np.asarray(np.eye(3) - 0.5 * k + factor[..., None, None] * (k @ k))


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
        if np.abs(self.target @ np.swapaxes(self.target, -1, -2) - np.eye(3)).max() > 1e-4:
            raise BadValue(f"target of {self.describe()}", "is no rotation; remove scale and shear from it.")
        self.mask = axis_mask(axes, self.describe())
        self.space = check_space(space, self.describe())
        self.slack = check_slack(slack, self.describe())

    def evaluate(self, pose: Pose) -> Residual:
        points = self.points(pose.skeleton)
        error = log(pose.frames(points) @ np.swapaxes(self.target, -1, -2))
        turn = pose.turn_jacobian(points)
        rows = inverse_left_jacobian(error) @ turn.reshape(*error.shape, pose.skeleton.n)
        if self.mask is not None:
            if self.space != "world":
                back = np.swapaxes(self.target, -1, -2)
                error, rows = (back @ error[..., None])[..., 0], back @ rows
            error, rows = error * self.mask, rows * self.mask[:, None]
        flat = error.reshape(*error.shape[:-2], -1)
        jacobian = rows.reshape(*flat.shape, pose.skeleton.n)
        if self.slack:
            return with_slack(flat, jacobian, self.slack, self.effectors)
        return Residual(flat, jacobian)

    @property
    def frames(self) -> int | None:
        return None if self.target.ndim == 3 else int(self.target.shape[0])

    def at(self, frame: Frame) -> Self:
        return self._copy(target=self.target[frame]) if self.target.ndim > 3 else self
