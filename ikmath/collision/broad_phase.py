# SPDX-License-Identifier: GPL-3.0-or-later
"""The broad phase: bounding spheres of obstacles, and axes of links, rule out the pairs that are far apart.

It never changes a result.
"""

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Index, Mask
from .body import Body
from .clusters import AIR, SphereClusters, limit_of, squared_distances
from .narrow_phase import NarrowPhaseQuery, RowGroup, ShapeGroup
from .shapes.capsule import Capsule
from .shapes.shape import Shape
from .vectors import ONES


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
        radii = margins + np.array([radius for _, radius in bounds], dtype=float)
        self._centers = np.empty((*frames, count, 3))
        for number, (center, _) in enumerate(bounds):
            self._centers[..., number, :] = center
        self._spheres = SphereClusters(self._centers, radii)
        one, two = self_pairs.T
        self.link: Index = np.concatenate([outward.repeat(count), one])
        self.obstacle: Index = np.concatenate([np.tile(np.arange(count), len(outward)), np.full(pairs, -1)])
        self.other: Index = np.concatenate([np.full(self.first_self, -1), two])
        self.margin: Array = np.concatenate([np.tile(margins, len(outward)), np.zeros(pairs)])
        self.thickness: Array = body.radius.take(self.link) + self.margin
        half = 0.5 * body.length + body.radius
        around = (body.radius[outward, None] + radii).ravel()
        self.reach: Array = np.concatenate([around, half[one] + half[two]])
        self.groups: list[ShapeGroup] = []
        self._kind, self._which = np.zeros((2, count + 1), dtype=np.intp)
        for name in sorted({shape.kind for shape in self.obstacles}):
            own = [i for i, shape in enumerate(self.obstacles) if shape.kind == name]
            self._kind[own], self._which[own] = len(self.groups), np.arange(len(own))
            shapes = [self.obstacles[i] for i in own]
            self.groups.append(type(shapes[0]).group(shapes, frames))
        self._kind[-1] = len(self.groups)  # of pairs of links

    def near(self, places: Array, detect: Array | float) -> tuple[Index, Index | None]:
        """Numbers of the pairs that can be nearer than `detect`, metres, and their poses in a batch.

        Args:
            places: (*b, L, 3, 3), see `Body.places`.
            detect: of all pairs; or (L,) of each link, for two links their sum.
        """
        pair, frame = np.zeros((2, 0), dtype=np.intp)
        radius, reach = self.body.radius, self.reach[self.first_self :]
        if isinstance(detect, np.ndarray):
            radius, reach, detect = radius + detect, reach + detect.take(self.self_pairs).sum(1), 0.0
        if self.first_self:
            outward = self.body.outward
            found = self._spheres.near(places.take(outward, -3), radius.take(outward), detect)
            frame, pair = np.divmod(found, self.first_self)
        if len(self.self_pairs):
            found = (_between(places, self.self_pairs) <= limit_of(reach, detect)).ravel().nonzero()[0]
            frames, two = np.divmod(found, len(self.self_pairs))
            pair, frame = np.append(pair, two + self.first_self), np.append(frame, frames)
        return pair, None if places.ndim == 3 else frame

    def near_path(self, before: Array, after: Array, ways: Array) -> Index:
        """(P,) at least the pairs, ascending, that can be touched on a path between two poses.

        Args:
            before, after: (L, 3, 3), see `Body.places`; ways: (L,) metres that each link moves at most.
        """
        if not self._spheres.clustered:
            return np.arange(len(self.link))
        half = 0.5 * ways - self.least_margin  # what is touched is nearer than that before or after
        return np.union1d(self.near(before, half)[0], self.near(after, half)[0])

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

    def around(self, a: Array, b: Array, within: float) -> tuple[Index, Index]:
        """Numbers (P,) of segments a-b (S, 3) and of obstacles at rest that can be nearer than that."""
        found = self._spheres.near(np.stack([a, b, 0.5 * (a + b)], 1), np.zeros(len(a)), within)
        segment, obstacle = np.divmod(found, max(len(self.obstacles), 1))
        return segment, obstacle

    def passable(self, a: Array, b: Array, radius: float, margin: float = 0.0) -> Mask:
        """(P,) whether a ball can move straight from a to b, (P, 3) each, among obstacles without motion."""
        free = np.ones(len(a), dtype=bool)
        way, obstacle = self.around(a, b, radius + margin)
        for number in np.unique(obstacle).tolist():
            one = way[obstacle == number]
            one = one[free.take(one)]
            keep = np.full(len(one), radius + margin + self.obstacles[number].margin)
            group, which = self.groups[self._kind[number]], np.full(len(one), self._which[number])
            free[one[group.meets(a.take(one, 0), b.take(one, 0), which, keep)]] = False
        return free

    def upper_bound(self, places: Array) -> float:
        """A length that the smallest clearance of no pose exceeds; infinite if there are no pairs."""
        bounds = []
        if self.first_self:
            bounds.append(self._spheres.farthest(places.take(self.body.outward, -3)) - self.least_margin)
        if len(self.self_pairs):
            bounds.append(np.sqrt(_between(places, self.self_pairs)).min(-1))
        if not bounds:
            return np.inf
        return float(np.minimum.reduce(bounds).max(initial=0.0)) * (1.0 + AIR) + AIR

    def lower_bounds(self, places: Array, pair: Index) -> Array:
        """(P,) lower bounds of the distances of pairs (P,) in ascending order, metres; places (L, 3, 3)."""
        outward = pair[: pair.searchsorted(self.first_self)]
        centers = self._centers.take(self.obstacle.take(outward), 0)
        square = squared_distances(places.take(self.link.take(outward), 0), centers)
        if len(outward) < len(pair):
            two = self.self_pairs.take(pair[len(outward) :] - self.first_self, 0)
            square = np.append(square, _between(places, two))
        return np.asarray(np.sqrt(square) - self.reach.take(pair) * (1.0 + AIR) + self.margin.take(pair))


def _between(places: Array, links: Index) -> Array:
    """(*b, P) squared distances of the middles of links (P, 2)."""
    one, two = links.T
    gap = places[..., 2, :].take(one, -2) - places[..., 2, :].take(two, -2)
    gap *= gap
    return np.asarray(gap.dot(ONES))
