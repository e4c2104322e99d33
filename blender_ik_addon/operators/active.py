# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operators share: on which armature they work, and how they say no."""

from __future__ import annotations

from typing import Literal

import bpy

from ..bridge.item_animation import follow
from ..properties.access import active_armature, rig_of, session_of
from ..properties.bone_names import all_armatures, follow_renamed, remember
from ..properties.check import library_refusal

NO_ARMATURE = "No armature is active: select an armature, or one of its bones in Pose Mode"
Outcome = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]

BAKING = "A bake is running: wait for it, or press Esc in the viewport"


# Of an operator's properties: not filled in from the last time that a button was pressed.
FRESH: set[Literal["SKIP_SAVE"]] = {"SKIP_SAVE"}


class OnArmature(bpy.types.Operator):
    """Base of an operator on the active armature: it has `work`, which may refuse, and no `execute`.

    `find` tells which armature that is.
    """

    find = staticmethod(active_armature)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is an armature to work on; the sentence shows where the button is greyed out."""
        if cls.find(context) is None:
            cls.poll_message_set(NO_ARMATURE)
            return False
        if session_of(context).baking:
            cls.poll_message_set(BAKING)
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Outcome:
        """Do the work; what cannot be done is reported in one sentence and leaves no trace."""
        armature = self.find(context)
        foreign = library_refusal(armature)
        if foreign is not None:
            return refuse(self, armature, foreign)
        follow_renamed(all_armatures())  # scripts may have renamed bones a moment ago,
        follow(armature)  # and changed lists
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
        """What the operator does."""
        raise NotImplementedError


def reasons() -> tuple[type[Exception], ...]:
    """What may keep an operator from its work; evaluated when something was raised."""
    from ..control.report.reasons import REASONS

    return REASONS


def redraw_views(context: bpy.types.Context) -> None:
    """Have all 3D views drawn anew: channels written in bulk tell the dependency graph, but no window."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def forget_refusal(context: bpy.types.Context, armature: bpy.types.Object) -> None:
    """Take the last "no" off the panel: what was done since may have put it right, and is not about it."""
    rig = rig_of(armature)
    if armature.library is None and rig.message and rig.message == session_of(context).refused:
        rig.message = ""


def tell_unkeyed(operator: bpy.types.Operator, context: bpy.types.Context) -> None:
    """Report that auto-keying keyed nothing, once until something is keyed."""
    session = session_of(context)
    if session.unkeyed and session.unkeyed != session.unkeyed_told:
        operator.report({"INFO"}, session.unkeyed)
    session.unkeyed_told = session.unkeyed


def refuse(operator: bpy.types.Operator, armature: bpy.types.Object | None, reason: Exception) -> Outcome:
    """Say no: in the status bar, to scripts (a RuntimeError carries the report) and on the panel."""
    if armature is not None and armature.library is None:
        rig_of(armature).message = session_of(bpy.context).refused = str(reason)
    operator.report({"ERROR"}, str(reason))
    return {"CANCELLED"}
