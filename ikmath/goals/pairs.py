# SPDX-License-Identifier: GPL-3.0-or-later
"""Two points of the figure held to each other: what distances and loops share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import BadShape
from ..model.pose import Pose
from ..rotation import Array
from .base import Effectors, Names


class Ends(NamedTuple):
    """Both points of E pairs.

    Attributes:
        way: (*batch, E, 3) from the second point to the first, world, metres.
        jacobian: (*batch, 3 E, n) its derivative.
    """

    way: Array
    jacobian: Array


class Pairs(Effectors):
    """Goals of E pairs of points, which are held as 2 E: all the first ones, then all the second ones."""

    def _hold_pairs(self, a: Names, offset_a: npt.ArrayLike, b: Names, offset_b: npt.ArrayLike) -> None:
        self._hold(b, offset_b)
        second, second_offset = self.joints, np.broadcast_to(self.offset, (len(self.joints), 3))
        self._hold(a, offset_a)
        if len(second) != len(self.joints):
            raise BadShape(f"joint_b of {self.kind} goal", "one name a joint", (len(second),))
        self.offset = np.concatenate([np.broadcast_to(self.offset, (len(self.joints), 3)), second_offset])
        self.labels = tuple(f"{x} to {y}" for x, y in zip(self.joints, second, strict=True))
        self.joints += second

    def _ends(self, pose: Pose) -> Ends:
        points = self.points_at(pose)
        x = pose.points(points)
        jacobian = pose.point_jacobian(points, x)
        half = points.count // 2
        return Ends(
            x[..., :half, :] - x[..., half:, :], jacobian[..., : 3 * half, :] - jacobian[..., 3 * half :, :]
        )
