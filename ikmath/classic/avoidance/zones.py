# SPDX-License-Identifier: GPL-3.0-or-later
"""Around each obstacle the four zones of the task priority approach, and the gains in them (Ge, figure 4.2).

Beyond d_soi, the sphere of influence, an obstacle does nothing; from there to d_ug its influence sets in
smoothly; inside d_ug it is full, and the point is driven away the faster the nearer it is; inside d_ta, the
task abort distance, "further motion will cause a collision".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import BadValue
from ...parameters import check_parameters, setting
from ...rotation import Array


@dataclass(frozen=True, kw_only=True)
class Zones:
    """Distances in figure sizes, speeds in figure sizes a step.

    Args:
        d_ta: task abort distance; d_ug: unit gain distance; d_soi: sphere of influence distance;
        speed: magnitude alpha_o of the critical point's velocity at d_ta.

    Raises:
        BadValue: distances that do not rise from d_ta to d_soi.
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
        """Speed of the critical point: a parabola that begins at d_ug without a kink."""
        x = np.maximum((self.d_ug - distance) / (self.d_ug - self.d_ta), 0.0)
        gain: Array = self.speed * x * x
        return gain
