# SPDX-License-Identifier: GPL-3.0-or-later
"""Converts mouse moves and typed characters of a drag to a position or rotation, without events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
import numpy.typing as npt

from ..properties.measures import typed_angle, typed_length
from .axis_lock import AXES, AxisLock
from .number_input import NumberInput

if TYPE_CHECKING:
    from ..bridge.armature import Array
    from ..control.drag.view import Sight
    from ..properties.session import ArticulateSession


FINE = 0.1  # share of the mouse motion that is used with Shift, as in Blender's own tools
_CENTRE = 5.0  # pixels around the centre of a rotation within which directions are ignored


class Hand:
    """The mouse and key input of a drag.

    Attributes:
        sight: the view of the region.
        lock: the axis constraint; numbers: the typed values.
        turning: whether it rotates instead of moving.
        step: snapping increment, Blender units or radians; 0 for none.
        grid: whether positions snap to multiples of the step; otherwise the displacement does.
        snapped: (3,) world, point of the scene that it snaps to; None for none.
    """

    _start: Array
    _anchor: Array

    def __init__(
        self, sight: Sight, pixel: npt.ArrayLike, anchor: npt.ArrayLike, *, local_first: bool = False
    ) -> None:
        """Begin a drag.

        Args:
            sight: the view of the region.
            pixel: (2,) of the mouse.
            anchor: (3,) world, the dragged point.
            local_first: see `AxisLock`.
        """
        self.sight = sight
        self._pixel = np.array(pixel, dtype=float)
        self.lock, self.numbers = AxisLock(local_first=local_first), NumberInput()
        self.step, self.grid = 0.0, False
        self.snapped: Array | None = None
        self.begin(anchor, turning=False)

    def begin(self, anchor: npt.ArrayLike, *, turning: bool, axes: npt.ArrayLike | None = None) -> None:
        """Restart here, moving or turning; clears typed values.

        Args:
            anchor: (3,) world, the dragged point; turning: whether it rotates.
            axes: (3, 3) of the bone, as columns, world; None to keep the present ones.
        """
        self._start, self._anchor = self._pixel.copy(), np.array(anchor, dtype=float)
        self._angle, self.turning = 0.0, turning
        self.numbers.clear()
        if axes is not None:
            self.lock.local = np.array(axes, dtype=float)

    def hold(self, anchor: npt.ArrayLike, axes: npt.ArrayLike) -> None:
        """Apply the same displacement and typed values to another point.

        Args:
            anchor: (3,) world, the dragged point; axes: (3, 3) of the bone, as columns, world.
        """
        self._anchor, self.lock.local = np.array(anchor, dtype=float), np.array(axes, dtype=float)

    def move(self, way: npt.ArrayLike, *, fine: bool) -> None:
        """Add a mouse motion (2,), pixels."""
        share = FINE if fine else 1.0
        before = self._pixel
        self._pixel = before + share * np.asarray(way, dtype=float)
        if self.turning:
            self._angle += share * _turn(before, before + np.asarray(way), self.sight.pixels(self._anchor))

    def press(self, key: str, character: str, *, shift: bool = False) -> bool:
        """Handle a key of a number or an axis.

        Args:
            key: its identifier in Blender; character: that it types, "" if unknown.
            shift: whether Shift is pressed.

        Returns:
            Whether the key was used.
        """
        if self.numbers.press(key, character, fields=self._fields, shift=shift):
            return True
        if len(key) == 1 and key in AXES:
            self.lock.press(key, plane=shift)
        elif key == "C":
            self.lock.release()
        else:
            return False
        return True

    @property
    def _fields(self) -> int:
        return 1 if self.turning else self.lock.free.shape[1]

    @property
    def text(self) -> list[str]:
        """Text for the header: the axis constraint and the typed values."""
        lock = self.lock.text.replace("along", "about") if self.turning else self.lock.text
        return [part for part in (lock, self.numbers.text(self._fields) if self.numbers else "") if part]

    def place(self) -> Array:
        """(3,) world, target position of the point."""
        free = self.lock.free
        typed = self.numbers.values(typed_length, free.shape[1])
        if typed is not None:
            return self._anchor + free @ typed
        if self.snapped is not None:
            return self._anchor + free @ (free.T @ (self.snapped - self._anchor))
        way = self._way()
        if self.step and self.grid:
            way = self.step * np.round((self._anchor + way) / self.step) - self._anchor
        elif self.step:
            axes = self.lock.axes
            way = axes @ (self.step * np.round(axes.T @ way / self.step))
        along: Array = free.T @ way
        return self._anchor + free @ along

    def _way(self) -> Array:
        """(3,) world, displacement of the point by the mouse."""
        free, sight = self.lock.free, self.sight
        if free.shape[1] == 1:
            axis = free[:, 0]
            far, near = (sight.along_axis(p, self._anchor, axis) for p in (self._pixel, self._start))
            return (far - near) * axis
        across = sight.forward if free.shape[1] == len(AXES) else np.cross(*free.T)
        begun, now = (sight.place(pixel, self._anchor, across) for pixel in (self._start, self._pixel))
        return now - begun

    def turn(self) -> Array:
        """(3,) world, rotation since the start as a rotation vector."""
        towards, axis = -self.sight.forward, self.lock.axis
        axis = towards if axis is None else axis
        typed = self.numbers.values(typed_angle, 1)
        if typed is not None:
            return axis * typed[0]
        angle = self._angle if axis @ towards >= 0 else -self._angle
        return axis * (self.step * round(angle / self.step) if self.step else angle)


def is_local_first(scene: bpy.types.Scene) -> bool:
    """Whether the scene's transform orientation uses the bone's own axes."""
    slots: Any = scene.transform_orientation_slots
    return slots[0].type in {"LOCAL", "NORMAL"}


def is_confirmed(event: bpy.types.Event, click: str) -> bool:
    """Whether an event confirms a drag: Enter, or the left button with the value `click` (PRESS, RELEASE)."""
    if event.type in {"RET", "NUMPAD_ENTER"}:
        return event.value == "PRESS"
    return event.type == "LEFTMOUSE" and event.value == click


def where_taken(event: bpy.types.Event) -> tuple[int, int]:
    """Window pixel at which a drag begins: that of the press, which may be some pixels away."""
    if event.value == "CLICK_DRAG":
        return event.mouse_prev_press_x, event.mouse_prev_press_y
    return event.mouse_x, event.mouse_y


def show_guides(session: ArticulateSession, hand: Hand, anchor: npt.ArrayLike) -> None:
    """Store the axis constraint, through a point (3,) in world space, and the snap point for the overlay."""
    session.locked, session.axes = hand.lock.letters, hand.lock.axes.ravel()
    session.anchor, session.is_snapped = anchor, hand.snapped is not None
    if hand.snapped is not None:
        session.snapped = hand.snapped


def changed_levels(levels: int, depth: int, by: int) -> int:
    """Number of bones that may move after a step of the wheel; 0 for the whole figure.

    Args:
        levels: present number; depth: bones from the dragged one to the topmost; by: change.
    """
    found = min(max((levels or depth) + by, 1), depth)
    return 0 if found == depth else found


def _turn(before: Array, after: Array, centre: Array) -> float:
    """Rotation of the direction from a centre to the mouse, counter-clockwise, radians."""
    a, b = before - centre, after - centre
    if not (np.hypot(*a) > _CENTRE and np.hypot(*b) > _CENTRE):
        return 0.0
    return float(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b))
