# SPDX-License-Identifier: GPL-3.0-or-later
"""A triangle mesh as an obstacle: furniture, scenery, another figure's skin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar, Final, Self

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..errors import BadValue
from ..rotation import Array
from .candidate_set import Shortlist
from .mesh_distance import ForestSearch, MeshDistance, Side
from .mesh_geometry import MeshGeometry
from .sampled_search import PointTree, SampledSearch
from .shape_group import Answer, Group, Index, Mask
from .shapes.shape import Nearest, SegmentNearest, Shape

MODES: Final[Mapping[str, Side]] = MappingProxyType(
    {"solid": Side.SOLID, "one_sided": Side.ONE_SIDED, "two_sided": Side.TWO_SIDED}
)


@dataclass(frozen=True, eq=False)
class TriangleMesh(Shape):
    """A triangle mesh.

    Faces without an area, faces that are there twice, seams and edges with more than two faces are allowed.

    Args:
        vertices: (V, 3) metres, in the obstacle's own space. A scale has to be in them already.
        faces: (F, 3) indices of vertices, anticlockwise seen from outside.
        mode: "solid" for a closed mesh with an inside; "one_sided" for a surface, such as a ground, behind
            which the figure must not be; "two_sided" for a sheet that may be on either side but not be
            passed through.
        tree: something that finds nearest triangles in the obstacle's own space, in place of our own tree.

    Raises:
        BadShape, BadValue: no faces, vertices that are not finite, faces that name vertices which are not
            there, another mode. The message names the obstacle.
    """

    kind: ClassVar[str] = "mesh"
    label: ClassVar[str] = "Mesh"
    description: ClassVar[str] = "Any surface of triangles"
    source: ClassVar[str] = "Signs after Baerentzen & Aanaes 2005"

    vertices: npt.ArrayLike = field(repr=False)
    faces: npt.ArrayLike = field(repr=False)
    mode: str = "solid"
    tree: PointTree | None = field(default=None, repr=False)

    geometry: MeshGeometry = field(init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.word(self.mode, f"mode of obstacle {self.name!r}", tuple(MODES))
        if self.tree is not None and not isinstance(self.tree, PointTree):
            raise BadValue(f"tree of obstacle {self.name!r}", "has no find_nearest(points, limit).")
        self._set("geometry", MeshGeometry(self.vertices, self.faces, self.name))
        self._set("vertices", self.geometry.vertices)
        self._set("faces", self.geometry.faces)

    def named(self, name: str, *, margin: float | None = None, mode: str | None = None) -> Self:
        """The same geometry and tree under another name, with another margin or mode."""
        other = copy(self)
        other.__dict__.pop("_distance", None)
        for field_name, value in (("name", name), ("margin", margin), ("mode", mode)):
            if value is not None:
                other._set(field_name, value)
        arguments.word(other.mode, f"mode of obstacle {name!r}", tuple(MODES))
        return other

    @property
    def closed(self) -> bool:
        """Whether the surface has an inside; mode "solid" means little if it has none."""
        return self.geometry.normals.closed

    def stands(self, other: Shape) -> bool:
        """See `Shape.stands`."""
        if not isinstance(other, TriangleMesh) or self.geometry is not other.geometry:
            return False
        told = (self.name, self.margin, self.mode) == (other.name, other.margin, other.mode)
        moved = (self.rotation, other.rotation), (self.translation, other.translation)
        return told and self.tree is other.tree and all(np.array_equal(a, b) for a, b in moved)

    @property
    def steady(self) -> bool:
        """See `Shape.steady`: an open surface has no inside that could begin all at once."""
        return self.mode != "solid" or self.closed

    @property
    def bounds(self) -> tuple[Array, float]:
        """The ball around the box."""
        low, high = self.geometry.low, self.geometry.high
        half = 0.5 * (high - low)
        return self.rotation @ (0.5 * (low + high)) + self.translation, float(np.sqrt(half @ half))

    @cached_property
    def _distance(self) -> MeshDistance:
        return _distance_of([self])

    def nearest(self, points: npt.ArrayLike, limit: float | None = None) -> Nearest:
        """See `Shape.nearest`."""
        (query,), batch = self._flat(points)
        turn, shift = self._per_row(self.rotation, batch), self._per_row(self.translation, batch)
        reach = np.full(len(query), np.inf if limit is None else limit)
        root = np.zeros(len(query), dtype=np.intp)
        distance, point, normal = self._distance.points(_into(query, turn, shift), reach, root)
        point, normal = _turned(point, turn) + shift, _turned(normal, turn)
        return Nearest(distance.reshape(batch), point.reshape(*batch, 3), normal.reshape(*batch, 3))

    def nearest_segment(
        self, a: npt.ArrayLike, b: npt.ArrayLike, limit: float | None = None
    ) -> SegmentNearest:
        """See `Shape.nearest_segment`."""
        (first, last), batch = self._flat(a, b)
        turn, shift = self._per_row(self.rotation, batch), self._per_row(self.translation, batch)
        reach = np.full(len(first), np.inf if limit is None else limit)
        root = np.zeros(len(first), dtype=np.intp)
        first, last = _into(first, turn, shift), _into(last, turn, shift)
        distance, point, parameter, normal = self._distance.segments(first, last, reach, reach, root)
        point, normal = _turned(point, turn) + shift, _turned(normal, turn)
        return SegmentNearest(
            distance.reshape(batch),
            point.reshape(*batch, 3),
            parameter.reshape(batch),
            normal.reshape(*batch, 3),
        )

    @classmethod
    def group(cls, shapes: Sequence[Self], frames: tuple[int, ...]) -> Group:
        """See `Shape.group`."""
        return MeshGroup(shapes, frames)


class MeshGroup:
    """Several meshes, each with its motion, asked together."""

    limited = True

    def __init__(self, meshes: Sequence[TriangleMesh], frames: tuple[int, ...]) -> None:
        self.count = len(meshes)
        self.made_of = [(mesh.geometry, mesh.mode, mesh.tree) for mesh in meshes]
        self._place(meshes, frames)
        # our own trees answer together, each once for all its places; foreign ones one by one
        own = [i for i, mesh in enumerate(meshes) if mesh.tree is None]
        foreign = [[i] for i, mesh in enumerate(meshes) if mesh.tree is not None]
        self.parts = []
        self.part = np.zeros(self.count, dtype=np.intp)
        self.root = np.zeros(self.count, dtype=np.intp)
        for number, part in enumerate(([own] if own else []) + foreign):
            first = {(id(meshes[i].geometry), meshes[i].mode): i for i in reversed(part)}
            order = sorted(first.values())
            roots = {i: root for root, i in enumerate(order)}
            self.parts.append(_distance_of([meshes[i] for i in order]))
            self.part[part] = number
            self.root[part] = [roots[first[id(meshes[i].geometry), meshes[i].mode]] for i in part]

    def _place(self, meshes: Sequence[TriangleMesh], frames: tuple[int, ...]) -> None:
        turns = [np.broadcast_to(mesh.rotation, (*frames, 3, 3)) for mesh in meshes]
        shifts = [np.broadcast_to(mesh.translation, (*frames, 3)) for mesh in meshes]
        self.turns, self.shifts = np.stack(turns, -3).reshape(-1, 3, 3), np.stack(shifts, -2).reshape(-1, 3)

    def carried(self, shapes: Sequence[TriangleMesh], frames: tuple[int, ...]) -> MeshGroup:
        """See `Group`: the trees stay if all meshes are the same ones, elsewhere."""
        made_of = [(mesh.geometry, mesh.mode, mesh.tree) for mesh in shapes]
        same = len(made_of) == self.count and all(
            new[0] is old[0] and new[1] == old[1] and new[2] is old[2]
            for new, old in zip(made_of, self.made_of, strict=True)
        )
        if not same:
            return MeshGroup(shapes, frames)
        other = copy(self)
        other._place(shapes, frames)
        return other

    def segments(
        self,
        a: Array,
        b: Array,
        which: Index,
        frame: Index | None,
        limit: Array | None,
        reach: Array | None = None,
        shortlist: Shortlist | None = None,
    ) -> Answer:
        """See `Group`; with foreign trees no shortlist is filled."""
        row = which if frame is None else which + frame * self.count
        turn, shift = self.turns.take(row, 0), self.shifts.take(row, 0)
        first, last = _into(a, turn, shift), _into(b, turn, shift)
        limit = np.full(len(a), np.inf) if limit is None else limit
        reach = limit if reach is None else reach
        root = self.root.take(which)
        if len(self.parts) == 1:
            distance, point, parameter, normal = self.parts[0].segments(
                first, last, limit, reach, root, shortlist
            )
        else:
            count = len(a)
            distance, point, parameter = np.empty(count), np.empty((count, 3)), np.empty(count)
            normal = np.empty((count, 3))
            part = self.part.take(which)
            for number, meshes in enumerate(self.parts):
                mine = (part == number).nonzero()[0]
                if len(mine):
                    distance[mine], point[mine], parameter[mine], normal[mine] = meshes.segments(
                        first.take(mine, 0),
                        last.take(mine, 0),
                        limit.take(mine),
                        reach.take(mine),
                        root.take(mine),
                    )
        return distance, _turned(point, turn) + shift, parameter, _turned(normal, turn)

    def meets(self, a: Array, b: Array, which: Index, near: Array) -> Mask:
        """See `Group`."""
        turn, shift = self.turns.take(which, 0), self.shifts.take(which, 0)
        first, last = _into(a, turn, shift), _into(b, turn, shift)
        root, part, met = self.root.take(which), self.part.take(which), np.empty(len(a), dtype=bool)
        for number, meshes in enumerate(self.parts):
            mine = (part == number).nonzero()[0]
            if len(mine):
                ends = first.take(mine, 0), last.take(mine, 0)
                met[mine] = meshes.meets(*ends, near.take(mine), root.take(mine))
        return met


def _distance_of(meshes: Sequence[TriangleMesh]) -> MeshDistance:
    """The meshes as one, or what was made of the same ones the last time."""
    members = tuple(part for mesh in meshes for part in (mesh.geometry, mesh.mode, mesh.tree))
    known = meshes[0].geometry.company
    if known is not None and len(known[0]) == len(members):
        same = all(old is new or old == new for old, new in zip(known[0], members, strict=True))
        if same and isinstance(known[1], MeshDistance):
            return known[1]
    geometries = [mesh.geometry for mesh in meshes]
    tree = meshes[0].tree
    search = ForestSearch(geometries) if tree is None else SampledSearch(geometries[0], tree)
    made = MeshDistance(geometries, [MODES[mesh.mode] for mesh in meshes], search)
    if len(meshes) > 1:  # one alone costs nothing to make again
        meshes[0].geometry.company = (members, made)
    return made


def _into(points: Array, turn: Array, shift: Array) -> Array:
    """Places of the world in the obstacles' own spaces; rows."""
    result: Array = np.matmul((points - shift)[:, None], turn)[:, 0]
    return result


def _turned(vectors: Array, turn: Array) -> Array:
    """Vectors of the obstacles' own spaces in the world; rows."""
    result: Array = np.matmul(turn, vectors[:, :, None])[:, :, 0]
    return result
