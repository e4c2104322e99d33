# SPDX-License-Identifier: GPL-3.0-or-later
"""All methods by name, and `solve`, which runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..diagnosis.status import conclude
from ..errors import BadValue
from ..model.pose import Pose
from ..problem.problem import Problem, Solution
from ..registries import LazyRegistry, choose
from ..rotation import Array
from ..threads import OneThread
from .method import Method, Options, gather

_TEXTS: Final = "ikmath.classic.methods"

METHODS: Final[Mapping[str, Method]] = LazyRegistry(
    [],
    {
        "hierarchical": "ikmath.solvers.hierarchical:Hierarchical",
        "damped": f"{_TEXTS}.damped:Damped",
        "pseudoinverse": f"{_TEXTS}.pseudoinverse:Pseudoinverse",
        "control": f"{_TEXTS}.control:Control",
        "prioritized": f"{_TEXTS}.prioritized:Prioritized",
        "bounded": f"{_TEXTS}.bounded:Bounded",
        "nonlinear": f"{_TEXTS}.nonlinear:Nonlinear",
        "lagrange": f"{_TEXTS}.lagrange:Lagrange",
        "transpose": f"{_TEXTS}.transpose:Transpose",
        "fabrik": f"{_TEXTS}.fabrik:Fabrik",
        "ccd": f"{_TEXTS}.ccd:Ccd",
        "triangulation": f"{_TEXTS}.triangulation:Triangulation",
        "reach_hierarchy": f"{_TEXTS}.reach_hierarchy:ReachHierarchy",
        "two_bone": f"{_TEXTS}.two_bone:TwoBone",
    },
)
"""Name -> method; each is imported when first used."""
DEFAULT: Final = "hierarchical"


@contextmanager
def _own_errors() -> Iterator[None]:
    """Turn numpy's LinAlgError into BadValue."""
    try:
        yield
    except np.linalg.LinAlgError as error:
        reason = (
            "has numbers too far apart to compute with; bring targets, offsets and weights nearer together."
        )
        raise BadValue("The problem", reason) from error


class Solver:
    """A method with its options, checked once for any number of problems.

    Args:
        method: a name out of `METHODS`.
        brief: whether speed counts more than the last digit of what cannot be reached, as in a viewport.
        **options: the method's own, see its `options`; all know `max_iterations`, `tolerance` (metres, and
            radians unless the next is set) and `angle_tolerance` (radians).

    Raises:
        UnknownName: no such method or option; BadValue: an option out of its bounds.
    """

    def __init__(self, method: str = DEFAULT, *, brief: bool = False, **options: Any) -> None:
        self._method = choose(METHODS, "method", method)
        briefly = self._method.briefly if arguments.switch(brief, "brief") else {}
        self._settings = self._method.read_options({**options, **briefly})

    @_own_errors()
    @OneThread()
    def solve(
        self, problem: Problem, q0: npt.ArrayLike | None = None, *, following: Solution | None = None
    ) -> Solution:
        """As `ikmath.solve`."""
        method, settings = self._method, self._settings
        arguments.of_kind(problem, Problem, "problem")
        if following is not None:
            arguments.of_kind(following, Solution, "following")
        method.refuse(problem)
        q = problem.start(q0)
        if problem.frames is not None:
            if q.shape in ((problem.skeleton.n,), (1, problem.skeleton.n)):
                q = np.repeat(q.reshape(1, -1), problem.frames, 0)
            elif q.shape[0] != problem.frames or q.ndim != 2:
                raise BadValue("q0", f"has shape {q.shape}, but the targets have {problem.frames} frames.")
        if not problem.skeleton.n:  # a figure that cannot move
            return _one_by_one(lambda now, start: _unmoved(now, start, settings), problem, q)
        if q.ndim == 1 and following is not None:
            return method.follow(problem, q, settings, following)
        if method.batched and not problem.limits.adds_rows and problem.scene is None:
            return method.solve(problem, q, settings)
        return _one_by_one(lambda now, start: method.solve(now, start, settings), problem, q)

    @_own_errors()
    @OneThread()
    def follow(self, problem: Problem, before: Solution) -> Solution:
        """Solve the next frame of a motion whose first frame was solved and checked by `solve`."""
        arguments.of_kind(problem, Problem, "problem")
        arguments.of_kind(before, Solution, "before")
        if not problem.skeleton.n:
            return _unmoved(problem, before.q, self._settings)
        return self._method.follow(problem, before.q.copy(), self._settings, before)


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
        brief: see `Solver`, which is for many solves.
        **options: the method's own, see its `options`; all know `max_iterations`,
            `tolerance` (metres, and radians unless the next is set) and `angle_tolerance` (radians).

    Returns:
        The solution; a target that cannot be reached is no error, the nearest pose is returned.

    Raises:
        UnknownName: no such method or option; NotSupported: something that the method cannot take;
        BadShape, BadValue: a start that does not fit, targets of a number of frames that the starts have not.
    """
    return Solver(method, brief=brief, **options).solve(problem, q0, following=following)


def _one_by_one(solve_one: Callable[[Problem, Array], Solution], problem: Problem, q: Array) -> Solution:
    """Solve a batch q (*batch, n) one start after another; a single start directly."""
    if q.ndim == 1:
        return solve_one(problem, q)
    batch = q.shape[:-1]
    starts = q.reshape(prod(batch), q.shape[-1])
    answers = [solve_one(problem.at(i), start) for i, start in enumerate(starts)]
    return gather(answers, batch, problem)


def _unmoved(problem: Problem, q: Array, settings: Options) -> Solution:
    """The solution of one frame for a figure without a free coordinate."""
    scene, near = problem.scene, None
    if scene is not None:
        near = scene.near(
            Pose.trusted(problem.skeleton, q), problem.detection_distance, behind=problem.detection_distance
        )
    return conclude(
        problem,
        q,
        0,
        settings.tolerance,
        angle_tolerance=settings.angle_tolerance,
        stalled=True,
        measure=problem.measure(q, near),
        near=near,
    )
