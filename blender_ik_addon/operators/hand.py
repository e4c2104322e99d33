# SPDX-License-Identifier: GPL-3.0-or-later
"""The input of a drag, without events: mouse moves and typed characters give a position or a rotation.

The keys X, Y and Z constrain it to axes. Digits, a point, "-" to negate and "/" for the reciprocal are a
number. After "=" every character is accepted, for units and expressions, which Blender evaluates. Tab moves
to the next axis. Blender's own input of this kind is not available in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import bpy
import numpy as np
import numpy.typing as npt

from ..properties.measures import typed
from ..properties.refusal import Refused

if TYPE_CHECKING:
    from ..bridge.armature import Array
    from ..control.drag.drag import Drag
    from ..control.drag.view import Sight
    from ..control.rig.target import TargetInHand
    from ..properties.session import ArticulateSession

AXES: Final = "XYZ"
Orientation = tuple[str, "Array | None"]
"""Name of a space, and its axes (3, 3) as columns, world; None for the world's or the bone's own."""
_DIGITS: Final = frozenset("0123456789.")
_BEGINS: Final = _DIGITS | set("-+/(")  # begin an expression, if the user's preference is to type these
_SIGNS: Final = {"-": "-", "/": "1/"}
_ROLL = 0.01  # radians per pixel of a free turn, as in Blender's trackball
FINE = 0.1  # share of the mouse motion that is used with Shift, as in Blender's own tools
_STEP = 0.01  # Blender units: length of the piece of an axis whose direction on the screen is compared
_END_ON = 0.05  # an axis drawn shorter than this share of the longest one points at the viewer
_CENTRE = 5.0  # pixels around the centre of a rotation within which directions are ignored


class AxisLock:
    """The allowed directions: all, one axis, or a plane; in the axes of a space.

    Attributes:
        letters: the allowed axes, for example "", "Z", or "XY"; "" for all.
        space: "global", "local" for the bone's axes, or the name of another orientation of the scene.
        spaces: their axes (3, 3) by name, as columns, world; first: that of the scene.
    """

    def __init__(self, orientation: Orientation) -> None:
        first, axes = orientation
        self.spaces: dict[str, Array] = {"global": np.eye(3), "local": np.eye(3)}
        if axes is not None:
            self.spaces[first] = axes
        self.first, self._second = first, "local" if first == "global" else "global"
        self.letters, self.space = "", first

    def press(self, axis: str, *, plane: bool = False) -> None:
        """Cycle an axis or plane: in the scene's orientation, the other space, free."""
        letters = AXES.replace(axis, "") if plane else axis
        if letters != self.letters:
            self.pick(axis, plane=plane)
        elif self.space == self.first:
            self.space = self._second
        else:
            self.release()

    def pick(self, axis: str, *, plane: bool = False, space: str = "") -> None:
        """Constrain to an axis or the plane across it, in a space; by default the scene's orientation."""
        self.letters, self.space = AXES.replace(axis, "") if plane else axis, space or self.first

    def release(self) -> None:
        self.letters = ""

    @property
    def axes(self) -> Array:
        """(3, 3) axes of the space, or of the world without a constraint, as columns."""
        return self.spaces[self.space if self.letters else "global"]

    @property
    def free(self) -> Array:
        """(3, n) axes along which the point may move, as columns; all without a constraint."""
        return self.axes[:, [AXES.index(letter) for letter in self.letters or AXES]]

    @property
    def axis(self) -> Array | None:
        """(3,) rotation axis: the one axis, or the normal of the plane; None without a constraint."""
        if not self.letters:
            return None
        letter = self.letters if len(self.letters) == 1 else self._across
        return np.asarray(self.axes[:, AXES.index(letter)])

    @property
    def text(self) -> str:
        """Text for the header: "along global X", for a plane "locking local X"; "" without a constraint."""
        if not self.letters:
            return ""
        if len(self.letters) == 1:
            return f"along {self.space} {self.letters}"
        return f"locking {self.space} {self._across}"

    @property
    def _across(self) -> str:
        """The normal axis of a plane."""
        return next(letter for letter in AXES if letter not in self.letters)


