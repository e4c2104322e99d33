# SPDX-License-Identifier: GPL-3.0-or-later
"""The start button: activates the tool on the active armature, or that of the active mesh, in Pose Mode."""

import bpy

from ..properties.access import TOOL, posed_armature
from ..properties.refusal import Refused
from .active import OnArmature


class ARTICULATE_OT_begin(OnArmature):
    """Activate the tool."""

    bl_idname = "articulate.begin"
    bl_label = "Drag Bone"
    bl_description = (
        "Activate the tool Drag Bone: pull any bone with the mouse, and the body follows."
        "\nFrom any other tool in Pose Mode: Alt D over a bone"
    )

    find = staticmethod(posed_armature)  # also finds the armature of a mesh

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Enter Pose Mode and activate the tool."""
        if armature.mode != "POSE":
            self._pose(context, armature)
        bpy.ops.wm.tool_set_by_id(name=TOOL, space_type="VIEW_3D")

    @staticmethod
    def _pose(context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Make the armature the active and only selected object, in Pose Mode."""
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
