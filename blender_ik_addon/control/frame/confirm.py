# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the solved pose with Blender's, if constraints on solved bones may change it.

A Limit Rotation constraint, for example, is evaluated after the solve. It rarely changes the pose, so it is
allowed, but the report must state the errors that Blender shows.
"""

from dataclasses import replace
from typing import Final

import bpy
import numpy as np

import ikmath as ik

from ...bridge.checks import limiting_constraint
from ...bridge.skeleton import Figure
from .goals import effector_errors
from .plan import Plan
from .sample import take_sample
from .solved import Solved
from .task import Task, make_task

_SEEN: Final = 1e-4  # visible difference: share of the figure's size, or radians


def confirmed(
    plan: Plan,
    armature: bpy.types.Object,
    figure: Figure,
    solved: Solved,
    depsgraph: bpy.types.Depsgraph,
    sentence: str,
) -> Solved:
    """The result of `as_shown`; its pose is written to the armature, and the depsgraph is at that frame.

    The sentence is that on a constraint, if there is one.
    """
    sentence = limiting_constraint(armature, frozenset(plan.solved)) or sentence
    sample = take_sample(plan, armature, depsgraph, solved.frame)
    return as_shown(make_task(plan, figure, sample, as_posed=True), solved, sentence)


def as_shown(task: Task, solved: Solved, sentence: str) -> Solved:
    """A solved frame with the errors that Blender shows, if they differ from the solver's.

    The task has the pose that Blender shows; the sentence says what may have changed it.
    """
    plan, sample = task.plan, task.sample
    there = ik.Pose.forward(task.figure.shown, task.figure.q)
    now = np.array(effector_errors(len(plan.effectors), task.parts, task.problem.errors(there)))
    then = np.array([solved.distance, solved.angle])
    # with an influence below 1, the target is blended with the animated pose
    more = np.where(sample.influence >= 1.0, np.nan_to_num(now) - np.nan_to_num(then), 0.0)
    seen = _SEEN * np.array([[task.problem.length], [1.0]])
    another, off = (np.abs(more) > seen).any(0), (more > seen).any(0)
    if not another.any():
        return solved
    distance, angle = np.where(another, now, then)
    shown = replace(solved, distance=distance, angle=angle)
    if not off.any():
        return shown

    def why() -> tuple[str, ...]:
        both = zip(off.tolist(), solved.reasons, strict=True)
        return tuple(sentence if bad else reason for bad, reason in both)

    return replace(shown, status="BEST_EFFORT", sentence=sentence, why=why)
