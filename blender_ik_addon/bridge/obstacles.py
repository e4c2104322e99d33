# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads objects of the scene as obstacles for ikmath.

Obstacles are the evaluated mesh, with modifiers and shape keys, and the instances that an object shows. Scale
is applied to the vertices, the rest of the transform is a rigid motion. So the tree over the triangles is
built once, and reused until the geometry or the scale changes. Hidden, deleted, flat or empty objects and the
figure's own skin are ignored, with a sentence.

Instances of collections, faces and vertices, particles and geometry nodes are listed in Blender's dependency
graph. An entry is valid only until the next one is read. So each surface is read immediately, once for all
instances that share it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot
from typing import Any, Final

import bpy
import numpy as np

from ikmath.collision import TriangleMesh
from ikmath.errors import IkError

from ..properties.obstacle import SURFACES, has_surface, makes_instances
from .armature import Array, read_all
from .evaluated import Changes, carrying_bone, is_shown
from .skin import is_deformed
from .space import Space, nearest_rotation, volume

MODES: Final = {"SOLID": "auto", "ONE_SIDED": "one_sided", "TWO_SIDED": "two_sided"}
"""Identifier of the property -> mode in ikmath. A solid that is not closed becomes two-sided."""

_SINGLE: Final = 3e-6  # relative precision of Blender's matrices between frames
_DIGITS: Final = 5  # digits in which the scales of instances must agree to share a tree
_BOUND: Final = {"SURFACE_DEFORM": "target", "MESH_DEFORM": "object"}  # modifiers that follow another surface
_FLAT: Final = 1e-9  # relative volume of an object's axes below which its scale counts as zero


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
    """The triangles of an evaluated object; empty if it has none, `before` if nothing has changed.

    Copying an attribute takes microseconds, computing triangles takes milliseconds. So attributes are
    compared first, and triangles are only read if these have changed.
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
        if before and len(before.arrays) == len(arrays) and all(map(np.array_equal, before.arrays, arrays)):
            return before
        mesh.calc_loop_triangles()
        faces = read_all(mesh.loop_triangles, "vertices", 3, np.int32)
    finally:
        shown.to_mesh_clear()
    return Surface(arrays, faces)


def read_instances(
    makers: Collection[str],
    depsgraph: bpy.types.Depsgraph,
    before: Mapping[str, Surface],
    armature: bpy.types.Object,
) -> dict[str, list[Instance]]:
    """All surfaces that some objects show as instances, by the full names of these objects.

    Those of objects that move with the figure are left out, see `moves_with`. `makers` are full names of
    original objects. Of the surfaces `before`, by source, unchanged ones are returned again.
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
            own_skin = moves_with(thing, armature)
            read[which] = source, None if own_skin else surface_of(shown, before.get(source))
        source, surface = read[which]
        if surface is not None and len(surface.faces):
            persistent: Any = instance.persistent_id
            number = ".".join(map(str, persistent))
            matrix = np.array(instance.matrix_world, dtype=float)
            own.append(Instance(f"{source}/{number}", source, surface, matrix))
    return found


def _attribute(mesh: bpy.types.Mesh, name: str, field: str, kind: type, width: int) -> np.ndarray:
    attribute: Any = mesh.attributes[name]
    return read_all(attribute.data, field, width, kind).reshape(-1, width)


@dataclass(frozen=True)
class Avoided:
    """An object to avoid.

    Attributes:
        object: the original object, None if it was deleted.
        mode: a key of `MODES`.
        margin: metres, clearance in addition to the common margin.
        name: for messages if the object was deleted.
    """

    object: bpy.types.Object | None
    mode: str = "SOLID"
    margin: float = 0.0
    name: str = ""

    @property
    def key(self) -> str:
        """Unique name, "" if the object was deleted."""
        return self.object.name_full if self.object is not None else ""

    @property
    def shown_name(self) -> str:
        """Name for messages."""
        return self.object.name if self.object is not None else self.name


@dataclass(frozen=True)
class _Kept:
    """The cached data of an obstacle or one of its instances.

    Attributes:
        source: the name of the surface.
        surface, bake: the mesh's source and scale; mesh: in the object's own space.
        placed: the mesh in figure space; told: a key of its transform and settings, None at first.
    """

    source: str
    surface: Surface
    bake: Array
    mesh: TriangleMesh
    placed: TriangleMesh
    told: Any = None


