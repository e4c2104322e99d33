# SPDX-License-Identifier: GPL-3.0-or-later
"""The broad phase: bounding spheres of obstacles, and axes of links, rule out the pairs that are far apart.

It never changes a result. The spheres are slightly enlarged to allow for rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ..arrays import Array, Index, Mask
from .body import Body
from .narrow_phase import NarrowPhaseQuery, RowGroup, ShapeGroup
from .shapes.capsule import Capsule
from .shapes.shape import Shape
from .vectors import ONES, TINY

AIR: Final = 1e-9  # relative enlargement of the spheres, far above the rounding of their distances


class BroadPhase:
    """Bounding spheres of a body's links and of obstacles.

    All pairs are numbered: first those of links and obstacles, then those of two links.

    Args:
        body: the links; obstacles: shapes; frames: the frame axes of those that move;
        self_pairs: (S, 2) pairs of links.

    Attributes:
        body, obstacles, self_pairs: as given.
        groups: the obstacles of each kind.
        link: (M,) link of each pair; obstacle: (M,) its obstacle, -1 for none; other: (M,) its other link, -1
            for none; margin: (M,) of the obstacle; thickness: (M,) radius of the link and margin;
        reach: (M,) sum of the radii of its link and sphere, or of two spheres.
        first_self: number of the first pair of two links.
        has_margins: whether any obstacle has a margin; least_margin: the smallest.
    """

    def __init__(
        self, body: Body, obstacles: Sequence[Shape], frames: tuple[int, ...], self_pairs: Index
    ) -> None:
        self.body, self.obstacles, self.self_pairs = body, tuple(obstacles), self_pairs
        count, outward, pairs = len(self.obstacles), body.outward, len(self_pairs)
        self.first_self = count * len(outward)
        margins = np.array([shape.margin for shape in self.obstacles], dtype=float)
        self.has_margins, self.least_margin = bool(margins.any()), float(margins.min(initial=0.0))
        bounds = [shape.bounds for shape in self.obstacles]
        self._radii = np.array([radius for _, radius in bounds], dtype=float)
        self._centers = np.empty((*frames, count, 3))
        for number, (center, _) in enumerate(bounds):
            self._centers[..., number, :] = center
        one, two = self_pairs.T
        self.link: Index = np.concatenate([outward.repeat(count), one])
        self.obstacle: Index = np.concatenate([np.tile(np.arange(count), len(outward)), np.full(pairs, -1)])
        self.other: Index = np.concatenate([np.full(self.first_self, -1), two])
        self.margin: Array = np.concatenate([np.tile(margins, len(outward)), np.zeros(pairs)])
        self.thickness: Array = body.radius.take(self.link) + self.margin
        half = 0.5 * body.length + body.radius
        around = (body.radius[outward, None] + (self._radii + margins)).ravel()
        self.reach: Array = np.concatenate([around, half[one] + half[two]]) * (1.0 + AIR)
        self.groups: list[ShapeGroup] = []
        self._kind, self._which = np.zeros((2, count + 1), dtype=np.intp)
        for name in sorted({shape.kind for shape in self.obstacles}):
            own = [i for i, shape in enumerate(self.obstacles) if shape.kind == name]
            self._kind[own], self._which[own] = len(self.groups), np.arange(len(own))
            shapes = [self.obstacles[i] for i in own]
            self.groups.append(type(shapes[0]).group(shapes, frames))
        self._kind[-1] = len(self.groups)  # of pairs of links

    def squares(self, places: Array) -> Array:
        """(*b, M) squared distances of spheres' centres from axes, or each other; places (*b, L, 3, 3)."""
        middle, gaps = places[..., 2, :], []
        if self.first_self:
            half = (places[..., 1, :] - middle).take(self.body.outward, -2)[..., None, :]
            gap = self._centers[..., None, :, :] - middle.take(self.body.outward, -2)[..., None, :]
            share = (gap * half).dot(ONES) / np.maximum((half * half).dot(ONES), TINY)
            gap -= np.minimum(np.maximum(share, -1.0), 1.0)[..., None] * half
            gaps.append(gap.reshape(*middle.shape[:-2], self.first_self, 3))
        if self.first_self < len(self.link):
            one, two = self.self_pairs.T
            gaps.append(middle.take(one, -2) - middle.take(two, -2))
        if not gaps:
            return np.zeros((*middle.shape[:-2], 0))
        gap = gaps[0] if len(gaps) == 1 else np.concatenate(gaps, -2)
        gap *= gap
        return np.asarray(gap.dot(ONES))

    def near(self, places: Array, detect: float) -> tuple[Index, Index | None]:
        """Numbers of the pairs that can be nearer than `detect`, metres, and their poses in a batch."""
        limit = self.reach + (detect * (1.0 + AIR) + AIR)
        np.maximum(limit, 0.0, out=limit)
        limit *= limit
        found = (self.squares(places) <= limit).ravel().nonzero()[0]
        if places.ndim == 3:
            return found, None
        frame = found // max(len(self.link), 1)
        return found - frame * len(self.link), frame

    def queries(
        self, places: Array, found: Index, frame: Index | None, moving: Index | None
    ) -> list[NarrowPhaseQuery]:
        """Queries for pairs, one query for each kind of obstacle and one for pairs of links.

        Args:
            found: (P,) numbers of pairs; frame: (P,) their poses in the flattened batch, None for one pose;
            moving: (B,) frame of the obstacles' motion for each pose; None for obstacles without motion.
        """
        kinds, queries, links = self._kind.take(self.obstacle.take(found)), [], len(self.groups)
        for kind in range(links + 1):
            own = (kinds == kind).nonzero()[0]
            if not len(own):
                continue
            pair = found.take(own)
            pose = None if frame is None else frame.take(own)
            axes = self._axes(places, self.link.take(pair), pose)
            if kind < links:
                group, row = self.groups[kind], self._which.take(self.obstacle.take(pair))
                if moving is not None:
                    row += group.count * (moving if pose is None else moving.take(pose))
            else:
                other = self.other.take(pair)
                ends = self._axes(places, other, pose)[:, :2].reshape(-1, 6)
                table = np.concatenate([ends, self.body.radius.take(other)[:, None]], 1)
                group, row = RowGroup(Capsule.segment_distance, table, len(table)), np.arange(len(table))
            queries.append(NarrowPhaseQuery(group, pair, pose, axes, row))
        return queries

    def _axes(self, places: Array, link: Index, pose: Index | None) -> Array:
        """(P, 3, 3) the places of links (P,) in their poses."""
        row = link if pose is None else link + pose * len(self.body)
        return places.reshape(-1, 3, 3).take(row, 0)

    def passable(self, a: Array, b: Array, radius: float, margin: float = 0.0) -> Mask:
        """(P,) whether a ball can move straight from a to b, (P, 3) each, among obstacles without motion."""
        free = np.ones(len(a), dtype=bool)
        half, middle = 0.5 * np.sqrt(((b - a) ** 2).sum(1)), 0.5 * (a + b)
        for number, shape in enumerate(self.obstacles):
            keep = radius + margin + shape.margin
            gap = middle - self._centers[number]
            reach = np.maximum((half + (self._radii[number] + keep)) * (1.0 + AIR), 0.0)
            way = (free & ((gap * gap).dot(ONES) <= reach * reach)).nonzero()[0]
            group, which = self.groups[self._kind[number]], np.full(len(way), self._which[number])
            free[way[group.meets(a.take(way, 0), b.take(way, 0), which, np.full(len(way), keep))]] = False
        return free

    def upper_bound(self, places: Array) -> float:
        """A length that the smallest clearance of no pose exceeds; infinite if there are no pairs."""
        if not len(self.link):
            return np.inf
        # the centre of an unbounded obstacle is on its surface, and that of a link is on its axis
        size = np.append(np.where(np.isfinite(self._radii), self._radii, 0.0), 0.0).take(self.obstacle)
        bound = (np.sqrt(self.squares(places)) + size).min(-1)
        return float(bound.max(initial=0.0)) * (1.0 + AIR) + AIR

    def lower_bounds(self, places: Array) -> Array:
        """(M,) lower bounds of the distances of all pairs in one pose, metres; places (L, 3, 3)."""
        return np.asarray(np.sqrt(self.squares(places)) - self.reach + self.margin)
