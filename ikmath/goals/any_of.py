# SPDX-License-Identifier: GPL-3.0-or-later
"""One of several goals, the cheapest (Ki & Sheen, section 2: disjunctive goals): either chair, any handhold.

The pose alone decides: the alternative with the smallest error there, so that the same pose always gives the
same choice. Between two nearly equal ones a clip would flicker. `with_choices(pose)`, with the pose of the
frame before, returns a goal that prefers the earlier choice, until another is cheaper by `preference`.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Array, Index
from ..errors import BadValue
from ..model.pose import Pose
from ..model.residual import Residual
from ..model.skeleton import Skeleton
from .base import Frame, Goal


class AnyOf(Goal):
    """Any one of the alternatives should be met.

    Args:
        goals: two or more, of one unit; their own weights and priorities are not read.
        weight, priority, name: see `Goal`.
        preference: share by which another alternative must be cheaper than the one chosen before.

    Attributes:
        goals: the alternatives; rows: the most that one of them has, the others are filled up with zeros.
        chosen: (*batch,) the alternative chosen before, None where nothing was.
    """

    kind: str = "AnyOf"
    targets: ClassVar[Mapping[str, int]] = {"chosen": 0}

    def __init__(
        self,
        goals: Sequence[Goal],
        weight: npt.ArrayLike = 1.0,
        priority: int = 0,
        *,
        preference: float = 0.3,
        name: str | None = None,
    ) -> None:
        self.goals = arguments.several(goals, Goal, "goals of AnyOf goal")
        if any(goal.kind == "Posture" for goal in self.goals):
            raise BadValue(
                "AnyOf goal", "cannot have a posture as an alternative; give goals of other kinds."
            )
        if len(self.goals) < 2:
            raise BadValue("AnyOf goal", "has fewer than two alternatives; give at least two goals.")
        units = {goal.unit for goal in self.goals}
        if len(units) > 1:
            raise BadValue(
                "AnyOf goal",
                "has alternatives in metres and in radians, which cannot be compared; give one unit.",
            )
        label = " or ".join(label for goal in self.goals for label in goal.labels)
        self._begin((label,), weight, priority, name)
        self.preference = arguments.number(preference, f"preference of {self.describe()}", least=0)
        self.unit = units.pop()
        self.rows = max(goal.effectors * goal.rows for goal in self.goals)
        self.chosen: Index | None = None

    def evaluate(self, pose: Pose) -> Residual:
        residuals = [goal.evaluate(pose) for goal in self.goals]
        best = self._best(residuals)
        chosen = [(where, one) for i, one in enumerate(residuals) if (where := best == i).any()]
        error = np.zeros((*pose.batch, self.rows))
        for where, one in chosen:
            error[where, : one.error.shape[-1]] = one.error[where]

        def jacobian() -> Array:
            rows = np.zeros((*error.shape, pose.skeleton.n))
            for where, one in chosen:
                rows[where, : one.error.shape[-1]] = one.jacobian[where]
            return rows

        return Residual(error, jacobian)

    def best(self, pose: Pose) -> Index:
        """(*batch,) which alternative counts at a pose."""
        return self._best([goal.evaluate(pose) for goal in self.goals])

    def _best(self, residuals: list[Residual]) -> Index:
        costs: Array = np.stack([np.sqrt((r.error * r.error).sum(-1)) for r in residuals], -1)
        if self.chosen is not None:
            kept = np.arange(len(self.goals)) == self.chosen[..., None]
            costs = np.where(kept, costs / (1.0 + self.preference), costs)
        return np.asarray(costs.argmin(-1))

    def with_choices(self, pose: Pose, before: Goal | None = None) -> Self:
        """The goal that prefers what was chosen at a pose (with the targets there, if given)."""
        then = before if isinstance(before, AnyOf) and len(before.goals) == len(self.goals) else self
        pairs = zip(self.goals, then.goals, strict=True)
        goals = tuple(goal.with_choices(pose, earlier) for goal, earlier in pairs)
        return self.with_targets(goals=goals, chosen=then.best(pose))

    def check(self, skeleton: Skeleton) -> None:
        for goal in self.goals:
            goal.check(skeleton)

    def batches(self) -> Sequence[tuple[int, ...]]:
        return [axes for goal in self.goals for axes in goal.batches()]

    def at(self, frame: Frame) -> Self:
        return super().at(frame).with_targets(goals=tuple(goal.at(frame) for goal in self.goals))
