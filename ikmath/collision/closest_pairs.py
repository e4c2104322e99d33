# SPDX-License-Identifier: GPL-3.0-or-later
"""Closest pairs: where a figure is near to obstacles and to itself, with derivatives by its coordinates.

The terms are Ge's (4.1): on a link the critical point, on the obstacle the obstacle point, between them the
critical distance, here less the thickness of the link and negative where they overlap.
"""

from functools import cached_property

import numpy as np

from ..arrays import Array, Index
from ..model.geometric_stiffness import Loads
from ..model.pose import Pose
from .body import LinkMotion
from .broad_phase import BroadPhase
from .coherence_cache import CoherenceCache
from .narrow_phase import PairBatch


class ClosestPairs:
    """All near pairs of one pose or of a batch, one row a pair; P rows, those of one pose next to each other.

    Made by `Scene.near`.

    Args:
        broad_phase: the pairs that were considered; motion: how coordinates move the links;
        batch: the near pairs; places: (*batch, L, 3, 3), see `Body.places`;
        detect: metres of clearance up to which pairs are listed, besides the obstacles' own margins;
        cache: the coherence cache that was used, for the next pose.

    Attributes:
        broad_phase, motion, places, detect, cache: as given; body: the links; batch: the pose's batch axes.
        pose: the pose; not set if only the links' places were given.
        pair: (P,) number of the pair in the broad phase, the same at every pose.
        link: (P,) index of the link in the body.
        point: (P, 3) obstacle point, on the surface of the obstacle or of the other link, world.
        normal: (P, 3) unit, from the obstacle to the link; `critical - point = clearance * normal`.
        clearance: (P,) signed distance of the two surfaces, metres.
        parameter: (P,) where on the link's axis the critical point is, 0 to 1.
    """

    def __init__(
        self,
        broad_phase: BroadPhase,
        motion: LinkMotion,
        batch: PairBatch,
        places: Array,
        detect: float,
        cache: CoherenceCache | None,
    ) -> None:
        self.broad_phase, self.body, self.motion = broad_phase, broad_phase.body, motion
        self.places, self.detect, self.cache = places, detect, cache
        self.batch = places.shape[:-3]
        self.pose: Pose
        self._frame, self.pair, self.point = batch.frame, batch.pair, batch.point
        self.parameter, self.normal = batch.parameter, batch.normal
        self.link = broad_phase.link.take(batch.pair)
        self.clearance = batch.distance - broad_phase.body.radius.take(self.link)

    def __len__(self) -> int:
        return len(self.link)

    @cached_property
    def frame(self) -> Index:
        """(P,) pose of each row in the flattened batch."""
        return np.zeros(len(self), dtype=np.intp) if self._frame is None else self._frame

    @cached_property
    def other(self) -> Index:
        """(P,) index of the other link, -1 for an obstacle."""
        return self.broad_phase.other.take(self.pair)

    @cached_property
    def obstacle(self) -> Index:
        """(P,) index of the obstacle in the order given to the scene, -1 for a pair of links."""
        return self.broad_phase.obstacle.take(self.pair)

    @cached_property
    def margin(self) -> Array:
        """(P,) the obstacle's own margin, on top of the problem's, metres."""
        return self.broad_phase.margin.take(self.pair)

    @cached_property
    def critical(self) -> Array:
        """(P, 3) critical point on the link's surface, world."""
        return self.point + self.clearance[:, None] * self.normal

    @property
    def names(self) -> list[str]:
        """The obstacle's name, or the names of both links, of each row."""
        obstacles, links = self.broad_phase.obstacles, self.body.names
        rows = zip(self.link.tolist(), self.obstacle.tolist(), self.other.tolist(), strict=True)
        return [obstacles[k].name if k >= 0 else f"{links[i]} and {links[j]}" for i, k, j in rows]

    @cached_property
    def room(self) -> Array:
        """(P,) clearance beyond the obstacles' own margins, metres."""
        return self.clearance - self.margin if self.broad_phase.has_margins else self.clearance

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

    def lower_bounds(self, pair: Index) -> Array:
        """(M,) lower bounds of the distances of pairs, whose numbers ascend, in a single pose, metres.

        Pairs that are not listed are farther than `detect`. A link inside an obstacle counts as touching it.
        """
        broad = self.broad_phase
        free = np.maximum(broad.lower_bounds(self.places, pair), self.detect + broad.margin.take(pair))
        place = pair.searchsorted(self.pair)
        there = (pair.searchsorted(self.pair, "right") > place).nonzero()[0]
        free[place.take(there)] = self.clearance.take(there)
        return np.maximum(free, 0.0)

    def jacobian(self, pose: Pose) -> Array:
        """Derivative of every clearance by the coordinates, with obstacles at rest; (P, n).

        Args:
            pose: the pose, or batch of poses, of the query.
        """
        frame = self.frame if self.batch else None
        other = self.other if len(self.broad_phase.self_pairs) else None
        return self.motion.derivatives(pose, frame, self.point, self.normal, self.link, other)

    def loads(self, forces: Array) -> Loads:
        """Forces (P,) along the normals on the axes of links, and back on other links', of a single pose.

        An axis keeps its distance from the surface, whose normal does not turn along.
        """
        joints, push, radius = self.motion.joints, forces[:, None] * self.normal, self.body.radius
        axis = self.critical + radius.take(self.link)[:, None] * self.normal
        loads = Loads.on_points(joints.take(self.link), axis, push)
        two = self.other >= 0
        if not two.any():
            return loads
        other = self.other[two]
        back = self.point[two] - radius.take(other)[:, None] * self.normal[two]
        return loads.along_with(Loads.on_points(joints.take(other), back, -push[two]))
