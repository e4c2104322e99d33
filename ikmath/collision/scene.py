# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure among obstacles, prepared once for a problem and asked in every step of a solver.

A broad phase with balls around links and obstacles picks the pairs that can be near; only those are measured
exactly, all pairs of one kind in one go. The broad phase never changes the answer: its balls contain what
they stand for, with a little air for rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..errors import BadShape, BadValue
from ..model.pose import Pose
from ..model.skeleton import Skeleton
from ..rotation import Array
from .body import Body
from .closest_pairs import Proximity, cuts_above
from .coherence_cache import Watch
from .narrow_phase import Question
from .shape_group import Group, Index, RowGroup
from .shapes.capsule import Capsule
from .shapes.shape import Shape
from .vectors import ONES

_PASSAGES: Final = 1 << 18  # pairs of ways and obstacles that are looked at together
_AIR: Final = 1e-9  # relative growth of the balls, far above the rounding of their distances


class Scene:
    """The links of a figure and what they must not touch: all that does not change with the pose.

    Args:
        skeleton: the figure.
        body: its links.
        obstacles: shapes; moving ones must have the same frames.
        self_pairs: (P, 2) pairs of links to keep from each other, see `self_pairs`.

    Raises:
        UnknownName: a link on a joint that is not there; BadShape: motions of different length, pairs of the
            wrong shape.

    Attributes:
        frames: the frame axes of the obstacles' motions, () if all stand still.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        body: Body,
        obstacles: Sequence[Shape] = (),
        self_pairs: npt.ArrayLike = (),
    ) -> None:
        self.skeleton = arguments.of_kind(skeleton, Skeleton, "skeleton of the scene")
        self.body = arguments.of_kind(body, Body, "body of the scene")
        self.obstacles = arguments.several(obstacles, Shape, "obstacles")  # type: ignore[type-abstract]
        self.joints = body.bind(skeleton)
        pairs = arguments.indices(self_pairs, "self_pairs")
        self.pairs: Index = pairs.reshape(-1, 2) if pairs.size == 0 else pairs
        if self.pairs.ndim != 2 or self.pairs.shape[1] != 2:
            raise BadShape("self_pairs", "(P, 2)", pairs.shape)
        if len(self.pairs) and not 0 <= self.pairs.min() <= self.pairs.max() < len(body):
            raise BadValue("self_pairs", f"name links that are not there; the body has {len(body)}.")
        self.frames = _common_frames(self.obstacles)
        self._arrange([])
        half = 0.5 * body.length + body.radius
        if len(self.pairs):
            self._pair_reach = (half[self.pairs[:, 0]] + half[self.pairs[:, 1]]) * (1.0 + _AIR)
        # coordinates that carry a link, with a row of zeros for "no link" at the end
        moves = np.zeros((len(body) + 1, skeleton.n))
        moves[:-1] = skeleton.influence[:, self.joints].T
        self.moves = moves
        self.cuts = cuts_above(skeleton, self.joints)

    def _arrange(self, known: Sequence[Group]) -> None:
        """Tables for the broad phase, and the groups; those that are known are carried along."""
        # the obstacles in the order of their kinds, so that a kind is a stretch
        kinds = sorted({shape.kind for shape in self.obstacles})
        order = sorted(range(len(self.obstacles)), key=lambda i: (kinds.index(self.obstacles[i].kind), i))
        self._groups: list[tuple[int, int, Group]] = []
        chosen = [self.obstacles[i] for i in order]
        count, outward = len(chosen), self.body.outward
        self.original: Index = np.array(order, dtype=np.intp)
        margins = np.array([shape.margin for shape in chosen])
        self.margins, self.has_margins = np.append(margins, 0.0), bool(margins.any())
        self.least_margin = float(self.margins.min())
        steady = np.array([shape.steady for shape in chosen], dtype=bool)
        self._steady = steady if steady.any() else None
        if not count:
            return
        bounds = [shape.bounds for shape in chosen]
        self._centers = np.stack([np.broadcast_to(c, (*self.frames, 3)) for c, _ in bounds], -2)
        self._radii = np.array([radius for _, radius in bounds])
        half = (0.5 * self.body.length + self.body.radius)[outward]
        self._reach = (half[:, None] + (self._radii + margins)).ravel() * (1.0 + _AIR)  # (M K,)
        self._thick = (self.body.radius[outward, None] + margins).ravel()  # (M K,)
        self._link = np.repeat(outward, count)
        self._which = np.tile(np.arange(count), len(outward))
        start = 0
        while start < count:
            stop = start
            while stop < count and chosen[stop].kind == chosen[start].kind:
                stop += 1
            stretch = chosen[start:stop]
            if known:
                group = known[len(self._groups)].carried(stretch, self.frames)
            else:
                group = type(stretch[0]).group(stretch, self.frames)
            self._groups.append((start, stop, group))
            start = stop

    def at(self, frame: int | tuple[int, ...]) -> Scene:
        """The scene with its obstacles as they are in one frame; itself if all stand still."""
        if not self.frames:
            return self
        return self.carried([shape.at(frame) for shape in self.obstacles])

    def carried(self, obstacles: Sequence[Shape]) -> Scene:
        """The scene with its obstacles elsewhere; what is known of meshes that only moved is kept.

        Args:
            obstacles: in the order of those before; others are allowed, and then prepared anew.
        """
        other = object.__new__(Scene)
        other.__dict__.update(self.__dict__)
        other.obstacles = tuple(obstacles)
        if len(other.obstacles) == len(self.obstacles) and all(map(Shape.stands, self.obstacles, obstacles)):
            return other
        other.frames = _common_frames(other.obstacles)
        same = [type(shape) for shape in other.obstacles] == [type(shape) for shape in self.obstacles]
        groups = [group for _, _, group in self._groups] if same else []
        other._arrange(groups)
        return other

    def alike(self, other: Scene) -> bool:
        """Whether the other has the same links and pairs, among the same obstacles at the same places."""
        return self._groups is other._groups and self.body is other.body and self.pairs is other.pairs

    def on(self, skeleton: Skeleton) -> Scene:
        """The scene for the same figure with other constants (`Skeleton.moved`); cheap."""
        other = object.__new__(Scene)
        other.__dict__.update(self.__dict__)
        other.skeleton = skeleton
        return other

    def watch(self, *, closely: bool = False) -> Watch | None:
        """What makes asking pose after pose quicker; None where no obstacle is worth it.

        Args:
            closely: whether one pose is mostly near the one before, and in the same direction, as poses that
                are shown; not those of a solver, whose steps are soon done.
        """
        if self.frames or self._steady is None or not len(self.body.outward):
            return None
        steady = np.tile(self._steady, len(self.body.outward))
        return Watch(self._link, self.body.outward, self._reach, self._thick, steady, closely)

    def near(
        self,
        pose: Pose,
        detect: float,
        *,
        ends: bool = False,
        watch: Watch | None = None,
        behind: float | None = None,
    ) -> Proximity:
        """All pairs whose clearance is below `detect` (plus the obstacle's own margin), with critical points.

        Args:
            pose: one pose or a batch; for moving obstacles its batch axes end with their frames.
            detect: metres.
            ends: also list the two ends of every near link as rows of their own, as far as they are near. A
                bone that comes to lie on something flat is nearest with one end now, with the other in the
                next step; who bounds its motion by both at once sees it settle.
            watch: for who asks pose after pose, one at a time, of obstacles that stand still: what was
                measured before, see `Watch`; not with `ends`.
            behind: metres of depth beyond which a link that is behind an open surface is simply elsewhere;
                `detect` if not told.

        Raises:
            BadShape: the pose's batch does not fit the obstacles' frames.
        """
        places = self.body.places(pose, self.joints)
        near = self.near_places(places, detect, ends=ends, watch=watch, behind=behind)
        near.pose = pose
        return near

    def near_places(
        self,
        places: Array,
        detect: float,
        *,
        ends: bool = False,
        watch: Watch | None = None,
        behind: float | None = None,
    ) -> Proximity:
        """As `near`, for links that stand somewhere, whoever put them there.

        Args:
            places: (*batch, L, 3, 3) ends and middles of the links' axes, world, as `Body.places` gives them.
            detect, ends, watch, behind: see `near`.
        """
        batch = places.shape[:-3]
        still = self._frame_index(batch)
        flat = places.reshape(-1, 3, 3) if batch else places
        asked = self._asked_obstacles(places, flat, still, detect, watch) if self._groups else []
        if len(self.pairs):
            asked += self._asked_links(places, flat, detect, ends)
        parts = [question.measured(detect, ends, behind) for question in asked]
        return Proximity(self, parts, places, detect, watch)

    def passable(self, a: Array, b: Array, radius: float, margin: float = 0.0) -> npt.NDArray[np.bool_]:
        """(P,) whether a ball can go straight from a to b, (P, 3) each, among obstacles that stand still."""
        free = np.ones(len(a), dtype=bool)
        if not self._groups:
            return free
        keep = self.margins[:-1] + (radius + margin)
        half, middle = 0.5 * np.sqrt(((b - a) ** 2).sum(1)), 0.5 * (a + b)
        rows = max(1, _PASSAGES // len(keep))
        for first in range(0, len(a), rows):
            piece = slice(first, first + rows)
            gap = middle[piece, None] - self._centers
            reach = np.maximum((half[piece, None] + (self._radii + keep)) * (1.0 + _AIR), 0.0)
            row, which = ((gap * gap).sum(-1) <= reach * reach).nonzero()
            row += first
            for start, stop, group in self._groups:
                mine = ((which >= start) & (which < stop)).nonzero()[0]
                if len(mine):
                    asked, own = row.take(mine), which.take(mine)
                    ends = a.take(asked, 0), b.take(asked, 0)
                    free[asked[group.meets(*ends, own - start, keep.take(own))]] = False
        return free

    def clearance(self, pose: Pose, near: Proximity | None = None, behind: float | None = None) -> Array:
        """(*b,) smallest clearance of any watched pair, metres, without margins; infinite if none.

        Args:
            pose: one pose or a batch.
            near: what `near` gave for this pose, if that is at hand; where it lists something, nothing has to
                be measured again.
            behind: see `near`; any depth counts if not told.
        """
        if near is not None and not pose.batch and near.least <= near.detect + self.least_margin:
            return np.asarray(near.least)  # what is not listed is farther
        result = np.full(pose.batch, np.inf)
        places = self.body.places(pose, self.joints) if near is None else near.places
        bound = self.upper_bound(places)
        if np.isfinite(bound):
            near = self.near(pose, bound, behind=behind)
            np.minimum.at(result.reshape(-1), near.frame, near.clearance)
        return result

    def upper_bound(self, places: Array) -> float:
        """A length that the smallest clearance of no pose exceeds; infinite if there is nothing.

        Args:
            places: (*b, L, 3, 3) as for `near_places`.
        """
        bounds, middle = [], places[..., 2, :]
        if self._groups and len(self.body.outward):
            gap = middle[..., self.body.outward, None, :] - self._centers[..., None, :, :]
            far = np.sqrt((gap * gap).sum(-1)) + np.where(np.isfinite(self._radii), self._radii, 0.0)
            bounds.append(far.min((-2, -1)))
        if len(self.pairs):
            gap = middle[..., self.pairs[:, 0], :] - middle[..., self.pairs[:, 1], :]
            bounds.append(np.sqrt((gap * gap).sum(-1)).min(-1))
        if not bounds or not bounds[0].size:
            return np.inf
        return float(np.minimum.reduce(bounds).max()) * (1.0 + _AIR) + _AIR

    def least_gaps(self, places: Array) -> Array:
        """(L,) metres that links of one pose are from obstacles at least, by the balls of the broad phase.

        Args:
            places: (L, 3, 3) as for `near_places`.
        """
        least = np.full(len(self.body), np.inf)
        outward = self.body.outward
        if self._groups and len(outward):
            gap = places[outward, 2, None] - self._centers
            away = np.sqrt((gap * gap).reshape(-1, 3).dot(ONES)) - self._reach
            least[outward] = away.reshape(len(outward), -1).min(1)
        return least

    def least_gaps_between(self, places: Array, pairs: Index) -> Array:
        """(P,) the same between the links of pairs (P,)."""
        middle, (one, two) = places[:, 2], self.pairs.take(pairs, 0).T
        gap = middle.take(one, 0) - middle.take(two, 0)
        return np.asarray(np.sqrt((gap * gap).dot(ONES)) - self._pair_reach.take(pairs))

    def _frame_index(self, batch: tuple[int, ...]) -> Index | None:
        """(B,) the obstacles' frame of every pose of the batch, or None if they stand still."""
        if not self.frames:
            return None
        if batch[len(batch) - len(self.frames) :] != self.frames:
            raise BadShape(
                "pose.batch", f"one pose for each frame of the obstacles, (..., {self.frames})", batch
            )
        counted = np.arange(int(np.prod(self.frames))).reshape(self.frames)
        return np.broadcast_to(counted, batch).reshape(-1)

    def _asked_obstacles(
        self, places: Array, flat: Array, still: Index | None, detect: float, watch: Watch | None
    ) -> list[Question]:
        """What the broad phase leaves to measure against obstacles, one question a kind."""
        if watch is not None:
            again = watch.again(places, detect)
            if again is not None:
                return again
        every = len(self.body.outward) == len(self.body)
        middle = places[..., 2, :] if every else places[..., 2, :].take(self.body.outward, -2)
        gap = middle[..., :, None, :] - self._centers[..., None, :, :]
        gap *= gap
        if watch is None:
            found, frame = _found(gap, self._reach, detect, places.ndim > 3)
        else:
            found, frame = watch.found(places, gap.reshape(-1, 3).dot(ONES), detect), None
        if not len(found):
            return []
        link, which = self._link.take(found), self._which.take(found)
        own = flat.take(link if frame is None else link + frame * len(self.body), 0)
        moving = None if still is None else still if frame is None else still.take(frame)
        asked = Question(
            self._groups[0][2], 0, own, frame, moving, link, which, None, self._thick.take(found)
        )
        if watch is not None:
            asked = asked._replace(watch=watch, pairs=found)
        questions = []
        for start, stop, group in self._groups:
            mine = ((which >= start) & (which < stop)).nonzero()[0]
            if len(mine):
                one = asked if len(mine) == len(which) else asked.take(mine)
                one = one._replace(group=group, start=start)
                shortlist = None if watch is None else watch.shortlist(one)
                questions.append(one if shortlist is None else one._replace(shortlist=shortlist))
        return questions

    def _asked_links(self, places: Array, flat: Array, detect: float, ends: bool) -> list[Question]:
        """What the broad phase leaves to measure of links against each other."""
        middle = places[..., 2, :]
        gap = middle.take(self.pairs[:, 0], -2) - middle.take(self.pairs[:, 1], -2)
        gap *= gap
        found, frame = _found(gap, self._pair_reach, detect, places.ndim > 3)
        if not len(found):
            return []
        link, other = self.pairs[:, 0].take(found), self.pairs[:, 1].take(found)
        offset = 0 if frame is None else frame * len(self.body)
        own, two = flat.take(link + offset, 0), flat.take(other + offset, 0)
        radius = self.body.radius
        rows = np.concatenate([two[:, 0], two[:, 1], radius.take(other)[:, None]], 1)
        group = RowGroup(Capsule.segment_distance, rows, len(rows))
        number = np.arange(len(link))
        question = Question(group, 0, own, frame, None, link, number, other, radius.take(link))
        if not ends:
            return [question]
        # the ends of the one against the other, and of the other against the one
        rows = np.concatenate([own[:, 0], own[:, 1], radius.take(link)[:, None]], 1)
        group = RowGroup(Capsule.segment_distance, rows, len(rows))
        back = Question(group, 0, two, frame, None, other, number, link, radius.take(other), ends_only=True)
        return [question, back]


def _found(squares: Array, reach: Array, detect: float, many: bool) -> tuple[Index, Index | None]:
    """The broad phase: which pairs have balls nearer than `detect`, and in which pose of a batch.

    Args:
        squares: (*b, ..., 3) squared components between the balls' centres.
        reach: (M,) sums of the balls' radii, M pairs a pose.
        detect: metres.
        many: whether there are batch axes.
    """
    limit = reach + (detect * (1.0 + _AIR) + _AIR)
    np.maximum(limit, 0.0, out=limit)
    limit *= limit
    square = squares.reshape(-1, 3).dot(ONES)
    if not many:
        return (square <= limit).nonzero()[0], None
    found = (square.reshape(-1, len(reach)) <= limit).ravel().nonzero()[0]
    frame = found // len(reach)
    return found - frame * len(reach), frame


def _common_frames(obstacles: Sequence[Shape]) -> tuple[int, ...]:
    frames: tuple[int, ...] = ()
    for shape in obstacles:
        if shape.frames and frames and shape.frames != frames:
            raise BadShape(
                f"The motion of obstacle {shape.name!r}", f"the frames of the others, {frames}", shape.frames
            )
        frames = shape.frames or frames
    return frames
