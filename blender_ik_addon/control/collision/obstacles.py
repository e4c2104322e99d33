# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds and removes obstacles: changes data only, without context or selection.

A room, set or wall that the figure is behind or inside of is made two-sided. A room is often a box with
outward faces and the figure inside, possibly without a front wall. A floor or backdrop may face down. As
solid obstacles they would push the figure out.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np

from ...bridge.armature import Array
from ...bridge.skin import is_deformed
from ...bridge.space import Space, space_of, space_refusals
from ...properties.access import rig_of
from ...properties.obstacle import has_surface
from ...properties.refusal import Refused
from ..rig.items import free_name, remove_or_switch_off
from .mesh_cache import kept_readers
from .surroundings import obstacles_of


def add_obstacles(
    armature: bpy.types.Object,
    things: Iterable[bpy.types.Object | bpy.types.Collection],
    *,
    mode: str = "SOLID",
    margin: float = 0.0,
) -> None:
    """Add obstacles to an armature; adds none if one is refused.

    Args:
        armature: the original armature object.
        things: objects with a surface, or collections.
        mode, margin: see `properties.obstacle`.

    Raises:
        Refused: one of the things cannot be an obstacle, or already is one.
    """
    rig, chosen = rig_of(armature), list(things)
    require_obstacles(armature, chosen)
    for thing in chosen:
        obstacle = rig.obstacles.add()
        obstacle.name = free_name(rig.obstacles, thing.name)
        if isinstance(thing, bpy.types.Collection):
            obstacle.collection = thing
        else:
            obstacle.object = thing
        obstacle.mode, obstacle.margin = mode, margin
    rig.active_obstacle = max(0, len(rig.obstacles) - 1)


def require_obstacles(
    armature: bpy.types.Object, things: Iterable[bpy.types.Object | bpy.types.Collection]
) -> None:
    """Check that things can become obstacles of an armature.

    Raises:
        Refused: one of the things cannot be an obstacle, or already is one.
    """
    for thing in things:
        for other in rig_of(armature).obstacles:
            if thing in (other.object, other.collection):
                raise Refused(f"'{thing.name}' is an obstacle of '{armature.name}' already: '{other.name}'")
        if isinstance(thing, bpy.types.Collection):
            continue
        if thing is armature:
            raise Refused(f"Armature '{armature.name}' cannot be an obstacle to itself: use Self-Collision")
        if not has_surface(thing):
            raise Refused(
                f"Object '{thing.name}' has no surface: choose a mesh, curve, text or metaball, or an"
                " instance of a collection that contains one"
            )
        if is_deformed(thing, armature):
            raise Refused(
                f"Object '{thing.name}' is moved by '{armature.name}' itself, so it cannot be an obstacle:"
                " fit the body to it instead"
            )


def remove_obstacle(armature: bpy.types.Object, name: str) -> str:
    """Remove an obstacle from the list; the object is kept.

    Args:
        armature: the original armature object.
        name: of the list item, or the present name of its object.

    Returns:
        A sentence if it comes from a library and was disabled instead of removed, else "".

    Raises:
        Refused: there is no such obstacle, or it comes from a library and is already disabled.
    """
    rig = rig_of(armature)
    index = rig.obstacles.find(name)
    if index < 0:
        shown = [obstacle.shown_name for obstacle in rig.obstacles]
        index = shown.index(name) if name in shown else -1
    if index < 0:
        known = ", ".join(f"'{obstacle.name}'" for obstacle in rig.obstacles) or "none"
        raise Refused(f"Armature '{armature.name}' has no obstacle '{name}'; it has: {known}")
    off = remove_or_switch_off(armature, rig.obstacles, [index], "Obstacle")
    rig.active_obstacle = max(0, min(rig.active_obstacle, len(rig.obstacles) - 1))
    return off


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
