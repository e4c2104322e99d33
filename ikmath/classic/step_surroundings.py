# SPDX-License-Identifier: GPL-3.0-or-later
"""The limits around a pose, as bounds of steps along orthogonal directions.

The directions are the coordinates (translations in figure sizes). For a swing pair at the boundary of its
region they are the tangent and the normal of the boundary, so that the region is a bound like all others. If
the pair is pushed outward, the normal is omitted, and the tangent follows the boundary.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from ..arrays import Index
from ..model.joint_limits import BoundaryTangent, JointLimits
from ..rotation import Array
from .limit_crossings import Bounds, leaving

_AT: Final = 1e-9  # excess below which a coordinate counts as at its limit
_NEAR: Final = 0.999  # measure of a swing region above which its boundary is used
_OUT: Final = 1e-6  # radians outside a boundary at which its point is computed


class Surroundings:
    """The bounds of steps from a pose.

    Args:
        region: of the limits; q: (n,) inside it.
        gradient: (n,) of the minimised function: coordinates that it pushes out of the region are not free.
        strides: (n,) unit of each coordinate, see `Problem.strides`.

    Attributes:
        directions: (n, f) columns, each a unit step; low, high: (f,) bounds of a step along each.
    """

    def __init__(self, region: JointLimits, q: Array, gradient: Array, strides: Array) -> None:
        self.joint_limits, self.q, self.strides = region, q, strides
        n = len(q)
        self.directions = np.diag(strides)
        self.low, self.high = (region.low - q) / strides, (region.high - q) / strides
        self._first = np.full(len(region.pairs), -1)  # column along each pair's boundary, -1 for none
        self._second = self._first.copy()  # and across it
        pairs, normal, room = self._edges(gradient)
        x, z = region.pairs[pairs].T
        self._turn(pairs, x, z, normal, room)
        pull = -gradient @ self.directions
        held = (self.low > -_AT) & (pull < 0) | (self.high < _AT) & (pull > 0)
        self.round = pairs[held[z]]  # pairs pushed against their boundaries
        kept = np.flatnonzero(~held)
        number = np.full(n + 1, -1)
        number[kept] = np.arange(len(kept))
        self.directions, self.low, self.high = self.directions[:, kept], self.low[kept], self.high[kept]
        self._first, self._second = number[self._first], number[self._second]

    def _edges(self, gradient: Array) -> tuple[Index, Array, Array]:
        """Swing pairs near or pushed out of their boundaries: indices, outward normals (2, w), room (w,)."""
        region = self.joint_limits
        near = region.near_boundary(self.q, _NEAR)
        pull = np.zeros(len(self.q))
        pull[region.pairs] = -gradient[region.pairs]
        length = np.linalg.norm(pull[region.pairs], axis=1, keepdims=True)
        pull[region.pairs] *= _OUT / np.maximum(length, 1e-300)
        bounds = leaving(region, self.q, pull)  # also finds narrow regions
        if bounds is not None:
            for pair in np.flatnonzero(bounds.leaving).tolist():
                normal = bounds.normal[:, pair]
                near[pair] = BoundaryTangent(
                    float(normal[0]), float(normal[1]), float(normal @ bounds.way[:, pair])
                )
        return _as_arrays(near)

    def _turn(self, pairs: Index, first: Index, second: Index, normal: Array, room: Array) -> None:
        """Set two columns along and across the boundaries of pairs, with bounds by the room."""
        x, z = self.joint_limits.pairs[pairs].T
        nx, nz = normal
        self.directions[x, first], self.directions[z, first] = -nz, nx
        self.directions[x, second], self.directions[z, second] = nx, nz
        self.low[first] = self.low[second] = -np.inf
        self.high[first], self.high[second] = np.inf, np.maximum(room, 0.0)
        self._first[pairs], self._second[pairs] = first, second

    def curvature(self, gradient: Callable[[Array], Array], step: float) -> Array:
        """(f, f) derivative of a gradient along the directions, by differences that follow boundaries.

        Args:
            gradient: (m, n) -> (m, n); step: of the differences.
        """
        count = self.directions.shape[1]
        places = self.q + step * np.concatenate([self.directions.T, -self.directions.T])
        columns = self._first[self.round]
        edges = np.concatenate([columns, columns + count])
        normals = self._onto_edges(places, edges)
        slopes: Array = gradient(places)
        along = slopes @ self.directions
        x, z = self.joint_limits.pairs[np.tile(self.round, 2)].T
        along[edges, np.tile(columns, 2)] = slopes[edges, z] * normals[0] - slopes[edges, x] * normals[1]
        slope: Array = (along[:count] - along[count:]) / (2.0 * step)
        return 0.5 * (slope + slope.T)

    def _onto_edges(self, places: Array, rows: Index) -> Array:
        """Move rows of places (m, n) back to boundaries that they left tangentially; returns the normals."""
        which = np.tile(self.round, 2)
        first, pairs = self._first[which], self.joint_limits.pairs[which]
        x, z = pairs.T
        normals: Array = np.stack([self.directions[z, first], -self.directions[x, first]])
        if not len(which):
            return normals
        w = np.arange(len(which))
        here = places[rows].T
        way = np.zeros_like(here)
        way[pairs.T, w] = _OUT * normals
        bounds = leaving(self.joint_limits, here, way)
        if bounds is not None:
            left = bounds.leaving[which, w]
            normals = np.where(left, bounds.normal[:, which, w], normals)
            places[rows[:, None], pairs] += np.where(left, bounds.way[:, which, w], 0.0).T
        return normals

    def leaving(self, step: Array) -> Bounds | None:
        """The swing pairs that a step (f,) would move across boundaries that are no bounds yet."""
        if not len(self.joint_limits.pairs):
            return None
        bounds = leaving(self.joint_limits, self.q, self.directions @ step)
        if bounds is None:
            return None
        bounds.leaving[self.round] = False
        return bounds if bounds.leaving.any() else None

    def within(self, bounds: Bounds) -> tuple[Surroundings, Array]:
        """The same with these boundaries as bounds too; and the new directions in the old ones, (f, f)."""
        other = object.__new__(Surroundings)
        other.__dict__.update(self.__dict__)
        other.directions, other.low, other.high = self.directions.copy(), self.low.copy(), self.high.copy()
        other._first, other._second = self._first.copy(), self._second.copy()
        pairs = np.flatnonzero(bounds.leaving)
        normal, way = bounds.normal[:, pairs], bounds.way[:, pairs]
        new = self._first[pairs] < 0
        # a pair away from its boundary has its two coordinates as columns
        rows = self.joint_limits.pairs[pairs]
        own = np.abs(self.directions[rows]).argmax(2)
        first = np.where(new, own[:, 0], self._first[pairs])
        second = np.where(new, own[:, 1], self._second[pairs])
        other._turn(pairs, first, second, normal, (normal * way).sum(0))
        return other, (self.directions / self.strides[:, None] ** 2).T @ other.directions

    def landing(self, step: Array) -> Array:
        """The pose (n,) after a step (f,), inside the region."""
        return self.joint_limits.project(self.q + self.directions @ step)

    def at(self, trial: Array) -> Array:
        """(n, f) directions after a step along boundaries to a pose (n,)."""
        followed = self._first >= 0
        if not followed.any():
            return self.directions
        pairs, normal, _ = _as_arrays(self.joint_limits.near_boundary(trial, 1.0 - _AT))
        there = followed[pairs]
        pairs, (nx, nz) = pairs[there], normal[:, there]
        out = self.directions.copy()
        x, z = self.joint_limits.pairs[pairs].T
        out[x, self._first[pairs]], out[z, self._first[pairs]] = -nz, nx
        across = self._second[pairs] >= 0
        x, z, second = x[across], z[across], self._second[pairs][across]
        out[x, second], out[z, second] = nx[across], nz[across]
        return out


def _as_arrays(edges: dict[int, BoundaryTangent]) -> tuple[Index, Array, Array]:
    """Boundaries by pair -> indices (w,), outward normals (2, w), room (w,)."""
    pairs = np.fromiter(edges, dtype=np.intp, count=len(edges))
    x, z, room = np.array([tuple(edge) for edge in edges.values()]).reshape(-1, 3).T
    return pairs, np.stack([x, z]), room
