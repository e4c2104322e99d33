# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed surfaces to model with: tapered capsules, ellipsoids, lofts of ellipses and blocks, as arrays.

Each is closed, and its faces look outward. Several of them may overlap, like the parts of a body. Blender's
voxel remesher can join them into one skin, so the solids need not meet exactly.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from ..arrays import Index
from ..rotation import Array

ROUND: Final = 24  # corners of a cross-section


@dataclass(frozen=True, eq=False)
class Solid:
    """A closed surface.

    Attributes:
        vertices: (V, 3) metres.
        faces: polygons, as tuples of vertex numbers.
    """

    vertices: Array
    faces: tuple[tuple[int, ...], ...]

    @property
    def triangles(self) -> Index:
        """(T, 3) the faces, cut into fans."""
        fans = [(f[0], f[i], f[i + 1]) for f in self.faces for i in range(1, len(f) - 1)]
        return np.array(fans, dtype=np.intp).reshape(-1, 3)


def together(solids: Iterable[Solid]) -> Solid:
    """Several solids as one set of vertices and faces."""
    vertices, faces, count = [], [], 0
    for solid in solids:
        vertices.append(solid.vertices)
        faces += [tuple(corner + count for corner in face) for face in solid.faces]
        count += len(solid.vertices)
    return Solid(np.concatenate(vertices), tuple(faces))


def ellipsoid(centre: npt.ArrayLike, radii: npt.ArrayLike, turned: npt.ArrayLike | None = None) -> Solid:
    """An ellipsoid along the axes of the world, or along the columns of a rotation (3, 3)."""
    heights = np.linspace(-np.pi / 2, np.pi / 2, ROUND // 2 + 1)[1:-1]
    rings = [(float(np.sin(h)), float(np.cos(h))) for h in heights]
    frame = np.eye(3) if turned is None else np.asarray(turned, dtype=float)
    return _lathe(np.asarray(centre, dtype=float), frame * np.asarray(radii, dtype=float), rings, (-1.0, 1.0))


def capsule(
    start: npt.ArrayLike,
    end: npt.ArrayLike,
    radius: float,
    end_radius: float | None = None,
    flat: float = 1.0,
) -> Solid:
    """A rod with round ends that may taper.

    Args:
        start, end: centres of the round ends.
        radius, end_radius: there; the second is the first if None.
        flat: how thick it is across its second side axis, as a part of its width (a palm is flat).
    """
    origin = np.asarray(start, dtype=float)
    last = radius if end_radius is None else end_radius
    axis = np.asarray(end, dtype=float) - origin
    length = float(np.linalg.norm(axis))
    along = axis / length
    side = np.cross(along, (0.0, 0.0, 1.0) if abs(along[2]) < 0.9 else (0.0, 1.0, 0.0))
    side /= np.linalg.norm(side)
    frame = np.stack([side, np.cross(along, side) * flat, along], 1)
    caps = np.linspace(0.0, np.pi / 2, ROUND // 4 + 1)[1:]
    rings = [(-radius * np.cos(a), radius * np.sin(a)) for a in caps]
    rings += [(length + last * np.cos(a), last * np.sin(a)) for a in caps[::-1]]
    return _lathe(origin, frame, rings, (-radius, length + last))


def loft(sections: Sequence[tuple[float, float, float, float]], x: float = 0.0) -> Solid:
    """An upright body with elliptic cross-sections.

    Args:
        sections: from bottom to top (height z, centre y, half width in x, half depth in y), metres.
        x: of all centres.
    """
    turn = _turn()
    rings = [
        np.stack([x + wide * np.cos(turn), y + deep * np.sin(turn), np.full(ROUND, z)], 1)
        for z, y, wide, deep in sections
    ]
    (low, y_low, _, _), (high, y_high, _, _) = sections[0], sections[-1]
    return _tube(rings, np.array([x, y_low, low]), np.array([x, y_high, high]))


def mirrored(solid: Solid) -> Solid:
    """The same on the other side of the figure."""
    return Solid(solid.vertices * (-1.0, 1.0, 1.0), tuple(face[::-1] for face in solid.faces))


def blocks(xs: Sequence[float], ys: Sequence[float], zs: Sequence[float], filled: npt.ArrayLike) -> Solid:
    """The surface of filled cells of a grid, without walls between neighbours, for instance a table.

    Args:
        xs, ys, zs: planes between the cells, metres, rising.
        filled: (X, Y, Z) flags, one fewer than planes along each axis. Cells must not meet at an edge or a
            corner only, where the surface would not be one sheet.
    """
    cells = np.pad(np.asarray(filled, dtype=bool), 1)
    corners: dict[tuple[int, ...], int] = {}
    faces: list[tuple[int, ...]] = []
    for axis, side in product(range(3), (0, 1)):
        along, across = (axis + 1) % 3, (axis + 2) % 3
        beyond = np.roll(cells, 1 - 2 * side, axis)
        for cell in np.argwhere(cells & ~beyond) - 1:
            square = []
            for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
                corner = cell.copy()
                corner[axis] += side
                corner[along] += u
                corner[across] += v
                square.append(corners.setdefault(tuple(corner.tolist()), len(corners)))
            faces.append(tuple(square if side else square[::-1]))
    planes = (np.asarray(xs, dtype=float), np.asarray(ys, dtype=float), np.asarray(zs, dtype=float))
    numbers = np.array(list(corners), dtype=np.intp)
    vertices = np.stack([plane[numbers[:, k]] for k, plane in enumerate(planes)], 1)
    return Solid(vertices, tuple(faces))


def _turn() -> Array:
    return np.asarray(np.arange(ROUND) * (2 * np.pi / ROUND))


def _lathe(
    origin: Array, frame: Array, rings: Sequence[tuple[float, float]], poles: tuple[float, float]
) -> Solid:
    turn = _turn()
    circles = [
        np.stack([wide * np.cos(turn), wide * np.sin(turn), np.full(ROUND, height)], 1) @ frame.T + origin
        for height, wide in rings
    ]
    low, high = (frame @ (0.0, 0.0, pole) + origin for pole in poles)
    return _tube(circles, low, high)


def _tube(rings: Sequence[Array], low: Array, high: Array) -> Solid:
    """Rings from bottom to top, closed by a point at each end; faces look outward."""
    vertices = np.concatenate([*rings, low[None], high[None]])
    bottom, top = len(vertices) - 2, len(vertices) - 1
    faces: list[tuple[int, ...]] = []
    for corner in range(ROUND):
        after = (corner + 1) % ROUND
        faces.append((bottom, after, corner))
        for ring in range(len(rings) - 1):
            here, above = ring * ROUND, (ring + 1) * ROUND
            faces.append((here + corner, here + after, above + after, above + corner))
        last = (len(rings) - 1) * ROUND
        faces.append((top, last + corner, last + after))
    return Solid(vertices, tuple(faces))
