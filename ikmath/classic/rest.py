# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a figure ends whose goals are out of reach: at the nearest pose, and there it stays.

The steps of the texts' methods stop short of it, by little or by a centimetre. A second solve from there
would move on, or tremble. The steps of a method towards reachable goals are unchanged.
"""

from __future__ import annotations

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
from .newton_refinement import Tether, polished

_WEAKER: Final = 1e-4  # share of the level above that a level has while the way is found,
_WEAKEST: Final = 1e-8  # and where it is judged
_FAINTEST: Final = 1e-2  # share of its own amplitude that the posture has in the end;
_STRONGER: Final = 100.0, 10.0, 1.0  # how much stronger it is on the way there, one after the other,
_STRONGEST: Final = 1e-2  # but not above that share of the goals' amplitude
_ROUNDS: Final = 60  # a method that gives up early leaves a long way,
_FEW: Final = 6
_MANY: Final = 150  # and so do levels in each other's way,
_ALONG: Final = 300  # and a curved valley along which only a posture draws,
_WORK: Final = 1.5e8  # but a round takes as long as the cube of the coordinates' number
_SLIGHT: Final = 1e-4  # share of what a pose costs that another one may cost more


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
    """The nearest pose (n,) from q (n,), where a method stalled; and its squared errors (E,).

    Args:
        problem: of one level.
        q: (n,) where the method stalled.
        tether: what the method minimises besides.
    """
    if tether is None:
        q, _ = polished(problem, q, None, _ROUNDS)
    else:
        for one in _led(problem, tether):
            q, _ = polished(problem, q, one, _worth(len(q), _ROUNDS, _ALONG))
    return q, squares(problem, q)


def at_rest_in_order(problem: Problem, q: Array) -> tuple[Array, bool]:
    """The same for levels of priority: of the poses nearest to the strong goals that for the weak ones.

    Weights that leave each level next to nothing beside the one above lead there but for as little; then the
    levels are put right without the weaker ones, which is a step or two and costs those but its square. The
    posture is the weakest of them. It becomes next to nothing, but is never left out: a stretched figure may
    turn about itself, and along that valley, half a turn long, its errors differ by a millionth and less.

    Returns:
        The pose (n,), and whether it is at rest.
    """
    stack = problem.stack
    count = len(stack.levels)
    posture = problem.posture
    rounds = _worth(len(q), _FEW, _MANY)
    if count == 1 and posture is None:
        return polished(problem, q, None, rounds)
    shares = _shares(stack, _WEAKER)
    for tether in _tethers(problem):
        q, rests = polished(problem, q, tether, rounds, shares=shares)
    for first in range(count - 1, 0, -1):
        q, _ = polished(problem, q, None, _FEW, shares=np.where(stack.place < first, shares, 0.0))
    return q, rests


def _tethers(problem: Problem) -> list[Tether | None]:
    """Those to the posture, one after the other; one that is none where there is no posture."""
    posture, stack = problem.posture, problem.stack
    if posture is None:
        return [None]
    share = _WEAKER ** len(stack.levels) * posture.gain / (posture.gain.max() or 1.0)
    gain = _FAINTEST * stack.largest * np.sqrt(share) / stack.metric
    return list(_led(problem, Tether(gain, posture.q)))


def _worth(n: int, least: int, most: int) -> int:
    """How many rounds a figure of n coordinates is worth."""
    return min(max(int(_WORK / max(n, 1) ** 3), least), most)


def _led(problem: Problem, tether: Tether) -> list[Tether]:
    """A tether, and stronger ones before it: a faint one takes long along the valley of the nearest."""
    strength = float((tether.gain * problem.stack.metric).max(initial=0.0))
    most = _STRONGEST * (1.0 + _SLIGHT) * problem.stack.largest  # 0 where no goal has any weight
    fit = [more for more in _STRONGER if more == 1.0 or more * strength <= most]
    return [Tether(more * tether.gain, tether.centre) for more in fit]


def _shares(stack: TaskStack, share: float) -> Array:
    """(k,) weights that leave each level a share of the one above, however heavy it is."""
    size = np.array([stack.scale[rows].max(initial=0.0) for rows in stack.levels])
    size = np.where(size > 0.0, size, size.max())  # what weighs nothing has no share to be given
    shares = share ** np.arange(len(size)) * (size.max() / np.maximum(size, 1e-150)) ** 2
    return np.asarray(shares[stack.place])


def squares(problem: Problem, q: Array) -> Array:
    """(E,) squared errors of every effector at q (n,)."""
    return problem.stack.squares(
        problem.stack.evaluate(problem.tasks, Pose.trusted(problem.skeleton, q)).error
    )
