# SPDX-License-Identifier: GPL-3.0-or-later
"""A checked triangle mesh with its trees and normals, shared by all transforms of an obstacle."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Array, Index, Mask
from ..errors import BadShape, BadValue
from .bvh import Bvh
from .mesh_topology import Layers, MeshTopology
from .vectors import TINY, dot, length


class MeshSurface(NamedTuple):
    """The data for distance queries to a mesh."""

    trees: list[Bvh]  # one for each layer of parts, see `mesh_topology`
    normals: Pseudonormals  # of all faces


class MeshGeometry:
    """Checked vertices and faces; immutable.

    Args:
        vertices: (V, 3), faces: (F, 3), see `TriangleMesh`; name: the obstacle's, for messages.

    Raises:
        BadShape, BadValue: see `TriangleMesh`.

    Attributes:
        low, high: (3,) corners of the box around it; radius: metres, of the ball around its middle.
        shared: the meshes with which it was last prepared for common queries, and the result. Solvers query
            the same meshes in every frame. It is a cache: without it the same result would be computed again.
    """

    def __init__(self, vertices: npt.ArrayLike, faces: npt.ArrayLike, name: str) -> None:
        places = arguments.numbers(vertices, f"vertices of obstacle {name!r}", endless=True)
        corners = arguments.indices(faces, f"faces of obstacle {name!r}")
        if places.ndim != 2 or places.shape[1] != 3:
            raise BadShape(f"vertices of obstacle {name!r}", "(V, 3)", places.shape)
        if corners.size == 0:
            raise BadValue(f"Obstacle {name!r}", "has no faces; give it a surface, or take it off the list.")
        if corners.ndim != 2 or corners.shape[1] != 3:
            raise BadShape(f"faces of obstacle {name!r}", "(F, 3)", corners.shape)
        if corners.min() < 0 or corners.max() >= len(places):
            raise BadValue(
                f"faces of obstacle {name!r}", f"name vertices that do not exist; there are {len(places)}."
            )
        self.vertices, self.faces = arguments.frozen(places), arguments.frozen(corners)
        used = places.take(self.faces.ravel(), 0)
        if not np.isfinite(used).all():
            bad = int(self.faces.ravel()[int((~np.isfinite(used)).any(1).argmax())])
            raise BadValue(f"Vertex {bad} of obstacle {name!r}", "is not at a finite place; repair the mesh.")
        columns = np.ascontiguousarray(used.T)
        self.low, self.high = columns.min(1), columns.max(1)
        columns -= 0.5 * (self.low + self.high)[:, None]
        self.radius = float(np.sqrt((columns * columns).sum(0).max()))
        self.shared: tuple[tuple[object, ...], object] | None = None

    @property
    def corners(self) -> Array:
        """(F, 3, 3) corners of all faces."""
        return self.vertices.take(self.faces, 0)

    @cached_property
    def topology(self) -> MeshTopology:
        """How the faces are connected; evaluated lazily."""
        return MeshTopology(self.vertices, self.faces)

    @cached_property
    def _layers(self) -> Layers | str:
        return self.topology.solid_layers()

    @property
    def flaw(self) -> str:
        """Why the mesh has no inside, as the rest of a sentence about it; "" if it has one."""
        return self._layers if isinstance(self._layers, str) else ""

    @cached_property
    def surface(self) -> MeshSurface:
        """All faces, with one tree; built when first used."""
        return MeshSurface([Bvh.build(self.corners)], Pseudonormals(self.topology))

    @cached_property
    def solid(self) -> MeshSurface:
        """The closed parts, with one tree for each layer of them; built when first used."""
        layers = self._layers
        if isinstance(layers, str) or layers.topology is self.topology:
            return self.surface
        own = [(layers.layer == layer).nonzero()[0] for layer in range(layers.layers)]
        trees = [Bvh.build(self.corners.take(faces, 0), faces) for faces in own]
        return MeshSurface(trees, Pseudonormals(layers.topology))


class Pseudonormals:
    """Normals of all faces, edges and corners of a mesh, which decide on which side of it a point is.

    The normal of the nearest face alone is wrong beside sharp edges. Angle-weighted pseudonormals are right:
    at an edge the sum of its faces' unit normals, at a corner the sum weighted by the faces' angles there
    (Baerentzen & Aanaes 2005).
    """

    def __init__(self, topology: MeshTopology) -> None:
        edge, faces, counted = topology.edge, topology.faces, topology.counted
        normal = topology.normal.copy()
        at_edges = _summed(edge.T.ravel(), np.concatenate([normal * counted[:, None]] * 3), topology.edges)
        bridges = np.flatnonzero(counted & topology.flat)
        if len(bridges):
            lengths = np.stack([length(side.take(bridges, 0)) for side in topology.sides], -1)
            _bridge(bridges, lengths.argsort(1), edge, normal, at_edges)
        sides = topology.sides
        angles = [np.arctan2(topology.area, -dot(sides[k], sides[k - 1])) for k in range(3)]
        weighted = np.concatenate([(angle * counted)[:, None] * normal for angle in angles])
        at_corners = _summed(faces.T.ravel(), weighted, topology.vertices)
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


def _bridge(flat: Index, order: Index, edge: Index, normal: Array, at_edges: Array) -> None:
    """Give flat faces (B,) the normal at their longest edge, in place; order: (B, 3) edges by length."""
    one, two, whole = (edge[flat, order[:, k]] for k in range(3))
    beside = at_edges.take(whole, 0)
    normal[flat] = beside / np.maximum(length(beside), TINY)[:, None]
    for part in (one, two):
        np.add.at(at_edges, part, normal[flat])
    at_edges[whole] = 0.5 * (at_edges.take(one, 0) + at_edges.take(two, 0))


def _summed(where: Index, vectors: Array, count: int) -> Array:
    return np.stack([np.bincount(where, column, count) for column in np.ascontiguousarray(vectors.T)], -1)
