# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrows and rings on the targets and pins of the selected effectors.

These are the effectors of the selected bones, those with a selected target, and the active one in the list.
If there are more than a few, only the active one has handles. Each gesture is a call of the operator
`articulate.target_move`, with one undo step, numeric input and Esc.
"""

from dataclasses import dataclass
from typing import Any, Final

import bpy
from mathutils import Matrix, Vector

from .. import compat
from ..properties.access import active_armature, is_rendering, is_shown, is_tool_active, rig_of
from ..properties.session import own_session

_AXES: Final = {"X": Vector((1, 0, 0)), "Y": Vector((0, 1, 0)), "Z": Vector((0, 0, 1))}
_ALPHA: Final = 0.7
_ARROW: Final = 0.7  # sizes, as a share of the gizmo's size in the preferences
_RING: Final = 0.55
_MIDDLE: Final = 0.12
_END_ON: Final = 0.97  # cosine to the line of sight above which an arrow cannot be grabbed
_MOST: Final = 4  # maximum number of effectors with handles; more would hide the figure
_OFF, _SHAFT = 0.85, 0.45  # share of the arrow's size; arrows begin outside the rings


@dataclass(frozen=True)
class Held:
    """An effector whose target has handles.

    Attributes:
        name: its name; place: (3,) of the target, world; moves, turns: whether it can be moved and turned.
    """

    name: str
    place: Vector
    moves: bool
    turns: bool


def held_effectors(context: bpy.types.Context) -> list[Held]:
    """The effectors whose targets have handles, in the order of the list; of many only the active one.

    While the tool Drag Bone is active, pins have no handles, because dragging the bone also moves its pin.
    """
    armature, session = active_armature(context), own_session()
    if armature is None or armature.library is not None or context.mode not in {"POSE", "OBJECT"}:
        return []
    rig, bones = rig_of(armature), armature.pose.bones
    if not rig.overlay.gizmos or session.dragged == armature.session_uid or not rig.effectors:
        return []
    from ..control.rig.target import held_place, why_not_held

    posing, dragging, shown = context.mode == "POSE", is_tool_active(context), is_shown(context, armature)
    found, first = [], 0
    for number, effector in enumerate(rig.effectors):
        bone, target = bones.get(effector.bone), effector.target
        selected = number == rig.active_effector or (target is not None and target.select_get())
        selected = selected or (posing and bone is not None and compat.bone_selected(bone))
        pin = effector.follows == "PIN"
        selected = selected and (shown or (target is not None and is_shown(context, target)))
        if not selected or not effector.enabled or (pin and dragging) or why_not_held(effector):
            continue
        turns = bool({"orientation", "plane"} & set(effector.kind_info.asks))
        if number == rig.active_effector:
            first = len(found)
        moves = not (pin and effector.kind_info.only_turns)
        found.append(Held(effector.name, held_place(effector)[1], moves, turns))
    return found if len(found) <= _MOST else found[first : first + 1]


class _Handles:
    """Three arrows, three rings and a handle in the view plane, reused for different effectors."""

    def __init__(self, group: bpy.types.GizmoGroup, context: bpy.types.Context) -> None:
        theme: Any = context.preferences.themes[0].user_interface
        colours = [getattr(theme, f"axis_{axis.lower()}") for axis in _AXES]
        arrows = [_handle(group, "arrow", _ARROW, colour) for colour in colours]
        rings = [_handle(group, "dial", _RING, colour) for colour in colours]
        middle = _handle(group, "move", _MIDDLE, (1.0, 1.0, 1.0))
        self.gizmos = [*arrows, *rings, middle]
        for arrow in arrows:
            # The operator moves the target and so the arrow; without this, the arrow would move twice as far.
            arrow.target_set_handler("offset", get=lambda: 0.0, set=lambda _offset: None)
            arrow.length = _SHAFT
            arrow.matrix_offset, arrow.use_draw_offset_scale = Matrix.Translation((0.0, 0.0, _OFF)), True
        middle.target_set_handler("offset", get=lambda: (0.0, 0.0, 0.0), set=lambda _offset: None)
        middle.draw_options = {"ALIGN_VIEW", "FILL_SELECT"}
        self._name: str | None = None

    def show(self, held: Held, forward: Vector) -> None:
        renamed, self._name = held.name != self._name, held.name
        origin: Any = held.place
        place = Matrix.Translation(origin)
        for number, (gizmo, axis) in enumerate(zip(self.gizmos, [*_AXES, *_AXES, "NONE"], strict=True)):
            way, turning = _AXES.get(axis, _AXES["Z"]), 3 <= number < 6
            if renamed:
                operator = gizmo.target_set_operator("articulate.target_move")
                operator.effector, operator.axis, operator.turning = held.name, axis, turning
            gizmo.matrix_basis = place @ way.to_track_quat("Z", "Y").to_matrix().to_4x4()
            end_on = number < 3 and abs(forward.dot(way)) > _END_ON
            gizmo.hide = end_on or not (held.turns if turning else held.moves)


def _handle(group: bpy.types.GizmoGroup, kind: str, size: float, colour: Any) -> Any:
    gizmo: Any = group.gizmos.new(f"GIZMO_GT_{kind}_3d")
    gizmo.target_set_operator("articulate.target_move")
    gizmo.color, gizmo.alpha = tuple(colour)[:3], _ALPHA
    gizmo.color_highlight, gizmo.alpha_highlight = (1.0, 1.0, 1.0), 1.0
    gizmo.scale_basis, gizmo.line_width, gizmo.use_draw_modal = size, 2.0, True
    return gizmo


class ARTICULATE_GGT_target(bpy.types.GizmoGroup):
    """Handles for every selected effector."""

    bl_idname = "ARTICULATE_GGT_target"
    bl_label = "Targets of the Selected Effectors"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return not is_rendering() and bool(held_effectors(context))

    def setup(self, context: bpy.types.Context) -> None:
        """Create the handles for one effector; more are added when needed."""
        self.handles = [_Handles(self, context)]

    def refresh(self, context: bpy.types.Context) -> None:
        self.draw_prepare(context)

    def draw_prepare(self, context: bpy.types.Context) -> None:
        held, view = held_effectors(context), context.region_data
        forward = view.view_rotation @ Vector((0.0, 0.0, 1.0)) if view is not None else Vector()
        while len(self.handles) < len(held):
            self.handles.append(_Handles(self, context))
        for one, handles in zip(held, self.handles, strict=False):
            handles.show(one, forward)
        for gizmo in (gizmo for spare in self.handles[len(held) :] for gizmo in spare.gizmos):
            gizmo.hide = True


CLASSES = (ARTICULATE_GGT_target,)
