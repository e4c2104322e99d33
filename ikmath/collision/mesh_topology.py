# SPDX-License-Identifier: GPL-3.0-or-later
"""How the faces of a mesh are connected, and which closed parts they form.

Vertices at the same place are one vertex, and a face that occurs twice is one face. If an open rim remains,
vertices on the rim that agree to single precision are one vertex, too: the poles of a surface of revolution,
or the seam of a mirrored half.

A mesh is closed if every edge has as many faces in one direction as in the other. A closed mesh may have
several parts. Parts that touch or overlap are put into different *layers*: within one layer the nearest
feature decides about inside and outside, and a point is inside the mesh if it is inside any layer.
"""

from __future__ import annotations

from copy import copy
from itertools import count
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ..arrays import Array, Index, Mask
from .vectors import TINY, cross, dot, length

_ROUNDING: Final = 1e-6  # a few times that of single precision, in which meshes are stored
_FLAT: Final = 1e-10  # height over length of a face below which it has no area
_SAME_ANGLE: Final = 1e-6  # radians: faces around an edge that are closer than this coincide
_MANY_PATCHES: Final = 1000  # above this no shared walls are sought
_MOST_PAIRS: Final = 1_000_000  # of parts whose boxes meet: of 1,400 parts in one place, or of very many


class Layers(NamedTuple):
    """The closed parts of a mesh."""

    topology: MeshTopology  # the connections with parts that share no vertex and no edge
    layer: Index  # (F,) the layer of each face, -1 for faces that bound no part
    layers: int  # how many there are


