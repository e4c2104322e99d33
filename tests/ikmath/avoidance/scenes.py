# SPDX-License-Identifier: GPL-3.0-or-later
"""Random figures among random obstacles, and a solve that is watched step by step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import ikmath as ik
from ikmath.solvers.collision_guard import CollisionGuard
from tests.ikmath.avoidance import brute_force

FIGURES = ("trunk", "human", "arm")
KINDS = ("sphere", "half_space", "rectangle", "cylinder", "capsule", "solid mesh", "sheet mesh")
_FREE = 2e-3  # clearance of every start, in figure sizes


@dataclass
class Scene:
    """A problem and its start, both free of penetration."""

    problem: ik.Problem
    start: np.ndarray


def figure(kind, rng):
    """(skeleton, body, effectors)."""
    if kind == "trunk":
        balls = int(rng.integers(8, 31))
        skeleton = ik.figures.trunk(balls, bend=float(rng.uniform(20, 60)))
        links = [ik.Link(f"ball{i}", (0, 0.5, 0), (0, 0.5, 0), 0.5) for i in range(balls)]
        return skeleton, ik.Body(links), ["tip"]
    if kind == "arm":
        skeleton, thick = ik.figures.arm(), rng.uniform(0.02, 0.06)
        radius = lambda name: thick  # noqa: E731
        effectors = ["tool"]
    else:
        skeleton = ik.figures.human()
        radius = lambda name: 0.09 if name in ("pelvis", "lumbar", "thorax") else 0.04  # noqa: E731
        effectors = list(rng.choice(["wrist.L", "wrist.R", "ankle.L", "ankle.R", "head"], 3, replace=False))
    links = []
    for i, parent in enumerate(skeleton.parents):
        way = skeleton.rest_translation[i]
        if parent >= 0 and np.linalg.norm(way) > 0:
            owner = skeleton.names[parent]
            links.append(ik.Link(owner, (0, 0, 0), way, radius(owner), name=f"{owner}-{skeleton.names[i]}"))
    return skeleton, ik.Body(links), effectors


def pose(skeleton, rng, spread):
    """Random coordinates inside the limits."""
    low, high = np.maximum(skeleton.lower, -np.pi), np.minimum(skeleton.upper, np.pi)
    middle = np.clip(0.0, low, high)
    share = rng.uniform(-spread, spread, skeleton.n)
    wanted = middle + np.where(share > 0, share * (high - middle), share * (middle - low))
    return skeleton.joint_limits.project(wanted)


def obstacle(kind, place, size, rng, name):
    """A shape of that kind about a place, some `size` large."""
    way, turn = rng.normal(size=3), np.linalg.qr(rng.normal(size=(3, 3)))[0]
    way /= np.linalg.norm(way)
    half = size * rng.uniform(0.3, 1.0, 3)
    if kind == "sphere":
        return ik.Sphere(place, half[0], name=name)
    if kind == "half_space":
        return ik.HalfSpace(place, way, name=name)
    if kind == "rectangle":
        return ik.Rectangle(place, 1.5 * half[0] * turn[0], 1.5 * half[1] * turn[1], name=name)
    if kind == "cylinder":
        return ik.Cylinder(place - half[0] * way, place + half[0] * way, 0.6 * half[1], name=name)
    if kind == "capsule":
        return ik.Capsule(place - half[0] * way, place + half[0] * way, 0.6 * half[1], name=name)
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    if kind == "sheet mesh":
        square = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0.2), (-1, 1, -0.2)]) * half
        return ik.TriangleMesh(square @ turn + place, [(0, 1, 2), (0, 2, 3)], mode="two_sided", name=name)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [triangle for a, b, c, d in quads for triangle in ((a, b, c), (a, c, d))]
    if np.linalg.det(turn) < 0:
        turn[0] *= -1
    return ik.TriangleMesh((corners * half) @ turn + place, faces, mode="solid", name=name)


def scene(kind, seed, *, kinds=KINDS, margin=None, method="velocity_damper"):
    """A figure of that kind in a free start, 1 to 20 obstacles in its way, and goals near and far."""
    rng = np.random.default_rng([FIGURES.index(kind), seed])
    skeleton, body, effectors = figure(kind, rng)
    start, aim = pose(skeleton, rng, 0.5), pose(skeleton, rng, rng.uniform(0.2, 1.0))
    here, there = ik.Pose.forward(skeleton, start), ik.Pose.forward(skeleton, aim)
    targets = there.point(effectors, np.zeros((len(effectors), 3)))
    if rng.random() < 0.3:
        targets = targets + rng.normal(size=targets.shape) * 0.1 * skeleton.size
    if margin is None:
        margin = 0.0 if rng.random() < 0.7 else 0.01 * skeleton.size
    clear = margin + _FREE * skeleton.size
    wanted, found = int(rng.integers(1, 21)), []
    places = np.concatenate([here.position, there.position])
    for attempt in range(8 * wanted):
        near = places[rng.integers(len(places))] + rng.normal(size=3) * 0.1 * skeleton.size
        size = skeleton.size * rng.uniform(0.03, 0.25)
        shape = obstacle(str(rng.choice(kinds)), near, size, rng, f"thing {attempt}")
        if brute_force.clearances(skeleton, body, [shape], start[None], (), clear)[0, 0] > clear:
            found.append(shape)
        if len(found) == wanted:
            break
    pairs = ik.self_pairs(skeleton, body) if kind != "trunk" and rng.random() < 0.5 else np.zeros((0, 2), int)
    if len(pairs):
        far = ik.critical_points(here, body, (), pairs)
        touching = {(i, j) for i, j, c in zip(far.link, far.other, far.clearance, strict=True) if c < clear}
        pairs = np.array([pair for pair in pairs.tolist() if tuple(pair) not in touching], dtype=int)
    goals = [
        ik.Position(name, target, priority=int(rng.integers(0, 2)))
        for name, target in zip(effectors, targets, strict=True)
    ]
    if rng.random() < 0.3:
        goals.append(ik.Posture(skeleton.rest))
    problem = ik.Problem(
        skeleton, goals, obstacles=found, body=body, margin=margin, self_pairs=pairs, avoidance=method
    )
    return Scene(problem, start)


class Watched:
    """What a solve by the default method does, step by step, without a search, whose way is not checked.

    Attributes:
        solution: the answer; moves: (old q, new q) of every piece of way that the guard let pass.
    """

    def __init__(self, scene, **options):
        self.moves = []
        original = CollisionGuard.share

        def share(guard, old, new):
            passed = original(guard, old, new)
            if passed >= 1.0:
                self.moves.append((old.pose.q.copy(), new.pose.q.copy()))
            return passed

        CollisionGuard.share = share
        try:
            self.solution = ik.solve(scene.problem, scene.start, restarts=0, **options)
        finally:
            CollisionGuard.share = original

    @property
    def poses(self):
        """(T, n) every pose that was stepped to, and the answer."""
        return np.array([new for _, new in self.moves] + [self.solution.q])


def deepest(scene, q):
    """Least clearance above what the problem asks for, over poses q (T, n), by brute force."""
    problem = scene.problem
    pairs = () if problem.scene is None else problem.scene.pairs
    exact = problem.margin + 0.01 * problem.skeleton.size
    found = brute_force.clearances(problem.skeleton, problem.body, problem.obstacles, q, pairs, exact)
    return float(found.min() - problem.margin)


def passed_through(scene, moves, samples=12):
    """How many steps carry the axis of a link through a rectangle, by many poses in between."""
    problem = scene.problem
    walls = [shape for shape in problem.obstacles if isinstance(shape, ik.Rectangle)]
    if not walls or not moves:
        return 0
    old, new = (np.array(side) for side in zip(*moves, strict=True))
    share = np.linspace(0.0, 1.0, samples)[:, None, None]
    between = old + share * (new - old)
    a, b = problem.body.segments(ik.Pose.forward(problem.skeleton, between))
    hit = np.zeros(len(moves), dtype=bool)
    for wall in walls:
        hit |= brute_force.crosses(wall, a, b).any((0, 2))  # the axis itself
        for end in (a, b):  # or the way of its ends
            hit |= brute_force.crosses(wall, end[:-1], end[1:]).any((0, 2))
    return int(hit.sum())


def touching(kind, seed, gap=1e-3):
    """A scene whose goal brings the end of a limb within `gap` metres of something, and can be reached."""
    rng = np.random.default_rng([7, FIGURES.index(kind), seed])
    if kind == "trunk":
        skeleton = ik.figures.trunk(12, diameter=0.1, bend=40.0)
        body = ik.Body([ik.Link(f"ball{i}", (0, 0.05, 0), (0, 0.05, 0), 0.05) for i in range(12)])
        name, end, radius = "ball11", np.array([0.0, 0.05, 0.0]), 0.05
    else:
        skeleton, body, _ = figure(kind, rng)
        name, link = ("tool", "a7-tool") if kind == "arm" else ("wrist.L", "elbow.L-wrist.L")
        end, radius = np.zeros(3), body.radius[body.names.index(link)]
    while True:
        goal = pose(skeleton, rng, 0.5)
        start = skeleton.joint_limits.project(goal + 0.3 * rng.normal(size=skeleton.n))
        place = ik.Pose.forward(skeleton, goal).point(name, end)
        way = rng.normal(size=3)
        way /= np.linalg.norm(way)
        surface = place + (radius + gap) * way
        size = 0.2 * skeleton.size
        turn = np.linalg.svd(way[None])[2]
        shape = [
            ik.HalfSpace(surface, -way, name="thing"),
            ik.Sphere(surface + size * way, size, name="thing"),
            ik.Rectangle(surface, size * turn[1], size * turn[2], name="thing"),
            ik.Cylinder(surface, surface + size * way, size, name="thing"),
        ][seed % 4]
        clear = brute_force.clearances(skeleton, body, [shape], np.array([goal, start]))[:, 0]
        if abs(clear[0] - gap) < 1e-7 and clear[1] > gap:
            target = ik.Position(name, place, end)
            return Scene(ik.Problem(skeleton, [target], obstacles=[shape], body=body), start)
