# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging a bone with the mouse; `control.drag` does the work. In scripts, one drag by numbers."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import bpy
import numpy as np

from .. import compat
from ..control.report import reasons
from ..properties import unsaved as argument
from ..properties.access import active_armature, rig_of
from ..properties.refusal import Refused
from ..properties.session import own_session
from .active import OnArmature, Outcome, bone_to_drag, refuse, select_only, show_header, tell_unkeyed
from .hand import Hand, changed_levels, is_confirmed, lead_by, read_orientation, show_guides, where_taken
from .status_bar import KEYS, SUPPORTS, header, show_keys, summary

if TYPE_CHECKING:
    from ..bridge.armature import Array
    from ..control.drag.drag import Drag, Grip
    from ..control.drag.grasp import Grasp
    from ..control.drag.snapping import Snapper

_BUDGET = 1.0 / 60.0  # seconds for an update; a longer one continues with the next timer event
_TICK = 1.0 / 120.0  # seconds; the window's loop handles at most one timer event per redraw
_SETTLES = 0.5  # maximum seconds for which the figure settles after the release
_MODIFIERS = {
    **dict.fromkeys(("LEFT_CTRL", "RIGHT_CTRL"), "_inverted"),
    **dict.fromkeys(("LEFT_SHIFT", "RIGHT_SHIFT"), "_fine"),
}
ROOTS = (
    ("SETTING", "As Set", "Use the solver's setting"),
    ("PINNED", "Pinned", "The topmost bone stays in its place"),
    ("FREE", "Free", "The topmost bone may move too"),
)


