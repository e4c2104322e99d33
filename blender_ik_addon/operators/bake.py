# SPDX-License-Identifier: GPL-3.0-or-later
"""The Bake button: at once in a script, step by step in a window."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import bpy

from ..control.report import reasons
from ..properties import unsaved as argument
from ..properties.access import active_armature, redraw_views, rig_of
from ..properties.rig import BAKE_OPTIONS, ArticulateBake
from ..properties.session import own_session
from .active import OnArmature, Outcome, refuse
from .status_bar import Key, show_keys

if TYPE_CHECKING:
    from ..control.bake.bake import Bake

KEYS: tuple[Key, ...] = ((("EVENT_ESC",), "Cancel"),)
_SLICE = 0.03  # seconds of baking per timer event; the window redraws in between


class ARTICULATE_OT_bake(OnArmature):
    """Solve every frame of the range and write the result as keyframes on the bones that were solved."""

    bl_label = "Bake"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        report = self._new(context, armature).run(context)
        self.report({"INFO"}, report["message"])

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Outcome:
        """Bake step by step with a timer, so that the window stays responsive."""
        return self.execute(context) if bpy.app.background else self.begin(context)

    def begin(self, context: bpy.types.Context) -> Outcome:
        armature = active_armature(context)
        try:
            self._bake = self._new(context, armature)
        except reasons() as reason:
            return refuse(self, armature, reason)
        self._steps = self._bake.steps(context)
        self._timer = context.window_manager.event_timer_add(0.01, window=context.window)
        context.window_manager.modal_handler_add(self)
        self._show(context, baking=True)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Outcome:
        """Bake some frames per timer event; Esc cancels and changes nothing."""
        if event.type == "ESC" and event.value == "PRESS":
            self.cancel(context)
            self.report({"INFO"}, "Bake cancelled; nothing was changed")
            return {"CANCELLED"}
        if event.type != "TIMER":
            # While frames are sampled, the scene is in another frame: block edits.
            return {"RUNNING_MODAL"} if self._bake.sampling else {"PASS_THROUGH"}
        until, finished = time.perf_counter() + _SLICE, True
        try:
            for _progress in self._steps:  # at least one frame
                if time.perf_counter() >= until:
                    finished = False
                    break
        except reasons() as reason:
            return refuse(self, bpy.data.objects.get(self._bake.plan.armature), reason)
        finally:  # after any error the bake is over, too
            self._show(context, baking=not finished)
        if not finished:
            return {"PASS_THROUGH"}
        self.report({"INFO"}, self._bake.report["message"])
        return {"FINISHED"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Stop; called for Esc, and by Blender when a file is loaded or the window closes."""
        self._steps.close()
        self._show(context, baking=False)

    def _show(self, context: bpy.types.Context, *, baking: bool) -> None:
        session = own_session()
        session.baking, session.progress = self._bake.plan.uid if baking else 0, self._bake.progress
        doing = f"Baking {self._bake.plan.armature}: {self._bake.progress:.0%}"
        show_keys(context, KEYS if baking else None, doing)
        if not baking:
            context.window_manager.event_timer_remove(self._timer)
        redraw_views(context)

    def _new(self, context: bpy.types.Context, armature: bpy.types.Object) -> Bake:
        """A bake with the operator's own options if given, else the armature's settings."""
        from ..control.bake.bake import Bake, BakeOptions

        for name, value in rig_of(armature).bake.options(context.scene).items():
            if not self.properties.is_property_set(name):
                # written back, so that the redo panel shows the same options
                setattr(self, name, value)
        return Bake(armature, context, BakeOptions(**{name: getattr(self, name) for name in BAKE_OPTIONS}))


# every setting of the bake is also an argument with the same name
ARTICULATE_OT_bake.__annotations__ |= argument.copied(ArticulateBake, BAKE_OPTIONS)
