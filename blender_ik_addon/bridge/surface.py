# SPDX-License-Identifier: GPL-3.0-or-later
"""The triangles of an evaluated object, with modifiers and shape keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from .armature import Array


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles of an evaluated object, in its own space.

    Attributes:
        arrays: the mesh's attributes: positions of the vertices, then the topology.
        faces: (F, 3) indices of vertices.
    """

    arrays: tuple[np.ndarray, ...]
    faces: np.ndarray

    @property
    def vertices(self) -> Array:
        """(V, 3) Blender units."""
        return self.arrays[0].astype(float)


def surface_of(shown: bpy.types.Object, before: Surface | None = None) -> Surface:
    """The triangles of an object; empty if it has none.

    Copying an attribute takes microseconds, computing triangles takes milliseconds. So attributes are
    compared first, and triangles are only read if these have changed.

    Args:
        shown: an evaluated object with faces.
        before: the earlier result; returned if nothing has changed.
    """
    mesh = shown.to_mesh()
    try:
        if mesh is None or not len(mesh.polygons):
            return Surface((np.zeros((0, 3), np.float32),), np.zeros((0, 3), np.int32))
        arrays = (
            _attribute(mesh, "position", "vector", np.float32, 3),
            _attribute(mesh, ".edge_verts", "value", np.int32, 2),
            _attribute(mesh, ".corner_vert", "value", np.int32, 1),
            # with the edges this gives the boundaries of the faces
            _attribute(mesh, ".corner_edge", "value", np.int32, 1),
        )
        if before is not None and _alike(before.arrays, arrays):
            return before
        mesh.calc_loop_triangles()
        faces = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
        mesh.loop_triangles.foreach_get("vertices", faces)
    finally:
        shown.to_mesh_clear()
    return Surface(arrays, faces.reshape(-1, 3))


def _alike(before: tuple[np.ndarray, ...], now: tuple[np.ndarray, ...]) -> bool:
    return len(before) == len(now) and all(map(np.array_equal, before, now))


def _attribute(mesh: bpy.types.Mesh, name: str, field: str, kind: type, width: int) -> np.ndarray:
    attribute: Any = mesh.attributes[name]
    data = attribute.data
    values = np.empty(len(data) * width, dtype=kind)
    data.foreach_get(field, values)
    return values.reshape(-1, width)
