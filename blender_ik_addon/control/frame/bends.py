# SPDX-License-Identifier: GPL-3.0-or-later
"""Solves limbs that bend the wrong way again, from a pose in which they bend correctly.

Most targets can be reached with either bend, and near the straight limb a solver prefers neither. Limits on
the bones decide it; this is for bones without limits. If a limb is straight in the posture, the solver tends
back to the wrong side. So the second solve treats it as a hinge whose limit is at the straight limb.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import ikmath as ik
from ikmath import rotation

from ...bridge.armature import Array, Indices
from ...bridge.limb_joints import POSED, Hinges, LimbJoints
from ...bridge.skeleton import Figure

_TRIES: Final = 3  # first without hinges; a hinge may spoil another limb, which is then added
_AS_GOOD: Final = 1e-3  # allowed increase of an error: share of the figure's size, or radians
_NOTHING: Final = 1e-6  # share of a limb's length below which a length counts as zero


def bent_rightly(
    figure: Figure,
    problem: ik.Problem,
    solution: ik.Solution,
    before: Array | None,
    solve: Callable[[ik.Problem, Array], ik.Solution],
) -> ik.Solution:
    """The solution with its limbs bent correctly, if that one is as good.

    Args:
        figure: measured at the pose that the frame starts from; problem: the solved one.
        solution: of the problem.
        before: coordinates of the previous frame; a limb bent wrongly there is not changed, to avoid a jump.
        solve: solves a problem from coordinates.
    """
    limbs = figure.limbs
    if limbs is None:
        return solution
    wrong = limbs.wrong(figure.bends, solution.q)
    if True not in wrong:
        return solution
    may = [False] * len(wrong) if before is None else limbs.wrong(figure.bends, before)
    rows = [row for row, (now, then) in enumerate(zip(wrong, may, strict=True)) if now and not then]
    if not rows:
        return solution
    q = solution.q.copy()
    for row in rows:  # limbs may share bones
        _bend(figure, limbs, row, ik.Pose.forward(figure.skeleton, q), q)
    allowed = np.maximum(solution.errors, _AS_GOOD * problem.spans)
    best, left, asked = solution, sum(wrong), problem
    for _ in range(_TRIES):
        other = solve(asked, asked.start(q))
        still = limbs.wrong(figure.bends, other.q)
        if sum(still) < left and not (other.errors > allowed).any():
            best, left = other, sum(still)
        more = {row for row, (now, then) in enumerate(zip(still, may, strict=True)) if now and not then}
        if not more:
            break
        rows = sorted(more.union(rows))
        asked = _hinged(figure, limbs, problem, rows)
    return best


def _hinged(figure: Figure, limbs: LimbJoints, problem: ik.Problem, rows: list[int]) -> ik.Problem:
    """The problem with some limbs as hinges that cannot bend the wrong way."""
    skeleton, which = figure.skeleton, np.zeros(len(limbs.axis), dtype=bool)
    which[rows] = True
    hinges, aside = Hinges.of(limbs, skeleton.owner), limbs.slight * np.sqrt(1.0 - limbs.least**2)
    return problem.with_skeleton(hinges.limited(limbs, problem.skeleton, figure.q, which, aside))


def _bend(figure: Figure, limbs: LimbJoints, row: int, pose: ik.Pose, q: Array) -> None:
    """Move the middle joint of a limb to the correct side, with both ends unchanged.

    The plane of the bend is that of the starting pose, moved with the limb's parent and by the smallest
    rotation from the limb's old direction to its new one.

    Args:
        figure: measured at the starting pose.
        limbs: of the figure; row: index of the limb.
        pose: with the wrong bend; q: (n,) its coordinates, changed in place.
    """
    upper, lower, end = limbs.upper[row], limbs.lower[row], limbs.end[row]
    above = int(figure.plan.parents[upper])
    outer = pose.rotation[above] if above >= 0 else np.eye(3)
    carried = outer @ figure.frames[above].T if above >= 0 else outer
    first = figure.heads[lower] - figure.heads[upper]
    if end >= 0:
        second, place = figure.heads[end] - figure.heads[lower], pose.position[end]
    else:
        tip = figure.tip(figure.plan.names[lower])
        second = figure.frames[lower] @ tip
        place = pose.position[lower] + pose.rotation[lower] @ tip
    way = place - pose.position[upper]
    a, b, away = (float(np.linalg.norm(v)) for v in (first, second, way))
    if min(a, b, away) < _NOTHING * (a + b):
        return
    line = way / away
    turned = _between(carried @ _unit(first + second), line) @ carried
    posed = np.cross(first, second) / (a * b)
    if float(np.linalg.norm(posed)) > POSED:
        axis = turned @ posed
    else:
        axis = turned @ figure.frames[lower] @ _untwisted(figure, limbs, row)
    axis = _unit(axis - line * (axis @ line))
    reach = float(np.clip(away, abs(a - b), a + b))
    cosine = (a * a + reach * reach - b * b) / (2.0 * a * max(reach, _NOTHING * a))
    along = rotation.exp(-np.arccos(np.clip(cosine, -1.0, 1.0)) * axis) @ line
    thigh = _between(turned @ (first / a), along) @ turned @ figure.frames[upper]
    shin = _between(turned @ (second / b), _unit(line * reach - along * a)) @ turned @ figure.frames[lower]
    put(figure, upper, outer, thigh, q)
    put(figure, lower, thigh, shin, q)
    if end >= 0:
        put(figure, end, shin, pose.rotation[end], q)


def _untwisted(figure: Figure, limbs: LimbJoints, row: int) -> Array:
    """(3,) axis of a limb's bend in the lower bone's own axes, in the starting pose."""
    turned = rotation.swing_twist_matrix(figure.q[limbs.turns[row]])
    return np.asarray(turned.T @ limbs.axis[row])


def put(figure: Figure, joint: int, above: Array, frame: Array, q: Array) -> None:
    """Set the coordinates of a joint so that it has a given rotation (3, 3)."""
    skeleton = figure.skeleton
    turns = rotation.swing_twist_turns(skeleton.rest_rotation[joint].T @ above.T @ frame)
    mine: Indices = np.flatnonzero((skeleton.owner == joint) & (skeleton.slot >= 3))
    q[mine] = turns[skeleton.slot[mine] - 3]


def _unit(v: Array) -> Any:
    return v / max(float(np.linalg.norm(v)), 1e-12)


def _between(a: Array, b: Array) -> Array:
    """The smallest rotation between two unit vectors."""
    axis = np.cross(a, b)
    size = float(np.linalg.norm(axis))
    if size < 1e-9:
        if a @ b > 0:
            return np.eye(3)
        return rotation.exp(np.pi * _unit(np.cross(a, np.eye(3)[int(np.abs(a).argmin())])))
    return rotation.exp(np.arctan2(size, float(a @ b)) * axis / size)
