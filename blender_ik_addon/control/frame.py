# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving frames that were sampled: plain data in, channels and errors out. Solve and bake end here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import bpy
import numpy as np

import ikmath as ik

from ..bridge.armature import Array, Channels
from ..bridge.checks import figure_faults
from ..bridge.faults import require
from ..bridge.skeleton import Figure, read_figure
from .goals import Part, Wanted, make_parts, points, stacked, wanted
from .plan import Plan
from .sample import Sample
from .settle import honest, settle
from .surroundings import NOWHERE, Near, depth_of, nearest_thing, place_problems

_LARGEST_CARRY = 1.0  # radians or metres; see _start


@dataclass(frozen=True, kw_only=True)
class Task:
    """One frame, ready to be solved.

    Attributes:
        sample: the frame; figure: measured at the pose that it starts from.
        parts: its goals; problem: them as a problem, with the posture.
    """

    plan: Plan
    sample: Sample
    figure: Figure
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
        status: name of `ikmath.Status`; message: what holds the figure back.
        distance: (E,) metres; angle: (E,) radians; NaN where an effector does not ask for it or is off.
        nearest: what the figure is nearest to, and how near; ignored: obstacles that did not count, and why.
    """

    frame: int
    channels: Channels
    q: Array
    posture: Array
    solution: ik.Solution = field(repr=False)
    status: str
    message: str
    distance: Array
    angle: Array
    nearest: Near = field(default=NOWHERE)
    ignored: tuple[str, ...] = ()


def first_figure(plan: Plan, armature: bpy.types.Object, sample: Sample) -> Figure:
    """The figure of a plan, measured at a first frame; `Figure.at` gives it at the others.

    Args:
        plan: the armature's plan.
        armature: the original object, whose constraints and drivers are looked at.
        sample: the first frame.

    Raises:
        FigureFault: it cannot be solved; the sentence names the bone and says why.
    """
    carried = [link.bone for link in plan.surroundings.links] if plan.surroundings else []
    figure = read_figure(plan.bones, sample.state, sample.space, plan.solved, root=plan.root, carried=carried)
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
    figures = [figure.at(sample.state, sample.space) for sample in samples]
    wants = [wanted(plan, own, sample) for own, sample in zip(figures, samples, strict=True)]
    together = stacked(wants)
    if together is None:
        made = [_problem(plan, own, want, own.q) for own, want in zip(figures, wants, strict=True)]
    else:
        parts, problem = _problem(plan, figures[0], together, np.array([own.q for own in figures]))
        made = [(parts, problem.at(row).on(own.skeleton)) for row, own in enumerate(figures)]
    placed = place_problems(plan.surroundings, [problem for _, problem in made], figures, samples)
    made = [(parts, problem) for (parts, _), problem in zip(made, placed, strict=True)]
    return [
        Task(plan=plan, sample=sample, figure=own, parts=parts, problem=problem)
        for sample, own, (parts, problem) in zip(samples, figures, made, strict=True)
    ]


def solve_task(task: Task, before: Solved | None = None) -> Solved:
    """Solve one frame.

    Args:
        task: the frame.
        before: the frame before, to start warm from and to stay continuous with.

    Raises:
        IkError: the frame cannot be solved; the sentence says why.
    """
    plan, figure = task.plan, task.figure
    q = _start(figure, before)
    previous = before.channels if before else None
    following = before.solution if before else None
    if figure.exact:
        solution = _solve(plan, task.problem, q, following)
        channels = figure.channels(solution.q, previous)
        distance, angle = _errors(len(plan.effectors), task.parts, solution.errors)
    else:

        def solve_round(own: Figure, want: Wanted, first: bool) -> ik.Solution:
            problem = _problem(plan, own, want, figure.q)[1]
            (problem,) = place_problems(plan.surroundings, [problem], [own], [task.sample])
            # Who stands in a wall by now starts afresh: he may not find the way out of it.
            afresh = first or depth_of(problem, own) > 0.0
            return _solve(plan, problem, q if afresh else own.q, following)

        kinds = [effector.kind for effector in plan.effectors]
        asks = np.array([kind.moves for kind in kinds]), np.array([kind.turns for kind in kinds])
        want = wanted(plan, figure, task.sample)
        settled = settle(
            figure, want, asks, previous, partial(points, plan), solve_round, partial(depth_of, task.problem)
        )
        solution, channels, distance, angle = (
            settled.solution,
            settled.channels,
            settled.distance,
            settled.angle,
        )
        if any("aim" in kind.asks or "plane" in kind.asks for kind in kinds):
            there = figure.posed(channels)
            seen = make_parts(plan, there, replace(want, offset=points(plan, there)))
            pose = ik.Pose.forward(there.skeleton, there.q)
            rest = _errors(len(kinds), seen, np.concatenate([part.goal.errors(pose) for part in seen]))
            distance = np.where(np.isnan(distance), rest[0], distance)
            angle = np.where(np.isnan(angle), rest[1], angle)
            solution = honest(solution, plan, figure.skeleton.size, rest)
    return Solved(
        frame=task.sample.frame,
        channels=channels,
        q=solution.q,
        posture=task.figure.q,
        solution=solution,
        status=solution.status.name,
        message=solution.message,
        distance=distance,
        angle=angle,
        nearest=nearest_thing(task.problem, solution.q)
        if figure.exact
        else nearest_thing(task.problem, *_shown(figure, channels)),
        ignored=task.sample.ignored,
    )


def _shown(figure: Figure, channels: Channels) -> tuple[Array, ik.Skeleton]:
    """The figure as Blender shows it with these channels."""
    there = figure.posed(channels)
    return there.q, there.skeleton


def _problem(plan: Plan, figure: Figure, want: Wanted, posture: Array) -> tuple[list[Part], ik.Problem]:
    parts = make_parts(plan, figure, want)
    goals = [part.goal for part in parts]
    if plan.posture > 0.0 or not goals:
        goals.append(ik.Posture(posture, gain=plan.posture or 1.0))
    return parts, ik.Problem(figure.skeleton, goals, limits=plan.limits)


def _solve(plan: Plan, problem: ik.Problem, q: Array, following: ik.Solution | None) -> ik.Solution:
    options = {"tolerance": plan.tolerance, **dict(plan.parameters)}
    if plan.max_iterations:
        options["max_iterations"] = plan.max_iterations
    return ik.solve(problem, q, method=plan.method, following=following, **options)


def _start(figure: Figure, before: Solved | None) -> Array:
    """Warm: what the frame before ended at, carried along by what the animation did since."""
    if before is None:
        return figure.q
    carry = figure.q - before.posture
    # Coordinates jump by a whole turn where a bone passes its half turn; a jump is no motion to follow.
    return before.q + np.where(np.abs(carry) < _LARGEST_CARRY, carry, 0.0)


def _errors(count: int, parts: Sequence[Part], errors: Array) -> tuple[Array, Array]:
    """The solution's errors, in the order of the goals, as (E,) metres and (E,) radians of the effectors."""
    found = {"m": np.full(count, np.nan), "rad": np.full(count, np.nan)}
    start = 0
    for part in parts:
        found[part.goal.unit][part.rows] = errors[start : start + len(part.rows)]
        start += len(part.rows)
    return found["m"], found["rad"]
