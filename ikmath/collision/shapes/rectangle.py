# SPDX-License-Identifier: GPL-3.0-or-later
"""A bounded plane without thickness: a wall, a table top, a sheet of paper.

Ge (A.4.2) finds the distance of a point by the nine areas into which the four edges' lines cut the plane. For
a bone the same nine areas do: in each of them the squared distance along the bone is a parabola, the whole is
convex and has no kinks, so its minimum is the minimum of one of the nine parabolas.
"""

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from ...errors import BadValue
from ...rotation import Array
from ..narrow_phase import Nearest
from ..vectors import ONES, TINY, clamp, dot, turned, turned_back
from .solid import Solid, lowest_in_regions

_AREAS: Final = np.array([(u, v, 0.0) for u in (-1.0, 0.0, 1.0) for v in (-1.0, 0.0, 1.0)])
"""(9, 3) areas A to I of Ge's figure A.2: beyond which edges' lines, -1, 0 or 1 along u and along v."""
_COUNTED: Final = np.abs(_AREAS) + np.array([0.0, 0.0, 1.0])
_TOUCHING: Final = 1e-14  # metres: closer than this a difference has no direction left


@dataclass(frozen=True, eq=False)
class Rectangle(Solid):
    """A rectangle without thickness, solid from both sides.

    A bone that passes through it has a negative distance: that of the shortest way out, back to one side or
    over an edge.

    Args:
        center: (3,) metres.
        axis_u: (3,) from the centre to the middle of an edge.
        axis_v: (3,) from the centre to the middle of a neighbouring edge, at right angles to `axis_u`.

    Raises:
        BadShape, BadValue: values that are not finite, axes without length or not at right angles.
    """

    kind: ClassVar[str] = "rectangle"
    label: ClassVar[str] = "Rectangle"
    description: ClassVar[str] = "A bounded plane without thickness, solid from both sides"
    source: ClassVar[str] = "Ge 2000, A.4.2, bounded plane"

    center: npt.ArrayLike
    axis_u: npt.ArrayLike
    axis_v: npt.ArrayLike

    def __post_init__(self) -> None:
        super().__post_init__()
        self._vector("center")
        u, v = self._vector("axis_u"), self._vector("axis_v")
        lengths = np.sqrt([u @ u, v @ v])
        for axis, size in zip(("axis_u", "axis_v"), lengths, strict=True):
            if not size > 0:
                raise BadValue(f"{axis} of obstacle {self.name!r}", "has no length; give half of an edge.")
        if abs(u @ v) > 1e-6 * lengths[0] * lengths[1]:
            raise BadValue(f"axis_v of obstacle {self.name!r}", "is not at right angles to axis_u.")

    @property
    def parameters(self) -> Array:
        """(*frames, 14): centre, unit u, v and normal in the world, half lengths along u and v."""
        u, v = np.asarray(self.axis_u), np.asarray(self.axis_v)
        lengths = np.sqrt([u @ u, v @ v])
        u = u / lengths[0]
        v = v - (v @ u) * u
        v = v / np.sqrt(v @ v)
        axes = np.stack([u, v, np.cross(u, v)])
        world = np.swapaxes(self.rotation @ axes.T, -1, -2)
        return self._row(self._placed(self.center), world.reshape(*self.frames, 9), lengths)

    @property
    def bounds(self) -> tuple[Array, float]:
        """The ball through the corners."""
        rows = self.parameters
        return rows[..., :3], float(np.hypot(*rows.reshape(-1, 14)[0, 12:]))

    @staticmethod
    def segment_distance(a: Array, b: Array, parameters: Array) -> Nearest:
        """See `Solid.segment_distance`; exact, also for the depth of a segment that passes through."""
        axes, half = parameters[:, 3:12].reshape(-1, 3, 3), parameters[:, 12:]
        start, along = turned(a - parameters[:, :3], axes), turned(b - a, axes)
        parameter = _closest(start, along, half)
        local = start + parameter[:, None] * along
        difference = local.copy()
        difference[:, :2] -= np.minimum(np.maximum(local[:, :2], -half), half)
        distance = np.sqrt(dot(difference, difference))
        touching = distance <= _TOUCHING + 1e-15 * np.abs(start).max(-1)
        normal = difference / np.where(touching, 1.0, distance)[:, None]
        if touching.any():
            distance[touching], parameter[touching], normal[touching] = _through(
                start[touching], along[touching], half[touching]
            )
        return Nearest.of_segments(a, b, distance, parameter, turned_back(normal, axes))


def _closest(start: Array, along: Array, half: Array) -> Array:
    """Parameter of the nearest point of the segment: the best of the nine areas' parabolas; (P,)."""
    flat = np.concatenate([half, np.zeros((len(half), 1))], 1)
    t = clamp(lowest_in_regions(start, along, flat, _AREAS, _COUNTED))
    beyond = np.maximum(np.abs(start[:, None] + t[:, :, None] * along[:, None]) - flat[:, None], 0.0)
    return np.asarray(t[np.arange(len(t)), (beyond * beyond).dot(ONES).argmin(1)])


def _through(start: Array, along: Array, half: Array) -> tuple[Array, Array, Array]:
    """Depth, parameter and way out of segments that touch or pass through, all in the rectangle's frame."""
    # The places of the segment at which they touch fill a parallelepiped, generated by the two half edges and
    # the half segment. The shortest way out is to the nearest of its faces: off the plane, or over an edge.
    rows = np.arange(len(start))
    g, middle = 0.5 * along, start + 0.5 * along
    faces = np.zeros((len(start), 3, 3))  # (P, 3 pairs of faces, 3)
    faces[:, 0, 2] = 1.0
    faces[:, 1, 1], faces[:, 1, 2] = -g[:, 2], g[:, 1]
    faces[:, 2, 0], faces[:, 2, 2] = g[:, 2], -g[:, 0]
    size = np.sqrt((faces * faces).sum(-1))
    flat = size <= 1e-12 * (1.0 + np.sqrt(dot(g, g)))[:, None]
    faces = faces / np.where(flat, 1.0, size)[..., None]
    reach = (np.abs(faces[..., :2]) * half[:, None, :]).sum(-1) + np.abs((faces * g[:, None, :]).sum(-1))
    offset = (faces * middle[:, None, :]).sum(-1)
    depth = np.where(flat, np.inf, reach - np.abs(offset))
    best = depth.argmin(1)
    side = np.where(offset[rows, best] < 0.0, -1.0, 1.0)
    normal = faces[rows, best] * side[:, None]
    # the point of the segment that leaves last: the deeper end, or where it slips over the edge
    end = np.where(g[:, 2] * normal[:, 2] > 0.0, 0.0, 1.0)
    end = np.where(np.abs(g[:, 2]) <= _TOUCHING, 0.5, end)
    edge, across, over = np.zeros_like(start), along.copy(), best[:, None] == (2, 1)  # along u, along v
    edge[:, :2] = np.where(over, np.sign(normal[:, :2]) * half, 0.0)
    across[:, :2][over[:, ::-1]] = 0.0
    slip = clamp(dot(edge - start, across) / np.maximum(dot(across, across), TINY))
    parameter = np.where(best == 0, end, slip)
    return -np.maximum(depth[rows, best], 0.0), parameter, normal
