# SPDX-License-Identifier: GPL-3.0-or-later
"""Base classes of the avoidance methods: each adds a push to the step of an incremental method."""

from typing import ClassVar

from ...collision import Avoidance
from ...rotation import Array
from .situation import Situation


class Pushing(Avoidance):
    """An avoidance method that adds a push to each step.

    Attributes:
        detection_distance: clearance in figure sizes from which an obstacle counts.
    """

    detection_distance: ClassVar[float] = 0.3

    def step(self, at: Situation) -> Array:
        """The whole step (n,) with obstacles; `at.plain` is the step without them."""
        raise TypeError(f"{type(self).__name__} does not push.")


class Gradient(Pushing):
    """Base of methods that choose the arbitrary vector z of the general solution (Ge, eq. 4.2)."""

    def step(self, at: Situation) -> Array:
        return at.plain + at.bounded(at.homogeneous(self.vector(at)))

    def vector(self, at: Situation) -> Array:
        """The arbitrary vector z (n,), before its projection onto the null space of the goals."""
        raise TypeError(f"{type(self).__name__} must implement the push.")
