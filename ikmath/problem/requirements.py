# SPDX-License-Identifier: GPL-3.0-or-later
"""What a problem requires of a method, as data that exists before the problem does.

Menus use it to grey out methods, and `solve` to refuse them, with the same sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from ..collision import Avoidance
from ..goals import Position
from .problem import Problem


@dataclass(frozen=True, kw_only=True)
class GoalRequirement:
    """One goal, as a method's flags see it.

    Attributes:
        kind: name of the goal's kind, see `GOALS`; name: for the sentence.
        single_axes: whether some axes of a place do not count.
        part: whether it may use a part of the figure only.
        priority: its level.
    """

    kind: str
    name: str
    single_axes: bool = False
    part: bool = False
    priority: int = 0


@dataclass(frozen=True, kw_only=True)
class Requirements:
    """All goals, and the avoidance method.

    Attributes:
        goals: the goals without the posture.
        avoidance: the avoidance method if there is a collision scene, else None.
        posture_cost: whether a posture cost chooses among the poses that serve the goals.
    """

    goals: tuple[GoalRequirement, ...] = ()
    avoidance: Avoidance | None = None
    posture_cost: bool = False

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """What a problem requires."""
        goals = tuple(
            GoalRequirement(
                kind=goal.kind,
                name=goal.describe(),
                single_axes=isinstance(goal, Position) and goal.mask is not None,
                part=not goal.whole,
                priority=goal.priority,
            )
            for goal in problem.tasks
        )
        return cls(
            goals=goals,
            avoidance=None if problem.scene is None else problem.avoidance,
            posture_cost=problem.posture_cost is not None,
        )
