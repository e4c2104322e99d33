# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest pose to goals that are out of reach.

The classic methods stop before it, by up to a centimetre, so that a second solve would continue to move, or
jitter. The steps towards reachable goals are unchanged.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np

from ..goals.stack import TaskStack
from ..model.pose import Pose
from ..problem.problem import Problem, Solution
from ..rotation import Array
from ..solvers.method import Method, Options
from .limits.base import limits_of
from .newton_refinement import Regularization, polished

_WEAKER: Final = 1e-4  # share of the level above that a level has in the first stage,
_WEAKEST: Final = 1e-8  # and in the final comparison
_FAINTEST: Final = 1e-2  # final share of the posture's amplitude;
_STRONGER: Final = 100.0, 10.0, 1.0  # factors of it in the stages before,
_STRONGEST: Final = 1e-2  # up to this share of the goals' amplitude
_ROUNDS: Final = 60  # maximum rounds: after a method that stops early,
_FEW: Final = 6  # to correct one level,
_MANY: Final = 150  # for conflicting levels,
_ALONG: Final = 300  # and for a curved valley in which only the posture pulls
_WORK: Final = 1.5e8  # but the time of a round grows with the cube of the number of coordinates
_SLIGHT: Final = 1e-4  # share of a pose's cost by which another one may cost more


@dataclass(frozen=True, kw_only=True)
class RestOptions(Options):
    """Options of methods that refine a stalled pose.

    Attributes:
        rest: whether a figure that stalls before its goals continues to the nearest pose, to rounding. It is
            not used in a motion (`solve(following=...)`), because the next frame continues anyway.
        settle: whether a figure continues towards its posture when its goals are (nearly) reached.
    """

    rest: bool = True
    settle: bool = True


class Resting(Method):
    """A method that refines a stalled pose; its options are `RestOptions`."""

    briefly: ClassVar[Mapping[str, Any]] = MappingProxyType({"rest": False})

    def follow(self, problem: Problem, q: Array, options: Any, before: Solution) -> Solution:
        return self.solve(problem, q, replace(options, rest=False))


def least_tolerance(problem: Problem, options: Options) -> float:
    """The strictest tolerance of the effectors, in figure sizes and radians."""
    scaled = problem.stack.tolerances(options.tolerance, options.angle_tolerance) / problem.spans
    return float(scaled.min(initial=options.tolerance / problem.length))


def may_rest(problem: Problem) -> bool:
    """Whether the nearest pose is a minimum of weighted squares that differences can find.

    It is not with obstacles, with limit methods that lock, yield or repel, and with goals whose derivative is
    incomplete.
    """
    return problem.scene is None and limits_of(problem).exact and all(goal.whole for goal in problem.tasks)


def at_rest(problem: Problem, q: Array, regularization: Regularization | None = None) -> tuple[Array, Array]:
    """The nearest pose (n,) from q (n,), where a method stalled; and its squared errors (E,).

    Args:
        problem: of one level.
        q: (n,) where the method stalled.
        regularization: the term that the method adds to its cost, or None.
    """
    if regularization is None:
        q, _ = polished(problem, q, None, _ROUNDS)
    else:
        for one in _led(problem, regularization):
            q, _ = polished(problem, q, one, _worth(len(q), _ROUNDS, _ALONG))
    return q, squares(problem, q)


def at_rest_in_order(problem: Problem, q: Array) -> tuple[Array, bool]:
    """The nearest pose by levels of priority: nearest for strong goals first, then for weak ones.

    Weights that are tiny relative to those of the level above lead there, with an error of that size. Then
    the stronger levels are corrected without the weaker ones, which takes a step or two and costs these
    little. The posture is the weakest level. It is never omitted: a stretched figure may rotate about itself,
    and the errors along this valley differ by a millionth or less.

    Returns:
        The pose (n,), and whether it has converged.
    """
    stack = problem.stack
    count = len(stack.levels)
    posture = problem.posture
    rounds = _worth(len(q), _FEW, _MANY)
    if count == 1 and posture is None:
        return polished(problem, q, None, rounds)
    shares = _shares(stack, _WEAKER)
    for regularization in _regularizations(problem):
        q, rests = polished(problem, q, regularization, rounds, shares=shares)
    for first in range(count - 1, 0, -1):
        q, _ = polished(problem, q, None, _FEW, shares=np.where(stack.place < first, shares, 0.0))
    return q, rests


def _regularizations(problem: Problem) -> list[Regularization | None]:
    """Posture terms in order of use; [None] without a posture."""
    posture, stack = problem.posture, problem.stack
    if posture is None:
        return [None]
    share = _WEAKER ** len(stack.levels) * posture.gain / (posture.gain.max() or 1.0)
    gain = _FAINTEST * float(stack.scale.max(initial=0.0)) * np.sqrt(share) / stack.metric
    return list(_led(problem, Regularization(gain, posture.q)))


def _worth(n: int, least: int, most: int) -> int:
    """The number of rounds for a figure of n coordinates."""
    return min(max(int(_WORK / max(n, 1) ** 3), least), most)


def _led(problem: Problem, regularization: Regularization) -> list[Regularization]:
    """The regularization after stronger ones; weak alone it converges slowly along the nearest poses."""
    strength = float((regularization.gain * problem.stack.metric).max(initial=0.0))
    most = (
        _STRONGEST * (1.0 + _SLIGHT) * float(problem.stack.scale.max(initial=0.0))
    )  # 0 if no goal has any weight
    fit = [more for more in _STRONGER if more == 1.0 or more * strength <= most]
    return [Regularization(more * regularization.gain, regularization.centre) for more in fit]


def _shares(stack: TaskStack, share: float) -> Array:
    """(k,) weights that give each level a share of the one above, independent of its own weights."""
    size = np.array([stack.scale[rows].max(initial=0.0) for rows in stack.levels])
    size = np.where(size > 0.0, size, size.max())  # levels without weight get no share
    shares = share ** np.arange(len(size)) * (size.max() / np.maximum(size, 1e-150)) ** 2
    return np.asarray(shares[stack.place])


def squares(problem: Problem, q: Array) -> Array:
    """(E,) squared errors of all effectors at q (n,)."""
    return problem.stack.squares(
        problem.stack.evaluate(problem.tasks, Pose.trusted(problem.skeleton, q)).error
    )
