# SPDX-License-Identifier: GPL-3.0-or-later
"""The default solver, the interface of all methods, and their registry."""

from ..problem.requirements import Demand, Wish
from .api import DEFAULT, METHODS, Solver, solve

__all__ = ["DEFAULT", "METHODS", "Demand", "Solver", "Wish", "solve"]
