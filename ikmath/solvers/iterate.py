# SPDX-License-Identifier: GPL-3.0-or-later
"""One pose of a solve, evaluated, and the merit by which two of them are compared.

An iterate has scaled errors, their derivative, and the costs of levels and posture. The merit is the levels'
errors, each outweighing all below it, and the posture cost: `M = sum of weight_l |e_l| + E`. Lengths instead
of squares make it an exact penalty: where a level can be met it is met exactly, as long as its weight exceeds
its multiplier (Nocedal & Wright 2006, 17.2).
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np

from ..arrays import Array
from ..collision import ClosestPairs
from ..model.pose import Pose
from ..postures import PostureTerm
from ..problem.problem import Problem
from .parameters import HierarchicalParameters

ScaledPosture = Callable[[Pose], PostureTerm]
"""A posture cost, scaled for the merit."""


class Iterate:
    """See the module.

    Args:
        problem: of one frame; pose: to evaluate; posture: its cost or None; near: the closest pairs there.

    Attributes:
        q: (n,); error: (k,) scaled, see `TaskStack.scale`; squares: (E,) squared unscaled errors of the
            effectors;
        costs: of each level the squared length of its scaled errors;
        sides: what steps from here must keep, once it is known; see `IterationDriver.inequalities`.
    """

    def __init__(
        self, problem: Problem, pose: Pose, posture: ScaledPosture | None, near: ClosestPairs | None = None
    ) -> None:
        stack = problem.stack
        self.q, self.pose, self.near, self._posture, self._stack = pose.q, pose, near, posture, stack
        unscaled, self._rows = stack.evaluate_lazily(problem.tasks, pose)
        self.error: Array = unscaled * stack.scale
        self.squares = stack.squares(unscaled)
        self.costs = stack.costs(self.error)
        self.sides: list[Any] | None = None

    @cached_property
    def jacobian(self) -> Array:
        """(k, n) derivative of the scaled errors by q."""
        return np.asarray((self._rows().T * self._stack.scale).T)

    @cached_property
    def newton_square(self) -> float:
        """Squared length of Newton's step for the errors, in units of `TaskStack.metric`."""
        step = np.linalg.lstsq(self.jacobian * self._stack.metric, self.error, rcond=None)[0]
        return float(step.dot(step))

    @cached_property
    def posture(self) -> PostureTerm | None:
        """The posture cost with its derivatives."""
        return None if self._posture is None else self._posture(self.pose)

    @cached_property
    def all_costs(self) -> list[float]:
        """The costs of all levels, the posture's last."""
        return [*self.costs, 0.0 if self.posture is None else self.posture.value]

    def reached(self, tolerances: Array) -> bool:
        """Whether every effector is within its tolerance (E,), metres or radians."""
        return bool((self.squares < tolerances * tolerances).all())


class Merit:
    """See the module.

    Args:
        levels: their number; posture: whether one comes below them.

    Attributes:
        weights: of the levels, the strongest first.
    """

    def __init__(self, levels: int, posture: bool, parameters: HierarchicalParameters) -> None:
        last = parameters.over_posture if posture else 1.0
        self.weights: list[float] = (last * parameters.priority ** np.arange(levels)[::-1]).tolist()
        self._hold, self._rounding = parameters.hold, parameters.rounding

    def gain(self, before: Sequence[float], after: Sequence[float]) -> float:
        """By how much the merit falls between costs as in `Iterate.all_costs`."""
        least, total = self._hold, before[-1] - after[-1]
        for weight, then, now in zip(self.weights, before, after, strict=False):
            total += weight * (max(sqrt(then), least) - max(sqrt(max(now, 0.0)), least))
        return total

    def noise(self, costs: Sequence[float]) -> float:
        """By how much the merit may differ by rounding alone, at costs as in `Iterate.all_costs`."""
        total = 0.0
        for weight, cost in zip(self.weights, costs, strict=False):
            total += weight * sqrt(cost)
        return self._rounding * (abs(costs[-1]) + total)
