# SPDX-License-Identifier: GPL-3.0-or-later
"""Hints for new users over the 3D view. Each one disappears after the user has followed it once."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

import blf
import bpy
import gpu
from gpu_extras.batch import batch_for_shader

from ..preferences import own_preferences
from ..properties.access import active_armature, rig_of, session_of
from .keys import key_of_pins
from .tool import tool_in_hand

_FONT: Final = 0
_SIZES: Final = (16.0, 11.0)  # of the two lines, pixels at a resolution scale of 1
_PADDING: Final = 10.0
_ABOVE: Final = 40.0  # pixels above the lower edge of the view, free of Blender's own texts
_SECOND_LINE: Final = "Hints: switch them off in the menu of overlays"
_BACK: Final = (0.1, 0.1, 0.1, 0.8)
_COLOURS: Final = ((1.0, 1.0, 1.0, 1.0), (0.75, 0.75, 0.75, 1.0))


class Hints:
    """State of the hints since Blender started.

    Attributes:
        dragging: whether a bone was being dragged at the last redraw.
    """

    dragging: ClassVar[bool] = False


def draw() -> None:
    """Draw the present hint in the view."""
    context = bpy.context
    text = present_hint(context)
    if text and context.region is not None:
        _draw_box((text, _SECOND_LINE), context)


def present_hint(context: bpy.types.Context) -> str:
    """The present hint, "" if there is none. Also records which hints were followed."""
    preferences, armature = own_preferences(context), active_armature(context)
    if preferences is None or not preferences.show_hints or preferences.hints_followed >= len(_HINTS):
        return ""
    if armature is None or not tool_in_hand(context, armature):
        return ""
    dragging, Hints.dragging = Hints.dragging, session_of(context).dragged != 0
    if Hints.dragging:
        return ""
    say, followed = _HINTS[preferences.hints_followed]
    if followed(armature, dragging):
        preferences.hints_followed += 1
        context.preferences.is_dirty = True  # so that Blender saves the preferences
        return present_hint(context)
    return say(context)


def _has_pins(armature: bpy.types.Object, _dragged: bool) -> bool:
    return any(effector.follows == "PIN" for effector in rig_of(armature).effectors)


def _say_pin(context: bpy.types.Context) -> str:
    key = key_of_pins(context)
    return f"Pin what must stay: click on a bone, then {key or 'menu Pose > Articulate > Pins'}"


# Text, and whether the hint was followed, given the armature and whether a drag has just ended.
_HINTS: Final[tuple[tuple[Callable[..., str], Callable[[bpy.types.Object, bool], bool]], ...]] = (
    (lambda _context: "Press on a bone and drag: the body follows", lambda _armature, dragged: dragged),
    (_say_pin, _has_pins),
)


def _draw_box(lines: tuple[str, str], context: bpy.types.Context) -> None:
    """Draw two lines on a dark box at the bottom centre of the view."""
    region, scale = context.region, context.preferences.system.ui_scale or 1.0
    padding, sizes = _PADDING * scale, [size * scale for size in _SIZES]
    widths = []
    for text, size in zip(lines, sizes, strict=True):
        blf.size(_FONT, size)
        widths.append(blf.dimensions(_FONT, text)[0])
    width, height = max(widths) + 2 * padding, sum(sizes) + 3 * padding
    if width > region.width:
        return
    left, bottom = (region.width - width) / 2, _ABOVE * scale
    corners = [(left + x * width, bottom + y * height) for x, y in ((0, 0), (0, 1), (1, 0), (1, 1))]
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    gpu.state.blend_set("ALPHA")
    shader.uniform_float("color", _BACK)
    batch_for_shader(shader, "TRI_STRIP", {"pos": corners}).draw(shader)
    gpu.state.blend_set("NONE")
    line = bottom + height
    for text, size, own, colour in zip(lines, sizes, widths, _COLOURS, strict=True):
        line -= padding + size
        blf.size(_FONT, size)
        blf.color(_FONT, *colour)
        blf.position(_FONT, (region.width - own) / 2, line + 0.2 * size, 0.0)
        blf.draw(_FONT, text)
