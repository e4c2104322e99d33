# SPDX-License-Identifier: GPL-3.0-or-later
"""Signed distances to meshes: nearest triangle, side, and the depth of segments inside.

Outside, the distance of a segment is exact. The depth of a segment that is partly inside is sought among
samples, then between the neighbours of the best one: it is too small by at most a thirty-second of the
segment's length. Whether something is inside is always exact. A segment that is much deeper inside than it is
long is sampled at its ends and its middle; its depth is too small by at most a tenth of itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np

from ..arrays import Array, Index, Mask
from .bvh import Bvh
from .mesh_geometry import MeshGeometry, Pseudonormals
from .narrow_phase import Nearest
from .nearest_triangle import Hit, first_of_least, nearest_to_segments
from .vectors import TINY, dot, length

_SAMPLES: Final = 17  # on a segment that is inside; depths are too small by half their spacing at most
_CLOSER: Final = 9  # between the neighbours of the best sample
_DEEP: Final = 2.5  # times the segment's length: depth from which three samples suffice
_TOUCHING: Final = 1e-12  # times the coordinates: closer than this a difference has no direction
_SHALLOW: Final = 1e-3  # times the segment's length: depth below which it may pass through a thin wall
_AIR: Final = 1e-9  # relative enlargement of limits, above rounding
_OPPOSITE: Final = -0.9  # cosine between the normals of the two sides of a wall


class Side(IntEnum):
    """What lies behind a face; the modes of `TriangleMesh` by number."""

    SOLID = 0
    ONE_SIDED = 1
    TWO_SIDED = 2


class _Segments(NamedTuple):
    """P segments that may be inside."""

    first: Array  # ends (P, 3)
    way: Array  # from there to the second ends (P, 3)
    root: Index  # their layers
    known: Array  # unsigned distances of their nearest places
    at: Array  # and the parameters of these
    through: Mask  # whether they pass through a triangle

    def take(self, rows: Index) -> _Segments:
        """Some of the segments."""
        return _Segments._make(array.take(rows, 0) for array in self)


class MeshDistance:
    """Signed distances to several meshes in their own spaces.

    Args:
        geometries: M meshes.
        sides: what lies behind the faces of each.
    """

    def __init__(self, geometries: Sequence[MeshGeometry], sides: Sequence[Side]) -> None:
        surfaces = [
            geometry.solid if side is Side.SOLID else geometry.surface
            for geometry, side in zip(geometries, sides, strict=True)
        ]
        self._layers = np.array([len(surface.trees) for surface in surfaces])
        self._first = np.cumsum(self._layers) - self._layers
        self._layered = bool((self._layers > 1).any())
        # one row for each layer
        self.sides = np.array(sides, dtype=np.intp).repeat(self._layers)
        self.low = np.stack([geometry.low for geometry in geometries]).repeat(self._layers, 0)
        self.high = np.stack([geometry.high for geometry in geometries]).repeat(self._layers, 0)
        self.normals = Pseudonormals.side_by_side([surface.normals for surface in surfaces])
        self.size = float(max(np.abs(self.low).max(), np.abs(self.high).max()))
        starts = np.cumsum([0, *(len(geometry.faces) for geometry in geometries)])
        trees = [
            (tree, start) for surface, start in zip(surfaces, starts, strict=False) for tree in surface.trees
        ]
        face = [tree.face + start for tree, start in trees]
        self._face = face[0] if len(face) == 1 else np.concatenate(face)
        self._forest = Bvh.side_by_side([tree for tree, _ in trees])

    def _near_segments(self, a: Array, b: Array, limit: Array, layer: Index) -> Hit:
        """The nearest triangles, whose rows number the faces of all meshes one after the other."""
        hit = nearest_to_segments(self._forest, a, b, limit, layer)
        return hit._replace(row=np.where(hit.row < 0, -1, self._face.take(hit.row)))

    def _spread(self, root: Index) -> tuple[Index, Index]:
        """Queries (R,), ascending, and layers (R,): one row for each layer of the meshes of queries (P,)."""
        count = self._layers.take(root)
        query = np.arange(len(root)).repeat(count)
        number = np.arange(len(query)) - (np.cumsum(count) - count).repeat(count)
        return query, self._first.take(root.take(query)) + number

    def segments(self, a: Array, b: Array, limit: Array, reach: Array, root: Index) -> Nearest:
        """The nearest or deepest points of segments a-b (P, 3).

        Args:
            limit: (P,) metres of depth up to which a segment counts as behind an open surface.
            reach: (P,) metres; beyond it the result is an infinite distance, except inside a solid.
            root: (P,) the mesh of each row.
        """
        if not self._layered:
            return self._segments(a, b, limit, reach, root)
        query, layer = self._spread(root)
        ends, limits = (a.take(query, 0), b.take(query, 0)), (limit.take(query), reach.take(query))
        found = self._segments(*ends, *limits, layer)
        best = first_of_least(query, found.distance)
        return Nearest._make(array.take(best, 0) for array in found)

    def _segments(self, a: Array, b: Array, limit: Array, reach: Array, root: Index) -> Nearest:
        """As `segments`, for layers (P,)."""
        hit, difference, inside = self._nearest(a, b, reach, root)
        if np.count_nonzero(inside):
            inside &= ~hit.through & ((hit.distance <= limit) | (self.sides.take(root) == Side.SOLID))
        touching = hit.distance <= _TOUCHING * self.size
        if not np.count_nonzero(inside | hit.through | touching):
            normal = difference / hit.distance[:, None]
            lost = hit.row < 0
            if np.count_nonzero(lost):
                normal[lost] = 0.0
            return Nearest(hit.distance, hit.point, hit.parameter, normal)
        normal = self._normal(hit, difference, inside)
        distance = np.where(inside, -hit.distance, hit.distance)
        point, parameter = hit.point, hit.parameter
        sided = self.sides.take(root) != Side.TWO_SIDED
        # a segment that touches with one place may be inside with others
        deep = ((inside | hit.through | touching) & sided).nonzero()[0]
        walls = (hit.through & ~sided).nonzero()[0]
        if len(deep):
            segments = _Segments(a, b - a, root, hit.distance, hit.parameter, hit.through).take(deep)
            depth, t, way, between = self._deepest(segments)
            lower = (depth < distance.take(deep)).nonzero()[0]
            changed = deep.take(lower)
            distance[changed], parameter[changed] = depth.take(lower), t.take(lower)
            normal[changed] = way.take(lower, 0)
            walls = np.concatenate([walls, deep.take(between.nonzero()[0])])
        if len(walls):
            distance[walls], parameter[walls], normal[walls] = self._through(
                a.take(walls, 0), b.take(walls, 0), hit.take(walls)
            )
        if len(deep) or len(walls):
            changed = np.concatenate([deep, walls])
            critical = a.take(changed, 0) + parameter[changed, None] * (b - a).take(changed, 0)
            point[changed] = critical - distance[changed, None] * normal[changed]
        return Nearest(distance, point, parameter, normal)

    def meets(self, a: Array, b: Array, near: Array, root: Index) -> Mask:
        """(P,) whether segments are nearer than `near` (P,), inside or passing through; quick."""
        query, layer = self._spread(root)
        near = near.take(query)
        hit, _, inside = self._nearest(a.take(query, 0), b.take(query, 0), near, layer)
        met = np.zeros(len(root), dtype=bool)
        met[query[(hit.distance < near) | hit.through | inside]] = True
        return met

    def _nearest(self, a: Array, b: Array, reach: Array, root: Index) -> tuple[Hit, Array, Mask]:
        """Hits, ways (P, 3) from them to the segments, and which are inside; beyond the reach only those."""
        hit = self._near_segments(a, b, reach, root)
        lost = self._maybe_inside(hit, a, b, root)
        if len(lost):
            ends, layer = (a.take(lost, 0), b.take(lost, 0)), root.take(lost)
            again = self._near_segments(*ends, np.full(len(lost), np.inf), layer)
            inside = self._inside(again, _difference(again, *ends), layer)
            for old, new in zip(hit, again, strict=True):
                old[lost[inside]] = new[inside]
        difference = _difference(hit, a, b)
        return hit, difference, self._inside(hit, difference, root)

    def _maybe_inside(self, hit: Hit, a: Array, b: Array, root: Index) -> Index:
        """Segments a-b in the box of a solid with nothing within the limit: outside, or deep inside."""
        lost: Index = (hit.row < 0).nonzero()[0]
        if not len(lost):
            return lost
        lost = lost.take((self.sides.take(root.take(lost)) == Side.SOLID).nonzero()[0])
        middle, own = 0.5 * (a.take(lost, 0) + b.take(lost, 0)), root.take(lost)
        within = (middle >= self.low.take(own, 0)).all(1) & (middle <= self.high.take(own, 0)).all(1)
        return np.asarray(lost.take(within.nonzero()[0]))

    def _inside(self, hit: Hit, difference: Array, root: Index) -> Mask:
        """Whether the queries are behind the nearest feature."""
        pseudo, rim = self.normals.of(np.maximum(hit.row, 0), hit.feature)
        behind: Mask = dot(pseudo, difference) < 0.0
        if not np.count_nonzero(behind):
            return behind
        side = self.sides.take(root)
        behind &= (hit.row >= 0) & (side != Side.TWO_SIDED)
        if rim.any():
            # no place beyond the rim of a surface is behind it
            behind &= ~(rim & (side == Side.ONE_SIDED))
        rows = (behind & (side == Side.SOLID)).nonzero()[0]
        if len(rows):  # nothing outside the box of a solid is inside
            place, own = hit.point.take(rows, 0) + difference.take(rows, 0), root.take(rows)
            outside = (place < self.low.take(own, 0)) | (place > self.high.take(own, 0))
            behind[rows] = ~outside.any(1)
        return behind

    def _normal(self, hit: Hit, difference: Array, inside: Mask) -> Array:
        """Unit normals; where a query touches, the pseudonormal of the feature."""
        normal: Array = difference / np.where(hit.distance > 0.0, hit.distance, 1.0)[:, None]
        normal[inside] *= -1.0
        odd = ((hit.distance <= _TOUCHING * self.size) | (hit.row < 0)).nonzero()[0]
        if len(odd):
            row = hit.row.take(odd)
            pseudo, _ = self.normals.of(np.maximum(row, 0), hit.feature.take(odd))
            size = length(pseudo)
            pseudo = np.where((size > 1e-12)[:, None], pseudo / np.maximum(size, TINY)[:, None], _UP)
            normal[odd] = np.where((row >= 0)[:, None], pseudo, 0.0)
        return normal

    def _deepest(self, segments: _Segments) -> tuple[Array, Array, Array, Mask]:
        """Least distance among samples, its parameter and normal, and which segments pass a thin wall."""
        wholly = segments.known > _DEEP * length(segments.way)
        if not wholly.any():
            return self._sought(segments)
        distance, t, normal = np.empty(len(wholly)), np.empty(len(wholly)), np.empty((len(wholly), 3))
        thin = np.zeros(len(wholly), dtype=bool)
        rows = wholly.nonzero()[0]
        distance[rows], t[rows], normal[rows] = self._least(segments.take(rows), np.array([[0.0, 0.5, 1.0]]))
        rows = (~wholly).nonzero()[0]
        if len(rows):
            distance[rows], t[rows], normal[rows], thin[rows] = self._sought(segments.take(rows))
        return distance, t, normal, thin

    def _sought(self, segments: _Segments) -> tuple[Array, Array, Array, Mask]:
        """As `_deepest`, for segments that are partly inside, or long."""
        coarse = np.broadcast_to(np.linspace(0.0, 1.0, _SAMPLES), (len(segments.way), _SAMPLES))
        distance, normal = self._samples(segments, coarse)
        rows = np.arange(len(coarse))
        middle = coarse[rows, distance.argmin(1)]
        step = 1.0 / (_SAMPLES - 1)
        fine = np.clip(middle[:, None] + step * np.linspace(-1.0, 1.0, _CLOSER), 0.0, 1.0)
        least, t, way = self._least(segments, fine)
        # A thin wall contains next to nothing of the segment, and its normals before and after are opposite.
        # A clipped corner contains as little, but its normals are not opposite.
        outside = distance > 0.0
        before = outside & (coarse <= segments.at[:, None])
        after = outside & (coarse >= segments.at[:, None])
        last, first = _SAMPLES - 1 - before[:, ::-1].argmax(1), after.argmax(1)
        opposite = dot(normal[rows, last], normal[rows, first]) < _OPPOSITE
        shallow = least > -_SHALLOW * length(segments.way)
        thin = segments.through & shallow & (self.sides.take(segments.root) == Side.SOLID)
        return least, t, way, thin & opposite & before.any(1) & after.any(1)

    def _least(self, segments: _Segments, t: Array) -> tuple[Array, Array, Array]:
        """Least signed distance at parameters (P, k), or (1, k) for all; its parameter and normal."""
        t = np.broadcast_to(t, (len(segments.way), t.shape[1]))
        distance, normal = self._samples(segments, t)
        rows, best = np.arange(len(t)), distance.argmin(1)
        return distance[rows, best], t[rows, best], normal[rows, best]

    def _samples(self, segments: _Segments, t: Array) -> tuple[Array, Array]:
        """Signed distance (P, k) and normal (P, k, 3) at parameters (P, k)."""
        count = t.shape[1]
        places = (segments.first[:, None] + t[:, :, None] * segments.way[:, None]).reshape(-1, 3)
        # a known distance plus the way from there bounds the distance of every other place
        most = segments.known[:, None] + np.abs(t - segments.at[:, None]) * length(segments.way)[:, None]
        limit = most.ravel() * (1.0 + _AIR) + _AIR * self.size
        hit, difference, inside = self._nearest(places, places, limit, segments.root.repeat(count))
        distance = np.where(inside, -hit.distance, hit.distance).reshape(-1, count)
        return distance, self._normal(hit, difference, inside).reshape(-1, count, 3)

    def _through(self, a: Array, b: Array, hit: Hit) -> tuple[Array, Array, Array]:
        """Depth, parameter and way out of segments that pass a wall: the shorter part has to come back."""
        normal, _ = self.normals.of(hit.row, np.zeros(len(hit.row), dtype=np.intp))
        first, last = dot(a - hit.point, normal), dot(b - hit.point, normal)
        to_first = np.abs(first) >= np.abs(last)
        outward = np.where(np.where(to_first, first, last) < 0.0, -1.0, 1.0)
        depth = np.where(to_first, np.abs(last), np.abs(first))
        return -depth, np.where(to_first, 1.0, 0.0), outward[:, None] * normal


def _difference(hit: Hit, a: Array, b: Array) -> Array:
    """(P, 3) from the nearest points to the segments a-b."""
    return np.asarray(a + hit.parameter[:, None] * (b - a) - hit.point)


_UP: Final = np.array([0.0, 0.0, 1.0])
