# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh cache: the trees of meshes, kept from one *Solve*, bake or drag to the next.

Building the tree takes most of the time of a large mesh. The cache holds no Blender object and ends when a
file is loaded. Meshes are compared with the cache at every reading, so it does not depend on notifications.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import bpy
from bpy.app.handlers import persistent

if TYPE_CHECKING:
    from ...bridge.obstacles import ObstacleReader


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

    @persistent
    def forget_all(self, *_args: object) -> None:
        """Give up all that is kept; the handler of a load."""
        self._readers.clear()

    def forget(self, armature: bpy.types.Object) -> None:
        """Give up what is kept for an armature."""
        self._readers.pop(armature.session_uid, None)


def keep_readers() -> None:
    """Keep readers from now on: they live in Blender's list of handlers, and a load empties them.

    Not in `bpy.app.driver_namespace`: once that was touched, Blender 4.5 as a Python module never ends.
    """
    bpy.app.handlers.load_post.append(Readers().forget_all)


def kept_readers() -> Readers:
    """Those that are kept; new ones while none are, as when the extension is disabled."""
    return next(filter(None, map(_owner, bpy.app.handlers.load_post)), None) or Readers()


def drop_readers() -> None:
    """Keep none any more."""
    for handler in [handler for handler in bpy.app.handlers.load_post if _owner(handler) is not None]:
        bpy.app.handlers.load_post.remove(handler)


def _owner(handler: Callable[..., object]) -> Readers | None:
    owner = getattr(handler, "__self__", None)
    return owner if isinstance(owner, Readers) else None
