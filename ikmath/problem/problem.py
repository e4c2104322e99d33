# SPDX-License-Identifier: GPL-3.0-or-later
"""What a solver is given. `Problem` checks its arguments once; solvers rely on that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property, partial
from typing import Final, cast

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..collision import AVOIDANCE, Avoidance, Body, ClosestPairs, Scene, Shape
from ..errors import BadValue, told
from ..goals import Frame, Goal, Position, Posture
from ..goals.base import Effectors
from ..goals.stack import TaskStack
from ..lean import Lean
from ..limits import LIMITS, LimitMethod
from ..model.pose import Pose
from ..model.skeleton import Skeleton
from ..postures import JointPosture, PostureCost
from ..registries import choose
from ..rotation import Array
from .solution import Solution as Solution
from .solution import Status as Status

_DETECTION: Final = 0.05  # figure sizes, beyond the margin, within which pairs are detected


class Problem(Lean):
    """What a figure should do.

    Args:
        skeleton: the figure.
        goals: what it should reach; a `Posture` goal among them comes below all others.
        obstacles: shapes to stay out of; body: the figure's own thickness, needed with obstacles;
        avoidance: name of the method that keeps clear of them, see `AVOIDANCE`, or one with parameters of
            your own;
        margin: clearance to keep, metres, added to the obstacles' own margins;
        self_pairs: (P, 2) pairs of links of the body to keep from each other.
        limits: name of the joint-limit method, see `LIMITS`, or one with parameters of your own.
        posture: (*batch, n) coordinates to keep to where the goals leave the figure free, or a `Posture`:
            the same as one among the goals; or a `PostureCost`, which chooses among all poses that serve
            the goals.
        metre: metres per unit of length, for messages; everything else is in that unit.

    Raises:
        IkError: a goal that does not fit the skeleton, two postures, batches of different length, unknown
            names.

    Attributes:
        tasks: the goals without the posture; posture: the posture or None;
        posture_cost: the cost given in its place, or None;
        effectors: a label for every effector; units: "m", "rad" or "" of each.
        length: the figure's size in metres, to which lengths are compared with angles.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        goals: Iterable[Goal] = (),
        obstacles: Sequence[Shape] = (),
        body: Body | None = None,
        avoidance: str | Avoidance = "velocity_damper",
        margin: float = 0.0,
        limits: str | LimitMethod = "projection",
        self_pairs: npt.ArrayLike = (),
        posture: Posture | PostureCost | npt.ArrayLike | None = None,
        metre: float = 1.0,
    ) -> None:
        self.skeleton = arguments.of_kind(skeleton, Skeleton, "skeleton of the problem")
        self.goals = arguments.several(goals, Goal, "goals")
        cost = None
        if isinstance(posture, Posture):
            self.goals += (posture,)
        elif isinstance(posture, PostureCost):
            cost = posture
        elif posture is not None:
            self.goals += (Posture(posture),)
        self.obstacles = arguments.several(obstacles, Shape, "obstacles")  # type: ignore[type-abstract]
        self.body = None if body is None else arguments.of_kind(body, Body, "body of the problem")
        self.margin = arguments.number(margin, "margin of the problem", least=0)
        self.metre = arguments.number(metre, "metre of the problem", above=0)
        if not isinstance(avoidance, Avoidance):
            avoidance = choose(AVOIDANCE, "avoidance method", avoidance)
        self.avoidance = avoidance
        self.scene = self._scene(self_pairs)
        if not isinstance(limits, LimitMethod):
            limits = choose(LIMITS, "limit method", limits)
        self.limits = limits
        self._take(cost)

    def _take(self, cost: PostureCost | None) -> None:
        """Check the goals, and set what depends on them; cost: of postures."""
        for goal in self.goals:
            goal.check(self.skeleton)
        postures = [goal for goal in self.goals if isinstance(goal, Posture)]
        if len(postures) > 1:
            raise BadValue("The problem", "has more than one posture; give one, with gains by coordinate.")
        self.posture = postures[0] if postures else None
        self.posture_cost = self._only_posture(cost)
        self.tasks = tuple(goal for goal in self.goals if not isinstance(goal, Posture))
        self.effectors = tuple(label for goal in self.tasks for label in goal.labels)
        self.units = tuple(goal.unit for goal in self.tasks for _ in goal.labels)
        moving = () if self.scene is None else self.scene.frames
        if len(moving) > 1:
            raise BadValue("obstacles", f"move over leading axes {moving}; give one axis of frames.")
        counts = {goal.frames for goal in self.goals if goal.frames is not None} | set(moving)
        if len(counts) > 1:
            raise BadValue("Targets and obstacles", f"have different numbers of frames: {sorted(counts)}.")
        self.frames: int | None = counts.pop() if counts else None

    def __repr__(self) -> str:
        frames = "" if self.frames is None else f" over {self.frames} frames"
        return f"<Problem of {self.skeleton!r}{frames}: {', '.join(goal.describe() for goal in self.goals)}>"

    def _scene(self, self_pairs: npt.ArrayLike) -> Scene | None:
        """The collision scene; None if there are neither obstacles nor pairs."""
        if not self.obstacles and not arguments.indices(self_pairs, "self_pairs").size:
            return None
        if self.body is None:
            raise BadValue(
                "The problem", "has obstacles or pairs but no body; give the figure's links by body=."
            )
        return Scene(self.skeleton, self.body, self.obstacles, self_pairs)

    def at(self, frame: Frame) -> Problem:
        """The problem with the targets and obstacles of one frame, or of several, in the given order.

        Raises:
            BadValue: no such frame.
        """
        if self.frames is None:
            return self
        number = arguments.frames(frame, self.frames, "frame of the problem")
        _ = self.stack  # which all frames share
        other = self.with_goals(tuple(goal.at(number) for goal in self.goals))
        other.frames = None if np.ndim(number) == 0 else len(np.asarray(number))
        if self.scene is not None and self.scene.frames:
            other.scene = self.scene.at(number)
            other.obstacles = other.scene.obstacles
        return other

    def with_targets(self, goals: Iterable[Goal]) -> Problem:
        """The problem with other targets; derived values that depend only on the figure are kept.

        Args:
            goals: in the order of the problem's own. If more than their targets differs, a new problem is
                made.
        """
        given = arguments.several(goals, Goal, "goals")
        for new, own in zip(given, self.goals, strict=False):
            if new is not own:
                new.bind_as(own)
        alike = len(given) == len(self.goals) and all(map(Goal.is_like, given, self.goals))
        if self.frames is not None or not alike:
            other = copy(self)  # without cached results
            other.goals = given
            other._take(self.posture_cost)
            return other
        return self.with_goals(given)

    def with_goals(self, goals: tuple[Goal, ...]) -> Problem:
        """As `with_targets`, without checks: for goals made by `Goal.with_targets` of the problem's own."""
        other = self._without()
        other.goals = goals
        other.tasks = tuple(goal for goal in goals if not isinstance(goal, Posture))
        other.posture = next((goal for goal in goals if isinstance(goal, Posture)), None)
        return other

    def with_choices(self, q: Array, before: Problem | None = None) -> Problem:
        """The problem with each goal's alternative chosen at another pose, or itself without any.

        Args:
            q: (n,) coordinates at which to choose.
            before: the problem solved there, for instance of the frame before; this one if None.
        """
        if all(type(goal).with_choices is Goal.with_choices for goal in self.goals):
            return self
        pose = Pose.forward(self.skeleton, q)
        then = self.goals if before is None else before.goals
        return self.with_goals(
            tuple(goal.with_choices(pose, earlier) for goal, earlier in zip(self.goals, then, strict=True))
        )

    def with_posture(self, cost: PostureCost) -> Problem:
        """The problem with another posture cost, in place of one that it may have.

        Raises:
            BadValue: it has a posture goal.
        """
        arguments.of_kind(cost, PostureCost, "cost")  # type: ignore[type-abstract]
        other = self._without()
        other.posture_cost = self._only_posture(cost)
        return other

    def _only_posture(self, cost: PostureCost | None) -> PostureCost | None:
        """A posture cost of this figure, which no posture goal may stand beside."""
        if cost is not None and self.posture is not None:
            raise BadValue("The problem", "has a posture goal and a posture cost; give one of them.")
        if isinstance(cost, Goal):
            raise BadValue("posture of the problem", f"is {told(cost)}; give a Posture or a PostureCost.")
        own = self.skeleton
        alike = getattr(cost, "skeleton", own).topology.is_like(own.topology)
        if isinstance(cost, JointPosture):
            alike = cost.q.shape == cost.weight.shape == (own.n,)
        if not alike:
            raise BadValue("posture of the problem", "is made for another figure; make one for this one.")
        return cost

    def with_skeleton(self, skeleton: Skeleton) -> Problem:
        """The problem on the same figure with other constants (`Skeleton.with_rest`)."""
        if skeleton is self.skeleton:
            return self
        if arguments.of_kind(skeleton, Skeleton, "skeleton").topology is not self.skeleton.topology:
            raise BadValue("The skeleton", "is built otherwise; use Skeleton.with_rest on the problem's own.")
        other = self._without()
        other.skeleton = skeleton
        if self.scene is not None:
            other.scene = self.scene.with_skeleton(skeleton)
        return other

    def with_obstacles(self, obstacles: Sequence[Shape], like: Problem | None = None) -> Problem:
        """The problem of one frame with its obstacles elsewhere; the trees of rigid meshes are kept.

        Args:
            obstacles: in the order of those before, as they are in this frame; others are allowed, and then
                prepared anew.
            like: a problem of the same figure whose body, pairs, margin and avoidance hold here too, in place
                of the problem's own.
        """
        like = self if like is None else arguments.of_kind(like, Problem, "like")
        if like.scene is None:
            raise BadValue("The problem", "was made without obstacles and pairs; give them when it is made.")
        other = self._without()
        other.body, other.margin, other.avoidance = like.body, like.margin, like.avoidance
        other.obstacles = arguments.several(obstacles, Shape, "obstacles")  # type: ignore[type-abstract]
        other.scene = like.scene.with_obstacles(other.obstacles).with_skeleton(self.skeleton)
        if other.scene.frames:
            raise BadValue("obstacles", "move over frames, but the problem is one of a single frame.")
        return other

    @cached_property
    def length(self) -> float:
        """Metres; 1 for a figure without extent."""
        held = [goal.offset for goal in self.goals if isinstance(goal, Effectors)]
        offsets = [float(np.sqrt((offset**2).sum(-1)).max()) for offset in held]
        return (self.skeleton.size + max(offsets, default=0.0)) or 1.0

    @property
    def detection_distance(self) -> float:
        """Clearance below which pairs are detected, metres.

        A link also counts as behind an open surface up to this distance.
        """
        return self.margin + _DETECTION * self.length

    def measure(self, q: Array, near: ClosestPairs | None = None) -> float | Callable[[], float]:
        """The clearance at q (n,), or a function for it; infinite without a scene.

        Args:
            near: the closest pairs there within the detection distance, if known.
        """
        scene = self.scene
        if scene is None:
            return np.inf
        # pairs that are not listed have more clearance than this
        if near is not None and near.least <= near.detect + near.broad_phase.least_margin:
            return near.least
        return partial(_clearance, scene, q, self.detection_distance)

    @cached_property
    def spans(self) -> Array:
        """(E,) what counts as one where errors are compared: the figure's length, a radian."""
        return np.array([self.length if unit == "m" else 1.0 for unit in self.units])

    @cached_property
    def strides(self) -> Array:
        """(n,) what counts as one where turns and slides are compared: a radian, the figure's length."""
        return np.where(self.skeleton.is_turn, 1.0, self.length)

    @cached_property
    def stack(self) -> TaskStack:
        """The tasks as rows."""
        return TaskStack(self.skeleton, self.tasks, self.length)

    def places(self) -> Iterator[tuple[Position, slice]]:
        """The position goals without a mask, each with its slice of the effectors."""
        for number, own, _ in self.stack.places:
            yield cast(Position, self.tasks[number]), own

    def errors(self, pose: Pose) -> Array:
        """(*batch, E) size of every effector's error."""
        parts = [goal.errors(pose) for goal in self.tasks]
        return np.concatenate(parts, -1) if parts else np.zeros((*pose.batch, 0))


def _clearance(scene: Scene, q: Array, behind: float) -> float:
    return float(scene.clearance(Pose.trusted(scene.skeleton, q), behind=behind))
