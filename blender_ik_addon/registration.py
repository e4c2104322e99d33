# SPDX-License-Identifier: GPL-3.0-or-later
"""One ordered list of what the add-on registers, so that a failure half-way can be undone exactly.

A module on the list has `CLASSES` (registered in order) and may have `attach()` and `detach()` for what is no
class: pointers on Blender types, menu entries, handlers. `detach` must bear a call after a failed `attach`.
"""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from types import ModuleType

import bpy

from . import cli, handlers, operators, preferences, properties, ui, viewport
from .copies import is_ours, require_alone

MODULES: tuple[ModuleType, ...] = (properties, preferences, operators, ui, viewport, handlers, cli)


def register() -> None:
    """Register everything; on an error undo what was done and raise it again.

    Registering while registered starts afresh, as after a reload of the scripts.

    Raises:
        ImportError: another copy of the add-on is enabled; it stays as it is.
    """
    require_alone()
    if is_ours():
        unregister()
    with ExitStack() as undo:
        for module in MODULES:
            _register_module(module, undo)
        undo.pop_all()
    # Blender as a program disables its add-ons before it ends. As a Python module it does not, and then 4.5
    # hangs over the handlers that are left.
    atexit.register(unregister)


def unregister() -> None:
    """Take everything back, last first; a failure does not stop that and is raised at the end."""
    atexit.unregister(unregister)
    with ExitStack() as undo:
        for module in MODULES:
            for cls in module.CLASSES:
                undo.callback(_unregister_class, cls)
            if hasattr(module, "detach"):
                undo.callback(module.detach)


def _register_module(module: ModuleType, undo: ExitStack) -> None:
    for cls in module.CLASSES:
        bpy.utils.register_class(cls)
        undo.callback(_unregister_class, cls)
    if hasattr(module, "attach"):
        undo.callback(module.detach)
        module.attach()


def _unregister_class(cls: type) -> None:
    if "bl_rna" in cls.__dict__:  # `is_registered` says the same, but gizmos have none
        bpy.utils.unregister_class(cls)
