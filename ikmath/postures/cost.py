# SPDX-License-Identifier: GPL-3.0-or-later
"""Posture costs: the interface that solvers use, and simple implementations."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..model.geometric_stiffness import Curvature
from ..model.pose import Pose
from ..rotation import Array


class PostureTerm(NamedTuple):
    """A posture cost at one pose.

    Attributes:
        value: the cost.
        gradient: (n,) derivative by the coordinates.
        hessian: (n, n) symmetric positive semidefinite approximation of the second derivative (Gauss-Newton),
            or (n,) its diagonal if it is diagonal.
        curvature: gives what this approximation leaves out of the second derivative; None if that is nothing.
    """

    value: float
    gradient: Array
    hessian: Array
    curvature: Callable[[], Curvature] | None = None

    def gain(self, dq: Array) -> float:
        """By how much the quadratic model of the cost falls in a step dq (n,)."""
        bent = self.hessian * dq if self.hessian.ndim == 1 else self.hessian.dot(dq)
        return -float(self.gradient.dot(dq) + 0.5 * dq.dot(bent))

    def fit(self, dq: Array, value: float) -> float:
        """Gain ratio of a step dq (n,) to a value: 1 as the model, 0 if the cost bends twice as much."""
        slope = float(self.gradient.dot(dq))
        bend = -self.gain(dq) - slope
        return 2.0 - (value - self.value - slope) / bend if bend > 0.0 else 1.0

    def scaled(self, factor: float) -> PostureTerm:
        """The same of the cost times a factor above zero."""
        curvature = self.curvature
        scaled = None if curvature is None else lambda: curvature().scaled(factor)
        return PostureTerm(factor * self.value, factor * self.gradient, factor * self.hessian, scaled)


@runtime_checkable
class PostureCost(Protocol):
    """A cost of poses; immutable. Only poses of the same figure are compared, so its scale is arbitrary.

    If it has a `skeleton`, problems refuse it for figures of another structure.
    """

    def evaluate(self, pose: Pose) -> PostureTerm:
        """Value, gradient and Hessian at a single pose."""


class JointPosture:
    """Weighted squared distance of the coordinates from target values: `sum w (q - q_target)^2 / 2`.

    Args:
        q: (n,) target coordinates, radians and metres.
        weight: (n,) zero or more.
    """

    def __init__(self, q: npt.ArrayLike, weight: npt.ArrayLike) -> None:
        self.q, self.weight = np.array(q, dtype=float), np.array(weight, dtype=float)

    def evaluate(self, pose: Pose) -> PostureTerm:
        gradient = self.weight * (pose.q - self.q)
        return PostureTerm(0.5 * float(gradient.dot(pose.q - self.q)), gradient, self.weight)
