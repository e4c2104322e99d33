# SPDX-License-Identifier: GPL-3.0-or-later
"""Knees and elbows as hinges whose limit is at the straight limb, for bones without limits.

For one pose it is enough to correct a limb that bends the wrong way, see `bent_rightly`. In a drag the
correction would repeat, because the minimum is beyond the straight limb, and the knee would jump to and fro.

At a straight limb no slope says that it could bend, and other joints would turn in its place. So a solve
starts from limbs that are slightly bent.

A hinge at its limit can hide a better pose: bending a straight knee slightly costs more than it gains, but
bending it by 45 degrees gains more. So bent limbs are tried as starts. Frames of a motion are led to such a
pose: the limit of the limb rises by a few degrees a frame.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import atan2, cos, inf, sin
from typing import Final

import numpy as np

import ikmath as ik
from ikmath import rotation
from ikmath.solvers.method import Pausing, Result

from ...bridge.armature import Array
from ...bridge.limbs import POSED, Hinges, LimbJoints, unit
from ...bridge.skeleton import Figure

_ASIDE: Final = np.radians(15.0)  # range of a limb's bend about the other axis
_SLIGHT: Final = 0.05  # bend of a straight limb that a solve starts with, radians
STRAIGHT: Final = np.radians(20.0)  # a limb bent by less may hide a better pose; fast solves try no others
BENT: Final = np.radians(60.0)  # bend from which the other pose is searched
_HARD: Final = 0.08  # effort of a limb above which that is tried, squared radians
_HARDER: Final = 1.25  # factor by which the effort must exceed that of the last attempt
_THERE: Final = 1e-5  # figure sizes or radians; a nearer effector needs no limb to bend
_BENDING: Final = np.radians(5.0)  # of a limb in a frame of a motion, towards a better pose
_TRIES: Final = 3  # first without hinges; a hinge may spoil another limb, which is then added
_AS_GOOD: Final = 1e-3  # allowed increase of an error: share of the figure's size, or radians
_NOTHING: Final = 1e-6  # share of a limb's length below which a length counts as zero
_EASIER: Final = 0.95  # the other pose must have less than this share of the figure's effort

Bent = tuple[ik.Solution | None, Sequence[float]]
"""A better solution with limbs bent, None for none, and the effort of each limb at its last attempt."""


def hinged(figure: Figure) -> Figure:
    """A figure, measured at its starting pose, with limits that keep its limbs from bending the wrong way."""
    limbs = figure.plan.limbs
    if limbs is None:
        return figure
    hinges = Hinges(limbs, figure.skeleton.owner)
    if not hinges.which.any():
        return figure
    limited = hinges.limited(figure.skeleton, figure.q, hinges.which, _ASIDE)
    return replace(figure, skeleton=limited, hinges=hinges)


def slightly_bent(figure: Figure, problem: ik.Problem, q: Array) -> Array:
    """The start q (n,) of a solve, with straight limbs slightly bent if an effector is not at its target."""
    hinges = figure.hinges
    if hinges is None:
        return q
    bent = hinges.bent(q)
    rows = np.flatnonzero(hinges.which & (np.abs(bent) < _SLIGHT))
    if not len(rows) or (problem.errors(ik.Pose.forward(problem.skeleton, q)) < _THERE * problem.spans).all():
        return q
    start = q.copy()
    hinges.bend(start, rows, _SLIGHT - bent[rows])
    return problem.skeleton.project(start)


def bent_rightly(
    figure: Figure,
    problem: ik.Problem,
    solution: ik.Solution,
    before: Array | None,
    solve: Callable[[ik.Problem, Array], ik.Solution],
) -> ik.Solution:
    """The solution with its limbs bent correctly, if that one is as good.

    Most targets can be reached with either bend, and near the straight limb a solver prefers neither. This is
    for limbs that no limit keeps from bending the wrong way. If a limb is straight in the posture, the solver
    tends back to the wrong side; so further solves treat it as a hinge.

    Args:
        figure: measured at the pose that the frame starts from; problem: the solved one; solution: of it.
        before: coordinates of the previous frame; a limb bent wrongly there is not changed, to avoid a jump.
        solve: solves a problem from coordinates.
    """
    limbs = figure.limbs
    if limbs is None:
        return solution
    wrong = limbs.wrong(figure.bends, solution.q)
    if not wrong.any():
        return solution
    may = np.zeros_like(wrong) if before is None else limbs.wrong(figure.bends, before)
    which = wrong & ~may
    if not which.any():
        return solution
    q = solution.q.copy()
    for row in np.flatnonzero(which).tolist():  # limbs may share bones
        _bend_rightly(figure, limbs, row, ik.Pose.forward(figure.skeleton, q), q)
    hinges, aside = Hinges(limbs, figure.skeleton.owner), limbs.slight * np.sqrt(1.0 - limbs.least**2)
    allowed = np.maximum(solution.errors, _AS_GOOD * problem.spans)
    best, left, asked = solution, wrong.sum(), problem
    for _ in range(_TRIES):
        other = solve(asked, asked.skeleton.project(q))
        still = limbs.wrong(figure.bends, other.q)
        if still.sum() < left and not (other.errors > allowed).any():
            best, left = other, still.sum()
        if not (still & ~may).any():
            break
        which |= still & ~may
        asked = problem.with_skeleton(hinges.limited(problem.skeleton, figure.q, which, aside))
    return best


def bending_instead(
    figure: Figure,
    problem: ik.Problem,
    solution: ik.Solution,
    tried: Sequence[float],
    solver: ik.Solver,
    within: float = STRAIGHT,
) -> Pausing[Bent]:
    """The solution with its straight limbs bent, if that costs less or brings what is short to its target.

    Args:
        figure: from `hinged`, measured at its posture; problem: the solved one; solution: of it.
        tried: (k,) effort of each limb at its last attempt; empty before the first one.
        solver: solves the problem with the limbs bent.
        within: radians; limbs that are bent by less are tried.

    Returns:
        The better solution, None if there is none, and `tried` for the next call; see `Bent`.
    """
    limbs, hinges, cost = figure.plan.limbs, figure.hinges, effort_of(problem)
    if limbs is None or hinges is None or cost is None:
        return None, tried
    bent = hinges.bent(solution.q)
    hard = hinges.own.dot((solution.q - figure.q) ** 2)
    effort = cost(solution.q)
    past = np.array(tried) if len(tried) else np.zeros(len(hard))
    worth = hinges.which & (np.abs(bent) < within) & (hard > np.maximum(_HARD, _HARDER * past))
    tries = np.flatnonzero(worth).tolist()
    short = solution.status is not ik.Status.REACHED
    allowed = np.maximum(solution.errors, _THERE * problem.spans)
    # a figure that crouches bends both legs; one alone would twist it
    together = [tuple(tries)] if len(tries) > 1 else []
    for rows in [*together, *((row,) for row in tries)]:
        q = solution.q.copy()
        for row in rows:
            _bend(figure, limbs, row, q, bent[row], figure.q)
        other = yield from solver.in_parts(problem, problem.skeleton.project(q))
        nearer = short and other.status is ik.Status.REACHED
        if nearer or (not (other.errors > allowed).any() and cost(other.q) < _EASIER * effort):
            return other, hard.tolist()
        past[list(rows)] = hard[list(rows)]
    return None, past.tolist()


def finished(work: Pausing[Result], deadline: float = inf, least: int = 1) -> Result | None:
    """The result of work that pauses, of which some parts are done at least; None after the deadline."""
    parts = 0
    while parts < least or time.perf_counter() <= deadline:
        try:
            next(work)
        except StopIteration as end:
            found: Result = end.value
            return found
        parts += 1
    return None


def led(hinges: Hinges, problem: ik.Problem, q: Array, towards: Array) -> tuple[ik.Problem, Array]:
    """A problem in which limbs bend by a few degrees more than at q (n,), and a start (n,) that does.

    Beyond the barrier between two poses they bend by themselves. All else stays as natural as it can. They
    bend `towards` the result (k,) of `bends_of`.
    """
    rows, skeleton = np.flatnonzero(np.isfinite(towards)), problem.skeleton
    bends, sides, now = hinges.bends[rows], hinges.sides[rows], hinges.bent(q)[rows]
    bent = np.minimum(towards[rows], now + _BENDING)
    least = sides * (bent - hinges.at_rest[rows])
    low, high = skeleton.lower[bends], skeleton.upper[bends]
    lower, upper, start = skeleton.lower.copy(), skeleton.upper.copy(), q.copy()
    lower[bends] = np.where(sides > 0, np.clip(least, low, high), low)
    upper[bends] = np.where(sides < 0, np.clip(least, low, high), high)
    hinges.bend(start, rows, np.maximum(bent - now, 0.0))
    other = problem.with_skeleton(skeleton.with_limits(lower, upper))
    return other, other.skeleton.project(start)


def bends_of(hinges: Hinges, before: Array, after: Array) -> Array:
    """(k,) radians, of the limbs that are bent more after (n,) than before (n,), -inf of the others."""
    now = hinges.bent(after)
    return np.where(hinges.which & (now > hinges.bent(before) + _BENDING), now, -np.inf)


def is_on_the_way(hinges: Hinges, q: Array, towards: Array) -> bool:
    """Whether limbs at q (n,) are not yet as bent as they should come to be."""
    return bool((hinges.bent(q) < towards - _BENDING).any())


def effort_of(problem: ik.Problem) -> Callable[[Array], float] | None:
    """The posture cost as a function of coordinates (n,); None if the problem has no posture."""
    cost, posture = problem.posture_cost, problem.posture
    if cost is not None:
        return lambda q: cost.evaluate(ik.Pose.forward(problem.skeleton, q)).value
    if posture is None:
        return None
    weight = posture.gain / problem.stack.metric**2
    return lambda q: float(weight.dot((q - posture.q) ** 2))


def _bend(figure: Figure, limbs: LimbJoints, row: int, q: Array, bent: float, posture: Array) -> None:
    """Bend a limb in its own plane; its end stays on its line and keeps its posture. Changes q (n,)."""
    skeleton, pose = figure.skeleton, ik.Pose.forward(figure.skeleton, q)
    upper, lower, end = (int(joints[row]) for joints in (limbs.upper, limbs.lower, limbs.end))
    first = figure.heads[lower] - figure.heads[upper]
    second = figure.tip(figure.plan.names[lower]) if end < 0 else figure.heads[end] - figure.heads[lower]
    raised = partial(_raised, float(np.linalg.norm(first)), float(np.linalg.norm(second)))
    axis = pose.rotation[upper] @ skeleton.rest_rotation[lower] @ limbs.axis[row]
    thigh = rotation.exp((raised(bent) - raised(BENT)) * axis) @ pose.rotation[upper]
    shin = rotation.exp((raised(bent) - raised(BENT) + BENT - bent) * axis) @ pose.rotation[lower]
    above = int(figure.plan.parents[upper])
    _put(figure, upper, pose.rotation[above] if above >= 0 else np.eye(3), thigh, q)
    _put(figure, lower, thigh, shin, q)
    if end >= 0:
        own = skeleton.owner == end
        q[own] = posture[own]


def _raised(first: float, second: float, bend: float) -> float:
    """The angle between a limb's first bone and the line from its root to its end, radians."""
    return atan2(second * sin(bend), first + second * cos(bend))


