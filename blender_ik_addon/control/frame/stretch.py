# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames with bones that may lengthen: where a target is out of reach, solve again with longer bones.

The bones have their own length as long as the target is reached with it. Their lengths are constants of a
solve, and are corrected in a few rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from ...bridge.armature import Array
from ...bridge.skeleton import Figure
from ...bridge.stretching import Stretch, lengthened
from .solved import Solved
from .task import Task, make_tasks

_ROUNDS: Final = 8
_SHORT: Final = 1e-5  # of the stretched length; a target that is missed by less is reached
_SPARE: Final = 1e-4  # relative; a limb that is not quite straight is solved faster
_GAIN: Final = 0.98  # share left of the distance above which longer bones gain nothing


def stretched(task: Task, solved: Solved, solve: Callable[[Task], Solved]) -> Solved:
    """A frame solved with bones as long as it takes to reach the targets, within what the effectors allow.

    Args:
        task: the frame, with all bones at their own length; solved: its result.
        solve: solves the same frame with other lengths.
    """
    factors = np.ones(len(task.plan.effectors))
    for _ in range(_ROUNDS):
        more = _longer(task, solved, factors)
        if (more == factors).all():
            break
        longer = solve(_with_lengths(task, solved, more))
        if _missed(task, longer) > _GAIN * _missed(task, solved):
            break
        factors, solved = more, longer
    return solved


def _missed(task: Task, solved: Solved) -> float:
    """The sum of the distances to the targets of what may stretch, metres."""
    return float(sum(np.nan_to_num(solved.distance[stretch.row]) for stretch in task.plan.stretches))


def _longer(task: Task, solved: Solved, factors: Array) -> Array:
    """(E,) the factors with which the bones reach as far as is missing."""
    figure, more = task.figure, factors.copy()
    matrix = figure.state_of(solved.channels, figure.state.matrix).matrix
    for stretch in task.plan.stretches:
        row, scale = stretch.row, figure.space.scale
        effector = task.plan.effectors[row]
        point = matrix[figure.bones.number(effector.bone)] @ (*effector.local, 1.0)
        first, end, gain = _reach(figure, matrix, stretch)
        missing = task.want.position[row] / scale - point[:3]
        short = float(np.nan_to_num(solved.distance[row])) / scale
        reach = float(np.linalg.norm(end - first))
        if not task.want.asking[row] or short <= _SHORT * reach:
            continue
        needed = float(np.linalg.norm(end + missing - first)) * (1.0 + _SPARE)
        longer = factors[row] + max(needed - reach, 0.0) / gain
        more[row] = min(longer, 1.0 + stretch.most)
    return more


def _reach(figure: Figure, matrix: Array, stretch: Stretch) -> tuple[Array, Array, float]:
    """What an effector lengthens, in a pose (B, 4, 4) of the armature, whose units are used.

    Returns:
        (3,) head of the first bone that lengthens, (3,) tail of the last one, and by how much all of it
        becomes longer for a factor that is one larger.
    """
    lengthens = [bone for bone, share in zip(stretch.bones, stretch.shares, strict=True) if share > 0.0]
    first, last, length = lengthens[0], lengthens[-1], figure.bones.length
    own = length * np.linalg.norm(figure.state.matrix[:, :3, 1], axis=1)
    gain = sum(share * own[bone] for bone, share in zip(stretch.bones, stretch.shares, strict=True))
    return matrix[first, :3, 3], (matrix[last] @ (0.0, length[last], 0.0, 1.0))[:3], float(gain)


def _with_lengths(task: Task, solved: Solved, factors: Array) -> Task:
    """The frame with bones of other lengths, which they are to have in the pose that was found."""
    figure, plan = task.figure, task.plan
    found = figure.state_of(solved.channels, figure.state.matrix)
    scale = lengthened(figure, found, plan.stretches, factors)
    state = figure.state_of(replace(figure.state.channels, scale=scale), figure.state.matrix)
    sample = replace(task.sample, state=state)
    (longer,) = make_tasks(plan, figure, [sample], task.model, task.posture, as_posed=True)
    if longer.posture is None or task.posture is None or task.posture.motion is None:
        return longer
    return longer.with_posture(longer.posture.follows(task.posture.motion))  # averaged, in a clip
