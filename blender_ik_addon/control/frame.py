# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving frames that were sampled: plain data in, channels and errors out. Solve and bake end here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import bpy
import numpy as np

import ikmath as ik
from ikmath.diagnosis import reason
from ikmath.goals import Goal

from ..bridge.armature import Array, Channels, Flags
from ..bridge.checks import figure_faults
from ..bridge.faults import require
from ..bridge.goals import Wanted
from ..bridge.skeleton import Figure, read_figure
from .bends import bent_rightly
from .chain_goal import WithinChain
from .goals import Part, aimed, effector_errors, make_parts, points, wanted, wanted_in_all, wanted_still
from .plan import Plan
from .sample import Sample
from .settle import honest, settle
from .surroundings import NOWHERE, Near, depth_of, nearest_thing, place_problems

_STILL = 1e-3  # radians or metres; a figure that moved less on being asked again has come to rest
_LARGEST_CARRY = 1.0  # radians or metres; see _start


@dataclass(frozen=True, kw_only=True)
class Task:
    """One frame, ready to be solved.

    Attributes:
        sample: the frame; figure: measured at the pose that it starts from.
        want: what the effectors want; parts: that as goals; problem: them as a problem, with the posture.
    """

    plan: Plan
    sample: Sample
    figure: Figure
    want: Wanted = field(repr=False)
    parts: Sequence[Part] = field(repr=False)
    problem: ik.Problem


@dataclass(frozen=True, kw_only=True)
class Solved:
    """One solved frame.

    Attributes:
        frame: its number.
        channels: of all bones, to be written or keyed.
        q: (n,) the coordinates found; posture: (n,) those of the pose that it started from.
        solution: as the solver gave it; the frame after goes on from it without a jump.
        status: name of `ikmath.Status`; sentence: what holds the figure back, "" as the solution says it.
        distance: (E,) metres; angle: (E,) radians; NaN where an effector does not ask for it or is off.
        why: finds the reasons for the first who asks.
        chosen: (E,) number of the alternative that each has taken, -1 where it has none.
        problem: with the alternatives that it has settled for, None where there was nothing to choose.
        nearest: what the figure is nearest to, and how near; ignored: obstacles that did not count, and why.
        asked: all that the answer was asked from; rests: asked the same again, the figure would stay.
    """

    frame: int
    channels: Channels
    q: Array
    posture: Array
    solution: ik.Solution = field(repr=False)
    status: str
    sentence: str
    distance: Array
    angle: Array
    why: Callable[[], tuple[str, ...]] = field(repr=False)
    chosen: tuple[int, ...]
    problem: ik.Problem | None = field(default=None, repr=False)
    nearest: Near = field(default=NOWHERE)
    ignored: tuple[str, ...] = ()
    asked: Any = field(default=None, repr=False)
    rests: bool = False

    @property
    def message(self) -> str:
        """What holds the figure back."""
        return self.sentence or str(self.solution.message)

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """(E,) what holds each effector back, "" where it is there or off; nothing if not asked for."""
        return self.why()


def first_figure(plan: Plan, armature: bpy.types.Object, sample: Sample) -> Figure:
    """The figure of a plan, measured at a first frame; `Figure.at` gives it at the others.

    Args:
        plan: the armature's plan.
        armature: the original object, whose constraints and drivers are looked at.
        sample: the first frame.

    Raises:
        FigureFault: it cannot be solved; the sentence names the bone and says why.
    """
    figure = read_figure(
        plan.bones,
        sample.state,
        sample.space,
        plan.solved,
        root=plan.root,
        root_stiffness=plan.root_stiffness,
        carried=plan.carried,
        inertia=plan.inertia,
    )
    chains = [(effector.bone, effector.chain_root) for effector in plan.effectors]
    require(figure_faults(armature, figure, chains))
    return figure


def make_tasks(plan: Plan, figure: Figure, samples: Sequence[Sample]) -> list[Task]:
    """Get frames ready; goals are made and checked once for all of them where only their targets differ.

    Args:
        plan: the armature's plan.
        figure: the plan's figure, at any frame.
        samples: the frames.

    Raises:
        FigureFault: a bone of the figure is scaled to zero in a frame, or its transform is no number.
    """
    figures = figure.at_each([sample.state for sample in samples], [sample.space for sample in samples])
    wants, together = wanted_in_all(plan, figures, samples)
    if together is None:
        made = [_problem(plan, own, want, own.q) for own, want in zip(figures, wants, strict=True)]
    else:
        parts, problem = _problem(plan, figures[0], together, np.array([own.q for own in figures]))
        made = [(parts, problem.at(row).on(own.skeleton)) for row, own in enumerate(figures)]
    placed = place_problems(plan.surroundings, [problem for _, problem in made], figures, samples)
    made = [(parts, problem) for (parts, _), problem in zip(made, placed, strict=True)]
    return [
        Task(plan=plan, sample=sample, figure=own, want=want, parts=parts, problem=problem)
        for sample, own, want, (parts, problem) in zip(samples, figures, wants, made, strict=True)
    ]


