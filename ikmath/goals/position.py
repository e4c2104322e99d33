# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of the figure at places of the world (Ki & Sheen, section 2, goal 1)."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..arrays import Mask
from ..errors import BadValue
from ..model.pose import Pose
from ..model.residual import Residual, with_slack
from ..model.skeleton import Skeleton
from ..rotation import cross
from .base import Masked, Names


class Position(Masked):
    """Each effector's point should be at its target.

    Args:
        joint: a joint's name, or several names for several effectors at once.
        target: (*batch, 3) for one name, (*batch, E, 3) for several; world, metres.
        offset: (3,) or (E, 3) the effector's point in the joint's own frame.
        weight, priority, name: see `Goal`.
        axes: which axes of `space` count, letters out of "xyz".
        space: "world", "target" (the axes of `frame`) or "bone" (the axes of the joint as it stands).
        frame: (*batch, [E,] 3, 3) the targets' rotations, for space="target".
        slack: radius around the target inside which the goal costs nothing, metres.
    """

    kind: str = "Position"
    targets: ClassVar[Mapping[str, int]] = {"target": 2, "frame": 3}

    def __init__(
        self,
        joint: Names,
        target: npt.ArrayLike,
        offset: npt.ArrayLike = (0.0, 0.0, 0.0),
        weight: npt.ArrayLike = 1.0,
        priority: int = 0,
        *,
        axes: str = "xyz",
        space: str = "world",
        frame: npt.ArrayLike | None = None,
        slack: float = 0.0,
        name: str | None = None,
    ) -> None:
        self._hold(joint, offset)
        self._begin(self.joints, weight, priority, name)
        self.target = self._target(target, (3,))
        self._count(axes, space, slack, frame)
        if self.frame is None and space == "target":
            raise BadValue(f"frame of {self.describe()}", 'is missing; the space "target" has its axes.')

    def moved(self, skeleton: Skeleton) -> Mask:
        return self.points(skeleton).moved

    def evaluate(self, pose: Pose) -> Residual:
        points, n = self.points_at(pose), pose.skeleton.n
        x = pose.points(points)
        difference = x - self.target
        if self.plain:
            error = difference.reshape(*pose.batch, 3 * points.count)
            return Residual(error, lambda: pose.point_jacobian(points, x))
        jacobian = pose.point_jacobian(points, x)
        if self.mask is not None:
            rows, frame = jacobian.reshape(*difference.shape, n), self.frame
            if self.space == "bone":
                # d (R^T e) = R^T (de - w x e)
                turn, frame = pose.turn_jacobian(points).reshape(rows.shape), pose.frames(points)
                rows = rows - np.swapaxes(cross(np.swapaxes(turn, -1, -2), difference[..., None, :]), -1, -2)
            if self.space != "world":
                back = np.swapaxes(np.asarray(frame), -1, -2)
                difference, rows = (back @ difference[..., None])[..., 0], back @ rows
            difference = difference[..., self.mask]
            jacobian = rows[..., self.mask, :].reshape(*pose.batch, self.rows * self.effectors, n)
        error = difference.reshape(*difference.shape[:-2], self.rows * self.effectors)
        return with_slack(error, jacobian, self.slack, self.effectors)
