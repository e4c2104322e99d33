# SPDX-License-Identifier: GPL-3.0-or-later
"""The base of solving methods, and the flags by which they are chosen.

A method is an object with a name, texts, flags for what it supports, and `solve`. Menus grey methods out by
comparing the flags with `Requirements`, which exist before the problem does. `solve` refuses with the same
sentence.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..collision import AVOIDANCE, Avoidance
from ..goals import Position
from ..parameters import Parameter, check_parameters, parameters_of
from ..problem.problem import Problem, Solution
from ..registries import Entry
from ..rotation import Array

Result = TypeVar("Result")
Pausing = Generator[None, None, Result]
"""Work that pauses after each iteration, so that a viewport can do a part of it in each update."""


@dataclass(frozen=True, kw_only=True)
class GoalRequirement:
    """One goal, as a method's flags see it.

    Attributes:
        kind: name of the goal's kind, see `GOALS`; name: for the sentence; priority: its level;
        single_axes: whether some axes of a place do not count.
        part: whether it may use a part of the figure only.
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


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options that all methods have.

    Attributes:
        max_iterations: steps at most, 1 or more.
        tolerance: an effector nearer than this is there: metres, and radians unless `angle_tolerance` is set.
        angle_tolerance: the same for orientations and aims, radians; None takes `tolerance`.
    """

    max_iterations: int = 50
    tolerance: float = 1e-4
    angle_tolerance: float | None = None

    def __post_init__(self) -> None:
        arguments.whole(self.max_iterations, "max_iterations", least=1)
        arguments.number(self.tolerance, "tolerance", above=0)
        if self.angle_tolerance is not None:
            arguments.number(self.angle_tolerance, "angle_tolerance", above=0)
        check_parameters(self)


class Method(Entry):
    """One way to solve.

    Attributes:
        options: the class of its options.
        takes: kinds of goals it can take, None for all of them.
        priorities: whether levels of priority are strict; otherwise all goals are weighed together.
        levels: whether it takes goals of several priorities at all, if only by weighing them.
        single_axes: whether it takes places of which not every axis counts.
        posture_costs: whether it takes a posture cost in place of wanted coordinates.
        coupled: whether it takes figures with coordinates that follow others, or limits about turned axes.
        parts: whether it takes goals that may use a part of the figure only.
        trees: whether it takes several effectors on a branching figure.
        limits: whether joint limits hold.
        obstacles: whether it can keep clear of obstacles; bounding: whether it does so by avoidance methods
            that bound steps, and not by those that push.
        batched: whether a batch is solved at once rather than one after another.
        briefly: options for many solves a second, where the last digits do not matter.
    """

    options: ClassVar[type[Options]] = Options
    takes: ClassVar[frozenset[str] | None] = None
    priorities: ClassVar[bool] = False
    levels: ClassVar[bool] = True
    single_axes: ClassVar[bool] = True
    parts: ClassVar[bool] = True
    trees: ClassVar[bool] = True
    limits: ClassVar[bool] = True
    obstacles: ClassVar[bool] = False
    bounding: ClassVar[bool] = False
    batched: ClassVar[bool] = False
    posture_costs: ClassVar[bool] = False
    coupled: ClassVar[bool] = False
    briefly: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    def solve(self, problem: Problem, q: Array, options: Any) -> Solution:
        """Solve for one start q (n,) or, where `batched`, also (*batch, n).

        q is inside the limits, and the method's own to write to.
        """
        raise TypeError(f"{type(self).__name__} does not say how it solves.")

    def in_parts(self, problem: Problem, q: Array, options: Any) -> Pausing[Solution]:
        """As `solve` for one start, with pauses."""
        yield
        return self.solve(problem, q, options)

    def follow(self, problem: Problem, q: Array, options: Any, before: Solution) -> Solution:
        """Solve for one start q (n,), following the solution of the frame before without a jump."""
        return self.solve(problem, q, options)

    @cached_property
    def defaults(self) -> Options:
        """The options at their defaults, checked once."""
        return self.options()

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The options that a person may set."""
        return parameters_of(self.options)

    def objection(self, requirements: Requirements) -> str:
        """Why the method does not support the requirements, as the rest of a sentence; "" if it does."""
        for goal in requirements.goals:
            if self.takes is not None and goal.kind not in self.takes:
                kinds = " and ".join(sorted(self.takes)) or "no kind"
                return f"cannot take the {goal.name}; it takes only {kinds}. Use Hierarchical."
            if goal.single_axes and not self.single_axes:
                return (
                    f"takes whole positions, not single axes as in the {goal.name}; let all axes count or use"
                    " Hierarchical."
                )
            if goal.part and not self.parts:
                return (
                    f"moves the whole figure, but the {goal.name} may use a part of it only; free its chain"
                    " or use Hierarchical."
                )
        if not self.levels and len({goal.priority for goal in requirements.goals}) > 1:
            return "supports weights, not priorities; give all goals one priority or use Hierarchical."
        if requirements.posture_cost and not self.posture_costs:
            return "takes a posture as coordinates, not a posture cost; use Hierarchical."
        if requirements.avoidance is None:
            return ""
        if not self.obstacles:
            return "does not support obstacles; choose Hierarchical or remove them."
        if requirements.avoidance.bounds != self.bounding:
            able = " or ".join(entry.label for entry in AVOIDANCE.values() if entry.bounds == self.bounding)
            return f"does not keep clear of obstacles by {requirements.avoidance.label}; choose {able}."
        return ""


def gather(answers: list[Solution], batch: tuple[int, ...], problem: Problem) -> Solution:
    """Solutions one after another as one solution with batch axes."""
    return Solution(
        q=_gathered(answers, "q", (*batch, problem.skeleton.n)),
        status=_gathered(answers, "status", batch, object),
        iterations=_gathered(answers, "iterations", batch, int),
        errors=_gathered(answers, "errors", (*batch, len(problem.effectors))),
        sentence=partial(_gathered, answers, "message", batch, object),
        measure=partial(_gathered, answers, "clearance", batch),
        limited_by=_gathered(answers, "limited_by", batch, object),
    )


def _gathered(
    answers: list[Solution], name: str, shape: tuple[int, ...], dtype: type | None = None
) -> npt.NDArray[Any]:
    """One attribute of several solutions, with batch axes."""
    return np.array([getattr(answer, name) for answer in answers], dtype).reshape(shape)
