# SPDX-License-Identifier: GPL-3.0-or-later
"""A relaxed stance by one click, and what the bones are taken for."""

import bpy

from ..properties.bone import KINDS
from ..properties.refusal import Refused
from .active import OnArmature, tell_unkeyed
from .bones import OnBones


class ARTICULATE_OT_relaxed_stance(OnArmature):
    """Pose arms and legs at ease."""

    bl_idname = "articulate.relaxed_stance"
    bl_label = "Relaxed Stance"
    bl_description = "Let the arms hang and bend elbows and knees slightly, as a person stands at ease"
    bl_options = {"REGISTER", "UNDO"}

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Pose them."""
        from ..control.frame.stance import stand_relaxed

        stand_relaxed(armature, context)
        tell_unkeyed(self, context)


class ARTICULATE_OT_bone_kinds(OnBones):
    """Say what bones are taken for."""

    bl_idname = "articulate.bone_kinds"
    bl_label = "Recognised Kinds"
    bl_description = "Show what the selected bones are recognised as: hip, knee, spine and so on"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Read the map and report it."""
        from ..bridge.armature import read_bones
        from ..bridge.space import upward
        from ..control.frame.bone_map import bone_map

        bones, names = read_bones(armature), self.bones(context, armature)
        missing = next((name for name in names if name not in bones.index), None)
        if missing is not None:
            raise Refused(f"Armature '{armature.name}' has no bone '{missing}'")
        kinds = bone_map(armature, bones, upward(armature)).kinds.kinds
        labels = {identifier: label for identifier, label, *_ in KINDS}
        told = [f"{name}: {labels[kinds[bones.index[name]]]}" for name in names]
        self.report({"INFO"}, "; ".join(told))


CLASSES = (ARTICULATE_OT_relaxed_stance, ARTICULATE_OT_bone_kinds)
