# SPDX-License-Identifier: GPL-3.0-or-later
"""The transforms of the armature object and of targets, between world space and figure space.

The figure is solved in figure space: armature space in metres, without the object's rotation and translation,
but with its uniform scale. So a rig in centimetres (object scale 0.01) is solved in metres like any other.
Tolerances and errors mean the same on every rig, and an armature on a moving object needs no special
treatment.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt

from ..properties.refusal import Refused, require
from .armature import Array
from .evaluated import kept_up

_UNIFORM: Final = 1e-4  # relative; rotated parents cause about 1e-7 in single precision
_ON_ITS_SIDE: Final = 0.1  # minimum share of the up direction in the armature's YZ plane
_REVERSED: Final = np.array([1.0, -1.0, -1.0])  # columns; X keeps its sign as the cross product of Y and Z


@dataclass(frozen=True)
class Space:
    """Transform of an armature object.

    Attributes:
        rotation: (3, 3), from figure to world space.
        translation: (3,) metres, world.
        scale: metres per Blender unit of the armature.
    """

    rotation: Array
    translation: Array
    scale: float

    def point_in(self, world: npt.ArrayLike) -> Array:
        """Convert points (..., 3) from world to figure space."""
        away = np.asarray(world, dtype=float) - self.translation
        return np.asarray(away.dot(self.rotation))

    def point_out(self, figure: npt.ArrayLike) -> Array:
        """Convert points (..., 3) from figure to world space."""
        return np.asarray(figure, dtype=float) @ self.rotation.T + self.translation

    def rotation_in(self, world: npt.ArrayLike) -> Array:
        """Convert rotations (..., 3, 3) from world to figure space."""
        return self.rotation.T @ np.asarray(world, dtype=float)

    def rotation_out(self, figure: npt.ArrayLike) -> Array:
        """Convert rotations (..., 3, 3) from figure to world space."""
        return self.rotation @ np.asarray(figure, dtype=float)

    def frame_in(self, world: Array) -> Array:
        """Convert a transform (4, 4) from world to figure space."""
        return frame(self.rotation_in(world[:3, :3]), self.point_in(world[:3, 3]))

    def frame_out(self, rotation: npt.ArrayLike, point: npt.ArrayLike) -> Array:
        """World transform (4, 4) of a rotation (3, 3) and a point (3,) in figure space."""
        return frame(self.rotation_out(rotation), self.point_out(point))


def frame(rotation: Array, point: Array) -> Array:
    """A transform (4, 4)."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = rotation, point
    return out


def space_refusals(name: str, matrix: Array) -> Iterator[Refused]:
    """Why an armature object with a name cannot be solved with its world matrix (4, 4)."""
    if not np.isfinite(matrix).all():
        yield Refused(f"The transform of '{name}' must consist of finite numbers; clear it.")
        return
    axes = matrix[:3, :3]
    # plain numbers, because this runs in every frame, and numpy calls are slower for nine of them
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = (axes.T @ axes).tolist()
    least, most = min(xx, yy, zz), max(xx, yy, zz)
    if least <= 1e-18 * max(1.0, most):
        yield Refused(f"Armature '{name}' is scaled to zero; give it a scale.")
    elif most > least * (1.0 + _UNIFORM) ** 2:
        shown = ", ".join(f"{square**0.5:.6g}" for square in (xx, yy, zz))
        yield Refused(
            f"Armature '{name}' is scaled unevenly in the world ({shown}); "
            "apply its scale and that of its parents, or make them uniform."
        )
    elif max(abs(xy), abs(xz), abs(yz)) > _UNIFORM * most:
        yield Refused(f"Armature '{name}' is sheared by its parents; make their scale uniform.")
    elif volume(axes.tolist()) < 0:
        yield Refused(f"Armature '{name}' is mirrored by a negative scale, its own or a parent's; apply it.")


def read_space(armature: bpy.types.Object) -> Space:
    """The space of an armature object, see `space_of`; pass the evaluated one for the pose that is shown."""
    return space_of(armature.name, np.array(armature.matrix_world, dtype=float))


def space_of(name: str, matrix: Array) -> Space:
    """The space for the world matrix (4, 4) of an armature object with a name; refused as in `read_space`."""
    require(space_refusals(name, matrix))
    scale = volume(matrix[:3, :3].tolist()) ** (1.0 / 3.0)
    return Space(nearest_rotation(matrix[:3, :3]), matrix[:3, 3].copy(), scale)


def upward(armature: bpy.types.Object) -> Array:
    """(3,) world up in armature space, not normalised; the armature's own Z if its scale is zero."""
    found = np.array(armature.matrix_world, dtype=float)[2, :3]
    return found if found.any() else np.array([0.0, 0.0, 1.0])


