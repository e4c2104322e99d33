# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators `articulate.*`, which call `control`."""

from . import bake, drag, effector, elephant, grasp, obstacle, solve, target

CLASSES = tuple(
    cls
    for module in (elephant, effector, obstacle, solve, bake, drag, grasp, target)
    for name, cls in vars(module).items()
    if name.startswith("ARTICULATE_OT_")
)
