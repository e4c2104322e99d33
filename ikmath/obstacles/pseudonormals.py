# SPDX-License-Identifier: GPL-3.0-or-later
"""Which side of a mesh a point is on, told by the feature that is nearest to it.

The normal of the nearest face alone is wrong beside sharp edges. Angle-weighted pseudonormals are right: at
an edge the sum of its faces' unit normals, at a corner the sum weighted by the faces' angles there
(Baerentzen & Aanaes 2005). Meshes are often torn at seams, so corners at the same place count as one; and a
face that is there twice counts once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..rotation import Array
from .vectors import TINY, cross, dot, length

Index = npt.NDArray[np.intp]


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
        faces = _welded(vertices).take(faces)
        corners = vertices.take(faces, 0)  # of welded places: the same coordinates
        edges = corners[:, [1, 2, 0]] - corners
        normal = cross(edges[:, 0], edges[:, 1])
        size = length(normal)
        longest = (edges * edges).sum(-1).max(1, initial=0.0)
        flat = size <= 1e-10 * longest
        normal = np.where(flat[:, None], 0.0, normal / np.maximum(size, TINY)[:, None])
        count = ~flat & ~_repeated(faces)
        counted = np.where(count[:, None], normal, 0.0)
        angles = _angles(edges)
        at_corners = _summed(
            faces.ravel(), (angles[:, :, None] * counted[:, None]).reshape(-1, 3), len(vertices)
        )
        edge, forward = _edges(faces, len(vertices))
        total = int(edge.max(initial=-1)) + 1
        at_edges = _summed(edge.ravel(), np.repeat(counted, 3, 0), total)
        # degenerate faces belong to the closedness as little as faces that are there twice
        balance = np.bincount(edge.ravel(), np.where(count[:, None], forward, 0.0).ravel(), total)
        rim = np.abs(balance) > 0.5
        rim_corner = np.zeros(len(vertices), dtype=bool)
        for k in range(3):
            rim_corner[faces[:, k][rim[edge[:, k]]]] = True
            rim_corner[faces[:, (k + 1) % 3][rim[edge[:, k]]]] = True
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


def _welded(vertices: Array) -> Index:
    """(V,) the first vertex that is at the same place."""
    if not len(vertices):
        return np.zeros(0, dtype=np.intp)
    places = vertices + 0.0  # so that -0.0 is 0.0
    order = np.lexsort(places.T)
    ranked = places.take(order, 0)
    new = np.concatenate([[True], (ranked[1:] != ranked[:-1]).any(1)])
    first = np.empty(len(vertices), dtype=np.intp)
    first[order] = order[np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))]
    return first


def _repeated(faces: Index) -> npt.NDArray[np.bool_]:
    """(F,) faces with the same corners in the same direction as an earlier one."""
    start = faces.argmin(1)
    rows = np.arange(len(faces))
    turned = np.stack([faces[rows, (start + k) % 3] for k in range(3)])
    order = np.lexsort(turned)  # stable: of equal faces the first comes first
    ranked = turned[:, order]
    same = np.zeros(len(faces), dtype=bool)
    same[order[1:]] = (ranked[:, 1:] == ranked[:, :-1]).all(0)
    return same


def _angles(edges: Array) -> Array:
    """(F, 3) angle of each face at each corner, radians."""
    result = np.empty(edges.shape[:2])
    for k in range(3):
        ahead, back = edges[:, k], -edges[:, k - 1]
        result[:, k] = np.arctan2(length(cross(ahead, back)), dot(ahead, back))
    return result


def _edges(faces: Index, vertices: int) -> tuple[Index, Array]:
    """(F, 3) number of the edge from each corner to the next, and +1 or -1 for its direction."""
    end = faces[:, [1, 2, 0]]
    low, high = np.minimum(faces, end).astype(np.int64), np.maximum(faces, end).astype(np.int64)
    _, number = np.unique(low * max(vertices, 1) + high, return_inverse=True)
    return number.reshape(faces.shape).astype(np.intp), np.where(faces < end, 1.0, -1.0)


def _summed(where: Index, vectors: Array, count: int) -> Array:
    return np.stack([np.bincount(where, vectors[:, k], count) for k in range(3)], -1)