class MeshTopology:
    """Shared vertices and edges of a mesh.

    Args:
        vertices: (V, 3) metres; faces: (F, 3) indices of vertices.

    Attributes:
        faces: (F, 3) with shared vertices; vertices: how many there are.
        sides: (3, F, 3) from each corner to the next; normal: (F, 3) unit, zero for faces without area;
        area: (F,) twice the area.
        flat: (F,) faces without area; counted: (F,) faces that connect others (no repetition, not flat).
        edge: (F, 3) number of the edge from each corner to the next; edges: how many there are.
        rim: (E,) edges with more faces in one direction than in the other.
    """

    def __init__(self, vertices: Array, faces: Index) -> None:
        self.vertices = len(vertices)
        self.rim: Mask
        self.counted: Mask
        self._connect(vertices, welded(vertices, faces))
        if not self.closed:
            joined = _joined_rims(vertices, self.faces, self.rim_vertices.nonzero()[0])
            if joined is not None:
                self._connect(vertices, joined)

    def _connect(self, vertices: Array, faces: Index) -> None:
        self.faces = faces
        self.corners = corners = vertices.take(faces.T, 0)
        self.sides = sides = np.roll(corners, -1, 0) - corners
        normal = cross(sides[0], sides[1])
        self.area = length(normal)
        squares = [dot(side, side) for side in sides]
        self.flat = self.area <= _FLAT * np.maximum(np.maximum(squares[0], squares[1]), squares[2])
        self.normal = np.where(self.flat[:, None], 0.0, normal / np.maximum(self.area, TINY)[:, None])
        once = ~_repeated(faces)
        self._number_edges(once & ~self.flat)
        if not self.closed and (once & self.flat).any():
            # flat faces may close the surface where a corner of one face lies on an edge of another
            without, rim = self.counted, self.rim
            self._balance(once)
            if self.rim.sum() >= rim.sum():
                self._balance(without)

    def _number_edges(self, counted: Mask) -> None:
        """Number the edges of the faces that count, (F,)."""
        start, end = self.faces.T.ravel(), self.faces.T[[1, 2, 0]].ravel()
        low, high = np.minimum(start, end), np.maximum(start, end)
        edges, number = np.unique(low * self.vertices + high, return_inverse=True)
        self.edges, self.edge = len(edges), number.reshape(3, -1).T
        self._forward = np.sign(end - start).astype(float)  # +1 from the lower to the higher vertex
        self._balance(counted)

    def _balance(self, counted: Mask) -> None:
        """Find the rim that is left by the faces that count."""
        self.counted = counted
        self.rim = np.abs(self._net(counted)) > 0.5

    def _net(self, faces: Mask) -> Array:
        """(E,) how many of some faces (F,) pass each edge upwards, less those that pass it downwards."""
        net: Array = np.bincount(  # type: ignore[assignment]
            self.edge.T.ravel(), np.tile(faces, 3) * self._forward, self.edges
        )
        return net

    @property
    def closed(self) -> bool:
        """Whether the surface has no rim."""
        return not self.rim.any()

    @property
    def rim_vertices(self) -> Mask:
        """(V,) vertices on a rim."""
        on_rim = np.zeros(self.vertices, dtype=bool)
        open_ = self.rim[self.edge]
        on_rim[self.faces[open_]] = on_rim[np.roll(self.faces, -1, 1)[open_]] = True
        return on_rim

    def solid_layers(self) -> Layers | str:
        """The closed parts in layers, or, as the rest of a sentence, why the mesh has no inside."""
        kept = self.counted
        if not self.closed:
            kept = self._without_shared_walls()
            if np.abs(self._net(kept)).max(initial=0.0) > 0.5:
                alone = np.bincount(self.edge.T.ravel(), np.tile(self.counted, 3), self.edges) == 1
                if alone.any():
                    return "has an open rim"
                return "has faces that disagree about which side is outside"
        if not kept.any():
            return "has no face with an area"
        part, parts = self._parts(kept)
        layer = self._part_layers(part, parts, kept)
        if isinstance(layer, str):
            return layer
        layers = int(layer.max()) + 1
        if layers == 1 and kept is self.counted:
            return Layers(self, np.zeros(len(part), dtype=np.intp), 1)
        return Layers(self._split(part, kept), np.where(kept, layer.take(part), -1), layers)

    def _without_shared_walls(self) -> Mask:
        """(F,) the faces that count, without walls between two parts that both parts use."""
        # such a wall is a patch of faces whose border meets others, and without which the border has no rim
        kept: Mask = self.counted.copy()
        edge = self.edge.T.ravel()
        uses = np.bincount(edge, np.tile(kept, 3), self.edges)
        if (uses[self.rim] < 3).any():
            return kept
        face = np.tile(np.arange(len(kept)), 3)
        inner = (np.tile(kept, 3) & (uses == 2).take(edge)).nonzero()[0]
        inner = inner.take(edge.take(inner).argsort(kind="stable")).reshape(-1, 2)
        patch, patches = _components(len(kept), face.take(inner[:, 0]), face.take(inner[:, 1]))
        if patches > _MANY_PATCHES:
            return kept
        net = self._net(kept)
        for number in np.bincount(patch, self.area, patches).argsort(kind="stable"):  # the smallest first
            own = kept & (patch == number)
            share = self._net(own)
            border = np.abs(share) > 0.5
            if border.any() and (share[border] == net[border]).all():
                kept &= ~own
                net -= share
        return kept

    def _parts(self, kept: Mask) -> tuple[Index, int]:
        """(F,) the closed part of each face, and how many there are; of closed faces (F,)."""
        entry = (np.tile(kept, 3) & (self._forward != 0.0)).nonzero()[0]
        edge = self.edge.T.ravel().take(entry)
        order = edge.argsort()
        entry, edge = entry.take(order), edge.take(order)
        uses = np.bincount(edge, minlength=self.edges).take(edge)
        face = entry % len(kept)
        pairs = face[uses == 2].reshape(-1, 2)
        if (uses > 2).any():
            pairs = np.concatenate([pairs, self._paired(entry[uses > 2], edge[uses > 2])])
        return _components(len(kept), pairs[:, 0], pairs[:, 1])

    def _paired(self, entry: Index, edge: Index) -> Index:
        """(P, 2) faces of one part at edges where more than two meet; entries (N,) sorted by edge (N,).

        Each face behind which a part begins belongs to the next one around the edge behind which one ends.
        """
        corner, face = np.divmod(entry, len(self.faces))
        up = self._forward.take(entry) > 0.0
        side = self.sides[corner, face]
        axis = np.where(up[:, None], side, -side)
        way = self.corners[(corner + 2) % 3, face] - self.corners[corner, face]
        first = np.concatenate([[True], edge[1:] != edge[:-1]])
        start = np.maximum.accumulate(np.where(first, np.arange(len(edge)), 0))
        axis = axis.take(start, 0) / np.maximum(length(axis.take(start, 0)), TINY)[:, None]
        way = way - dot(way, axis)[:, None] * axis
        zero = way.take(start, 0)
        angle = np.arctan2(dot(cross(axis, zero), way), dot(zero, way)) % (2.0 * np.pi)
        angle = np.where(angle > 2.0 * np.pi - _SAME_ANGLE, 0.0, np.round(angle / _SAME_ANGLE))
        # a face that goes up has its part on the side of smaller angles; where faces coincide it comes first
        order = np.lexsort((~up, angle, edge))
        face, up = face.take(order), up.take(order)
        begin, end = (~up).nonzero()[0], up.nonzero()[0]
        # as many begin as end at each edge, so both lists run in step from edge to edge
        offset = start.take(begin) // 2
        rank, size = np.arange(len(begin)) - offset, np.bincount(edge).take(edge.take(begin)) // 2
        rank = (rank + up.take(start.take(begin))) % size
        return np.stack([face.take(begin), face.take(end.take(offset + rank))], 1)

    def _part_layers(self, part: Index, parts: int, kept: Mask) -> Index | str:
        """(parts,) layer of each part; or, as the rest of a sentence, why there are none."""
        used = np.zeros(parts, dtype=bool)
        used[part[kept]] = True
        corners = self.corners - self.corners[0].mean(0)
        volume = np.bincount(part, dot(corners[0], cross(corners[1], corners[2])) * kept, parts)
        box = np.empty((2, parts, 3))
        order = part.argsort(kind="stable")
        starts = np.searchsorted(part.take(order), np.arange(parts))
        for fold, row in ((np.minimum, 0), (np.maximum, 1)):
            extreme = fold(fold(self.corners[0], self.corners[1]), self.corners[2]).take(order, 0)
            box[row] = fold.reduceat(extreme, starts)
        rounding = _ROUNDING**2 * float(np.abs(box).max()) ** 3
        own = np.where(used)[0]
        pairs = _meeting(*box[:, own])
        if pairs is None:
            return "has too many parts that overlap"
        beside: list[list[int]] = [[] for _ in range(parts)]  # other parts whose boxes meet that of a part
        for one, two in own.take(pairs).tolist():
            beside[one].append(two)
            beside[two].append(one)
        result = np.full(parts, -1)
        for number in own.take((-volume.take(own)).argsort(kind="stable")).tolist():
            others = beside[number]
            if volume[number] < -rounding:  # a cavity belongs to the smallest part around it
                low, high = box[:, number]
                inside = (box[0, others] <= low) & (box[1, others] >= high)
                around = [k for k in np.array(others)[inside.all(1)].tolist() if volume[k] > 0.0]
                if not around:
                    return "has faces that point inwards"
                result[number] = result[min(around, key=volume.__getitem__)]
                continue
            taken = set(result[others].tolist())
            result[number] = next(layer for layer in count() if layer not in taken)
        return np.maximum(result, 0)

    def _split(self, part: Index, kept: Mask) -> MeshTopology:
        """The same with vertices and edges of each part for itself."""
        other = copy(self)
        _, faces = np.unique(part[:, None] * self.vertices + self.faces, return_inverse=True)
        other.faces = faces.reshape(self.faces.shape)
        other.vertices = int(other.faces.max()) + 1
        other._number_edges(kept)
        return other


