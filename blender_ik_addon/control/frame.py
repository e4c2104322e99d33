# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving one frame that was sampled: plain data in, channels and errors out. Solve and bake end here."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

import ikmath as ik

from ..bridge.armature import Array, Channels
from ..bridge.checks import figure_faults
from ..bridge.faults import require
from ..bridge.skeleton import Figure, read_figure
from .goals import Wanted, errors, make_goals, wanted
from .plan import Plan
from .sample import Sample

_ROUNDS = 4  # of solving and measuring again, where a sheared space makes the figure inexact
_LARGEST_CARRY = 1.0  # radians or metres; see _start


@dataclass(frozen=True, kw_only=True)
class Solved:
    """One solved frame.

    Attributes:
        frame: its number.
        channels: of all bones, to be written or keyed.
        q: (n,) the coordinates found; posture: (n,) those of the pose that it started from.
        status: name of `ikmath.Status`; message: what holds the figure back.
        distance: (E,) metres; angle: (E,) radians; NaN where an effector does not ask for it.
    """

    frame: int
    channels: Channels
    q: Array
    posture: Array
    status: str
    message: str
    distance: Array
    angle: Array


def first_figure(plan: Plan, armature: bpy.types.Object, sample: Sample) -> Figure:
    """The figure of a plan, read at a first frame; `Figure.at` gives it at the others.

    Args:
        plan: the armature's plan.
        armature: the original object, whose constraints and drivers are looked at.
        sample: the first frame.

    Raises:
        FigureFault: it cannot be solved; the sentence names the bone and says why.
    """
    figure = read_figure(plan.bones, sample.state, sample.space, plan.solved, root=plan.root)
    chains = [(effector.bone, effector.chain_root) for effector in plan.effectors]
    require(figure_faults(armature, figure, chains))
    return figure


def solve_frame(plan: Plan, figure: Figure, sample: Sample, before: Solved | None = None) -> Solved:
    """Solve one frame.

    Args:
        plan: the armature's plan.
        figure: the plan's figure at this frame.
        sample: the frame.
        before: the frame before, to start warm from and to stay continuous with.

    Raises:
        IkError: the frame cannot be solved; the sentence says why.
    """
    posture = figure.q
    q = _start(figure, before)
    previous = before.channels if before else None
    for _round in range(_ROUNDS):
        want = wanted(plan, figure, sample)
        solution = _solve(plan, figure, want, q, posture)
        q, channels = solution.q, figure.channels(solution.q, previous)
        if figure.exact:
            break
        figure = figure.posed(channels)
        q = figure.q
    distance, angle = errors(figure, q, want)
    return Solved(
        frame=sample.frame,
        channels=channels,
        q=q,
        posture=posture,
        status=solution.status.name,
        message=solution.message,
        distance=distance,
        angle=angle,
    )


def _solve(plan: Plan, figure: Figure, want: Wanted, q: Array, posture: Array) -> ik.Solution:
    goals = make_goals(plan, figure, want)
    if plan.posture > 0.0:
        goals.append(ik.Posture(posture, gain=plan.posture))
    problem = ik.Problem(figure.skeleton, goals, limits=plan.limits)
    return ik.solve(
        problem, q, method=plan.method, max_iterations=plan.max_iterations, tolerance=plan.tolerance
    )


def _start(figure: Figure, before: Solved | None) -> Array:
    """Warm: what the frame before ended at, carried along by what the animation did since."""
    if before is None:
        return figure.q
    carry = figure.q - before.posture
    # Coordinates jump by a whole turn where a bone passes its half turn; a jump is not a motion to follow.
    return before.q + np.where(np.abs(carry) < _LARGEST_CARRY, carry, 0.0)
