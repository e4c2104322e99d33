# SPDX-License-Identifier: GPL-3.0-or-later
"""The start button, which activates the tool, and the choice of a parent before a press."""

import bpy
import numpy as np

from ..compat import bone_selected, select_bone
from ..properties import unsaved as argument
from ..properties.access import TOOL, posed_armature
from ..properties.refusal import Refused
from ..properties.session import own_session
from .active import Described, OnArmature, Outcome, select_only


class _InPoseView(Described):
    """Base of an operator for the mouse over a 3D view in Pose Mode."""

    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.mode == "POSE" and context.region is not None and context.region_data is not None


class ARTICULATE_OT_take_parent(_InPoseView):
    """Choose a parent of the bone under the mouse for the next press or click."""

    bl_label = "Take Parent"

    by: argument.Int(
        description="Number of parents to move up; negative: down; 0: back to the bone under the mouse",
        default=1,
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Outcome:
        """Change the choice by the wheel or Esc; passes the event on if there is nothing to choose."""
        from ..control.drag.grasp import choose, forget, grasp_at

        if not self.by:
            if not own_session().taken:
                return {"PASS_THROUGH"}
            forget(context)
            return {"FINISHED"}
        pixel = np.array((event.mouse_x - context.region.x, event.mouse_y - context.region.y), dtype=float)
        found = grasp_at(context, pixel)
        if found is None:
            return {"PASS_THROUGH"}
        armature, grasp = found
        choose(context, armature, grasp.climbed(self.by), pixel)
        return {"FINISHED"}


class ARTICULATE_OT_select_taken(_InPoseView):
    """Select the parent that was chosen by Alt and the wheel."""

    bl_label = "Select Taken Bone"
    bl_options = {"INTERNAL", "UNDO"}

    toggle: argument.Bool(
        description="Keep the other bones selected; deselect the bone if it is the active one"
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Outcome:
        """Select it by a click; without a choice, pass the click on."""
        from ..control.drag.grasp import forget, grasp_at

        if not own_session().taken:
            return {"PASS_THROUGH"}
        pixel = event.mouse_x - context.region.x, event.mouse_y - context.region.y
        found = grasp_at(context, pixel)
        forget(context)
        if found is None or not found[1].row:
            return {"PASS_THROUGH"}
        rig, bone = found[0], found[0].pose.bones[found[1].bone]
        context.view_layer.objects.active = rig
        if not self.toggle:
            for other in context.selected_pose_bones or ():
                select_bone(other, False)
            select_only(rig, bone.name)
        elif bone_selected(bone) and rig.data.bones.active == bone.bone:
            select_bone(bone, False)
        else:
            rig.data.bones.active = bone.bone
            select_bone(bone)
        return {"FINISHED"}


class ARTICULATE_OT_begin(OnArmature):
    """Activate the tool Drag Bone: pull any bone with the mouse, and the body follows.

    From any other tool in Pose Mode: Alt D over a bone.
    """

    bl_label = "Drag Bone"

    find = staticmethod(posed_armature)  # also finds the armature of a mesh

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        if context.mode != "POSE":  # make it the active and only selected object
            armature.hide_set(False)
            if not armature.visible_get():
                name = armature.name
                raise Refused(f"Armature '{name}' is hidden: show it, and its collection, in the Outliner")
            if context.object is not None and context.object.mode != "OBJECT":
                bpy.ops.object.mode_set(mode="OBJECT")
            for thing in context.selected_objects:
                thing.select_set(False)
            armature.select_set(True)
            context.view_layer.objects.active = armature
            bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.wm.tool_set_by_id(name=TOOL, space_type="VIEW_3D")
