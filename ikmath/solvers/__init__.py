# SPDX-License-Identifier: GPL-3.0-or-later
"""The solving methods, one a file, and their registry."""

from .demand import Demand, Wish
from .registry import DEFAULT, METHODS, Solver, solve

__all__ = ["DEFAULT", "METHODS", "Demand", "Solver", "Wish", "solve"]
