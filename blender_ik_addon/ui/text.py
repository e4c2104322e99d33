# SPDX-License-Identifier: GPL-3.0-or-later
"""Wraps text to the width of the sidebar, because Blender's labels do not wrap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import blf
import bpy

_MARGIN: Final = 56.0  # pixels at a resolution scale of 1: edges, tabs, and indentation of sub-panels
ICON: Final = 20.0
_FONT: Final = 0  # the font of panels
_LEAST: Final = 60.0
_DOTS: Final = "…"
_GAP: Final = 16.0  # around the button beside a text


def draw_text(
    layout: bpy.types.UILayout, context: bpy.types.Context, text: str, *, icon: Any = "NONE"
) -> None:
    """Draw a text with as many lines as it needs.

    Args:
        layout: to draw to.
        context: for the width of the region, the interface scale and the font.
        text: one or more sentences.
        icon: in front of the first line.
    """
    room = sidebar_width(context) - _MARGIN - (0.0 if icon == "NONE" else ICON)
    _draw_lines(layout, wrap(text, max(_LEAST, room), letters(context)), icon)


def draw_fixed(
    layout: bpy.types.UILayout, context: bpy.types.Context, text: str, rows: int, *, icon: Any = "NONE"
) -> None:
    """Draw a text in a box of constant height, so that nothing below it moves.

    Args:
        layout: to draw to, a row with at most one button.
        context: as for `draw_text`.
        text: one or more sentences; truncated with dots if it does not fit.
        rows: number of lines.
        icon: in front of the first line.
    """
    width = letters(context)
    beside = ICON if icon == "NONE" else 2 * ICON  # the button, and the icon
    room = max(_LEAST, sidebar_width(context) - _MARGIN - _GAP - beside)
    lines = list(wrap(text, room, width))
    if len(lines) > rows:
        last = lines[rows - 1]
        while last and width(last + _DOTS) > room:
            last = last[:-1]
        lines[rows - 1 :] = [last.rstrip() + _DOTS]
    _draw_lines(layout, lines + [""] * (rows - len(lines)), icon)


def _draw_lines(layout: bpy.types.UILayout, lines: Iterable[str], icon: Any) -> None:
    column = layout.column(align=True)
    column.scale_y = 0.8
    for number, line in enumerate(lines):
        if icon == "NONE":
            column.label(text=line)
        else:
            column.label(text=line, icon="BLANK1" if number else icon)


def sidebar_width(context: bpy.types.Context) -> float:
    """Width of the region, pixels at a resolution scale of 1."""
    return context.region.width / _scale(context) if context.region else 300.0


def letters(context: bpy.types.Context) -> Callable[[str], float]:
    """A function that measures text in the panels' font, in the same pixels."""
    preferences: Any = context.preferences
    scale = _scale(context)
    blf.size(_FONT, preferences.ui_styles[0].widget.points * scale)
    return lambda words: blf.dimensions(_FONT, words)[0] / scale


def _scale(context: bpy.types.Context) -> float:
    return context.preferences.system.ui_scale or 1.0  # 0 without a window


def wrap(text: str, room: float, width: Callable[[str], float]) -> Iterator[str]:
    """Split a text into lines that fit; long words without spaces are split.

    Args:
        text: words between spaces.
        room: width of a line.
        width: gives the width of a text, in the unit of `room`.
    """
    line = ""
    for word in text.split():
        if line and width(f"{line} {word}") <= room:
            line = f"{line} {word}"
            continue
        if line:
            yield line
        line = word
        while width(line) > room and len(line) > 1:
            fits = max((n for n in range(1, len(line)) if width(line[:n]) <= room), default=1)
            yield line[:fits]
            line = line[fits:]
    if line:
        yield line
