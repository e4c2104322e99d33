# SPDX-License-Identifier: GPL-3.0-or-later
"""Which data Blender has evaluated since the last call; other data need not be read again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

import bpy

_SHAPES = (bpy.types.Object, bpy.types.Mesh, bpy.types.Armature)


@dataclass(frozen=True)
class Changes:
    """Full names of changed data; None if unknown, so that everything may have changed.

    Attributes:
        touched: names of all evaluated data; other objects are unchanged.
        reshaped: names of data whose geometry was evaluated; other surfaces are unchanged.
    """

    touched: frozenset[str] | None = frozenset()
    reshaped: frozenset[str] | None = frozenset()

    @classmethod
    def of(cls, depsgraph: bpy.types.Depsgraph | None) -> Self:
        """The changes that a handler receives; None for unknown changes, for example after an undo.

        If a scene or a collection has changed, anything may have changed: members of collections, visibility,
        parents.
        """
        if depsgraph is None:
            return cls(None, None)
        things = [(update.id.original, update.is_updated_geometry) for update in depsgraph.updates]
        every = {thing.name_full for thing, _ in things}
        known = bool(things) and all(isinstance(thing, _SHAPES) for thing, _ in things)
        reshaped = frozenset(thing.name_full for thing, geometry in things if geometry)
        return cls(frozenset(every) if known else None, reshaped)

    def then(self, later: Changes) -> Changes:
        """These changes combined with later ones."""
        touched = None if self.touched is None or later.touched is None else self.touched | later.touched
        known = self.reshaped is not None and later.reshaped is not None
        return Changes(
            touched, (self.reshaped or frozenset()) | (later.reshaped or frozenset()) if known else None
        )


UNKNOWN: Final = Changes(None, None)
"""Anything may have changed."""
