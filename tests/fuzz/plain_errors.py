# SPDX-License-Identifier: GPL-3.0-or-later
"""The size of each effector's error a second time, in plain loops over the frames of `tests.ikmath.oracle`.

It reads the goals' own attributes (targets, offsets, axes, slack) and shares no arithmetic with the library.
"""

from __future__ import annotations

import math

import numpy as np

from tests.ikmath import oracle


def sizes(skeleton, q, goal):
    """Sizes of the errors of a goal's effectors at q (n,): a list, None where there is no plain formula."""
    world = oracle.frames(skeleton, q)
    formula = FORMULAS.get(type(goal).__name__)
    if formula is None:
        return [None] * goal.effectors
    return formula(goal, world, skeleton)


def extent(skeleton, q):
    """The largest coordinate of any joint in the world, by which rounding is measured."""
    return max(float(np.abs(place).max()) for _, place in oracle.frames(skeleton, q).values())


def _angle(turn):
    """Angle of a rotation."""
    axis = (turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1])
    return math.atan2(math.hypot(*axis), turn[0, 0] + turn[1, 1] + turn[2, 2] - 1.0)


def _place(world, name, offset):
    rotation, place = world[name]
    return place + rotation @ offset


def _points(goal, world):
    return [_place(world, name, offset) for name, offset in zip(goal.joints, _each(goal), strict=True)]


def _each(goal):
    return np.broadcast_to(goal.offset, (len(goal.joints), 3))


def _position(goal, world, _):
    found = []
    for i, point in enumerate(_points(goal, world)):
        difference = point - goal.target[i]
        if goal.mask is not None:
            if goal.space == "bone":
                difference = world[goal.joints[i]][0].T @ difference
            elif goal.space == "target":
                difference = goal.frame[i].T @ difference
            difference = difference[goal.mask]
        found.append(max(math.hypot(*difference) - goal.slack, 0.0))
    return found


def _orientation(goal, world, _):
    if goal.mask is not None:
        return [None] * goal.effectors
    turns = [_angle(world[name][0] @ goal.target[i].T) for i, name in enumerate(goal.joints)]
    return [max(turn - goal.slack, 0.0) for turn in turns]


def _aim(goal, world, _):
    found = []
    for i, point in enumerate(_points(goal, world)):
        way, direction = goal.target[i] - point, world[goal.joints[i]][0] @ goal.direction[i]
        size = max(float(np.abs(point).max()), float(np.abs(goal.target[i]).max()))
        if math.hypot(*way) < max(1e-6, 1e-9 * size):  # rounding has taken its direction
            found.append(None)
            continue
        way = way / math.hypot(*way)
        turn = math.atan2(math.hypot(*np.cross(way, direction)), float(way @ direction))
        found.append(max(turn - goal.slack, 0.0))
    return found


def _pole(goal, world, _):
    count, found = goal.effectors, []
    ends = _points(goal, world)
    for end, middle, root, pole in zip(
        ends[:count], ends[count : 2 * count], ends[2 * count :], goal.target, strict=True
    ):
        line, bend, way = end - root, middle - root, pole - root
        sizes = [math.hypot(*each) for each in (line, bend, way)]
        far = max(float(np.abs(each).max()) for each in (end, middle, root, pole))
        if min(sizes) < max(1e-6, 1e-9 * far):
            found.append(None)
            continue
        line, bend, way = line / sizes[0], bend / sizes[1], way / sizes[2]
        bend, way = bend - line * (line @ bend), way - line * (line @ way)
        product = math.hypot(*bend) * math.hypot(*way)
        angle = math.atan2(math.hypot(*np.cross(bend, way)), float(bend @ way))
        angle *= product**2 / (product**2 + 1e-4)
        found.append(max(angle - goal.slack, 0.0))
    return found


def _plane(goal, world, _):
    found = []
    for i, point in enumerate(_points(goal, world)):
        height = float(goal.normal[i] @ (point - goal.origin[i]))
        found.append(max(-height, 0.0) if goal.one_sided else abs(height))
    return found


def _distance(goal, world, _):
    if goal.place is None:
        count = goal.effectors
        ends = _points(goal, world)
        ways = [a - b for a, b in zip(ends[:count], ends[count:], strict=True)]
    else:
        ways = [point - place for point, place in zip(_points(goal, world), goal.place, strict=True)]
    found = []
    for way, wanted in zip(ways, goal.distance, strict=True):
        longer = math.hypot(*way) - float(wanted)
        found.append({"at": abs(longer), "inside": max(longer, 0.0), "outside": max(-longer, 0.0)}[goal.mode])
    return found


def _loop(goal, world, _):
    if goal.rigid:
        return [None] * goal.effectors
    count = goal.effectors
    ends = _points(goal, world)
    return [math.hypot(*(a - b)) for a, b in zip(ends[:count], ends[count:], strict=True)]


def _any_of(goal, world, skeleton):
    if goal.chosen is not None:
        return [None]
    costs = []
    for one in goal.goals:
        found = FORMULAS[type(one).__name__](one, world, skeleton)
        if None in found:
            return [None]
        costs.append(math.hypot(*found))
    return [min(costs)]


FORMULAS = {
    "Position": _position,
    "Orientation": _orientation,
    "Aim": _aim,
    "Pole": _pole,
    "Plane": _plane,
    "Distance": _distance,
    "Loop": _loop,
    "AnyOf": _any_of,
}
