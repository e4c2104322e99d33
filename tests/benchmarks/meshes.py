# SPDX-License-Identifier: GPL-3.0-or-later
"""A person among three meshes of 30,000 triangles each, keeping out of them and of itself.

Warm solves of a motion of head, hands and feet that leads through the meshes, and of a hand that is dragged
while five places are pinned.

python build.py bench -- meshes                 120 frames
python build.py bench -- meshes --frames=300
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from timing import clock, machine, table

import ikmath as ik
from ikmath.collision.bvh import Bvh

EFFECTORS = ("head", "wrist.L", "wrist.R", "ankle.L", "ankle.R")
PINS = ("pelvis", "head", "wrist.R", "ankle.L", "ankle.R")
BARS = {"motion": 4.0, "drag": 8.0}  # milliseconds
ROUND, ALONG = 150, 100  # faces of a mesh: twice their product

Tasks = list[ik.Problem]


def run(arguments: list[str]) -> None:
    """Print one table, and what building the trees took."""
    options = dict(argument.lstrip("-").split("=", 1) for argument in arguments if "=" in argument)
    frames = int(options.get("frames", 120))
    print(f"\nA person among meshes ({machine()})\n")
    surfaces = [bumpy(seed) for seed in range(3)]
    print(f"Building a tree over {len(surfaces[0][1])} triangles, milliseconds:")
    took = [_least(vertices, faces) for vertices, faces in surfaces]
    print(f"  {', '.join(f'{1e3 * one:.1f}' for one in took)}; bar 10")
    rows = []
    for name, tasks in (("motion", motion(surfaces, frames)), ("drag", drag(surfaces, frames))):
        rows.append((name, *follow(tasks), BARS[name]))
    header = (
        "",
        "median ms",
        "p95 ms",
        "iterations",
        "near pairs",
        "touching",
        "reached",
        "clearance m",
        "bar ms",
    )
    print("\n" + table(header, rows))


def bumpy(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and faces of a ball of radius 1 with bumps; 30,000 triangles."""
    draw = np.random.default_rng(seed)
    lat = np.linspace(0.0, np.pi, ALONG + 2)[1:-1, None]
    lon = np.linspace(0.0, 2.0 * np.pi, ROUND, endpoint=False)[None]
    waves = sum(
        a * np.cos(k * lon + b) * np.sin(lat) ** k
        for k, a, b in zip(range(2, 9), 0.06 * draw.normal(size=7), draw.uniform(0, 7, 7), strict=True)
    )
    ball = np.stack([np.sin(lat) * np.cos(lon), np.sin(lat) * np.sin(lon), np.cos(lat) + 0 * lon], -1)
    ring = ((1.0 + waves)[..., None] * ball).reshape(-1, 3)
    vertices = np.concatenate([ring, [[0, 0, 1], [0, 0, -1]]])
    at = np.arange(len(ring)).reshape(ALONG, ROUND)
    a, b, c, d = at[:-1], np.roll(at[:-1], -1, 1), at[1:], np.roll(at[1:], -1, 1)
    caps = [(len(ring), at[0], np.roll(at[0], -1)), (len(ring) + 1, np.roll(at[-1], -1), at[-1])]
    faces = [np.stack([a, c, b], -1).reshape(-1, 3), np.stack([b, c, d], -1).reshape(-1, 3)]
    faces += [np.stack([np.full(ROUND, pole), one, two], -1) for pole, one, two in caps]
    return vertices, np.concatenate(faces)


def motion(surfaces: Sequence[tuple[np.ndarray, np.ndarray]], frames: int) -> Tasks:
    """Head, hands and feet along a motion through the meshes."""
    figure, body, pairs = person()
    draw, beat = np.random.default_rng(8), np.arange(frames) * (2.0 * np.pi / 120)
    low, high = np.maximum(figure.lower, -1.0), np.minimum(figure.upper, 1.0)
    waves = [np.outer(np.sin(k * beat), draw.normal(size=figure.n) / k) for k in (1, 2)]
    q = 0.5 * (low + high) + 0.3 * (high - low) * np.tanh(sum(waves))
    q[:, :3] *= 0.3
    places = ik.Pose.forward(figure, figure.joint_limits.project(q)).point(EFFECTORS, np.zeros((5, 3)))
    goal = ik.Position(list(EFFECTORS), places)
    problem = ik.Problem(
        figure, [goal, ik.Posture(figure.rest)], obstacles=around(surfaces), body=body, self_pairs=pairs
    )
    return [problem.at(frame) for frame in range(frames)]


