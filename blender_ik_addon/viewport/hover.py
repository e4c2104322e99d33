# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the bone under the mouse while the tool is active, with a gizmo that is never hit."""

from __future__ import annotations

from typing import Any, Final

import bpy

from ..properties.access import session_of

HOVER: Final = "ARTICULATE_GGT_hover"
_MISSED: Final = -1


class ARTICULATE_GT_hover(bpy.types.Gizmo):
    """Draws nothing and accepts no click; Blender reports the mouse position to it between events."""

    bl_idname = "ARTICULATE_GT_hover"
    __slots__ = ()

    def draw(self, _context: bpy.types.Context) -> None:
        """The overlay draws the highlight."""

    def test_select(self, context: bpy.types.Context, location: Any) -> int:
        """Store the bone under the mouse."""
        from ..control.drag.grasp import forget, is_away
        from ..control.drag.under_mouse import bone_under_mouse
        from ..control.drag.view import read_sight

        session = session_of(context)
        if context.region is None or context.region_data is None:
            return _MISSED
        if session.taken and is_away(context, tuple(location)):
            forget(context)
        sight = read_sight(context.region, context.region_data)
        bone = bone_under_mouse(context, sight, tuple(location))
        hovered = (bone.name, bone.id_data.session_uid) if bone is not None else ("", 0)
        if hovered != (session.hovered, session.hovered_of):
            session.hovered, session.hovered_of = hovered
            if context.area is not None:
                context.area.tag_redraw()
        return _MISSED


class ARTICULATE_GGT_hover(bpy.types.GizmoGroup):
    """Exists while the tool is active."""

    bl_idname = HOVER
    bl_label = "Bone under the Mouse"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Available in Pose Mode."""
        return context.mode == "POSE"

    def setup(self, _context: bpy.types.Context) -> None:
        """Create the gizmo."""
        self.gizmos.new(ARTICULATE_GT_hover.bl_idname)


CLASSES = (ARTICULATE_GT_hover, ARTICULATE_GGT_hover)
