# SPDX-License-Identifier: GPL-3.0-or-later
"""Where things will be that hang from bones whose new pose Blender has not evaluated yet.

A handler may write a pose but not have it evaluated. Whoever follows what hangs from that pose, in the same
call, has to know where it is going: what hangs rigidly moves as the bone does that it hangs from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import bpy
import numpy as np

from .armature import Array


@dataclass(frozen=True)
class Posed:
    """An armature with a new pose, or in a new place.

    Attributes:
        index: name -> number of the bones.
        world: (4, 4) of the object and matrix: (B, 4, 4) of its bones, as evaluated.
        new_world, new_matrix: as they will be.
    """

    index: Mapping[str, int]
    world: Array
    matrix: Array
    new_world: Array
    new_matrix: Array

    def carry(self, bone: str) -> Array:
        """(4, 4) by which to multiply the world matrix of what hangs from a bone, or "" from the object."""
        if bone not in self.index:
            return self.new_world @ np.linalg.inv(self.world)
        number = self.index[bone]
        moved: Array = self.new_world @ self.new_matrix[number]
        return moved @ np.linalg.inv(self.world @ self.matrix[number])


Leaders = Mapping[int, Posed]
"""Armatures with new poses, by their session ids."""

NOBODY: Final[Leaders] = MappingProxyType({})


def carried(thing: bpy.types.Object, leaders: Leaders) -> Array | None:
    """(4, 4) by which to multiply the world matrix of an object; None where no armature carries it along."""
    while leaders and thing.parent is not None:
        leader = leaders.get(thing.parent.original.session_uid)
        if leader is not None:
            return leader.carry(thing.parent_bone if thing.parent_type == "BONE" else "")
        thing = thing.parent
    return None


def new_world(shown: bpy.types.Object, leaders: Leaders) -> Array:
    """(4, 4) where an evaluated object will be."""
    matrix = np.array(shown.matrix_world, dtype=float)
    moved = carried(shown, leaders)
    return matrix if moved is None else moved @ matrix


def new_bone(shown: bpy.types.Object, bone: bpy.types.PoseBone, leaders: Leaders) -> Array:
    """(4, 4) where a bone of an evaluated object will be, in the space of that object."""
    leader = leaders.get(shown.original.session_uid)
    return (
        np.array(bone.matrix, dtype=float) if leader is None else leader.new_matrix[leader.index[bone.name]]
    )
