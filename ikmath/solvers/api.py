# SPDX-License-Identifier: GPL-3.0-or-later
"""All methods by name, and `solve`, which runs them."""

from collections.abc import Mapping
from math import prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..diagnosis.status import conclude
from ..errors import BadShape, BadValue, NotSupported
from ..model.pose import Pose
from ..problem.problem import Problem, Solution
from ..registries import Registry, choose
from ..rotation import Array
from ..threads import OneThread
from .method import Method, Options, Pausing, Requirements, gather

_TEXTS: Final = "ikmath.classic.methods"

METHODS: Final[Mapping[str, Method]] = Registry(
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

_TOO_FAR_APART: Final = (
    "The problem",
    "has numbers too far apart to compute with; bring targets, offsets and weights nearer together.",
)
"""What numpy's LinAlgError means."""


class Solver:
    """A method with its options, checked once for any number of problems.

    Args:
        method, brief, **options: see `solve`.

    Raises:
        UnknownName: no such method or option; BadValue: an option out of its bounds.
    """

    def __init__(self, method: str | Method = DEFAULT, *, brief: bool = False, **options: Any) -> None:
        self._method = method if isinstance(method, Method) else choose(METHODS, "method", method)
        briefly = self._method.briefly if arguments.switch(brief, "brief") else {}
        for name in briefly.keys() & options:
            raise BadValue(name, f"is given, but brief sets it to {briefly[name]!r}; leave out one of them.")
        given = {**options, **briefly}
        for name in given:
            choose(self._method.options.__dataclass_fields__, f"option of method {self._method.name}", name)
        self._settings = self._method.options(**given) if given else self._method.defaults

    @OneThread()
    def solve(
        self, problem: Problem, q0: npt.ArrayLike | None = None, *, following: Solution | None = None
    ) -> Solution:
        """As `ikmath.solve`."""
        method, skeleton = self._method, arguments.of_kind(problem, Problem, "problem").skeleton
        if following is not None:
            last = arguments.of_kind(following, Solution, "following").q
            arguments.shaped(last, "q of following", (skeleton.n,))
        refuse(method, problem)
        start = skeleton.rest if q0 is None else arguments.coordinates(q0, skeleton.n, "q0")
        q = skeleton.joint_limits.project(start)
        if problem.frames is not None:
            q = _a_start_each(problem, q)
        if q.ndim > 1 and following is not None:
            raise BadValue("following", "is the solution of one frame before; give one start with it.")
        together = method.batched and skeleton.n and not problem.limits.adds_rows and problem.scene is None
        if q.ndim > 1 and not together:
            batch = q.shape[:-1]
            starts = q.reshape(prod(batch), q.shape[-1])
            return gather([self.solve(problem.at(i), one) for i, one in enumerate(starts)], batch, problem)
        return self._run(problem, q, following)

    def _run(self, problem: Problem, q: Array, before: Solution | None) -> Solution:
        """Solve what has been checked."""
        if not problem.skeleton.n:
            return _unmoved(problem, q, self._settings)
        try:
            if before is None:
                return self._method.solve(problem, q, self._settings)
            return self._method.follow(problem, q, self._settings, before)
        except np.linalg.LinAlgError as error:
            raise BadValue(*_TOO_FAR_APART) from error

    def in_parts(self, problem: Problem, q: npt.ArrayLike) -> Pausing[Solution]:
        """As `solve`, with pauses, for a problem of one frame and one start (n,).

        A generator that pauses after each iteration and returns the solution: a viewport can do a part of a
        long solve in each update.
        """
        given = arguments.numbers(q, "q")
        _check_one_frame(self._method, problem, given, "q")
        start = problem.skeleton.joint_limits.project(given)
        if not problem.skeleton.n:
            return _unmoved(problem, start, self._settings)
        work = self._method.in_parts(problem, start, self._settings)
        while True:
            try:
                with OneThread():
                    next(work)
            except StopIteration as end:
                solution: Solution = end.value
                return solution
            except np.linalg.LinAlgError as error:
                raise BadValue(*_TOO_FAR_APART) from error
            yield

    @OneThread()
    def follow(self, problem: Problem, before: Solution) -> Solution:
        """Solve the next frame of a motion, a problem of one frame, from the solution of the frame before."""
        given = arguments.numbers(arguments.of_kind(before, Solution, "before").q, "q of the frame before")
        _check_one_frame(self._method, problem, given, "q of the frame before")
        return self._run(problem, np.array(before.q, dtype=float), before)


def refuse(method: Method, problem: Problem) -> None:
    """Raise NotSupported with a sentence if a problem holds something that a method cannot take."""
    if problem.skeleton.coupling is not None and not method.coupled:
        raise NotSupported(
            f"Method {method.label}", "moves each coordinate alone, but some mimic others; use Hierarchical."
        )
    if problem.skeleton.limits_turned.any() and not method.coupled:
        raise NotSupported(f"Method {method.label}", "knows no limits about turned axes; use Hierarchical.")
    picky = method.takes is not None or not (method.single_axes and method.parts and method.levels)
    if picky or problem.scene is not None or problem.posture_cost is not None:
        objection = method.objection(Requirements.of(problem))
        if objection:
            raise NotSupported(f"Method {method.label}", objection)


def solve(
    problem: Problem,
    q0: npt.ArrayLike | None = None,
    method: str | Method = DEFAULT,
    *,
    following: Solution | None = None,
    brief: bool = False,
    **options: Any,
) -> Solution:
    """Solve a problem.

    Args:
        problem: what the figure should do; several frames are solved each by itself.
        q0: (n,) where to start, or (*batch, n) for many starts, or (frames, n); the rest pose if None.
        method: a name out of `METHODS`, or a method of your own.
        following: the solution of the frame before in a motion, from which the figure must not jump away.
        brief: whether speed counts more than the last digit of what cannot be reached, as in a viewport.
        **options: the method's own, see its `options`; all know `max_iterations`, `tolerance` (metres, and
            radians unless the next is set) and `angle_tolerance` (radians).

    Returns:
        The solution; a target that cannot be reached is no error, the nearest pose is returned.

    Raises:
        UnknownName: no such method or option; NotSupported: something that the method cannot take;
        BadShape, BadValue: a start that does not fit, targets of a number of frames that the starts have not.
    """
    return Solver(method, brief=brief, **options).solve(problem, q0, following=following)


def _check_one_frame(method: Method, problem: Problem, q: Array, what: str) -> None:
    """Raise if a method cannot take a problem, it has frames, or q is not one pose (n,) of its figure."""
    refuse(method, arguments.of_kind(problem, Problem, "problem"))
    if problem.frames is not None:
        raise BadValue("The problem", "has frames; give one of them, problem.at(frame), or use solve_track.")
    if q.shape != (problem.skeleton.n,):
        raise BadShape(what, f"({problem.skeleton.n},), one pose of this figure", q.shape)


def _a_start_each(problem: Problem, q: Array) -> Array:
    """Starts (frames, n) for the frames of a problem, which may share one."""
    if q.shape in ((problem.skeleton.n,), (1, problem.skeleton.n)):
        return np.repeat(q.reshape(1, -1), problem.frames or 0, 0)
    if q.shape[0] != problem.frames or q.ndim != 2:
        raise BadValue("q0", f"has shape {q.shape}, but the targets have {problem.frames} frames.")
    return q


def _unmoved(problem: Problem, q: Array, settings: Options) -> Solution:
    """The solution of one frame for a figure without a free coordinate."""
    scene, pose = problem.scene, Pose.trusted(problem.skeleton, q)
    near = None if scene is None else scene.near(pose, problem.detection_distance)
    return conclude(problem, q, 0, settings, near=near)
