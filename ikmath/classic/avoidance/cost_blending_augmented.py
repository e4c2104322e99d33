# SPDX-License-Identifier: GPL-3.0-or-later
"""The augmented cost function with the gains of eq. 5.4 for its entries (Ge, 5.3.4)."""

from dataclasses import dataclass
from typing import ClassVar

from ...parameters import setting
from ...rotation import Array
from .base import Gradient
from .costs import as_coordinates, blending, in_order
from .situation import Situation


@dataclass(frozen=True, kw_only=True)
class CostBlendingAugmented(Gradient):
    """See the module.

    Args:
        alpha: weight, for distances in figure sizes.
    """

    alpha: float = setting(2e-6, "Alpha", "Weight of the push away from obstacles")

    name: ClassVar[str] = "cost_blending_augmented"
    label: ClassVar[str] = "Cost Function, Blending Augmented"
    description: ClassVar[str] = "As Augmented, with each obstacle weighted by its urgency."
    source: ClassVar[str] = "Ge 2000, sections 5.3.2 and 5.3.4"

    def vector(self, at: Situation) -> Array:
        order = in_order(at)
        gains = blending(at.distance) / at.distance**4
        return as_coordinates(-self.alpha * (gains[:, None] * at.delta)[order], len(at.plain))
