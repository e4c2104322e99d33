# SPDX-License-Identifier: GPL-3.0-or-later
"""Articulate: full-body inverse kinematics for Blender. This file only registers and unregisters."""

from .copies import forget_if_replaced, require_alone

require_alone()  # before the other copy loses its library
forget_if_replaced()  # before ikmath is imported below

from .registration import register, unregister

__all__ = ("register", "unregister")
