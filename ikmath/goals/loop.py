# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops: two points of a figure in one place, or two frames rigidly joined.

A figure is a tree; whatever closes a ring in it (both hands on one staff, a four-bar linkage, a piston) is a
goal. It holds to the tolerance of the solver, as all goals do, so give it the strongest priority.
"""

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..errors import BadShape, BadValue
from ..model.pose import Pose
from ..model.residual import Residual
from ..rotation import log_and_derivative
from .base import Names, Pairs


class Loop(Pairs):
    """A point of one joint stays at a point of another; if rigid, with a fixed rotation too.

    The rows of a rigid loop are metres and radians together; a radian counts as the length of the figure.

    Args:
        joint_a, joint_b: names of the two joints, or several names each.
        offset_a, offset_b: (3,) or (E, 3) the points in their frames, metres.
        weight, priority, name: see `Goal`.
        rigid: whether the frames are joined, not only the points.
        rotation: (*batch, 3, 3) for one name, (*batch, E, 3, 3) for several: the rotation of joint a as it
            should stand in the frame of joint b; alike where not given. Only for rigid loops.
    """

    kind: str = "Loop"
    targets: ClassVar[Mapping[str, int]] = {"rotation": 3}

    def __init__(
        self,
        joint_a: Names,
        offset_a: npt.ArrayLike,
        joint_b: Names,
        offset_b: npt.ArrayLike = (0.0, 0.0, 0.0),
        weight: npt.ArrayLike = 1.0,
        priority: int = 0,
        *,
        rigid: bool = False,
        rotation: npt.ArrayLike | None = None,
        name: str | None = None,
    ) -> None:
        self._hold_pairs(joint_a, offset_a, joint_b, offset_b)
        self._begin(self.labels, weight, priority, name)
        self.rigid = arguments.switch(rigid, f"rigid of {self.describe()}")
        self.rows = 6 if self.rigid else 3
        if rotation is not None and not self.rigid:
            raise BadValue(f"rotation of {self.describe()}", "is for rigid loops; give rigid=True with it.")
        tail = () if self.single else (self.effectors,)
        identity = np.broadcast_to(np.eye(3), (*tail, 3, 3))
        self.rotation = self._rotation(identity if rotation is None else rotation, "rotation")

    @classmethod
    def as_posed(
        cls,
        pose: Pose,
        joint_a: str,
        offset_a: npt.ArrayLike,
        joint_b: str,
        weight: npt.ArrayLike = 1.0,
        priority: int = 0,
        *,
        rigid: bool = False,
        name: str | None = None,
    ) -> Self:
        """A loop that keeps a point of joint a (rigidly, its frame) where it stands in joint b's frame now.

        Args:
            pose: the pose (n,) whose relation is kept; the rest as for the class.
        """
        if arguments.of_kind(pose, Pose, "pose").batch:
            raise BadShape("q of the pose", f"({pose.skeleton.n},), a single pose", pose.q.shape)
        frame = pose.frame(joint_b)
        offset_b = frame.T @ (pose.point(joint_a, offset_a) - pose.point(joint_b))
        rotation = frame.T @ pose.frame(joint_a) if rigid else None
        return cls(
            joint_a, offset_a, joint_b, offset_b, weight, priority, rigid=rigid, rotation=rotation, name=name
        )

    def evaluate(self, pose: Pose) -> Residual:
        (way, slopes), count, n = self._ways(pose), self.effectors, pose.skeleton.n
        if not self.rigid:
            return Residual(way.reshape(*pose.batch, 3 * count), slopes)
        points = self.points(pose.skeleton)
        frames = pose.frames(points)
        first, second = frames[..., :count, :, :], frames[..., count:, :, :]
        turn = np.matmul(np.matmul(first, self.rotation.swapaxes(-1, -2)), second.swapaxes(-1, -2))
        vector, derive = log_and_derivative(turn.reshape(-1, 3, 3))
        derivative = derive()
        # the difference turns with the angular velocity of a less that of b, seen through the difference
        back = np.matmul(derivative, turn.reshape(-1, 3, 3))
        lever = pose.skeleton.size or 1.0
        derivative = derivative.reshape(*pose.batch, count * 3, 3)
        both = np.concatenate([derivative, -back.reshape(derivative.shape)], -2) * lever
        turning = pose.turned_jacobian(points, both)
        rows = turning[..., : 3 * count, :] + turning[..., 3 * count :, :]
        error = np.concatenate([way, lever * vector.reshape(way.shape)], -1)
        split = (*pose.batch, count, 3, n)
        jacobian = np.concatenate([slopes.reshape(split), rows.reshape(split)], -2)
        return Residual(error.reshape(*pose.batch, 6 * count), jacobian.reshape(*pose.batch, 6 * count, n))
