# SPDX-License-Identifier: GPL-3.0-or-later
"""Articulate: full-body inverse kinematics for Blender. Register and unregister, nothing else."""

from .library import forget_if_replaced

forget_if_replaced()  # before anything below imports ikmath

from .registration import register, unregister

__all__ = ("register", "unregister")
