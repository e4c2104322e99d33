# SPDX-License-Identifier: GPL-3.0-or-later
"""Random problems as small recipes: what hypothesis draws and shrinks, and what a failure is repeated from.

A `Case` holds plain values only. Its repr is Python code, so a failing example becomes a test by pasting it.
Kinds of joints, limits, goals and obstacles are drawn; the numbers come from a seed that is drawn too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import ikmath as ik
from tests.ikmath import trees
from tests.ikmath.zoo import GOAL_CASES

LETTERS = trees.LETTERS
LIMITS = (
    "none", "all", "some", "odd", "one side, away", "beyond half a turn", "wide", "empty", "tiny", "huge",
)  # fmt: skip
SCALES = (1.0, 1.0, 1.0, 1e-6, 1e-3, 1e3, 1e6)
EXTREMES = (0.0, 1e-30, 1e-12, 1e12, 1e25)
"""Scales that no figure has; they must be refused or answered."""
FAR = (1.0, 1.0, 1.2, 3.0, 1e3, 1e8, 1e15, 1e25, 1e40)
LONG = (1.0,) * 6 + (0.0, 1e-12, 1e12, 1e25)
WEIGHTS = (1.0, 1.0, 1.0, 0.0, 1e-100, 1e-30, 1e-12, 1e-3, 1e6, 1e12)
GOALS = {f"{case.kind}, {case.name}": case for case in GOAL_CASES if case.kind != "Posture"}
PLACES = ("a place", "a place", "an aim", "own")
"""Goals whose offsets and targets have the figure's scale, and can be far away."""
OBSTACLES = ("sphere", "half space", "rectangle", "box", "cylinder", "capsule", "mesh", "open mesh")
STARTS = ("rest", "near", "anywhere", "many turns")


@dataclass(frozen=True)
class JointOf:
    """A joint: `above` counts back to its parent, 0 for a root; `long` stretches its way from there."""

    above: int = 1
    long: float = 1.0
    turns: str = "xyz"
    slides: str = ""
    limits: str = "none"
    inherits: bool = True


@dataclass(frozen=True)
class ObstacleOf:
    """An obstacle: how far from the root, and how large, beside what is usual."""

    kind: str = "sphere"
    far: float = 1.0
    large: float = 1.0


@dataclass(frozen=True)
class GoalOf:
    """A goal: a name out of `GOALS` or `PLACES`, how far its target is moved away, its weight and level."""

    kind: str = "a place"
    far: float = 1.0
    weight: float = 1.0
    priority: int = 0


@dataclass(frozen=True)
class Case:
    """A problem to solve: see `build`."""

    seed: int = 0
    scale: float = 1.0
    joints: tuple[JointOf, ...] = (JointOf(),)
    goals: tuple[GoalOf, ...] = (GoalOf(),)
    posture: str = ""
    limits: str = "projection"
    obstacles: tuple[ObstacleOf, ...] = ()
    avoidance: str = "velocity_damper"
    pairs: bool = False
    start: str = "near"
    frames: int = 0
    weighed: bool = False


JOINTS = st.builds(
    JointOf,
    above=st.sampled_from((1, 1, 1, 2, 3, 0)),
    long=st.sampled_from(LONG),
    turns=st.sampled_from(LETTERS),
    slides=st.sampled_from(("", "", "", *LETTERS)),
    limits=st.sampled_from(LIMITS),
    inherits=st.sampled_from((True, True, True, False)),
)
EVEN = st.builds(
    JointOf,
    turns=st.sampled_from(LETTERS),
    slides=st.sampled_from(("", "", "y", "xz")),
    limits=st.sampled_from(("none", "all", "some", "odd")),
)
"""Joints of figures without odd proportions."""
GOAL = st.builds(
    GoalOf,
    kind=st.sampled_from((*PLACES, *GOALS)),
    far=st.sampled_from(FAR),
    weight=st.sampled_from(WEIGHTS),
    priority=st.sampled_from((0, 0, 1, 2)),
)
NEAR = st.builds(
    GoalOf,
    kind=st.sampled_from((*PLACES, *GOALS)),
    far=st.sampled_from((1.0, 1.2, 3.0)),
    weight=st.sampled_from((1.0, 1.0, 0.1, 10.0)),
)
"""Goals whose errors rounding does not drown."""
OBSTACLE = st.builds(
    ObstacleOf,
    kind=st.sampled_from(OBSTACLES),
    far=st.sampled_from((1.0, 1.0, 0.0, 1e6, 1e25)),
    large=st.sampled_from((1.0, 1.0, 1e-6, 1e6, 1e25)),
)


