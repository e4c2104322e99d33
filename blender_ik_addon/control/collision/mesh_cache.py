# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh cache: the trees of meshes, reused by the next *Solve*, bake or drag.

Building the tree takes most of the time of a large mesh. The cache holds no Blender object and is cleared
when a file is loaded. At each read the meshes are compared with the cache, so it does not depend on
notifications.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import bpy

from ...properties.bone_names import all_armatures

if TYPE_CHECKING:
    from ...bridge.obstacles import ObstacleReader


class MeshCache:
    """Readers of obstacles, with their cached meshes, by session id of the armature."""

    readers: ClassVar[dict[int, ObstacleReader]] = {}

    @classmethod
    def reader(cls, armature: bpy.types.Object) -> ObstacleReader:
        """The reader of an armature. Readers of deleted armatures are discarded."""
        from ...bridge.obstacles import ObstacleReader  # loads the library, which this module must not

        there = {armature.session_uid for armature in all_armatures()}
        for uid in cls.readers.keys() - there:
            del cls.readers[uid]
        return cls.readers.setdefault(armature.session_uid, ObstacleReader())
