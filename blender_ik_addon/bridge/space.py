# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the armature object is: between the world and the space in which its figure is solved.

Figure space is armature space in metres: the object's rotation and translation are taken away, its uniform
scale stays in the lengths. So a rig of centimetres (object scale 0.01) is solved in metres like any other,
tolerances and errors mean the same on every rig, and an armature that rides on a moving object needs nothing
special.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import bpy
import numpy as np
import numpy.typing as npt

from .armature import Array
from .faults import Fault, require

_UNIFORM: Final = 1e-4  # relative; rotated parents leave a few 1e-7 in single precision


@dataclass(frozen=True)
class Space:
    """An armature object's place in the world.

    Attributes:
        rotation: (3, 3), world from figure.
        translation: (3,) metres, world.
        scale: metres per Blender unit of the armature.
    """

    rotation: Array
    translation: Array
    scale: float

    def point_in(self, world: npt.ArrayLike) -> Array:
        """Points of the world in figure space; (..., 3)."""
        return (np.asarray(world, dtype=float) - self.translation) @ self.rotation

    def point_out(self, figure: npt.ArrayLike) -> Array:
        """Points of figure space in the world; (..., 3)."""
        return np.asarray(figure, dtype=float) @ self.rotation.T + self.translation

    def vector_in(self, world: npt.ArrayLike) -> Array:
        """Directions and displacements of the world in figure space; (..., 3)."""
        return np.asarray(world, dtype=float) @ self.rotation

    def vector_out(self, figure: npt.ArrayLike) -> Array:
        """Directions and displacements of figure space in the world; (..., 3)."""
        return np.asarray(figure, dtype=float) @ self.rotation.T

    def rotation_in(self, world: npt.ArrayLike) -> Array:
        """Rotations of the world in figure space; (..., 3, 3)."""
        return self.rotation.T @ np.asarray(world, dtype=float)

    def rotation_out(self, figure: npt.ArrayLike) -> Array:
        """Rotations of figure space in the world; (..., 3, 3)."""
        return self.rotation @ np.asarray(figure, dtype=float)


def space_faults(name: str, matrix: Array) -> tuple[Fault, ...]:
    """What keeps an armature object's world matrix (4, 4) from being used.

    Args:
        name: of the object, for the sentences.
        matrix: (4, 4) world matrix.
    """
    if not np.isfinite(matrix).all():
        return (
            Fault(name, f"The transform of '{name}' holds a value that is not a finite number; clear it."),
        )
    lengths = np.sqrt((matrix[:3, :3] ** 2).sum(0))
    if lengths.min() <= 1e-9 * max(1.0, float(lengths.max())):
        return (Fault(name, f"Armature '{name}' is scaled to zero; give it a scale."),)
    unit = matrix[:3, :3] / lengths
    if lengths.max() > lengths.min() * (1.0 + _UNIFORM):
        shown = ", ".join(f"{length:.4g}" for length in lengths)
        return (
            Fault(
                name,
                f"Armature '{name}' is scaled unevenly in the world ({shown}); "
                "apply its scale or make it uniform.",
            ),
        )
    if np.abs(unit.T @ unit - np.eye(3)).max() > _UNIFORM:
        return (
            Fault(
                name, f"Armature '{name}' is sheared by its parents; apply their scale or make it uniform."
            ),
        )
    if np.linalg.det(unit) < 0:
        return (Fault(name, f"Armature '{name}' is mirrored by a negative scale; apply its scale."),)
    return ()


def read_space(armature_object: bpy.types.Object) -> Space:
    """The place of an armature object; pass the evaluated one for what is seen in a frame.

    Raises:
        FigureFault: its scale is uneven, zero or negative, or its transform is no number.
    """
    matrix = np.array(armature_object.matrix_world, dtype=float)
    require(space_faults(armature_object.name, matrix))
    scale = float(np.cbrt(np.linalg.det(matrix[:3, :3])))
    return Space(rotation=nearest_rotation(matrix[:3, :3]), translation=matrix[:3, 3].copy(), scale=scale)


def nearest_rotation(matrix: npt.ArrayLike) -> Array:
    """Rotation of matrices (..., 3, 3) that may be scaled, sheared and mirrored.

    Y keeps its direction, Z is laid at a right angle to it, X follows; a mirrored matrix is so mirrored back.
    """
    m = np.asarray(matrix, dtype=float)
    y = m[..., :, 1] / np.sqrt((m[..., :, 1] ** 2).sum(-1, keepdims=True))
    z = m[..., :, 2] - y * (m[..., :, 2] * y).sum(-1, keepdims=True)
    z = z / np.sqrt((z * z).sum(-1, keepdims=True))
    x = np.stack(
        [
            y[..., 1] * z[..., 2] - y[..., 2] * z[..., 1],
            y[..., 2] * z[..., 0] - y[..., 0] * z[..., 2],
            y[..., 0] * z[..., 1] - y[..., 1] * z[..., 0],
        ],
        -1,
    )
    return np.stack([x, y, z], -1)
