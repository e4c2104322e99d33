# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared code of the operators: the armature that they act on, and the report of a refusal."""

from __future__ import annotations

from typing import Literal

import bpy

from ..bridge.item_animation import follow
from ..properties.access import active_armature, areas, rig_of, session_of
from ..properties.bone_names import all_armatures, follow_renamed, remember
from ..properties.check import library_refusal

NO_ARMATURE = "No armature is active: select an armature, or one of its bones in Pose Mode"
Outcome = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]

BAKING = "A bake is running: wait for it, or press Esc in the viewport"


class OnArmature(bpy.types.Operator):
    """Base of an operator on the active armature: subclasses implement `work`, which may refuse.

    `find` returns this armature.
    """

    bl_options = {"REGISTER", "UNDO"}
    find = staticmethod(active_armature)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is an armature; otherwise the button is greyed out with a reason."""
        if cls.find(context) is None:
            cls.poll_message_set(NO_ARMATURE)
            return False
        if session_of(context).baking:
            cls.poll_message_set(BAKING)
            return False
        return True

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
        forget_refusal(context, armature)
        remember(armature)
        follow(armature)
        redraw_views(context)
        return {"FINISHED"}

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """The operator's work."""
        raise NotImplementedError

    def tell(self, *sentences: str) -> None:
        """Report sentences; "" is omitted."""
        told = "; ".join(filter(None, sentences))
        if told:
            self.report({"INFO"}, told)


def reasons() -> tuple[type[Exception], ...]:
    """The exceptions that refuse an operator. The import is deferred because it loads the library."""
    from ..control.report.reasons import REASONS

    return REASONS


def redraw_views(context: bpy.types.Context) -> None:
    """Redraw all 3D views: writing channels in bulk updates the dependency graph, but no window."""
    for area in areas(context):
        area.tag_redraw()


def show_header(context: bpy.types.Context, text: str | None) -> None:
    """Show a text in the header of the view, None for its own contents, and redraw all views."""
    if context.area is not None:
        context.area.header_text_set(text)
    redraw_views(context)


def forget_refusal(context: bpy.types.Context, armature: bpy.types.Object) -> None:
    """Clear the last refusal from the panel if it is still shown."""
    rig = rig_of(armature)
    if armature.library is None and rig.message and rig.message == session_of(context).refused:
        rig.message = ""


def tell_unkeyed(operator: bpy.types.Operator, context: bpy.types.Context) -> None:
    """Report that auto-keying keyed nothing; once, until something is keyed."""
    session = session_of(context)
    if session.unkeyed and session.unkeyed != session.unkeyed_told:
        operator.report({"INFO"}, session.unkeyed)
    session.unkeyed_told = session.unkeyed


def refuse(operator: bpy.types.Operator, armature: bpy.types.Object | None, reason: Exception) -> Outcome:
    """Report a refusal: in the status bar, to scripts (as a RuntimeError) and in the panel."""
    if armature is not None and armature.library is None:
        rig_of(armature).message = session_of(bpy.context).refused = str(reason)
    operator.report({"ERROR"}, str(reason))
    return {"CANCELLED"}
