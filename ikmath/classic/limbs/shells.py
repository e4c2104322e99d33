# SPDX-License-Identifier: GPL-3.0-or-later
"""The workspaces of the distal parts of a limb, as spherical shells: least and largest distances."""

import numpy as np

from .arithmetic import length, subtract
from .chains import Aim, Limbs, Place
from .levels import level_group, stiff_tip
from .posing import Posing

Shells = dict[tuple[Place, int], tuple[float, float]]
"""(place of an aim, effector) -> least and largest distance from the aim to the effector, metres."""


def shells(limbs: Limbs) -> Shells:
    """Range of distances from each joint's aim to the effectors below it.

    Free limbs have exact shells: from `max(0, 2 longest - sum)` to the sum of their links. With limits, the
    inner joints are folded and stretched one after the other, starting at the tip. All distances between
    these two can be reached, but smaller ones may exist.
    """
    found: Shells = {}
    for effector, way in enumerate(limbs.ways):
        groups = list(dict.fromkeys(limbs.group_of[node] for node in way))
        if not groups:  # nothing moves this effector
            continue
        lengths = [_aim(limbs, group, effector).length for group in groups]
        if limbs.free:
            for k, group in enumerate(groups):
                rest = lengths[k + 1 :]
                found[_aim(limbs, group, effector).place, effector] = (
                    max(0.0, 2.0 * max(rest, default=0.0) - sum(rest)),
                    sum(rest),
                )
            continue
        extremes = [_distances(limbs, groups, effector, sign) for sign in (-1.0, 1.0)]
        for group, *distances in zip(groups, *extremes, strict=True):
            found[_aim(limbs, group, effector).place, effector] = min(distances), max(distances)
    return found


def _aim(limbs: Limbs, group: int, effector: int) -> Aim:
    return next(aim for aim in limbs.groups[group].aims if any(end == effector for end, _, _ in aim.ends))


def _distances(limbs: Limbs, groups: list[int], effector: int, sign: float) -> list[float]:
    """Distance from each group's aim to the tip, with the joints between folded (1) or stretched (-1)."""
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
