# SPDX-License-Identifier: GPL-3.0-or-later
"""What panels of the tab "Articulate" are made of: base classes, lists, and wrapped text.

Blender's labels do not wrap, so text is wrapped to the width of the sidebar here.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import blf
import bpy

from ..properties.access import active_armature, rig_of

_MARGIN: Final = 56.0  # pixels at a resolution scale of 1: edges, tabs, and indentation of sub-panels
ICON: Final = 20.0
_INDENT: Final = 8.0  # between an icon and its text
_FONT: Final = 0  # the font of panels
_LEAST: Final = 60.0
_DOTS: Final = "…"
_GAP: Final = 16.0  # around the button beside a text
_LABEL_SHARE: Final = 0.4  # share of a line that Blender uses for the label of a setting


def draw_text(layout, context, text: str, *, icon: Any) -> None:
    """Draw a text with as many lines as it needs, and an icon in front of the first line."""
    room = sidebar_width(context) - _MARGIN - ICON - _INDENT
    _draw_lines(layout, wrap(text, max(_LEAST, room), letters(context)), icon)


def draw_fixed(layout, context, text: str, rows: int, *, icon: Any = "NONE") -> None:
    """Draw a text in a box of constant height, so that nothing below it moves; truncated if it does not fit.

    The layout is a row with at most one button.
    """
    width = letters(context)
    beside = ICON if icon == "NONE" else 2 * ICON + _INDENT  # the button, and the icon
    room = max(_LEAST, sidebar_width(context) - _MARGIN - _GAP - beside)
    lines = list(wrap(text, room, width))
    if len(lines) > rows:
        last = lines[rows - 1]
        while last and width(last + _DOTS) > room:
            last = last[:-1]
        lines[rows - 1 :] = [last.rstrip() + _DOTS]
    _draw_lines(layout, lines + [""] * (rows - len(lines)), icon)


def _draw_lines(layout, lines: Iterable[str], icon: Any) -> None:
    column = layout.column(align=True)
    column.scale_y = 0.8
    for number, line in enumerate(lines):
        column.label(text=line, icon="BLANK1" if number and icon != "NONE" else icon)


def sidebar_width(context: bpy.types.Context) -> float:
    """Width of the region, pixels at a resolution scale of 1."""
    return context.region.width / _scale(context) if context.region else 300.0


def letters(context: bpy.types.Context) -> Callable[[str], float]:
    """A function that measures text in the panels' font, in the same pixels."""
    scale = _scale(context)
    blf.size(_FONT, context.preferences.ui_styles[0].widget.points * scale)
    return lambda words: blf.dimensions(_FONT, words)[0] / scale


def _scale(context: bpy.types.Context) -> float:
    return context.preferences.system.ui_scale or 1.0  # 0 without a window


def wrap(text: str, room: float, width: Callable[[str], float]) -> Iterator[str]:
    """Split a text into lines that fit into `room`; long words without spaces are split."""
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


class Tab:
    """A panel in the tab."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Articulate"


class SubPanel(Tab):
    """A panel below the tab's first one, closed by default; subclasses implement `fill` instead of `draw`."""

    layout: Any
    bl_parent_id = "ARTICULATE_PT_main"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context) -> bool:
        return active_armature(context) is not None

    def draw(self, context) -> None:
        """Draw the panel, with labels beside the settings and no key dots."""
        layout, armature = self.layout, active_armature(context)
        layout.use_property_split = True
        layout.use_property_decorate = False
        self.fill(layout, context, armature, rig_of(armature))

    def fill(self, layout, context, armature, rig) -> None:
        """Draw the contents of the panel of the active armature, which has these settings."""
        raise NotImplementedError


class ItemList:
    """Base of a list: one line for each item, greyed out if it is off; subclasses implement `fill`."""

    def draw_item(
        self, context, layout, owner, item, _icon, _active_data, _active_property, _index=0, _flag=0
    ) -> None:
        line = layout.row(align=True)
        switched = "enabled" in item.bl_rna.properties
        line.active = not switched or item.enabled
        self.fill(line, context, owner, item)
        if switched:
            line.prop(item, "enabled", text="", emboss=False, icon="HIDE_OFF" if item.enabled else "HIDE_ON")

    def fill(self, line, context, owner, item) -> None:
        """Draw the contents of the line of an owner's item, before the switch at its end."""
        raise NotImplementedError


def draw_list(layout, kind, owner, items, active, rows=2):
    """Draw a list of an owner's items; returns the column beside it for buttons."""
    row = layout.row()
    row.use_property_split = False
    row.template_list(kind.__name__, "", owner, items, owner, active, rows=rows)
    return row.column(align=True)


def draw_of_bone(layout, name):
    """Draw the name of a bone in a line of its own; returns the column for settings of that bone.

    In a sidebar of the usual width there is no room for a name beside a setting.
    """
    column = layout.column()
    column.label(text=name, icon="BONE_DATA")
    return column


def draw_labelled(layout, label):
    """Draw a label where Blender draws that of a setting; returns the row beside it."""
    halves = layout.split(factor=_LABEL_SHARE, align=True)
    name = halves.row()
    name.alignment = "RIGHT"
    name.label(text=label)
    return halves.row()


def draw_all(layout, owner, names) -> None:
    """Draw settings below one another."""
    column = layout.column()
    for name in names:
        column.prop(owner, name)
