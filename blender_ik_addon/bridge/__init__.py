# SPDX-License-Identifier: GPL-3.0-or-later
"""Converts Blender's data to numpy arrays and figures of ikmath, and back.

These modules keep no Blender objects and handle no events. The numeric work is in `ikmath`, except where it
depends on how Blender stores its data.
"""
