# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure and its obstacles, prepared once for a problem and queried in every step of a solver.

A query goes one way: `broad_phase` rules out pairs by bounding spheres, `coherence_cache` (optional) those
that cannot have come near since the previous pose, `narrow_phase` measures the rest exactly, and
`closest_pairs` lists what is near.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Array, Index
from ..errors import BadShape, BadValue
from ..model.pose import Pose
from ..model.skeleton import Skeleton
from .body import Body, LinkMotion
from .broad_phase import BroadPhase
from .closest_pairs import ClosestPairs
from .coherence_cache import CoherenceCache
from .narrow_phase import NarrowPhaseQuery, PairBatch
from .shapes.shape import Shape


class Scene:
    """The links of a figure, its obstacles, and all that does not change with the pose.

    Args:
        skeleton: the figure; body: its links;
        obstacles: shapes; moving ones must have the same frames.
        self_pairs: (P, 2) pairs of links that must not touch, see `self_pairs`.

    Raises:
        UnknownName: a link on a joint that does not exist; BadShape: motions of different length, pairs of
            the wrong shape; BadValue: pairs of links that do not exist, or of a link with itself.

    Attributes:
        frames: the frame axes of the obstacles' motions, () for obstacles without motion.
        motion: how the coordinates move the links.
        broad_phase: the pairs; the same object as long as links, pairs and obstacles are the same.
    """

    def __init__(
        self, skeleton: Skeleton, body: Body, obstacles: Sequence[Shape] = (), self_pairs: npt.ArrayLike = ()
    ) -> None:
        self.skeleton = arguments.of_kind(skeleton, Skeleton, "skeleton of the scene")
        self.body = arguments.of_kind(body, Body, "body of the scene")
        self.obstacles = arguments.several(obstacles, Shape, "obstacles")  # type: ignore[type-abstract]
        self.motion = LinkMotion(skeleton, body)
        pairs = arguments.indices(self_pairs, "self_pairs")
        self.pairs: Index = pairs.reshape(-1, 2) if pairs.size == 0 else pairs
        if self.pairs.ndim != 2 or self.pairs.shape[1] != 2:
            raise BadShape("self_pairs", "(P, 2)", pairs.shape)
        if len(self.pairs) and not 0 <= self.pairs.min() <= self.pairs.max() < len(body):
            raise BadValue("self_pairs", f"name links that do not exist; the body has {len(body)}.")
        if (self.pairs[:, 0] == self.pairs[:, 1]).any():
            raise BadValue("self_pairs", "name a link as its own partner; give pairs of different links.")
        self.frames = _common_frames(self.obstacles)
        self.broad_phase = BroadPhase(body, self.obstacles, self.frames, self.pairs)

    def at(self, frame: int | Index | tuple[int, ...]) -> Scene:
        """The scene with its obstacles at one frame; itself if they have no motion."""
        return self.with_obstacles([shape.at(frame) for shape in self.obstacles]) if self.frames else self

    def with_obstacles(self, obstacles: Sequence[Shape]) -> Scene:
        """The scene with other obstacles, or with the same ones elsewhere; meshes that only moved are reused.

        Args:
            obstacles: in the same order as before if they only moved.
        """
        other = copy(self)
        other.obstacles = tuple(obstacles)
        if len(other.obstacles) == len(self.obstacles) and all(
            map(Shape.same_place, self.obstacles, obstacles)
        ):
            return other
        other.frames = _common_frames(other.obstacles)
        other.broad_phase = BroadPhase(self.body, other.obstacles, other.frames, self.pairs)
        return other

    def with_skeleton(self, skeleton: Skeleton) -> Scene:
        """The scene for the same figure with other constants (`Skeleton.with_rest`); cheap."""
        other = copy(self)
        other.skeleton = skeleton
        return other

    def coherence_cache(self) -> CoherenceCache | None:
        """A cache for queries of one pose after the other; None if no obstacle is costly to measure."""
        if self.frames or not any(group.limited for group in self.broad_phase.groups):
            return None
        return CoherenceCache(self.broad_phase)

    def near(
        self, pose: Pose, detect: float, *, cache: CoherenceCache | None = None, behind: float | None = None
    ) -> ClosestPairs:
        """All pairs whose clearance is below `detect` (plus the obstacle's own margin), with critical points.

        Args:
            pose: one pose or a batch; for moving obstacles its batch axes end with their frames.
            detect: metres.
            cache: a cache of this scene, for single poses one after the other.
            behind: metres of depth beyond which a link behind an open surface does not count as behind it;
                `detect` by default.

        Raises:
            BadShape: the pose's batch does not fit the obstacles' frames.
        """
        places = self.body.places(pose, self.motion.joints)
        near = self.near_places(places, detect, cache=cache, behind=behind)
        near.pose = pose
        return near

    def near_places(
        self,
        places: Array,
        detect: float,
        *,
        cache: CoherenceCache | None = None,
        behind: float | None = None,
    ) -> ClosestPairs:
        """As `near`, for links at given places.

        Args:
            places: (*batch, L, 3, 3), see `Body.places`; detect, cache, behind: see `near`.
        """
        broad = self.broad_phase
        moving = self._frame_index(places.shape[:-3])
        found, frame = broad.near(places, detect)
        if cache is not None:
            found = cache.near(places, found, detect)
        batches = [
            self._measured(query, detect, cache, behind)
            for query in broad.queries(places, found, frame, moving)
        ]
        return ClosestPairs(broad, self.motion, PairBatch.joined(batches), places, detect, cache)

    def at_ends(self, near: ClosestPairs, within: float = np.inf) -> ClosestPairs:
        """Pairs with obstacles in one pose, measured at ends of links that are not their closest points.

        A link that lies flat on a face touches it with both ends, and only one of them is its closest point.
        Pairs with more room than `within`, metres, are left out, and balls, whose ends coincide.
        """
        ends = np.repeat(near.places[:, :2].swapaxes(0, 1)[:, :, None], 3, 2)  # both as poses of points
        apart = (near.other < 0) & (near.room < within) & (self.body.length.take(near.link) > 0.0)
        elsewhere = (near.parameter != np.array([[0.0], [1.0]])) & apart
        end, row = elsewhere.nonzero()
        queries = self.broad_phase.queries(ends, near.pair.take(row), end, None)
        batch = PairBatch.joined([self._measured(query, near.detect, None, None) for query in queries])
        parameter = np.zeros(0) if batch.frame is None else batch.frame.astype(float)
        batch = batch._replace(frame=None, parameter=parameter)
        found = ClosestPairs(self.broad_phase, self.motion, batch, near.places, near.detect, None)
        found.pose = near.pose
        return found

    def _measured(
        self, query: NarrowPhaseQuery, detect: float, cache: CoherenceCache | None, behind: float | None
    ) -> PairBatch:
        """The near pairs of a query; see `near`."""
        thickness = self.broad_phase.thickness.take(query.pair)
        within = thickness + detect
        reach = within if cache is None else cache.reach(query.pair, within)
        limit = within if behind is None else np.minimum(within, thickness + behind)
        a, b = query.axes[:, 0], query.axes[:, 1]
        measured = query.group.segments(a, b, query.row, limit, reach)
        if cache is not None:
            cache.learn(query.pair, measured.distance, reach)
        batch = PairBatch(query.pair, query.frame, *measured)
        near = (batch.distance < within).nonzero()[0]
        return batch if len(near) == len(within) else batch.take(near)

    def clearance(self, pose: Pose, behind: float | None = None) -> Array:
        """(*b,) smallest clearance of all pairs, metres, without margins; infinite if there are none.

        For `behind` see `near`; any depth counts by default.
        """
        bound = self.broad_phase.upper_bound(self.body.places(pose, self.motion.joints))
        result = np.full(pose.batch, np.inf)
        if np.isfinite(bound):
            near = self.near(pose, bound, behind=behind)
            np.minimum.at(result.reshape(-1), near.frame, near.clearance)
        return result

    def _frame_index(self, batch: tuple[int, ...]) -> Index | None:
        """(B,) the obstacles' frame of every pose of the batch, or None if they have no motion."""
        if not self.frames:
            return None
        if batch[len(batch) - len(self.frames) :] != self.frames:
            raise BadShape("pose.batch", f"a pose for each frame of obstacles, {self.frames}", batch)
        counted = np.arange(int(np.prod(self.frames))).reshape(self.frames)
        return np.broadcast_to(counted, batch).reshape(-1)


def critical_points(
    pose: Pose,
    body: Body,
    obstacles: Sequence[Shape] = (),
    self_pairs: npt.ArrayLike = (),
    detect: float = np.inf,
) -> ClosestPairs:
    """Closest pairs of one pose or a batch. For repeated queries make a `Scene` and keep it.

    Args:
        pose, detect: see `Scene.near`; all pairs by default.
        body, obstacles, self_pairs: see `Scene`.
    """
    arguments.number(detect, "detect", endless=True)
    skeleton = arguments.of_kind(pose, Pose, "pose").skeleton
    return Scene(skeleton, body, obstacles, self_pairs).near(pose, detect)


def _common_frames(obstacles: Sequence[Shape]) -> tuple[int, ...]:
    frames: tuple[int, ...] = ()
    for shape in obstacles:
        if shape.frames and frames and shape.frames != frames:
            raise BadShape(
                f"The motion of obstacle {shape.name!r}", f"the frames of the others, {frames}", shape.frames
            )
        frames = shape.frames or frames
    return frames
