# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets: where objects and bones of other armatures are in the world, and where that is in figure space."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import bpy
import numpy as np
import numpy.typing as npt

from .armature import Array
from .evaluated import require_kept_up
from .faults import FigureFault
from .space import Space, rotation_and_depth

_REVERSED: Final = np.array([1.0, -1.0, -1.0])  # columns: X is the cross product of Y and Z, so it stays


@dataclass(frozen=True)
class Target:
    """Places and orientations to reach, figure space.

    Attributes:
        position: (*b, 3) metres.
        rotation: (*b, 3, 3), scale and shear of the targets taken out.
    """

    position: Array
    rotation: Array


def world_matrix(
    target: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    subtarget: str = "",
) -> Array:
    """Where an object, or a bone of an armature, is in the world.

    Args:
        target: the object; original or evaluated.
        depsgraph: the evaluated scene; in a render it alone knows this frame.
        subtarget: name of a bone of an armature object, "" for the object itself.

    Returns:
        (4, 4).

    Raises:
        FigureFault: the object is switched off, or the bone does not exist.
    """
    require_kept_up(target, depsgraph, f"Target '{target.name}'")
    shown = target.evaluated_get(depsgraph)
    matrix = np.array(shown.matrix_world, dtype=float)
    if subtarget:
        bone = shown.pose.bones.get(subtarget) if shown.pose else None
        if bone is None:
            raise FigureFault(
                subtarget,
                f"Target bone '{subtarget}' does not exist in '{target.name}'; it was renamed or deleted.",
            )
        matrix = matrix @ np.array(bone.matrix, dtype=float)
    return matrix


def require_finite(matrices: Array, name_of: Callable[[int], str]) -> Array:
    """The world matrices (E, 4, 4) of targets, `name_of` giving the name of the one in a row.

    Raises:
        FigureFault: a transform is no number.
    """
    if not np.isfinite(matrices).all():
        name = name_of(int(np.argmin(np.isfinite(matrices).all((1, 2)))))
        raise FigureFault(
            name, f"The transform of target '{name}' holds a value that is not a finite number; clear it."
        )
    return matrices


def target_matrices(
    targets: Iterable[tuple[bpy.types.Object, str]],
    depsgraph: bpy.types.Depsgraph,
) -> Array:
    """World matrices (E, 4, 4) of targets, given as pairs of object and subtarget.

    Raises:
        FigureFault: as for `world_matrix` and `require_finite`.
    """
    pairs = list(targets)
    found = [world_matrix(target, depsgraph, bone) for target, bone in pairs]
    return require_finite(np.array(found).reshape(-1, 4, 4), lambda row: pairs[row][0].name)


def target_goals(space: Space, matrices: npt.ArrayLike) -> Target:
    """World matrices of targets in figure space.

    Args:
        space: where the armature object is.
        matrices: (*b, 4, 4), world. A mirrored one is turned as Blender's own constraints take it: all three
            axes are reversed. Where an axis is scaled to zero its direction is made up, the position is right
            anyway.
    """
    world = np.asarray(matrices, dtype=float)
    turn, depth = rotation_and_depth(world[..., :3, :3])
    if not (depth > 0).all():
        turn = np.where((depth < 0)[..., None, None], turn * _REVERSED, turn)
        turn = np.where(np.isfinite(depth)[..., None, None] & (depth != 0)[..., None, None], turn, np.eye(3))
    return Target(space.point_in(world[..., :3, 3]), space.rotation_in(turn))