def cases(scales=SCALES, obstacles=0, frames=(0,), goals=GOAL, joints=JOINTS):
    """Recipes with the given scales, at most so many obstacles, and one of the given numbers of frames."""
    blocked = st.tuples() if not obstacles else st.lists(OBSTACLE, max_size=obstacles)
    return st.builds(
        Case,
        seed=st.integers(0, 10_000),
        scale=st.sampled_from(scales),
        joints=st.lists(joints, min_size=1, max_size=6).map(tuple),
        goals=st.lists(goals, max_size=3).map(tuple),
        posture=st.sampled_from(("", "", "even", "gains", "no gain")),
        limits=st.sampled_from(("projection", "projection", *ik.LIMITS)),
        obstacles=blocked.map(tuple),
        avoidance=st.sampled_from(("velocity_damper", *ik.AVOIDANCE))
        if obstacles
        else st.just("velocity_damper"),
        pairs=st.booleans() if obstacles else st.just(False),
        start=st.sampled_from(STARTS),
        frames=st.sampled_from(frames),
        weighed=st.sampled_from((False, False, True)),
    )


# ---------------------------------------------------------------------- from a recipe to a problem
def build(case):
    """The problem of a recipe, and its start (n,); raises what the library's door raises."""
    rng = np.random.default_rng(case.seed)
    skeleton = figure(case, rng)
    pose = ik.Pose.forward(skeleton, inside(rng, skeleton, case.frames))
    goals = [goal(skeleton, pose, one, case, rng) for one in case.goals]
    if case.posture:
        gain = {"even": 1.0, "gains": rng.uniform(0, 2, skeleton.n), "no gain": 0.0}[case.posture]
        goals.append(ik.Posture(trees.inside(rng, skeleton), gain=gain))
    start = {
        "rest": np.zeros(skeleton.n),
        "near": 0.3 * rng.normal(size=skeleton.n),
        "anywhere": rng.uniform(-3.2, 3.2, skeleton.n),
        "many turns": 20.0 * rng.normal(size=skeleton.n),
    }[case.start]
    start = np.where(skeleton.is_turn, start, start * case.scale)
    around = {}
    if case.obstacles or case.pairs:
        body = links(skeleton, case.scale)
        around = {"body": body, "avoidance": case.avoidance, "margin": 0.01 * case.scale}
        around["obstacles"] = [obstacle(one, case.scale, rng) for one in case.obstacles]
        if case.pairs and len(skeleton) > 2:
            around["self_pairs"] = [(0, len(skeleton) - 1)]
    return ik.Problem(skeleton, goals, limits=case.limits, **around), start


def inside(rng, skeleton, frames):
    """Coordinates inside the limits, (n,) or (frames, n)."""
    size = (frames, skeleton.n) if frames else skeleton.n
    return skeleton.joint_limits.project(rng.uniform(-1.2, 1.2, size))


def figure(case, rng):
    joints = []
    for i, one in enumerate(case.joints):
        slides, turns = one.slides, one.turns
        low, high = limits(one.limits, len(slides) + len(turns), rng)
        unit = np.r_[np.full(len(slides), case.scale or 1.0), np.ones(len(turns))]
        if one.limits == "huge":
            low, high = np.where(unit == 1.0, low, -1e40), np.where(unit == 1.0, high, 1e40)
        joints.append(
            ik.Joint(
                f"j{i}",
                None if not i or not one.above else f"j{max(i - one.above, 0)}",
                rotation=trees.rotation(rng) if rng.random() < 0.7 else np.eye(3),
                translation=rng.normal(size=3) * 0.5 * case.scale * one.long,
                turns=turns,
                slides=slides,
                lower=None if one.limits == "none" else np.where(np.isinf(low), low, low * unit),
                upper=None if one.limits == "none" else np.where(np.isinf(high), high, high * unit),
                stiffness=rng.uniform(0, 0.99) if rng.random() < 0.3 else 0.0,
                mass=float(rng.uniform(0.1, 3.0)),
                fixed=rng.normal(size=6) * 0.5 * np.r_[np.full(3, case.scale), np.ones(3)],
                inherit_rotation=one.inherits,
            )
        )
    skeleton = ik.Skeleton(joints)
    if case.weighed and skeleton.n:
        skeleton = skeleton.with_inertia(10.0 ** rng.uniform(-3, 3, skeleton.n))
    return skeleton


