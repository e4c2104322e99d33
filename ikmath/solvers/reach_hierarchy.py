# SPDX-License-Identifier: GPL-3.0-or-later
"""Reach hierarchy: each joint moves only as much as brings the goal into what the rest of the limb can reach.

The workspace of what follows a joint is taken as a shell about the next joint's head (an annulus for planar
chains): from its smallest to its largest reach, limits of its inner joints included. From the root on, a
joint turns until the goal is inside the next shell and not farther; if it is inside already, the joint stays.
The dual problem of Ge's figure 2.4, the goal's circle cut with the shell, is the level of `levels`, in closed
form. In a figure that is near its goal only the last joints move, which is how people reach. A goal outside
the first shell is met as nearly as possible.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np

from ..problem import Problem
from .arithmetic import Number, length, subtract
from .base import Options
from .chains import Aim, Limbs
from .geometric import Geometric, GeometricOptions
from .levels import level_group, outward, reshape, stiff_tip
from .posing import Posing
from .stages import LEAST_GAIN, QUICK, Run

Shells = dict[tuple[int, int], tuple[float, float]]
"""(group whose aim it is, effector) -> least and largest distance from the aim to the effector, metres."""


def shells(limbs: Limbs) -> Shells:
    """Reach of what follows each joint on the way to each effector.

    Free limbs have exact shells: from `max(0, 2 longest - sum)` to the sum of their links. With limits, the
    inner joints are folded, and stretched, one after the other from the tip on; every distance between the
    two is taken on by some pose, though a cleverer fold might come nearer still.
    """
    found: Shells = {}
    for effector, way in enumerate(limbs.ways):
        groups = list(dict.fromkeys(limbs.group_of[node] for node in way))
        lengths = [_aim(limbs, group, effector).length for group in groups]
        if limbs.free:
            for k, group in enumerate(groups):
                rest = lengths[k + 1 :]
                found[group, effector] = max(0.0, 2.0 * max(rest, default=0.0) - sum(rest)), sum(rest)
            continue
        extremes = [_distances(limbs, groups, effector, sign) for sign in (-1.0, 1.0)]
        for group, *distances in zip(groups, *extremes, strict=True):
            found[group, effector] = min(distances), max(distances)
    return found


def _aim(limbs: Limbs, group: int, effector: int) -> Aim:
    return next(aim for aim in limbs.groups[group].aims if any(end == effector for end, _, _ in aim.ends))


def _distances(limbs: Limbs, groups: list[int], effector: int, sign: float) -> list[float]:
    """Distance from each group's aim to the tip, the joints in between folded (1) or stretched (-1)."""
    posing = Posing(limbs, limbs.skeleton.rest, np.zeros((len(limbs.effectors), 3)))
    found = [0.0]
    for inner, outer in zip(groups[-2::-1], groups[:0:-1], strict=True):
        group = limbs.groups[outer]
        head, anchor = posing.head[group.nodes[0]], posing.head[limbs.groups[inner].nodes[0]]
        found.append(float(length(posing.m, subtract(posing.tip[effector], head))))
        tip = stiff_tip(posing, _aim(limbs, outer, effector), effector)
        level_group(posing, group, tip, anchor, lambda a, c: sign * a * c)
        posing.place_all()
    return found[::-1]


class ReachHierarchy(Geometric):
    """See the module."""

    name: ClassVar[str] = "reach_hierarchy"
    label: ClassVar[str] = "Reach Hierarchy"
    description: ClassVar[str] = (
        "Each joint moves only as much as brings the goal within reach of the joints after it; inner joints "
        "rest."
    )
    source: ClassVar[str] = "Korein & Badler 1982; Ge 2000, section 2.4"
    options: ClassVar[type[Options]] = GeometricOptions

    def bend(self, run: Run, problem: Problem, options: Any) -> None:
        of_aim = {
            (id(aim), number): shell
            for (group, effector), shell in shells(run.limbs).items()
            for aim in run.limbs.groups[group].aims
            for number, (end, _, _) in enumerate(aim.ends)
            if end == effector
        }
        step = partial(adjust, shells=of_aim)
        if len(run.limbs.effectors) > 1:
            run.stage(step, gain=QUICK if options.finish else LEAST_GAIN)
        else:
            run.stage(step, limit=1)
            if not run.limbs.free:
                run.stage(reshape, limit=1)
        self.finish(run, options)


def adjust(posing: Posing, shells: dict[tuple[int, int], tuple[float, float]]) -> None:
    """One pass from the root on: bring the goal into the next shell, if it is not inside already.

    Args:
        posing: left with everything in its place.
        shells: (identity of an aim, number of its end) -> least and largest reach beyond it, metres.
    """
    m = posing.m

    def level(a: Number, c: Number, aim: Aim, number: int) -> Number:
        low, high = shells[id(aim), number]
        effector, _, drift = aim.ends[number]
        goal = subtract(posing.targets[effector], subtract(drift, aim.place.drift))
        distance = m.minimum(m.maximum(length(m, subtract(goal, posing.placed(aim.place))), low), high)
        return 0.5 * (a * a + c * c - distance * distance)

    outward(posing, level, level)
