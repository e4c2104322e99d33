# SPDX-License-Identifier: GPL-3.0-or-later
"""The default solver, the interface of all methods, and their registry."""

from .api import DEFAULT, METHODS, Solver, solve
from .method import GoalRequirement, Requirements

__all__ = ["DEFAULT", "METHODS", "Requirements", "Solver", "GoalRequirement", "solve"]
