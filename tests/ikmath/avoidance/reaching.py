# SPDX-License-Identifier: GPL-3.0-or-later
"""Arms that have to reach into, under and round furniture, in the manner of MotionBenchMaker.

A scene is made backwards, so that it has an answer: a pose is drawn, the furniture is put up around the hand
of that pose, and both the drawn pose and the one that a solve starts from are clear of it. Whether an answer
reaches and touches nothing is judged by plain loops (`tests.ikmath.oracle`, `brute_force`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

import ikmath as ik
from ikmath.collision import Scene
from tests.ikmath import oracle
from tests.ikmath.avoidance import brute_force

ARMS = ("seven", "offset", "elbow")
LENGTH, ANGLE = 1e-3, 1e-3
"""Metres and radians within which a hand is there."""
TOUCH = 1e-5
"""Metres that an answer may be inside something: rounding, and the two ways to measure."""
_CLEAR = 5e-3
"""Metres that the drawn pose and the start keep clear."""
_TIP = (0.0, 0.0, 0.1)
"""The hand's end, where its target is, in the frame of `tool`; its axis is z."""
_DRAWN = 3000
"""Poses drawn at a time."""


@dataclass(frozen=True)
class Arm:
    """An arm on a pedestal.

    Attributes:
        skeleton: its last joint is `tool`; body: its links; home: (n,) where solves start.
    """

    skeleton: ik.Skeleton
    body: ik.Body
    home: np.ndarray


@dataclass(frozen=True)
class Reach:
    """A scene: the problem, its start (n,) and a pose (n,) that answers it."""

    problem: ik.Problem
    start: np.ndarray
    known: np.ndarray


@cache
def arm(name):
    """One of `ARMS`: seven hinges, or six with shoulder and wrist offset, or six like an industrial robot."""
    if name == "seven":
        joints = list(ik.figures.arm().joints[:-1])
        joints.append(ik.Joint("tool", "a7", ik.rotation.about(0, -0.5 * np.pi), (0, 0.045, 0), turns=""))
        home = [0.0, 0.4, 0.0, 1.2, 0.0, 0.6, 0.0]
        return _arm(joints, home, 0.055)
    if name == "offset":
        rows = [
            ("z", (0, 0, 0.09), -np.pi, np.pi),
            ("y", (0, 0.13, 0), -np.pi, np.pi),
            ("y", (0, -0.12, 0.42), -2.8, 2.8),
            ("y", (0, 0, 0.39), -np.pi, np.pi),
            ("z", (0, 0.1, 0), -np.pi, np.pi),
            ("y", (0, 0, 0.095), -np.pi, np.pi),
        ]
        turned, home = ik.rotation.about(0, -0.5 * np.pi), [0.0, -0.6, 1.6, 0.4, 0.0, 0.0]
        return _arm(_hinged(rows, turned, (0, 0.06, 0)), home, 0.05)
    rows = [
        ("z", (0, 0, 0.3), -2.9, 2.9),
        ("y", (0.05, 0, 0.15), -1.7, 2.2),
        ("y", (0, 0, 0.46), -1.2, 2.6),
        ("z", (0, 0, 0.2), -3.1, 3.1),
        ("y", (0, 0, 0.22), -2.1, 2.1),
        ("z", (0, 0, 0.08), -3.1, 3.1),
    ]
    return _arm(_hinged(rows, np.eye(3), (0, 0, 0.02)), [0.0, -0.3, 1.6, 0.0, 0.6, 0.0], 0.055)


def _hinged(rows, turned, last):
    joints = []
    for number, (axis, way, low, high) in enumerate(rows):
        parent = f"link{number - 1}" if number else None
        vector = np.eye(3)["xyz".index(axis)]
        joints += ik.hinge(f"link{number}", parent, vector, translation=way, lower=low, upper=high)
    return [*joints, ik.Joint("tool", f"link{len(rows) - 1}", turned, last, turns="")]


def _arm(joints, home, radius):
    skeleton = ik.Skeleton(joints)
    links = [ik.Link("tool", (0, 0, 0), _TIP, 0.03)]
    for parent, way in zip(skeleton.parents.tolist(), skeleton.rest_translation, strict=True):
        if parent >= 0 and np.linalg.norm(way) > 1e-9:
            thick = radius if len(links) < 4 else 0.75 * radius
            owner = skeleton.names[parent]
            links.append(ik.Link(owner, (0, 0, 0), tuple(way), thick, name=f"{owner} {len(links)}"))
    return Arm(skeleton, ik.Body(links), np.array(home))


