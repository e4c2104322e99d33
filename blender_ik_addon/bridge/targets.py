# SPDX-License-Identifier: GPL-3.0-or-later
"""Target transforms of objects and bones of other armatures, in world and figure space."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt

from .. import compat
from ..properties.refusal import Refused
from .armature import Array
from .evaluated import kept_up
from .space import Space, rotation_and_depth

_REVERSED: Final = np.array([1.0, -1.0, -1.0])  # columns; X keeps its sign as the cross product of Y and Z


@dataclass(frozen=True)
class Target:
    """Target positions and orientations, figure space.

    Attributes:
        position: (*b, 3) metres.
        rotation: (*b, 3, 3), without the targets' scale and shear.
    """

    position: Array
    rotation: Array


def transform(target: bpy.types.Object, depsgraph: bpy.types.Depsgraph, subtarget: str = "") -> Any:
    """The world transform of an object or of an armature's bone.

    Objects give Blender's own matrix, because converting several at once to numpy takes half the time.

    Args:
        target: the object; original or evaluated.
        depsgraph: evaluated; in a render, only this has the present frame.
        subtarget: name of a bone of an armature object, "" for the object itself.

    Returns:
        A Blender matrix, or an array (4, 4).

    Raises:
        Refused: the object is disabled, or the bone does not exist.
    """
    shown = kept_up(target, depsgraph, "Target")
    if not subtarget:
        return shown.matrix_world
    bone = shown.pose.bones.get(subtarget) if shown.pose else None
    if bone is None:
        raise Refused(
            f"Target bone '{subtarget}' does not exist in '{target.name}'; it was renamed or deleted."
        )
    return np.array(shown.matrix_world, dtype=float) @ np.array(bone.matrix, dtype=float)


def as_matrices(transforms: Sequence[Any]) -> Array:
    """Convert transforms from `transform` to one array (E, 4, 4)."""
    if compat.MATRICES_ARE_BUFFERS:
        return np.array(transforms, dtype=float).reshape(-1, 4, 4)
    # single numbers, because numpy queries a matrix several times, which takes five times as long
    numbers = chain.from_iterable(chain.from_iterable(transforms))
    return np.fromiter(numbers, dtype=float, count=16 * len(transforms)).reshape(-1, 4, 4)


def require_finite(matrices: Array, name_of: Callable[[int], str]) -> Array:
    """Check world matrices (E, 4, 4) of targets; `name_of` gives the name for a row.

    Raises:
        Refused: a transform is not finite.
    """
    values = matrices.ravel()
    if not isfinite(values.dot(values)):  # finite numbers of Blender can be squared without overflow
        name = name_of(int(np.argmin(np.isfinite(matrices).all((1, 2)))))
        raise Refused(f"The transform of target '{name}' must consist of finite numbers; clear it.")
    return matrices


def target_matrices(
    targets: Iterable[tuple[bpy.types.Object, str]],
    depsgraph: bpy.types.Depsgraph,
) -> Array:
    """World matrices (E, 4, 4) of targets, given as pairs of object and subtarget.

    Raises:
        Refused: see `transform` and `require_finite`.
    """
    pairs = list(targets)
    found = [transform(target, depsgraph, bone) for target, bone in pairs]
    return require_finite(as_matrices(found), lambda row: pairs[row][0].name)


def target_goals(space: Space, matrices: npt.ArrayLike) -> Target:
    """Convert world matrices of targets to figure space.

    Args:
        space: of the armature object.
        matrices: (*b, 4, 4), world. In mirrored ones all three axes are reversed, as in Blender's own
            constraints. An axis that is scaled to zero gets an arbitrary direction; the position is still
            correct.
    """
    world = np.asarray(matrices, dtype=float)
    turn, depth = rotation_and_depth(world[..., :3, :3])
    if not (depth > 0).all():
        turn = np.where((depth < 0)[..., None, None], turn * _REVERSED, turn)
        turn = np.where(np.isfinite(depth)[..., None, None] & (depth != 0)[..., None, None], turn, np.eye(3))
    return Target(space.point_in(world[..., :3, 3]), space.rotation_in(turn))
