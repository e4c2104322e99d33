# SPDX-License-Identifier: GPL-3.0-or-later
"""What one begins with: from whatever is active to an armature in Pose Mode, with the tool in hand."""

import bpy

from ..properties.access import posed_armature, session_of
from ..properties.refusal import Refused
from .active import BAKING, NO_ARMATURE, OnArmature

TOOL = "articulate.drag_bone"


class ARTICULATE_OT_begin(OnArmature):
    """Take the tool."""

    bl_idname = "articulate.begin"
    bl_label = "Drag Bone"
    bl_description = (
        "Take the tool Drag Bone: pull any bone with the mouse, and the body follows."
        "\nFrom any other tool: Alt D over a bone"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether an armature is active, or a mesh that one deforms."""
        if posed_armature(context) is None:
            cls.poll_message_set(NO_ARMATURE)
            return False
        if session_of(context).baking:
            cls.poll_message_set(BAKING)
            return False
        return True

    def work(self, context: bpy.types.Context, _armature: bpy.types.Object | None) -> None:
        """Pose Mode, and the tool."""
        armature = posed_armature(context)
        if armature is None:
            raise Refused(NO_ARMATURE)
        if armature.mode != "POSE":
            self._pose(context, armature)
        bpy.ops.wm.tool_set_by_id(name=TOOL, space_type="VIEW_3D")

    @staticmethod
    def _pose(context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Make it the active object, alone selected, in Pose Mode."""
        armature.hide_set(False)
        if not armature.visible_get():
            raise Refused(
                f"Armature '{armature.name}' is hidden: show it, and its collection, in the Outliner"
            )
        if context.object is not None and context.object.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        for thing in context.selected_objects:
            thing.select_set(False)
        armature.select_set(True)
        context.view_layer.objects.active = armature
        bpy.ops.object.mode_set(mode="POSE")


CLASSES = (ARTICULATE_OT_begin,)
