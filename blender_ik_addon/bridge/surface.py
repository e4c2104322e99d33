# SPDX-License-Identifier: GPL-3.0-or-later
"""The surfaces that objects show: their evaluated triangles, and instances of these.

Instances of collections, faces and vertices, particles and geometry nodes are listed in Blender's dependency
graph. An entry is valid only until the next one is read. So each surface is read immediately, once for all
instances that share it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ..properties.obstacle import SURFACES
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


@dataclass(frozen=True, eq=False)
class Instance:
    """One surface that an object shows at one place.

    Attributes:
        key: unique and constant over frames.
        source: the same for all instances of one surface.
        surface: in the space of the shown object.
        matrix: (4, 4) world transform.
    """

    key: str
    source: str
    surface: Surface
    matrix: Array


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


def read_instances(
    makers: Collection[str],
    depsgraph: bpy.types.Depsgraph,
    before: Mapping[str, Surface],
    is_left_out: Callable[[bpy.types.Object], bool],
) -> dict[str, list[Instance]]:
    """All surfaces that some objects show as instances, by the full names of these objects.

    Args:
        makers: full names of original objects.
        depsgraph: evaluated.
        before: earlier surfaces, by source; unchanged ones are returned again.
        is_left_out: whether to ignore the instances of an original object.
    """
    found: dict[str, list[Instance]] = {name: [] for name in makers}
    if not found:
        return found
    read: dict[int, tuple[str, Surface | None]] = {}
    alike: dict[str, int] = {}  # objects of one name with different surfaces, for example from geometry nodes
    for instance in depsgraph.object_instances:
        if not instance.is_instance or not instance.show_self:
            continue
        own, shown = found.get(instance.parent.name_full), instance.object
        if own is None or shown.type not in SURFACES or shown.data is None:
            continue
        which = shown.data.as_pointer()
        if which not in read:
            name = f"{shown.name_full}/{shown.data.name_full}"
            alike[name] = alike.get(name, 0) + 1
            source = f"{name}/{alike[name]}"
            thing = (instance.instance_object or shown).original
            read[which] = source, None if is_left_out(thing) else surface_of(shown, before.get(source))
        source, surface = read[which]
        if surface is not None and len(surface.faces):
            persistent: Any = instance.persistent_id
            number = ".".join(map(str, persistent))
            matrix = np.array(instance.matrix_world, dtype=float)
            own.append(Instance(f"{source}/{number}", source, surface, matrix))
    return found


def _alike(before: tuple[np.ndarray, ...], now: tuple[np.ndarray, ...]) -> bool:
    return len(before) == len(now) and all(map(np.array_equal, before, now))


def _attribute(mesh: bpy.types.Mesh, name: str, field: str, kind: type, width: int) -> np.ndarray:
    attribute: Any = mesh.attributes[name]
    data = attribute.data
    values = np.empty(len(data) * width, dtype=kind)
    data.foreach_get(field, values)
    return values.reshape(-1, width)
