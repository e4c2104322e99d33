# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh cache: the trees of meshes, kept from one *Solve*, bake or drag to the next.

Building the tree takes most of the time of a large mesh. The cache holds no Blender object and ends when a
file is loaded. Meshes are compared with the cache at every reading, so it does not depend on notifications.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import bpy

if TYPE_CHECKING:
    from ...bridge.obstacles import ObstacleReader

_NAME: Final = "articulate_readers"


class Readers:
    """Readers of obstacles by armature."""

    def __init__(self) -> None:
        self._readers: dict[int, ObstacleReader] = {}

    def of(self, armature: bpy.types.Object) -> ObstacleReader:
        """The reader of an armature, with what it read last; those of deleted ones are given up."""
        from ...bridge.obstacles import ObstacleReader  # loads the library, which this module must not

        there = {thing.session_uid for thing in bpy.data.objects if thing.type == "ARMATURE"}
        for uid in self._readers.keys() - there:
            del self._readers[uid]
        return self._readers.setdefault(armature.session_uid, ObstacleReader())

    def forget(self, armature: bpy.types.Object | None = None) -> None:
        """Give up what is kept for an armature, or for all."""
        if armature is None:
            self._readers.clear()
        else:
            self._readers.pop(armature.session_uid, None)


def kept_readers() -> Readers:
    """Those in Blender's namespace for drivers, which Blender empties when a file is loaded."""
    kept = bpy.app.driver_namespace.get(_NAME)
    if not isinstance(kept, Readers):
        kept = bpy.app.driver_namespace[_NAME] = Readers()
    return kept


def drop_readers() -> None:
    """Discard them, as when the extension is disabled."""
    bpy.app.driver_namespace.pop(_NAME, None)
