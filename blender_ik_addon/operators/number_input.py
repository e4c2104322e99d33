# SPDX-License-Identifier: GPL-3.0-or-later
"""Typed numbers in a drag, like in Blender's own tools, whose input is not available in Python.

Accepts digits, a point, "-" to negate and "/" for the reciprocal. After "=" every character is accepted, for
units and expressions, which Blender evaluates. Tab moves to the next axis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_DIGITS: Final = frozenset("0123456789.")
_SIGNS: Final = {"-": "-", "/": "1/"}
_AXES: Final = 3


class NumberInput:
    """One text for each free axis.

    Attributes:
        is_expression: whether "=" was pressed.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Clear all texts."""
        self._texts = [""] * _AXES
        self._signs: list[set[str]] = [set() for _ in range(_AXES)]
        self._field, self.is_expression = 0, False

    def __bool__(self) -> bool:
        return self.is_expression or any(self._texts) or any(self._signs)

    def press(self, key: str, character: str, *, fields: int, shift: bool = False) -> bool:
        """Handle a key.

        Args:
            key: its identifier in Blender; character: that it types, "" if none.
            fields: number of free axes; shift: whether Shift is pressed.

        Returns:
            Whether the key was used.
        """
        field = self._field = min(self._field, fields - 1)
        if key == "TAB":
            used = bool(self) and not shift
            self._field = (field + 1) % fields if used else field
            return used
        if key == "BACK_SPACE":
            return self._delete(field)
        if character == "=":
            self.is_expression = not self.is_expression
        elif self.is_expression and character.isprintable() and character:
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

    def values(self, evaluate: Callable[[str], float | None], fields: int) -> list[float] | None:
        """The numbers, 0 for empty fields; None if no field has a valid number.

        Args:
            evaluate: gives the value of an expression, None if invalid; fields: number of free axes.
        """
        found = [evaluate(text) if text else None for text in map(self._expression, range(fields))]
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
