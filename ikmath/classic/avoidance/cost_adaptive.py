# SPDX-License-Identifier: GPL-3.0-or-later
"""A cost that tunes itself: `h_s = sum alpha exp(-2 beta d_i^2)`, `z = -h_s (dx, dy, dz, 0, ..., 0)`.

In each step, alpha is halved and beta quartered if the critical distance is above d_ug; if it is below d_ta,
alpha is doubled and beta quadrupled, "by which the integration of the cost function remains the same" (Ge,
5.3.4). The number of doublings is bounded, so that the cost can recover after many steps far from obstacles.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Final

import numpy as np

from ...parameters import setting
from ...rotation import Array
from .base import Gradient
from .costs import as_coordinates
from .situation import Situation
from .zones import Zones

_TIMES: Final = 6  # maximum number of doublings or halvings


@dataclass(frozen=True, kw_only=True)
class CostAdaptive(Gradient):
    """See the module.

    Args:
        alpha, beta: initial values of each solve; beta for distances in figure sizes.
        zones: d_ta and d_ug.
    """

    alpha: float = setting(0.5, "Alpha", "Initial height of the bell-shaped cost")
    beta: float = setting(200.0, "Beta", "Initial sharpness of the bell-shaped cost")
    zones: Zones = field(default_factory=Zones)

    name: ClassVar[str] = "cost_adaptive"
    label: ClassVar[str] = "Cost Function, Adaptive"
    description: ClassVar[str] = "A bell-shaped cost whose two parameters follow the distance."
    source: ClassVar[str] = "Ge 2000, section 5.3.4, adaptive cost function"

    def vector(self, at: Situation) -> Array:
        times = int(at.memory.get("doublings", 0))
        if at.distance[0] > self.zones.d_ug:
            times -= 1
        elif at.distance[0] < self.zones.d_ta:
            times += 1
        at.memory["doublings"] = times = max(-_TIMES, min(_TIMES, times))
        alpha, beta = self.alpha * 2.0**times, self.beta * 4.0**times
        cost = float((alpha * np.exp(-2.0 * beta * at.distance**2)).sum())
        return as_coordinates(-cost * at.delta[:1], len(at.plain))
