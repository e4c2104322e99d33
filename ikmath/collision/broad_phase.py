# SPDX-License-Identifier: GPL-3.0-or-later
"""The broad phase: bounding spheres around links and obstacles rule out the pairs that are far apart.

It never changes a result. Each sphere contains what it stands for and is enlarged a little for rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from ..arrays import Array, Index, Mask
from .body import Body
from .narrow_phase import NarrowPhaseQuery
from .shape_group import RowGroup, ShapeGroup
from .shapes.capsule import Capsule
from .shapes.shape import Shape
from .vectors import ONES

AIR: Final = 1e-9  # relative enlargement of the spheres, far above the rounding of their distances
_SWEEPS: Final = 1 << 18  # pairs of ways and obstacles that are tested together


class GroupRange(NamedTuple):
    """Obstacles of one kind: those from `start` to `stop` in the order of the broad phase."""

    start: int
    stop: int
    group: ShapeGroup


class BroadPhase:
    """Bounding spheres of a body's links and of obstacles.

    Args:
        body: the links.
        obstacles: shapes; moving ones have the same frames.
        frames: the frame axes of the obstacles' motions.
        self_pairs: (S, 2) pairs of links.
        known: a broad phase of obstacles of the same kinds in the same order, whose groups can be reused.

    Attributes:
        body, obstacles, self_pairs: as given.
        groups: the obstacles by kind.
        original: (K,) index of each obstacle in the order given.
        margins: (K + 1,) their margins, with a zero at the end for pairs of links.
        has_margins: whether any is not zero; least_margin: the smallest.
        link: (M,) link of each pair of link and obstacle; reach: (M,) sum of the radii of its spheres;
        thickness: (M,) radius of the link and margin of the obstacle.
    """

    def __init__(
        self,
        body: Body,
        obstacles: Sequence[Shape],
        frames: tuple[int, ...],
        self_pairs: Index,
        known: BroadPhase | None = None,
    ) -> None:
        self.body, self.obstacles, self.self_pairs = body, tuple(obstacles), self_pairs
        kinds = sorted({shape.kind for shape in obstacles})
        order = sorted(range(len(obstacles)), key=lambda i: (kinds.index(obstacles[i].kind), i))
        ordered, count, outward = [obstacles[i] for i in order], len(order), body.outward
        self.original: Index = np.array(order, dtype=np.intp)
        margins = np.array([shape.margin for shape in ordered])
        self.margins, self.has_margins = np.append(margins, 0.0), bool(margins.any())
        self.least_margin = float(self.margins.min())
        half = 0.5 * body.length + body.radius
        self._pair_reach = half[self_pairs].sum(-1) * (1.0 + AIR)
        self.groups: list[GroupRange] = []
        if not count:
            return
        bounds = [shape.bounds for shape in ordered]
        self._centers = np.stack([np.broadcast_to(center, (*frames, 3)) for center, _ in bounds], -2)
        self._radii = np.array([radius for _, radius in bounds])
        self.link = outward.repeat(count)
        self._shape = np.tile(np.arange(count), len(outward))
        self.reach = (half[outward, None] + (self._radii + margins)).ravel() * (1.0 + AIR)
        self.thickness = (body.radius[outward, None] + margins).ravel()
        for kind in kinds:
            start = self.groups[-1].stop if self.groups else 0
            own = [shape for shape in ordered if shape.kind == kind]
            if known is None:
                group = type(own[0]).group(own, frames)
            else:
                group = known.groups[len(self.groups)].group.with_shapes(own, frames)
            self.groups.append(GroupRange(start, start + len(own), group))

    def obstacle_squares(self, places: Array) -> Array:
        """(B M,) squared distances of the spheres' centres, pose after pose.

        Args:
            places: (*b, L, 3, 3) ends and middles of the links' axes.
        """
        middle = places[..., 2, :]
        if len(self.body.outward) < len(self.body):
            middle = middle.take(self.body.outward, -2)
        gap = middle[..., :, None, :] - self._centers[..., None, :, :]
        gap *= gap
        squares: Array = gap.reshape(-1, 3).dot(ONES)
        return squares

    def near_obstacles(self, places: Array, detect: float) -> tuple[Index, Index | None]:
        """Pairs of links and obstacles whose spheres are nearer than `detect`, and their poses in a batch."""
        return _within(self.obstacle_squares(places), self.reach, detect, places.ndim > 3)

    def obstacle_queries(
        self, places: Array, found: Index, frame: Index | None, moving: Index | None
    ) -> list[NarrowPhaseQuery]:
        """Queries for pairs of links and obstacles, one query for each kind of obstacle.

        Args:
            places: (*b, L, 3, 3).
            found: (P,) numbers of pairs.
            frame: (P,) their poses in the flattened batch, None for a single pose.
            moving: (B,) frame of the obstacles' motion for each pose; None for obstacles without motion.
        """
        if not len(found):
            return []
        link, shape = self.link.take(found), self._shape.take(found)
        row = link if frame is None else link + frame * len(self.body)
        axes = places.reshape(-1, 3, 3).take(row, 0)
        shape_frame = None if moving is None else moving if frame is None else moving.take(frame)
        thickness = self.thickness.take(found)
        every = NarrowPhaseQuery(
            self.groups[0].group, 0, axes, frame, shape_frame, link, shape, None, thickness, found
        )
        queries = []
        for start, stop, group in self.groups:
            own = ((shape >= start) & (shape < stop)).nonzero()[0]
            if len(own):
                query = every if len(own) == len(shape) else every.take(own)
                queries.append(query._replace(group=group, start=start))
        return queries

    def self_queries(self, places: Array, detect: float) -> list[NarrowPhaseQuery]:
        """Queries for the pairs of links whose spheres are nearer than `detect`, metres."""
        if not len(self.self_pairs):
            return []
        middle = places[..., 2, :]
        gap = middle.take(self.self_pairs[:, 0], -2) - middle.take(self.self_pairs[:, 1], -2)
        gap *= gap
        found, frame = _within(gap.reshape(-1, 3).dot(ONES), self._pair_reach, detect, places.ndim > 3)
        if not len(found):
            return []
        link, other = self.self_pairs.take(found, 0).T
        offset = 0 if frame is None else frame * len(self.body)
        flat = places.reshape(-1, 3, 3)
        one, two = flat.take(link + offset, 0), flat.take(other + offset, 0)
        radius = self.body.radius
        rows = np.concatenate([two[:, 0], two[:, 1], radius.take(other)[:, None]], 1)
        group = RowGroup(Capsule.segment_distance, rows, len(rows))
        number = np.arange(len(link))
        return [NarrowPhaseQuery(group, 0, one, frame, None, link, number, other, radius.take(link), found)]

    def passable(self, a: Array, b: Array, radius: float, margin: float) -> Mask:
        """See `Scene.passable`."""
        free = np.ones(len(a), dtype=bool)
        if not self.groups:
            return free
        keep = self.margins[:-1] + (radius + margin)
        half, middle = 0.5 * np.sqrt(((b - a) ** 2).sum(1)), 0.5 * (a + b)
        rows = max(1, _SWEEPS // len(keep))
        for first in range(0, len(a), rows):
            piece = slice(first, first + rows)
            gap = middle[piece, None] - self._centers
            reach = np.maximum((half[piece, None] + (self._radii + keep)) * (1.0 + AIR), 0.0)
            row, shape = ((gap * gap).sum(-1) <= reach * reach).nonzero()
            row += first
            for start, stop, group in self.groups:
                own = ((shape >= start) & (shape < stop)).nonzero()[0]
                if len(own):
                    way, which = row.take(own), shape.take(own)
                    met = group.meets(a.take(way, 0), b.take(way, 0), which - start, keep.take(which))
                    free[way[met]] = False
        return free

    def upper_bound(self, places: Array) -> float:
        """A length that the smallest clearance of no pose exceeds; infinite if there are no pairs.

        Args:
            places: (*b, L, 3, 3).
        """
        bounds, middle = [], places[..., 2, :]
        if self.groups and len(self.body.outward):
            far = np.sqrt(self.obstacle_squares(places)).reshape(*middle.shape[:-2], -1, len(self._radii))
            bounds.append((far + np.where(np.isfinite(self._radii), self._radii, 0.0)).min((-2, -1)))
        if len(self.self_pairs):
            gap = middle[..., self.self_pairs[:, 0], :] - middle[..., self.self_pairs[:, 1], :]
            bounds.append(np.sqrt((gap * gap).sum(-1)).min(-1))
        if not bounds or not bounds[0].size:
            return np.inf
        return float(np.minimum.reduce(bounds).max()) * (1.0 + AIR) + AIR

    def obstacle_bounds(self, places: Array) -> Array:
        """(L,) lower bounds of the distance of each link of one pose to all obstacles, metres.

        Args:
            places: (L, 3, 3).
        """
        least = np.full(len(self.body), np.inf)
        outward = self.body.outward
        if self.groups and len(outward):
            away = np.sqrt(self.obstacle_squares(places)) - self.reach
            least[outward] = away.reshape(len(outward), -1).min(1)
        return least

    def self_bounds(self, places: Array, pairs: Index) -> Array:
        """(P,) lower bounds of the distances of the links of some `self_pairs` (P,) in one pose, metres."""
        middle, (one, two) = places[:, 2], self.self_pairs.take(pairs, 0).T
        gap = middle.take(one, 0) - middle.take(two, 0)
        return np.asarray(np.sqrt((gap * gap).dot(ONES)) - self._pair_reach.take(pairs))


def _within(squares: Array, reach: Array, detect: float, many: bool) -> tuple[Index, Index | None]:
    """Pairs whose spheres are nearer than `detect`, and their poses in a batch.

    Args:
        squares: (B M,) squared distances of the spheres' centres.
        reach: (M,) sums of the spheres' radii.
        detect: metres.
        many: whether there are batch axes.
    """
    limit = reach + (detect * (1.0 + AIR) + AIR)
    np.maximum(limit, 0.0, out=limit)
    limit *= limit
    if not many:
        return (squares <= limit).nonzero()[0], None
    found = (squares.reshape(-1, len(reach)) <= limit).ravel().nonzero()[0]
    frame = found // len(reach)
    return found - frame * len(reach), frame