def next_task(before: Task, sample: Sample) -> Task:
    """Get one frame ready, after another one; what has not changed since then is not made again.

    Args:
        before: the other frame.
        sample: the frame; pose and place of the armature count as unchanged if they are the same objects.

    Raises:
        FigureFault: as for `make_tasks`.
    """
    plan, figure, then = before.plan, before.figure, before.sample
    if sample.state is not then.state or sample.space is not then.space:
        return make_tasks(plan, figure, [sample])[0]
    want = wanted_still(plan, before.want, then, sample)
    if want is None:
        want = wanted(plan, figure, sample)
        parts, goals = _goals(plan, figure, want, figure.q)
    else:
        parts = aimed(before.parts, want)
        goals = [*(part.goal for part in parts), *before.problem.goals[len(parts) :]]
    problem = before.problem.towards(goals)
    if problem.scene is None:
        (problem,) = place_problems(plan.surroundings, [problem], [figure], [sample])
    elif sample.obstacles is not then.obstacles:
        problem = problem.among(sample.obstacles)
    return Task(plan=plan, sample=sample, figure=figure, want=want, parts=parts, problem=problem)


def solve_task(
    task: Task, before: Solved | None = None, *, brief: bool = False, max_iterations: int | None = None
) -> Solved:
    """Solve one frame.

    A figure of which nothing else is asked than in the frame before stays where it is, once it has come to
    rest there: solved again it might creep on by hairs, which add up.

    Args:
        task: the frame.
        before: the frame before, to start warm from and to stay continuous with.
        brief: for who asks many times a second: no last digits (see `ikmath.solve`), no reasons effector by
            effector, and what is nearest is not looked for.
        max_iterations: stop after so many steps, if the settings do not say fewer.

    Raises:
        IkError: the frame cannot be solved; the sentence says why.
    """
    plan, figure = task.plan, task.figure
    # who asks briefly and goes on from nothing, as live does, will not go on from this frame either
    asked = None if brief and before is None else _asked(task, brief)
    again = before is not None and before.asked == asked
    if before is not None and again and before.rests:
        return replace(before, frame=task.sample.frame)
    previous = before.channels if before else None
    if before is not None and _is_let_go(task):
        before = None
    q = _start(figure, before)
    following = before.solution if before else None
    problem = _settled(plan, task.problem, q, before)
    ask = partial(plan.solver(brief=brief, most=max_iterations).solve, following=following)
    if figure.exact:
        answer = partial(ask, problem)
        if problem.scene is not None:
            solution = answer(q)  # who is put elsewhere at once may come out behind an obstacle
        else:
            then = before.q if before else None
            solution = bent_rightly(figure, problem, answer(q), then, answer)
        channels = figure.channels(solution.q, previous)
        parts, shown, end = task.parts, None, solution.q
        distance, angle = effector_errors(len(plan.effectors), parts, solution.errors)
    else:

        def solve_round(own: Figure, want: Wanted, first: bool) -> ik.Solution:
            asked = _settled(plan, _problem(plan, own, want, figure.q)[1], q, before)
            (asked,) = place_problems(plan.surroundings, [asked], [own], [task.sample])
            # Who stands in a wall by now starts afresh: he may not find the way out of it.
            afresh = first or depth_of(asked, own) > 0.0
            return ask(asked, q if afresh else own.q)

        want = task.want
        plain = _plain(plan, want)
        settled = settle(
            figure, want, plain, previous, partial(points, plan), solve_round, partial(depth_of, problem)
        )
        solution, channels = settled.solution, settled.channels
        distance, angle = settled.distance, settled.angle
        there = figure.posed(channels)
        shown, end = there.shown, there.q
        parts, problem = _problem(plan, there, replace(want, offset=points(plan, there)), there.q)
        problem = _settled(plan, problem, q, before)
        if not np.logical_or(*plain).all():
            rest = effector_errors(len(plan.effectors), parts, problem.errors(ik.Pose.forward(shown, end)))
            distance = np.where(np.isnan(distance), rest[0], distance)
            angle = np.where(np.isnan(angle), rest[1], angle)
        solution = honest(solution, plan, distance, angle)
    known = solution.clearance if figure.exact else None
    near = NOWHERE if brief else nearest_thing(task.problem, end, shown, known)
    return Solved(
        frame=task.sample.frame,
        channels=channels,
        q=solution.q,
        posture=task.figure.q,
        solution=solution,
        status=solution.status.name,
        sentence="",
        distance=distance,
        angle=angle,
        why=tuple if brief else partial(_reasons, plan, parts, problem, end, solution, near),
        chosen=_chosen(plan, parts, problem, end),
        problem=problem if plan.chooses else None,
        nearest=near,
        ignored=task.sample.ignored,
        asked=asked,
        rests=solution.status is not ik.Status.STOPPED
        and (before is None or (again and bool(np.abs(solution.q - before.q).max() < _STILL))),
    )


