# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences on a panel: Blender's labels do not wrap, so they are cut to the width of the sidebar."""

from __future__ import annotations

import textwrap
from typing import Any

import bpy

_PIXELS_A_LETTER = 6.5
_MARGIN = 40.0


def draw_text(
    layout: bpy.types.UILayout, context: bpy.types.Context, text: str, *, icon: Any = "NONE"
) -> None:
    """A text in as many lines as it needs.

    Args:
        layout: where.
        context: for the width of the region and the scale of the interface.
        text: one or more sentences.
        icon: in front of the first line.
    """
    region, scale = context.region, context.preferences.system.ui_scale
    width = (region.width / scale if region else 300.0) - _MARGIN
    lines = textwrap.wrap(text, max(20, int(width / _PIXELS_A_LETTER)))
    column = layout.column(align=True)
    column.scale_y = 0.8
    for number, line in enumerate(lines):
        if icon == "NONE":
            column.label(text=line)
        else:
            column.label(text=line, icon="BLANK1" if number else icon)
