# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost function with entries for each obstacle: `z = -alpha (dx_1 / d_1^4, dy_1 / d_1^4, ...)`.

Three coordinates per obstacle, in the order of the scene (Ge, 5.3.4). If there are too few coordinates, only
the nearest obstacles are used.
"""

from dataclasses import dataclass
from typing import ClassVar

from ...parameters import setting
from ...rotation import Array
from .base import Gradient
from .costs import as_coordinates, in_order
from .situation import Situation


@dataclass(frozen=True, kw_only=True)
class CostAugmented(Gradient):
    """See the module.

    Args:
        alpha: weight, for distances in figure sizes.
    """

    alpha: float = setting(2e-6, "Alpha", "Weight of the push away from obstacles")

    name: ClassVar[str] = "cost_augmented"
    label: ClassVar[str] = "Cost Function, Augmented"
    description: ClassVar[str] = "As Cost Function, with three coordinates for every obstacle."
    source: ClassVar[str] = "Ge 2000, section 5.3.4, task space augmentation"

    def vector(self, at: Situation) -> Array:
        order = in_order(at)
        return as_coordinates(-self.alpha * (at.delta / at.distance[:, None] ** 4)[order], len(at.plain))
