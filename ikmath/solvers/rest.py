# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a figure ends whose goals are out of reach: at the nearest pose, and there it stays.

The steps of the texts' methods stop short of it, by hairs or by a centimetre, and asked again from there they
would creep on, or tremble. What a method does on the way to goals that can be reached is not touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np

from ..pose import Pose
from ..problem import Problem, Solution
from ..rotation import Array
from .base import Method, Options
from .polish import Tether, polished

_WEAK: Final = 1e-6  # weight of a weak level beside a strong one
_ROUNDS: Final = 60  # a method that gives up early leaves a long way


@dataclass(frozen=True, kw_only=True)
class RestOptions(Options):
    """Options of methods that come to rest.

    Attributes:
        rest: whether a figure that stalls short of its goals goes on to the nearest pose, to rounding. A
            motion does without (`solve(following=...)`): its next frame goes on anyhow.
        settle: whether a figure goes on towards its posture where it has nearly reached all, and when it has.
    """

    rest: bool = True
    settle: bool = True


class Resting(Method):
    """A method that comes to rest; its options are `RestOptions`."""

    briefly: ClassVar[Mapping[str, Any]] = MappingProxyType({"rest": False})

    def follow(self, problem: Problem, q: Array, options: Any, before: Solution) -> Solution:
        return self.solve(problem, q, replace(options, rest=False))


def may_rest(problem: Problem) -> bool:
    """Whether the nearest pose is a minimum of the weighed squares that differences can find.

    It is not where obstacles push, where limits lock, give or are kept off, and where a goal leaves out part
    of its derivative.
    """
    return problem.scene is None and problem.limits.exact and all(goal.whole for goal in problem.tasks)


def at_rest(problem: Problem, q: Array, tether: Tether | None = None) -> tuple[Array, Array]:
    """The nearest pose (n,) from q (n,), where a method stalled; and its squared errors (E,)."""
    q, _ = polished(problem, q, tether, _ROUNDS)
    return q, _squares(problem, q)


def at_rest_in_order(problem: Problem, q: Array) -> tuple[Array, Array]:
    """The same for two levels of priority: of the poses nearest to the strong goals that for the weak ones.

    A weight that leaves the weak level next to nothing leads there but for a millionth; then the strong level
    is put right alone, which moves the figure by as little.
    """
    level = problem.stack.level
    weak = level > level.min()
    q, _ = polished(problem, q, None, _ROUNDS, shares=np.where(weak, _WEAK, 1.0))
    q, _ = polished(problem, q, None, _ROUNDS, shares=np.where(weak, 0.0, 1.0))
    return q, _squares(problem, q)


def _squares(problem: Problem, q: Array) -> Array:
    return problem.stack.squares(
        problem.stack.evaluate(problem.tasks, Pose.trusted(problem.skeleton, q)).error
    )
