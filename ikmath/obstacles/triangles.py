# SPDX-License-Identifier: GPL-3.0-or-later
"""Closest points of triangles to points and to segments, row by row, for triangles of any shape.

A triangle thinner than rounding has no plane; it is then its three edges, which are never further from any
of its points than its thickness. So needles, and triangles whose corners coincide, need no case of their
own.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ..rotation import Array
from .segments import closest_by_products
from .vectors import ONES, TINY, clamp, cross, dot

Index = npt.NDArray[np.intp]

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
    along = clamp(_dots(offsets, edges) / np.maximum(_dots(edges, edges), TINY))
    gaps = offsets - along[:, :, None] * edges
    squares = _dots(gaps, gaps)
    best = squares.argmin(1)
    feature = _edge_feature(best, along[rows, best])
    nearest = corners[rows, best] + along[rows, best, None] * edges[rows, best]
    distance = squares[rows, best]
    normal, square, flat = _planes(edges)
    above = _inside(offsets, edges, normal) & ~flat
    height = (offsets[:, 0] * normal).dot(ONES) / np.maximum(square, TINY)
    upright = height * height * square
    face = above & (upright <= distance)
    distance = np.sqrt(np.where(face, upright, distance))
    nearest = np.where(face[:, None], points - height[:, None] * normal, nearest)
    return distance, nearest, np.where(face, FACE, feature)


def closest_to_segments(a: Array, b: Array, corners: Array) -> tuple[Array, Array, Array, Index, Array]:
    """Closest points of triangles and segments; a segment that passes through has distance zero.

    The closest pair is an edge of the triangle with the segment, an end of the segment above the face, or
    where the segment goes through the face.

    Args:
        a: (P, 3) first ends.
        b: (P, 3) second ends.
        corners: (P, 3, 3) one triangle a segment.

    Returns:
        distance (P,), parameter on the segment (P,), closest point of the triangle (P, 3), feature (P,), and
        whether the segment passes through the face (P,) bool.
    """
    d = b - a
    edges = corners.take(_NEXT, 1) - corners
    from_corners = a[:, None] - corners
    s, t = _with_edges(d, edges, from_corners)
    gaps = from_corners + s[:, :, None] * d[:, None] - t[:, :, None] * edges
    normal, square, flat = _planes(edges)
    from_a = from_corners[:, 0]
    high_a, climb = dot(from_a, normal), dot(d, normal)
    high_b = high_a + climb
    through = high_a * high_b < 0.0
    crossing = high_a / np.where(through, -climb, 1.0)
    # both ends and the crossing, from the first corner, against the three edges' inward normals
    places = np.empty((len(a), 3, 3))
    places[:, 0], places[:, 1], places[:, 2] = from_a, from_a + d, from_a + crossing[:, None] * d
    inward = cross(np.broadcast_to(normal[:, None], edges.shape), edges)
    sides = np.matmul(places, inward.transpose(0, 2, 1))
    sides[:, :, 1] -= dot(inward[:, 1], edges[:, 0])[:, None]
    inside = np.minimum(np.minimum(sides[:, :, 0], sides[:, :, 1]), sides[:, :, 2]) >= 0.0
    inside[:, 2] &= through
    inside[flat] = False
    safe = np.maximum(square, TINY)
    squares = np.empty((len(a), 6))
    squares[:, :3] = _dots(gaps, gaps)
    squares[:, 3] = high_a * high_a / safe
    squares[:, 4] = high_b * high_b / safe
    squares[:, 5] = -1.0
    squares[:, 3:][~inside] = np.inf
    best = squares.argmin(1)
    rows = np.arange(len(a))
    distance = np.sqrt(np.maximum(squares[rows, best], 0.0))
    edge = np.minimum(best, 2)
    parameters = np.empty((len(a), 6))
    parameters[:, :3], parameters[:, 3], parameters[:, 4], parameters[:, 5] = s, 0.0, 1.0, crossing
    parameter = parameters[rows, best]
    along = t[rows, edge]
    height = (high_a + parameter * climb) / safe
    on_face = a + parameter[:, None] * d - height[:, None] * normal
    on_edge = corners[rows, edge] + along[:, None] * edges[rows, edge]
    by_edge = best < 3
    nearest = np.where(by_edge[:, None], on_edge, on_face)
    return distance, parameter, nearest, np.where(by_edge, _edge_feature(edge, along), FACE), inside[:, 2]


def _with_edges(d: Array, edges: Array, from_corners: Array) -> tuple[Array, Array]:
    """Parameters of the closest points of segments with the three edges each; (P, 3) and (P, 3)."""

    def carefully() -> tuple[Array, Array]:
        normal = cross(np.broadcast_to(d[:, None], edges.shape), edges)
        return _dots(normal, normal), _dots(cross(edges, from_corners), normal)

    column = d[:, :, None]
    return closest_by_products(
        dot(d, d)[:, None],
        _dots(edges, edges),
        np.matmul(edges, column)[:, :, 0],
        np.matmul(from_corners, column)[:, :, 0],
        _dots(edges, from_corners),
        carefully,
    )


def _dots(a: Array, b: Array) -> Array:
    """(P, 3, 3), (P, 3, 3) -> (P, 3)."""
    result: Array = (a * b).reshape(-1, 3).dot(ONES).reshape(-1, 3)
    return result


def _planes(edges: Array) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
    """Normals (not of unit length), their squared lengths, and which triangles are too thin to have one."""
    normal = cross(edges[:, 0], edges[:, 1])
    square = (normal * normal).dot(ONES)
    longest = _dots(edges, edges).max(1, initial=0.0)
    return normal, square, square <= _THIN * longest * longest


def _inside(offsets: Array, edges: Array, normal: Array) -> npt.NDArray[np.bool_]:
    """Whether points are above the face, given their offsets from the corners (P, 3, 3)."""
    sides = (cross(edges, offsets) * normal[:, None]).reshape(-1, 3).dot(ONES).reshape(-1, 3)
    result: npt.NDArray[np.bool_] = sides.min(1, initial=np.inf) >= 0.0
    return result


def _edge_feature(edge: Index, along: Array) -> Index:
    """Code of an edge, or of the corner at which it begins or ends."""
    corner = np.where(along >= 1.0, _NEXT[edge], edge)
    return np.where((along > 0.0) & (along < 1.0), 1 + edge, 4 + corner)
