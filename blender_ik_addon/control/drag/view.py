# SPDX-License-Identifier: GPL-3.0-or-later
"""Between pixels of a 3D view and the world: numbers, so that it can be tested without a window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_END_ON: Final = (
    0.05  # sine of the angle to the line of sight below which an axis cannot be followed by the mouse
)


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
        return self.screen(world)[..., :2]

    def screen(self, world: npt.ArrayLike) -> Array:
        """(..., 3) points of the world as (..., 3) pixels and depth, which grows away from the viewer.

        Straight lines stay straight in it. nan for what is behind the eye.
        """
        point = np.asarray(world, dtype=float)
        clip = point @ self.projection[:, :3].T + self.projection[:, 3]
        before = np.where(clip[..., 3:] > 0, clip[..., 3:], np.nan)
        half = np.array([self.width / 2, self.height / 2, 0.5])
        found: Array = (clip[..., :3] / before + 1.0) * half
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

    def place(
        self, pixel: npt.ArrayLike, through: npt.ArrayLike, normal: npt.ArrayLike | None = None
    ) -> Array:
        """Where a pixel is in a plane through a point of the world (3,); without a normal it faces the view.

        Where that plane is seen edge-on, or beyond its horizon, the place in the plane that faces the view
        counts, moved along the normal.
        """
        start, along = self.ray(pixel)
        point, across = (
            np.asarray(through, dtype=float),
            self.forward if normal is None else np.asarray(normal),
        )
        slope, gap = float(across @ along), float(across @ (point - start))
        if normal is not None and (abs(slope) < _END_ON or (self.perspective and gap / slope < 0.0)):
            facing = self.place(pixel, point)
            return facing - across * (across @ (facing - point))
        return start + along * gap / slope

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
