# SPDX-License-Identifier: GPL-3.0-or-later
"""Solves sampled frames: plain data in, channels and errors out."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import ikmath as ik
from ikmath.postures.alignment import carried
from ikmath.solvers.collision_guard import is_free_path

from ...bridge.armature import Array, Channels
from ...bridge.goals import Wanted
from ...bridge.limbs import Hinges
from ...bridge.skeleton import Figure
from ..collision.surroundings import NOWHERE, depth_of, nearest_thing, place_problem
from . import hinging
from .goals import WithinChain, effector_errors, points
from .held_back import held_back
from .inexact_figure import solve_inexact, with_errors
from .plan import Plan, plain
from .posture import leaving
from .solved import Solved
from .stretch import stretched
from .task import Task, make_problem

_STILL = 1e-3  # radians or figure sizes; a figure that moves less in another solve is at rest
_TRIED = 60  # iterations of a try with bent limbs, at most
_LARGEST_CARRY = 1.0  # radians or metres; see _start
_MOST_FRAMES = 24  # between two solves; in as many, bones may turn by half a turn

Ask = Callable[[ik.Problem, Array], ik.Solution]
"""Solves a problem from coordinates (n,)."""


def solve_task(
    task: Task,
    before: Solved | None = None,
    *,
    brief: bool = False,
    ask: Ask | None = None,
) -> Solved:
    """Solve one frame.

    If the input is unchanged since the previous frame and the figure was at rest, its pose is reused.
    Otherwise small steps would add up.

    Args:
        task: the frame.
        before: the previous frame, for a warm start and continuity.
        brief: lower accuracy (see `ikmath.solve`), no reasons and no nearest obstacle, for many solves per
            second.
        ask: replaces the plan's solver; takes a problem and start coordinates (n,).
    """
    plan = task.plan
    # a brief solve without a previous frame, as in live, is never continued
    asked: Any = None
    if ask is None and (not brief or before is not None):  # a key of everything except the start
        asked = brief, task.sample.asked, task.sample.around, task.sample.state.digest
    again = before is not None and asked is not None and before.asked == asked
    if before is not None and again and before.rests:
        return replace(before, frame=task.sample.frame)
    previous = before.channels if before else None
    if before is not None and _is_let_go(task):
        before = None

    solve = partial(_solve, before=before, previous=previous, asked=asked, again=again, brief=brief, ask=ask)
    solved = solve(task)
    return stretched(task, solved, solve) if plan.stretches else solved


def _solve(
    task: Task,
    *,
    before: Solved | None,
    previous: Channels | None,
    asked: Any,
    again: bool,
    brief: bool,
    ask: Ask | None,
) -> Solved:
    """Solve a frame with its present bone lengths; arguments as in `solve_task`.

    `asked` is a key of the input; `again` is whether it is unchanged since the previous frame.
    """
    plan, figure = task.plan, task.figure
    q = _start(task, before)
    following = before.solution if before else None
    task = _near_start(task, q)
    task = replace(task, problem=_with_choices(plan, task.problem, q, before))
    within = 0.0
    if before is None and ask is None:  # no other frame decides how limbs bend, so they may be better bent
        within = hinging.STRAIGHT if brief else hinging.BENT
    leads = before is not None and ask is None and figure.exact and plan.method == "hierarchical"
    hinges = figure.hinges if leads else None
    if ask is None:
        ask = partial(plan.solver(brief=brief, **_passed(task, before)).solve, following=following)
    done, solution = task, None  # the task with the figure and the goals that were solved last
    if before is not None and hinges is not None and before.towards is not None:
        problem, start = hinging.led(hinges, task.problem, q, before.towards)
        done = replace(task, problem=problem)
        solution = _answer(done, start, before, ask)
        if solution.status is not ik.Status.REACHED:
            done, solution, before = task, None, replace(before, towards=None)
    shown: ik.Skeleton | None = None  # the figure as Blender shows it, if it is not the problem's own
    if figure.exact:
        solution = solution or _answer(task, q, before, ask, within)
        distance, angle = effector_errors(len(plan.effectors), task.parts, solution.errors)
        channels, there = figure.channels(solution.q, previous), solution.q
    else:
        done, solution, distance, angle = _answer_inexact(task, q, before, previous, ask)
        channels, there, shown = done.figure.state.channels, done.figure.q, done.figure.shown
    towards: Array | None = None
    tried: Sequence[float] = ()
    if before is not None and hinges is not None:
        towards, tried = _better_bends(task, before, solution, hinges)
    near = NOWHERE
    if not brief:
        known = solution.clearance if figure.exact else None
        near = nearest_thing(task.problem, there, shown, known)
    unknown = ("",) * len(plan.effectors)
    return Solved(
        frame=task.sample.frame,
        channels=channels,
        q=solution.q,
        posture=task.q,
        motion=task.motion,
        solution=solution,
        status=solution.status.name,
        distance=distance,
        angle=angle,
        why=(lambda: unknown) if brief else partial(held_back, done, there, solution, near, brief=False),
        chosen=_chosen(done, there),
        problem=done.problem if plan.chooses else None,
        nearest=near,
        ignored=task.sample.ignored,
        asked=asked,
        towards=towards,
        tried=tried,
        rests=towards is None
        and solution.status is not ik.Status.STOPPED
        and (before is None or (again and apart(done.problem, solution.q, before.q) < _STILL)),
    )


def _better_bends(
    task: Task, before: Solved, solution: ik.Solution, hinges: Hinges
) -> tuple[Array | None, Sequence[float]]:
    """Bends (k,) to which the next frames lead limbs, None for none, and `tried` of `bending_instead`."""
    if before.towards is not None:
        goes_on = hinging.is_on_the_way(hinges, solution.q, before.towards)
        return before.towards if goes_on else None, before.tried
    other, tried = _bent_instead(task, solution, before.tried)
    return None if other is None else hinging.bends_of(hinges, solution.q, other.q), tried


def _bent_instead(
    task: Task, solution: ik.Solution, tried: Sequence[float], within: float = hinging.STRAIGHT
) -> hinging.Bent:
    """The result of `bending_instead`, if no obstacle is between the poses."""
    # the first solve has searched elsewhere already
    more: dict[str, Any] = {"accuracy": "exact", "restarts": 0} if task.plan.method == "hierarchical" else {}
    solver = task.plan.solver(most=_TRIED, **more)
    work = hinging.bending_instead(task.figure, task.problem, solution, tried, solver, within)
    other, tried = hinging.finished(work) or (None, tried)
    free = other is not None and is_free_path(task.problem, solution.q, other.q)
    return other if free else None, tried


def _answer(task: Task, q: Array, before: Solved | None, ask: Ask, within: float = 0.0) -> ik.Solution:
    """Solve an exact figure from coordinates q; limbs bent by less than `within`, radians, are tried bent."""
    problem = task.problem
    solution = ask(problem, q if before else hinging.slightly_bent(task.figure, problem, q))
    then = before.q if before else None
    other = hinging.bent_rightly(task.figure, problem, solution, then, ask)
    # a jump may end behind an obstacle
    if other is not solution and is_free_path(problem, problem.skeleton.project(q), other.q):
        solution = other
    if within:
        solution = _bent_instead(task, solution, (), within)[0] or solution
    return solution


def _answer_inexact(
    task: Task, q: Array, before: Solved | None, previous: Channels | None, ask: Ask
) -> tuple[Task, ik.Solution, Array, Array]:
    """Solve an inexact figure from coordinates q, with corrections until Blender agrees.

    Returns:
        The task with the figure measured in the result, and its goals; the solution, and the errors (E,) in
            Blender, see `Solved`.
    """
    plan, figure, want = task.plan, task.figure, task.want

    def solve_round(own: Figure, want: Wanted, first: bool) -> ik.Solution:
        made = make_problem(plan, own, want, figure.q)[1]
        if task.posture is not None:
            cost = task.posture.cost
            # the rounds converge only if each one stays near the previous one
            made = made.with_posture(cost if first else leaving(cost, own, own.q))
        asked = _with_choices(plan, made, q, before)
        asked, _ = place_problem(plan.surroundings, asked, own, task.sample.obstacles, task.model)
        # inside a wall, start again, because the solver may not find the way out
        afresh = first or depth_of(asked, own) > 0.0
        return ask(asked, q if afresh else own.q)

    there, solution, distance, angle = solve_inexact(task, previous, solve_round)
    parts, problem = make_problem(plan, there, replace(want, offset=points(plan, there)), there.q)
    problem = _with_choices(plan, problem, q, before)
    if not np.logical_or(*plain(plan, want)).all():
        errors = problem.errors(ik.Pose.forward(there.shown, there.q))
        rest = effector_errors(len(plan.effectors), parts, errors)
        distance = np.where(np.isnan(distance), rest[0], distance)
        angle = np.where(np.isnan(angle), rest[1], angle)
    done = replace(task, figure=there, parts=parts, problem=problem)
    return done, with_errors(solution, plan, distance, angle), distance, angle


def afresh(task: Task) -> tuple[ik.Problem, Array]:
    """The problem of a task without a previous frame, and its start (n,)."""
    q = _start(task, None)
    problem = _near_start(task, q).problem
    return problem, hinging.slightly_bent(task.figure, problem, q)


def _near_start(task: Task, q: Array) -> Task:
    """The task, which without *Keep Posture* stays near the start (n,)."""
    if task.posture is None or task.plan.posture:
        return task
    return task.with_posture(replace(task.posture, cost=leaving(task.posture.cost, task.figure, q)))


def reasons(task: Task, solved: Solved) -> tuple[str, ...]:
    """(E,) why each effector misses its target, after a brief solve; "" if it would take long."""
    if not task.figure.exact:
        return ("",) * len(task.plan.effectors)
    return held_back(as_chosen(task, solved), solved.q, solved.solution, solved.nearest, brief=True)


def as_chosen(task: Task, solved: Solved) -> Task:
    """The task with the alternatives that its result has chosen."""
    return task if solved.problem is None else replace(task, problem=solved.problem)


def apart(problem: ik.Problem, a: Array, b: Array) -> float:
    """The largest coordinate difference between a and b (n,): radians, or figure sizes for translations."""
    away: Array = np.abs(a - b) / problem.strides
    return float(away.max(initial=0.0))


def _with_choices(plan: Plan, problem: ik.Problem, q: Array, before: Solved | None) -> ik.Problem:
    """The problem with the alternatives of the previous frame, unless others are much cheaper."""
    if before is None or not plan.chooses:
        return problem
    earlier = before.problem
    if earlier is not None and earlier.effectors != problem.effectors:
        earlier = None  # another effector was off in that frame
    return problem.with_choices(q, earlier)


def _chosen(task: Task, q: Array) -> tuple[int, ...]:
    """(E,) index of the chosen alternative of each effector, -1 for none."""
    chosen = [-1] * len(task.plan.effectors)
    if task.plan.chooses:
        pose = ik.Pose.forward(task.problem.skeleton, q)
        for part, goal in zip(task.parts, task.problem.tasks, strict=True):
            inner = goal.goal if isinstance(goal, WithinChain) else goal
            if isinstance(inner, ik.AnyOf):
                chosen[int(part.rows[0])] = int(inner.best(pose))
    return tuple(chosen)


def _is_let_go(task: Task) -> bool:
    """Whether an effector has faded out and the animation alone satisfies the others.

    Then the figure takes its animated pose exactly. A solve from the previous frame would only approach it.
    """
    if (task.sample.weight * task.sample.influence > 0.0).all():
        return False
    q = task.problem.skeleton.project(task.figure.q)
    errors = task.problem.errors(ik.Pose.forward(task.figure.skeleton, q))
    return bool((errors <= task.plan.tolerance).all())


def _passed(task: Task, before: Solved | None) -> dict[str, Any]:
    """The solver's option for the frames since the previous solve, where these are more than one."""
    frames = abs(task.sample.frame - before.frame) if before else 1
    counts = frames > 1 and task.plan.method == "hierarchical"
    return {"frames": min(frames, _MOST_FRAMES)} if counts else {}


def _start(task: Task, before: Solved | None) -> Array:
    """The previous frame moved by the change of animation and targets; without it, the moved posture."""
    skeleton, q = task.figure.skeleton, task.q
    if before is not None:
        q = before.q
        if before.motion is not None:
            q = carried(skeleton, q, before.motion.inverse())
        if task.q is not before.posture:
            carry = task.q - before.posture
            # Coordinates jump by a whole turn when a bone passes 180 degrees; such a jump is no motion.
            q = q + np.where(np.abs(carry) < _LARGEST_CARRY, carry, 0.0)
    return q if task.motion is None else carried(skeleton, q, task.motion)
