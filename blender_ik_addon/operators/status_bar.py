# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts of a drag: key hints in the status bar, drawn like Blender's own, header, and final sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import bpy

from ..compat import WHEEL_ICON
from ..properties.measures import angle, counted, length
from .hand import Hand

if TYPE_CHECKING:
    from ..control.drag.drag import Drag, Grip

Key = tuple[tuple[Any, ...], str]
"""Icons of keys, and the label."""

SHIFT: Key = ("EVENT_SHIFT",), "Fine"
SNAP: Key = ("EVENT_CTRL",), "Snap"
AXIS: Key = ("EVENT_X", "EVENT_Y", "EVENT_Z"), "Axis"
NUMBER: Key = (), "0-9: Number"  # Blender has no icon for digits
CONFIRM: Key = ("MOUSE_LMB", "EVENT_RETURN"), "Confirm"
CANCEL: Key = ("MOUSE_RMB", "EVENT_ESC"), "Cancel"
_GAP = 1.5
_WIDE = dict.fromkeys(("EVENT_ALT", "EVENT_CTRL", "EVENT_ESC"), 1.2)  # wider than a label's space for icons
KEYS: tuple[Key, ...] = (
    (("EVENT_G", "EVENT_R"), "Move, Turn"),
    AXIS,
    SNAP,
    SHIFT,
    NUMBER,
    ((WHEEL_ICON,), "Bones That Take Part"),
    (("EVENT_ALT", WHEEL_ICON), "Parent"),
    (("EVENT_P",), "Root Pinned or Free"),
    (("EVENT_B",), "Balance"),
    (("EVENT_H",), "Keep Hips"),
    CONFIRM,
    CANCEL,
)
SUPPORTS: Final = {"B": "balance", "H": "keep_hips"}
"""Key -> rule that keeps the figure upright."""

_NAMES: Final = 4  # number of bone names that fit in the header


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


def header(drag: Drag, hand: Hand) -> str:
    """The grip, the bones that stay, the error and its cause."""
    grip, moved = drag.grip, drag.moved
    parts = [("Turn " if hand.turning else "Drag ") + grip.bone]
    if grip.other:
        parts.append(f"{grip.other} mirrored")
    parts += hand.text
    parts.append(counted(grip.levels, "bone") if grip.levels else "whole figure")
    parts.append(f"root {drag.root.lower()}")
    if drag.held:
        more = len(drag.held) - _NAMES
        named = ", ".join(drag.held[:_NAMES]) + (f" and {more} more" if more > 0 else "")
        parts.append(f"{named} {'hold' if len(drag.held) > 1 else 'holds'}")
    rule, in_force = drag.support
    if rule in SUPPORTS.values():
        parts.append(f"{rule.replace('_', ' ')} {'on' if in_force else 'off'}")
    if drag.recording is not None:
        frames = f"recorded {counted(len(drag.recording), 'frame')}"
        parts.append(frames if drag.recording.moves else "nothing recorded: start the playback first")
    if moved is not None:
        off = angle(moved.error) if hand.turning else length(moved.error)
        parts.append(f"{off} off" if moved.status == "REACHED" else moved.message)
        if moved.searches:
            parts.append("looking for another way")
    return "   |   ".join(parts)


def summary(grip: Grip, status: str, message: str, frames: int = 0) -> str:
    """What was dragged or turned, and the cause if the bone missed its target."""
    did = f"{'Turned' if grip.turn else 'Dragged'} '{grip.bone}'"
    did += f" with '{grip.other}' mirrored" if grip.other else ""
    if frames:
        return f"{did} and recorded {counted(frames, 'frame')}"
    return did + ("" if status == "REACHED" else f": {message}")
