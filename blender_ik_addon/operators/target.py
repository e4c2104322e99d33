# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves or turns the target or pin of an effector with the mouse; in scripts, by numbers."""

import bpy
import numpy as np

from ..control.report import reasons
from ..properties import unsaved as argument
from ..properties.access import active_armature, rig_of
from ..properties.refusal import Refused
from .active import OnArmature, Outcome, refuse, show_header, tell_unkeyed
from .effector import named_or_active
from .hand import AXES, Hand, is_confirmed, lead_by, read_orientation
from .status_bar import AXIS, CANCEL, CONFIRM, NUMBER, SHIFT, show_keys

AXIS_ITEMS = (
    ("NONE", "Free", "In the plane of the view, or about the line of sight"),
    *((axis, axis, f"Along or about the world's {axis} axis") for axis in AXES),
)
KEYS = SHIFT, AXIS, NUMBER, CONFIRM, CANCEL


class ARTICULATE_OT_target_move(OnArmature):
    """Move or turn the target or pin of an effector."""

    bl_label = "Move Target"
    bl_options = {"UNDO", "BLOCKING", "GRAB_CURSOR"}

    effector: argument.String(description="Effector whose target is moved. Empty: the active one")
    axis: argument.Enum(description="Constrain to an axis of the world", items=AXIS_ITEMS)
    turning: argument.Bool(name="Turn", description="Turn the target instead of moving it")
    move: argument.FloatVector(name="Way", description="Displacement, in world space", subtype="TRANSLATION")
    turn: argument.FloatVector(name="Turn by", description="World axis times angle")

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.rig.target import TargetInHand

        held = TargetInHand(armature, named_or_active(armature, self.effector).name)
        lead_by(held, held.place, self.move, self.turn)
        held.finish(context, turned=any(self.turn))

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Outcome:
        from ..control.drag.view import read_sight
        from ..control.rig.target import TargetInHand

        armature = active_armature(context)
        if armature is None or context.region_data is None or context.region is None:
            return refuse(self, armature, Refused("Move a target in a 3D View, or by numbers"))
        try:
            self._held: TargetInHand = TargetInHand(armature, named_or_active(armature, self.effector).name)
        except reasons() as reason:
            return refuse(self, armature, reason)
        self._mouse = event.mouse_x, event.mouse_y
        pixel = np.array(self._mouse, dtype=float) - (context.region.x, context.region.y)
        sight, place = read_sight(context.region, context.region_data), self._held.place
        self._hand = Hand(sight, pixel, place, read_orientation(context.scene, sight))
        self._hand.begin(place, turning=self.turning, axes=self._held.orientation)
        if self.axis != "NONE":
            self._hand.lock.pick(self.axis, space="global")
        context.window_manager.modal_handler_add(self)
        show_keys(context, KEYS)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Outcome:
        """The target follows the mouse, and live figures follow the target."""
        try:
            if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
                self.cancel(context)
                return {"CANCELLED"}
            if event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
                x, y = event.mouse_x, event.mouse_y
                self._hand.move((x - self._mouse[0], y - self._mouse[1]), fine=event.shift)
                self._mouse = x, y
                self._apply(context)
            elif is_confirmed(event, "RELEASE", self._hand.numbers):
                self._held.finish(context, turned=self.turning)
                tell_unkeyed(self)
                self._leave(context)
                return {"FINISHED"}
            elif event.value == "PRESS" and self._hand.press(event.type, event.ascii, shift=event.shift):
                self._apply(context)
            elif event.type == "MIDDLEMOUSE":
                self._hand.picking = False
        except reasons() as reason:
            self._leave(context)
            return refuse(self, active_armature(context), reason)
        return {"RUNNING_MODAL"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Restore everything; called for Esc, and by Blender when a file is loaded or the window closes."""
        self._leave(context)
        self._held.cancel()

    def _apply(self, context: bpy.types.Context) -> None:
        hand = self._hand
        hand.lead(self._held)
        parts = ["Turn target" if hand.turning else "Move target"]
        parts += hand.text
        armature = active_armature(context)
        if armature is not None and not rig_of(armature).live:
            parts.append("the figure follows on Solve, or at once with Live on")
        show_header(context, "   |   ".join(parts))

    def _leave(self, context: bpy.types.Context) -> None:
        show_keys(context, None)
        show_header(context, None)