class ARTICULATE_OT_drag(OnArmature):
    """Grab a bone and let the body follow; pins and effectors hold."""

    bl_label = "Drag Bone"
    bl_options = {"UNDO", "BLOCKING", "GRAB_CURSOR"}

    bone: argument.String(description="Bone to drag. Empty: the one under the mouse, else the active one")
    along: argument.Float(
        description="Position of the dragged point, from the bone's head (0) to its tip (1)",
        default=1.0,
        min=0.0,
        max=1.0,
    )
    levels: argument.Int(
        name="Bones",
        description="Number of bones that may move, from this one up. 0: the whole figure",
        min=0,
    )
    root: argument.Enum(description="Whether the whole figure may move", items=ROOTS)
    move: argument.FloatVector(description="Displacement of the point, in world space", subtype="TRANSLATION")
    turn: argument.FloatVector(
        description="Rotation about the bone's head: world axis times angle. Zero: move instead"
    )
    record: argument.Bool(description="Set keys on the frames that pass while the animation plays")
    only_under_mouse: argument.Bool(
        name="Only under Mouse", description="Do nothing if no bone is under the mouse"
    )
    only_selected: argument.Bool(
        description="Drag the active bone, wherever the mouse is; do nothing if it is not selected"
    )
    turning: argument.Bool(
        name="Start with Turn", description="Begin by turning the bone instead of moving it"
    )

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.drag.drag import Drag

        grip = self._grip(self.bone or bone_to_drag(armature), self.along, turn=any(self.turn))
        drag = Drag(armature, context, grip)
        moved = lead_by(drag, drag.anchor, self.move, self.turn)
        drag.finish(context)
        rig_of(armature).message = summary(drag.grip, moved.status, moved.message)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Outcome:
        from ..control.drag.grasp import Grasp, forget, grasp_at
        from ..control.drag.snapping import Snapper
        from ..control.drag.view import read_sight

        armature = active_armature(context)
        if context.region_data is None or context.region is None:
            return refuse(self, armature, Refused("Drag in a 3D View, or give a bone's name and a movement"))
        sight = read_sight(context.region, context.region_data)
        pressed = event.type == "LEFTMOUSE"
        mouse = where_taken(event)
        pixel: Array = np.subtract(mouse, (context.region.x, context.region.y), dtype=float)
        bone, along, self._left = self.bone, self.along, ""
        grasp: Grasp | None = None
        self._pressed: Array | None = None
        if self.only_selected:
            active = context.active_pose_bone
            if active is None or not compat.bone_selected(active):
                return {"PASS_THROUGH"}
            bone = active.name
        if not bone:
            found = grasp_at(context, pixel)
            if found is None and self.only_under_mouse:
                return {"PASS_THROUGH"}
            if found is not None:
                (held, grasp), self._pressed = found, pixel
                bone, along = grasp.bone, grasp.along(held, sight, pixel)
                if held != armature:  # of several armatures in Pose Mode it becomes active, as after a click
                    self._left, armature = armature.name, held
                    context.view_layer.objects.active = armature
        forget(context)
        try:
            bone = bone or bone_to_drag(armature, context.visible_pose_bones)
            grip = self._grip(bone, along, turn=self.turning)
            self._drag: Drag = self._begin(context, armature, grip)
        except reasons() as reason:
            return refuse(self, armature, reason)
        self._grasp: Grasp = grasp or Grasp.of(context, armature.pose.bones[self._drag.grip.bone])
        self._hand = Hand(sight, pixel, self._drag.anchor, read_orientation(context.scene, sight))
        self._hand.begin(self._drag.anchor, turning=self.turning, axes=self._drag.orientation)
        self._snapper: Snapper = Snapper(armature)
        own_session().dragged = armature.session_uid  # live solving skips this armature
        self._tell_grip()
        self._mouse, self._changed = mouse, False
        self._let_go: float | None = None
        self._confirms = "RELEASE" if pressed else "PRESS"
        self._timer = context.window_manager.event_timer_add(_TICK, window=context.window)
        context.window_manager.modal_handler_add(self)
        show_keys(context, KEYS)
        self._follow(event)
        self._show(context)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Outcome:
        """Collect mouse and key events; solve on timer events, so that slow solves do not queue events."""
        if event.type == "TIMER0":
            return {"PASS_THROUGH"}  # the timer of the playback
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            self.cancel(context)
            return {"CANCELLED"}
        try:
            if self._let_go is not None:
                return self._settle(context, event)
            if event.type == "TIMER":
                self._changed = self._drag.follow(context) or self._changed
                self._solve(context)
            elif event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
                self._follow(event)
            elif is_confirmed(event, self._confirms, self._hand.numbers):
                # the event's position is not used, because the pointer wraps
                return self._let_it_go(context)
            elif event.type in _MODIFIERS:
                setattr(self, _MODIFIERS[event.type], event.value == "PRESS")
                self._changed = self._changed or self._drag.moved is not None
            elif event.value == "PRESS":
                self._press(context, event)
            elif event.type == "MIDDLEMOUSE":
                self._hand.picking = False
        except reasons() as reason:
            held = active_armature(context)
            self.cancel(context)
            return refuse(self, held, reason)
        except Exception:
            self.cancel(context)
            raise
        return {"RUNNING_MODAL"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Restore everything; called for Esc, and by Blender when a file is loaded or the window closes."""
        self._leave(context)
        try:
            self._drag.cancel()
        except reasons() as reason:
            self.report({"WARNING"}, str(reason))
        left = context.view_layer.objects.get(self._left)
        if left is not None:
            context.view_layer.objects.active = left

    def _press(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        """Handle a key or the wheel; while an expression is typed, its characters are added to it."""
        drag, grip = self._drag, self._drag.grip
        by = {"WHEELUPMOUSE": 1, "PAGE_UP": 1, "WHEELDOWNMOUSE": -1, "PAGE_DOWN": -1}.get(event.type)
        if by is not None and event.alt:
            self._climb(context, by)
        elif by is not None:
            self._regrip(context, replace(grip, levels=changed_levels(grip.levels, drag.depth, by)))
        elif event.ctrl:
            return  # a shortcut of Blender, for example Ctrl-Z
        elif self._hand.press(event.type, event.ascii, shift=event.shift):
            self._changed = True
        elif event.type == "R" and grip.turn:
            self._hand.roll()
            self._changed = True
        elif event.type in {"G", "R"}:
            self._regrip(context, replace(grip, turn=event.type == "R"))
        elif event.type == "P":
            self._regrip(context, replace(grip, root="FREE" if drag.root == "PINNED" else "PINNED"))
        elif event.type in SUPPORTS:
            self._regrip(context, replace(grip, switched=grip.switched ^ {SUPPORTS[event.type]}))
        elif event.type == "TAB" and event.shift:
            settings = context.scene.tool_settings
            settings.use_snap, self._changed = not settings.use_snap, True

    def _follow(self, event: bpy.types.Event) -> None:
        x, y = event.mouse_x, event.mouse_y
        self._hand.move((x - self._mouse[0], y - self._mouse[1]), fine=event.shift)
        self._changed = self._changed or (x, y) != self._mouse
        self._mouse = x, y
        self._inverted, self._fine = event.ctrl, event.shift

    def _snap(self, context: bpy.types.Context) -> None:
        from ..control.drag.snapping import read_snapping

        hand, region = self._hand, context.region
        if region is None:  # another workspace is shown
            return
        found = read_snapping(context, turning=hand.turning, inverted=self._inverted, fine=self._fine)
        hand.step, hand.grid, elements = found
        pixel = self._mouse[0] - region.x, self._mouse[1] - region.y
        hand.snapped = self._snapper.place(context, hand.sight, pixel, elements)

    def _regrip(self, context: bpy.types.Context, grip: Grip) -> None:
        """Change the grip; a change between moving and turning restarts at the present pose."""
        drag = self._drag
        if grip == drag.grip:
            return
        if grip.turn != drag.grip.turn:
            self._solve(context)
            drag.change(context, grip)
            self._hand.begin(drag.anchor, turning=grip.turn, axes=drag.orientation)
            self._changed = drag.moved is not None
            self._show(context)
        else:
            drag.change(context, grip)
            self._changed = True
        self._tell_grip()

    def _begin(self, context: bpy.types.Context, armature: bpy.types.Object, grip: Grip) -> Drag:
        from ..control.drag.drag import Drag

        record = self.record or rig_of(armature).record
        return Drag(armature, context, grip, record=record, budget=_BUDGET)

    def _climb(self, context: bpy.types.Context, by: int) -> None:
        """Drag a parent or the bone below instead; the drag restarts with the mouse's whole displacement."""
        armature, grasp, before = active_armature(context), self._grasp.climbed(by), self._drag.grip
        if armature is None or grasp == self._grasp:
            return
        along = before.along
        if self._pressed is not None:
            along = grasp.along(armature, self._hand.sight, self._pressed)
        self._drag.cancel()
        try:
            self._drag = self._begin(context, armature, replace(before, bone=grasp.bone, along=along))
            self._grasp = grasp
        except reasons() as reason:
            self.report({"WARNING"}, str(reason))
            self._drag = self._begin(context, armature, before)
        self._hand.hold(self._drag.anchor, self._drag.orientation)
        self._changed = True
        self._tell_grip()

    def _tell_grip(self) -> None:
        session, grip = own_session(), self._drag.grip
        session.grip, session.other, session.levels = grip.bone, grip.other, grip.levels

    def _solve(self, context: bpy.types.Context) -> None:
        if not self._changed:
            return
        self._changed = False
        self._snap(context)
        self._changed = not self._hand.lead(self._drag).arrived
        self._show(context)

    def _let_it_go(self, context: bpy.types.Context) -> Outcome:
        """Handle the release: confirm, or let the figure settle first."""
        self._solve(context)
        recording = self._drag.recording
        if self._changed and (recording is None or not recording.moves):
            self._let_go = time.monotonic()
            return {"RUNNING_MODAL"}
        return self._confirm(context)

    def _settle(self, context: bpy.types.Context, event: bpy.types.Event) -> Outcome:
        """Continue to settle with each timer event; any key or button skips to the final pose."""
        if event.type != "TIMER":
            return self._confirm(context) | {"PASS_THROUGH"} if event.value == "PRESS" else {"RUNNING_MODAL"}
        self._solve(context)
        if self._changed and self._let_go is not None and time.monotonic() - self._let_go < _SETTLES:
            return {"RUNNING_MODAL"}
        return self._confirm(context)

    def _confirm(self, context: bpy.types.Context) -> Outcome:
        armature = active_armature(context)
        self._drag.finish(context)
        tell_unkeyed(self)
        self._leave(context)
        moved = self._drag.moved
        if moved is None:
            return {"CANCELLED"}
        if armature is not None:
            passed = self._drag.recording
            frames = len(passed) if passed is not None and passed.moves else 0
            rig_of(armature).message = summary(self._drag.grip, moved.status, moved.message, frames)
            select_only(armature, self._drag.grip.bone)  # like a click
        return {"FINISHED"}

    def _leave(self, context: bpy.types.Context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        session = own_session()
        session.dragged, session.levels, session.is_snapped = 0, 0, False
        session.locked = session.grip = session.other = ""
        show_keys(context, None)
        show_header(context, None)

    def _show(self, context: bpy.types.Context) -> None:
        show_guides(own_session(), self._hand, self._drag.anchor)
        show_header(context, header(self._drag, self._hand))

    def _grip(self, bone: str, along: float, *, turn: bool) -> Grip:
        from ..control.drag.drag import Grip

        root = "" if self.root == "SETTING" else self.root
        return Grip(bone=bone, along=along, turn=turn, levels=self.levels, root=root)
