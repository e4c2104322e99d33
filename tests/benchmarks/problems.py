# SPDX-License-Identifier: GPL-3.0-or-later
"""The problems that solvers are measured on; seeded, so that every run and every solver has the same.

P1 a seven-hinge robot arm, full poses; P2 a trunk of 30 balls, places; P2track the same along a smooth
motion; P3 a person of 66 degrees of freedom with five effectors along a motion; P4 the trunk's track among
eight spheres that stand in the way of whoever ignores them; P4x8 eight such scenes. P1far and P2far are out
of reach.

All targets come from coordinates inside the limits, so they can be had; `truth` holds them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from models import Array, Limits, Model, clearance, forward, skeleton, tips

import ikmath as ik


@dataclass(frozen=True)
class Task:
    """Targets for a figure.

    Attributes:
        name: of the problem; model: the figure.
        places: (T, E, 3) targets; frames: (T, E, 3, 3) or None where only places are asked for.
        truth: (T, n) coordinates that reach them, or None where nothing does.
        track: whether the targets follow one another in time.
        obstacles: (K, 4) centres and radii, or None.
    """

    name: str
    model: Model
    places: Array
    frames: Array | None = None
    truth: Array | None = None
    track: bool = False
    obstacles: Array | None = None


def arm() -> Model:
    """P1's figure: shoulder, elbow and wrist of a common robot arm."""
    model = Model("arm7", 1.0)
    parent = -1
    for number, (axis, height, limit) in enumerate(
        zip(
            "zyzyzyz",
            (0.36, 0, 0.21, 0.21, 0.2, 0.2, 0.081),
            (170, 120, 170, 120, 170, 120, 175),
            strict=True,
        )
    ):
        parent = model.turn(f"a{number + 1}", parent, (0, 0, height), axis, (-limit, limit))
    model.effectors.append(("tool", parent, (0, 0, 0.045)))
    model.start = np.array([0, 0.4, 0, -1.2, 0, 0.6, 0])
    return model


def trunk(balls: int = 30) -> Model:
    """P2's figure: balls of 1 m in a row, each turning by 30, 30 and 15 degrees (Ge's elephant)."""
    model = Model(f"trunk{balls}", float(balls))
    parent = -1
    for number in range(balls):
        offset = (0, 0, 1.0 if number else 0.0)
        parent = model.ball(f"t{number}", parent, offset, ((-30, 30), (-30, 30), (-15, 15)))
        model.spheres.append((parent, (0, 0, 0.5), 0.5))
    model.effectors.append(("tip", parent, (0, 0, 1.0)))
    model.start = np.zeros(model.n)
    model.start[::3] = np.radians(4)
    return model


def human() -> Model:
    """P3's figure: a root that slides, 21 balls with anatomical limits, five effectors."""
    model = Model("human", 1.7)
    root = -1
    for axis in "xyz":
        root = model.slide(f"root_{axis}", root, (0, 0, 0.95 if axis == "x" else 0), axis, (-0.5, 0.5))

    def sides(sign: int, low: float, high: float) -> Limits:
        return (low, high) if sign > 0 else (-high, -low)

    pelvis = model.ball("pelvis", root, (0, 0, 0), ((-60, 60), (-60, 60), (-90, 90)))
    lumbar = model.ball("lumbar", pelvis, (0, 0, 0.10), ((-25, 25), (-20, 45), (-25, 25)))
    thorax = model.ball("thorax", lumbar, (0, 0, 0.18), ((-20, 20), (-15, 35), (-30, 30)))
    neck = model.ball("neck", thorax, (0, 0, 0.24), ((-35, 35), (-40, 40), (-50, 50)))
    head = model.ball("head", neck, (0, 0, 0.10), ((-15, 15), (-25, 25), (-30, 30)))
    model.effectors.append(("head", head, (0.05, 0, 0.15)))
    for s, side in ((1, "L"), (-1, "R")):
        x, z = lambda low, high, s=s: sides(s, low, high), lambda low, high, s=s: sides(s, low, high)
        clavicle = model.ball(
            f"clavicle{side}", thorax, (0, 0.03 * s, 0.20), (x(-10, 30), (-15, 15), z(-20, 20))
        )
        shoulder = model.ball(
            f"shoulder{side}", clavicle, (0, 0.15 * s, 0), (x(-90, 80), (-80, 80), z(-110, 50))
        )
        elbow = model.ball(f"elbow{side}", shoulder, (0, 0.28 * s, 0), (x(-3, 3), (-80, 80), z(-145, 2)))
        wrist = model.ball(f"wrist{side}", elbow, (0, 0.26 * s, 0), (x(-60, 60), (-5, 5), z(-30, 20)))
        model.effectors.append((f"hand{side}", wrist, (0, 0.08 * s, 0)))
    for s, side in ((1, "L"), (-1, "R")):
        x, z = lambda low, high, s=s: sides(s, low, high), lambda low, high, s=s: sides(s, low, high)
        hip = model.ball(f"hip{side}", pelvis, (0, 0.09 * s, -0.05), (x(-20, 45), (-110, 25), z(-30, 40)))
        knee = model.ball(f"knee{side}", hip, (0, 0, -0.42), ((-2, 2), (-2, 145), (-5, 5)))
        ankle = model.ball(f"ankle{side}", knee, (0, 0, -0.42), (x(-20, 20), (-40, 25), z(-15, 15)))
        toe = model.ball(f"toe{side}", ankle, (0.12, 0, -0.05), ((-3, 3), (-40, 20), (-3, 3)))
        model.effectors.append((f"foot{side}", toe, (0.04, 0, 0)))
    model.start = np.clip(np.zeros(model.n), model.lower, model.upper)
    return model


