# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's data on one side, plain numpy arrays and ikmath's figures on the other.

Nothing here keeps a Blender object, knows an event or an interface; all numeric work that is not about how
Blender stores things is asked of ikmath.
"""
