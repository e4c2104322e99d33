# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost of the nearest obstacle: `z = -alpha h_s^2 (dx, dy, dz, 0, ...)`, `h_s = sum 1 / d_i^2`.

From Marchand & Courty's camera control (Ge, 4.1.2, eq. 4.7 and 5.3). (dx, dy, dz) points to the nearest
obstacle. The cost is a sum, so "the alpha must be tuned whenever the number of obstacles is changed".
"""

from dataclasses import dataclass
from typing import ClassVar

from ...parameters import setting
from ...rotation import Array
from .base import Gradient
from .costs import as_coordinates, cost
from .situation import Situation


@dataclass(frozen=True, kw_only=True)
class Cost(Gradient):
    """See the module.

    Args:
        alpha: weight, for distances in figure sizes.
    """

    alpha: float = setting(2e-6, "Alpha", "Weight of the push away from obstacles")

    name: ClassVar[str] = "cost"
    label: ClassVar[str] = "Cost Function"
    description: ClassVar[str] = "Cheap, but pushes the first three coordinates only, whatever they are."
    source: ClassVar[str] = "Marchand & Courty; Ge 2000, eq. 4.7 and 5.3"

    def vector(self, at: Situation) -> Array:
        vector = -self.alpha * cost(at.distance) ** 2 * at.delta[:1]
        return as_coordinates(vector, len(at.plain))
