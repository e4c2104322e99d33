# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the contents of `draw_data` over the 3D view, while Blender's own overlays are on, and hints.

Each hint for new users disappears after the user has followed it once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

import blf
import bpy
import gpu
from bpy.app.handlers import persistent
from bpy_extras.view3d_utils import location_3d_to_region_2d
from gpu_extras.batch import batch_for_shader

from .. import compat
from ..preferences import own_preferences
from ..properties.access import active_armature, is_shown, is_tool_active, rig_of
from ..properties.session import own_session
from .strokes import Drawing
from .tool import bone_in_hand, key_of_pins

if TYPE_CHECKING:
    from .draw_data import Sketch

_LINE_SHADER: Final = "POLYLINE_FLAT_COLOR"
_WIDTH: Final = 2.0  # pixels, at a resolution scale of 1
_POINT: Final = 7.0
_TEXT: Final = 11.0
_LINE: Final = 14.0  # height of a line of text with spacing
_BLACK: Final = (0.0, 0.0, 0.0, 1.0)
_BLUR: Final = 5  # of the shadow behind text, for contrast on any background
_EVENTS: Final = ("depsgraph_update_post", "frame_change_post", "undo_post", "redo_post", "load_post")
Box = tuple[float, float, float, float]  # pixels: left, bottom, width, height
_MOVES: Final = (0, -1, 1, -2, 2)  # vertical offsets of a label that are tried, in lines
_SIZES: Final = (16.0, 11.0)  # of the two lines, pixels at a resolution scale of 1
_PADDING: Final = 10.0
_ABOVE: Final = 40.0  # pixels above the lower edge of the view, free of Blender's own texts
_SECOND_LINE: Final = "Hints: switch them off in the Overlays popover"
_BACK: Final = (0.1, 0.1, 0.1, 0.8)
_COLOURS: Final = ((1.0, 1.0, 1.0, 1.0), (0.75, 0.75, 0.75, 1.0))


class Canvas:
    """A drawing on the GPU; uploaded only after a change, `drawn` the last time."""

    def __init__(self) -> None:
        self.drawn: Drawing | None = None
        self._batches: list[tuple[Any, Any, bool]] = []

    def draw(self, drawing: Drawing, size: tuple[float, float], scale: float) -> None:
        """Draw to the bound framebuffer of a region with a size in pixels and an interface scale."""
        if drawing is not self.drawn:
            self._batches = _batches(drawing)
            self.drawn = drawing
        gpu.state.blend_set("ALPHA")
        gpu.state.depth_test_set("NONE")
        gpu.state.point_size_set(_POINT * scale)
        for shader, batch, wide in self._batches:
            if wide:
                shader.uniform_float("viewportSize", size)
                shader.uniform_float("lineWidth", _WIDTH * scale)
            batch.draw(shader)
        gpu.state.point_size_set(1.0)
        gpu.state.blend_set("NONE")


def _batches(drawing: Drawing) -> list[tuple[Any, Any, bool]]:
    found = []
    parts: Any = (
        (_LINE_SHADER, "LINES", drawing.lines, drawing.line_colours, True),
        (compat.POINT_SHADER, "POINTS", drawing.points, drawing.point_colours, False),
    )
    for name, kind, places, colours, wide in parts:
        if len(places):
            shader = gpu.shader.from_builtin(name)
            found.append((shader, batch_for_shader(shader, kind, {"pos": places, "color": colours}), wide))
    return found


class Overlay:
    """The draw handlers of all 3D views.

    Attributes:
        handles: of the draw handlers, to remove them.
        sketch: the contents, None until an armature is active, because it loads the library; canvas: the same
            on the GPU.
        dragging: whether a bone was being dragged at the last redraw.
    """

    handles: ClassVar[list[Any]] = []
    sketch: ClassVar[Sketch | None]
    canvas: ClassVar[Canvas]
    dragging: ClassVar[bool] = False


def attach() -> None:
    """Register the draw handlers."""
    Overlay.sketch, Overlay.canvas = None, Canvas()
    for function, kind in ((draw, "POST_VIEW"), (draw_labels, "POST_PIXEL"), (draw_hint, "POST_PIXEL")):
        Overlay.handles.append(bpy.types.SpaceView3D.draw_handler_add(function, (), "WINDOW", kind))
    for name in _EVENTS:
        getattr(bpy.app.handlers, name).append(note)


def detach() -> None:
    """Remove the draw handlers."""
    while Overlay.handles:
        bpy.types.SpaceView3D.draw_handler_remove(Overlay.handles.pop(), "WINDOW")


@persistent
def note(_scene: Any = None, depsgraph: Any = None) -> None:
    """Note that something may have changed."""
    if Overlay.sketch is not None:
        Overlay.sketch.note(depsgraph)


