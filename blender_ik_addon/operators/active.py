# SPDX-License-Identifier: GPL-3.0-or-later
"""Bases of operators: the armature or the bones that they act on, and the report of a refusal."""

from collections.abc import Container
from typing import ClassVar, Final, Literal

import bpy

from .. import compat
from ..bridge.item_animation import follow
from ..control.report import reasons
from ..properties import unsaved as argument
from ..properties.access import active_armature, redraw_views, rig_of
from ..properties.bone_names import all_armatures, follow_renamed, remember
from ..properties.check import library_refusal
from ..properties.refusal import Refused
from ..properties.session import is_refusal, own_session, show_refusal

NO_ARMATURE = "No armature is active: select an armature, or one of its bones in Pose Mode"
Outcome = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]

BAKING = "A bake is running: wait for it, or press Esc in the viewport"
_MANY: Final = 12  # number of bones that are probably selected on purpose; in a new armature all are selected


class Described(bpy.types.Operator):
    """Base of all operators: named after the class, with the docstring as tooltip, one line a paragraph."""

    def __init_subclass__(cls) -> None:
        name = cls.__name__.partition("_OT_")[2]
        if name:
            paragraphs = cls.__doc__.split("\n\n")
            cls.bl_idname = f"articulate.{name}"
            cls.bl_description = "\n".join(" ".join(each.split()) for each in paragraphs).removesuffix(".")

    @classmethod
    def greyed_out(cls, reason: str) -> bool:
        """The result of a `poll` that fails, with the reason for the tooltip."""
        cls.poll_message_set(reason)
        return False


class OnArmature(Described):
    """Base of an operator on the active armature: subclasses implement `work`, which may refuse.

    `find` returns this armature.
    """

    bl_options = {"REGISTER", "UNDO"}
    find = staticmethod(active_armature)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is an armature; otherwise the button is greyed out with a reason."""
        if cls.find(context) is None:
            return cls.greyed_out(NO_ARMATURE)
        return not own_session().baking or cls.greyed_out(BAKING)

    def execute(self, context: bpy.types.Context) -> Outcome:
        """Do the work; a refusal is reported in one sentence and changes nothing."""
        armature = self.find(context)
        foreign = library_refusal(armature)
        if foreign is not None:
            return refuse(self, armature, foreign)
        follow_renamed(all_armatures())  # scripts may have renamed bones
        follow(armature)  # or changed lists
        try:
            self.work(context, armature)
        except reasons() as reason:
            return refuse(self, armature, reason)
        tell_unkeyed(self)
        rig = rig_of(armature)
        if is_refusal(rig):
            rig.message = ""  # the last refusal, which the panel still shows
        remember(armature)
        follow(armature)
        redraw_views(context)
        return {"FINISHED"}

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        raise NotImplementedError

    def tell(self, *sentences: str) -> None:
        """Report sentences; "" is omitted."""
        told = "; ".join(filter(None, sentences))
        if told:
            self.report({"INFO"}, told)


def show_header(context: bpy.types.Context, text: str | None) -> None:
    """Show a text in the header of the view, None for its own contents, and redraw all views."""
    if context.area is not None:
        context.area.header_text_set(text)
    redraw_views(context)


def tell_unkeyed(operator: bpy.types.Operator) -> None:
    """Report that auto-keying keyed nothing; once, until something is keyed."""
    session = own_session()
    if session.unkeyed and session.unkeyed != session.unkeyed_told:
        operator.report({"INFO"}, session.unkeyed)
    session.unkeyed_told = session.unkeyed


def refuse(operator: bpy.types.Operator, armature: bpy.types.Object | None, reason: Exception) -> Outcome:
    """Report a refusal: in the status bar, to scripts (as a RuntimeError) and in the panel."""
    if armature is not None and armature.library is None:
        show_refusal(rig_of(armature), str(reason))
    operator.report({"ERROR"}, str(reason))
    return {"CANCELLED"}


class OnBones(OnArmature):
    """Base of an operator on the selected bones. `question` is asked before acting on very many of them."""

    question: ClassVar[str] = ""

    bone: argument.String(description="Name of a bone. Empty: all selected bones, else the active one")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Outcome:
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
        """The given, selected or active bones; refused if there are none."""
        if self.bone:
            return [self.bone]
        selected, active = _selected(context, armature), armature.data.bones.active
        owners = [bone.id_data for bone in getattr(context, "selected_pose_bones", None) or ()]
        other = next((one for one in owners if one is not armature), None)
        if not selected and other is not None:
            raise Refused(f"The selected bones belong to armature '{other.name}': click on one of them first")
        if other is not None:
            self.tell(
                f"The selected bones of armature '{other.name}' are left out: click on one of them first"
            )
        if not selected and active is None:
            raise Refused(f"No bone of armature '{armature.name}' is selected: select one in Pose Mode first")
        return selected or [active.name]


def bone_to_drag(armature: bpy.types.Object, shown: Container[bpy.types.PoseBone] | None = None) -> str:
    """Name of the active bone, for a drag without a bone under the mouse; refused if it is not `shown`."""
    active = armature.data.bones.active
    if active is None or (shown is not None and armature.pose.bones[active.name] not in shown):
        nothing = "is under the mouse, and no visible one is active"
        raise Refused(f"No bone of armature '{armature.name}' {nothing}")
    return active.name


def select_only(armature: bpy.types.Object, name: str) -> None:
    """Make a bone the active and the only selected one of an armature."""
    for bone in armature.pose.bones:
        compat.select_bone(bone, bone.name == name)
    armature.data.bones.active = armature.data.bones[name]


def _selected(context: bpy.types.Context, armature: bpy.types.Object) -> list[str]:
    return [b.name for b in getattr(context, "selected_pose_bones", None) or () if b.id_data is armature]
