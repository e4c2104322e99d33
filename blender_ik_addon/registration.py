# SPDX-License-Identifier: GPL-3.0-or-later
"""The ordered list of everything that is registered, so that a failure can be undone exactly.

Each module may have `CLASSES` (registered in order), and `attach()` and `detach()` for everything else:
pointers on Blender types, menu entries, handlers. `detach` must work after a failed `attach`, or without one.
"""

import atexit
from contextlib import ExitStack
from inspect import get_annotations
from types import ModuleType

import bpy

from . import cli, handlers, operators, preferences, properties, ui
from .copies import is_ours, require_alone
from .viewport import gizmos, overlay, tool

MODULES: tuple[ModuleType, ...] = (
    properties,
    preferences,
    operators,
    ui,
    tool,
    gizmos,
    overlay,
    handlers,
    cli,
)


def register() -> None:
    """Register everything; on an error undo the rest and raise it again.

    If already registered, for example after a reload of the scripts, it unregisters first.

    Raises:
        ImportError: another copy of the add-on is enabled; it is not changed.
    """
    require_alone()
    if is_ours():
        unregister()
    try:
        for module in MODULES:
            for cls in getattr(module, "CLASSES", ()):
                _label(cls)
                bpy.utils.register_class(cls)
            if hasattr(module, "attach"):
                module.attach()
    except Exception:
        unregister()
        raise
    # Blender as a program disables its add-ons before it exits. As a Python module it does not, and then 4.5
    # hangs because of the remaining handlers.
    atexit.register(unregister)


def unregister() -> None:
    """Unregister everything in reverse order; a failure does not stop this and is raised at the end."""
    atexit.unregister(unregister)
    with ExitStack() as undo:
        for module in MODULES:
            for cls in getattr(module, "CLASSES", ()):
                undo.callback(_unregister_class, cls)
            if hasattr(module, "detach"):
                undo.callback(module.detach)


def _label(cls: type) -> None:
    """Label the properties of a class that have no label: `pin_location` is "Pin Location"."""
    for owner in (each for each in cls.__mro__ if each.__module__.startswith(f"{__package__}.")):
        owner.__annotations__ = get_annotations(owner, eval_str=True)
        for name, declaration in owner.__annotations__.items():
            if hasattr(declaration, "keywords"):
                declaration.keywords.setdefault("name", name.replace("_", " ").title())


def _unregister_class(cls: type) -> None:
    if "bl_rna" in cls.__dict__:  # `is_registered` is equivalent, but gizmos do not have it
        bpy.utils.unregister_class(cls)
