# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving frames that were sampled: plain data in, channels and errors out. Solve and bake end here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

import ikmath as ik
from ikmath.postures.alignment import carried

from ...bridge.armature import Array, Channels
from ...bridge.goals import Wanted
from ...bridge.skeleton import Figure
from ..collision.surroundings import NOWHERE, depth_of, nearest_thing, place_problems
from .bends import bent_rightly
from .chain_goal import WithinChain
from .goals import Part, effector_errors, points
from .held_back import held_back
from .hinging import bent_instead
from .plan import Plan, plain
from .settle import honest, settle
from .solved import Solved
from .task import Task, make_problem

_STILL = 1e-3  # radians or figure sizes; a figure that moved less on being asked again has come to rest
_LARGEST_CARRY = 1.0  # radians or metres; see _start

Ask = Callable[[ik.Problem, Array], ik.Solution]
"""Solves a problem from coordinates (n,)."""


def solve_task(
    task: Task,
    before: Solved | None = None,
    *,
    brief: bool = False,
    bends: bool = False,
    ask: Ask | None = None,
) -> Solved:
    """Solve one frame.

    A figure of which nothing else is asked than in the frame before stays where it is, once it has come to
    rest there: solved again it might creep on by hairs, which add up.

    Args:
        task: the frame.
        before: the frame before, to start warm from and to stay continuous with.
        brief: for who asks many times a second: no last digits (see `ikmath.solve`), no reasons effector by
            effector, and what is nearest is not looked for.
        bends: whether to see if straight limbs had better be bent.
        ask: solves a problem from coordinates (n,), in place of the method as the options above have it.

    Raises:
        IkError: the frame cannot be solved; the sentence says why.
    """
    plan, figure = task.plan, task.figure
    # who asks briefly and goes on from nothing, as live does, will not go on from this frame either
    asked = None if ask is not None or (brief and before is None) else _asked(task, brief)
    again = before is not None and asked is not None and before.asked == asked
    if before is not None and again and before.rests:
        return replace(before, frame=task.sample.frame)
    previous = before.channels if before else None
    if before is not None and _is_let_go(task):
        before = None
    q = _start(task, before)
    following = before.solution if before else None
    problem = _settled(plan, task.problem, q, before)
    if ask is None:
        ask = partial(plan.solver(brief=brief).solve, following=following)
    if figure.exact:
        answer = _answer(task, problem, q, before, previous, ask, bends=bends)
    else:
        answer = _answer_in_rounds(task, problem, q, before, previous, ask)
    solution = answer.solution
    near = NOWHERE
    if not brief:
        known = solution.clearance if figure.exact else None
        near = nearest_thing(task.problem, answer.q, answer.shown, known)
    parts, problem = answer.parts, answer.problem
    return Solved(
        frame=task.sample.frame,
        channels=answer.channels,
        q=solution.q,
        posture=task.figure.q if task.posture is None else task.posture.q,
        motion=None if task.posture is None else task.posture.motion,
        solution=solution,
        status=solution.status.name,
        sentence="",
        off=answer.off,
        asking=task.want.asking,
        why=(
            tuple
            if brief
            else partial(held_back, plan, parts, problem, answer.q, solution, near, brief=False)
        ),
        chosen=_chosen(plan, parts, problem, answer.q),
        problem=problem if plan.chooses else None,
        nearest=near,
        ignored=task.sample.ignored,
        asked=asked,
        tried=answer.tried,
        rests=solution.status is not ik.Status.STOPPED
        and (before is None or (again and apart(problem, solution.q, before.q) < _STILL)),
    )


@dataclass(frozen=True, kw_only=True)
class _Answer:
    """What a solve came to.

    Attributes:
        solution: as the solver gave it; channels: of all bones.
        parts, problem: what was asked in the end.
        shown: the figure as Blender will show it, None where that is the problem's own.
        q: (n,) its coordinates.
        off, tried: see `Solved`.
    """

    solution: ik.Solution
    channels: Channels
    parts: Sequence[Part]
    problem: ik.Problem
    shown: ik.Skeleton | None
    q: Array
    off: tuple[Array, Array] | Callable[[], tuple[Array, Array]]
    tried: Sequence[float] = ()


def _answer(
    task: Task,
    problem: ik.Problem,
    q: Array,
    before: Solved | None,
    previous: Channels | None,
    ask: Ask,
    *,
    bends: bool,
) -> _Answer:
    """Solve a figure that is exact, from coordinates q."""
    tried = before.tried if before else ()
    solution = ask(problem, q)
    if problem.scene is None:  # else who is put elsewhere at once may come out behind an obstacle
        then = before.q if before else None
        solution = bent_rightly(task.figure, problem, solution, then, ask)
    if bends and problem.scene is None:
        solution, tried = bent_instead(task.figure, problem, solution, tried, partial(ask, problem))
    parts, count = task.parts, len(task.plan.effectors)
    return _Answer(
        solution=solution,
        channels=task.figure.channels(solution.q, previous),
        parts=parts,
        problem=problem,
        shown=None,
        q=solution.q,
        off=lambda: effector_errors(count, parts, solution.errors),
        tried=tried,
    )


