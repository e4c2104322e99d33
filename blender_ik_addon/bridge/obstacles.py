# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of the scene as obstacles for ikmath.

What is seen counts: the evaluated mesh, with modifiers and shape keys. Its scale goes into the vertices,
    its place stays a rigid motion; so the tree over the triangles is built once and kept until the geometry
    or the scale changes, however the object moves. What cannot be an obstacle now (hidden, deleted, flat,
    without faces, the figure's own skin) is left out and said in a sentence.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import hypot, isfinite
from typing import Any, Final

import bpy
import numpy as np

from ikmath.errors import IkError
from ikmath.obstacles import TriangleMesh

from ..properties.obstacle import SURFACES
from .armature import Array
from .faults import Fault
from .mesh_tree import BlenderTree
from .skin import is_deformed
from .space import Space, nearest_rotation, volume

MODES: Final = {"SOLID": "solid", "ONE_SIDED": "one_sided", "TWO_SIDED": "two_sided"}
"""Modes by the identifiers that properties have."""

TREES: Final = ("OWN", "BLENDER")
_SINGLE: Final = 3e-6  # relative: to what Blender's matrices in single precision agree from frame to frame
_FLAT: Final = 1e-9  # relative volume of an object's axes below which its scale counts as zero


@dataclass(frozen=True)
class Wanted:
    """An object to keep out of.

    Attributes:
        object: the original object, None if it was deleted.
        mode: a key of `MODES`.
        margin: metres that the figure keeps away from it, on top of the margin for all.
        name: what to call it if it was deleted.
        within: the instances of collections in which it is there, the outermost first; none where it is
            there itself.
    """

    object: bpy.types.Object | None
    mode: str = "SOLID"
    margin: float = 0.0
    name: str = ""
    within: tuple[bpy.types.Object, ...] = ()

    @property
    def key(self) -> str:
        """Tells it from all others, "" if it was deleted."""
        if self.object is None:
            return ""
        return "/".join(thing.name_full for thing in (*self.within, self.object))

    @property
    def placed(self) -> bpy.types.Object | None:
        """What is in the scene: the object or the outermost instance."""
        return self.within[0] if self.within else self.object


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles of an evaluated object, in its own space.

    Attributes:
        arrays: what the mesh is made of, as Blender stores it: places of the vertices, then who is joined
            to whom.
        faces: (F, 3) indices of vertices.
    """

    arrays: tuple[np.ndarray, ...]
    faces: np.ndarray

    @property
    def vertices(self) -> Array:
        """(V, 3) Blender units."""
        return self.arrays[0].astype(float)


@dataclass(frozen=True)
class _Kept:
    """An obstacle as it was read last.

    Attributes:
        surface, bake: what its mesh was made of; mesh: in the object's own space.
        placed: the mesh in figure space; told: what that was made for, to be compared, None before.
    """

    surface: Surface
    bake: Array
    mesh: TriangleMesh
    placed: TriangleMesh
    told: Any = None


class ObstacleReader:
    """Reads obstacles and keeps their trees; whoever solves often keeps the reader.

    It holds no Blender object.

    Args:
        trees: "OWN" for ikmath's tree, which is exact for bones and quicker; "BLENDER" for
            `mathutils.bvhtree`.
    """

    def __init__(self, trees: str = "OWN") -> None:
        self._trees = trees
        self._kept: dict[str, _Kept] = {}

    def read(
        self,
        wanted: Sequence[Wanted],
        armature_object: bpy.types.Object,
        space: Space,
        depsgraph: bpy.types.Depsgraph,
        reshaped: Collection[str] | None = None,
    ) -> tuple[list[TriangleMesh], list[Fault]]:
        """The obstacles as they are now, in figure space, and what was left out and why.

        Args:
            wanted: what to keep out of.
            armature_object: the figure, whose own skin is no obstacle to it.
            space: where the figure is.
            depsgraph: the evaluated scene.
            reshaped: full names of the objects whose geometry may have changed since the last time; None
                where nobody knows, and all are looked at.

        Returns:
            Meshes named after their objects, in the order given; faults, none of which blocks. A solid that
            is not closed is taken as a one-sided surface.
        """
        meshes: list[TriangleMesh] = []
        faults: list[Fault] = []
        kept: dict[str, _Kept] = {}
        for one in wanted:
            reason = why_not(one, armature_object, depsgraph)
            if reason:
                faults.append(Fault(_name(one), reason, blocking=False))
                continue
            key, name = one.key, one.object.name_full
            try:
                own = self._geometry(key, one, depsgraph, reshaped is None or name in reshaped)
            except IkError as error:
                sentence = f"Obstacle '{_name(one)}' is left out. {error}"
                faults.append(Fault(_name(one), sentence, blocking=False))
                continue
            mode = MODES[one.mode]
            if mode == "solid" and not own.mesh.closed:
                mode = "one_sided"
                sentence = (
                    f"Obstacle '{_name(one)}' has an open rim and so no inside; it counts as one-sided."
                )
                faults.append(Fault(_name(one), sentence, blocking=False))
            world = _matrix(one, depsgraph)
            kept[key] = _placed(own, _name(one), one.margin, mode, world, space)
            meshes.append(kept[key].placed)
        self._kept = kept
        return meshes, faults

    def _geometry(self, key: str, wanted: Wanted, depsgraph: bpy.types.Depsgraph, reshaped: bool) -> _Kept:
        before, obj = self._kept.get(key), wanted.object
        if before is None or reshaped:
            surface = read_surface(obj, depsgraph, before.surface if before else None)
        else:
            surface = before.surface
        matrix = _matrix(wanted, depsgraph)
        if before is not None and surface is before.surface:
            if before.told is not None and before.told[0] == matrix.tobytes():
                return before
            if _equal(before.bake, _placement(matrix)[2]):
                return before
        bake = _placement(matrix)[2]
        vertices = surface.vertices @ bake.T
        faces = surface.faces[:, ::-1] if np.linalg.det(bake) < 0 else surface.faces  # mirrored: inside out
        mesh = TriangleMesh(vertices, faces, name=obj.name)
        if self._trees == "BLENDER":
            tree = BlenderTree(vertices, mesh.geometry.faces)
            mesh = TriangleMesh(vertices, faces, name=obj.name, tree=tree)
        return _Kept(surface, bake, mesh, mesh)


def _placed(own: _Kept, name: str, margin: float, mode: str, matrix: Array, space: Space) -> _Kept:
    """An obstacle with its mesh in figure space: the very same one as long as neither of them moves."""
    told = matrix.tobytes(), space.rotation.tobytes(), space.translation.tobytes(), name, margin, mode
    if own.told == told:
        return own
    rotation, translation, _ = _placement(matrix)
    mesh = own.mesh.named(name, margin=margin, mode=mode)
    moved = mesh.moved(space.rotation_in(rotation), space.point_in(translation))
    return replace(own, told=told, placed=moved)


def why_not(wanted: Wanted, armature_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> str:
    """Why an object cannot be an obstacle now, as a sentence; "" if it can. Looks at no geometry."""
    obj, placed, name = wanted.object, wanted.placed, _name(wanted)
    if obj is None or placed is None or placed.name not in depsgraph.scene.objects:
        return f"Obstacle '{name}' is not in the scene any more; take it off the list."
    if obj.type not in SURFACES:
        return f"Obstacle '{name}' has no surface; choose a mesh, curve, text or metaball."
    there = all(thing.evaluated_get(depsgraph).is_evaluated for thing in (*wanted.within, obj))
    if not there or not placed.visible_get(view_layer=depsgraph.view_layer):
        return f"Obstacle '{name}' is hidden and so ignored; show it, or take it off the list."
    if _moves_with(obj, armature_object) or _moves_with(placed, armature_object):
        return f"Obstacle '{name}' is moved by '{armature_object.name}' itself, so it is no obstacle to it."
    # plain numbers: this runs at every redraw, and for so few of them numpy's calls cost more than the sums
    rows = _matrix(wanted, depsgraph).tolist()
    if not all(map(isfinite, chain.from_iterable(rows))):
        return f"The transform of obstacle '{name}' holds a value that is not a finite number; clear it."
    axes = [row[:3] for row in rows[:3]]
    lengths = [hypot(*column) for column in zip(*axes, strict=True)]
    if not min(lengths) > 0.0 or abs(volume(axes)) <= _FLAT * max(lengths) ** 3:
        return f"Obstacle '{name}' is scaled to zero; give it a scale."
    return ""


def read_surface(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, before: Surface | None = None
) -> Surface:
    """The triangles that an object shows, with its modifiers; none if it has none.

    Blender copies whole attributes in microseconds, while its list of triangles takes milliseconds. So what
    the mesh is made of is compared first, and triangles are only read where it has changed.

    Args:
        obj: of one of the types in `SURFACES`.
        depsgraph: the evaluated scene.
        before: what was read before; returned itself if nothing has changed.
    """
    shown = obj.evaluated_get(depsgraph)
    mesh = shown.to_mesh()
    try:
        if mesh is None or not len(mesh.polygons):
            return Surface((np.zeros((0, 3), np.float32),), np.zeros((0, 3), np.int32))
        arrays = (
            _attribute(mesh, "position", "vector", np.float32, 3),
            _attribute(mesh, ".edge_verts", "value", np.int32, 2),
            _attribute(mesh, ".corner_vert", "value", np.int32, 1),
            # with the edges it tells where one face ends and the next begins
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


def _equal(before: Array, now: Array) -> bool:
    """Whether two scales, read from matrices that have turned meanwhile, are the same one."""
    return bool(np.abs(before - now).max() <= _SINGLE * np.abs(now).max())


def _matrix(wanted: Wanted, depsgraph: bpy.types.Depsgraph) -> Array:
    """(4, 4) where an obstacle is shown."""
    obj: Any = wanted.object
    matrix = np.array(obj.evaluated_get(depsgraph).matrix_world, dtype=float)
    for instance in reversed(wanted.within):
        collection: Any = instance.instance_collection
        moved = matrix - np.outer((*collection.instance_offset, 0.0), matrix[3])
        matrix = np.array(instance.evaluated_get(depsgraph).matrix_world, dtype=float) @ moved
    return matrix


def _placement(matrix: Array) -> tuple[Array, Array, Array]:
    """World rotation (3, 3) and translation (3,) of a matrix, and the scale and shear (3, 3) before them."""
    rotation = nearest_rotation(matrix[:3, :3])
    return rotation, matrix[:3, 3].copy(), rotation.T @ matrix[:3, :3]


def _moves_with(obj: bpy.types.Object, armature_object: bpy.types.Object) -> bool:
    """Whether an object is skin or prop of the figure: deformed by it, or hung on one of its bones."""
    walk: bpy.types.Object | None = obj
    while walk is not None:
        if walk.parent == armature_object and walk.parent_type == "BONE":
            return True
        walk = walk.parent
    return is_deformed(obj, armature_object)


def _name(wanted: Wanted) -> str:
    return wanted.placed.name if wanted.placed is not None else wanted.name