def draw() -> None:
    """Draw an armature's effectors in the view."""
    context = bpy.context
    armature = _shown_armature(context)
    if armature is None:
        return
    depsgraph, held = context.evaluated_depsgraph_get(), bone_in_hand(context, armature)
    if Overlay.sketch is None:
        from .draw_data import Sketch

        Overlay.sketch = Sketch()
    drawing = Overlay.sketch.drawing(armature, depsgraph, held)
    Overlay.canvas.draw(drawing, gpu.state.viewport_get()[2:], context.preferences.system.ui_scale or 1.0)


def draw_labels() -> None:
    """Draw the labels of the last drawing."""
    context = bpy.context
    drawing = Overlay.canvas.drawn if _shown_armature(context) is not None else None
    if drawing is None or context.region is None or context.region_data is None:
        return
    scale = context.preferences.system.ui_scale or 1.0
    blf.size(0, _TEXT * scale)
    seen = [
        (found.x + _POINT, found.y, text, colour)
        for place, text, colour in drawing.labels
        if (found := location_3d_to_region_2d(context.region, context.region_data, place)) is not None
    ]
    boxes = arrange([(x, y, blf.dimensions(0, text)[0], _LINE * scale) for x, y, text, _colour in seen])
    blf.enable(0, blf.SHADOW)
    blf.shadow(0, _BLUR, *_BLACK)
    for box, (_x, _y, text, colour) in zip(boxes, seen, strict=True):
        if box is not None:
            red, green, blue = (0.5 + 0.5 * part for part in colour[:3])  # paler than the lines around it
            blf.color(0, red, green, blue, 1.0)
            blf.position(0, box[0], box[1], 0.0)
            blf.draw(0, text)
    blf.disable(0, blf.SHADOW)


def _shown_armature(context: bpy.types.Context) -> bpy.types.Object | None:
    """The armature under the mouse that a drag would take, else the active one; None if it is not visible."""
    space: Any = context.space_data
    armature = active_armature(context) if space is not None and space.overlay.show_overlays else None
    if armature is not None and is_tool_active(context) and not own_session().dragged:
        under = (one for one in context.objects_in_mode if one.session_uid == own_session().hovered_of)
        armature = next(under, armature)
    return armature if armature is not None and is_shown(context, armature) else None


def arrange(wanted: Sequence[Box]) -> list[Box | None]:
    """Move labels up or down by some lines so that none overlaps an earlier one; None without space."""
    found: list[Box | None] = []
    taken: list[Box] = []

    def meet(a: Box, b: Box) -> bool:
        return all(a[side] < b[side] + b[side + 2] and b[side] < a[side] + a[side + 2] for side in (0, 1))

    for left, bottom, width, height in wanted:
        tried = [(left, bottom + line * height, width, height) for line in _MOVES]
        free = next((box for box in tried if not any(meet(box, other) for other in taken)), None)
        found.append(free)
        if free is not None:
            taken.append(free)
    return found


def draw_hint() -> None:
    """Draw the present hint and a second line on a dark box at the bottom centre of the view."""
    context = bpy.context
    text, region = present_hint(context), context.region
    if not text or region is None:
        return
    lines, scale = (text, _SECOND_LINE), context.preferences.system.ui_scale or 1.0
    padding, sizes = _PADDING * scale, [size * scale for size in _SIZES]
    widths = []
    for text, size in zip(lines, sizes, strict=True):
        blf.size(0, size)
        widths.append(blf.dimensions(0, text)[0])
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
        blf.size(0, size)
        blf.color(0, *colour)
        blf.position(0, (region.width - own) / 2, line + 0.2 * size, 0.0)
        blf.draw(0, text)


def present_hint(context: bpy.types.Context) -> str:
    """The present hint, "" if there is none. Also records which hints were followed."""
    preferences, armature = own_preferences(context), active_armature(context)
    left = preferences is not None and preferences.show_hints and preferences.hints_followed < len(_HINTS)
    if not left or armature is None or not is_tool_active(context):
        return ""
    dragging, Overlay.dragging = Overlay.dragging, own_session().dragged != 0
    if Overlay.dragging:
        return ""
    say, followed = _HINTS[preferences.hints_followed]
    if followed(armature, dragging):
        preferences.hints_followed += 1
        context.preferences.is_dirty = True  # so that Blender saves the preferences
        return present_hint(context)
    return say(context)


def _say_pin(context: bpy.types.Context) -> str:
    key = key_of_pins(context)
    return f"Pin what must stay: click on a bone, then {key or 'menu Pose > Articulate > Pins'}"


# Text, and whether the hint was followed, given the armature and whether a drag has just ended.
_HINTS: Final[tuple[tuple[Callable[..., str], Callable[[bpy.types.Object, bool], bool]], ...]] = (
    (lambda _context: "Press on a bone and drag: the body follows", lambda _armature, dragged: dragged),
    (_say_pin, lambda armature, _dragged: any(e.follows == "PIN" for e in rig_of(armature).effectors)),
)
