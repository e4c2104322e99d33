# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators `articulate.*`, which call `control`."""

from . import (
    bake,
    begin,
    body,
    drag,
    effector,
    elephant,
    grasp,
    obstacle,
    pin,
    report,
    solve,
    stance,
    target,
)

_MODULES = (
    begin,
    elephant,
    effector,
    obstacle,
    body,
    solve,
    bake,
    drag,
    grasp,
    pin,
    report,
    target,
    stance,
)
CLASSES = tuple(cls for module in _MODULES for cls in module.CLASSES)
