# SPDX-License-Identifier: GPL-3.0-or-later
"""Around each obstacle the four zones of the task priority approach, and the gains in them (Ge, figure 4.2).

Beyond d_soi, the sphere of influence, an obstacle does nothing; from there to d_ug its influence sets in
smoothly; inside d_ug it is full, and the point is driven away the faster the nearer it is; inside d_ta, the
task abort distance, "further motion will cause a collision".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import BadValue
from ..rotation import Array


@dataclass(frozen=True, kw_only=True)
class Zones:
    """Distances in figure sizes, speeds in figure sizes a step.

    Args:
        d_ta: task abort distance; d_ug: unit gain distance; d_soi: sphere of influence distance;
        speed: magnitude alpha_o of the critical point's velocity at d_ta.

    Raises:
        BadValue: distances that do not rise from d_ta to d_soi.
    """

    d_ta: float = 0.01
    d_ug: float = 0.05
    d_soi: float = 0.1
    speed: float = 0.02

    def __post_init__(self) -> None:
        if not 0.0 <= self.d_ta < self.d_ug < self.d_soi:
            raise BadValue(
                f"d_ta={self.d_ta!r}, d_ug={self.d_ug!r}, d_soi={self.d_soi!r}",
                "must rise in this order, from zero or more.",
            )
        if not self.speed > 0.0:
            raise BadValue(f"speed={self.speed!r}", "must be positive.")

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