class NumberInput:
    """One text for each free axis; after "=" it `is_expression`."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._texts = [""] * len(AXES)
        self._signs: list[set[str]] = [set() for _ in range(len(AXES))]
        self._field, self.is_expression = 0, False

    def __bool__(self) -> bool:
        return self.is_expression or any(self._texts) or any(self._signs)

    def press(self, key: str, character: str, *, fields: int, shift: bool = False) -> bool:
        """Handle a key, given by its identifier and the character that it types; whether it was used."""
        field = self._field = min(self._field, fields - 1)
        if key == "TAB":
            used = bool(self) and not shift
            self._field = (field + 1) % fields if used else field
            return used
        if key == "BACK_SPACE":
            return self._delete(field)
        if character == "=" or (key == "NUMPAD_ASTERIX" and not self.is_expression):
            self.is_expression = not self.is_expression
            return True
        if character in _BEGINS and bpy.context.preferences.inputs.use_numeric_input_advanced:
            self.is_expression = True
        if self.is_expression and character.isprintable() and character:
            self._texts[field] += character
        elif character in _SIGNS:
            self._signs[field] ^= {character}
        elif character and character in _DIGITS | {","}:
            self._texts[field] += character.replace(",", ".")
        else:
            return False
        return True

    def _delete(self, field: int) -> bool:
        """Delete the last character; without characters, clear everything."""
        used = bool(self)
        if self._texts[field]:
            self._texts[field] = self._texts[field][:-1]
        elif self._signs[field]:
            self._signs[field] = set()
        else:
            self.clear()
        return used

    def values(self, fields: int, *, turn: bool) -> list[float] | None:
        """The lengths or angles, 0 for empty fields; None if no field has a valid number."""
        found = [typed(text, turn=turn) if text else None for text in map(self._expression, range(fields))]
        return None if all(one is None for one in found) else [one or 0.0 for one in found]

    def text(self, fields: int) -> str:
        """The typed text, with a cursor in the active field."""
        marked = [self._expression(one) + ("|" if one == self._field else "") for one in range(fields)]
        return ("=" if self.is_expression else "") + ", ".join(one or "0" for one in marked)

    def _expression(self, field: int) -> str:
        text = self._texts[field]
        for sign in ("/", "-"):
            if sign in self._signs[field]:
                text = f"{_SIGNS[sign]}({text})" if self.is_expression and text else _SIGNS[sign] + text
        return text


class Hand:
    """The mouse and key input of a drag.

    Attributes:
        sight: the view of the region.
        lock: the axis constraint; numbers: the typed values.
        turning: whether it rotates instead of moving; rolling: freely, about both axes of the view.
        step: snapping increment, Blender units or radians; 0 for none.
        grid: whether positions snap to multiples of the step; otherwise the displacement does.
        snapped: (3,) world, point of the scene that it snaps to; None for none.
        picking: whether the way of the mouse chooses the axis, as long as the middle button is held.
    """

    def __init__(
        self,
        sight: Sight,
        pixel: npt.ArrayLike,
        anchor: npt.ArrayLike,
        orientation: Orientation = ("global", None),
    ) -> None:
        """Begin a drag of a point (3,), world, at a pixel (2,) of the mouse."""
        self.sight = sight
        self._pixel = np.array(pixel, dtype=float)
        self.lock, self.numbers = AxisLock(orientation), NumberInput()
        self.step, self.grid = 0.0, False
        self.snapped: Array | None = None
        self.picking = False
        self.begin(anchor, turning=False)

    def begin(self, anchor: npt.ArrayLike, *, turning: bool, axes: npt.ArrayLike | None = None) -> None:
        """Restart here, moving or turning a point (3,), world, with bone axes (3, 3); clears typed values."""
        self._start, self._anchor = self._pixel.copy(), np.array(anchor, dtype=float)
        self._angle, self.turning, self.rolling = 0.0, turning, False
        self.numbers.clear()
        if axes is not None:
            self.lock.spaces["local"] = np.array(axes, dtype=float)

    def roll(self) -> None:
        """Turn freely, like a trackball, or again about one axis; from the rotation at the start."""
        rolling = not self.rolling
        self.begin(self._anchor, turning=True)
        self.lock.release()
        self.rolling = rolling

    def hold(self, anchor: npt.ArrayLike, axes: npt.ArrayLike) -> None:
        """Apply the same displacement and typed values to another point (3,), world, with its axes (3, 3)."""
        self._anchor, self.lock.spaces["local"] = np.array(anchor, dtype=float), np.array(axes, dtype=float)

    def move(self, way: npt.ArrayLike, *, fine: bool) -> None:
        """Add a mouse motion (2,), pixels."""
        share = FINE if fine else 1.0
        before = self._pixel
        self._pixel = before + share * np.asarray(way, dtype=float)
        if self.turning:
            self._angle += share * _turn(before, before + np.asarray(way), self.sight.pixels(self._anchor))
        if self.picking:
            self._pick_axis(plane=fine)

    def press(self, key: str, character: str, *, shift: bool = False) -> bool:
        """Handle a key of a number or an axis, or the middle button; whether it was used."""
        if self.numbers.press(key, character, fields=self._fields, shift=shift):
            return True
        if len(key) == 1 and key in AXES:
            self.lock.press(key, plane=shift)
        elif key == "C":
            self.lock.release()
        elif key == "MIDDLEMOUSE":
            self.picking = not self.lock.letters
            self.lock.release()
            if self.picking:
                self._pick_axis(plane=shift)
        else:
            return False
        return True

    def _pick_axis(self, *, plane: bool) -> None:
        """Constrain to the axis that is drawn nearest to the mouse's way, or to the plane across it."""
        ends = self._anchor + _STEP * self.lock.spaces[self.lock.first].T
        shown = self.sight.pixels(ends) - self.sight.pixels(self._anchor)
        lengths = np.linalg.norm(shown, axis=1)
        along = np.abs(shown @ (self._pixel - self._start)) / np.maximum(lengths, _END_ON * lengths.max())
        if np.isfinite(along).all():
            self.lock.pick(AXES[int(along.argmax())], plane=plane)

    @property
    def _fields(self) -> int:
        return 1 if self.turning else self.lock.free.shape[1]

    @property
    def text(self) -> list[str]:
        """Text for the header: the axis constraint and the typed values."""
        lock = self.lock.text.replace("along", "about") if self.turning else self.lock.text
        if self.rolling and not lock:
            lock = "trackball"
        return [part for part in (lock, self.numbers.text(self._fields) if self.numbers else "") if part]

    def place(self) -> Array:
        """(3,) world, target position of the point."""
        free = self.lock.free
        lengths = self.numbers.values(free.shape[1], turn=False)
        if lengths is not None:
            return self._anchor + free @ lengths
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
        angles = self.numbers.values(1, turn=True)
        if self.rolling and axis is None and angles is None:
            x, y = _ROLL * (self._pixel - self._start)
            right, up = self.sight.across
            return np.asarray(x * up - y * right)
        axis = towards if axis is None else axis
        if angles is not None:
            return axis * angles[0]
        angle = self._angle if axis @ towards >= 0 else -self._angle
        return axis * (self.step * round(angle / self.step) if self.step else angle)

    def lead(self, held: Drag | TargetInHand) -> Any:
        """Turn or move a drag or a target, and return its result."""
        return held.turn_by(self.turn()) if self.turning else held.move_to(self.place())


