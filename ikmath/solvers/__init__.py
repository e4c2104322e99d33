# SPDX-License-Identifier: GPL-3.0-or-later
"""The solving methods, one a file, and their registry.

What methods share: `loop` (the iteration of the incremental ones), `limbs` (what the geometric ones see of a
figure), `descent` (one solve of the default method), `rest` (where a solve comes to rest).
"""

from .demand import Demand, Wish
from .registry import DEFAULT, METHODS, Solver, solve

__all__ = ["DEFAULT", "METHODS", "Demand", "Solver", "Wish", "solve"]