def _meeting(low: Array, high: Array) -> Index | None:
    """(P, 2) the pairs of boxes (N, 3) that meet; None if they are too many.

    They are sorted along the axis on which they overlap least, so only those between the two sides of a box
    are compared with it (sweep and prune), about `_MOST_PAIRS` at once.
    """
    along = int(((high - low).sum(0) / np.maximum(high.max(0) - low.min(0), TINY)).argmin())
    order = low[:, along].argsort(kind="stable")
    low, high = low.take(order, 0), high.take(order, 0)
    after = np.arange(1, len(low) + 1)
    many = np.searchsorted(low[:, along], high[:, along], side="right") - after
    total, found, begin = np.cumsum(many), [np.zeros((0, 2), dtype=np.intp)], 0
    while begin < len(low):
        end = max(int(np.searchsorted(total, total[begin] - many[begin] + _MOST_PAIRS)), begin + 1)
        own = many[begin:end]
        one = np.arange(begin, end).repeat(own)
        two = np.arange(len(one)) - (np.cumsum(own) - own).repeat(own) + one + 1
        meet = ((low.take(one, 0) <= high.take(two, 0)) & (low.take(two, 0) <= high.take(one, 0))).all(1)
        found.append(order.take(np.stack([one[meet], two[meet]], 1)))
        if sum(map(len, found)) > _MOST_PAIRS:
            return None
        begin = end
    return np.concatenate(found)