def lead_by(held: Drag | TargetInHand, anchor: Array, move: Sequence[float], turn: Sequence[float]) -> Any:
    """Turn a drag or a target by numbers, or move it from an anchor (3,), and return its result."""
    if not np.isfinite((*move, *turn)).all():
        raise Refused("Move and Turn must be finite numbers")
    return held.turn_by(turn) if any(turn) else held.move_to(anchor + np.array(move))


def read_orientation(scene: bpy.types.Scene, sight: Sight) -> Orientation:
    """The scene's transform orientation; *Gimbal* and *Parent* count as *Global*."""
    slots: Any = scene.transform_orientation_slots
    own = slots[0].custom_orientation
    if own is not None:
        return "custom", np.array(own.matrix)
    match slots[0].type:
        case "LOCAL" | "NORMAL":
            return "local", None
        case "VIEW":
            return "view", np.stack([*sight.across, -sight.forward], 1)
        case "CURSOR":
            return "cursor", np.array(scene.cursor.matrix.to_3x3())
        case _:
            return "global", None


def is_confirmed(event: bpy.types.Event, click: str, numbers: NumberInput) -> bool:
    """Whether an event confirms a drag: Enter, Space, or the left button with the value `click`.

    `click` is PRESS or RELEASE. In an expression Space is a character.
    """
    if event.type in {"RET", "NUMPAD_ENTER"} or (event.type == "SPACE" and not numbers.is_expression):
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
    """Number of bones, up to `depth`, that may move after a step of the wheel; 0 for the whole figure."""
    found = min(max((levels or depth) + by, 1), depth)
    return 0 if found == depth else found


def _turn(before: Array, after: Array, centre: Array) -> float:
    """Rotation of the direction from a centre to the mouse, counter-clockwise, radians."""
    a, b = before - centre, after - centre
    if not (np.hypot(*a) > _CENTRE and np.hypot(*b) > _CENTRE):
        return 0.0
    return float(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b))
