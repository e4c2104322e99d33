# SPDX-License-Identifier: GPL-3.0-or-later
"""Detects rooms, sets and walls that a figure is behind or inside of, and makes them two-sided.

A room is often a box with outward faces and the figure inside, possibly without a front wall. A floor or
backdrop may face down. As solid obstacles they would push the figure out.
"""

from __future__ import annotations

import bpy
import numpy as np

from ...bridge.armature import Array
from ...bridge.space import Space, space_of, space_refusals
from ...properties.access import rig_of
from .mesh_cache import kept_readers
from .surroundings import obstacles_of


def make_two_sided(armature: bpy.types.Object, first: int, depsgraph: bpy.types.Depsgraph) -> list[str]:
    """Make obstacles two-sided if most of the figure is behind their faces; their names.

    Args:
        armature: the original object; first: index of the first obstacle to check; depsgraph: evaluated.
    """
    names, found = seen_from_behind(armature, depsgraph), []
    for obstacle in rig_of(armature).obstacles[first:]:
        if any(thing.name in names for thing in obstacle.things):
            obstacle.mode = "TWO_SIDED"
            found.append(obstacle.shown_name)
    return found


def seen_from_behind(armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> set[str]:
    """Names of the obstacle objects that most of the armature is inside of or behind.

    The meshes that this reads are cached for the next solve.

    Args:
        armature: the original object; depsgraph: evaluated.
    """
    shown = armature.evaluated_get(depsgraph)
    world = np.array(shown.matrix_world, dtype=float)
    if any(space_refusals(armature.name, world)) or not len(shown.pose.bones):
        return set()  # the solve refuses such an armature with a message
    space = space_of(armature.name, world)
    points = _joints(shown, space)
    meshes, _ = kept_readers().of(armature).read(obstacles_of(armature), armature, space, depsgraph)
    return {mesh.name for mesh in meshes if np.median(mesh.nearest(points).distance) < 0.0}


def _joints(shown: bpy.types.Object, space: Space) -> Array:
    """(2 B, 3) heads and tails of all bones, figure space."""
    ends = np.empty((2, 3 * len(shown.pose.bones)), dtype=np.float32)
    for row, name in zip(ends, ("head", "tail"), strict=True):
        shown.pose.bones.foreach_get(name, row)
    return space.scale * ends.reshape(-1, 3).astype(float)
