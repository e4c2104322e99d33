# SPDX-License-Identifier: GPL-3.0-or-later
"""Axis constraints of a drag by the keys X, Y and Z, as in Blender's own tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from ..bridge.armature import Array

AXES: Final = "XYZ"


class AxisLock:
    """The allowed directions: all, one axis, or a plane; in world or bone axes.

    Args:
        local_first: whether the first press of a key chooses the bone's axes, see the scene's transform
            orientation.

    Attributes:
        letters: the allowed axes, for example "", "Z", or "XY"; "" for all.
        is_local: whether they are the bone's axes.
        local: (3, 3) the bone's axes as columns, world.
    """

    def __init__(self, *, local_first: bool = False) -> None:
        self._local_first = local_first
        self.letters, self.is_local = "", False
        self.local: Array = np.eye(3)

    def press(self, axis: str, *, plane: bool = False) -> None:
        """Cycle an axis or plane: first space, other space, free."""
        letters = AXES.replace(axis, "") if plane else axis
        if letters != self.letters:
            self.letters, self.is_local = letters, self._local_first
        elif self.is_local == self._local_first:
            self.is_local = not self.is_local
        else:
            self.release()

    def keep_to(self, axis: str) -> None:
        """Constrain to an axis of the world."""
        self.letters, self.is_local = axis, False

    def release(self) -> None:
        """Remove the constraint."""
        self.letters = ""

    @property
    def axes(self) -> Array:
        """(3, 3) axes of the world or of the bone, as columns."""
        return self.local if self.letters and self.is_local else np.eye(3)

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
        found: Array = self.axes[:, AXES.index(letter)]
        return found

    @property
    def text(self) -> str:
        """Text for the header: "along global X", for a plane "locking local X"; "" without a constraint."""
        if not self.letters:
            return ""
        space = "local" if self.is_local else "global"
        if len(self.letters) == 1:
            return f"along {space} {self.letters}"
        return f"locking {space} {self._across}"

    @property
    def _across(self) -> str:
        """The normal axis of a plane."""
        return next(letter for letter in AXES if letter not in self.letters)
