# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees over meshes, kept from one *Solve*, bake or drag to the next.

To build them is what takes longest about a large mesh. What is kept belongs to a handler, lives and ends with
it, and is given up when a file is loaded; it holds no Blender object. Meshes are compared with what was read
of them every time they are read, so nothing depends on being told of changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

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


def hand_to(handler: Callable[..., Any], readers: Readers) -> None:
    """Let a handler keep the readers for as long as it is one."""
    setattr(handler, _NAME, readers)


def kept_readers() -> Readers:
    """Those that a handler keeps; new ones where none does, as while the extension is not registered."""
    for handler in bpy.app.handlers.load_post:
        readers = getattr(handler, _NAME, None)
        if isinstance(readers, Readers):
            return readers
    return Readers()