class _Place:
    """Where furniture goes: about a point (3,), in a frame of ahead (away from the arm), aside and up."""

    def __init__(self, point, ahead):
        self.point = point
        self.frame = np.stack([ahead, np.cross((0.0, 0.0, 1.0), ahead), (0.0, 0.0, 1.0)])

    def at(self, ahead, aside, up):
        return self.point + np.array([ahead, aside, up]) @ self.frame

    def box(self, low, high):
        """A block between two corners."""
        corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
        quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        faces = [triangle for a, b, c, d in quads for triangle in ((a, b, c), (a, c, d))]
        low, high = np.array(low, dtype=float), np.array(high, dtype=float)
        vertices = self.point + (low + corners * (high - low)) @ self.frame
        return ik.TriangleMesh(vertices, faces, mode="solid", name="block")

    def bar(self, a, b, radius):
        return ik.Cylinder(self.at(*a), self.at(*b), radius, name="bar")


def _case(place, rng, width, below, above, rows):
    """A bookcase with the hand between two of its boards."""
    front, back, shift = -rng.uniform(0.08, 0.18), rng.uniform(0.12, 0.2), rng.uniform(-0.6, 0.6) * width / 2
    left, right, gap, thick = shift - width / 2, shift + width / 2, below + above, 0.012
    heights = [-below + gap * row for row in range(-rows, rows + 2)]
    things = [place.box((front, left, z - thick), (back, right, z + thick)) for z in heights]
    low, high = heights[0], heights[-1]
    things.append(place.box((back, left, low), (back + 0.02, right, high)))
    return [*things, *(place.box((front, y - thick, low), (back, y + thick, high)) for y in (left, right))]


def _shelves(place, rng):
    return _case(place, rng, 0.8, rng.uniform(0.09, 0.15), rng.uniform(0.1, 0.2), 1)


def _narrow_shelves(place, rng):
    return _case(place, rng, 0.4, rng.uniform(0.07, 0.1), rng.uniform(0.08, 0.13), 1)


def _cage(place, rng):
    half, front, back = rng.uniform(0.18, 0.28), -rng.uniform(0.08, 0.2), rng.uniform(0.15, 0.25)
    low, high = -rng.uniform(0.15, 0.25), rng.uniform(0.15, 0.25)
    bars = []
    for x in (front, back):
        for y in (-half, half):
            bars.append(((x, y, low), (x, y, high)))
        bars += [((x, -half, z), (x, half, z)) for z in (low, high)]
    for share in (0.0, 0.33, 0.67, 1.0):
        y, x = half * (2 * share - 1), front + share * (back - front)
        bars += [((front, y, z), (back, y, z)) for z in (low, high)]
        bars += [((x, y, low), (x, y, high)) for y in (-half, half)]
        bars.append(((back, y, low), (back, y, high)))
    return [place.bar(a, b, 0.01) for a, b in bars]


def _walls(place, rim, floor, x, y, thick=0.01):
    """An open box."""
    things = [place.box((x[0], y[0], floor - 2 * thick), (x[1], y[1], floor))]
    things += [place.box((at - thick, y[0], floor), (at + thick, y[1], rim)) for at in x]
    return things + [place.box((x[0], at - thick, floor), (x[1], at + thick, rim)) for at in y]


def _open_box(place, rng):
    half, shift = rng.uniform(0.14, 0.24, 2), rng.uniform(-0.4, 0.4, 2)
    x, y = ((half[i] * (shift[i] - 1), half[i] * (shift[i] + 1)) for i in (0, 1))
    return _walls(place, rng.uniform(0.05, 0.15), -rng.uniform(0.06, 0.1), x, y)


def _bins(place, rng):
    half, rim, floor = rng.uniform(0.14, 0.2), rng.uniform(0.06, 0.14), -rng.uniform(0.06, 0.1)
    things = []
    for aside in (-2 * half, 0.0, 2 * half):
        things += _walls(place, rim, floor, (-half, half), (aside - half, aside + half))
    high = rim + rng.uniform(0.3, 0.4)
    return [*things, place.bar((-half, -0.5, high), (-half, 0.5, high), 0.02)]


def _over_table(place, rng):
    low = -rng.uniform(0.06, 0.14)
    things = [place.box((-0.25, -0.6, low - 0.03), (0.5, 0.6, low))]
    for _ in range(8):
        spot, thick = rng.uniform((-0.2, -0.4), (0.3, 0.4)), rng.uniform(0.02, 0.045)
        if np.linalg.norm(spot) > 0.09 + thick:
            things.append(place.bar((*spot, low), (*spot, low + rng.uniform(0.1, 0.35)), thick))
    return things


def _under_table(place, rng):
    up, front, back = rng.uniform(0.08, 0.18), -rng.uniform(0.1, 0.25), rng.uniform(0.2, 0.4)
    things = [place.box((front, -0.5, up), (back, 0.5, up + 0.03))]
    for x in (front + 0.03, back - 0.03):
        things += [place.box((x - 0.03, y - 0.03, up - 0.7), (x + 0.03, y + 0.03, up)) for y in (-0.45, 0.45)]
    return [*things, place.box((front, -0.45, -0.4), (back, 0.45, -0.37))]


