# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of one frame, for writing, keys, reports and the next frame; and as Blender shows it.

Constraints on solved bones may change the pose. A Limit Rotation constraint, for example, is evaluated after
the solve. It rarely changes the pose, so it is allowed, but the report must state the errors that Blender
shows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import bpy
import numpy as np

import ikmath as ik
from ikmath.postures.alignment import RigidMotion

from ...bridge.armature import Array, Channels
from ...bridge.checks import limiting_constraint
from ...bridge.skeleton import Figure
from ..collision.surroundings import NOWHERE, Near
from .goals import effector_errors
from .plan import Plan
from .sample import take_sample
from .task import Task, make_task

_SEEN: Final = 1e-4  # visible difference: share of the figure's size, or radians


@dataclass(frozen=True, kw_only=True)
class Solved:
    """One solved frame.

    Attributes:
        frame: its number.
        channels: of all bones, to be written or keyed.
        q: (n,) coordinates of the solution; posture: (n,) those of the starting pose; motion: of the posture
            to the targets, None for none.
        solution: of the solver, with which the next frame continues.
        status: name of `ikmath.Status`; sentence: a message that replaces the solution's, or "".
        distance: (E,) from the targets, metres; NaN if an effector has no target position or is off.
        angle: (E,) from the targets, radians; NaN if an effector has no orientation or is off.
        why: computes the reasons; evaluated lazily.
        chosen: (E,) index of the chosen alternative of each effector, -1 for none.
        problem: with the chosen alternatives, None without alternatives.
        nearest: the nearest obstacle and its distance; ignored: sentences on obstacles that do not count.
        asked: a key of everything that the result depends on; rests: whether another solve would not move the
            figure.
        towards: (k,) bends of a better pose to which limbs come in the next frames, None for none; tried:
            see `hinging.bending_instead`.
    """

    frame: int
    channels: Channels
    q: Array
    posture: Array
    motion: RigidMotion | None = None
    solution: ik.Solution = field(repr=False)
    status: str
    sentence: str = ""
    distance: Array
    angle: Array
    why: Callable[[], tuple[str, ...]] = field(repr=False)
    chosen: tuple[int, ...]
    problem: ik.Problem | None = field(default=None, repr=False)
    nearest: Near = field(default=NOWHERE)
    ignored: tuple[str, ...] = ()
    asked: Any = field(default=None, repr=False)
    rests: bool = False
    towards: Array | None = field(default=None, repr=False)
    tried: Sequence[float] = ()

    @property
    def message(self) -> str:
        """Why an effector misses its target."""
        return self.sentence or str(self.solution.message)

    @property
    def worst(self) -> float:
        """The largest error of an effector, metres or radians."""
        return float(np.nanmax([*self.distance, *self.angle], initial=0.0))

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """(E,) why each effector misses its target, "" if it is reached or off, or after a brief solve."""
        return self.why()


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
