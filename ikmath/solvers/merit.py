# SPDX-License-Identifier: GPL-3.0-or-later
"""The merit that judges steps: the levels' errors, each outweighing all below it, and the posture cost.

`M = sum of weight_l |e_l| + E`. Lengths instead of squares make it an exact penalty: where a level can be
met it is met exactly, as long as its weight exceeds its multiplier (Nocedal & Wright 2006, 17.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from .parameters import HierarchicalParameters


class Merit:
    """See the module.

    Args:
        levels: number of levels of goals; posture: whether a posture comes below them.

    Attributes:
        weights: of the levels, the strongest first.
    """

    def __init__(self, levels: int, posture: bool, parameters: HierarchicalParameters) -> None:
        last = parameters.over_posture if posture else 1.0
        self.weights = [last * parameters.priority ** (levels - 1 - level) for level in range(levels)]
        self._hold, self._rounding = parameters.hold, parameters.rounding

    def gain(self, before: Sequence[float], after: Sequence[float]) -> float:
        """By how much the merit falls between costs as in `Iterate.all_costs`."""
        least, total = self._hold, before[-1] - after[-1]
        for weight, then, now in zip(self.weights, before, after, strict=False):
            total += weight * (max(sqrt(then), least) - max(sqrt(max(now, 0.0)), least))
        return total

    def noise(self, costs: Sequence[float]) -> float:
        """By how much the merit may differ by rounding alone, at costs as in `Iterate.all_costs`."""
        levels = zip(self.weights, costs, strict=False)
        return self._rounding * (abs(costs[-1]) + sum(weight * sqrt(cost) for weight, cost in levels))
