# SPDX-License-Identifier: GPL-3.0-or-later
"""A checked triangle mesh with its tree and normals, shared by all places that an obstacle is moved to."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..errors import BadShape, BadValue
from ..rotation import Array
from .bvh import Tree
from .pseudonormals import Pseudonormals


class MeshGeometry:
    """Vertices and faces that can be trusted; never changed after it is made.

    Args:
        vertices: (V, 3) metres.
        faces: (F, 3) indices into them, anticlockwise seen from outside.
        name: the obstacle's, for messages.

    Raises:
        BadShape, BadValue: see `TriangleMesh`.

    Attributes:
        low, high: (3,) corners of the box around it.
        company: with which meshes it was last prepared to be asked together, and what came of that: solvers
            ask in the same company frame after frame. Only holds what would be made again just so.
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
        self.company: tuple[tuple[object, ...], object] | None = None
        for array in (self.vertices, self.faces):
            array.flags.writeable = False

    @property
    def corners(self) -> Array:
        """(F, 3, 3) corners of all faces."""
        return self.vertices.take(self.faces, 0)

    @cached_property
    def tree(self) -> Tree:
        """The tree over all triangles, built when first asked for."""
        return Tree.build(self.corners)

    @cached_property
    def normals(self) -> Pseudonormals:
        """Normals of faces, edges and corners, worked out when a side is first asked for."""
        return Pseudonormals(self.vertices, self.faces)

    def beside(self, points: Array) -> npt.NDArray[np.bool_]:
        """(P,) whether points are outside the box around the mesh, and so surely outside a closed one."""
        result: npt.NDArray[np.bool_] = ((points < self.low) | (points > self.high)).any(1)
        return result
