# SPDX-License-Identifier: GPL-3.0-or-later
"""When an effector is at its target: within metres for places, within radians for orientations and aims."""

from __future__ import annotations

import numpy as np

from ..rotation import Array
from .problem import Problem


def allowed_errors(problem: Problem, tolerance: float, angle_tolerance: float | None = None) -> Array:
    """(E,) the size of error within which each effector is at its target, in the effector's unit.

    Args:
        problem: whose effectors; tolerance: metres; angle_tolerance: radians, the same number if None.
    """
    angle = tolerance if angle_tolerance is None else angle_tolerance
    return np.array([angle if unit == "rad" else tolerance for unit in problem.units], dtype=float)


def least_tolerance(problem: Problem, tolerance: float, angle_tolerance: float | None = None) -> float:
    """The strictest of `allowed_errors`, in figure sizes and radians."""
    scaled = allowed_errors(problem, tolerance, angle_tolerance) / problem.spans
    return float(scaled.min(initial=tolerance / problem.length))
