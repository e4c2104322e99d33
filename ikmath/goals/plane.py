# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of the figure on a plane, or on one side of it (Ki & Sheen, section 2, goal 4).

A foot that slides over the ground, a hand on a wall: two of the three coordinates are left free. A one-sided
plane is a floor: points above it are free.
"""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..model.pose import Pose
from ..model.residual import Residual, blocks, unit_vectors
from .base import Effectors, Names


class Plane(Effectors):
    """Each effector's point should be on its plane.

    Args:
        joint: a joint's name, or several names.
        origin: (*batch, 3) for one name, (*batch, E, 3) for several; a place on the plane, world, metres.
            Several may share one, (3,) or (*batch, 1, 3).
        normal: of the same shapes; the plane's normal, of any length but zero.
        offset: (3,) or (E, 3) the effector's point in the joint's own frame.
        weight, priority, name: see `Goal`.
        one_sided: whether the side that the normal points to is free: a floor.
    """

    kind: str = "Plane"
    targets: ClassVar[Mapping[str, int]] = {"origin": 2, "normal": 2}
    rows: int = 1

    def __init__(
        self,
        joint: Names,
        origin: npt.ArrayLike,
        normal: npt.ArrayLike = (0.0, 0.0, 1.0),
        offset: npt.ArrayLike = (0.0, 0.0, 0.0),
        weight: npt.ArrayLike = 1.0,
        priority: int = 0,
        *,
        one_sided: bool = False,
        name: str | None = None,
    ) -> None:
        self._hold(joint, offset)
        self._begin(self.joints, weight, priority, name)
        self.origin = self._shared(origin, "origin")
        self.normal = unit_vectors(self._shared(normal, "normal"), f"normal of {self.describe()}")
        self.one_sided = arguments.switch(one_sided, f"one_sided of {self.describe()}")

    def inequality(self, pose: Pose) -> Residual:
        """Signed distances, positive on the side that the normal points to."""
        points = self.points_at(pose)
        x = pose.points(points)
        normal = np.broadcast_to(self.normal, x.shape)
        error = (normal * (x - self.origin)).sum(-1)
        return Residual(error, blocks(normal[..., None, :], pose.point_jacobian(points, x)))
