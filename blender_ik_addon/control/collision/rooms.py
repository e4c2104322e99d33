# SPDX-License-Identifier: GPL-3.0-or-later
"""Rooms, sets and walls that a figure sees from behind: there both sides count, and nobody is put outside.

A room is mostly a box whose faces look outward, with the figure in it, and often without its front; a floor
or a backdrop may lie with its face down.
"""

from __future__ import annotations

import bpy
import numpy as np

from ...bridge.armature import Array
from ...bridge.space import Space, space_faults, space_of
from ...properties.access import rig_of
from .mesh_cache import kept_readers
from .surroundings import obstacles_of


def make_two_sided(armature: bpy.types.Object, first: int, depsgraph: bpy.types.Depsgraph) -> list[str]:
    """Have those obstacles from a row on be two-sided that have most of the figure behind them; their names.

    Args:
        armature: the original object; first: the row; depsgraph: evaluated.
    """
    names, found = seen_from_behind(armature, depsgraph), []
    for obstacle in rig_of(armature).obstacles[first:]:
        if any(thing.name in names for thing in obstacle.things):
            obstacle.mode = "TWO_SIDED"
            found.append(obstacle.shown_name)
    return found


def seen_from_behind(armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> set[str]:
    """Names of the objects among an armature's obstacles inside of which, or behind which, most of it is.

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
    return {mesh.name for mesh in meshes if np.median(mesh.nearest(points).distance) < 0.0}


def _joints(shown: bpy.types.Object, space: Space) -> Array:
    """(2 B, 3) both ends of all bones, figure space."""
    ends = np.empty((2, 3 * len(shown.pose.bones)), dtype=np.float32)
    for row, name in zip(ends, ("head", "tail"), strict=True):
        shown.pose.bones.foreach_get(name, row)
    return space.scale * ends.reshape(-1, 3).astype(float)
