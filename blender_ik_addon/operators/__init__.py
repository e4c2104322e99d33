# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators `articulate.*`, which call `control`."""

from . import (
    bake,
    drag,
    effector,
    elephant,
    grasp,
    obstacle,
    solve,
    target,
)

_MODULES = (
    elephant,
    effector,
    obstacle,
    solve,
    bake,
    drag,
    grasp,
    target,
)
CLASSES = tuple(cls for module in _MODULES for cls in module.CLASSES)
