# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints turned as wanted (Ki & Sheen, section 2, goal 2)."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..arrays import Mask
from ..model.geometric_stiffness import turned_curvature
from ..model.pose import Pose
from ..model.residual import Residual, with_slack
from ..model.skeleton import Skeleton
from ..rotation import Array, log_and_derivative
from .base import Masked, Names


class Orientation(Masked):
    """Each effector's joint should be turned as its target; the error is the rotation vector between them.

    Args:
        joint: a joint's name, or several names.
        target: (*batch, 3, 3) for one name, (*batch, E, 3, 3) for several; world rotations.
        weight, priority, name: see `Goal`.
        axes: which components of the rotation vector count, letters out of "xyz".
        space: the axes of the "world", of the "target" (those of `frame`), or of the "bone" (which to first
            order are the same as the target's once the other two axes are met; the error is in the target's
            axes for both).
        frame: (*batch, [E,] 3, 3) rotations whose axes count for space="target"; the targets' own if not
            given.
        slack: angle inside which the goal costs nothing, radians.
    """

    kind: str = "Orientation"
    targets: ClassVar[Mapping[str, int]] = {"target": 3, "frame": 3}
    unit: str = "rad"

    def __init__(
        self,
        joint: Names,
        target: npt.ArrayLike,
        weight: npt.ArrayLike = 1.0,
        priority: int = 0,
        *,
        axes: str = "xyz",
        space: str = "world",
        frame: npt.ArrayLike | None = None,
        slack: float = 0.0,
        name: str | None = None,
    ) -> None:
        self._hold(joint, (0.0, 0.0, 0.0))
        self._begin(self.joints, weight, priority, name)
        self.target = self._rotation(target)
        self._count(axes, space, slack, frame)

    def moved(self, skeleton: Skeleton) -> Mask:
        return self.points(skeleton).turned

    def evaluate(self, pose: Pose) -> Residual:
        points, count, n = self.points_at(pose), self.effectors, pose.skeleton.n
        back = self.target.swapaxes(-1, -2)
        turn = np.matmul(pose.frames(points), back)
        error, derivative = log_and_derivative(turn.reshape(-1, 3, 3))
        axes = None
        if self.mask is not None:
            if self.space != "world":
                back = (self.target if self.frame is None else self.frame).swapaxes(-1, -2)
                axes = np.broadcast_to(back, turn.shape).reshape(-1, 3, 3)
                error = np.matmul(axes, error[:, :, None])[:, :, 0]
            error = error[:, self.mask]
        error = error.reshape(*pose.batch, self.rows * count)

        def jacobian() -> Array:
            factors = derivative() if axes is None else np.matmul(axes, derivative())
            rows = pose.turned_jacobian(points, factors.reshape(*pose.batch, 3 * count, 3))
            if self.mask is not None:
                rows = rows.reshape(*pose.batch, count, 3, n)[..., self.mask, :]
            return rows.reshape(*error.shape, n)

        if self.slack:
            return with_slack(error, jacobian(), self.slack, count)
        return Residual(error, jacobian)

    def curvature(self, pose: Pose, pull: Array, step: Array) -> Array:
        if self.slack:
            return super().curvature(pose, pull, step)
        points, torque = self.points_at(pose), pull.reshape(self.effectors, self.rows)
        if self.mask is not None:
            axes = np.eye(3) if self.space == "world" else self.target if self.frame is None else self.frame
            torque = np.matmul(axes[..., self.mask], torque[:, :, None])[:, :, 0]
        turn = np.matmul(pose.frames(points), self.target.swapaxes(-1, -2))
        return turned_curvature(pose, points, turn, torque).matrix(pose)
