# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrows and rings on the target, or the pin, of the effector that is active in the list.

A gesture is an operator of its own (`articulate.target_move`): one undo step, with numbers and Esc.
"""

from __future__ import annotations

from typing import Any, Final

import bpy
from mathutils import Matrix, Vector

from ..control.target import held_place, why_not_held
from ..properties.access import active_armature, rig_of
from ..properties.effector import ArticulateEffector

_AXES: Final = {"X": Vector((1, 0, 0)), "Y": Vector((0, 1, 0)), "Z": Vector((0, 0, 1))}
_ALPHA: Final = 0.7
_ARROW: Final = 0.7  # sizes, as a share of the gizmo's size in the preferences
_RING: Final = 0.55
_MIDDLE: Final = 0.12
_END_ON: Final = 0.97  # cosine to the line of sight from which on an arrow cannot be taken hold of
_OFF, _SHAFT = 0.85, 0.45  # of that; arrows begin outside the rings


def shown_effector(context: bpy.types.Context) -> ArticulateEffector | None:
    """The effector whose target has the gizmo; None if there is nothing that could be moved."""
    armature = active_armature(context)
    if armature is None or armature.library is not None or context.mode not in {"POSE", "OBJECT"}:
        return None
    rig = rig_of(armature)
    effector = rig.active
    if effector is None or not rig.overlay.gizmos or not effector.enabled or why_not_held(effector):
        return None
    return effector


class ARTICULATE_GGT_target(bpy.types.GizmoGroup):
    """Three arrows, a handle in the plane of the view, and three rings where the bone is turned."""

    bl_idname = "ARTICULATE_GGT_target"
    bl_label = "Target of the Active Effector"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is something to move."""
        return shown_effector(context) is not None

    def setup(self, context: bpy.types.Context) -> None:
        """Make the seven handles; each starts the operator with its axis."""
        theme: Any = context.preferences.themes[0].user_interface
        for kind, size, turning in (("arrow", _ARROW, False), ("dial", _RING, True)):
            for axis in _AXES:
                self._handle(
                    f"GIZMO_GT_{kind}_3d", size, getattr(theme, f"axis_{axis.lower()}"), axis, turning
                )
        arrows: Any = list(self.gizmos)[:3]
        for arrow in arrows:
            # The operator moves the target and so the arrow; left to itself the arrow would go twice as far.
            arrow.target_set_handler("offset", get=lambda: 0.0, set=lambda _offset: None)
            arrow.length = _SHAFT
            arrow.matrix_offset, arrow.use_draw_offset_scale = Matrix.Translation((0.0, 0.0, _OFF)), True
        middle: Any = self._handle("GIZMO_GT_move_3d", _MIDDLE, (1.0, 1.0, 1.0), "NONE", False)
        middle.target_set_handler("offset", get=lambda: (0.0, 0.0, 0.0), set=lambda _offset: None)
        middle.draw_options = {"ALIGN_VIEW", "FILL_SELECT"}

    def refresh(self, context: bpy.types.Context) -> None:
        """As `draw_prepare`."""
        self.draw_prepare(context)

    def draw_prepare(self, context: bpy.types.Context) -> None:
        """Put the handles where the target is now."""
        effector = shown_effector(context)
        if effector is None:
            return
        place = Matrix.Translation(held_place(effector)[1])
        view: Any = context.region_data
        forward = view.view_rotation @ Vector((0.0, 0.0, 1.0)) if view is not None else Vector()
        turns = bool({"orientation", "plane"} & set(effector.kind_info.asks))
        for number, gizmo in enumerate(self.gizmos):
            axis = list(_AXES)[number % 3] if number < 6 else "Z"
            gizmo.matrix_basis = place @ _AXES[axis].to_track_quat("Z", "Y").to_matrix().to_4x4()
            end_on = number < 3 and abs(forward.dot(_AXES[axis])) > _END_ON
            gizmo.hide = end_on or (3 <= number < 6 and not turns)

    def _handle(self, kind: str, size: float, colour: Any, axis: str, turning: bool) -> Any:
        gizmo: Any = self.gizmos.new(kind)
        operator = gizmo.target_set_operator("articulate.target_move")
        operator.axis, operator.turning = axis, turning
        gizmo.color, gizmo.alpha = tuple(colour)[:3], _ALPHA
        gizmo.color_highlight, gizmo.alpha_highlight = (1.0, 1.0, 1.0), 1.0
        gizmo.scale_basis, gizmo.line_width, gizmo.use_draw_modal = size, 2.0, True
        return gizmo


CLASSES = (ARTICULATE_GGT_target,)
