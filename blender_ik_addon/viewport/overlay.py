# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws effectors, targets and pins over the 3D view, while Blender's own overlays are on."""

from __future__ import annotations

from typing import Any, ClassVar

import bpy
import gpu
from gpu_extras.batch import batch_for_shader

from .. import compat
from ..properties.access import active_armature, rig_of
from .draw_data import drawing

_WIDTH = 2.0  # pixels, at a resolution scale of 1
_POINT = 9.0


class Overlay:
    """The draw handler of all 3D views.

    Attributes:
        handle: what Blender gave for it, to take it away again.
    """

    handle: ClassVar[Any] = None


def attach() -> None:
    """Begin to draw."""
    Overlay.handle = bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_VIEW")


def detach() -> None:
    """Draw no more."""
    if Overlay.handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(Overlay.handle, "WINDOW")
        Overlay.handle = None


def draw() -> None:
    """Draw the active armature's effectors into the view that is being drawn."""
    context = bpy.context
    space: Any = context.space_data
    armature = active_armature(context)
    if space is None or not space.overlay.show_overlays or armature is None or not rig_of(armature).effectors:
        return
    shown = drawing(armature)
    scale = context.preferences.system.ui_scale or 1.0
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE")
    gpu.state.point_size_set(_POINT * scale)
    viewport: Any = gpu.state.viewport_get()
    line: Any = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    line.uniform_float("viewportSize", viewport[2:])
    line.uniform_float("lineWidth", _WIDTH * scale)
    point: Any = gpu.shader.from_builtin(compat.POINT_SHADER)
    todo: Any = ((line, "LINES", shown.lines), (point, "POINTS", shown.points))
    for shader, kind, parts in todo:
        for colour, places in parts.items():
            shader.uniform_float("color", colour)
            batch_for_shader(shader, kind, {"pos": places}).draw(shader)
    gpu.state.point_size_set(1.0)
    gpu.state.blend_set("NONE")
