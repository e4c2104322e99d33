# SPDX-License-Identifier: GPL-3.0-or-later
"""Shortcuts in Pose Mode, from any tool. They are on Blender's list of keys, where a user may change them."""

from __future__ import annotations

from typing import Any

import bpy

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
    for item in [item for item in keymap.keymap_items if _is_ours(item)]:
        keymap.keymap_items.remove(item)


def _is_ours(item: Any) -> bool:
    return item.idname.startswith("articulate.") or getattr(item.properties, "name", "") == _PINS