def reasons(task: Task, solved: Solved) -> tuple[str, ...]:
    """(E,) what holds each effector back, for who asked `solve_task` briefly; nothing where that takes long.

    Args:
        task: what was solved; solved: what it came to.
    """
    if not task.figure.exact:
        return ("",) * len(task.plan.effectors)
    problem = task.problem if solved.problem is None else solved.problem
    return _reasons(task.plan, task.parts, problem, solved.q, solved.solution, solved.nearest)


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
    return problem.settled(q, earlier)


def _plain(plan: Plan, want: Wanted) -> tuple[Flags, Flags]:
    """(E,) which effectors ask for a place, (E,) for an orientation; neither with a free axis or a slack."""
    flags = np.zeros((2, len(plan.effectors)), dtype=bool)
    for row, effector in enumerate(plan.effectors):
        told, amounts = want.settings[row], want.amounts[row]
        every = (*told.get("axes", ()), *told.get("turn_axes", ()))
        if all(every) and not amounts.get("slack") and not amounts.get("turn_slack"):
            flags[:, row] = effector.kind.moves, effector.kind.turns
    return flags[0], flags[1]


def _reasons(
    plan: Plan, parts: Sequence[Part], problem: ik.Problem, q: Array, solution: ik.Solution, near: Near
) -> tuple[str, ...]:
    """(E,) what holds each effector back at coordinates q."""
    reasons = [""] * len(plan.effectors)
    if solution.status is ik.Status.REACHED:
        return tuple(reasons)
    rows = np.concatenate([part.rows for part in parts]).tolist()
    pose = ik.Pose.forward(problem.skeleton, q)
    errors = problem.errors(pose)
    sizes = np.where(np.array(problem.units) == "m", errors / problem.length, errors)
    for number in np.argsort(sizes, kind="stable").tolist():  # of place and orientation the worse one speaks
        if errors[number] <= plan.tolerance:
            continue
        if solution.status is ik.Status.BLOCKED and near.name:
            reasons[rows[number]] = f"stopped by {near.name}"
        elif solution.status is ik.Status.STOPPED:
            reasons[rows[number]] = "it still came nearer when the iterations ran out"
        else:
            reasons[rows[number]] = reason(problem, pose, number)
    return tuple(reasons)


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


def _problem(plan: Plan, figure: Figure, want: Wanted, posture: Array) -> tuple[list[Part], ik.Problem]:
    parts, goals = _goals(plan, figure, want, posture)
    return parts, ik.Problem(figure.skeleton, goals, limits=plan.limits)


def _goals(plan: Plan, figure: Figure, want: Wanted, posture: Array) -> tuple[list[Part], list[Goal]]:
    """The parts, and all goals with the posture at their end."""
    parts = make_parts(plan, figure, want)
    goals = [part.goal for part in parts]
    if plan.posture > 0.0 or not goals:
        goals.append(ik.Posture(posture, gain=_gains(plan, figure)))
    return parts, goals


def _gains(plan: Plan, figure: Figure) -> float | Array:
    """How strongly the coordinates keep their posture: Parent's gains, one for all or (n,) for each."""
    if not plan.keeps:
        return plan.posture or 1.0
    numbers = figure.plan.bone[figure.skeleton.owner].tolist()
    shares = [plan.keeps.get(figure.bones.names[number], 1.0) for number in numbers]
    return (plan.posture or 1.0) * np.array(shares)


def _is_let_go(task: Task) -> bool:
    """Whether an effector has faded out and the animation does by itself what the others ask for.

    Then the figure is to be in its animated pose, to which going on from the frame before leads only nearly.
    """
    if (task.sample.weight * task.sample.influence > 0.0).all():
        return False
    q = task.problem.start(task.figure.q)
    errors = task.problem.errors(ik.Pose.forward(task.figure.skeleton, q))
    return bool((errors <= task.plan.tolerance).all())


def _start(figure: Figure, before: Solved | None) -> Array:
    """Warm: what the frame before ended at, carried along by what the animation did since."""
    if before is None:
        return figure.q
    carry = figure.q - before.posture
    # Coordinates jump by a whole turn where a bone passes its half turn; a jump is no motion to follow.
    return before.q + np.where(np.abs(carry) < _LARGEST_CARRY, carry, 0.0)
