# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for a relaxed stance, the recognised kinds of bones, and the present state of the root."""

import bpy

from ..properties.access import active_armature
from ..properties.bone import KINDS
from ..properties.refusal import Refused
from .active import OnArmature, tell_unkeyed
from .bones import OnBones


class ARTICULATE_OT_relaxed_stance(OnArmature):
    """Pose arms and legs in a relaxed stance."""

    bl_idname = "articulate.relaxed_stance"
    bl_label = "Relaxed Stance"
    bl_description = "Let the arms hang and bend elbows and knees slightly, as a person stands at ease"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.frame.stance import stand_relaxed

        stand_relaxed(armature, context)
        tell_unkeyed(self, context)


class ARTICULATE_OT_bone_kinds(OnBones):
    """Show the recognised kinds of bones."""

    bl_idname = "articulate.bone_kinds"
    bl_label = "Recognised Kinds"
    bl_description = "Show what the selected bones are recognised as: hip, knee, spine and so on"
    bl_options = set()

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Read the map and report the kinds."""
        from ..bridge.armature import read_bones
        from ..bridge.figure_map import bone_map
        from ..bridge.space import upward

        bones, names = read_bones(armature), self.bones(context, armature)
        missing = next((name for name in names if name not in bones.index), None)
        if missing is not None:
            raise Refused(f"Armature '{armature.name}' has no bone '{missing}'")
        kinds = bone_map(armature, bones, upward(armature)).kinds.kinds
        labels = {identifier: label for identifier, label, *_ in KINDS}
        told = [f"{name}: {labels[kinds[bones.index[name]]]}" for name in names]
        self.report({"INFO"}, "; ".join(told))


class ARTICULATE_OT_root_now(OnArmature):
    """Report whether the root moves."""

    bl_idname = "articulate.root_now"
    bl_label = "Root Now"
    bl_description = "Show whether the root moves or stays with the present effectors and pins"
    bl_options = set()

    @classmethod
    def description(cls, context: bpy.types.Context, _properties: bpy.types.OperatorProperties) -> str:
        """The same text as the report; without an armature, the description."""
        armature = active_armature(context)
        if armature is None:
            return cls.bl_description
        from ..control.frame.root import describe_root

        return describe_root(armature)

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.frame.root import describe_root

        self.report({"INFO"}, describe_root(armature))


CLASSES = (ARTICULATE_OT_relaxed_stance, ARTICULATE_OT_bone_kinds, ARTICULATE_OT_root_now)