def limits(kind, count, rng):
    """Lower and upper limits (count,) each."""
    low, high = -rng.uniform(0.1, 2.5, count), rng.uniform(0.1, 2.5, count)
    if kind in ("some", "odd"):
        low = np.where(rng.random(count) < 0.4, -np.inf, low)
        high = np.where(rng.random(count) < 0.4, np.inf, high)
    if kind == "odd":
        low = np.where(rng.random(count) < 0.25, 0.0, low)
        high = np.where(rng.random(count) < 0.25, 0.0, high)
        away = (rng.random(count) < 0.15) & np.isfinite(low) & np.isfinite(high)
        low, high = np.where(away, 0.2, low), np.where(away, np.maximum(high, 0.2) + 0.3, high)
    if kind == "one side, away":
        low, high = rng.uniform(0.2, 6.0, count), np.full(count, np.inf)
    if kind == "beyond half a turn":
        low = rng.uniform(np.pi, 3.5 * np.pi, count)
        high = low + rng.uniform(0.0, 0.5, count)
    if kind == "wide":
        low, high = -rng.uniform(np.pi, 4 * np.pi, count), rng.uniform(np.pi, 4 * np.pi, count)
    if kind == "empty":
        low = high = rng.uniform(-3.0, 3.0, count)
    if kind == "tiny":
        low = rng.uniform(-3.0, 3.0, count)
        high = low + 10.0 ** rng.uniform(-15, -3, count)
    turned = (
        rng.random(count) < 0.3 if kind in ("one side, away", "beyond half a turn") else np.zeros(count, bool)
    )
    return np.where(turned, -high, low), np.where(turned, -low, high)


ODD = (
    {"offset": (0.0, 0.1, 0.0)}, {"offset": [[0.0, 0.1, 0.0]]}, {"offset": 0.1}, {"offset": None},
    {"offset": "end"}, {"offset": {"y": 1.0}}, {"joints": None}, {"joints": 3}, {"target": "here"},
    {"mask": "x"}, {"place": 1}, {"slack": None}, {},
)  # fmt: skip
"""Attributes of a goal of one's own, under names that the library's goals use, too."""


class Own(ik.Goal):
    """A goal of one's own: a joint's place, worked out in plain steps, with attributes for itself."""

    kind = "Own"
    unit = "m"
    rows = 3

    def __init__(self, goal_target, odd, joint, weight, priority):
        self._begin((joint,), weight, priority, None)
        self.place_of, self.goal_target = joint, np.asarray(goal_target)
        vars(self).update(odd)

    def evaluate(self, pose):
        found = pose.point(self.place_of)
        points = ik.FramePoints(pose.skeleton, (self.place_of,), np.zeros((1, 3)))
        return ik.Residual(found - self.goal_target, pose.point_jacobian(points, found[..., None, :]))

    def batches(self):
        return (self.goal_target.shape[:-1],)

    def at(self, frame):
        return self.with_targets(goal_target=self.goal_target[frame]) if self.goal_target.ndim > 1 else self


def goal(skeleton, pose, one, case, rng):
    if one.kind in PLACES:
        joint, offset = skeleton.names[-1], rng.normal(size=3) * 0.3 * case.scale
        target = pose.point(joint, offset) * one.far
        if one.kind == "own":
            return Own(target, ODD[rng.integers(len(ODD))], joint, one.weight, one.priority)
        if one.kind == "a place":
            return ik.Position(joint, target, offset, one.weight, one.priority)
        return ik.Aim(joint, target, offset, rng.normal(size=3), one.weight, one.priority)
    if one.kind.startswith("Loop") and pose.batch:
        pose = ik.Pose.forward(skeleton, pose.q[0])  # it keeps what is so in one pose
    made = GOALS[one.kind].make(skeleton, pose, rng)
    made.weight = np.broadcast_to(np.where(one.weight < 1e-100, 0.0, one.weight), made.weight.shape).copy()
    made.priority = one.priority
    return made


def links(skeleton, scale):
    """A body: a link from each joint to its parent's place and a ball at each root."""
    made = []
    for i, joint in enumerate(skeleton.joints):
        parent = skeleton.parents[i]
        if parent >= 0:
            made.append(ik.Link(joint.parent, b=joint.translation, radius=0.05 * scale, name=f"link {i}"))
        else:
            made.append(ik.Link(joint.name, radius=0.05 * scale, name=f"link {i}"))
    return ik.Body(made)


CUBE = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
FACES = np.array(
    [
        (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
        (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
    ]
)  # fmt: skip


def obstacle(one, scale, rng):
    place, size = rng.normal(size=3) * scale * one.far, rng.uniform(0.05, 0.6) * scale * one.large
    kind = one.kind
    axes = trees.rotation(rng) * size
    if kind == "sphere":
        return ik.Sphere(place, size)
    if kind == "half space":
        return ik.HalfSpace(place, axes[0])
    if kind == "rectangle":
        return ik.Rectangle(place, axes[0], 0.5 * axes[1])
    if kind == "box":
        turn = trees.rotation(rng)
        return ik.Box((0.0, 0.0, 0.0), size * rng.uniform(0.2, 2.0, 3), rotation=turn, translation=place)
    if kind == "cylinder":
        return ik.Cylinder(place, place + axes[0], 0.5 * size)
    if kind == "capsule":
        return ik.Capsule(place, place + axes[0], 0.5 * size)
    faces = FACES if kind == "mesh" else FACES[:-2]
    return ik.TriangleMesh(place + CUBE @ axes, faces)
