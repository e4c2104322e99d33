# SPDX-License-Identifier: GPL-3.0-or-later
"""One pose of a solve, evaluated: scaled errors, their derivative, and the costs of levels and posture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ..arrays import Index, Mask
from ..collision import ClosestPairs
from ..model.pose import Pose
from ..postures import PostureCost, PostureTerm
from ..problem.problem import Problem
from ..rotation import Array

_GRAZING: Final = 1e-10
"""Scaled violation of a one-sided goal that counts as none."""


class Iterate:
    """See the module.

    Args:
        problem: of one frame; pose: to evaluate; posture: its cost or None; near: the closest pairs there.

    Attributes:
        q: (n,); error: (k,) scaled, see `TaskStack.scale`; squares: (E,) squared unscaled errors of the
            effectors;
        costs: of each level the squared length of its scaled errors.
    """

    def __init__(
        self, problem: Problem, pose: Pose, posture: PostureCost | None, near: ClosestPairs | None = None
    ) -> None:
        stack = problem.stack
        self.q, self.pose, self.near, self._posture, self._stack = pose.q, pose, near, posture, stack
        self._rows = stack.evaluate(problem.tasks, pose)
        self.error: Array = self._rows.error * stack.scale
        self._grazed: Mask | None = None
        if stack.one_sided is not None:
            self._grazed = stack.one_sided & (np.abs(self.error) < _GRAZING)
            self.error[self._grazed] = 0.0
        self.squares = stack.squares(self._rows.error)
        self.costs = stack.costs(self.error)
        self._jacobian: Array | None = None
        self._term: PostureTerm | None = None
        self._value: float | None = None

    @property
    def jacobian(self) -> Array:
        """(k, n) derivative of the scaled errors by q."""
        if self._jacobian is None:  # `cached_property` takes a lock, which costs more than the rows
            self._jacobian = (self._rows.jacobian.T * self._stack.scale).T
            if self._grazed is not None:
                self._jacobian[self._grazed] = 0.0  # a row that wants to stay where it is could not leave
        return self._jacobian

    @property
    def posture(self) -> PostureTerm | None:
        """The posture cost with its derivatives."""
        if self._term is None and self._posture is not None:
            self._term = self._posture.evaluate(self.pose)
        return self._term

    @property
    def posture_value(self) -> float:
        """The posture cost."""
        if self._value is None:
            if self._posture is None:
                self._value = 0.0
            else:
                self._value = self._posture.value(self.pose) if self._term is None else self._term.value
        return self._value

    def reached(self, tolerances: Array) -> bool:
        """Whether every effector is within its tolerance (E,), metres or radians."""
        return bool((self.squares < tolerances * tolerances).all())

    def all_costs(self) -> list[float]:
        """The costs of all levels, the posture's last."""
        return [*self.costs, self.posture_value]


def predicted_costs(
    iterate: Iterate, error: Array, dq: Array, levels: Sequence[slice | Index]
) -> list[float]:
    """What linear errors and the quadratic posture promise for a step, as `Iterate.all_costs`.

    Args:
        error: (k,) scaled, that the step begins with; dq: (n,) the step; levels: rows of each.
    """
    linear = error + iterate.jacobian.dot(dq)
    costs = [float(own.dot(own)) for own in map(linear.__getitem__, levels)]
    term = iterate.posture
    if term is None:
        return [*costs, 0.0]
    bent = term.hessian * dq if term.hessian.ndim == 1 else term.hessian.dot(dq)
    return [*costs, term.value + float(term.gradient.dot(dq) + 0.5 * dq.dot(bent))]
