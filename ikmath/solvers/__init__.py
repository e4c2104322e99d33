# SPDX-License-Identifier: GPL-3.0-or-later
"""The default solver, the interface of all methods, and their registry."""

from ..problem.requirements import GoalRequirement, Requirements
from .api import DEFAULT, METHODS, Solver, solve

__all__ = ["DEFAULT", "METHODS", "Requirements", "Solver", "GoalRequirement", "solve"]
