# SPDX-License-Identifier: GPL-3.0-or-later
"""The collision guard with rows in scaled coordinates."""

from __future__ import annotations

from ....collision import ClosestPairs
from ....model.pose import Pose
from ....rotation import Array
from ....solvers.collision_guard import CollisionGuard


class Guard(CollisionGuard):
    """See the module."""

    def rows(self, near: ClosestPairs, pose: Pose) -> tuple[Array, Array]:
        """Inequality rows in scaled coordinates, lengths in figure sizes."""
        rows, least = super().rows(near, pose)
        return rows * self.metric, least
