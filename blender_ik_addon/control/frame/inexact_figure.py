# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of an inexact figure: solves, compares with Blender, corrects, and keeps the best round.

Rigid joints approximate bones in a sheared space only near the pose in which they were measured. The reported
errors are those in Blender.

Solving and measuring again converges if the shear is small, but slowly or not at all if a squashed chest
carries the arms. The relation of the figure's motion to Blender's hardly changes between rounds. So it is
learnt from the rounds (Broyden's method, 1965, on the displacements of the targets) to correct the targets.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

import ikmath as ik
from ikmath import rotation

from ...bridge.armature import Array, Channels
from ...bridge.goals import Wanted
from ...bridge.skeleton import Figure
from ..collision.surroundings import depth_of
from .goals import points
from .plan import Plan, plain
from .task import Task

_ROUNDS = 12
_PATIENCE = 3  # successive rounds without a gain
_GAIN = 0.98  # a round with more than this share of the depth or squared error left gains nothing
_GOOD = 1e-4  # share of the figure's size; smaller is invisible, and near single precision
_LONGEST = 2.0  # maximum length of a correction, as a factor of the remaining distance
_NOTHING = 1e-24  # square metres


class Correction:
    """Learns the relation of displacements of E points to Blender's, over the rounds of one frame.

    In each round, solve for `targets(now, wanted)`, measure again with `Figure.posed`, and pass the predicted
    and the actual displacement to `learn`.
    """

    def __init__(self, points: int) -> None:
        self._ask = np.eye(3 * points)  # from the wanted displacement to the one to solve for

    def targets(self, now: npt.ArrayLike, wanted: npt.ArrayLike) -> Array:
        """(E, 3) targets for the solver, from the actual points and their targets (E, 3).

        In the first round these are `wanted` itself.
        """
        start = np.asarray(now, dtype=float)
        left = (np.asarray(wanted, dtype=float) - start).ravel()
        asked = self._ask @ left
        longest, length = _LONGEST * float(np.sqrt(left @ left)), float(np.sqrt(asked @ asked))
        if length > longest:
            asked *= longest / length
        return start + asked.reshape(start.shape)

    def learn(self, promised: npt.ArrayLike, moved: npt.ArrayLike) -> None:
        """Update with one round: the displacements (E, 3) in the solved figure, and the actual ones."""
        p, m = (np.asarray(a, dtype=float).ravel() for a in (promised, moved))
        guessed = self._ask @ m
        along = float(p @ guessed)
        if abs(along) > max(_NOTHING, 1e-3 * float(p @ p)):
            self._ask = self._ask + np.outer(p - guessed, p @ self._ask) / along


def solve_inexact(
    task: Task, previous: Channels | None, solve: Callable[[Figure, Wanted, bool], ik.Solution]
) -> tuple[Figure, ik.Solution, Array, Array]:
    """Correct the targets until the effectors reach them in Blender.

    Args:
        task: the frame; previous: channels of the previous one.
        solve: solves a figure for targets; in the first round (True) from the start of the frame, else from
            the pose of the previous round.

    Returns:
        Of the best round the figure measured in its result, the solution, and the errors of the effectors in
            Blender, (E,) metres and (E,) radians; NaN if an effector has no such target or is off.
    """
    plan, figure, want = task.plan, task.figure, task.want
    kinds = plain(plan, want)
    moves, turns = (flags & (want.weight > 0.0) for flags in kinds)
    # aims and planes: correct if Blender's point and bone agree with the figure's
    others = (want.weight > 0.0) & ~moves & ~turns
    learnt = Correction(int(moves.sum()))
    # the figure with its effectors' points; it may be a single point
    size = (figure.skeleton.size + float(np.sqrt((want.offset**2).sum(-1)).max(initial=0.0))) or 1.0
    stale = 0
    best: tuple[tuple[float, float], tuple[Figure, ik.Solution, Array, Array]] | None = None
    now, _ = _at(figure.shown, want, figure.q)
    for number in range(_ROUNDS):
        asked = want.position.copy()
        asked[moves] = learnt.targets(now[moves], want.position[moves])
        solution = solve(figure, replace(want, position=asked), number == 0)
        promised, frames = _at(figure.skeleton, want, solution.q)
        figure = figure.posed(figure.channels(solution.q, previous))
        want = replace(want, offset=points(plan, figure))
        there, shown = _at(figure.shown, want, figure.q)
        learnt.learn((promised - now)[moves], (there - now)[moves])
        distance = np.where(moves, np.sqrt(((there - want.position) ** 2).sum(-1)), np.nan)
        angle = np.where(turns, _between(shown, want.rotation), np.nan)
        off = np.where(others, ((there - promised) ** 2).sum(-1) + (size * _between(frames, shown)) ** 2, 0.0)
        off += np.nan_to_num(distance) ** 2 + (size * np.nan_to_num(angle)) ** 2
        inside = depth_of(task.problem, figure)
        bad = (inside if inside > _GOOD * size else 0.0, float((want.weight * off).sum()))
        gained = best is None or _is_much_better(bad, best[0])
        if best is None or bad < best[0]:
            best = bad, (figure, solution, distance, angle)
        apart = np.abs(there - promised)[moves | others].max(initial=0.0)
        twisted = _between(frames, shown)[turns | others].max(initial=0.0)
        corrected = np.abs(asked - want.position)[moves].max(initial=0.0)
        off_by = max(np.nan_to_num(distance).max(initial=0.0), np.nan_to_num(angle).max(initial=0.0))
        short = solution.status is ik.Status.REACHED and off_by > plan.tolerance
        true = max(apart / size, twisted) < _GOOD
        if true and not short and (corrected / size < _GOOD or not gained):
            break  # Blender agrees with the figure, and other targets gain nothing
        stale = 0 if gained else stale + 1
        if stale == _PATIENCE:
            break
        now = there
    return best[1]


def _is_much_better(now: tuple[float, float], then: tuple[float, float]) -> bool:
    """Whether the depth decreased enough, or the squared errors did and the depth did not increase."""
    return now[0] < _GAIN * then[0] or (now[0] <= then[0] and now[1] < _GAIN * then[1])


def with_errors(solution: ik.Solution, plan: Plan, distance: Array, angle: Array) -> ik.Solution:
    """The solution with status and message for the errors (E,) in Blender, metres and radians.

    They are NaN without such a target.
    """
    off = np.fmax(np.nan_to_num(distance), np.nan_to_num(angle))
    row = int(off.argmax())
    if solution.status is not ik.Status.REACHED or off[row] <= plan.tolerance:
        return solution
    how = f"is {np.degrees(angle[row]):.2g} degrees off"
    if distance[row] > plan.tolerance:
        how = f"stays {1000 * distance[row] * plan.metre:.2g} mm short"
    message = (
        f"Bone '{plan.effectors[row].bone}' {how}: a bone above is scaled unevenly, or locked in single"
        " components of its rotation; scale it evenly, or use its IK locks."
    )
    return replace(solution, status=ik.Status.BEST_EFFORT, sentence=message)


def _at(skeleton: ik.Skeleton, want: Wanted, q: Array) -> tuple[Array, Array]:
    """Positions (E, 3) of the effectors' points and their frames (E, 3, 3), figure space."""
    pose = ik.Pose.forward(skeleton, q)
    return pose.point(want.bones, want.offset), pose.frame(want.bones)


def _between(a: Array, b: Array) -> Array:
    """(E,) angles between frames (E, 3, 3)."""
    return rotation.angle(np.swapaxes(a, -1, -2) @ b)
