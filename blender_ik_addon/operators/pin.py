# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators to pin, unpin and mirror."""

import bpy

from ..properties.measures import counted
from . import argument
from .active import OnArmature
from .bones import OnBones

KINDS = (
    ("POSITION", "Position", "The tip of the bone stays in its place", "PINNED", 0),
    ("ORIENTATION", "Rotation", "The bone keeps its rotation", "ORIENTATION_GIMBAL", 1),
    ("POSE", "Both", "The bone keeps its place and rotation", "OUTLINER_OB_ARMATURE", 2),
)


class ARTICULATE_OT_pin(OnBones):
    """Pin bones."""

    bl_idname = "articulate.pin"
    bl_label = "Pin"
    bl_description = "Hold the selected bones where they are now"
    question = "Pin {count} bones?"

    kind: argument.Enum(name="Hold", description="What is held", items=KINDS, default="POSITION")

    motion: argument.Bool(
        name="Keep Motion",
        description="Keep the bones at their own animation in each frame, instead of at one place",
        default=False,
    )

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.rig.pins import pin

        depsgraph = context.evaluated_depsgraph_get()
        pin(armature, self.bones(context, armature), self.kind, depsgraph, motion=self.motion)


class ARTICULATE_OT_unpin(OnBones):
    """Unpin bones."""

    bl_idname = "articulate.unpin"
    bl_label = "Unpin"
    bl_description = "Remove the pins of the selected bones; the pose stays"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        _let_go(self, armature, self.bones(context, armature))


class ARTICULATE_OT_unpin_all(OnArmature):
    """Unpin all bones."""

    bl_idname = "articulate.unpin_all"
    bl_label = "Unpin All"
    bl_description = "Remove all pins of the armature; effectors with targets and the pose stay"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        _let_go(self, armature, None)


class ARTICULATE_OT_mirror(OnBones):
    """Mirror pins and effectors."""

    bl_idname = "articulate.mirror"
    bl_label = "Mirror Effectors"
    bl_description = (
        "Copy effectors and pins of the selected bones to the other side, found by names (.L and .R) or by "
        "position"
    )

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.rig.pins import mirror
        from ..control.rig.target_empties import TargetLook

        look, depsgraph = TargetLook.of(context), context.evaluated_depsgraph_get()
        count = mirror(armature, self.bones(context, armature), depsgraph, look)
        self.report({"INFO"}, f"{counted(count, 'effector')} mirrored")


def _let_go(operator: OnArmature, armature: bpy.types.Object, bones: list[str] | None) -> None:
    from ..control.rig.pins import unpin

    count, off = unpin(armature, bones)
    operator.tell(f"{counted(count, 'pin')} removed", off)


CLASSES = (ARTICULATE_OT_pin, ARTICULATE_OT_unpin, ARTICULATE_OT_unpin_all, ARTICULATE_OT_mirror)