def upward_in_the_middle(armature: bpy.types.Object) -> Array:
    """The same in the YZ plane, so that it is equal for both sides, unless the armature lies on its side."""
    up = upward(armature)
    found = up * (0.0, 1.0, 1.0)
    return up if np.linalg.norm(found) < _ON_ITS_SIDE * np.linalg.norm(up) else found


def volume(axes: Iterable[Iterable[float]]) -> float:
    """Determinant of (3, 3), in plain numbers."""
    (a, b, c), (d, e, f), (g, h, i) = axes
    return float(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))


def transposed(frames: Array) -> Array:
    """Transposed matrices (..., 3, 3), the inverse rotations."""
    return frames.swapaxes(-1, -2)


def applied(matrices: Array, vectors: Array) -> Array:
    """Products of (..., 3, 3) and (..., 3)."""
    return np.asarray((matrices @ vectors[..., None])[..., 0])


def nearest_rotation(matrix: npt.ArrayLike) -> Array:
    """Rotations of matrices (..., 3, 3) that may be scaled and sheared; see `rotation_and_depth`."""
    return rotation_and_depth(matrix)[0]


def rotation_and_depth(matrix: npt.ArrayLike) -> tuple[Array, Array]:
    """Rotations of matrices (..., 3, 3) that may be scaled and sheared, and a depth (...) of each.

    Y keeps its direction, Z is made perpendicular to it, X is their cross product. The depth is the component
    of column x along the new X: positive for valid, negative for mirrored, zero or NaN for flat, and NaN or
    infinite for non-finite matrices. None of these causes a warning.
    """
    m = np.asarray(matrix, dtype=float)
    # components first, because the time depends on the number of numpy calls
    x, y, z = m.reshape(-1, 3, 3).transpose(2, 1, 0)
    out = np.empty((y.shape[1], 3, 3))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        y = y / np.sqrt(_dot(y, y))
        z = z - y * _dot(y, z)
        z = z / np.sqrt(_dot(z, z))
        (y0, y1, y2), (z0, z1, z2) = y, z
        out[:, 0, 0], out[:, 1, 0], out[:, 2, 0] = y1 * z2 - y2 * z1, y2 * z0 - y0 * z2, y0 * z1 - y1 * z0
        depth = _dot(x, out[:, :, 0].T)
    out[:, :, 1], out[:, :, 2] = y.T, z.T
    return out.reshape(m.shape), depth.reshape(m.shape[:-2])


def _dot(a: Array, b: Array) -> Array:
    """Dot products of (3, N) and (3, N); (N,)."""
    return np.asarray(np.einsum("in,in->n", a, b))


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
    """The world transform of an object or of an armature's bone, a Blender matrix or an array (4, 4).

    Objects give Blender's own matrix, because converting several at once to numpy takes half the time. In a
    render, only the depsgraph has the present frame.
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


def target_matrices(transforms: Sequence[Any], name_of: Callable[[int], str]) -> Array:
    """Convert world transforms of targets, see `transform`, to one array (E, 4, 4).

    `name_of` gives the name of the target in a row, for the refusal of one that is not finite.
    """
    # single numbers: up to Blender 4.5, numpy queries a matrix several times, which takes five times as long
    numbers = chain.from_iterable(chain.from_iterable(transforms))
    values = np.fromiter(numbers, dtype=float, count=16 * len(transforms))
    matrices = values.reshape(-1, 4, 4)
    if not isfinite(values.dot(values)):  # finite numbers of Blender can be squared without overflow
        name = name_of(int(np.argmin(np.isfinite(matrices).all((1, 2)))))
        raise Refused(f"The transform of target '{name}' must consist of finite numbers; clear it.")
    return matrices


def target_goals(space: Space, matrices: npt.ArrayLike) -> Target:
    """Convert world matrices (*b, 4, 4) of targets to figure space.

    In mirrored ones all three axes are reversed, as in Blender's own constraints. An axis that is scaled to
    zero gets an arbitrary direction; the position is still correct.
    """
    world = np.asarray(matrices, dtype=float)
    turn, depth = rotation_and_depth(world[..., :3, :3])
    if not (depth > 0).all():
        turn = np.where((depth < 0)[..., None, None], turn * _REVERSED, turn)
        turn = np.where(np.isfinite(depth)[..., None, None] & (depth != 0)[..., None, None], turn, np.eye(3))
    return Target(space.point_in(world[..., :3, 3]), space.rotation_in(turn))