def _bend_rightly(figure: Figure, limbs: LimbJoints, row: int, pose: ik.Pose, q: Array) -> None:
    """Move the middle joint of a limb to the correct side, with both ends unchanged.

    The plane of the bend is that of the pose in which the figure was measured, moved with the limb's parent
    and by the smallest rotation from the limb's old direction to its new one. `pose` has the wrong bend; its
    coordinates q (n,) are changed in place.
    """
    upper, lower, end = limbs.upper[row], limbs.lower[row], limbs.end[row]
    above = int(figure.plan.parents[upper])
    outer = pose.rotation[above] if above >= 0 else np.eye(3)
    carried = outer @ figure.frames[above].T if above >= 0 else outer
    first = figure.heads[lower] - figure.heads[upper]
    tip = figure.frames[lower] @ figure.tip(figure.plan.names[lower])
    second = figure.heads[end] - figure.heads[lower] if end >= 0 else tip
    place = pose.position[lower] + pose.rotation[lower] @ figure.frames[lower].T @ second
    way = place - pose.position[upper]
    a, b, away = (float(np.linalg.norm(v)) for v in (first, second, way))
    if min(a, b, away) < _NOTHING * (a + b):
        return
    line = way / away
    turned = rotation.shortest(carried @ unit(first + second), line) @ carried
    posed = np.cross(first, second) / (a * b)
    if float(np.linalg.norm(posed)) > POSED:
        axis = turned @ posed
    else:
        untwisted = rotation.swing_twist_matrix(figure.q[limbs.turns[row]]).T
        axis = turned @ figure.frames[lower] @ untwisted @ limbs.axis[row]
    axis = unit(axis - line * (axis @ line))
    reach = float(np.clip(away, abs(a - b), a + b))
    cosine = (a * a + reach * reach - b * b) / (2.0 * a * max(reach, _NOTHING * a))
    along = rotation.exp(-np.arccos(np.clip(cosine, -1.0, 1.0)) * axis) @ line
    thigh = rotation.shortest(turned @ (first / a), along) @ turned @ figure.frames[upper]
    shin = (
        rotation.shortest(turned @ (second / b), unit(line * reach - along * a))
        @ turned
        @ figure.frames[lower]
    )
    _put(figure, upper, outer, thigh, q)
    _put(figure, lower, thigh, shin, q)
    if end >= 0:
        _put(figure, end, shin, pose.rotation[end], q)


def _put(figure: Figure, joint: int, above: Array, frame: Array, q: Array) -> None:
    """Set the coordinates of a joint so that it has a given rotation (3, 3)."""
    skeleton = figure.skeleton
    skeleton.set_turn(q, joint, skeleton.rest_rotation[joint].T @ above.T @ frame)