def _answer_in_rounds(
    task: Task,
    problem: ik.Problem,
    q: Array,
    before: Solved | None,
    previous: Channels | None,
    ask: Ask,
) -> _Answer:
    """Solve a figure that is not exact, from coordinates q, until Blender shows what is wanted."""
    plan, figure, want = task.plan, task.figure, task.want

    def solve_round(own: Figure, want: Wanted, first: bool) -> ik.Solution:
        made = make_problem(plan, own, want, figure.q)[1]
        if task.posture is not None:
            cost = task.posture.cost
            if not first:  # a corrected round stays near the one before, else they would not settle
                cost = cost.with_reference(ik.Pose.forward(own.shown, own.q)).with_support(cost.support)
            made = made.with_posture(cost)
        asked = _settled(plan, made, q, before)
        ((asked, _),) = place_problems(plan.surroundings, [asked], [own], [task.sample], task.model)
        # Who stands in a wall by now starts afresh: he may not find the way out of it.
        afresh = first or depth_of(asked, own) > 0.0
        return ask(asked, q if afresh else own.q)

    asks = plain(plan, want)
    settled = settle(
        figure,
        want,
        asks,
        previous,
        partial(points, plan),
        solve_round,
        partial(depth_of, problem),
        plan.tolerance,
    )
    distance, angle = settled.distance, settled.angle
    there = figure.posed(settled.channels)
    parts, problem = make_problem(plan, there, replace(want, offset=points(plan, there)), there.q)
    problem = _settled(plan, problem, q, before)
    if not np.logical_or(*asks).all():
        errors = problem.errors(ik.Pose.forward(there.shown, there.q))
        rest = effector_errors(len(plan.effectors), parts, errors)
        distance = np.where(np.isnan(distance), rest[0], distance)
        angle = np.where(np.isnan(angle), rest[1], angle)
    return _Answer(
        solution=honest(settled.solution, plan, distance, angle),
        channels=settled.channels,
        parts=parts,
        problem=problem,
        shown=there.shown,
        q=there.q,
        off=(distance, angle),
    )


def reasons(task: Task, solved: Solved) -> tuple[str, ...]:
    """(E,) what holds each effector back, for who asked `solve_task` briefly; nothing where that takes long.

    Args:
        task: what was solved; solved: what it came to.
    """
    if not task.figure.exact:
        return ("",) * len(task.plan.effectors)
    problem = task.problem if solved.problem is None else solved.problem
    return held_back(task.plan, task.parts, problem, solved.q, solved.solution, solved.nearest, brief=True)


def apart(problem: ik.Problem, a: Array, b: Array) -> float:
    """The farthest that a coordinate goes from a to b (n,): radians, or figure sizes of what slides."""
    away: Array = np.abs(a - b) / problem.strides
    return float(away.max(initial=0.0))


def _asked(task: Task, brief: bool) -> Any:
    """All that the answer to a task depends on, but for where it starts; to be compared."""
    sample = task.sample
    return brief, sample.asked, sample.around, sample.state.digest


def _settled(plan: Plan, problem: ik.Problem, q: Array, before: Solved | None) -> ik.Problem:
    """A problem whose choices are those of the frame before, unless others are much cheaper by now."""
    if before is None or not plan.chooses:
        return problem
    earlier = before.problem
    if earlier is not None and earlier.effectors != problem.effectors:
        earlier = None  # another effector was off there
    return problem.with_choices(q, earlier)


def _chosen(plan: Plan, parts: Sequence[Part], problem: ik.Problem, q: Array) -> tuple[int, ...]:
    """(E,) which alternative each effector is at."""
    chosen = [-1] * len(plan.effectors)
    if plan.chooses:
        pose = ik.Pose.forward(problem.skeleton, q)
        for part, goal in zip(parts, problem.tasks, strict=True):
            inner = goal.goal if isinstance(goal, WithinChain) else goal
            if isinstance(inner, ik.AnyOf):
                chosen[int(part.rows[0])] = int(inner.best(pose))
    return tuple(chosen)


def _is_let_go(task: Task) -> bool:
    """Whether an effector has faded out and the animation does by itself what the others ask for.

    Then the figure is to be in its animated pose, to which going on from the frame before leads only nearly.
    """
    if task.sample.demands.all_on:
        return False
    q = task.problem.start(task.figure.q)
    errors = task.problem.errors(ik.Pose.forward(task.figure.skeleton, q))
    return bool((errors <= task.plan.tolerance).all())


def _start(task: Task, before: Solved | None) -> Array:
    """Warm: what the frame before ended at, carried along by what animation and targets did since."""
    figure, motion = task.figure, None if task.posture is None else task.posture.motion
    posture = figure.q if task.posture is None else task.posture.q
    if before is None:
        return figure.q if task.posture is None else task.posture.start
    q = before.q
    if before.motion is not None:
        q = carried(figure.skeleton, q, before.motion.inverse())
    if posture is not before.posture:
        carry = posture - before.posture
        # Coordinates jump by a whole turn where a bone passes its half turn; a jump is no motion to follow.
        q = q + np.where(np.abs(carry) < _LARGEST_CARRY, carry, 0.0)
    return q if motion is None else carried(figure.skeleton, q, motion)
