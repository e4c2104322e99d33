# SPDX-License-Identifier: GPL-3.0-or-later
"""The pass of the triangulation method, and a quick start that other methods can take from it.

It is separate from the method, because methods do not import each other, but any may start from this pass.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from ...errors import NotSupported
from ...problem.problem import Problem
from ...rotation import Array
from .arithmetic import Arithmetic, Number, length, subtract
from .chains import Aim, read_limbs, targets
from .levels import outward, reshape
from .posing import Posing
from .shells import Shells, shells
from .stages import Run

_PASSES: Final = 2  # over limbs with several effectors; a single limb needs one


def triangle(
    a: Number, c: Number, aim: Aim, end: int, *, m: Arithmetic, across: bool, shells: Shells | None
) -> Number:
    """Equation 5 as a level: `a c cos(delta) = (a^2 + c^2 - b^2) / 2`, with b the stretched rest.

    Where that makes no triangle because the target is too near, a limited limb takes for b the length of the
    folded rest (section 3.1.3).
    """
    effector, b, _ = aim.ends[end]
    level = 0.5 * (a * a + c * c - b * b)
    near = (level < -a * c) & (b > a)
    if shells is not None:
        folded, _ = shells[aim.place, effector]
        level = m.where(near, 0.5 * (a * a + c * c - folded * folded), level)
        near = (level < -a * c) & (folded > a)
    return m.where(near, 0.0, level) if across else level


def within_reach(a: Number, c: Number, aim: Aim, end: int, *, posing: Posing) -> Number:
    """Level of a shared joint: as it stands if the branch can reach from there, else just so far."""
    effector, b, drift = aim.ends[end]
    target = subtract(posing.targets[effector], subtract(drift, aim.place.drift))
    distance = posing.m.minimum(length(posing.m, subtract(target, posing.placed(aim.place))), b)
    return 0.5 * (a * a + c * c - distance * distance)


def triangulate(posing: Posing, across: bool = False, shells: Shells | None = None) -> None:
    """One pass over the limbs; shells: of limited limbs."""
    wanted = partial(triangle, m=posing.m, across=across, shells=shells)
    outward(posing, wanted, partial(within_reach, posing=posing))


def run_passes(run: Run, *, across: bool = False, second: bool = True) -> None:
    """One pass; where limits or branches leave it short, a second one.

    Args:
        run: the frames; across: links stand at right angles where a target is too near;
        second: whether a limited limb may be bent to the right length and pointed.
    """
    single, limited = len(run.limbs.effectors) == 1, not run.limbs.free
    folded = shells(run.limbs) if single and limited else None
    run.stage(partial(triangulate, across=across, shells=folded), limit=1 if single else _PASSES)
    if single and limited and second:
        run.stage(reshape, limit=1)


def quick_start(problem: Problem, q: Array, tolerance: float = 1e-4) -> Array:
    """A pose near the position goals of a problem, in one or two passes: where another method may begin.

    Goals of other kinds are left out of account, and so is what triangulation cannot move.

    Args:
        problem: any problem; q: (n,) or (B, n) start inside the limits, with as many rows as the targets
            have.

    Returns:
        Coordinates like q, inside the limits; q itself where triangulation has nothing to offer.
    """
    goals = [goal for goal, _ in problem.places()]
    if not goals:
        return q
    strongest = min(goal.priority for goal in goals)
    simple = Problem(problem.skeleton, [goal for goal in goals if goal.priority == strongest])
    try:
        limbs = read_limbs(simple, "Triangulation", slides=False)
    except NotSupported:
        return q
    batch = q.shape[:-1]
    goals_at = targets(simple, batch)
    run = Run(limbs, q.reshape(-1, q.shape[-1]), goals_at.reshape(-1, *goals_at.shape[-2:]), tolerance, 2)
    run_passes(run)
    return problem.skeleton.region.project(run.q).reshape(q.shape)
