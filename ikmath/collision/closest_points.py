# SPDX-License-Identifier: GPL-3.0-or-later
"""Closest points of segments, and of triangles to points and segments, row by row: for capsules and meshes.

A triangle thinner than rounding has no plane; it is then its three edges, which are never further from any
of its points than its thickness. So needles, and triangles whose corners coincide, need no special case.
"""

from collections.abc import Callable
from typing import Final, NamedTuple, Self

import numpy as np

from ..arrays import Array, Index, Mask
from ..lean import Remade
from .vectors import ONES, TINY, clamp, cross, dot

FACE: Final = 0
"""Code of the feature that is nearest: 0 the face, 1 to 3 an edge (from that corner), 4 to 6 a corner."""
_SLENDER: Final = 1e-6  # squared sine of an angle below which it is worth computing more carefully
_PARALLEL: Final = 1e-26  # squared sine of an angle that is rounding
_NEXT: Final = np.array([1, 2, 0])
_THIN: Final = 1e-20  # squared ratio of height to length below which a triangle has no plane


def gaps(a: Array, b: Array, place: Array) -> Array:
    """(P, 3) from a place (3,) to the nearest points of segments a-b (P, 3)."""
    d, way = b - a, a - place
    return np.asarray(way + clamp(-dot(way, d) / np.maximum(dot(d, d), TINY))[:, None] * d)


def closest_of_segments(a: Array, d: Array, c: Array, e: Array) -> tuple[Array, Array]:
    """Parameters s and t, (P,) each, of the closest points `a + s d` and `c + t e` of two segments.

    The distance squared is a convex quadratic on a square. Its minimum is found by the unconstrained s, put
    into [0, 1], the best t for it, and once more the best s for that (Ericson, Real-Time Collision
    Detection, 5.1.9). Segments without length, parallel, overlapping and crossing ones need no case of
    their own. Where two parallel segments overlap all of a stretch is equally near; the middle of the
    stretch is taken, so that a bone which lies along another is pushed at its middle and not now at one
    end, now at the other.

    Args:
        a, c: (P, 3) starts of the segments; d, e: (P, 3) from there to their ends.
    """
    w = a - c

    def carefully() -> tuple[Array, Array]:
        normal = cross(d, e)
        return dot(normal, normal), dot(cross(e, w), normal)

    return closest_by_products(dot(d, d), dot(e, e), dot(d, e), dot(d, w), dot(e, w), carefully)


def closest_by_products(
    dd: Array, ee: Array, de: Array, dw: Array, ew: Array, carefully: Callable[[], tuple[Array, Array]]
) -> tuple[Array, Array]:
    """`closest_of_segments` from dot products such as `dd = d . d`, with `w = a - c`; any shapes.

    Args:
        carefully: gives `|d x e|^2` and `(e x w) . (d x e)`, only for nearly parallel ones.
    """
    inverse_e = 1.0 / np.maximum(ee, TINY)
    if not np.count_nonzero(dd):  # points
        return np.zeros_like(ew), clamp(ew * inverse_e)
    inverse_d = 1.0 / np.maximum(dd, TINY)
    if not np.count_nonzero(ee):
        return clamp(-dw * inverse_d), np.zeros_like(ew)
    product = dd * ee
    area = product - de * de
    least = _SLENDER * product
    slender = area <= least  # nearly parallel: the differences have lost their digits
    s = (de * ew - dw * ee) / np.maximum(area, least + TINY)
    if not np.count_nonzero(slender):
        t = clamp((de * clamp(s) + ew) * inverse_e)
        return clamp((de * t - dw) * inverse_d), t
    # those of the cross product have not
    square, along = carefully()
    parallel = slender & (square <= _PARALLEL * product)
    s = np.where(slender, along / np.maximum(square, TINY), s)
    # where the other segment's two ends fall on this one, and the middle between them
    first, last = clamp(-dw * inverse_d), clamp((de - dw) * inverse_d)
    s = clamp(np.where(parallel, 0.5 * (first + last), s))
    t = clamp((de * s + ew) * inverse_e)
    return np.where(parallel & (t > 0.0) & (t < 1.0), s, clamp((de * t - dw) * inverse_d)), t


def facets_of(corners: Array) -> Array:
    """(P, 41) what distances from triangles with corners (P, 3, 3) are computed from, one row a triangle.

    Corners; edges from each corner to the next; the normal, not of unit length, and along the face from each
    edge inwards; how far all of these reach from the first corner to where they begin, infinite for a face
    that is too thin to have a normal; the squared lengths of the edges and of the normal.
    """
    count = len(corners)
    rows = np.zeros((count, 41))
    edges = corners.take(_NEXT, 1) - corners
    squares = _dots(edges, edges)
    normal = cross(edges[:, 0], edges[:, 1])
    square, longest = dot(normal, normal), squares.max(1, initial=0.0)
    flat = square <= _THIN * longest * longest
    inwards = cross(normal[:, None], edges)
    rows[:, :9], rows[:, 9:18] = corners.reshape(count, 9), edges.reshape(count, 9)
    rows[:, 18:21], rows[:, 21:30] = normal, inwards.reshape(count, 9)
    rows[:, 31], rows[:, 32] = dot(edges[:, 0], edges[:, 1]), -squares[:, 2]
    rows[:, 35] = np.where(flat, np.inf, dot(inwards[:, 1], edges[:, 0]))
    rows[:, 37:40], rows[:, 40] = squares, np.maximum(square, TINY)
    return rows


