# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames with bones that may lengthen: if a target is out of reach, solve again with longer bones.

The bones keep their rest length if the target is reached with it. Lengths are constant in a solve and are
corrected in a few rounds.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from ...bridge.armature import Array
from ...bridge.skeleton import Figure
from ...bridge.stretching import Stretch, lengthened
from .solved import Solved
from .task import Task, make_task

_ROUNDS: Final = 8
_SHORT: Final = 1e-5  # share of the stretched length; with a smaller error the target counts as reached
_SPARE: Final = 1e-4  # relative extra length; a limb that is not quite straight is solved faster
_GAIN: Final = 0.98  # share of the distance; longer bones that leave more are not used


def stretched(task: Task, solved: Solved, solve: Callable[[Task], Solved]) -> Solved:
    """Solve a frame with bones long enough to reach the targets, within the limits of the effectors.

    In the task all bones have their rest length, and `solved` is its result.
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
    """The sum of the distances to the targets of effectors that may stretch, metres."""
    return float(sum(np.nan_to_num(solved.distance[stretch.row]) for stretch in task.plan.stretches))


def _longer(task: Task, solved: Solved, factors: Array) -> Array:
    """(E,) the length factors with which the bones reach their targets."""
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
        if short <= _SHORT * reach:
            continue
        needed = float(np.linalg.norm(end + missing - first)) * (1.0 + _SPARE)
        longer = factors[row] + max(needed - reach, 0.0) / gain
        more[row] = min(longer, 1.0 + stretch.most)
    return more


def _reach(figure: Figure, matrix: Array, stretch: Stretch) -> tuple[Array, Array, float]:
    """The extent of the bones that an effector lengthens, in a pose (B, 4, 4), in armature units.

    Returns:
        (3,) head of the first bone that lengthens, (3,) tail of the last one, and the derivative of their
        total length by the factor.
    """
    lengthens = [bone for bone, share in zip(stretch.bones, stretch.shares, strict=True) if share > 0.0]
    first, last, length = lengthens[0], lengthens[-1], figure.bones.length
    own = length * np.linalg.norm(figure.state.matrix[:, :3, 1], axis=1)
    gain = sum(share * own[bone] for bone, share in zip(stretch.bones, stretch.shares, strict=True))
    return matrix[first, :3, 3], (matrix[last] @ (0.0, length[last], 0.0, 1.0))[:3], float(gain)


def _with_lengths(task: Task, solved: Solved, factors: Array) -> Task:
    """The frame with other bone lengths, measured in the pose of the last solve."""
    figure, plan = task.figure, task.plan
    found = figure.state_of(solved.channels, figure.state.matrix)
    scale = lengthened(figure, found, plan.stretches, factors)
    channels = figure.state.channels.copy()
    channels["scale"] = scale
    state = figure.state_of(channels, figure.state.matrix)
    sample = replace(task.sample, state=state)
    longer = make_task(plan, figure, sample, task.model, task.posture, as_posed=True)
    if longer.posture is None or task.motion is None:
        return longer
    return longer.with_posture(longer.posture.follows(task.motion))  # averaged over frames in a clip