def _slot(place, rng):
    x, (wide, high) = -rng.uniform(0.04, 0.14), rng.uniform(0.08, 0.16, 2)
    left, low = -wide + rng.uniform(-0.3, 0.3) * wide, -high + rng.uniform(-0.3, 0.3) * high
    right, top, thick, far = left + 2 * wide, low + 2 * high, 0.012, 0.6
    return [
        place.box((x - thick, -far, -far), (x + thick, left, far)),
        place.box((x - thick, right, -far), (x + thick, far, far)),
        place.box((x - thick, left, -far), (x + thick, right, low)),
        place.box((x - thick, left, top), (x + thick, right, far)),
    ]


def _poles(place, rng):
    spots = rng.uniform((-0.45, -0.45), (0.2, 0.45), (14, 2))
    thick = rng.uniform(0.015, 0.035, len(spots))
    near = np.linalg.norm(spots, axis=1) < thick + 0.06
    return [
        place.bar((*spot, -0.6), (*spot, 0.6), radius)
        for spot, radius, close in zip(spots, thick, near, strict=True)
        if not close
    ]


def _corner(place, rng):
    side, y, up = rng.choice((-1.0, 1.0)), rng.uniform(0.07, 0.15), rng.uniform(0.08, 0.18)
    a, b = sorted((side * y, side * (y + 0.02)))
    ends = sorted((side * y, -side * 0.35))
    return [
        place.box((-0.35, a, -0.5), (0.25, b, 0.5)),
        place.box((-0.15, ends[0], up), (0.25, ends[1], up + 0.02)),
    ]


KINDS = {
    "shelves": (_shelves, False),
    "narrow shelves": (_narrow_shelves, False),
    "cage": (_cage, False),
    "open box": (_open_box, True),
    "bins": (_bins, True),
    "over a table": (_over_table, True),
    "under a table": (_under_table, False),
    "slot": (_slot, False),
    "poles": (_poles, False),
    "corner": (_corner, False),
}
"""What stands there, by name, and whether the hand goes in from above."""


def reach(name, kind, seed):
    """A scene of one of `ARMS` and one of `KINDS`."""
    own, (furnish, from_above) = arm(name), KINDS[kind]
    rng = np.random.default_rng([ARMS.index(name), list(KINDS).index(kind), seed])
    skeleton, start = own.skeleton, ik.Pose.forward(own.skeleton, own.home)
    while True:
        q = rng.uniform(skeleton.lower, skeleton.upper, (_DRAWN, skeleton.n))
        poses = ik.Pose.forward(skeleton, q)
        points, axes = poses.point("tool", _TIP), poses.frame("tool")[..., 2]
        flat = points * (1.0, 1.0, 0.0)
        away = np.linalg.norm(flat, axis=1)
        ahead = flat / away[:, None]
        there = (away > 0.4) & (away < 0.9) & (points[:, 2] > 0.1) & (points[:, 2] < 0.9)
        there &= (-axes[:, 2] if from_above else (axes * ahead).sum(1)) > 0.7
        for number in np.flatnonzero(there):
            things = furnish(_Place(points[number], ahead[number]), rng)
            scene = Scene(skeleton, own.body, things)
            both = (start, ik.Pose.forward(skeleton, q[number]))
            if min(float(scene.clearance(pose)) for pose in both) < _CLEAR:
                continue
            frame = poses.frame("tool")[number]
            goals = [ik.Position("tool", points[number], offset=_TIP), ik.Orientation("tool", frame)]
            problem = ik.Problem(skeleton, goals, obstacles=things, body=own.body)
            return Reach(problem, own.home, q[number])


def is_answered(scene, q):
    """Whether q (n,) reaches both targets inside the limits and touches nothing."""
    problem, skeleton = scene.problem, scene.problem.skeleton
    return all(short < most for short, most in zip(missing(scene, q), (LENGTH, ANGLE), strict=True)) and (
        oracle.outside_region(skeleton, q) < 1e-9
        and brute_force.clearances(skeleton, problem.body, problem.obstacles, q[None], (), 0.02).min()
        > -TOUCH
    )


def missing(scene, q):
    """Metres and radians that the hand is away from its targets at q (n,)."""
    rotation, place = oracle.frames(scene.problem.skeleton, q)["tool"]
    position, orientation = scene.problem.goals
    turn = orientation.target[0].T @ rotation
    angle = np.arccos(np.clip(0.5 * (np.trace(turn) - 1.0), -1.0, 1.0))
    return np.linalg.norm(place + rotation @ _TIP - position.target[0]), angle
