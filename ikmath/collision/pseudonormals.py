# SPDX-License-Identifier: GPL-3.0-or-later
"""Which side of a mesh a point is on, decided by the feature that is nearest to it.

The normal of the nearest face alone is wrong beside sharp edges. Angle-weighted pseudonormals are right: at
an edge the sum of its faces' unit normals, at a corner the sum weighted by the faces' angles there
(Baerentzen & Aanaes 2005).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Index, Mask
from .mesh_topology import MeshTopology
from .vectors import TINY, dot, length


class Pseudonormals:
    """Normals of all faces, edges and corners of a mesh.

    Args:
        topology: the connections of the mesh.
    """

    def __init__(self, topology: MeshTopology) -> None:
        edge, faces, counted = topology.edge, topology.faces, topology.counted
        normal = topology.normal.copy()
        at_edges = _summed(edge.T.ravel(), np.concatenate([normal * counted[:, None]] * 3), topology.edges)
        bridges = np.flatnonzero(counted & topology.flat)
        if len(bridges):
            lengths = np.stack([length(side.take(bridges, 0)) for side in topology.sides], -1)
            at_edges = _bridged(bridges, lengths.argsort(1), edge, normal, at_edges)
        at_corners = _at_corners(topology, normal * counted[:, None])
        self._normals = np.concatenate([normal, at_edges, at_corners])
        no_face = np.zeros(len(faces), dtype=bool)
        self._rim = np.concatenate([no_face, topology.rim, topology.rim_vertices])
        start = len(faces)
        self._table = np.concatenate(
            [np.arange(start)[:, None], start + edge, start + topology.edges + faces], 1
        )  # (F, 7) where the normal of each feature is

    @classmethod
    def side_by_side(cls, meshes: Sequence[Pseudonormals]) -> Pseudonormals:
        """Several meshes as one, whose faces are counted one after the other."""
        if len(meshes) == 1:
            return meshes[0]
        starts = np.cumsum([0, *(len(mesh._normals) for mesh in meshes)])
        both = object.__new__(cls)
        both._normals = np.concatenate([mesh._normals for mesh in meshes])
        both._rim = np.concatenate([mesh._rim for mesh in meshes])
        tables = [mesh._table + start for mesh, start in zip(meshes, starts, strict=False)]
        both._table = np.concatenate(tables)
        return both

    def of(self, face: Index, feature: Index) -> tuple[Array, Mask]:
        """Pseudonormals (P, 3), not of unit length, and whether the feature is on an open rim (P,)."""
        rows = self._table[face, feature]
        return self._normals.take(rows, 0), self._rim.take(rows)


def _at_corners(topology: MeshTopology, normal: Array) -> Array:
    """(V, 3) sums of the faces' normals, weighted by their angles, radians."""
    sides = topology.sides
    angles = [np.arctan2(topology.area, -dot(sides[k], sides[k - 1])) for k in range(3)]
    weighted = np.concatenate([angle[:, None] * normal for angle in angles])
    return _summed(topology.faces.T.ravel(), weighted, topology.vertices)


def _bridged(flat: Index, order: Index, edge: Index, normal: Array, at_edges: Array) -> Array:
    """Give faces without area the normal of the face at their longest edge, in place; the sums at the edges.

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


def _summed(where: Index, vectors: Array, count: int) -> Array:
    return np.stack([np.bincount(where, column, count) for column in np.ascontiguousarray(vectors.T)], -1)