class ObstacleReader:
    """Reads obstacles and caches their trees, for several solves; it holds no Blender object."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}
        self._read = frozenset[str]()
        self._mirrors = False

    def concerned(self, changes: Changes) -> bool:
        """Whether the obstacles may have changed since they were read."""
        touched = changes.touched
        return touched is None or not self._read.isdisjoint(touched) or (self._mirrors and bool(touched))

    def read(
        self,
        wanted: Sequence[Avoided],
        armature: bpy.types.Object,
        space: Space,
        depsgraph: bpy.types.Depsgraph,
        reshaped: Collection[str] | None = None,
    ) -> tuple[list[TriangleMesh], list[str]]:
        """Read the present obstacles in figure space, and why others are ignored.

        The figure's own skin is no obstacle. `reshaped` has the full names of the objects whose geometry may
        have changed since the last call; None to read all.

        Returns:
            Meshes named after their objects, in the given order, one for each instance; sentences on the
                others. A solid that is not closed becomes a two-sided surface.
        """
        reasons = [why_not(one, armature, depsgraph) for one in wanted]
        ignored = [reason for reason in reasons if reason]
        there = [one for one, reason in zip(wanted, reasons, strict=True) if not reason]
        makers = [one.key for one in there if one.object is not None and makes_instances(one.object)]
        self._read, self._mirrors = frozenset(one.key for one in wanted), bool(makers)
        sources = {kept.source: kept.surface for kept in self._kept.values()}
        instances = read_instances(makers, depsgraph, sources, armature)
        kept: dict[str, _Kept] = {}
        shared: dict[tuple[int, bytes], TriangleMesh] = {}
        surfaces: dict[int, Surface] = {}
        for one in there:
            shows = [*self._own(one, depsgraph, reshaped, surfaces), *instances.get(one.key, ())]
            found, said = self._shapes(one, shows, space, shared)
            kept.update(found)
            if said:
                ignored.append(said)
        self._kept = kept
        return [each.placed for each in kept.values()], ignored

    def _shapes(
        self,
        wanted: Avoided,
        shows: Sequence[Instance],
        space: Space,
        shared: dict[tuple[int, bytes], TriangleMesh],
    ) -> tuple[dict[str, _Kept], str]:
        """The obstacles that an object shows, by key, and a sentence on its fault or ""."""
        name, found, said = wanted.shown_name, dict[str, _Kept](), ""
        if not shows:
            said = f"Obstacle '{name}' has no faces and is ignored; add faces, or remove it from the list."
        for shown in shows:
            if shown.key and is_flat(shown.matrix):
                continue  # small particles may be flat; the object itself was checked before
            key, mode = f"{wanted.key}/{shown.key}", MODES[wanted.mode]
            try:
                own = self._geometry(key, name, shown, shared)
            except IkError as error:
                said = f"Obstacle '{name}' is ignored. {error}"
                continue
            found[key] = _placed(own, name, wanted.margin, mode, shown.matrix, space)
            if found[key].placed.note:
                repair = "Close the mesh or recalculate its normals, or choose another mode."
                said = said or f"{found[key].placed.note} {repair}"
        return found, said

    def _own(
        self,
        wanted: Avoided,
        depsgraph: bpy.types.Depsgraph,
        reshaped: Collection[str] | None,
        surfaces: dict[int, Surface],
    ) -> Iterator[Instance]:
        """The surface of an object at its own place, if it is visible itself.

        `surfaces` has those of this call by address of the evaluated mesh, which linked duplicates share.
        """
        obj: Any = wanted.object
        hides = "render" if depsgraph.mode == "RENDER" else "viewport"
        itself = not obj.is_instancer or getattr(obj, f"show_instancer_for_{hides}")
        if obj.type not in SURFACES or not itself:
            return
        before = self._kept.get(f"{wanted.key}/")
        if before is None or reshaped is None or wanted.key in reshaped:
            evaluated = obj.evaluated_get(depsgraph)
            which = evaluated.data.as_pointer() if obj.type == "MESH" else evaluated.as_pointer()
            if which not in surfaces:
                surfaces[which] = surface_of(evaluated, before.surface if before else None)
            surface = surfaces[which]
        else:
            surface = before.surface
        if len(surface.faces):
            yield Instance("", wanted.key, surface, _matrix(obj, depsgraph))

    def _geometry(
        self, key: str, name: str, shown: Instance, shared: dict[tuple[int, bytes], TriangleMesh]
    ) -> _Kept:
        """An instance with its mesh; `shared` has the meshes of this call, by surface and scale."""
        before, surface = self._kept.get(key), shown.surface
        if before is not None and surface is not before.surface:
            before = None
        if before is not None and before.told is not None and before.told[0] == shown.matrix.tobytes():
            return before
        bake = _placement(shown.matrix)[2]
        size = np.abs(bake).max()
        if before is not None and np.abs(before.bake - bake).max() <= _SINGLE * size:
            return before
        alike = id(surface), f"{size:.{_DIGITS}g}".encode() + np.round(bake / size, _DIGITS).tobytes()
        mesh = shared.get(alike)
        if mesh is None:
            faces = surface.faces[:, ::-1] if np.linalg.det(bake) < 0 else surface.faces  # mirrored: reversed
            # the mode is chosen when placed
            mesh = TriangleMesh(surface.vertices @ bake.T, faces, name=name, mode="two_sided")
            shared[alike] = mesh
        return _Kept(shown.source, surface, bake, mesh, mesh)


def _placed(own: _Kept, name: str, margin: float, mode: str, matrix: Array, space: Space) -> _Kept:
    """An obstacle with its mesh in figure space; the same object as long as nothing has moved."""
    told = matrix.tobytes(), space.rotation.tobytes(), space.translation.tobytes(), name, margin, mode
    if own.told == told:
        return own
    rotation, translation, _ = _placement(matrix)
    mesh = own.mesh.named(name, margin=margin, mode=mode)
    moved = mesh.moved(space.rotation_in(rotation), space.point_in(translation))
    return replace(own, told=told, placed=moved)


def why_not(wanted: Avoided, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> str:
    """Why an object cannot be an obstacle at present, as a sentence; "" if it can."""
    obj, name = wanted.object, wanted.shown_name
    shown = obj is not None and is_shown(obj, depsgraph)
    # what is shown is in the scene; to look there takes long if there are thousands
    if obj is None or not (shown or obj.name in depsgraph.scene.objects):
        return f"Obstacle '{name}' is no longer in the scene; remove it from the list."
    if not has_surface(obj):
        return f"Obstacle '{name}' has no surface; choose a mesh, curve, text or metaball."
    if not shown:
        return f"Obstacle '{name}' is hidden and ignored; show it, or remove it from the list."
    matrix = _matrix(obj, depsgraph)
    if not np.isfinite(matrix).all():
        return f"The transform of obstacle '{name}' must consist of finite numbers; clear it."
    if is_flat(matrix):
        return f"Obstacle '{name}' is scaled to zero; give it a scale."
    if moves_with(obj, armature):
        return f"Obstacle '{name}' is moved by '{armature.name}' itself and is ignored."
    return ""


def is_flat(matrix: Array) -> bool:
    """Whether a transform (4, 4) scales to zero in some direction."""
    # plain numbers are faster than numpy for so few
    axes = [row[:3] for row in matrix.tolist()[:3]]
    lengths = [hypot(*column) for column in zip(*axes, strict=True)]
    return not min(lengths) > 0.0 or abs(volume(axes)) <= _FLAT * max(lengths) ** 3


def moves_with(obj: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Whether an object belongs to a figure as skin, clothing or prop: deformed or carried by its bones."""
    bound: list[Any] = [getattr(each, _BOUND[each.type]) for each in obj.modifiers if each.type in _BOUND]
    skins = [obj, *(skin for skin in bound if skin is not None)]
    if any(is_deformed(skin, armature) for skin in skins):
        return True
    if obj.parent is None and not len(obj.constraints) and obj.animation_data is None:
        return False  # runs for every obstacle in every frame, and most have no parent
    bones = frozenset(bone.name for bone in armature.data.bones)
    return bool(carrying_bone(obj, "", armature, bones))


def _matrix(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Array:
    """(4, 4) evaluated world matrix of an object."""
    return np.array(obj.evaluated_get(depsgraph).matrix_world, dtype=float)


def _placement(matrix: Array) -> tuple[Array, Array, Array]:
    """World rotation (3, 3) and translation (3,) of a matrix, and its scale and shear (3, 3)."""
    rotation = nearest_rotation(matrix[:3, :3])
    return rotation, matrix[:3, 3].copy(), rotation.T @ matrix[:3, :3]
