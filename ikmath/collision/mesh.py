# SPDX-License-Identifier: GPL-3.0-or-later
"""A triangle mesh as an obstacle: furniture, scenery, another figure's skin."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, Final, Self

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Array, Index, Mask
from ..errors import BadValue
from .mesh_distance import MeshDistance, Side
from .mesh_geometry import MeshGeometry
from .narrow_phase import Nearest, ShapeGroup
from .shapes.shape import Shape
from .vectors import turned, turned_back

MODES: Final[Mapping[str, Side]] = MappingProxyType(
    {"solid": Side.SOLID, "one_sided": Side.ONE_SIDED, "two_sided": Side.TWO_SIDED}
)
AUTO: Final = "auto"
"""Mode that is replaced by "solid" for a closed mesh and by "two_sided" for any other."""


@dataclass(frozen=True, eq=False)
class TriangleMesh(Shape):
    """A triangle mesh.

    Faces without an area, repeated faces and seams are allowed. A solid may consist of several closed parts
    that touch or overlap, also with a common wall between them; nothing outside its bounding box is inside.

    Args:
        vertices: (V, 3) metres, in the obstacle's own space. A scale has to be in them already.
        faces: (F, 3) indices of vertices, anticlockwise seen from outside.
        mode: "solid" for a closed mesh with an inside; "one_sided" for a surface, such as a ground, behind
            which the figure must not be; "two_sided" for a sheet with the figure on either side of it;
            "auto" for "solid" if the mesh is closed, else "two_sided" with a note.

    Raises:
        BadShape, BadValue: no faces, vertices that are not finite, faces with vertices that do not exist,
            an unknown mode, mode "solid" for a mesh that is not closed. The message names the obstacle.
    """

    kind: ClassVar[str] = "mesh"
    label: ClassVar[str] = "Mesh"
    description: ClassVar[str] = "Any surface of triangles"
    source: ClassVar[str] = "Signs after Baerentzen & Aanaes 2005"

    vertices: npt.ArrayLike = field(repr=False)
    faces: npt.ArrayLike = field(repr=False)
    mode: str = AUTO

    geometry: MeshGeometry = field(init=False, repr=False)
    _substitute: bool = field(init=False, repr=False, default=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("geometry", MeshGeometry(self.vertices, self.faces, self.name))
        self._set("vertices", self.geometry.vertices)
        self._set("faces", self.geometry.faces)
        self._choose(self.mode)

    def _choose(self, mode: str) -> None:
        """Set the mode, with a substitute if it is "auto" and the mesh has no inside."""
        arguments.word(mode, f"mode of obstacle {self.name!r}", (AUTO, *MODES))
        flaw = self.geometry.flaw if mode in (AUTO, "solid") else ""
        if flaw and mode == "solid":
            raise BadValue(
                f"Mesh {self.name!r}", f'{flaw} and so no inside; repair it, or use mode "two_sided".'
            )
        self._set("_substitute", bool(flaw))
        self._set("mode", "two_sided" if flaw else "solid" if mode == AUTO else mode)

    def named(self, name: str, *, margin: float | None = None, mode: str | None = None) -> Self:
        """The same geometry under another name, with another margin or mode."""
        other = copy(self)
        other._set("name", name)
        if margin is not None:
            other._set("margin", margin)
        if mode is not None:
            other._choose(mode)
        return other

    @property
    def closed(self) -> bool:
        """Whether the surface has an inside."""
        return not self.geometry.flaw

    @property
    def note(self) -> str:
        """A sentence for the user if mode "auto" found no inside, else ""."""
        if not self._substitute:
            return ""
        return f"Mesh '{self.name}' {self.geometry.flaw} and so no inside; it counts as two-sided."

    def same_place(self, other: Shape) -> bool:
        if not isinstance(other, TriangleMesh) or self.geometry is not other.geometry:
            return False
        same = (self.name, self.margin, self.mode) == (other.name, other.margin, other.mode)
        moved = (self.rotation, other.rotation), (self.translation, other.translation)
        return same and all(np.array_equal(a, b) for a, b in moved)

    @property
    def bounds(self) -> tuple[Array, float]:
        """The ball around the middle of the box."""
        middle = 0.5 * (self.geometry.low + self.geometry.high)
        return self.rotation @ middle + self.translation, self.geometry.radius

    @classmethod
    def group(cls, shapes: Sequence[Self], frames: tuple[int, ...]) -> ShapeGroup:
        return MeshGroup(shapes, frames)


class MeshGroup:
    """Several meshes, each with its motion, queried together."""

    limited = True

    def __init__(self, meshes: Sequence[TriangleMesh], frames: tuple[int, ...]) -> None:
        self.count = len(meshes)
        turns = [np.broadcast_to(mesh.rotation, (*frames, 3, 3)) for mesh in meshes]
        shifts = [np.broadcast_to(mesh.translation, (*frames, 3)) for mesh in meshes]
        self.turns, self.shifts = np.stack(turns, -3).reshape(-1, 3, 3), np.stack(shifts, -2).reshape(-1, 3)
        # each geometry and mode is prepared once for all its places
        different = {(id(mesh.geometry), mesh.mode): mesh for mesh in meshes}
        roots = {key: root for root, key in enumerate(different)}
        root = np.array([roots[id(mesh.geometry), mesh.mode] for mesh in meshes], dtype=np.intp)
        self.root = np.resize(root, len(self.turns))
        self.distance = _distance_of(list(different.values()))

    def segments(self, a: Array, b: Array, row: Index, limit: Array, reach: Array) -> Nearest:
        turn, shift, root = self.turns.take(row, 0), self.shifts.take(row, 0), self.root.take(row)
        first, last = turned_back(a - shift, turn), turned_back(b - shift, turn)
        distance, point, parameter, normal = self.distance.segments(first, last, limit, reach, root)
        return Nearest(distance, turned(point, turn) + shift, parameter, turned(normal, turn))

    def meets(self, a: Array, b: Array, row: Index, near: Array) -> Mask:
        turn, shift = self.turns.take(row, 0), self.shifts.take(row, 0)
        first, last = turned_back(a - shift, turn), turned_back(b - shift, turn)
        return self.distance.meets(first, last, near, self.root.take(row))


def _distance_of(meshes: Sequence[TriangleMesh]) -> MeshDistance:
    """The meshes combined; reused if they are the same as last time."""
    members = tuple(part for mesh in meshes for part in (mesh.geometry, mesh.mode))
    known = meshes[0].geometry.shared
    if known is not None and len(known[0]) == len(members):
        same = all(old is new or old == new for old, new in zip(known[0], members, strict=True))
        if same and isinstance(known[1], MeshDistance):
            return known[1]
    made = MeshDistance([mesh.geometry for mesh in meshes], [MODES[mesh.mode] for mesh in meshes])
    if len(meshes) > 1:  # one alone costs nothing to make again
        meshes[0].geometry.shared = (members, made)
    return made
