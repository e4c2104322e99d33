# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion between pixels of a 3D view and world space; plain numbers, testable without a window."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ...bridge.armature import Array

_END_ON: Final = 0.05  # sine of the angle to the line of sight; the mouse cannot follow a smaller one


@dataclass(frozen=True)
class Sight:
    """The projection of a region. Pixels are counted from the region's lower left corner.

    Attributes:
        projection: (4, 4) world to clip space, `RegionView3D.perspective_matrix`.
        view: (4, 4) world to view space, `RegionView3D.view_matrix`.
        width, height: of the region, pixels.
        perspective: whether the projection is perspective.
    """

    projection: Array
    view: Array
    width: float
    height: float
    perspective: bool

    @property
    def forward(self) -> Array:
        """(3,) the viewing direction, world, of length 1."""
        into: Array = -self.view[2, :3]
        return into / np.sqrt(into @ into)

    @property
    def across(self) -> Array:
        """(2, 3) right and up in the view, world, of length 1."""
        ways: Array = self.view[:2, :3]
        return ways / np.sqrt((ways * ways).sum(1, keepdims=True))

    def pixels(self, world: npt.ArrayLike) -> Array:
        """Project (..., 3) world points to (..., 2) pixels; NaN behind the eye."""
        return self.screen(world)[..., :2]

    def screen(self, world: npt.ArrayLike) -> Array:
        """Project (..., 3) world points to (..., 3) pixels and depth, which grows away from the viewer.

        Straight lines stay straight. NaN behind the eye.
        """
        point = np.asarray(world, dtype=float)
        clip = point @ self.projection[:, :3].T + self.projection[:, 3]
        before = np.where(clip[..., 3:] > 0, clip[..., 3:], np.nan)
        half = np.array([self.width / 2, self.height / 2, 0.5])
        return np.asarray((clip[..., :3] / before + 1.0) * half)

    def ray(self, pixel: npt.ArrayLike) -> tuple[Array, Array]:
        """A point on the line of sight through a pixel, and its direction, of length 1; world."""
        at = 2.0 * np.asarray(pixel, dtype=float) / (self.width, self.height) - 1.0
        # two planes that contain the line; the row of the depth is lost in rounding if the clip start is tiny
        planes = (self.projection[:2] - np.outer(at, self.projection[3]))[:, :3]
        along = np.cross(*planes)
        along /= np.copysign(np.sqrt(along @ along), along @ self.forward)
        if self.perspective:
            return -self.view[:3, :3].T @ self.view[:3, 3], along
        point = np.linalg.solve(self.projection, np.array([*at, -1.0, 1.0]))
        return point[:3] / point[3], along

    def place(
        self, pixel: npt.ArrayLike, through: npt.ArrayLike, normal: npt.ArrayLike | None = None
    ) -> Array:
        """The point of a pixel in a plane through a world point (3,); the plane faces the view by default.

        If the plane is seen edge-on, or the pixel is beyond its horizon, the point in the view-facing plane
        is used, projected onto the plane.
        """
        start, along = self.ray(pixel)
        point = np.asarray(through, dtype=float)
        across = self.forward if normal is None else np.asarray(normal)
        slope, gap = float(across @ along), float(across @ (point - start))
        if normal is not None and (abs(slope) < _END_ON or (self.perspective and gap / slope < 0.0)):
            facing = self.place(pixel, point)
            return facing - across * (across @ (facing - point))
        return start + along * gap / slope

    def along_axis(self, pixel: npt.ArrayLike, through: npt.ArrayLike, axis: npt.ArrayLike) -> float:
        """Position of a pixel along an axis (3,) through a point (3,), metres from the point.

        It is the point of the axis nearest to the line of sight. For an axis seen end-on this is undefined,
        so the upward motion of the mouse is used.
        """
        point, axis = np.asarray(through, dtype=float), np.asarray(axis, dtype=float)
        start, along = self.ray(pixel)
        cosine = float(axis @ along)
        if 1.0 - cosine**2 < _END_ON**2:
            return float(self.across[1] @ (self.place(pixel, point) - point))
        gap = start - point
        return float((axis @ gap - cosine * (along @ gap)) / (1.0 - cosine**2))


def read_sight(region: Any, region_data: Any) -> Sight:
    """Read the projection of a `bpy.types.Region` of a 3D view and its `bpy.types.RegionView3D`."""
    return Sight(
        projection=np.array(region_data.perspective_matrix, dtype=float),
        view=np.array(region_data.view_matrix, dtype=float),
        width=region.width,
        height=region.height,
        perspective=region_data.is_perspective,
    )
