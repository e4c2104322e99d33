# SPDX-License-Identifier: GPL-3.0-or-later
"""Signed distances to meshes: the nearest triangle, the side it is seen from, and how deep a bone is inside.

For a bone outside, the distance is exact. A bone that is partly inside is measured at its deepest point,
which is sought among samples and then between the best one's neighbours: the depth is too small by at most
a thirty-second of the bone's length, and only depths are, never whether something is inside. A bone that is
much deeper inside than it is long is sampled at its ends and its middle; its depth is too small by at most a
tenth of itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..rotation import Array
from .bvh import Index, Tree
from .candidate_set import Shortlist
from .mesh_geometry import MeshGeometry
from .nearest_triangle import Hit, nearest_to_points, nearest_to_segments
from .pseudonormals import Pseudonormals
from .vectors import TINY, dot, length

Mask = npt.NDArray[np.bool_]

_SAMPLES: Final = 17  # on a bone that is inside: a sixteenth apart, half of which is the most that is missed
_CLOSER: Final = 9  # between the neighbours of the best sample
_DEEP: Final = 2.5  # of the bone's length: with a place as deep as that, three samples do
_TOUCHING: Final = 1e-12  # of the coordinates: closer than this a difference has no direction left
_SHALLOW: Final = 1e-3  # of the bone's length: with less depth it may be a wall that is passed through
_AIR: Final = 1e-9  # relative growth of what is as far as can be, above rounding
_OPPOSITE: Final = -0.9  # cosine between surfaces from which they are the two sides of a wall


class Side(IntEnum):
    """What lies behind a face; the modes of `TriangleMesh` by number."""

    SOLID = 0
    ONE_SIDED = 1
    TWO_SIDED = 2


class _Bones(NamedTuple):
    """Segments that may be inside, P of them.

    Attributes:
        first: (P, 3) where they begin; way: (P, 3) from there to their ends; root: (P,) which mesh they ask;
        known: (P,) how far one place of each is from the surface, without sign; at: (P,) where on it that is;
        through: (P,) whether it passes through a triangle.
    """

    first: Array
    way: Array
    root: Index
    known: Array
    at: Array
    through: Mask

    def take(self, rows: Index) -> _Bones:
        """Some of them."""
        return _Bones._make(array.take(rows, 0) for array in self)


class Search(Protocol):
    """Finds nearest triangles in the meshes' own spaces. `root` tells which mesh each row asks.

    Who can fills a shortlist and goes by it, see `shortlist`.
    """

    def points(self, points: Array, limit: Array, root: Index) -> Hit: ...

    def segments(
        self, a: Array, b: Array, limit: Array, root: Index, shortlist: Shortlist | None = None
    ) -> Hit: ...


class ForestSearch:
    """The search by our own trees; `Hit.row` counts the faces of all meshes one after the other."""

    def __init__(self, geometries: Sequence[MeshGeometry]) -> None:
        starts = np.cumsum([0, *(len(geometry.faces) for geometry in geometries)])
        self._forest = Tree.side_by_side([geometry.tree for geometry in geometries])
        shifts = [geometry.tree.face + start for geometry, start in zip(geometries, starts, strict=False)]
        self._face = shifts[0] if len(shifts) == 1 else np.concatenate(shifts)

    def points(self, points: Array, limit: Array, root: Index) -> Hit:
        """See `Search`."""
        return self._faces(nearest_to_points(self._forest, points, limit, root))

    def segments(
        self, a: Array, b: Array, limit: Array, root: Index, shortlist: Shortlist | None = None
    ) -> Hit:
        """See `Search`."""
        return self._faces(nearest_to_segments(self._forest, a, b, limit, root, shortlist))

    def _faces(self, hit: Hit) -> Hit:
        return hit._replace(row=np.where(hit.row < 0, -1, self._face.take(hit.row)))


class MeshDistance:
    """Signed distances to several meshes in their own spaces.

    Args:
        geometries: M meshes.
        sides: what lies behind each one's faces.
        search: finds nearest triangles.
    """

    def __init__(self, geometries: Sequence[MeshGeometry], sides: Sequence[Side], search: Search) -> None:
        self.sides = np.array(sides, dtype=np.intp)
        self.low = np.stack([geometry.low for geometry in geometries])
        self.high = np.stack([geometry.high for geometry in geometries])
        self.search = search
        self.normals = Pseudonormals.side_by_side([geometry.normals for geometry in geometries])
        self.size = float(max(np.abs(self.low).max(), np.abs(self.high).max()))

    def points(self, points: Array, limit: Array, root: Index) -> tuple[Array, Array, Array]:
        """Signed distance (P,), point (P, 3) and normal (P, 3) of points (P, 3).

        Args:
            points: (P, 3).
            limit: (P,) metres; beyond it an infinite distance is answered, but never for a point inside a
                solid.
            root: (P,) the mesh that each row asks.
        """
        hit = self.search.points(points, limit, root)
        unknown = self._maybe_inside(hit, points, points, root)
        if len(unknown):
            free = np.full(len(unknown), np.inf)
            again = self.search.points(points.take(unknown, 0), free, root.take(unknown))
            inside = self._inside(again, points.take(unknown, 0) - again.point, root.take(unknown))
            for old, new in zip(hit, again, strict=True):
                old[unknown[inside]] = new[inside]
        difference = points - hit.point
        inside = self._inside(hit, difference, root)
        normal = self._normal(hit, difference, inside)
        return np.where(inside, -hit.distance, hit.distance), hit.point, normal

    def segments(
        self,
        a: Array,
        b: Array,
        limit: Array,
        reach: Array,
        root: Index,
        shortlist: Shortlist | None = None,
    ) -> tuple[Array, Array, Array, Array]:
        """Signed distance (P,), point (P, 3), parameter (P,) and normal (P, 3) of segments.

        Args:
            a: (P, 3) first ends; b: (P, 3) second ends.
            limit: (P,) metres; behind an open surface that is farther away nobody is.
            reach: (P,) metres; beyond it an infinite distance is answered, but never for what is inside a
                solid.
            root: (P,) the mesh that each row asks.
            shortlist: for who asks the same segments again and again.
        """
        hit, difference, inside, known, at = self._met(a, b, limit, reach, root, shortlist)
        touching = hit.distance <= _TOUCHING * self.size
        if not np.count_nonzero(inside | hit.through | touching):
            normal = difference / hit.distance[:, None]
            lost = hit.row < 0
            if np.count_nonzero(lost):
                normal[lost] = 0.0
            return hit.distance, hit.point, hit.parameter, normal
        normal = self._normal(hit, difference, inside & (hit.row >= 0))
        distance = np.where(inside & (hit.row >= 0), -hit.distance, hit.distance)
        point, parameter = hit.point, hit.parameter
        sided = self.sides.take(root) != Side.TWO_SIDED
        # what only touches with one place may be inside with others
        deep = ((inside | hit.through | touching) & sided).nonzero()[0]
        walls = (hit.through & ~sided).nonzero()[0]
        if len(deep):
            bones = _Bones(a, b - a, root, known, at, hit.through).take(deep)
            depth, t, way, between = self._deepest(bones)
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
        return distance, point, parameter, normal

    def meets(self, a: Array, b: Array, near: Array, root: Index) -> Mask:
        """(P,) whether segments are nearer than `near` (P,) somewhere, inside or passing through; quickly."""
        hit, _, inside, _, _ = self._met(a, b, near, near, root)
        met: Mask = (hit.distance < near) | hit.through | inside
        return met

    def _met(
        self,
        a: Array,
        b: Array,
        limit: Array,
        reach: Array,
        root: Index,
        shortlist: Shortlist | None = None,
    ) -> tuple[Hit, Array, Mask, Array, Array]:
        """What is nearest to segments, see `segments`.

        Returns:
            The hit, (P, 3) from its point to the segment, (P,) whether the segment is inside; (P,) how far
            one place of it is from the surface, without sign, and (P,) where on it that is.
        """
        hit = self.search.segments(a, b, reach, root, shortlist)
        difference = a + hit.parameter[:, None] * (b - a) - hit.point
        inside = self._inside(hit, difference, root)
        if np.count_nonzero(inside):
            inside &= ~hit.through & ((hit.distance <= limit) | (self.sides.take(root) == Side.SOLID))
        known, at = hit.distance, hit.parameter
        unknown = self._maybe_inside(hit, a, b, root)
        if len(unknown):
            middle = 0.5 * (a.take(unknown, 0) + b.take(unknown, 0))
            depth, _, _ = self.points(middle, np.full(len(unknown), np.inf), root.take(unknown))
            inside[unknown[depth < 0.0]] = True
            known, at = known.copy(), at.copy()
            known[unknown], at[unknown] = np.abs(depth), 0.5
        return hit, difference, inside, known, at

    def _maybe_inside(self, hit: Hit, a: Array, b: Array, root: Index) -> Index:
        """Segments a-b with nothing within the limit that ask solids: they may be free, or deep inside."""
        lost: Index = (hit.row < 0).nonzero()[0]
        if not len(lost):
            return lost
        lost = lost.take((self.sides.take(root.take(lost)) == Side.SOLID).nonzero()[0])
        asked, own = 0.5 * (a.take(lost, 0) + b.take(lost, 0)), root.take(lost)
        within = (asked >= self.low.take(own, 0)).all(1) & (asked <= self.high.take(own, 0)).all(1)
        chosen: Index = lost.take(within.nonzero()[0])
        return chosen

    def _inside(self, hit: Hit, difference: Array, root: Index) -> Mask:
        """Whether the queries are behind what is nearest to them."""
        pseudo, rim = self.normals.of(np.maximum(hit.row, 0), hit.feature)
        behind: Mask = dot(pseudo, difference) < 0.0
        if not np.count_nonzero(behind):
            return behind
        side = self.sides.take(root)
        behind &= (hit.row >= 0) & (side != Side.TWO_SIDED)
        if rim.any():
            # beyond the rim of a surface there is nothing to be behind of
            behind &= ~(rim & (side == Side.ONE_SIDED))
        return behind

    def _normal(self, hit: Hit, difference: Array, inside: Mask) -> Array:
        """Unit normals; where a query touches, the pseudonormal of what it touches."""
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

    def _deepest(self, bones: _Bones) -> tuple[Array, Array, Array, Mask]:
        """Least distance among samples, its parameter and normal, and which bones pass a thin wall."""
        wholly = bones.known > _DEEP * length(bones.way)
        if not wholly.any():
            return self._sought(bones)
        distance, t, normal = np.empty(len(wholly)), np.empty(len(wholly)), np.empty((len(wholly), 3))
        thin = np.zeros(len(wholly), dtype=bool)
        rows = wholly.nonzero()[0]
        distance[rows], t[rows], normal[rows] = self._least(bones.take(rows), np.array([[0.0, 0.5, 1.0]]))
        rows = (~wholly).nonzero()[0]
        if len(rows):
            distance[rows], t[rows], normal[rows], thin[rows] = self._sought(bones.take(rows))
        return distance, t, normal, thin

    def _sought(self, bones: _Bones) -> tuple[Array, Array, Array, Mask]:
        """As `_deepest`, for bones that are inside with a part, or long."""
        coarse = np.broadcast_to(np.linspace(0.0, 1.0, _SAMPLES), (len(bones.way), _SAMPLES))
        distance, normal = self._samples(bones, coarse)
        rows = np.arange(len(coarse))
        middle = coarse[rows, distance.argmin(1)]
        step = 1.0 / (_SAMPLES - 1)
        fine = np.clip(middle[:, None] + step * np.linspace(-1.0, 1.0, _CLOSER), 0.0, 1.0)
        least, t, way = self._least(bones, fine)
        # A thin wall has nothing of the bone inside, and surfaces that look away from each other before
        # and after it. A corner that is clipped has as little inside, but its surfaces look to the same
        # side.
        outside = distance > 0.0
        before = outside & (coarse <= bones.at[:, None])
        after = outside & (coarse >= bones.at[:, None])
        last, first = _SAMPLES - 1 - before[:, ::-1].argmax(1), after.argmax(1)
        opposite = dot(normal[rows, last], normal[rows, first]) < _OPPOSITE
        shallow = least > -_SHALLOW * length(bones.way)
        thin = bones.through & shallow & (self.sides.take(bones.root) == Side.SOLID)
        return least, t, way, thin & opposite & before.any(1) & after.any(1)

    def _least(self, bones: _Bones, t: Array) -> tuple[Array, Array, Array]:
        """Least signed distance at parameters (P, k), or (1, k) for all; its parameter and normal."""
        t = np.broadcast_to(t, (len(bones.way), t.shape[1]))
        distance, normal = self._samples(bones, t)
        rows, best = np.arange(len(t)), distance.argmin(1)
        return distance[rows, best], t[rows, best], normal[rows, best]

    def _samples(self, bones: _Bones, t: Array) -> tuple[Array, Array]:
        """Signed distance (P, k) and normal (P, k, 3) at parameters (P, k)."""
        count = t.shape[1]
        places = (bones.first[:, None] + t[:, :, None] * bones.way[:, None]).reshape(-1, 3)
        # nothing is farther from the surface than from a place whose distance is known, and that together
        most = bones.known[:, None] + np.abs(t - bones.at[:, None]) * length(bones.way)[:, None]
        limit = most.ravel() * (1.0 + _AIR) + _AIR * self.size
        distance, _, normal = self.points(places, limit, bones.root.repeat(count))
        return distance.reshape(-1, count), normal.reshape(-1, count, 3)

    def _through(self, a: Array, b: Array, hit: Hit) -> tuple[Array, Array, Array]:
        """Depth, parameter and way out of segments that pass a wall: the lesser part has to come back."""
        normal, _ = self.normals.of(hit.row, np.zeros(len(hit.row), dtype=np.intp))
        first, last = dot(a - hit.point, normal), dot(b - hit.point, normal)
        to_first = np.abs(first) >= np.abs(last)
        outward = np.where(np.where(to_first, first, last) < 0.0, -1.0, 1.0)
        depth = np.where(to_first, np.abs(last), np.abs(first))
        return -depth, np.where(to_first, 1.0, 0.0), outward[:, None] * normal


_UP: Final = np.array([0.0, 0.0, 1.0])
