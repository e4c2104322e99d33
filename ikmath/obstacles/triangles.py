# SPDX-License-Identifier: GPL-3.0-or-later
"""Closest points of triangles to points and to segments, row by row, for triangles of any shape.

A triangle thinner than rounding has no plane; it is then its three edges, which are never further from any
of its points than its thickness. So needles, and triangles whose corners coincide, need no case of their
own.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ..rotation import Array
from .segments import closest_by_products
from .vectors import ONES, TINY, clamp, cross, dot

Index = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

FACE: Final = 0
"""Code of the feature that is nearest: 0 the face, 1 to 3 an edge (from that corner), 4 to 6 a corner."""

_NEXT: Final = np.array([1, 2, 0])
_THIN: Final = 1e-20  # squared ratio of height to length below which a triangle has no plane


def closest_on_triangles(points: Array, corners: Array) -> tuple[Array, Array, Index]:
    """Closest points of triangles to points.

    Args:
        points: (P, 3).
        corners: (P, 3, 3) one triangle a point.

    Returns:
        distance (P,), closest point (P, 3) and feature (P,), see `FACE`.
    """
    rows = np.arange(len(points))
    edges = corners.take(_NEXT, 1) - corners
    offsets = points[:, None] - corners
    squared = _dots(edges, edges)
    along = clamp(_dots(offsets, edges) / np.maximum(squared, TINY))
    gaps = offsets - along[:, :, None] * edges
    squares = _dots(gaps, gaps)
    best = squares.argmin(1)
    feature = _edge_feature(best, along[rows, best])
    nearest = corners[rows, best] + along[rows, best, None] * edges[rows, best]
    distance = squares[rows, best]
    normal, square, flat = _planes(edges, squared)
    above = _inside(offsets, edges, normal) & ~flat
    height = (offsets[:, 0] * normal).dot(ONES) / np.maximum(square, TINY)
    upright = height * height * square
    face = above & (upright <= distance)
    distance = np.sqrt(np.where(face, upright, distance))
    nearest = np.where(face[:, None], points - height[:, None] * normal, nearest)
    return distance, nearest, np.where(face, FACE, feature)


def closest_to_segments(a: Array, b: Array, corners: Array) -> tuple[Array, Array, Array, Index, Mask]:
    """Closest points of triangles and segments; a segment that passes through has distance zero.

    Args:
        a: (P, 3) first ends.
        b: (P, 3) second ends.
        corners: (P, 3, 3) one triangle a segment.

    Returns:
        distance (P,), parameter on the segment (P,), closest point of the triangle (P, 3), feature (P,), and
        whether the segment passes through the face (P,) bool.
    """
    ways = Facets.of(corners).ways(a, b - a)
    return ways.closest(np.arange(len(corners)))


class Facets(NamedTuple):
    """Triangles and what every distance to them is made of, for who asks the same ones again.

    Attributes:
        corners: (P, 3, 3); edges: (P, 3, 3) from each corner to the next; squares: (P, 3) their squared
            lengths.
        upright: (P, 4, 3) normal, not of unit length, and along the face from each edge inwards.
        over: (P,) how far the first corner is inwards of the second edge, in that measure.
        square: (P,) of the normal; sound: (P, 1) whether it is thick enough to have one.
    """

    corners: Array
    edges: Array
    squares: Array
    upright: Array
    over: Array
    square: Array
    sound: Mask

    @classmethod
    def of(cls, corners: Array) -> Facets:
        """Those with corners (P, 3, 3)."""
        edges = corners.take(_NEXT, 1) - corners
        squares = _dots(edges, edges)
        normal, square, flat = _planes(edges, squares)
        upright = np.empty((len(corners), 4, 3))
        upright[:, 0], upright[:, 1:] = normal, cross(normal[:, None], edges)
        over = -dot(upright[:, 2], edges[:, 0])
        return cls(corners, edges, squares, upright, over, np.maximum(square, TINY), ~flat[:, None])

    def take(self, rows: Index) -> Facets:
        """Some of them."""
        return Facets._make(array.take(rows, 0) for array in self)

    def ways(self, a: Array, d: Array) -> Ways:
        """From segments that begin at a and go along d, (P, 3) each, to one triangle each."""
        off = a[:, None] - self.corners
        s, t = _with_edges(d, self.edges, self.squares, off)
        gaps = off + s[:, :, None] * d[:, None] - t[:, :, None] * self.edges
        # how high a segment begins above the face and inwards of each edge, and how it climbs
        begin = np.empty((len(a), 3, 2))
        begin[:, :, 0], begin[:, :, 1] = off[:, 0], d
        height = np.matmul(self.upright, begin)
        height[:, 2, 0] += self.over
        high, climb = height[:, 0, 0], height[:, 0, 1]
        last = high + climb
        through = high * last < 0.0
        along = np.zeros((len(a), 3))  # where both ends and the crossing are
        along[:, 1], along[:, 2] = 1.0, high / np.where(through, -climb, 1.0)
        sides = height[:, 1:, :1] + height[:, 1:, 1:] * along[:, None]
        inside = np.minimum(np.minimum(sides[:, 0], sides[:, 1]), sides[:, 2]) >= 0.0
        inside[:, 2] &= through
        inside &= self.sound
        squares = np.empty((len(a), 6))
        squares[:, :3] = _dots(gaps, gaps)
        squares[:, 3], squares[:, 4], squares[:, 5] = high, last, 0.0
        upright = squares[:, 3:]
        upright *= upright
        upright /= self.square[:, None]
        upright[:, 2] = -1.0
        upright[~inside] = np.inf
        return Ways(self, a, d, s, t, along, high, climb, squares, inside[:, 2])


class Ways(NamedTuple):
    """The shortest ways from segments to triangles, one each, that could be the shortest of all; P rows.

    The closest pair is an edge of the triangle with the segment, an end of the segment above the face, or
    where the segment goes through the face.

    Attributes:
        facets, a, d: what was asked.
        s, t: (P, 3) parameters of the segments and of the edges that are nearest to each other.
        along: (P, 3) parameters of both ends and of the crossing.
        high, climb: (P,) how high above the face a segment begins, and climbs, times the normal's length.
        squares: (P, 6) squared distances: the edges, the ends above the face, the crossing; infinite where
            there is none, -1 for a crossing.
        through: (P,) whether there is a crossing.
    """

    facets: Facets
    a: Array
    d: Array
    s: Array
    t: Array
    along: Array
    high: Array
    climb: Array
    squares: Array
    through: Mask

    @property
    def least(self) -> Array:
        """(P,) squared distances, -1 for a crossing."""
        squares: Array = self.squares.min(1, initial=np.inf)
        return squares

    def closest(self, rows: Index) -> tuple[Array, Array, Array, Index, Mask]:
        """What `closest_to_segments` gives, of some rows (R,)."""
        squares, own = self.squares.take(rows, 0), np.arange(len(rows))
        best = squares.argmin(1)
        distance = np.sqrt(np.maximum(squares[own, best], 0.0))
        edge, by_edge = np.minimum(best, 2), best < 3
        parameter = np.concatenate([self.s.take(rows, 0), self.along.take(rows, 0)], 1)[own, best]
        along = self.t[rows, edge]
        height = (self.high.take(rows) + parameter * self.climb.take(rows)) / self.facets.square.take(rows)
        on_face = self.a.take(rows, 0) + parameter[:, None] * self.d.take(rows, 0)
        on_face -= height[:, None] * self.facets.upright.take(rows, 0)[:, 0]
        on_edge = self.facets.corners[rows, edge] + along[:, None] * self.facets.edges[rows, edge]
        nearest = np.where(by_edge[:, None], on_edge, on_face)
        feature = np.where(by_edge, _edge_feature(edge, along), FACE)
        return distance, parameter, nearest, feature, self.through.take(rows)


def _with_edges(d: Array, edges: Array, squares: Array, off: Array) -> tuple[Array, Array]:
    """Parameters of the closest points of segments with the three edges each; (P, 3) and (P, 3)."""

    def carefully() -> tuple[Array, Array]:
        normal = cross(d[:, None], edges)
        return _dots(normal, normal), _dots(cross(edges, off), normal)

    column = d[:, :, None]
    return closest_by_products(
        dot(d, d)[:, None],
        squares,
        np.matmul(edges, column)[:, :, 0],
        np.matmul(off, column)[:, :, 0],
        _dots(edges, off),
        carefully,
    )


def _dots(a: Array, b: Array) -> Array:
    """(P, 3, 3), (P, 3, 3) -> (P, 3)."""
    result: Array = (a * b).reshape(-1, 3).dot(ONES).reshape(-1, 3)
    return result


def _planes(edges: Array, squares: Array) -> tuple[Array, Array, Mask]:
    """Normals (not of unit length), their squared lengths, and which triangles are too thin to have one."""
    normal = cross(edges[:, 0], edges[:, 1])
    square = (normal * normal).dot(ONES)
    longest = squares.max(1, initial=0.0)
    return normal, square, square <= _THIN * longest * longest


def _inside(offsets: Array, edges: Array, normal: Array) -> Mask:
    """Whether points are above the face, given their offsets from the corners (P, 3, 3)."""
    sides = (cross(edges, offsets) * normal[:, None]).reshape(-1, 3).dot(ONES).reshape(-1, 3)
    result: Mask = sides.min(1, initial=np.inf) >= 0.0
    return result


def _edge_feature(edge: Index, along: Array) -> Index:
    """Code of an edge, or of the corner at which it begins or ends."""
    corner = np.where(along >= 1.0, _NEXT[edge], edge)
    return np.where((along > 0.0) & (along < 1.0), 1 + edge, 4 + corner)
