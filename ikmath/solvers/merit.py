# SPDX-License-Identifier: GPL-3.0-or-later
"""The merit that judges steps: the levels' errors, each outweighing all below it, and the posture cost.

`M = sum of weight_l |e_l| + E`. Lengths instead of squares make it an exact penalty: where a level can be
met it is met exactly, as long as its weight exceeds its multiplier (Nocedal & Wright 2006, 17.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Final

from .parameters import HierarchicalParameters

_TINY: Final = 1e-150
"""Weight of a level in which nothing counts."""


class Merit:
    """See the module.

    Args:
        largest: of the levels, the largest weight of a goal in it; posture: whether one comes below them.

    Attributes:
        weights: of the levels, the strongest first.
    """

    def __init__(self, largest: Sequence[float], posture: bool, parameters: HierarchicalParameters) -> None:
        last = parameters.over_posture if posture else 1.0
        ranks = range(len(largest) - 1, -1, -1)
        self.weights = [
            last * parameters.priority**rank / max(most, _TINY)
            for rank, most in zip(ranks, largest, strict=True)
        ]
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
