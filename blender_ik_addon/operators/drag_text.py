# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts of a drag: header and status bar during it, one sentence afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ..properties.measures import angle, counted, length
from .hand import Hand
from .status_bar import AXIS, CANCEL, CONFIRM, NUMBER, SHIFT, SNAP, Key

if TYPE_CHECKING:
    from ..control.drag.drag import Drag, Grip

KEYS: tuple[Key, ...] = (
    (("EVENT_G", "EVENT_R"), "Move, Turn"),
    AXIS,
    SNAP,
    SHIFT,
    NUMBER,
    (("MOUSE_MMB",), "Bones That Take Part"),
    (("EVENT_ALT", "MOUSE_MMB"), "Parent"),
    (("EVENT_P",), "Root Pinned or Free"),
    (("EVENT_B",), "Balance"),
    (("EVENT_H",), "Keep Hips"),
    CONFIRM,
    CANCEL,
)
SUPPORTS: Final = {"B": "balance", "H": "keep_hips"}
"""Key -> rule that keeps the figure upright."""
_NAMES: Final = 4  # number of bone names that fit in the header


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
        parts.append(_listed(drag.held) + (" hold" if len(drag.held) > 1 else " holds"))
    rule, in_force = drag.support
    if rule in SUPPORTS.values():
        parts.append(f"{rule.replace('_', ' ')} {'on' if in_force else 'off'}")
    if drag.recording is not None:
        frames = f"recorded {counted(len(drag.recording), 'frame')}"
        parts.append(frames if drag.recording.moves else "nothing recorded: start the playback first")
    if moved is not None:
        off = angle(moved.error) if hand.turning else length(moved.error)
        parts.append(f"{off} off" if moved.status == "REACHED" else moved.message)
    return "   |   ".join(parts)


def summary(grip: Grip, status: str, message: str, frames: int = 0) -> str:
    """What was dragged or turned, and the cause if the bone missed its target.

    Args:
        grip: the last one; status, message: of the last update; frames: number of recorded frames.
    """
    did = f"{'Turned' if grip.turn else 'Dragged'} '{grip.bone}'"
    did += f" with '{grip.other}' mirrored" if grip.other else ""
    if frames:
        return f"{did} and recorded {counted(frames, 'frame')}"
    return did + ("" if status == "REACHED" else f": {message}")


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMES
    return ", ".join(names[:_NAMES]) + (f" and {more} more" if more > 0 else "")
