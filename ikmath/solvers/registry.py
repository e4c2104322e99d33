# SPDX-License-Identifier: GPL-3.0-or-later
"""All methods by name, and the one verb that runs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..diagnosis import conclude
from ..errors import BadValue
from ..problem import Problem, Solution, Status
from ..registries import choose, registry
from ..rotation import Array
from .base import Method, Options, gather
from .bounded import Bounded
from .ccd import Ccd
from .control import Control
from .damped import Damped
from .fabrik import Fabrik
from .hierarchical import Hierarchical
from .lagrange import Lagrange
from .nonlinear import Nonlinear
from .prioritized import Prioritized
from .pseudoinverse import Pseudoinverse
from .reach_hierarchy import ReachHierarchy
from .transpose import Transpose
from .triangulation import Triangulation
from .two_bone import TwoBone

METHODS: Final[Mapping[str, Method]] = registry(
    [
        Hierarchical(),
        Damped(),
        Pseudoinverse(),
        Control(),
        Prioritized(),
        Bounded(),
        Nonlinear(),
        Lagrange(),
        Transpose(),
        Fabrik(),
        Ccd(),
        Triangulation(),
        ReachHierarchy(),
        TwoBone(),
    ]
)
DEFAULT: Final = "hierarchical"


def solve(
    problem: Problem,
    q0: npt.ArrayLike | None = None,
    method: str = DEFAULT,
    *,
    following: Solution | None = None,
    brief: bool = False,
    **options: Any,
) -> Solution:
    """Solve a problem.

    Args:
        problem: what the figure should do, for one frame.
        q0: (n,) where to start, or (*batch, n) for many starts; the rest pose if None. Never changed.
        method: a name out of `METHODS`.
        following: the solution of the frame before in a motion, from which the figure must not jump away.
        brief: for who asks many times a second: what cannot be reached is not followed to the last digit.
        **options: the method's own, see its `options`; all know `max_iterations` and `tolerance`.

    Returns:
        The solution; a target that cannot be reached is no error, the nearest pose is returned.

    Raises:
        UnknownName: no such method or option; NotSupported: something that the method cannot take;
        BadShape, BadValue: a start that does not fit, targets of a number of frames that the starts have not.
    """
    arguments.of_kind(problem, Problem, "problem")
    chosen = choose(METHODS, "method", method)
    if arguments.switch(brief, "brief"):
        options.update(chosen.briefly)
    settings = chosen.read_options(options)
    if following is not None:
        arguments.of_kind(following, Solution, "following")
    chosen.refuse(problem)
    q = problem.start(q0)
    if problem.frames is not None:
        if q.ndim == 1:
            q = np.repeat(q[None], problem.frames, 0)
        elif q.shape[0] != problem.frames or q.ndim != 2:
            raise BadValue("q0", f"has shape {q.shape}, but the targets have {problem.frames} frames.")
    if not problem.skeleton.n:  # a figure that cannot move is where it ends
        return _one_by_one(lambda now, start: _unmoved(now, start, settings), problem, q)
    quick = _quickly(chosen, problem, q, settings, following) if brief and q.ndim == 1 else None
    if quick is not None:
        return quick
    if q.ndim == 1 and following is not None:
        return chosen.follow(problem, q, settings, following)
    if chosen.batched and not problem.limits.adds_rows and problem.scene is None:
        return chosen.solve(problem, q, settings)
    return _one_by_one(lambda now, start: chosen.solve(now, start, settings), problem, q)


def _quickly(
    chosen: Method, problem: Problem, q: Array, settings: Any, following: Solution | None
) -> Solution | None:
    """The answer of a method's shortcut, if it is as good as the method's own."""
    way = chosen.shortcut(problem, settings, following)
    if way is None:
        return None
    other = METHODS[way.method]
    answer = other.solve(problem, q.copy(), other.read_options(way.options))
    near = way.most == np.inf or bool(np.abs(answer.q - q).max() <= way.most)
    return answer if answer.status is Status.REACHED and near else None


def continued(
    method: str = DEFAULT, *, brief: bool = False, **options: Any
) -> Callable[[Problem, Solution], Solution]:
    """What solves a frame that follows a solution, for motions whose first frame `solve` has taken.

    What does not change from frame to frame is not looked at again. Arguments as in `solve`.
    """
    chosen = METHODS[method]
    settings = chosen.read_options({**options, **chosen.briefly} if brief else options)

    def follow(problem: Problem, before: Solution) -> Solution:
        if not problem.skeleton.n:
            return _unmoved(problem, before.q, settings)
        quick = _quickly(chosen, problem, before.q, settings, before) if brief else None
        return chosen.follow(problem, before.q.copy(), settings, before) if quick is None else quick

    return follow


def _one_by_one(solve_one: Callable[[Problem, Array], Solution], problem: Problem, q: Array) -> Solution:
    """A batch q (*batch, n) through what knows single starts only; a single start as it is."""
    if q.ndim == 1:
        return solve_one(problem, q)
    batch = q.shape[:-1]
    starts = q.reshape(prod(batch), q.shape[-1])
    answers = [solve_one(problem.at(i), start) for i, start in enumerate(starts)]
    return gather(answers, batch, problem)


def _unmoved(problem: Problem, q: Array, settings: Options) -> Solution:
    """The solution of one frame for a figure without a free coordinate."""
    measure = None if problem.scene is None else problem.scene.measure(q)
    return conclude(problem, q, 0, settings.tolerance, stalled=True, measure=measure)