def _components(count: int, one: Index, two: Index) -> tuple[Index, int]:
    """(count,) the connected component of each node, and their number; one and two (P,) are connected."""
    label = np.arange(count)
    while len(one):
        low, high = np.minimum(one, two), np.maximum(one, two)
        label[high] = low
        above = label.take(label)
        while not np.array_equal(above, label):
            label, above = above, above.take(above)
        one, two = label.take(one), label.take(two)
        apart = (one != two).nonzero()[0]
        one, two = one.take(apart), two.take(apart)
    roots, number = np.unique(label, return_inverse=True)
    return number.reshape(-1), len(roots)


def _first_alike(rows: npt.NDArray[np.uint64]) -> Index | None:
    """(N,) the first row that is the same as each of rows (N, 3); None if all differ, the usual case."""
    order = np.lexsort(rows.T)
    in_order = rows.take(order, 0)
    new = np.concatenate([[True], (in_order[1:] != in_order[:-1]).any(1)])
    if new.all():
        return None
    first = np.empty(len(rows), dtype=np.intp)
    first[order] = order[np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))]
    return first


def welded(vertices: Array, faces: Index) -> Index:
    """The faces, with the first vertex at the same place in place of each."""
    first = _first_alike((vertices + 0.0).view(np.uint64))  # so that -0.0 is 0.0
    return faces if first is None else first.take(faces)


def _joined_rims(vertices: Array, faces: Index, rim: Index) -> Index | None:
    """The welded faces, with one vertex in place of those of a rim that agree to rounding, or None."""
    places = vertices.take(rim, 0)
    near = _ROUNDING * float(np.abs(vertices.take(faces.ravel(), 0)).max())
    group, groups = np.zeros(len(rim), dtype=np.intp), 0
    while groups != group.max() + 1:  # split along one axis after the other, until nothing is split any more
        groups = int(group.max()) + 1
        for along in places.T:
            order = np.lexsort((along, group))
            apart = (np.diff(along.take(order)) > near) | (np.diff(group.take(order)) > 0)
            group[order] = np.concatenate([[0], np.cumsum(apart)])
    first = np.full(groups, -1)
    first[group[::-1]] = rim[::-1]
    into = first.take(group)
    into = np.where((np.abs(places - vertices.take(into, 0)) <= 2 * near).all(1), into, rim)  # no long rows
    if (into == rim).all():
        return None
    new = np.arange(len(vertices))
    new[rim] = into
    return np.asarray(new.take(faces))


def _repeated(faces: Index) -> Mask:
    """(F,) faces with the same corners in the same direction as an earlier one."""
    least_first = (faces.argmin(1)[:, None] + np.arange(3)) % 3
    first = _first_alike(np.take_along_axis(faces, least_first, 1).astype(np.uint64))
    return np.zeros(len(faces), dtype=bool) if first is None else first != np.arange(len(faces))