def motion(
    lower: Array, upper: Array, frames: int, seed: int, size: float, waves: int, smooth: int = 0
) -> Array:
    """A periodic smooth motion (frames, n) inside limits: sums of sines, squeezed.

    Args:
        lower, upper: (n,); frames, seed: as they say.
        size: share of the way to the limits; waves: how many frequencies.
        smooth: over how many neighbouring balls of a chain the motion is blended.
    """
    draw = np.random.default_rng(seed)
    time = np.arange(frames) * (2 * np.pi / frames)
    x = np.zeros((frames, len(lower)))
    for k in range(1, waves + 1):
        a, b = draw.normal(size=len(lower)) / k, draw.normal(size=len(lower)) / k
        x += np.outer(np.cos(k * time), a) + np.outer(np.sin(k * time), b)
    if smooth:
        window = np.hanning(smooth + 2)[1:-1]
        window /= np.linalg.norm(window)
        for c in range(3):
            x[:, c::3] = np.apply_along_axis(lambda row: np.convolve(row, window, "same"), 1, x[:, c::3])
    return (lower + upper) / 2 + (upper - lower) / 2 * size * np.tanh(x)


def directions(draw: np.random.Generator, count: int) -> Array:
    """(count, 3) random unit vectors."""
    d = draw.normal(size=(count, 3))
    return d / np.linalg.norm(d, axis=1, keepdims=True)


def p1(count: int = 1000) -> Task:
    """Poses of the arm's tool, from one start each."""
    model = arm()
    q = np.random.default_rng(1).uniform(model.lower, model.upper, (count, model.n))
    places, frames = tips(model, q)
    return Task("P1", model, places, frames, q)


def p1far(count: int = 200) -> Task:
    """Poses at 1.1 to 1.5 times the arm's reach."""
    model, draw = arm(), np.random.default_rng(101)
    reach = 0.42 + 0.4 + 0.126
    away = directions(draw, count) * (reach * draw.uniform(1.1, 1.5, (count, 1)))
    _, frames = tips(model, draw.uniform(model.lower, model.upper, (count, model.n)))
    return Task("P1far", model, (np.array([0, 0, 0.36]) + away)[:, None], frames)


def p2(count: int = 500) -> Task:
    """Places of the trunk's tip."""
    model = trunk()
    q = np.random.default_rng(2).uniform(model.lower, model.upper, (count, model.n))
    return Task("P2", model, tips(model, q)[0], truth=q)


def p2far(count: int = 100) -> Task:
    """Places at 1.1 to 1.5 times the trunk's length."""
    draw = np.random.default_rng(102)
    away = directions(draw, count) * (30.0 * draw.uniform(1.1, 1.5, (count, 1)))
    return Task("P2far", trunk(), away[:, None])


def p2track(frames: int = 300) -> Task:
    """The trunk's tip along a motion."""
    model = trunk()
    q = motion(model.lower, model.upper, frames, 12, 0.45, 2, smooth=9)
    return Task("P2track", model, tips(model, q)[0], truth=q, track=True)


def p3(frames: int = 300) -> Task:
    """Head, hands and feet of a person along a motion."""
    model = human()
    q = motion(model.lower, model.upper, frames, 3, 0.55, 3)
    q[:, :3] *= 0.5
    return Task("P3", model, tips(model, q)[0], truth=q, track=True)


def p4(seed: int = 4) -> Task:
    """The trunk's track among spheres which the true motion clears and the plain track hits."""
    free = p2track()
    model, draw = free.model, np.random.default_rng(seed)
    plain = _plain_track(free)
    assert free.truth is not None
    keep = np.concatenate([_centres(model, free.truth), _centres(model, model.start[None])]).reshape(-1, 3)
    hit, tip = _centres(model, plain), free.places[:, 0]
    spheres: list[Array] = []
    for _ in range(20000):
        if len(spheres) == 8:
            return Task(f"P4 scene {seed}", model, free.places, None, free.truth, True, np.array(spheres))
        centre = hit[draw.integers(len(hit)), draw.integers(4, 30)] + draw.normal(size=3) * 0.7
        radius = draw.uniform(0.8, 2.0)
        clear = np.linalg.norm(keep - centre, axis=1).min() - radius - 0.5 >= 0.15
        apart = np.linalg.norm(tip - centre, axis=1).min() - radius >= 0.65
        alone = all(np.linalg.norm(centre - other[:3]) >= other[3] + radius for other in spheres)
        in_the_way = np.linalg.norm(hit - centre, axis=-1).min() - radius - 0.5 < -0.2
        if clear and apart and alone and in_the_way:
            spheres.append(np.array([*centre, radius]))
    raise ValueError(f"no scene of eight spheres with seed {seed}")


def _centres(model: Model, q: Array) -> Array:
    """(B, 30, 3) centres of the trunk's balls."""
    rotation, place = forward(model, q)
    where = [joint for joint, _, _ in model.spheres]
    return place[:, where] + 0.5 * rotation[:, where][..., 2]


def _plain_track(task: Task) -> Array:
    """What a solver that ignores obstacles does; any would do."""
    figure = skeleton(task.model)
    name = task.model.joints[task.model.effectors[0][1]][0]
    goal = ik.Position(name, task.places[:, 0], task.model.effectors[0][2])
    return np.asarray(ik.solve_track(ik.Problem(figure, [goal]), task.model.start, tolerance=3e-3).q)


TASKS: dict[str, Callable[[], Task]] = {
    task.__name__: task for task in (p1, p1far, p2, p2far, p2track, p3, p4)
}


def collisions(task: Task, q: Array) -> tuple[int, float]:
    """How many frames touch an obstacle, and the smallest clearance."""
    assert task.obstacles is not None
    away = clearance(task.model, q, task.obstacles)
    return int((away < 0).sum()), float(away.min())
