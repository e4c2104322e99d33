# SPDX-License-Identifier: GPL-3.0-or-later
"""What mouse and keys mean in a drag: from moves and characters to a place or a rotation, without events."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ..control.drag.view import Array, Sight


AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
FINE = 0.1  # share of the mouse's way that counts while Shift is held
_CENTRE = 5.0  # pixels round the centre of a turn where directions mean nothing
_DIGITS = frozenset("0123456789.")
_NAMES = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
# Blender tells no characters of keys that are pressed while Ctrl is held.
_CHARACTERS = {
    **{name: str(digit) for digit, name in enumerate(_NAMES)},
    **{f"NUMPAD_{digit}": str(digit) for digit in range(10)},
    **dict.fromkeys(("PERIOD", "NUMPAD_PERIOD", "COMMA"), "."),
    **dict.fromkeys(("MINUS", "NUMPAD_MINUS"), "-"),
}


class Hand:
    """The hand in a drag.

    Attributes:
        axis: name of the axis that it keeps to, or "".
        typed: the number that was typed so far, or "".
        turning: whether it turns and does not move.
    """

    def __init__(self, sight: Sight, pixel: npt.ArrayLike, anchor: npt.ArrayLike, metre: float = 1.0) -> None:
        """Begin a drag.

        Args:
            sight: how the region looks at the world.
            pixel: (2,) where the mouse is.
            anchor: (3,) world, the point that is held.
            metre: how many metres a unit of the world is; typed lengths are metres.
        """
        self._sight, self._metre = sight, metre
        self._pixel = np.array(pixel, dtype=float)
        self.axis, self.typed, self.turning = "", "", False
        self.begin(anchor, turning=False)

    def begin(self, anchor: npt.ArrayLike, *, turning: bool) -> None:
        """Go on from here, moving or turning; what was typed is done with."""
        self._start, self._anchor = self._pixel.copy(), np.array(anchor, dtype=float)
        self._angle, self.typed, self.turning = 0.0, "", turning

    def move(self, way: npt.ArrayLike, *, fine: bool) -> None:
        """The mouse has moved by so many pixels (2,)."""
        share = FINE if fine else 1.0
        before = self._pixel
        self._pixel = before + share * np.asarray(way, dtype=float)
        if self.turning:
            self._angle += share * _turn(before, before + np.asarray(way), self._sight.pixels(self._anchor))

    def press_axis(self, axis: str) -> None:
        """Keep to an axis of the world, or to none if it was this one."""
        self.axis = "" if self.axis == axis else axis

    def press(self, key: str, character: str) -> bool:
        """A key was pressed: an axis, or a part of a number.

        Args:
            key: Blender's name of it; character: that it types, "" if Blender tells none.

        Returns:
            Whether it meant anything.
        """
        if key in AXES:
            self.press_axis(key)
            return True
        return self.type("" if key == "BACK_SPACE" else character or _CHARACTERS.get(key, "?"))

    def type(self, character: str) -> bool:
        """Add a character to the number: a digit, a point or comma, "-" for the other sign, "" to delete one.

        Returns:
            Whether it meant anything.
        """
        sign, digits = ("-", self.typed[1:]) if self.typed.startswith("-") else ("", self.typed)
        character = "." if character == "," else character
        if character == "-":
            sign = "" if sign else "-"
        elif not character:
            sign, digits = (sign, digits[:-1]) if digits else ("", "")
        elif character in _DIGITS and not (character == "." and "." in digits):
            digits += character
        else:
            return False
        self.typed = sign + digits
        return True

    @property
    def number(self) -> float | None:
        """The number that was typed, None if it is none yet."""
        return float(self.typed) if self.typed.strip("-.") else None

    def place(self) -> Array:
        """(3,) world, where the point should be: a typed number without an axis is along X, as elsewhere."""
        number, axis = self.number, self.axis
        if number is not None:
            return self._anchor + number / self._metre * np.array(AXES[axis or "X"])
        if axis:
            way = np.array(AXES[axis])
            far, near = (self._sight.along_axis(p, self._anchor, way) for p in (self._pixel, self._start))
            return self._anchor + (far - near) * way
        begun, now = (self._sight.place(pixel, self._anchor) for pixel in (self._start, self._pixel))
        return self._anchor + now - begun

    def turn(self) -> Array:
        """(3,) world, the turn since the grip as axis times angle; typed numbers are degrees."""
        towards = -self._sight.forward
        axis = np.array(AXES[self.axis]) if self.axis else towards
        if self.number is not None:
            return axis * np.radians(self.number)
        return axis * (self._angle if axis @ towards >= 0 else -self._angle)


def changed_levels(levels: int, depth: int, by: int) -> int:
    """How many bones take part after a turn of the wheel; 0 is the whole figure.

    Args:
        levels: as it is; depth: bones from the grip to the top; by: more or fewer.
    """
    found = min(max((levels or depth) + by, 1), depth)
    return 0 if found == depth else found


def _turn(before: Array, after: Array, centre: Array) -> float:
    """Radians by which the direction from a centre to the mouse has turned, counter-clockwise."""
    a, b = before - centre, after - centre
    if not (np.hypot(*a) > _CENTRE and np.hypot(*b) > _CENTRE):
        return 0.0
    return float(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b))
