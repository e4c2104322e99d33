# SPDX-License-Identifier: GPL-3.0-or-later
"""The default: come as close as one likes, and never inside.

For every near pair the step may use up at most a share of the clearance that is left (Faverjon & Tournassoud
1987): `J dq >= -share (clearance - margin)`, one inequality row a pair. Away from obstacles the rows do
nothing, at contact they leave sliding free, and there is nothing to tune. This is the open problem of Ge's
thesis, whose methods keep away from obstacles by a distance of influence.
"""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np

from ..obstacles import Proximity
from ..pose import Pose
from ..rotation import Array
from .base import Avoidance

_SHARE: Final = 0.8  # of the clearance that one step may use up


class VelocityDamper(Avoidance):
    """See the module."""

    name: ClassVar[str] = "velocity_damper"
    label: ClassVar[str] = "Velocity Damper"
    description: ClassVar[str] = (
        "As close as you like, never inside, nothing to tune. Works with Hierarchical."
    )
    source: ClassVar[str] = "Faverjon & Tournassoud 1987; Kanehiro et al. 2008"
    bounds: ClassVar[bool] = True

    def rows(self, near: Proximity, pose: Pose, margin: float) -> tuple[Array, Array]:
        """Inequality rows (P, n) and their least values (P,), metres, for clearance at least `margin`.

        Least values are never above zero: what is already too near must not come nearer.
        """
        return near.jacobian(pose), np.minimum(_SHARE * (margin - near.room), 0.0)
