# SPDX-License-Identifier: GPL-3.0-or-later
"""The four zones around each obstacle of the task priority method, and the gains in them (Ge, figure 4.2).

Beyond d_soi, the sphere of influence, an obstacle has no influence. From there to d_ug it grows smoothly.
Inside d_ug it is full, and the speed away from the obstacle grows as the distance decreases. Inside d_ta, the
task abort distance, "further motion will cause a collision".
"""

from dataclasses import dataclass

import numpy as np

from ...errors import BadValue
from ...parameters import check_parameters, setting
from ...rotation import Array


@dataclass(frozen=True, kw_only=True)
class Zones:
    """Distances in figure sizes, speeds in figure sizes per step.

    Args:
        d_ta: task abort distance; d_ug: unit gain distance; d_soi: sphere of influence distance;
        speed: magnitude alpha_o of the critical point's velocity at d_ta.

    Raises:
        BadValue: d_ta, d_ug and d_soi are not in increasing order.
    """

    d_ta: float = setting(0.01, "d_ta", "Task abort distance, figure sizes: inside, a collision is near")
    d_ug: float = setting(0.05, "d_ug", "Unit gain distance, figure sizes: inside, the influence is full")
    d_soi: float = setting(0.1, "d_soi", "Sphere of influence, figure sizes: beyond, nothing is done")
    speed: float = setting(
        0.02, "alpha_o", "Speed at d_ta away from the obstacle, figure sizes a step", minimum=1e-9
    )

    def __post_init__(self) -> None:
        check_parameters(self)
        if not self.d_ta < self.d_ug < self.d_soi:
            raise BadValue(
                f"d_ta={self.d_ta!r}, d_ug={self.d_ug!r}, d_soi={self.d_soi!r}", "must rise in this order."
            )

    def alpha_h(self, distance: Array) -> Array:
        """Gain of the homogeneous solution: 1 inside d_ug, 0 beyond d_soi, a cubic in between."""
        x = np.clip((self.d_soi - distance) / (self.d_soi - self.d_ug), 0.0, 1.0)
        gain: Array = x * x * (3.0 - 2.0 * x)
        return gain

    def alpha_o(self, distance: Array) -> Array:
        """Speed of the critical point: a parabola with zero value and slope at d_ug."""
        x = np.maximum((self.d_ug - distance) / (self.d_ug - self.d_ta), 0.0)
        gain: Array = self.speed * x * x
        return gain
