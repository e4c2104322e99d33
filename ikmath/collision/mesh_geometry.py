# SPDX-License-Identifier: GPL-3.0-or-later
"""A checked triangle mesh with its trees and normals, shared by all transforms of an obstacle."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Array, Index
from ..errors import BadShape, BadValue
from .bvh import Bvh
from .mesh_topology import Layers, MeshTopology
from .pseudonormals import Pseudonormals


class MeshSurface(NamedTuple):
    """The data for distance queries to a mesh.

    Attributes:
        trees: one for each layer of parts, see `mesh_topology`.
        faces: for each tree (N,) which face of the mesh each of its triangles is.
        normals: of all faces.
    """

    trees: list[Bvh]
    faces: list[Index]
    normals: Pseudonormals


class MeshGeometry:
    """Checked vertices and faces; immutable.

    Args:
        vertices: (V, 3) metres.
        faces: (F, 3) indices into them, anticlockwise seen from outside.
        name: the obstacle's, for messages.

    Raises:
        BadShape, BadValue: see `TriangleMesh`.

    Attributes:
        low, high: (3,) corners of the box around it.
        shared: the meshes with which it was last prepared for common queries, and the result. Solvers query
            the same meshes in every frame. It is a cache: without it the same result would be computed again.
    """

    def __init__(self, vertices: npt.ArrayLike, faces: npt.ArrayLike, name: str) -> None:
        places = arguments.limits(vertices, f"vertices of obstacle {name!r}")
        corners = arguments.indices(faces, f"faces of obstacle {name!r}")
        if places.ndim != 2 or places.shape[1] != 3:
            raise BadShape(f"vertices of obstacle {name!r}", "(V, 3)", places.shape)
        if corners.size == 0:
            raise BadValue(f"Obstacle {name!r}", "has no faces; give it a surface, or take it off the list.")
        if corners.ndim != 2 or corners.shape[1] != 3:
            raise BadShape(f"faces of obstacle {name!r}", "(F, 3)", corners.shape)
        if corners.min() < 0 or corners.max() >= len(places):
            raise BadValue(
                f"faces of obstacle {name!r}", f"name vertices that are not there; there are {len(places)}."
            )
        self.vertices, self.faces = places, corners
        used = places.take(self.faces.ravel(), 0)
        if not np.isfinite(used).all():
            bad = int(self.faces.ravel()[int((~np.isfinite(used)).any(1).argmax())])
            raise BadValue(f"Vertex {bad} of obstacle {name!r}", "is not at a finite place; repair the mesh.")
        columns = np.ascontiguousarray(used.T)
        self.low, self.high = columns.min(1), columns.max(1)
        self.shared: tuple[tuple[object, ...], object] | None = None
        for array in (self.vertices, self.faces):
            array.flags.writeable = False

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
        tree = Bvh.build(self.corners)
        return MeshSurface([tree], [tree.face], Pseudonormals(self.topology))

    @cached_property
    def solid(self) -> MeshSurface:
        """The closed parts, with one tree for each layer of them; built when first used."""
        layers = self._layers
        if isinstance(layers, str) or layers.topology is self.topology:
            return self.surface
        corners, trees, faces = self.corners, [], []
        for layer in range(layers.layers):
            own = (layers.layer == layer).nonzero()[0]
            trees.append(Bvh.build(corners.take(own, 0)))
            faces.append(own.take(trees[-1].face))
        return MeshSurface(trees, faces, Pseudonormals(layers.topology))
