# SPDX-License-Identifier: GPL-3.0-or-later
"""The default: goals in strict order of priority, inside every limit, with nothing to tune.

Each step is the lexicographic optimum of the linear picture (`linalg.lexicographic`): a level's errors are
made as small as can be without disturbing the levels above, under all joint limits as inequalities, the
posture last. A joint at its limit leaves it as soon as that helps, since only the inequality holds it (no
locking: Ge 2000, section 5.1). Swing regions enter by their tangent where a step would leave them.

A step is taken if it makes the first level better that it changes at all, on the true errors and not on the
linear ones; otherwise it is damped more and worked out again (Whitney's and Ki & Sheen's halving, as
Levenberg and Marquardt do it). Where a straight limb gives the linear picture no way to bend, it is given a
small bend to the side that its limits and its rest pose prefer, and the solve goes on from there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np

from ... import arguments
from ...diagnosis.status import too_far
from ...model.pose import Pose
from ...parameters import setting
from ...problem.problem import Problem, Solution, Status
from ...rotation import Array
from ...solvers.method import Allows, Method, Options, Shortcut
from ..limbs.triangle import quick_start
from ..rest import RestOptions
from .descent.descent import Descent
from .descent.escapes import bend, scattered
from .descent.hiding import seen, worth
from .descent.pace import SMALL_TURN
from .descent.relaxing import relax
from .descent.standing import Trail

_QUICK: Final = 10  # steps of a shortcut at most; what takes more will mostly not get there,
_NEXT: Final = 4  # and from the frame before
_SPARED: Final = 24  # steps of one that finds what is out of reach; they cost half as much as strict ones,
_PATIENCE, _LITTLE = 3, 0.01  # and end after so many that lower the squared errors by less than that share
_ONCE_MORE: Final = math.radians(1.0)  # that a coordinate may turn in a second solve of a frame
_FAR: Final = 0.3  # damping of a shortcut, which gets there in fewer steps so
_STRING: Final = 0.3  # figure sizes from which on its targets pull as on a string


@dataclass(frozen=True, kw_only=True)
class HierarchicalOptions(RestOptions):
    """Options of `hierarchical`.

    Attributes:
        escape: whether a solve that ends short may try to get over the rim of a local minimum. Off for frames
            that follow another, where a better pose elsewhere would be a jump.
        max_turn: radians that a coordinate may turn in one solve, what is heavy or stiff less; None for no
            such bound. Frames that follow another have one: what cannot be reached is not worth a jump.
        catch_up: whether it may turn farther where that is what it takes to reach all. Off for frames that
            follow one that was short itself: such a motion comes back to its targets step by step.
        warm_start: "triangulation" starts from what one geometric pass finds, if that is nearer to the goals;
            "" starts from where the figure is.
        search: whether an escape may also look elsewhere among obstacles, though the direct way there may
            lead through a wall; what it finds is clear of all of them and reaches everything, or is not
            taken. It may take as many steps again as `max_iterations`. Never for who asks briefly.
        restarts: further starts, drawn by `seed`, where a local minimum blocks the way.
        seed: of the starts that are drawn.
    """

    escape: bool = True
    search: bool = setting(
        False,
        "Search",
        "If obstacles block the direct way, look for a pose beyond them, also through a wall: when you press"
        " Solve, and for the first frame of a bake",
        offered=True,
    )
    max_turn: float | None = None
    catch_up: bool = True
    warm_start: str = ""
    restarts: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.word(self.warm_start, "warm_start", ("", "triangulation"))
        if self.max_turn is not None:
            arguments.number(self.max_turn, "max_turn", above=0)

    @cached_property
    def from_anywhere(self) -> Shortcut:
        """The shortcut for who goes on from nothing."""
        return Shortcut("damped", self._damped(_QUICK))

    @cached_property
    def from_before(self) -> Shortcut:
        """The same from the frame before."""
        return Shortcut("damped", self._damped(_NEXT), SMALL_TURN)

    @cached_property
    def far_away(self) -> Shortcut:
        """The same as `from_anywhere`, for who can do with a pose near the best one."""
        told = {**self._damped(_QUICK), "max_iterations": _SPARED, "patience": _PATIENCE, "gain": _LITTLE}
        told["unseen"] = True
        return Shortcut("damped", told, spares=_is_out_of_reach)

    def _damped(self, most: int) -> dict[str, Any]:
        told: dict[str, Any] = {"max_iterations": min(most, self.max_iterations)}
        told |= {"tolerance": self.tolerance, "angle_tolerance": self.angle_tolerance}
        return {**told, "rest": False, "settle": False, "far": _FAR, "string": _STRING}


class Hierarchical(Method):
    """See the module."""

    name: ClassVar[str] = "former"
    label: ClassVar[str] = "Hierarchical (Former)"
    description: ClassVar[str] = (
        "Strict priorities inside all limits, exact and without tuning. Use this unless you study another."
    )
    source: ClassVar[str] = "Kanoun, Lamiraux & Wieber 2011; Escande, Mansard & Wieber 2014; own"
    options: ClassVar[type[Options]] = HierarchicalOptions
    priorities: ClassVar[bool] = True
    obstacles: ClassVar[bool] = True
    bounding: ClassVar[bool] = True
    weighed: ClassVar[bool] = True
    briefly: ClassVar[Mapping[str, Any]] = MappingProxyType({"rest": False, "search": False})

    def follow(self, problem: Problem, q: Array, options: Any, before: Solution) -> Solution:
        def again(asked: Problem, between: Solution | None) -> Solution:
            if between is None:
                return Descent(asked, options, before).solve(q)
            return Descent(asked, replace(options, max_turn=_ONCE_MORE), between).solve(between.q)

        return seen(problem, again(problem, None), again)

    def relax(
        self,
        problem: Problem,
        answer: Solution,
        options: Any,
        most: int,
        allows: Allows | None,
        reach: float,
    ) -> Solution:
        if answer.status is Status.STOPPED:
            return answer  # it is still on its way to the goals
        descent = Descent(problem, options, answer)
        state = descent.begin(answer.q)
        state, steps, relaxed = relax(descent, state, most, allows, reach)
        descent.stack.end(state.pose)
        trail = answer.memory
        return replace(
            answer,
            q=state.q,
            off=np.sqrt(np.array(state.squares)),
            iterations=answer.iterations + steps,
            measure=problem.measure(state.q, state.near),
            memory=replace(trail, pose=state.pose, near=state.near) if isinstance(trail, Trail) else trail,
            relaxed=relaxed,
        )

    def shortcut(
        self, problem: Problem, options: Any, before: Solution | None, *, rough: bool
    ) -> Shortcut | None:
        # A goal that is reached stands in no other's way, and damped steps cost half as much as strict ones.
        if problem.scene is not None or not problem.limits.exact or options.max_turn is not None:
            return None
        known: HierarchicalOptions = options
        if before is not None:
            # a motion that was short comes back to its goals step by step
            return known.from_before if before.status is Status.REACHED else None
        many = len(problem.stack.levels) > 1
        return known.far_away if rough and not many else known.from_anywhere

    def solve(self, problem: Problem, q: Array, options: Any) -> Solution:
        if options.warm_start:
            quick = quick_start(problem, q, options.tolerance)
            there = [problem.errors(Pose.trusted(problem.skeleton, start)).sum() for start in (q, quick)]
            q = quick if there[1] < there[0] else q

        def again(asked: Problem, between: Solution | None) -> Solution:
            return Descent(asked, options).solve(q if between is None else between.q)

        best = again(problem, None)
        best = best if options.rest else seen(problem, best, again)
        if not options.restarts or best.status is Status.REACHED:
            return best
        # further starts drawn inside the limits; the first that reaches all ends the search
        rng = np.random.default_rng(options.seed)
        for _ in range(options.restarts):
            other = Descent(problem, options).solve(scattered(problem.skeleton, best.q, rng, 1)[0])
            if worth(problem, other.errors) < worth(problem, best.errors):
                best = other
            if best.status is Status.REACHED:
                break
        return best


def _is_out_of_reach(problem: Problem, answer: Solution) -> bool:
    """Whether an answer falls short because no pose reaches all, and not for want of steps or of a bend."""
    if answer.status is Status.STOPPED or not too_far(problem, answer.errors):
        return False
    stack = problem.stack
    rows = stack.evaluate(problem.tasks, stack.begin(problem.skeleton, answer.q))
    scaled, weighed = rows.error * stack.scale, rows.jacobian * stack.scale[:, None]
    none = np.zeros(stack.rows, dtype=bool)
    return bend(problem.skeleton, answer.q, scaled, weighed, stack.starts, none, stack.moved) is None
