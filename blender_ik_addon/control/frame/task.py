# SPDX-License-Identifier: GPL-3.0-or-later
"""Converts a sampled frame to a problem of `ikmath`, with the frame's pose as its posture."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import Self

import bpy
import numpy as np

import ikmath as ik
from ikmath.goals import Goal
from ikmath.postures.alignment import RigidMotion

from ...bridge.armature import Array
from ...bridge.checks import figure_refusals
from ...bridge.goals import Wanted
from ...bridge.limbs import find_limbs
from ...bridge.skeleton import Figure, read_figure
from ...bridge.stretching import unstretched
from ...properties.refusal import require
from ..collision.surroundings import Model, place_problem
from .goals import Part, aimed, make_parts, wanted, wanted_still
from .hinging import hinged
from .plan import Plan
from .posture import SMOOTHING, FramePosture, frame_posture, with_smooth_motion
from .sample import Sample


@dataclass(frozen=True, kw_only=True)
class Task:
    """One frame, ready to solve.

    Attributes:
        sample: the frame; figure: measured at the pose that the frame starts from.
        want: targets of the effectors; parts: their goals; problem: these goals with the posture.
        model: obstacle data shared with later frames; None without obstacles.
        posture: the posture objective of the problem; None if the method takes none.
    """

    plan: Plan
    sample: Sample
    figure: Figure
    want: Wanted = field(repr=False)
    parts: Sequence[Part] = field(repr=False)
    problem: ik.Problem
    model: Model | None = field(default=None, repr=False)
    posture: FramePosture | None = field(default=None, repr=False)

    @property
    def q(self) -> Array:
        """(n,) coordinates of the posture; without one, those of the figure."""
        return self.figure.q if self.posture is None else self.posture.q

    @property
    def motion(self) -> RigidMotion | None:
        """Of the posture to the targets, None for none."""
        return None if self.posture is None else self.posture.motion

    def with_posture(self, posture: FramePosture | None) -> Self:
        """The task with another posture objective; itself for None."""
        if posture is None:
            return self
        return replace(self, posture=posture, problem=self.problem.with_posture(posture.cost))


def first_figure(plan: Plan, armature: bpy.types.Object, sample: Sample) -> Figure:
    """The figure of a plan, measured in its first frame; `Figure.at` gives it in the others.

    Refused if it cannot be solved, also because of constraints or drivers of the armature.
    """
    figure = read_figure(
        plan.bones,
        sample.state,
        sample.space,
        plan.solved,
        root=plan.root,
        root_stiffness=plan.root_stiffness,
        carried=plan.carried,
        stretching={number for stretch in plan.stretches for number in stretch.bones},
        limbs=find_limbs(plan.bones, plan.bone_map.kinds),
    )
    holding = {(effector.bone, effector.chain_root) for effector in plan.effectors if effector.holds}
    require(figure_refusals(armature, figure, plan.chains, holding))
    return figure


def make_task(
    plan: Plan,
    figure: Figure,
    sample: Sample,
    model: Model | None = None,
    posture: FramePosture | None = None,
    *,
    as_posed: bool = False,
) -> Task:
    """Prepare a frame; the figure is measured in any pose.

    Model and posture are of an earlier frame, see `Task`. If `as_posed`, bones that may stretch keep their
    present length; otherwise they start at their rest length.
    """
    state = sample.state if as_posed else unstretched(figure, sample.state, plan.stretches)
    figure = figure.at(state, sample.space)
    if plan.natural:
        figure = hinged(figure)
    want = wanted(plan, figure, sample)
    parts, problem = make_problem(plan, figure, want, figure.q)
    problem, model = place_problem(plan.surroundings, problem, figure, sample.obstacles, model)
    task = Task(plan=plan, sample=sample, figure=figure, want=want, parts=parts, problem=problem, model=model)
    return task.with_posture(frame_posture(plan, figure, want, posture))


def smoothed_tasks(tasks: Iterable[Task]) -> Iterator[Task]:
    """The tasks of a clip, with the headings of their postures averaged over neighbouring frames."""
    # None before the first and after the last frame
    window: deque[Task | None] = deque([None] * SMOOTHING, maxlen=2 * SMOOTHING + 1)
    for task in chain(tasks, repeat(None, SMOOTHING)):
        window.append(task)
        middle = window[SMOOTHING] if len(window) == window.maxlen else None
        if middle is not None:
            postures = [None if near is None else near.posture for near in window]
            yield middle.with_posture(with_smooth_motion(postures, SMOOTHING))


def next_task(before: Task, sample: Sample) -> Task:
    """Prepare one frame after another one, and reuse everything that has not changed.

    The same `state` and `space` objects mean an unchanged pose and transform.
    """
    plan, figure, then = before.plan, before.figure, before.sample
    if sample.state is not then.state or sample.space is not then.space:
        return make_task(plan, figure, sample, before.model, before.posture)
    want = wanted_still(plan, before.want, then, sample)
    if want is None:
        want = wanted(plan, figure, sample)
        parts, goals = make_goals(plan, figure, want, figure.q)
        problem = before.problem.with_targets(goals)
    else:
        parts = aimed(before.parts, want)
        same = before.problem.goals[len(parts) :]
        problem = before.problem.with_goals((*[part.goal for part in parts], *same))
    model = before.model
    if problem.scene is None or sample.obstacles is not then.obstacles:
        problem, model = place_problem(plan.surroundings, problem, figure, sample.obstacles, model)
    task = Task(plan=plan, sample=sample, figure=figure, want=want, parts=parts, problem=problem, model=model)
    return task.with_posture(frame_posture(plan, figure, want, before.posture))


def make_problem(plan: Plan, figure: Figure, want: Wanted, posture: Array) -> tuple[list[Part], ik.Problem]:
    """The goals of the effectors, and a problem of these with a posture (n,)."""
    parts, goals = make_goals(plan, figure, want, posture)
    return parts, ik.Problem(figure.skeleton, goals, limits=plan.limits, metre=plan.metre)


def make_goals(plan: Plan, figure: Figure, want: Wanted, posture: Array) -> tuple[list[Part], list[Goal]]:
    """The parts of the effectors, and all goals; the posture is the last goal."""
    parts = make_parts(plan, figure, want)
    goals = [part.goal for part in parts]
    if not plan.natural and (plan.posture > 0.0 or not goals):
        gain: float | Array = plan.posture or 1.0
        if plan.keeps:
            numbers = figure.plan.bone[figure.skeleton.owner].tolist()
            gain = gain * np.array([plan.keeps.get(figure.bones.names[number], 1.0) for number in numbers])
        goals.append(ik.Posture(posture, gain=gain))
    return parts, goals
