# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost function with gains whose sum is one, so that it does not grow with their number (eq. 5.4)."""

from dataclasses import dataclass
from typing import ClassVar

from ...parameters import setting
from ...rotation import Array
from .base import Gradient
from .costs import as_coordinates, blended_cost
from .situation import Situation


@dataclass(frozen=True, kw_only=True)
class CostBlending(Gradient):
    """See the module.

    Args:
        alpha: weight, for distances in figure sizes.
    """

    alpha: float = setting(2e-6, "Alpha", "Weight of the push away from obstacles")

    name: ClassVar[str] = "cost_blending"
    label: ClassVar[str] = "Cost Function, Blending"
    description: ClassVar[str] = "As Cost Function, with each obstacle weighted by its urgency."
    source: ClassVar[str] = "Ge 2000, eq. 5.4"

    def vector(self, at: Situation) -> Array:
        vector = -self.alpha * blended_cost(at.distance) ** 2 * at.delta[:1]
        return as_coordinates(vector, len(at.plain))
