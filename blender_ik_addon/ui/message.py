# SPDX-License-Identifier: GPL-3.0-or-later
"""The message of the panel: one sentence at a fixed place, which never moves the buttons."""

from typing import Any, Final

import bpy

from ..properties.access import rig_of, session_of
from .text import draw_fixed, sidebar_width

ROWS: Final = 3
_BUTTON: Final = 40.0  # width of the button beside it, pixels at a resolution scale of 1
FIRST_STEP: Final = "Drag any bone: the body follows. Pin what must stay. + makes a bone follow an object."


def draw_message(
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    armature: bpy.types.Object,
    refusal: Exception | None,
) -> None:
    """Draw the message and the report button.

    Args:
        layout: of the tab; context: for its width.
        armature: the active one.
        refusal: the reason why it cannot be solved, or None.
    """
    session = session_of(context)
    row = layout.row()
    if session.baking:
        column = row.column()
        column.progress(factor=session.progress, text=f"Baking {session.progress:.0%} (Esc: cancel)")
        for _line in range(ROWS - 1):
            column.label(text="")
        return
    text, icon = present_message(armature, refusal)
    row = row.split(factor=1.0 - _BUTTON / sidebar_width(context))
    draw_fixed(row, context, text, ROWS, icon=icon)
    row.operator("articulate.report_show", text="", icon="TEXT")


def present_message(armature: bpy.types.Object, refusal: Exception | None) -> tuple[str, Any]:
    """The present message and its icon."""
    rig = rig_of(armature)
    if refusal is not None and (rig.effectors or armature.library is not None):
        return str(refusal), "ERROR"
    if rig.message:
        return rig.message, "NONE"
    return ("", "NONE") if rig.effectors else (FIRST_STEP, "INFO")
