# SPDX-License-Identifier: GPL-3.0-or-later
"""The axes that a drag keeps to, by the keys X, Y and Z, as in Blender's own tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from ..control.drag.view import Array

AXES: Final = "XYZ"


class AxisLock:
    """Free, along one axis, or in the plane of two; in the world's axes or in the bone's.

    Args:
        local_first: whether the first press of a key means the bone's axes, as the scene's orientation says.

    Attributes:
        letters: the axes that are left: "", "Z", or "XY".
        is_local: whether they are the bone's own.
        local: (3, 3) the bone's axes as columns, world.
    """

    def __init__(self, *, local_first: bool = False) -> None:
        self._local_first = local_first
        self.letters, self.is_local = "", False
        self.local: Array = np.eye(3)

    def press(self, axis: str, *, plane: bool = False) -> None:
        """Keep to an axis, or to the plane across it; again: to the same one in the other axes; then free."""
        letters = AXES.replace(axis, "") if plane else axis
        if letters != self.letters:
            self.letters, self.is_local = letters, self._local_first
        elif self.is_local == self._local_first:
            self.is_local = not self.is_local
        else:
            self.release()

    def keep_to(self, axis: str) -> None:
        """Keep to an axis of the world."""
        self.letters, self.is_local = axis, False

    def release(self) -> None:
        """Keep to none."""
        self.letters = ""

    @property
    def axes(self) -> Array:
        """(3, 3) of the world or of the bone, as columns."""
        return self.local if self.letters and self.is_local else np.eye(3)

    @property
    def free(self) -> Array:
        """(3, n) those axes along which the point may move, as columns; without a lock all."""
        return self.axes[:, [AXES.index(letter) for letter in self.letters or AXES]]

    @property
    def axis(self) -> Array | None:
        """(3,) about which a turn goes: the one axis, or the one that is across the plane."""
        if not self.letters:
            return None
        letter = self.letters if len(self.letters) == 1 else self._across
        found: Array = self.axes[:, AXES.index(letter)]
        return found

    @property
    def text(self) -> str:
        """For the header: "along global X" or, of a plane, "locking local X"; "" without a lock."""
        if not self.letters:
            return ""
        space = "local" if self.is_local else "global"
        if len(self.letters) == 1:
            return f"along {space} {self.letters}"
        return f"locking {space} {self._across}"

    @property
    def _across(self) -> str:
        """Of a plane, the axis that is not in it."""
        return next(letter for letter in AXES if letter not in self.letters)
