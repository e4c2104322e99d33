# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh cache: the trees of meshes, reused by the next *Solve*, bake or drag.

Building the tree takes most of the time of a large mesh. The cache holds no Blender object and is cleared
when a file is loaded. At each read the meshes are compared with the cache, so it does not depend on
notifications.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import bpy
from bpy.app.handlers import persistent

from ...properties.bone_names import all_armatures

if TYPE_CHECKING:
    from ...bridge.obstacles import ObstacleReader


class Readers:
    """Readers of obstacles by armature."""

    def __init__(self) -> None:
        self._readers: dict[int, ObstacleReader] = {}

    def of(self, armature: bpy.types.Object) -> ObstacleReader:
        """The reader of an armature, with its cached meshes. Readers of deleted armatures are discarded."""
        from ...bridge.obstacles import ObstacleReader  # loads the library, which this module must not

        there = {armature.session_uid for armature in all_armatures()}
        for uid in self._readers.keys() - there:
            del self._readers[uid]
        return self._readers.setdefault(armature.session_uid, ObstacleReader())

    @persistent
    def forget_all(self, *_args: object) -> None:
        """Discard all readers; the handler for loading a file."""
        self._readers.clear()

    def forget(self, armature: bpy.types.Object) -> None:
        """Discard the reader of an armature."""
        self._readers.pop(armature.session_uid, None)


def keep_readers() -> None:
    """Start the cache: it is stored in Blender's list of handlers, and loading a file clears it.

    It is not stored in `bpy.app.driver_namespace`: after any access to that, Blender 4.5 as a Python module
    does not exit.
    """
    bpy.app.handlers.load_post.append(Readers().forget_all)


def kept_readers() -> Readers:
    """The cached readers; new ones if there is no cache because the extension is disabled."""
    return next(filter(None, map(_owner, bpy.app.handlers.load_post)), None) or Readers()


def drop_readers() -> None:
    """Stop the cache."""
    for handler in [handler for handler in bpy.app.handlers.load_post if _owner(handler) is not None]:
        bpy.app.handlers.load_post.remove(handler)


def _owner(handler: Callable[..., object]) -> Readers | None:
    owner = getattr(handler, "__self__", None)
    return owner if isinstance(owner, Readers) else None
