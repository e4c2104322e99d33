# SPDX-License-Identifier: GPL-3.0-or-later
"""The default: goals in strict order of priority, inside every limit and clear of obstacles, without tuning.

`solve` runs the iteration (`driver`) from the start and, where that ends short and a jump is allowed, from
the starts of the restart strategies. `follow` does the same for a frame of a motion: no turn goes farther
than the turn limit.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .. import arguments
from ..diagnosis.error_bounds import is_hopeless
from ..diagnosis.status import conclude
from ..errors import BadShape
from ..model.pose import Pose
from ..postures import JointPosture, PostureTerm
from ..problem.problem import Problem, Solution
from ..rotation import Array
from .arc_correction import ArcCorrection
from .collision_guard import CollisionGuard
from .detours import Detours
from .driver import Budget, IterationDriver, Stop
from .frame_correction import FrameCorrection
from .iterate import Iterate, ScaledPosture
from .method import Method, Options, Pausing
from .parameters import ACCURACY, HierarchicalOptions, Patience
from .restarts import Ended, RestartStrategy, StraightLimbKick, better
from .search import Search, unchecked
from .step_bounds import StepBounds
from .step_model import Correction
from .turn_policy import Range, Trail, TurnPolicy


class Course(NamedTuple):
    """How far a solve goes: steps along tangents while they converge fast, then steps by curvature to an end.

    Attributes:
        patience: with slow and refused steps along tangents.
        at_once: whether a frame ends as soon as its goals gain nothing more, see `IterationDriver.run`.
        rest: share of the costs by which steps by curvature gain at least; 0 where they go on to the
            constrained minimum. None without such steps.
        searches: whether a solve that ends short may jump, and costly starts are worth their time.
    """

    patience: Patience
    at_once: bool
    rest: float | None
    searches: bool

    @classmethod
    def of(cls, options: HierarchicalOptions, driver: IterationDriver, *, moves: bool) -> Course:
        """The course of a solve; moves: of a frame of a motion."""
        own, exact = options.parameters, ACCURACY[options.accuracy]
        if options.accuracy == "reached" or (moves and not driver.chooses):
            rest = own.settled if exact else None
            return cls(own.in_motion if moves else own.at_last, True, rest, False)
        if driver.chooses or exact:
            rest = own.slow if not exact else own.settled if moves else 0.0
            patience = own.before_curvature if driver.guard is None else own.at_last
            return cls(patience, False, rest, exact and not moves)
        return cls(own.at_last, False, None, False)


class Hierarchical(Method):
    """See the module."""

    name: ClassVar[str] = "hierarchical"
    label: ClassVar[str] = "Hierarchical"
    description: ClassVar[str] = (
        "Strict priorities inside all limits, exact and without tuning. Use this unless you study another."
    )
    source: ClassVar[str] = "Kanoun, Lamiraux & Wieber 2011; Escande, Mansard & Wieber 2014; own"
    options: ClassVar[type[Options]] = HierarchicalOptions
    priorities: ClassVar[bool] = True
    obstacles: ClassVar[bool] = True
    bounding: ClassVar[bool] = True
    posture_costs: ClassVar[bool] = True
    coupled: ClassVar[bool] = True
    briefly: ClassVar[Mapping[str, Any]] = MappingProxyType({"accuracy": "fast"})

    def solve(self, problem: Problem, q: Array, options: Any, **frame: Any) -> Solution:
        """As `in_parts`, without pauses."""
        work = self.in_parts(problem, q, options, **frame)
        while True:
            try:
                next(work)
            except StopIteration as end:
                solution: Solution = end.value
                return solution

    def in_parts(
        self,
        problem: Problem,
        q: Array,
        options: Any,
        *,
        before: Trail | None = None,
        within: Range | None = None,
        begin: Array | None = None,
        deadline: float | None = None,
    ) -> Pausing[Solution]:
        """One solve, from a start or from the frame before.

        Args:
            before: trail of the frame before; None for a solve by itself.
            within: coordinates that the solve stays between, besides those that `max_turn` allows.
            begin: (n,) where the first step begins; q by default.
            deadline: see `Budget`; None: the time limit from now on.
        """
        own, skeleton = options.parameters, problem.skeleton
        if not ACCURACY[options.accuracy]:
            own = own.quick
        if options.max_turn is not None:
            room = np.where(skeleton.is_turn, options.max_turn, np.inf)
            least, most = within or (q - room, q + room)
            within = np.maximum(least, q - room), np.minimum(most, q + room)
        trail = Trail() if before is None else before
        scene, posture = problem.scene, None
        if problem.posture is not None or problem.posture_cost is not None:
            posture = posture_of(problem)
        guard = None if scene is None else CollisionGuard(problem, scene, problem.stack.metric, trail.near)
        driver = IterationDriver(
            problem,
            posture,
            StepBounds(skeleton, own, *(within or ())),
            guard,
            own,
            problem.stack.tolerances(options.tolerance, options.angle_tolerance),
            trail.active,
        )
        if deadline is None:
            deadline = np.inf if options.seconds is None else time.perf_counter() + options.seconds
        budget = Budget(options.max_iterations, deadline)
        course = Course.of(options, driver, moves=before is not None)
        start = driver.begin(q if begin is None else begin, trail.pose)
        if guard is not None:
            driver.bounds.include(start.q)
        first = None
        if before is not None:
            first = FrameCorrection(trail.first, max(1.0, trail.damping**own.eased))
        correction: Correction = ArcCorrection(problem, own.arc_gain) if first is None else first
        end, stop, jumped = yield from self._descend(driver, start, budget, correction, course, options)
        near, blocked = end.near, ""
        if guard is not None and near is not None and stop is not Stop.REACHED:
            blocked = guard.blocker(near, end.error.dot(end.jacobian))
        if within is not None:
            end = driver.wrapped(end)
        known = trail.error
        moved = None if known is None or len(known) != len(start.error) else start.error - known
        began = None if first is None else first.first
        active, ran_out = (driver.active, driver.held), {Stop.ITERATIONS: "iterations", Stop.TIME: "time"}
        # without a posture cost frames end where goals gain nothing, and damped steps gain little
        firm = correction.damping if driver.chooses else 1.0
        trail = Trail(end.pose, near, end.error, moved, began, firm, active)
        limit = "jump" if before is not None else ""
        answer = conclude(
            problem,
            end.q,
            budget.taken + budget.corrections,
            options,
            errors=np.sqrt(end.squares),
            limited_by=ran_out.get(stop, limit if options.max_turn is None else "max_turn"),
            blocked=blocked,
            near=near,
            memory=trail,
        )
        if jumped and guard is not None:
            answer = replace(answer, sentence=partial(unchecked, answer))
        return answer

    def follow(self, problem: Problem, q: Array, options: Any, before: Solution) -> Solution:
        trail = before.memory if isinstance(before.memory, Trail) else Trail()
        deadline = np.inf if options.seconds is None else time.perf_counter() + options.seconds
        fixed = problem.with_choices(q) is problem  # else goals choose by where the frame begins

        def solve(within: Range | None, last: Solution | None) -> Solution:
            known, begin = trail, q
            if last is not None and fixed:
                known, begin = last.memory._replace(first=None), last.q
            frame = {"before": known, "within": within, "begin": begin, "deadline": deadline}
            return self.solve(problem, q, options, **frame)

        policy = TurnPolicy(problem, q, trail, options.parameters, options.dt, options.frames)
        return policy.follow(solve, deadline)

    def _descend(
        self,
        driver: IterationDriver,
        start: Iterate,
        budget: Budget,
        correction: Correction,
        course: Course,
        options: Any,
    ) -> Pausing[tuple[Iterate, Stop, bool]]:
        """Where a solve ends, why, and whether it jumped there."""
        rest, rested, jumped = course.rest, None, False
        nearly = driver.chooses and rest is not None and not course.at_once
        end, stop = yield from driver.run(
            start, budget, correction, course.patience, at_once=course.at_once, nearly=nearly
        )
        if stop is Stop.REACHED:
            return end, stop, False
        if rest is not None and stop is Stop.NEAR:
            end, stop = yield from driver.refine(end, budget, rest)
            rested = end
        if stop is not Stop.TIME and not end.reached(driver.tolerances):
            # ways round obstacles take most iterations; to come to rest afterwards an eighth is enough
            kept = 0 if rest is None else budget.iterations // 8
            spare = Budget(budget.iterations - kept, budget.deadline)
            ended = Ended(driver, spare, start, end, np.random.default_rng(options.seed))
            end, stop, jumped = yield from self._elsewhere(ended, stop, course, options)
            budget.add(spare)
        # a frame that is where it should be goes on in the next one, and a fast one in a wider range of turns
        held = driver.bounds.limits_turns and not ACCURACY[options.accuracy]
        waits = course.at_once and (end.reached(driver.tolerances) or held)
        if rest is not None and stop is Stop.CONVERGED and end is not rested and not waits:
            end, stop = yield from driver.refine(end, budget, rest)
        return end, stop, jumped

    def strategies(self, options: Any, *, guarded: bool) -> list[RestartStrategy]:
        """What a solve that ends short tries, in order; guarded: among obstacles."""
        return [StraightLimbKick(), *[Detours()] * guarded, *[Search()] * options.restarts]

    def _elsewhere(
        self, ended: Ended, stop: Stop, course: Course, options: Any
    ) -> Pausing[tuple[Iterate, Stop, bool]]:
        """The best end of all starts of the strategies, why it ended, and whether it is one that jumps.

        Among obstacles, the end of a jump is taken only if it reaches everything and is clear.

        Args:
            ended: the solve, with the iterations that all strategies may take together; stop: why it ended.
        """
        driver, end = ended.driver, ended.end
        problem, guard = driver.problem, driver.guard
        guarded = guard is not None
        may_jump = course.searches and not driver.bounds.limits_turns
        came, jumped = better(end, ended.start, 0.5), False
        for strategy in self.strategies(options, guarded=guarded):
            if ended.budget.out_of_time():
                break
            if (strategy.jumps and not may_jump) or (strategy.costly and not course.searches):
                continue
            errors = np.sqrt(end.squares)
            if strategy.costly and is_hopeless(problem, end.pose, errors, driver.tolerances, guarded=guarded):
                break
            gate = guard if strategy.jumps else None
            for begin in strategy.starts(ended._replace(end=end)):
                if begin is None:
                    yield
                    continue
                if ended.budget.out_of_time():
                    break
                arcs = ArcCorrection(problem, options.parameters.arc_gain)
                other, why = yield from driver.run(begin, ended.budget, arcs, course.patience)
                least = 1e-4 if not strategy.jumps else 0.1 if came else 1.0
                touches = gate is not None and other.near is not None and gate.is_inside(other.near)
                if other.reached(driver.tolerances) and not touches:
                    return other, why, strategy.jumps
                if gate is None and better(other, end, least):
                    end, stop, jumped = other, why, strategy.jumps
        return end, Stop.TIME if ended.budget.out_of_time() else stop, jumped


def posture_of(problem: Problem) -> ScaledPosture | None:
    """The posture cost of a problem, None if it has none.

    It is scaled so that its mean stiffness in the rest pose is one in units of the coordinates' mobilities:
    in the merit a unit of it then means the same for every cost, wherever a solve starts.
    """
    metric, cost, rest = problem.stack.metric, problem.posture_cost, problem.skeleton.rest
    if cost is None and problem.posture is not None:
        cost = JointPosture(problem.posture.q, problem.posture.gain / metric**2)
    if cost is None or not len(rest):
        return None
    evaluate, n, what = cost.evaluate, len(rest), "result of evaluate of the posture"
    result = arguments.of_kind(evaluate(Pose.trusted(problem.skeleton, rest)), PostureTerm, what)
    for name, shapes in (("gradient", [(n,)]), ("hessian", [(n,), (n, n)])):
        if (shape := np.shape(getattr(result, name))) not in shapes:
            raise BadShape(f"{name} in the {what}", " or ".join(map(str, shapes)), shape)
    hessian = result.hessian
    stiffness = float(np.dot(hessian if hessian.ndim == 1 else np.diag(hessian), metric**2)) / n
    return None if stiffness <= 0.0 else lambda pose: evaluate(pose).scaled(1.0 / stiffness)
