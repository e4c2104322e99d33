# SPDX-License-Identifier: GPL-3.0-or-later
"""Critical points: where a figure is near to what it must not touch, and how its coordinates change that.

The terms are Ge's (4.1): on a link the critical point, on the obstacle the obstacle point, between them the
critical distance, here with the thickness of the link taken off and negative where they overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..model.pose import Pose
from ..model.skeleton import Skeleton
from ..rotation import Array
from .shape_group import Index, Mask
from .vectors import cross

if TYPE_CHECKING:
    from .coherence_cache import Watch
    from .scene import Scene


class Part(NamedTuple):
    """Measured pairs of links with obstacles, or of links with links; P rows.

    Attributes:
        frame: (P,) pose of the flattened batch, None for a single pose.
        link: (P,) index of the link.
        which: (P,) obstacle in the scene's own order; None for pairs of links.
        other: (P,) the other link; None for obstacles.
        distance, point, parameter, normal: what was measured from the link's axis, see `SegmentNearest`.
    """

    frame: Index | None
    link: Index
    which: Index | None
    other: Index | None
    distance: Array
    point: Array
    parameter: Array
    normal: Array

    def take(self, rows: Index) -> Part:
        """Some of the rows."""
        return Part(
            None if self.frame is None else self.frame.take(rows),
            self.link.take(rows),
            None if self.which is None else self.which.take(rows),
            None if self.other is None else self.other.take(rows),
            self.distance.take(rows),
            self.point.take(rows, 0),
            self.parameter.take(rows),
            self.normal.take(rows, 0),
        )


class Proximity:
    """All near pairs of one pose or of a batch, one row a pair; P rows, those of one pose next to each other.

    Made by `Scene.near`.

    Args:
        scene: what was asked.
        parts: the near pairs.
        places: (*batch, L, 3, 3) ends and middle of all links' axes in the world, as rows.
        detect: metres of clearance up to which pairs are listed, besides the obstacles' own margins.
        watch: what helped with the asking, for who goes on asking.

    Attributes:
        scene, places, detect, watch: as given; batch: the batch axes of the pose.
        pose: what was asked, None where only the links' places were told.
        link: (P,) index of the link in the body.
        point: (P, 3) obstacle point, on the surface of the obstacle or of the other link, world.
        normal: (P, 3) unit, from the obstacle to the link; `critical - point = clearance * normal`.
        clearance: (P,) signed distance of the two surfaces, metres.
        parameter: (P,) where on the link's axis the critical point is, 0 to 1.
    """

    def __init__(
        self,
        scene: Scene,
        parts: Sequence[Part],
        places: Array,
        detect: float,
        watch: Watch | None,
    ) -> None:
        self.scene, self.places, self.detect, self.watch = scene, places, detect, watch
        self.batch = batch = places.shape[:-3]
        self.pose: Pose | None = None
        part = parts[0] if len(parts) == 1 else _joined(parts, bool(batch))
        self._frame, self.link, self._which, self._other = part[:4]
        distance, self.point, self.parameter, self.normal = part[4:]
        self.clearance = distance - scene.body.radius.take(self.link)

    def __len__(self) -> int:
        return len(self.link)

    @property
    def pairs(self) -> bool:
        """Whether pairs of links are among the rows."""
        return self._other is not None

    @cached_property
    def frame(self) -> Index:
        """(P,) which pose of the (flattened) batch a row belongs to."""
        return np.zeros(len(self), dtype=np.intp) if self._frame is None else self._frame

    @cached_property
    def obstacle(self) -> Index:
        """(P,) index of the obstacle as it was given to the scene, -1 for a pair of links."""
        if self._which is None:
            return np.full(len(self), -1)
        original = self.scene.original.take(self._which)
        return original if self._other is None else np.where(self._other < 0, original, -1)

    @cached_property
    def other(self) -> Index:
        """(P,) index of the other link, -1 for an obstacle."""
        return np.full(len(self), -1) if self._other is None else self._other

    @cached_property
    def margin(self) -> Array:
        """(P,) what the obstacle asks for on top of the problem's margin, metres."""
        return self.scene.margins.take(self.obstacle_row)

    @property
    def obstacle_row(self) -> Index:
        """(P,) index of the obstacle in the scene's own order, -1 for a pair of links."""
        if self._which is None:
            return np.full(len(self), -1)
        return self._which if self._other is None else np.where(self._other < 0, self._which, -1)

    @cached_property
    def critical(self) -> Array:
        """(P, 3) critical point on the link's surface, world."""
        return self.point + self.clearance[:, None] * self.normal

    @property
    def joint(self) -> Index:
        """(P,) index of the joint that carries the link."""
        return self.scene.joints.take(self.link)

    @property
    def names(self) -> list[str]:
        """What each row is about: the obstacle's name, or the names of both links."""
        obstacles, links = self.scene.obstacles, self.scene.body.names
        if self._other is None:
            return [obstacles[k].name for k in self.obstacle.tolist()]
        rows = zip(self.link.tolist(), self.obstacle.tolist(), self.other.tolist(), strict=True)
        return [obstacles[k].name if k >= 0 else f"{links[i]} and {links[j]}" for i, k, j in rows]

    @cached_property
    def room(self) -> Array:
        """(P,) clearance beyond the obstacles' own margins, metres."""
        return self.clearance - self.margin if self.scene.has_margins else self.clearance

    @cached_property
    def worst(self) -> Array:
        """(*batch,) smallest clearance beyond the obstacles' own margins, infinite where nothing is near."""
        if not self.batch:
            return np.asarray(self.room.min(initial=np.inf))
        result = np.full(int(np.prod(self.batch)), np.inf)
        np.minimum.at(result, self.frame, self.room)
        return result.reshape(self.batch)

    @property
    def least(self) -> float:
        """Smallest clearance listed, metres, infinite where nothing is near."""
        return float(self.clearance.min(initial=np.inf))

    @cached_property
    def reach(self) -> Array:
        """(L,) metres that each link of a single pose is from every obstacle, at least.

        What is not listed is farther than `detect`. A link that is inside of something counts as touching it.
        """
        return self._reach(np.zeros(len(self.scene.body)))

    @cached_property
    def far_reach(self) -> Array:
        """(L,) the same, and as much more as the balls of the broad phase tell of what is not listed."""
        return self._reach(self.scene.least_gaps(self.places))

    def _reach(self, free: Array) -> Array:
        """(L,) what is known anyway, raised by `detect` and lowered to what is listed."""
        np.maximum(free, self.detect + self.scene.least_margin, out=free)
        link, clearance = self.link, self.clearance
        if self._other is not None:
            alone = (self.other < 0).nonzero()[0]
            link, clearance = link.take(alone), clearance.take(alone)
        np.minimum.at(free, link, clearance)
        return np.maximum(free, 0.0, out=free)

    @cached_property
    def apart(self) -> Array:
        """(L,) metres that each link of a single pose is at least from those that it is kept from."""
        free = np.full(len(self.scene.body), max(self.detect, 0.0))
        if self._other is not None:
            listed = (self.other >= 0).nonzero()[0]
            clearance = np.maximum(self.clearance.take(listed), 0.0)
            np.minimum.at(free, self.link.take(listed), clearance)
            np.minimum.at(free, self.other.take(listed), clearance)
        return free

    def between(self, pairs: Index) -> Array:
        """(P,) the same of pairs of links (P,), see `Scene.pairs`, as exactly as it is known."""
        free = np.maximum(self.scene.least_gaps_between(self.places, pairs), self.detect)
        if self._other is not None:
            count = len(self.scene.body)
            known = np.full((count, count), np.inf)
            listed = (self.other >= 0).nonzero()[0]
            known[self.link.take(listed), self.other.take(listed)] = self.clearance.take(listed)
            one, two = self.scene.pairs.take(pairs, 0).T
            np.minimum(free, known[one, two], out=free)
        return np.maximum(free, 0.0, out=free)

    def jacobian(self, pose: Pose) -> Array:
        """Derivative of every clearance by the coordinates; (P, n).

        It is the velocity of the critical point along the normal, less that of the other link where there is
        one. Obstacles are taken as standing still.

        Args:
            pose: the pose, or batch of poses, that was asked.
        """
        scene = self.scene
        # any point on the line along the normal will do, so both links of a pair share these rows
        turning = cross(self.point, self.normal)
        w, v = pose.screws
        if self.batch:
            screws = np.ascontiguousarray(np.concatenate([w, v]).transpose(2, 0, 1)).take(self.frame, 0)
            wrench = np.concatenate([turning, self.normal], 1)
            rows: Array = np.matmul(wrench[:, None], screws)[:, 0]
        else:
            rows = turning.dot(w.T)
            rows += self.normal.dot(v.T)
        reach = scene.moves.take(self.link, 0)
        if not scene.cuts:
            if self._other is not None:
                reach -= scene.moves.take(self._other, 0)
            rows *= reach
            return rows
        other = rows * scene.moves.take(self.other, 0)
        rows *= reach
        self._carry(pose, rows, self.link)
        self._carry(pose, other, self.other)
        return rows - other

    def _carry(self, pose: Pose, rows: Array, links: Index) -> None:
        """Correct the rows of links below a joint that does not inherit rotation, in place."""
        for link, above, carrier in self.scene.cuts:
            mine = (links == link).nonzero()[0]
            if not len(mine):
                continue
            position = pose.position.reshape(-1, len(pose.skeleton), 3)[self.frame[mine], carrier]
            normal = self.normal[mine]
            turning = cross(position, normal)
            w, v = pose.screws
            if self.batch:
                frame = self.frame[mine]
                swept = np.einsum("pi,inp->pn", turning, w[:, above][:, :, frame])
                swept += np.einsum("pi,inp->pn", normal, v[:, above][:, :, frame])
            else:
                swept = turning @ w[above].T + normal @ v[above].T
            rows[np.ix_(mine, above.nonzero()[0])] = swept


