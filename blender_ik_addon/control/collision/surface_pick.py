# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the object under the mouse that can be an obstacle."""

from __future__ import annotations

from typing import Any, Final

import bpy
import numpy.typing as npt
from mathutils import Vector

from ..drag.view import Sight

_BEYOND: Final = 1e-4  # Blender units behind a surface, where the ray continues
_MOST: Final = 100  # maximum number of the figure's own surfaces that a ray passes through


def surface_at(
    context: bpy.types.Context, armature: bpy.types.Object, sight: Sight, pixel: npt.ArrayLike
) -> bpy.types.Object | None:
    """The frontmost object at a pixel of a 3D view, ignoring the figure's own skin.

    Args:
        context: for the scene and its visible objects.
        armature: of the figure.
        sight: the view of the region.
        pixel: (2,) in the region.
    """
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
    parents = thing
    while parents is not None:
        if parents == armature:
            return True
        parents = parents.parent
    return thing.find_armature() == armature
