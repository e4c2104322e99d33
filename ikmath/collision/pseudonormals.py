# SPDX-License-Identifier: GPL-3.0-or-later
"""Which side of a mesh a point is on, told by the feature that is nearest to it.

The normal of the nearest face alone is wrong beside sharp edges. Angle-weighted pseudonormals are right: at
an edge the sum of its faces' unit normals, at a corner the sum weighted by the faces' angles there
(Baerentzen & Aanaes 2005). How the faces hang together is told by `seams`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..rotation import Array
from .mesh_seams import drawn_together, repeated, welded
from .radix_order import Index, order_by
from .vectors import TINY, cross, dot, length


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
        faces = welded(vertices, faces)
        rim = self._of(vertices, faces)
        nearly = None if self.closed else drawn_together(vertices, faces, rim)
        if nearly is not None:
            self._of(vertices, nearly)

    def _of(self, vertices: Array, faces: Index) -> Index:
        """Work all out, of faces that share their corners; the corners on open rims."""
        corners = vertices.take(faces.T, 0)  # (3, F, 3), of welded places: the same coordinates
        edges = np.stack([corners[1] - corners[0], corners[2] - corners[1], corners[0] - corners[2]])
        normal = cross(edges[0], edges[1])
        size = length(normal)
        squares = [dot(edge, edge) for edge in edges]
        flat = size <= 1e-10 * np.maximum(np.maximum(squares[0], squares[1]), squares[2])
        normal = np.where(flat[:, None], 0.0, normal / np.maximum(size, TINY)[:, None])
        once = ~repeated(faces, len(vertices))
        count = once & ~flat  # degenerate faces count as little as faces that are there twice
        edge, forward, total = _edges(faces, len(vertices))
        rim = _open(edge, forward, count, total)
        if rim.any() and (once & flat).any():
            # unless it is they that close the surface, where a corner of one face lies on an edge of another
            with_flat = _open(edge, forward, once, total)
            if with_flat.sum() < rim.sum():
                rim, count = with_flat, once
        at_edges = _summed(edge, np.concatenate([normal * count[:, None]] * 3), total)
        edge = edge.reshape(3, -1).T
        bridges = np.flatnonzero(count & flat)
        if len(bridges):
            lengths = np.stack([square.take(bridges) for square in squares], -1)
            at_edges = _bridged(bridges, lengths.argsort(1), edge, normal, at_edges)
        at_corners = _at_corners(faces, edges, size, normal * count[:, None], len(vertices))
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
        return np.flatnonzero(rim_corner)

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


def _at_corners(faces: Index, edges: Array, size: Array, normal: Array, vertices: int) -> Array:
    """(V, 3) sums of the faces' normals, weighted by their angles, radians."""
    angles = [np.arctan2(size, -dot(edges[k], edges[k - 1])) for k in range(3)]
    weighted = np.concatenate([angle[:, None] * normal for angle in angles])
    return _summed(faces.T.ravel(), weighted, vertices)


def _open(edge: Index, forward: Array, count: npt.NDArray[np.bool_], total: int) -> npt.NDArray[np.bool_]:
    """(E,) edges that have not as many faces on their one side as on the other; of the faces that count."""
    rim: npt.NDArray[np.bool_] = np.abs(np.bincount(edge, np.tile(count, 3) * forward, total)) > 0.5
    return rim


def _bridged(flat: Index, order: Index, edge: Index, normal: Array, at_edges: Array) -> Array:
    """Give faces without area the normal of the face at their longest edge, in place; the sums at the edges.

    The corner between is one on that edge: both parts of it meet their own faces, and the whole both of them.

    Args:
        flat: (B,) those faces; order: (B, 3) of their edges by length; edge: (F, 3) numbers of all edges;
        normal: (F, 3) unit; at_edges: (E, 3) sums of the normals of faces with an area.
    """
    one, two, whole = (edge[flat, order[:, k]] for k in range(3))
    beside = at_edges.take(whole, 0)
    normal[flat] = beside / np.maximum(length(beside), TINY)[:, None]
    for part in (one, two):
        np.add.at(at_edges, part, normal[flat])
    at_edges[whole] = 0.5 * (at_edges.take(one, 0) + at_edges.take(two, 0))
    return at_edges


def _edges(faces: Index, vertices: int) -> tuple[Index, Array, int]:
    """Numbers of the edges and +1 or -1 for their directions (0: a single place), all first, second, third.

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
    return number, np.sign(end - start).astype(float), int(new.sum()) + 1


def _summed(where: Index, vectors: Array, count: int) -> Array:
    return np.stack([np.bincount(where, column, count) for column in np.ascontiguousarray(vectors.T)], -1)
