# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own tree of triangles behind ikmath's meshes.

It is built in the mesh's own space. It answers one point at a time, always with a distance cut-off, without
which a far point costs ten times as much.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from mathutils.bvhtree import BVHTree

from .armature import Array

_FAR = 1e30  # metres: Blender's cut-off has to be a number


class BlenderTree:
    """A `mathutils.bvhtree.BVHTree` as `ikmath` asks for it (`PointTree`).

    Args:
        vertices: (V, 3) metres.
        faces: (F, 3) indices.
    """

    def __init__(self, vertices: Array, faces: npt.NDArray[np.intp]) -> None:
        # lists are five times quicker here than arrays
        self._tree: Any = BVHTree.FromPolygons(vertices.tolist(), faces.tolist(), all_triangles=True)

    def find_nearest(self, points: Array, limit: Array) -> npt.NDArray[np.intp]:
        """(Q,) the nearest face to each point (Q, 3), -1 where none is within the limit (Q,), metres."""
        find = self._tree.find_nearest
        reach = np.minimum(limit, _FAR).tolist()
        found = [find(point, far)[2] for point, far in zip(points.tolist(), reach, strict=True)]
        return np.array([-1 if face is None else face for face in found], dtype=np.intp)