def drag(surfaces: Sequence[tuple[np.ndarray, np.ndarray]], frames: int) -> Tasks:
    """One hand dragged in circles, into the meshes and out again, five places pinned."""
    figure, body, pairs = person()
    rest = ik.Pose.forward(figure, figure.rest)
    hand = rest.point("wrist.L")
    beat = np.arange(frames) * (2.0 * np.pi / 120)
    way = np.stack([-0.2 + 0.2 * np.cos(beat), -0.25 * np.sin(beat), 0.1 * np.sin(2 * beat)], -1)
    pins = ik.Position(list(PINS), rest.point(PINS, np.zeros((5, 3))))
    goals = [ik.Position("wrist.L", hand + way, priority=1), pins, ik.Posture(figure.rest)]
    problem = ik.Problem(figure, goals, obstacles=around(surfaces), body=body, self_pairs=pairs)
    return [problem.at(frame) for frame in range(frames)]


def person() -> tuple[ik.Skeleton, ik.Body, np.ndarray]:
    """The library's person with capsules on its bones, and the pairs of them that are watched."""
    figure = ik.figures.human()
    thick = {"pelvis": 0.11, "lumbar": 0.11, "thorax": 0.1}
    links = []
    for number, parent in enumerate(figure.parents):
        way = figure.rest_translation[number]
        if parent >= 0 and np.linalg.norm(way) > 0.06:
            owner = figure.names[parent]
            links.append(ik.Link(owner, (0, 0, 0), way, thick.get(owner, 0.045), name=figure.names[number]))
    links += [ik.Link(f"wrist{side}", (0, 0, 0), (0, 0.1, 0), 0.04) for side in (".L", ".R")]
    links.append(ik.Link("head", (0, 0, 0), (0, 0.1, 0), 0.09))
    body = ik.Body(links)
    return figure, body, ik.self_pairs(figure, body, slack=0.01)


def around(surfaces: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[ik.TriangleMesh]:
    """Three meshes close to the person: before it, at its side, and above."""
    sizes, places = (0.22, 0.2, 0.18), ((0.25, -0.42, 1.25), (0.55, 0.25, 1.05), (-0.45, -0.3, 1.1))
    meshes = []
    for (vertices, faces), size, place, name in zip(
        surfaces, sizes, places, ("table", "chair", "lamp"), strict=True
    ):
        mesh = ik.TriangleMesh(size * vertices, faces, name=name)
        meshes.append(mesh.moved(np.eye(3), place))
    return meshes


def follow(tasks: Tasks) -> list[object]:
    """The row of a track: each frame warm from the one before."""
    start = tasks[0].start(tasks[0].skeleton.rest)
    before = ik.solve(tasks[0], start)
    took, iterations, near, statuses, clearance = [], [], [], Counter(), np.inf
    touching = 0
    for task in tasks[1:]:
        began = clock()
        answer = ik.solve(task, before.q, following=before)
        took.append(clock() - began)
        iterations.append(answer.iterations)
        statuses[answer.status] += 1
        scene = task.scene
        seen = scene.near(ik.Pose.forward(task.skeleton, answer.q), 0.05 * task.length)
        near.append(len(seen))
        touching += bool((seen.clearance < 2e-3).any())
        clearance = min(clearance, float(scene.clearance(ik.Pose.forward(task.skeleton, answer.q))))
        before = answer
    return [
        f"{1e3 * np.median(took):.2f}",
        f"{1e3 * np.percentile(took, 95):.2f}",
        f"{np.mean(iterations):.1f}",
        f"{np.mean(near):.1f}",
        f"{touching / len(took):.2f}",
        f"{statuses[ik.Status.REACHED] / len(took):.2f}",
        f"{clearance:.1e}",
    ]


def _least(vertices: np.ndarray, faces: np.ndarray) -> float:
    """Seconds of the quickest of five."""
    took = []
    for _ in range(5):
        began = clock()
        Bvh.build(vertices[faces])
        took.append(clock() - began)
    return min(took)
