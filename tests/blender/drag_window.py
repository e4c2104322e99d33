# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for the window and for Blender's part of the drag operator: events in."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
from addon_scenes import arm, tip
from mathutils import Euler, Matrix
from modal_operator import ModalOperator
from ui_layout import status_bar

WIDTH, HEIGHT = 800, 600


class Operator(ModalOperator):
    """That of a drag."""

    module, cls = "operators.drag", "ARTICULATE_OT_drag"
    bone, along, levels, root, record = "", 1.0, 0, "SETTING", False
    only_under_mouse, only_selected, turning = False, False, False


class Window:
    """A context with a 3D view that looks along Y, 4 m high, in which everything else is the real one."""

    def __init__(self) -> None:
        self.timers: list[str] = []
        self.texts: list[str | None] = []
        self.header: list[str | None] = []
        self.region = SimpleNamespace(x=0, y=0, width=WIDTH, height=HEIGHT)
        view = (Euler((np.pi / 2, 0, 0)).to_matrix().to_4x4()).inverted()
        lens = Matrix.Diagonal((2 / 8.0, 2 / 6.0, -1e-3, 1.0))
        self.region_data = SimpleNamespace(
            perspective_matrix=lens @ view, view_matrix=view, is_perspective=False
        )
        self.area = SimpleNamespace(
            type="VIEW_3D", tag_redraw=lambda: None, header_text_set=self.header.append
        )
        self.workspace = SimpleNamespace(status_text_set=lambda draw: self.texts.append(status_bar(draw)))
        self.window = None
        self.window_manager = SimpleNamespace(
            articulate=bpy.context.window_manager.articulate,
            event_timer_add=lambda _seconds, window: self.timers.append("timer"),
            event_timer_remove=lambda _timer: self.timers.pop(),
            modal_handler_add=lambda _operator: None,
            windows=[],
        )

    @property
    def visible_pose_bones(self):
        return list(bpy.context.visible_pose_bones or bpy.context.object.pose.bones)

    def __getattr__(self, name: str) -> Any:
        return getattr(bpy.context, name)


def event(
    kind: str, value: str = "PRESS", at: tuple[float, float] = (0, 0), **more: object
) -> SimpleNamespace:
    """An event; the view shows 100 pixels a metre, X to the right and Z up, the origin in the middle."""
    known = {"alt": False, "ctrl": False, "shift": False, "ascii": "", **more}
    x, y = WIDTH / 2 + 100 * at[0], HEIGHT / 2 + 100 * at[1]
    places = {"mouse_x": x, "mouse_y": y, "mouse_prev_press_x": x, "mouse_prev_press_y": y}
    return SimpleNamespace(type=kind, value=value, **{**places, **known})


TICK = event("TIMER", "NOTHING")


class Mouse:
    """A drag that goes on."""

    def __init__(self, at: tuple[float, float], *, click: bool = True, **given: object) -> None:
        self.operator, self.window, self.at = Operator(**given), Window(), at
        kind = ("LEFTMOUSE", "CLICK_DRAG") if click else ("D", "PRESS")
        self.outcome = self.operator.invoke(self.window, event(*kind, at))

    def move(self, *at: tuple[float, float], **more: object) -> None:
        for self.at in at:
            self._send(event("MOUSEMOVE", "NOTHING", self.at, **more))

    def key(self, kind: str, value: str = "PRESS", **more: object) -> None:
        self._send(event(kind, value, self.at, **more))

    def tick(self) -> None:
        self._send(TICK)

    def _send(self, sent: SimpleNamespace) -> None:
        assert self.outcome == {"RUNNING_MODAL"}
        self.outcome = self.operator.modal(self.window, sent)


def tip_at(rig: bpy.types.Object, bone: str) -> tuple[float, float]:
    place = tip(rig, bone)
    return place[0], place[2]


def posed(count: int = 4) -> bpy.types.Object:
    """A chain whose tip is in the picture."""
    rig = arm(count)
    rig.location.z = -2.0
    bpy.context.view_layer.update()
    return rig
