# SPDX-License-Identifier: GPL-3.0-or-later
"""Rooms: closed surfaces that a figure is meant to stand in, as in a box of which only the walls count."""

from __future__ import annotations

import bpy
import numpy as np

from ..bridge.armature import Array
from ..bridge.space import Space, space_faults, space_of
from ..properties.access import rig_of
from .kept import kept_readers
from .surroundings import obstacles_of


def rooms_around(armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> set[str]:
    """Names of the objects among an armature's solid obstacles inside of which all of its bones are.

    What is read for it is kept for the next solve.

    Args:
        armature: the original object; depsgraph: evaluated.
    """
    shown = armature.evaluated_get(depsgraph)
    world = np.array(shown.matrix_world, dtype=float)
    if space_faults(armature.name, world) or not len(shown.pose.bones):
        return set()  # it cannot be solved as it stands, and will be told so
    space = space_of(armature.name, world)
    points = _joints(shown, space)
    meshes, _ = kept_readers().of(armature).read(obstacles_of(armature), armature, space, depsgraph)
    solid = [mesh for mesh in meshes if mesh.mode == "solid"]
    return {mesh.name for mesh in solid if (mesh.nearest(points).distance < 0.0).all()}


def make_two_sided(armature: bpy.types.Object, first: int, depsgraph: bpy.types.Depsgraph) -> list[str]:
    """Have those obstacles from a row on be two-sided that are rooms, or hold one; their names.

    Args:
        armature: the original object; first: the row; depsgraph: evaluated.
    """
    found, rooms = [], rooms_around(armature, depsgraph)
    for obstacle in rig_of(armature).obstacles[first:]:
        if any(thing.name in rooms for thing in obstacle.things):
            obstacle.mode = "TWO_SIDED"
            found.append(obstacle.shown_name)
    return found


def _joints(shown: bpy.types.Object, space: Space) -> Array:
    """(2 B, 3) both ends of all bones, figure space."""
    ends = np.empty((2, 3 * len(shown.pose.bones)), dtype=np.float32)
    for row, name in zip(ends, ("head", "tail"), strict=True):
        shown.pose.bones.foreach_get(name, row)
    return space.scale * ends.reshape(-1, 3).astype(float)
