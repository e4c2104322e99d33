# SPDX-License-Identifier: GPL-3.0-or-later
"""Which side of a mesh a point is on, told by the feature that is nearest to it.

The normal of the nearest face alone is wrong beside sharp edges. Angle-weighted pseudonormals are right: at
an edge the sum of its faces' unit normals, at a corner the sum weighted by the faces' angles there
(Baerentzen & Aanaes 2005). Meshes are often torn at seams, so corners at the same place count as one; and a
face that is there twice counts once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ..rotation import Array
from .ordering import Index, order_by
from .vectors import TINY, cross, dot, length

_MIX: Final = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)


class Pseudonormals:
    """Normals of all faces, edges and corners of a mesh.

    Args:
        vertices: (V, 3) metres.
        faces: (F, 3) indices into them.

    Attributes:
        closed: whether every edge has as many faces on its one side as on its other, so that there is an
            inside.
    """

    def __init__(self, vertices: Array, faces: Index) -> None:
        faces = _welded(vertices, faces)
        corners = vertices.take(faces.T, 0)  # (3, F, 3), of welded places: the same coordinates
        edges = np.stack([corners[1] - corners[0], corners[2] - corners[1], corners[0] - corners[2]])
        normal = cross(edges[0], edges[1])
        size = length(normal)
        squares = [dot(edge, edge) for edge in edges]
        flat = size <= 1e-10 * np.maximum(np.maximum(squares[0], squares[1]), squares[2])
        normal = np.where(flat[:, None], 0.0, normal / np.maximum(size, TINY)[:, None])
        # degenerate faces count as little as faces that are there twice
        count = ~(flat | _repeated(faces, len(vertices)))
        at_corners = _at_corners(faces, edges, size, normal * count[:, None], len(vertices))
        edge, forward, total = _edges(faces, len(vertices))
        at_edges = _summed(edge, np.concatenate([normal * count[:, None]] * 3), total)
        balance = np.bincount(edge, np.tile(count, 3) * forward, total)
        edge = edge.reshape(3, -1).T
        rim = np.abs(balance) > 0.5
        rim_corner = np.zeros(len(vertices), dtype=bool)
        if rim.any():
            for k in range(3):
                open_ = rim[edge[:, k]]
                rim_corner[faces[open_, k]] = True
                rim_corner[faces[open_, (k + 1) % 3]] = True
        self.closed = not rim.any()
        self._normals = np.concatenate([normal, at_edges, at_corners])
        self._rim = np.concatenate([np.zeros(len(faces), dtype=bool), rim, rim_corner])
        start = len(faces)
        self._table = np.concatenate(
            [np.arange(start)[:, None], start + edge, start + total + faces], 1
        )  # (F, 7) where the normal of each feature is

    @classmethod
    def side_by_side(cls, meshes: Sequence[Pseudonormals]) -> Pseudonormals:
        """Several meshes as one, whose faces are counted one after the other."""
        if len(meshes) == 1:
            return meshes[0]
        starts = np.cumsum([0, *(len(mesh._normals) for mesh in meshes)])
        both = object.__new__(cls)
        both.closed = all(mesh.closed for mesh in meshes)
        both._normals = np.concatenate([mesh._normals for mesh in meshes])
        both._rim = np.concatenate([mesh._rim for mesh in meshes])
        tables = [mesh._table + start for mesh, start in zip(meshes, starts, strict=False)]
        both._table = np.concatenate(tables)
        return both

    def of(self, face: Index, feature: Index) -> tuple[Array, npt.NDArray[np.bool_]]:
        """Pseudonormals (P, 3), not of unit length, and whether the feature is on an open rim (P,)."""
        rows = self._table[face, feature]
        return self._normals.take(rows, 0), self._rim.take(rows)


def _welded(vertices: Array, faces: Index) -> Index:
    """The faces, with the first vertex at the same place in place of each."""
    places = vertices + 0.0  # so that -0.0 is 0.0
    bits = places.view(np.uint64)
    mixed = bits[:, 0] * _MIX[0] + bits[:, 1] * _MIX[1] + bits[:, 2] * _MIX[2]
    ranked = np.sort(mixed)
    if not (ranked[1:] == ranked[:-1]).any():
        return faces  # the rule, told in a fraction of the time
    order = np.lexsort(places.T)
    sorted_ = places.take(order, 0)
    new = np.concatenate([[True], (sorted_[1:] != sorted_[:-1]).any(1)])
    first = np.empty(len(vertices), dtype=np.intp)
    first[order] = order[np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))]
    return first.take(faces)


def _repeated(faces: Index, vertices: int) -> npt.NDArray[np.bool_]:
    """(F,) faces with the same corners in the same direction as an earlier one."""
    a, b, c = (np.ascontiguousarray(faces[:, k]) for k in range(3))
    least = np.minimum(np.minimum(a, b), c)
    second = np.where(a == least, b, np.where(b == least, c, a))
    third = a + b + c - least - second
    same = np.zeros(len(faces), dtype=bool)
    mixed = least.astype(np.uint64) * _MIX[0] + second.astype(np.uint64) * _MIX[1] + third.astype(np.uint64)
    ranked = np.sort(mixed)
    if not (ranked[1:] == ranked[:-1]).any():
        return same
    order = order_by(third, second, least, below=vertices)
    later, before = order[1:], order[:-1]
    same[later] = (
        (least[later] == least[before]) & (second[later] == second[before]) & (third[later] == third[before])
    )
    return same


def _at_corners(faces: Index, edges: Array, size: Array, normal: Array, vertices: int) -> Array:
    """(V, 3) sums of the faces' normals, weighted by their angles, radians."""
    angles = [np.arctan2(size, -dot(edges[k], edges[k - 1])) for k in range(3)]
    weighted = np.concatenate([angle[:, None] * normal for angle in angles])
    return _summed(faces.T.ravel(), weighted, vertices)


def _edges(faces: Index, vertices: int) -> tuple[Index, Array, int]:
    """Numbers of the edges and +1 or -1 for their directions, (3 F,): all first edges, second, third.

    Also how many edges there are.
    """
    start = faces.T.ravel()
    end = faces.T[[1, 2, 0]].ravel()
    low, high = np.minimum(start, end), np.maximum(start, end)
    order = order_by(high, low, below=vertices)
    ranked_low, ranked_high = low.take(order), high.take(order)
    new = (ranked_low[1:] != ranked_low[:-1]) | (ranked_high[1:] != ranked_high[:-1])
    number = np.empty(len(order), dtype=np.intp)
    number[order] = np.concatenate([[0], np.cumsum(new)])
    return number, np.where(start < end, 1.0, -1.0), int(new.sum()) + 1


def _summed(where: Index, vectors: Array, count: int) -> Array:
    return np.stack([np.bincount(where, column, count) for column in np.ascontiguousarray(vectors.T)], -1)
