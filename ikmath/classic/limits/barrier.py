# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits by barriers: the cost grows without bound towards a limit.

The interior penalty methods (Ge, 2.5.3): `P + K sum 1 / g_i` and `P - K sum log g_i` for the distances g_i
> 0 to the limits. Rows whose squares are these terms stand beside the goals' rows, so that any incremental
method solves them. Distances are measured in half ranges (radians or metres where only one side is
limited), which makes K mean the same for a finger and a shoulder; the logarithm is taken of what the
distance is to the middle of the range, so that it is never negative, and zero in the middle.

The iterates also stay inside: no step uses more than a share of the distance that is left to a limit. A start
at a limit, which the text excludes ("the inequalities are strict"), costs as much as one slightly inside. A
joint's two swing turns have one common limit, an ellipse. The barrier acts on the intervals around it, and
projection keeps the ellipse itself.
"""

from typing import ClassVar, Final

import numpy as np

from ... import arguments
from ...model.joint_limits import JointLimits
from ...model.pose import Pose
from ...model.residual import Residual
from ...rotation import Array
from .base import Propose, StepLimits

_LEAST: Final = 1e-7  # distance that is assumed for a joint at its limit, in half ranges
_USED: Final = 0.9  # share of the way to a limit that one step may use


class _Barrier(StepLimits):
    """The common part of both barriers.

    Args:
        strength: K, cost of a joint half way to its limit, relative to a squared error of one figure size.

    Raises:
        BadValue: a strength that is not positive.
    """

    adds_rows: ClassVar[bool] = True

    def __init__(self, strength: float = 1e-6) -> None:
        self.strength = arguments.number(strength, "strength of the barrier", above=0)

    def rows(self, pose: Pose) -> Residual | None:
        region, q = pose.skeleton.joint_limits, pose.q
        limited = np.flatnonzero(
            (np.isfinite(region.lower) | np.isfinite(region.upper)) & (region.upper > region.lower)
        )
        if not len(limited):
            return None
        low, high, at = region.lower[limited], region.upper[limited], q[limited]
        both = np.isfinite(low) & np.isfinite(high)
        half = np.where(both, 0.5 * (np.where(both, high, 0.0) - np.where(both, low, 0.0)), 1.0)
        value, slope = self._price(
            np.maximum((at - low) / half, _LEAST), np.maximum((high - at) / half, _LEAST)
        )
        root = np.sqrt(self.strength)
        jacobian = np.zeros((len(limited), len(q)))
        jacobian[np.arange(len(limited)), limited] = root * slope / half
        return Residual(root * value, jacobian)

    def _price(self, below: Array, above: Array) -> tuple[Array, Array]:
        """Distances to the two limits (infinite without one) -> row, derivative along the coordinate."""
        raise TypeError(f"{type(self).__name__} must implement the cost of a distance.")

    def step(self, region: JointLimits, q: Array, error: Array, propose: Propose) -> Array:
        dq = propose(error)
        shape = (-1, *(1,) * (q.ndim - 1))
        limit = np.where(dq > 0.0, region.upper.reshape(shape), region.lower.reshape(shape))
        reach = np.full(q.shape, np.inf)
        np.divide(limit - q, dq, out=reach, where=(dq != 0.0) & np.isfinite(limit))
        # A coordinate at a limit with a step outwards stays; it must not stop the others.
        blocked = reach <= 1e-9
        share = np.minimum(1.0, _USED * np.where(blocked, np.inf, reach).min(0, initial=np.inf))
        return region.project_first(q + share * np.where(blocked, 0.0, dq))


class InverseBarrier(_Barrier):
    """The cost of a distance g is 1 / g."""

    name: ClassVar[str] = "barrier"
    label: ClassVar[str] = "Barrier"
    description: ClassVar[str] = "Pushes joints away from their limits, by the inverse of the distance."
    source: ClassVar[str] = "Ge 2000, section 2.5.3, inverse barrier"

    def _price(self, below: Array, above: Array) -> tuple[Array, Array]:
        value = np.sqrt(1.0 / below + 1.0 / above)
        return value, 0.5 * (above**-2.0 - below**-2.0) / value


class LogarithmicBarrier(_Barrier):
    """The cost of a distance g is -log g; both distances count together."""

    name: ClassVar[str] = "log_barrier"
    label: ClassVar[str] = "Logarithmic barrier"
    description: ClassVar[str] = "As Barrier, but gentler: by the logarithm of the distance."
    source: ClassVar[str] = "Ge 2000, section 2.5.3, logarithmic barrier"

    def _price(self, below: Array, above: Array) -> tuple[Array, Array]:
        # -log(below above) with the middle (1, 1) costing nothing; one-sided: log(1 + 1 / g), nothing far
        # away.
        two = np.isfinite(below) & np.isfinite(above)
        b, a = np.where(np.isfinite(below), below, 1.0), np.where(np.isfinite(above), above, 1.0)
        one_sided = np.where(np.isfinite(below), b, a)
        cost = np.where(two, -np.log(np.minimum(b * a, 1.0)), np.log1p(1.0 / one_sided))
        slope = np.where(
            two, 1.0 / a - 1.0 / b, np.where(np.isfinite(below), -1.0, 1.0) / (one_sided + one_sided**2)
        )
        value = np.sqrt(cost)
        # The root of the cost is |x| near the middle; signed it is smooth, with slope 1 there.
        sign = np.where(two & (b > a), 1.0, np.where(two, -1.0, 1.0))
        flat = value < 1e-6
        return sign * value, np.where(flat, 1.0, sign * 0.5 * slope / np.where(flat, 1.0, value))
