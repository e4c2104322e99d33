# SPDX-License-Identifier: GPL-3.0-or-later
"""Key hints in the status bar, drawn like Blender's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import bpy

Icon = Literal[
    "EVENT_ALT", "EVENT_B", "EVENT_CTRL", "EVENT_ESC", "EVENT_G", "EVENT_H", "EVENT_P", "EVENT_R",
    "EVENT_RETURN", "EVENT_SHIFT", "EVENT_X", "EVENT_Y", "EVENT_Z", "MOUSE_LMB", "MOUSE_MMB", "MOUSE_MOVE",
    "MOUSE_RMB",
]  # fmt: skip
Key = tuple[tuple[Icon, ...], str]
"""Icons of keys, and the label."""

SHIFT: Key = ("EVENT_SHIFT",), "Fine"
SNAP: Key = ("EVENT_CTRL",), "Snap"
AXIS: Key = ("EVENT_X", "EVENT_Y", "EVENT_Z"), "Axis"
NUMBER: Key = (), "0-9: Number"  # Blender has no icon for digits
CONFIRM: Key = ("MOUSE_LMB", "EVENT_RETURN"), "Confirm"
CANCEL: Key = ("MOUSE_RMB", "EVENT_ESC"), "Cancel"
_GAP = 1.5
_WIDE = {
    "EVENT_ALT": 1.2,
    "EVENT_CTRL": 1.2,
    "EVENT_ESC": 1.2,
}  # these are wider than a label's space for icons


def show_keys(context: bpy.types.Context, keys: Sequence[Key] | None, doing: str = "") -> None:
    """Show key hints and an optional text in the status bar; None for `keys` removes them.

    A plain text would belong to the current workspace and remain there after a switch to another one. A draw
    function applies to all workspaces.
    """

    def draw(header: bpy.types.Header, _context: bpy.types.Context) -> None:
        row = header.layout.row(align=True)
        if doing:
            row.label(text=doing)
            row.separator(factor=_GAP)
        for icons, does in keys or ():
            for icon in icons:
                row.label(text="", icon=icon)
                if icon in _WIDE:
                    row.separator(factor=_WIDE[icon])
            row.label(text=does)
            row.separator(factor=_GAP)

    context.workspace.status_text_set(None if keys is None else draw)
