# SPDX-License-Identifier: GPL-3.0-or-later
"""Shortcuts in Pose Mode for any tool. Users can change them in Blender's keymap."""

from __future__ import annotations

from typing import Any

import bpy

from ..preferences import KEYMAP, is_our_key, own_keys

_PINS = "ARTICULATE_MT_pins"


def attach() -> None:
    """Add the keys; there is no keymap without a window."""
    keys = bpy.context.window_manager.keyconfigs.addon
    if keys is None:
        return
    keymap = keys.keymaps.new(name=KEYMAP, space_type="EMPTY")
    keymap.keymap_items.new("articulate.drag", "D", "PRESS", alt=True)
    menu: Any = keymap.keymap_items.new("wm.call_menu", "P", "PRESS", shift=True, alt=True)
    menu.properties.name = _PINS


def detach() -> None:
    """Remove the keys."""
    keys = bpy.context.window_manager.keyconfigs.addon
    keymap = keys.keymaps.get(KEYMAP) if keys is not None else None
    if keymap is None:
        return
    for item in [item for item in keymap.keymap_items if is_our_key(item)]:
        keymap.keymap_items.remove(item)


def key_of_pins(context: bpy.types.Context) -> str:
    """The user's shortcut for the pins menu; "" if it has none."""
    pins = (key for key in own_keys(context) if key.active and getattr(key.properties, "name", "") == _PINS)
    return next((key.to_string() for key in pins), "")
