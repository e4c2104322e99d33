# SPDX-License-Identifier: GPL-3.0-or-later
"""The common currency: rows that should vanish, with their derivative.

Goals make them, limit methods add to them, every solving method eats them.
"""

from __future__ import annotations

from typing import NamedTuple

from .rotation import Array


class Residual(NamedTuple):
    """Rows of a goal.

    Attributes:
        error: (*batch, k), in the goal's unit.
        jacobian: (*batch, k, n), its derivative by the coordinates.
    """

    error: Array
    jacobian: Array
