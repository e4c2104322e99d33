# SPDX-License-Identifier: GPL-3.0-or-later
"""Avoidance methods of the texts: each adds a push to the step that an incremental method proposes."""

from __future__ import annotations

from ...collision import Avoidance
from ...rotation import Array
from .situation import Situation


class Pushing(Avoidance):
    """An avoidance method that pushes."""

    def step(self, at: Situation) -> Array:
        """The whole step (n,) in the presence of obstacles; `at.plain` is the step without them."""
        raise TypeError(f"{type(self).__name__} does not push.")


class Gradient(Pushing):
    """Methods that give the arbitrary vector z of the general solution (Ge, eq. 4.2)."""

    def step(self, at: Situation) -> Array:
        return at.plain + at.bounded(at.homogeneous(self.vector(at)))

    def vector(self, at: Situation) -> Array:
        """The arbitrary vector (n,), before it is projected into what the goals leave free."""
        raise TypeError(f"{type(self).__name__} must implement the push.")
