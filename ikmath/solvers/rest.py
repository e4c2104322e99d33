# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a figure ends whose goals are out of reach: at the nearest pose, and there it stays.

The steps of the texts' methods stop short of it, by hairs or by a centimetre, and asked again from there they
would creep on, or tremble. What a method does on the way to goals that can be reached is not touched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np

from ..pose import Pose
from ..problem import Problem, Solution
from ..rotation import Array
from ..stack import Stack
from .base import Method, Options
from .polish import Tether, polished

_WEAKER: Final = 1e-4  # share of the level above that a level has while the way is found,
_WEAKEST: Final = 1e-8  # and where it is judged
_ROUNDS: Final = 60  # a method that gives up early leaves a long way,
_FEW: Final = 6
_MANY: Final = 150  # and so do levels in each other's way


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
    return q, squares(problem, q)


def at_rest_in_order(problem: Problem, q: Array) -> tuple[Array, bool]:
    """The same for levels of priority: of the poses nearest to the strong goals that for the weak ones.

    Weights that leave each level next to nothing beside the one above lead there but for as little; then the
    levels are put right without the weaker ones, which is a step or two and costs those but its square.

    Returns:
        The pose (n,), and whether it is at rest.
    """
    stack = problem.stack
    count = len(stack.levels)
    if count == 1:
        return polished(problem, q, None, _MANY)
    shares = _shares(stack, _WEAKER)
    q, rests = polished(problem, q, None, _MANY, shares=shares)
    for first in range(count - 1, 0, -1):
        q, _ = polished(problem, q, None, _FEW, shares=np.where(stack.place < first, shares, 0.0))
    return q, rests


def _shares(stack: Stack, share: float) -> Array:
    """(k,) weights that leave each level a share of the one above, however heavy it is."""
    size = np.array([stack.scale[rows].max(initial=0.0) for rows in stack.levels])
    shares = share ** np.arange(len(size)) * (size.max() / np.maximum(size, 1e-150)) ** 2
    return np.asarray(shares[stack.place])


def cost_in_order(stack: Stack, costs: Sequence[float]) -> float:
    """What a pose costs, if the least of a strong level counts for more than all of a weak one.

    Args:
        stack: of the problem; costs: of each level.
    """
    shares = [_shares(stack, _WEAKEST)[rows].max(initial=0.0) for rows in stack.levels]
    return float(np.dot(shares, costs))


def squares(problem: Problem, q: Array) -> Array:
    """(E,) squared errors of every effector at q (n,)."""
    return problem.stack.squares(
        problem.stack.evaluate(problem.tasks, Pose.trusted(problem.skeleton, q)).error
    )