def cuts_above(skeleton: Skeleton, joints: Index) -> list[tuple[int, Mask, int]]:
    """Where rotation is not inherited on the way up from a link: (link, coordinates above, carrying joint).

    Such coordinates move all of the link as they move the head of the joint that does not turn along. The
    uppermost such joint comes last, since it decides for the coordinates above it.
    """
    cuts = []
    for link, joint in enumerate(joints.tolist()):
        way = [joint]
        while skeleton.parents[way[-1]] >= 0:
            way.append(int(skeleton.parents[way[-1]]))
        for position, carrier in enumerate(way[:-1]):
            if not skeleton.inherits[carrier]:
                cuts.append((link, np.isin(skeleton.owner, way[position + 1 :]), carrier))
    return cuts


def _joined(parts: Sequence[Part], many: bool) -> Part:
    """One part out of several, with the rows of one pose next to each other; also out of none."""
    if not parts:
        none = np.zeros(0, dtype=np.intp)
        return Part(none, none, None, None, *(np.zeros((0, 3)[:k]) for k in (1, 2, 1, 2)))
    which = [np.full(len(part.link), -1) if part.which is None else part.which for part in parts]
    other = [np.full(len(part.link), -1) if part.other is None else part.other for part in parts]
    frame = np.concatenate([part.frame for part in parts if part.frame is not None]) if many else None
    one = Part(
        frame,
        np.concatenate([part.link for part in parts]),
        np.concatenate(which),
        np.concatenate(other) if any(part.other is not None for part in parts) else None,
        np.concatenate([part.distance for part in parts]),
        np.concatenate([part.point for part in parts]),
        np.concatenate([part.parameter for part in parts]),
        np.concatenate([part.normal for part in parts]),
    )
    return one if frame is None else one.take(frame.argsort(kind="stable"))
