# SPDX-License-Identifier: GPL-3.0-or-later
"""Shortcuts in Pose Mode, from any tool. They are on Blender's list of keys, where a user may change them."""

from __future__ import annotations

import bpy

_KEYMAP = "Pose"


def attach() -> None:
    """Add the keys; without a window there is no keymap for them."""
    keys = bpy.context.window_manager.keyconfigs.addon
    if keys is None:
        return
    keymap = keys.keymaps.new(name=_KEYMAP, space_type="EMPTY")
    keymap.keymap_items.new("articulate.drag", "D", "PRESS", alt=True)


def detach() -> None:
    """Remove them."""
    keys = bpy.context.window_manager.keyconfigs.addon
    keymap = keys.keymaps.get(_KEYMAP) if keys is not None else None
    if keymap is None:
        return
    for item in [item for item in keymap.keymap_items if item.idname.startswith("articulate.")]:
        keymap.keymap_items.remove(item)
