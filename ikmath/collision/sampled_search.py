# SPDX-License-Identifier: GPL-3.0-or-later
"""Nearest triangles of segments from a tree that knows only points, such as Blender's `BVHTree`.

The distance along a segment changes by no more than the way that is gone. So between two samples it is at
least their mean less half of the way between them; only where that could still be nearer than the best
sample, more are taken, down to a spacing of a thirty-second of the segment. The triangles that the samples
met are then measured against the whole segment exactly. The answer is never too small, and too large by at
most a sixty-fourth of the segment's length; where the nearest triangle was met by a sample, which is the
rule, it is exact.
"""

from __future__ import annotations

from typing import Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..rotation import Array
from .bvh import Index
from .candidate_set import Shortlist
from .mesh_geometry import MeshGeometry
from .nearest_triangle import Hit
from .triangles import closest_on_triangles, closest_to_segments
from .vectors import length

_HALVINGS: Final = 5  # of the whole segment: 33 samples at most


@runtime_checkable
class PointTree(Protocol):
    """A foreign tree over the faces of a mesh, in the mesh's own space."""

    def find_nearest(self, points: Array, limit: Array) -> npt.NDArray[np.intp]:
        """(Q,) index of the nearest face to each point (Q, 3), -1 where none is within the limit (Q,)."""


class SampledSearch:
    """Nearest triangles of one mesh by a foreign tree; see `mesh_distance.Search`."""

    def __init__(self, geometry: MeshGeometry, tree: PointTree) -> None:
        self.geometry, self.tree = geometry, tree
        self.corners = geometry.corners

    def points(self, points: Array, limit: Array, root: Index) -> Hit:
        """See `Search`; `root` is zero everywhere."""
        face = self._faces(points, limit)
        found = (face >= 0).nonzero()[0]
        hit = Hit.nowhere(len(points))
        asked, own = points.take(found, 0), face.take(found)
        hit.distance[found], hit.point[found], hit.feature[found] = closest_on_triangles(
            asked, self.corners.take(own, 0)
        )
        hit.row[found] = own
        return hit.within(limit)

    def segments(
        self, a: Array, b: Array, limit: Array, root: Index, shortlist: Shortlist | None = None
    ) -> Hit:
        """See `Search`; it fills no shortlist."""
        d = b - a
        size = length(d)
        every = np.arange(len(a))
        query, face = [every[:0]], [every[:0]]
        best = limit.copy()
        # distances at the samples 0, 1/32, ... 1 as far as they were taken
        steps = 2**_HALVINGS
        known = np.full((len(a), steps + 1), np.nan)

        def sample(rows: Index, place: Index) -> None:
            t = place / steps
            points = a.take(rows, 0) + t[:, None] * d.take(rows, 0)
            # half of the segment further than the limit a sample may still be beside something near
            reach = best.take(rows) + size.take(rows)
            met = self._faces(points, reach)
            hit = (met >= 0).nonzero()[0]
            distance = reach
            distance[hit], _, _ = closest_on_triangles(points.take(hit, 0), self.corners.take(met[hit], 0))
            known[rows, place] = distance
            np.minimum.at(best, rows, distance)
            query.append(rows.take(hit))
            face.append(met.take(hit))

        sample(every.repeat(2), np.tile([0, steps], len(a)))
        rows, low, high = every, np.zeros_like(every), np.full_like(every, steps)
        for _ in range(_HALVINGS):
            span = size.take(rows) * (high - low) / steps
            least = 0.5 * (known[rows, low] + known[rows, high] - span)
            open_ = (least < best.take(rows)).nonzero()[0]
            if not len(open_):
                break
            rows, low, high = rows.take(open_), low.take(open_), high.take(open_)
            middle = (low + high) // 2
            sample(rows, middle)
            rows = np.concatenate([rows, rows])
            low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
        return self._exact(a, b, np.concatenate(query), np.concatenate(face)).within(limit)

    def _exact(self, a: Array, b: Array, query: Index, face: Index) -> Hit:
        """The best of the triangles that samples met, measured against the whole segments."""
        hit = Hit.nowhere(len(a))
        pairs = np.unique(query * len(self.corners) + face)
        query, face = pairs // len(self.corners), pairs % len(self.corners)
        distance, parameter, point, feature, through = closest_to_segments(
            a.take(query, 0), b.take(query, 0), self.corners.take(face, 0)
        )
        order = distance.argsort(kind="stable")[::-1]  # the nearest is written last
        rows = query.take(order)
        hit.distance[rows], hit.point[rows], hit.parameter[rows] = (
            distance[order],
            point[order],
            parameter[order],
        )
        hit.row[rows], hit.feature[rows], hit.through[rows] = face[order], feature[order], through[order]
        return hit

    def _faces(self, points: Array, limit: Array) -> Index:
        return np.asarray(self.tree.find_nearest(points, limit), dtype=np.intp)
