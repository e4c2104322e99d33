# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds, removes and finds obstacles: changes data only, without context or selection.

A room, set or wall that the figure is behind or inside of is made two-sided. A room is often a box with
outward faces and the figure inside, possibly without a front wall. A floor or backdrop may face down. As
solid obstacles they would push the figure out.
"""

from collections.abc import Iterable
from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Vector

from ikmath.collision import TriangleMesh

from ...bridge.armature import Array, read_all
from ...bridge.evaluated import with_parents
from ...bridge.item_animation import free_name, remove_or_switch_off
from ...bridge.skin import is_deformed
from ...bridge.space import space_of, space_refusals
from ...properties.access import rig_of
from ...properties.obstacle import has_surface
from ...properties.refusal import Refused
from ..drag.view import Sight
from .mesh_cache import MeshCache
from .surroundings import obstacles_of

_BEYOND: Final = 1e-4  # Blender units behind a surface, where the ray continues
_MOST: Final = 100  # maximum number of the figure's own surfaces that a ray passes through


def add_obstacles(
    armature: bpy.types.Object,
    things: Iterable[bpy.types.Object | bpy.types.Collection],
    *,
    mode: str = "SOLID",
    margin: float = 0.0,
) -> None:
    """Add objects or collections as obstacles; adds none if one is refused, see `require_obstacles`."""
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
    """Refuse if one of some things cannot become an obstacle of an armature, or already is one."""
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
    """Remove an obstacle, given by its name or that of its object, from the list; the object is kept.

    See `remove_or_switch_off`; refused if there is no such obstacle.
    """
    rig = rig_of(armature)
    index = rig.obstacles.find(name)
    if index < 0:
        shown = [obstacle.shown_name for obstacle in rig.obstacles]
        index = shown.index(name) if name in shown else -1
    if index < 0:
        known = ", ".join(f"'{obstacle.name}'" for obstacle in rig.obstacles) or "none"
        raise Refused(f"Armature '{armature.name}' has no obstacle '{name}'; it has: {known}")
    shown_name = f"'{rig.obstacles[index].shown_name}'"
    rig.body.notes = "\n".join(note for note in rig.body.notes.splitlines() if shown_name not in note)
    return remove_or_switch_off(rig, "obstacles", [index], "Obstacle")


def look_at_added(
    armature: bpy.types.Object, first: int, depsgraph: bpy.types.Depsgraph
) -> tuple[list[str], list[str]]:
    """Read the obstacles; sentences on those that are newly ignored, and names of some from `first` on.

    The latter have most of the figure behind their faces. The meshes are cached for the next solve.
    """
    shown, rig = armature.evaluated_get(depsgraph), rig_of(armature)
    world = np.array(shown.matrix_world, dtype=float)
    if any(space_refusals(armature.name, world)) or not len(shown.pose.bones):
        return [], []  # the solve refuses such an armature with a message
    space = space_of(armature.name, world)
    ends = [read_all(shown.pose.bones, end, 3) for end in ("head", "tail")]
    points = space.scale * np.concatenate(ends).astype(float)
    meshes, ignored = MeshCache.reader(armature).read(obstacles_of(armature), armature, space, depsgraph)
    known, rig.body.notes = rig.body.notes.splitlines(), "\n".join(ignored)
    added = {thing.name: one.name for one in rig.obstacles[first:] for thing in one.things}
    around = [mesh for mesh in meshes if mesh.name in added and _is_around(mesh, points)]
    told = [sentence for sentence in ignored if sentence not in known]
    return told, list(dict.fromkeys(added[mesh.name] for mesh in around))


def _is_around(mesh: TriangleMesh, points: Array) -> bool:
    """Whether most of some points (P, 3) are behind the faces of a mesh."""
    center, radius = mesh.bounds
    away = points - center
    if mesh.mode == "solid" and np.median((away * away).sum(1)) > radius * radius:
        return False  # most are outside; quick, for an obstacle of thousands of instances
    return bool(np.median(mesh.nearest(points).distance) < 0.0)


def surface_at(
    context: bpy.types.Context, armature: bpy.types.Object, sight: Sight, pixel: npt.ArrayLike
) -> bpy.types.Object | None:
    """The frontmost object at a pixel (2,) of a 3D view, ignoring the figure's own skin."""
    near, along = sight.ray(pixel)
    origin, direction = Vector(near.tolist()), Vector(along.tolist())
    depsgraph = context.evaluated_depsgraph_get()
    for _surface in range(_MOST):
        hit, place, _normal, _face, thing, _matrix = context.scene.ray_cast(depsgraph, origin, direction)
        if not hit:
            return None
        found: Any = thing.original
        if not is_worn(found, armature):
            return found
        origin = place + _BEYOND * direction
    return None


def is_worn(thing: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Whether an object belongs to the figure: deformed by it, or parented to it."""
    return armature in with_parents(thing) or thing.find_armature() == armature
