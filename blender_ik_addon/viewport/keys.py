# SPDX-License-Identifier: GPL-3.0-or-later
"""Shortcuts in Pose Mode, from any tool. They are on Blender's list of keys, where a user may change them."""

from __future__ import annotations

from typing import Any

import bpy

from ..preferences import is_our_key

_KEYMAP = "Pose"
_PINS = "ARTICULATE_MT_pins"


def attach() -> None:
    """Add the keys; without a window there is no keymap for them."""
    keys = bpy.context.window_manager.keyconfigs.addon
    if keys is None:
        return
    keymap = keys.keymaps.new(name=_KEYMAP, space_type="EMPTY")
    keymap.keymap_items.new("articulate.drag", "D", "PRESS", alt=True)
    menu: Any = keymap.keymap_items.new("wm.call_menu", "P", "PRESS", shift=True, alt=True)
    menu.properties.name = _PINS


def detach() -> None:
    """Remove them."""
    keys = bpy.context.window_manager.keyconfigs.addon
    keymap = keys.keymaps.get(_KEYMAP) if keys is not None else None
    if keymap is None:
        return
    for item in [item for item in keymap.keymap_items if is_our_key(item)]:
        keymap.keymap_items.remove(item)


def key_of_pins(context: bpy.types.Context) -> str:
    """What to press for the menu of pins, as the user has set it; "" for no key."""
    keys = context.window_manager.keyconfigs.user
    keymap = keys.keymaps.get(_KEYMAP) if keys is not None else None
    items: Any = () if keymap is None else keymap.keymap_items
    ours = (item for item in items if item.active and getattr(item.properties, "name", "") == _PINS)
    return next((item.to_string() for item in ours), "")
