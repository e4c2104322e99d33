# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels, lists and menus. They read properties and call operators by name."""

from contextlib import suppress
from typing import Any

import bpy

from . import advanced, effector_list, menu, overlay, panel, surroundings

_MODULES = (effector_list, panel, surroundings, overlay, advanced, menu)  # in the order of the tab
CLASSES = tuple(
    cls
    for module in _MODULES
    for name, cls in vars(module).items()
    if name.startswith("ARTICULATE_") and cls.__module__ == module.__name__
)


def attach() -> None:
    """Add the entries to Blender's own menus and the manual pages."""
    for owner, draw in _entries():
        owner.append(draw)
    bpy.utils.register_manual_map(menu.manual_map)


def detach() -> None:
    """Remove them."""
    for owner, draw in _entries():
        owner.remove(draw)
    with suppress(ValueError):  # after a failed attach
        bpy.utils.unregister_manual_map(menu.manual_map)


def _entries() -> tuple[tuple[Any, Any], ...]:
    return (
        (bpy.types.VIEW3D_MT_pose, menu.draw_entry),
        (bpy.types.VIEW3D_MT_pose_context_menu, menu.draw_entry),
        (bpy.types.VIEW3D_MT_object_context_menu, menu.draw_begin),
        (bpy.types.VIEW3D_MT_armature_add, menu.draw_elephant),
    )
