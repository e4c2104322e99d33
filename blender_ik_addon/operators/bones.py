# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of operators on the selected bones."""

from __future__ import annotations

from typing import ClassVar, Final

import bpy

from .. import compat
from ..properties.refusal import Refused
from . import argument
from .active import OnArmature, Outcome

_MANY: Final = 12  # number of bones that are probably selected on purpose; in a new armature all are selected


class OnBones(OnArmature):
    """Base of an operator on the selected bones.

    Attributes:
        question: asked before acting on very many selected bones from a button; "" for no question.
    """

    question: ClassVar[str] = ""

    bone: argument.String(
        name="Bone", description="Name of a bone. Empty: all selected bones, else the active one"
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Outcome:
        """Run from a button or a key; may ask for confirmation."""
        count = 0 if self.bone or not self.question else len(_selected(context, self.find(context)))
        if count <= _MANY:
            return self.execute(context)
        return context.window_manager.invoke_confirm(
            self,
            event,
            title=self.question.format(count=count),
            message="Is every bone selected, as in a new armature? Then cancel, and click on one.",
            confirm_text=f"All {count}",
        )

    def bones(self, context: bpy.types.Context, armature: bpy.types.Object) -> list[str]:
        """The given, selected or active bones.

        Raises:
            Refused: there are none.
        """
        if self.bone:
            return [self.bone]
        selected, active = _selected(context, armature), armature.data.bones.active
        if not selected and active is None:
            raise Refused(f"No bone of armature '{armature.name}' is selected: select one in Pose Mode first")
        return selected or [active.name]


def active_bone(armature: bpy.types.Object) -> str:
    """Name of the active bone, for a drag without a bone under the mouse.

    Raises:
        Refused: no bone is active.
    """
    active = armature.data.bones.active
    if active is None:
        raise Refused(f"No bone of armature '{armature.name}' is under the mouse, and none is active")
    return active.name


def select_only(armature: bpy.types.Object, name: str) -> None:
    """Make a bone the active and the only selected one of an armature."""
    for bone in armature.pose.bones:
        compat.select_bone(bone, bone.name == name)
    armature.data.bones.active = armature.data.bones[name]


def _selected(context: bpy.types.Context, armature: bpy.types.Object) -> list[str]:
    """Names of the selected bones."""
    return [b.name for b in getattr(context, "selected_pose_bones", None) or () if b.id_data is armature]