class FeatureDistances(NamedTuple):
    """The distances between features of segments and triangles; P pairs, one a row.

    The closest pair is an edge of the triangle with the segment, an end of the segment above the face, or
    where the segment goes through the face.
    """

    facets: Array  # (P, 41), see `facets_of`
    a: Array  # where the segments begin (P, 3)
    d: Array  # and how they go
    t: Array  # (3, P) parameters of the edges where they are nearest to the segments
    along: Array  # (6, P) of the segments there, at both ends, and where they go through the face's plane
    high: Array  # (P,) how high above the face a segment begins, times the normal's length
    climb: Array  # (P,) and how high it climbs
    squares: Array  # (6, P) squared distances at `along`; infinite for none, -1 where they go through

    @classmethod
    def of(cls, facets: Array, a: Array, d: Array) -> Self:
        """From segments that begin at a and go along d, (P, 3) each, to one triangle each (P, 41)."""
        # pairs last: numpy is quick along long axes
        columns, begin = np.ascontiguousarray(facets.T), np.ascontiguousarray(a.T)
        way, lines = np.ascontiguousarray(d.T), columns[9:30].reshape(7, 3, -1)
        off = begin - columns[:9].reshape(3, 3, -1)
        # along the edges, above the face and inwards of each edge: how a segment goes, and where it begins
        goes = np.add.reduce(lines * way, 1)
        from_ = np.add.reduce(lines * off[0], 1)
        from_ -= columns[30:37]

        def carefully() -> tuple[Array, Array]:
            own = facets[:, 9:18].reshape(-1, 3, 3)
            normal = cross(d[:, None], own)
            return _dots(normal, normal).T, _dots(cross(own, off.transpose(2, 0, 1)), normal).T

        s, t = closest_by_products(
            np.add.reduce(way * way, 0),
            columns[37:40],
            goes[:3],
            np.add.reduce(off * way, 1),
            from_[:3],
            carefully,
        )
        climb, high = goes[3], from_[3]
        through = high * (high + climb) < 0.0
        along = np.empty((6, len(a)))  # on the edges, at both ends, and where it goes through the plane
        along[:3], along[3], along[4] = s, 0.0, 1.0
        along[5] = np.where(through, high, 0.0) / np.where(through, -climb, 1.0)
        off += s[:, None] * way
        off -= t[:, None] * lines[:3]
        off *= off
        squares = np.empty_like(along)
        np.add.reduce(off, 1, out=squares[:3])
        upright, at = squares[3:], along[3:]
        np.add(high, climb * at, out=upright)
        upright *= upright
        upright /= columns[40]
        outside = np.minimum.reduce(from_[4:] + goes[4:] * at[:, None], 1) < 0.0
        upright[2], outside[2] = -1.0, outside[2] | ~through
        upright[outside] = np.inf
        return cls(facets, a, d, t, along, high, climb, squares)

    @property
    def least(self) -> Array:
        """(P,) squared distances, -1 for a crossing."""
        return np.asarray(np.minimum.reduce(self.squares, 0))

    def closest(self, rows: Index) -> tuple[Array, Array, Array, Index, Mask]:
        """The closest points of some rows (R,); a segment that passes through has distance zero.

        Returns:
            Distance (R,), parameter on the segment (R,), closest point of the triangle (R, 3), feature (R,),
            and whether the segment passes through the face (R,).
        """
        own, best = np.arange(len(rows)), self.squares.take(rows, 1).argmin(0)
        distance = np.sqrt(np.maximum(self.squares[best, rows], 0.0))
        edge, by_edge = np.minimum(best, 2), best < 3
        parameter = self.along[best, rows]
        along, facets = self.t[edge, rows], self.facets.take(rows, 0)
        corners, edges = facets[:, :18].reshape(-1, 2, 3, 3).swapaxes(0, 1)
        nearest = corners[own, edge] + along[:, None] * edges[own, edge]
        feature = _FEATURES.take(3 * edge + np.add(along > 0.0, along >= 1.0, dtype=np.intp))
        if np.count_nonzero(by_edge) < len(rows):
            height = (self.high.take(rows) + parameter * self.climb.take(rows)) / facets[:, 40]
            on_face = self.a.take(rows, 0) + parameter[:, None] * self.d.take(rows, 0)
            on_face -= height[:, None] * facets[:, 18:21]
            nearest = np.where(by_edge[:, None], nearest, on_face)
            feature = np.where(by_edge, feature, FACE)
        return distance, parameter, nearest, feature, best == 5


class TriangleCache(Remade):
    """Facets of triangles that are measured repeatedly; evaluated lazily.

    Args:
        corners: (N, 3, 3), which stay as they are.
    """

    def __init__(self, corners: Array) -> None:
        self._corners = corners
        self._rows = np.empty((len(corners), 41))  # takes room only where it is written to
        self._known = np.zeros(len(corners), dtype=bool)

    def take(self, rows: Index) -> Array:
        """(P, 41) those of some triangles (P,)."""
        known = self._known.take(rows)
        if np.count_nonzero(known) < len(rows):
            new = rows[~known]
            self._rows[new] = facets_of(self._corners.take(new, 0))
            self._known[new] = True
        return self._rows.take(rows, 0)


def _dots(a: Array, b: Array) -> Array:
    """(P, 3, 3), (P, 3, 3) -> (P, 3)."""
    return np.asarray((a * b).reshape(-1, 3).dot(ONES).reshape(-1, 3))


_FEATURES: Final = np.array([[4 + edge, 1 + edge, 4 + (edge + 1) % 3] for edge in range(3)]).ravel()
"""Codes of the corner at which each edge begins, of the edge, and of the corner at which it ends."""
