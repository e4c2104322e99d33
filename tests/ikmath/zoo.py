# SPDX-License-Identifier: GPL-3.0-or-later
"""One entry for each goal kind, limit method and solver: what the contract tests run over.

A new kind needs an entry here and nothing else; tests say so when one is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import ikmath as ik
from tests.ikmath import trees


@dataclass(frozen=True)
class GoalCase:
    """A goal kind in one of its variants.

    Attributes:
        kind: as in `GOALS`; name: of the variant.
        one_sided: whether the goal is an inequality.
        constant: whether it has nothing that changes from frame to frame.
        make: (figure, pose, generator) -> a goal, met by that pose; targets have the pose's batch axes.
    """

    kind: str
    name: str
    make: Callable[[ik.Skeleton, ik.Pose, np.random.Generator], ik.Goal]
    one_sided: bool = False
    constant: bool = False


def some_joints(skeleton, rng, count=2):
    """Names of joints, the outermost among them."""
    return [skeleton.names[-1], *(skeleton.names[i] for i in rng.integers(0, len(skeleton), count - 1))]


def _position(**options):
    def make(skeleton, pose, rng):
        joints, offsets = some_joints(skeleton, rng), rng.normal(size=(2, 3)) * 0.3
        given = dict(options)
        if given.get("space") == "target":
            given["frame"] = np.array([trees.rotation(rng), trees.rotation(rng)])
        return ik.Position(joints, pose.point(joints, offsets), offsets, weight=[1.0, 2.0], **given)

    return make


def _position_of_one(skeleton, pose, rng):
    joint, offset = skeleton.names[-1], rng.normal(size=3)
    return ik.Position(joint, pose.point(joint, offset), offset)


def _orientation(**options):
    def make(skeleton, pose, rng):
        joints = some_joints(skeleton, rng)
        return ik.Orientation(joints, pose.frame(joints), **options)

    return make


def _orientation_in_a_frame(skeleton, pose, rng):
    joints = some_joints(skeleton, rng)
    frame = np.array([trees.rotation(rng), trees.rotation(rng)])
    return ik.Orientation(joints, pose.frame(joints), axes="xz", space="target", frame=frame)


def _orientation_of_one(skeleton, pose, rng):
    return ik.Orientation(skeleton.names[-1], pose.frame(skeleton.names[-1]))


def _aim(**options):
    def make(skeleton, pose, rng):
        joints, offsets, directions = (
            some_joints(skeleton, rng),
            rng.normal(size=(2, 3)),
            rng.normal(size=(2, 3)),
        )
        way = (pose.frame(joints) @ directions[:, :, None])[..., 0]
        target = pose.point(joints, offsets) + way * rng.uniform(0.5, 2.0, (2, 1))
        return ik.Aim(joints, target, offsets, directions, **options)

    return make


def _aim_of_one(skeleton, pose, rng):
    joint, direction = skeleton.names[-1], rng.normal(size=3)
    target = pose.point(joint) + (pose.frame(joint) @ direction[:, None])[..., 0]
    return ik.Aim(joint, target, direction=direction)


def _pole(**options):
    def make(skeleton, pose, rng):
        joints, roots = some_joints(skeleton, rng), some_joints(skeleton, rng)[::-1]
        ends = rng.normal(size=(2, 3))
        root, middle = pose.point(roots), pose.point(joints)
        way = middle - root
        line = pose.point(joints, ends) - root
        target = root + rng.uniform(0.5, 2.0, (2, 1)) * way + rng.uniform(-1.0, 1.0, (2, 1)) * line
        return ik.Pole(joints, target, roots, ends, **options)

    return make


def _plane(**options):
    def make(skeleton, pose, rng):
        joints, offsets, normals = (
            some_joints(skeleton, rng),
            rng.normal(size=(2, 3)),
            rng.normal(size=(2, 3)),
        )
        along = rng.normal(size=(2, 3))
        along -= normals * (along * normals).sum(1, keepdims=True) / (normals**2).sum(1, keepdims=True)
        return ik.Plane(joints, pose.point(joints, offsets) + along, normals, offsets, **options)

    return make


def _floor(skeleton, pose, rng):
    joints = some_joints(skeleton, rng)
    lowest = pose.point(joints)[..., 2].min(-1)
    origin = np.stack([0 * lowest, 0 * lowest, lowest - 0.1], -1)[..., None, :]
    return ik.Plane(joints, origin, (0, 0, 1), one_sided=True)


def _distance(mode, place=False):
    def make(skeleton, pose, rng):
        a, b = some_joints(skeleton, rng), some_joints(skeleton, rng)
        offsets = rng.normal(size=(2, 2, 3))
        first = pose.point(a, offsets[0])
        other = first + rng.normal(size=(2, 3)) if place else pose.point(b, offsets[1])
        length = np.linalg.norm(first - other, axis=-1) * {"at": 1.0, "inside": 1.2, "outside": 0.8}[mode]
        second = (other,) if place else (b, offsets[1])
        return ik.Distance(a, offsets[0], *second, distance=length, mode=mode)

    return make


def _distance_of_one(skeleton, pose, rng):
    joint, place = skeleton.names[-1], rng.normal(size=3) * 2
    length = np.linalg.norm(pose.point(joint) - place, axis=-1)
    return ik.Distance(joint, (0, 0, 0), place, distance=length)


def _loop(rigid):
    """Two points that are one by construction, at the pose or at the first of many."""

    def make(skeleton, pose, rng):
        a, b = some_joints(skeleton, rng)
        first = pose if not pose.batch else ik.Pose.forward(skeleton, pose.q.reshape(-1, skeleton.n)[0])
        return ik.Loop.as_posed(first, a, rng.normal(size=3), b, rigid=rigid)

    return make


def _balance(skeleton, pose, rng):
    masses, centers = rng.uniform(0.1, 2.0, len(skeleton)), rng.normal(size=(len(skeleton), 3))
    places = pose.point(list(skeleton.names), centers)
    center = (places * masses[:, None]).sum(-2) / masses.sum()
    return ik.Balance(center[..., [0, 2]], masses=masses, centers=centers, up="y")


def _balance_by_own_masses(skeleton, pose, rng):
    center = (pose.position * skeleton.mass[:, None]).sum(-2) / skeleton.mass.sum()
    return ik.Balance(center[..., :2])


def _support(skeleton, pose, rng):
    center = (pose.position * skeleton.mass[:, None]).sum(-2) / skeleton.mass.sum()
    corners = np.array([(-0.3, -0.2), (0.3, -0.3), (0.4, 0.2), (0.0, 0.35), (-0.2, 0.25)])
    return ik.Balance(support=center[..., None, :2] + corners, margin=0.02)


def _leaning_support(skeleton, pose, rng):
    center = (pose.position * skeleton.mass[:, None]).sum(-2) / skeleton.mass.sum()
    up = trees.rotation(rng)[2]
    return ik.Balance(support=center[..., None, :] + 0.4 * rng.normal(size=(40, 3)), margin=0.01, up=up)


def _leaning_balance(skeleton, pose, rng):
    center = (pose.position * skeleton.mass[:, None]).sum(-2) / skeleton.mass.sum()
    up = rng.normal(size=3)
    return ik.Balance(center + rng.normal() * up, up=up)


def _any_of(skeleton, pose, rng):
    joints, near = some_joints(skeleton, rng), rng.normal(size=3) * 0.5
    goals = [
        ik.Position(joints, pose.point(joints)),
        ik.Position(skeleton.names[-1], pose.point(skeleton.names[-1]) + near),
        ik.Plane(skeleton.names[-1], pose.point(skeleton.names[-1]) + 2 * near, near),
    ]
    return ik.AnyOf(goals)


def _posture(skeleton, pose, rng):
    return ik.Posture(pose.q, gain=rng.uniform(0, 2, skeleton.n))


GOAL_CASES = [
    GoalCase("Position", "several", _position()),
    GoalCase("Position", "one", _position_of_one),
    GoalCase("Position", "slack", _position(slack=0.05)),
    GoalCase("Position", "world axes", _position(axes="xz")),
    GoalCase("Position", "target axes", _position(axes="y", space="target")),
    GoalCase("Position", "bone axes", _position(axes="xy", space="bone")),
    GoalCase("Orientation", "several", _orientation()),
    GoalCase("Orientation", "one", _orientation_of_one),
    GoalCase("Orientation", "slack", _orientation(slack=0.1)),
    GoalCase("Orientation", "world axes", _orientation(axes="xz")),
    GoalCase("Orientation", "bone axes", _orientation(axes="y", space="bone")),
    GoalCase("Orientation", "other axes", _orientation_in_a_frame),
    GoalCase("Aim", "several", _aim()),
    GoalCase("Aim", "one", _aim_of_one),
    GoalCase("Aim", "cone", _aim(slack=0.2)),
    GoalCase("Pole", "several", _pole()),
    GoalCase("Pole", "slack", _pole(slack=0.2)),
    GoalCase("Plane", "two-sided", _plane()),
    GoalCase("Plane", "one-sided", _plane(one_sided=True), one_sided=True),
    GoalCase("Plane", "floor", _floor, one_sided=True),
    GoalCase("Distance", "at", _distance("at")),
    GoalCase("Distance", "inside", _distance("inside"), one_sided=True),
    GoalCase("Distance", "outside a place", _distance("outside", True), one_sided=True),
    GoalCase("Distance", "one", _distance_of_one),
    GoalCase("Loop", "points", _loop(False), constant=True),
    GoalCase("Loop", "rigid", _loop(True), constant=True),
    GoalCase("Balance", "masses given", _balance),
    GoalCase("Balance", "own masses", _balance_by_own_masses),
    GoalCase("Balance", "support", _support, one_sided=True),
    GoalCase("Balance", "over a place on a slope", _leaning_balance),
    GoalCase("Balance", "support on a slope", _leaning_support, one_sided=True),
    GoalCase("AnyOf", "three", _any_of),
    GoalCase("Posture", "gains", _posture),
]


@dataclass(frozen=True)
class SolverCase:
    """A solving method and what it promises beyond limits, determinism and honest answers, which all promise.

    Attributes:
        name: as in `METHODS`; options: with which it keeps its promises.
        reaches: kinds of figures on which it comes to every target that lies a moderate way off.
        improves: whether it never ends worse than it began; direct constructions do not look back.
        wish: whether it goes somewhere by itself when there is no goal.
        chain: number of links for which it is meant.
    """

    name: str
    options: dict[str, object] = field(default_factory=dict)
    reaches: tuple[str, ...] = ("planar", "ball", "arm", "tree", "human")
    improves: bool = True
    wish: bool = False
    chain: int = 4


CHAINS = ("planar", "ball", "arm")

SOLVER_CASES = [
    SolverCase("hierarchical"),
    SolverCase("damped"),
    SolverCase("prioritized"),
    SolverCase("bounded"),
    SolverCase("pseudoinverse"),
    SolverCase("control"),
    SolverCase("nonlinear", reaches=(*CHAINS, "tree")),
    SolverCase("lagrange", reaches=CHAINS, wish=True),
    SolverCase("transpose", {"max_iterations": 2000}),
    SolverCase("fabrik", {"max_iterations": 200}, reaches=CHAINS),
    SolverCase("ccd", reaches=CHAINS),
    SolverCase("triangulation", reaches=CHAINS, improves=False),
    SolverCase("reach_hierarchy", reaches=CHAINS, improves=False),
    SolverCase("two_bone", reaches=("two",), improves=False, chain=2),
]


def figures(kind):
    """(figure, effector joints) of that kind."""
    if kind == "two":
        return [(ik.figures.ball_chain(2, 0.5, limit=2.0), ["tip"])]
    if kind == "planar":
        return [(ik.figures.planar_chain([1, 0.8, 0.6, 0.4], limit=2.0), ["tip"])]
    if kind == "ball":
        return [(ik.figures.ball_chain(5, 1.0, limit=1.0), ["tip"])]
    if kind == "arm":
        return [(ik.figures.arm(), ["tool"])]
    if kind == "tree":
        odd = [trees.tree(np.random.default_rng(seed), 6, "odd") for seed in (1, 2, 3)]
        return [(skeleton, [skeleton.names[-1]]) for skeleton in odd]
    return [(ik.figures.human(), ["wrist.L", "wrist.R", "ankle.L", "ankle.R"])]
