# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers typed in a drag, as in Blender's own tools, whose input Python cannot use.

Digits, a point, "-" for the other sign and "/" for the reciprocal. After "=" every character counts: units
and expressions, which Blender's fields evaluate. Tab goes to the next axis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_DIGITS: Final = frozenset("0123456789.")
_SIGNS: Final = {"-": "-", "/": "1/"}
_AXES: Final = 3


class NumberInput:
    """One text for each axis that is free.

    Attributes:
        is_expression: whether "=" was pressed.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Nothing is typed."""
        self._texts = [""] * _AXES
        self._signs: list[set[str]] = [set() for _ in range(_AXES)]
        self._field, self.is_expression = 0, False

    def __bool__(self) -> bool:
        return self.is_expression or any(self._texts) or any(self._signs)

    def press(self, key: str, character: str, *, fields: int, shift: bool = False) -> bool:
        """A key was pressed.

        Args:
            key: Blender's name of it; character: that it types, "" if none.
            fields: how many axes are free; shift: whether it is held.

        Returns:
            Whether it meant anything.
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
        """Take the last character away; after the last one nothing is typed."""
        used = bool(self)
        if self._texts[field]:
            self._texts[field] = self._texts[field][:-1]
        elif self._signs[field]:
            self._signs[field] = set()
        else:
            self.clear()
        return used

    def values(self, evaluate: Callable[[str], float | None], fields: int) -> list[float] | None:
        """The numbers, 0 where none is typed; None if nothing that is typed is a number yet.

        Args:
            evaluate: the value of an expression, None if it has none; fields: how many axes are free.
        """
        found = [evaluate(text) if text else None for text in map(self._expression, range(fields))]
        return None if all(one is None for one in found) else [one or 0.0 for one in found]

    def text(self, fields: int) -> str:
        """What is typed, with a mark in the field that takes the next character."""
        marked = [self._expression(one) + ("|" if one == self._field else "") for one in range(fields)]
        return ("=" if self.is_expression else "") + ", ".join(one or "0" for one in marked)

    def _expression(self, field: int) -> str:
        text = self._texts[field]
        for sign in ("/", "-"):
            if sign in self._signs[field]:
                text = f"{_SIGNS[sign]}({text})" if self.is_expression and text else _SIGNS[sign] + text
        return text
