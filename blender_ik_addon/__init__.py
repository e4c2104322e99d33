# SPDX-License-Identifier: GPL-3.0-or-later
"""Articulate: full-body inverse kinematics for Blender. Register and unregister, nothing else."""

from .copies import require_alone
from .library import forget_if_replaced

require_alone()  # before the other copy loses its library
forget_if_replaced()  # before anything below imports ikmath

from .registration import register, unregister

__all__ = ("register", "unregister")
