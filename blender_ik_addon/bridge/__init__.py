# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's data on one side, plain numpy arrays and ikmath's figures on the other.

These modules keep no Blender objects and handle no events. `ikmath` does all numeric work, except for what
depends on how Blender stores its data.
"""
