# SPDX-License-Identifier: GPL-3.0-or-later
"""Which object is under the mouse whose surface a figure can keep out of."""

from __future__ import annotations

from typing import Any, Final

import bpy
import numpy.typing as npt
from mathutils import Vector

from ..drag.view import Sight

_BEYOND: Final = 1e-4  # Blender units behind a surface, from where the ray goes on
_MOST: Final = 100  # surfaces of the figure itself that a ray passes


def surface_at(
    context: bpy.types.Context, armature: bpy.types.Object, sight: Sight, pixel: npt.ArrayLike
) -> bpy.types.Object | None:
    """The object in front at a place of a 3D view; the figure's own skin is looked through.

    Args:
        context: for the scene and what is visible in it.
        armature: of the figure.
        sight: how the region looks at the world.
        pixel: (2,) in it.
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
    """Whether an object goes with the figure: deformed by it, or parented to it."""
    parents = thing
    while parents is not None:
        if parents == armature:
            return True
        parents = parents.parent
    return thing.find_armature() == armature
