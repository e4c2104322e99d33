# SPDX-License-Identifier: GPL-3.0-or-later
"""What a solver needs of a cost that chooses among the poses that serve the goals."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from ..model.pose import Pose
from ..rotation import Array


class PostureTerm(NamedTuple):
    """A cost at one pose.

    Attributes:
        value: of the cost, zero or more; gradient: (n,) its derivative by the coordinates;
        hessian: (n, n) the Gauss-Newton matrix of its squares, symmetric and positive semidefinite.
    """

    value: float
    gradient: Array
    hessian: Array


class PostureCost(Protocol):
    """A cost of single poses; objects do not change."""

    def evaluate(self, pose: Pose) -> PostureTerm:
        """Value, gradient and Gauss-Newton Hessian at a pose."""
        ...

    def value(self, pose: Pose) -> float:
        """The value alone."""
        ...
