# SPDX-License-Identifier: GPL-3.0-or-later
"""Between pixels of a 3D view and the world: numbers, so that it can be tested without a window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_END_ON: Final = (
    0.05  # sine of the angle to the line of sight below which an axis cannot be followed by the mouse
)
_REACH: Final = 30.0  # pixels, at a resolution scale of 1: bones farther from the mouse are not meant


@dataclass(frozen=True)
class Sight:
    """How a region looks at the world. Pixels count from the region's lower left corner.

    Attributes:
        projection: (4, 4) clip space from world, as `RegionView3D.perspective_matrix`.
        view: (4, 4) view space from world, as `RegionView3D.view_matrix`.
        width, height: of the region, pixels.
        perspective: whether lines of sight meet in an eye.
    """

    projection: Array
    view: Array
    width: float
    height: float
    perspective: bool

    @property
    def forward(self) -> Array:
        """(3,) the direction in which the view looks, world, of length 1."""
        into: Array = -self.view[2, :3]
        return into / np.sqrt(into @ into)

    def pixels(self, world: npt.ArrayLike) -> Array:
        """(..., 3) points of the world as (..., 2) pixels; nan for what is behind the eye."""
        point = np.asarray(world, dtype=float)
        clip = point @ self.projection[:, :3].T + self.projection[:, 3]
        depth = np.where(clip[..., 3:] > 0, clip[..., 3:], np.nan)
        half = np.array([self.width, self.height]) / 2
        found: Array = (clip[..., :2] / depth + 1.0) * half
        return found

    def ray(self, pixel: npt.ArrayLike) -> tuple[Array, Array]:
        """A point on the line of sight through a pixel, and its direction, of length 1; world."""
        x, y = 2.0 * np.asarray(pixel, dtype=float) / (self.width, self.height) - 1.0
        near, far = (self._unproject(x, y, depth) for depth in (-1.0, 1.0))
        along = far - near
        along /= np.sqrt(along @ along)
        if self.perspective:
            near = -self.view[:3, :3].T @ self.view[:3, 3]
        return near, along

    def place(self, pixel: npt.ArrayLike, through: npt.ArrayLike) -> Array:
        """Where a pixel is in the plane that faces the view and goes through a point of the world (3,)."""
        start, along = self.ray(pixel)
        forward = self.forward
        return start + along * (forward @ (np.asarray(through) - start)) / (forward @ along)

    def along_axis(self, pixel: npt.ArrayLike, through: npt.ArrayLike, axis: npt.ArrayLike) -> float:
        """How far along an axis (3,) through a point (3,) a pixel is, metres from the point.

        That is where the axis comes nearest to the line of sight. Of an axis that is seen end-on nothing
        can be told so: there the way of the mouse upwards counts.
        """
        point, axis = np.asarray(through, dtype=float), np.asarray(axis, dtype=float)
        start, along = self.ray(pixel)
        cosine = float(axis @ along)
        if 1.0 - cosine**2 < _END_ON**2:
            up = self.view[1, :3] / np.sqrt(self.view[1, :3] @ self.view[1, :3])
            return float(up @ (self.place(pixel, point) - point))
        gap = start - point
        return float((axis @ gap - cosine * (along @ gap)) / (1.0 - cosine**2))

    def _unproject(self, x: float, y: float, depth: float) -> Array:
        point = np.linalg.solve(self.projection, np.array([x, y, depth, 1.0]))
        found: Array = point[:3] / point[3]
        return found


def read_sight(region: Any, region_data: Any) -> Sight:
    """How a region of a 3D view looks at the world.

    Args:
        region: a `bpy.types.Region`; region_data: its `bpy.types.RegionView3D`.
    """
    return Sight(
        projection=np.array(region_data.perspective_matrix, dtype=float),
        view=np.array(region_data.view_matrix, dtype=float),
        width=region.width,
        height=region.height,
        perspective=region_data.is_perspective,
    )


def bone_at(
    context: bpy.types.Context, armature: bpy.types.Object, sight: Sight, pixel: npt.ArrayLike
) -> tuple[str, float] | None:
    """The visible bone of an armature in Pose Mode that is under the mouse.

    Args:
        context: for what is visible, and the scale of the interface.
        armature: the original object.
        sight: how the region looks at the world.
        pixel: (2,) where the mouse is in it.

    Returns:
        Its name and where on it, from 0 at its head to 1 at its tip; None if none is near.
    """
    bones = [bone for bone in context.visible_pose_bones or () if bone.id_data == armature]
    if not bones:
        return None
    world = np.array(armature.matrix_world)
    heads = np.array([bone.head for bone in bones]) @ world[:3, :3].T + world[:3, 3]
    tails = np.array([bone.tail for bone in bones]) @ world[:3, :3].T + world[:3, 3]
    radius = _REACH * (context.preferences.system.ui_scale or 1.0)  # 0 without a window
    found = nearest_bone(pixel, sight.pixels(heads), sight.pixels(tails), radius)
    return None if found is None else (bones[found[0]].name, found[1])


def nearest_bone(
    pixel: npt.ArrayLike, heads: npt.ArrayLike, tails: npt.ArrayLike, radius: float
) -> tuple[int, float] | None:
    """The bone under the mouse.

    Args:
        pixel: (2,) where the mouse is.
        heads: (B, 2); tails: (B, 2) pixels of the bones' ends, nan where they cannot be seen.
        radius: pixels; a bone farther off is not meant.

    Returns:
        Number of the bone and where on it, from 0 at its head to 1 at its tip; None if none is near.
    """
    mouse, head = np.asarray(pixel, dtype=float), np.asarray(heads, dtype=float)
    way = np.asarray(tails, dtype=float) - head
    square = (way * way).sum(-1)
    share = ((mouse - head) * way).sum(-1) / np.where(square > 0, square, 1.0)
    share = np.clip(share, 0.0, 1.0)
    off = head + share[:, None] * way - mouse
    distance = np.where(np.isfinite(off).all(-1), np.sqrt((off * off).sum(-1)), np.inf)
    if not len(distance) or not distance.min() <= radius:
        return None
    # Where bones meet, the one whose tip is there is meant: dragging it moves that point.
    near = np.flatnonzero(distance <= distance.min() + 1.0)
    best = int(near[np.argmax(share[near])])
    return best, float(share[best])
