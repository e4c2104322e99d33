# SPDX-License-Identifier: GPL-3.0-or-later
"""Ge, chapter 5 and appendix A: the elephant between a table and a tree, its trunk of 30 balls on a path.

What comes out is not judged by the library: thickness and distances are worked out here, from boxes and rods
and points along the trunk.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import ikmath as ik
from ikmath.examples.elephant import ElephantScene
from tests.papers import report

FRAMES = 300
SAMPLES = 9  # points along the axis of each segment


@dataclass(frozen=True)
class Measured:
    """What a track came to.

    Attributes:
        q: (FRAMES, n).
        errors: (FRAMES,) metres; free: (FRAMES,) whether the tip of the trunk has room at its target.
        clearance: (FRAMES,) metres of the trunk from table and tree; own: from the elephant's other parts.
        turn: (FRAMES - 1,) degrees that a bone turns most against its parent; world: in the world.
        spent: milliseconds a frame.
    """

    q: np.ndarray
    errors: np.ndarray
    free: np.ndarray
    clearance: np.ndarray
    own: np.ndarray
    turn: np.ndarray
    world: np.ndarray
    spent: float


def measure(scene: ElephantScene, avoidance: str = "velocity_damper", **options: object) -> Measured:
    """Follow the path, and look at what came of it."""
    elephant = scene.elephant
    problem = scene.problem(FRAMES, avoidance=avoidance)
    method = ik.DEFAULT if problem.avoidance.bounds else "damped"
    began = time.thread_time()
    track = ik.solve_track(problem, elephant.skeleton.rest, method, tolerance=1e-3, **options)
    spent = 1e3 * (time.thread_time() - began) / FRAMES
    path = scene.path(FRAMES)
    pose = ik.Pose.forward(elephant.skeleton, track.q)
    thin = elephant.bones[-1].radius
    axes, radius = trunk(scene, pose)
    rotation = pose.rotation
    parents = elephant.skeleton.parents
    local = np.swapaxes(rotation[:, parents], -1, -2) @ rotation
    return Measured(
        q=track.q,
        errors=np.linalg.norm(pose.point("tip") - path, axis=1),
        free=distance(scene, path) >= thin,
        clearance=(distance(scene, axes) - radius[:, None]).min((1, 2)),
        own=(others(scene, axes) - radius[:, None]).min((1, 2)),
        turn=turns(local)[:, parents >= 0].max(1),
        world=turns(rotation).max(1),
        spent=spent,
    )


def trunk(scene: ElephantScene, pose: ik.Pose) -> tuple[np.ndarray, np.ndarray]:
    """Points on the axes of the trunk's segments (FRAMES, S, SAMPLES, 3), and the segments' radii (S,)."""
    elephant = scene.elephant
    first = len(elephant.bones) - elephant.segments
    places = pose.position[:, first:]  # of the trunk's joints, and of the tip at the end
    share = np.linspace(0.0, 1.0, SAMPLES)[:, None]
    axes = places[:, :-1, None] * (1.0 - share) + places[:, 1:, None] * share
    return axes, np.array([bone.radius for bone in elephant.bones[first:]])


def distance(scene: ElephantScene, points: np.ndarray) -> np.ndarray:
    """Of points (..., 3) from the nearest surface of table and tree, metres; negative inside."""
    vertices = scene.table.vertices
    xs, ys, zs = (np.unique(vertices[:, axis]) for axis in range(3))
    boxes = [((xs[0], ys[0], zs[1]), (xs[-1], ys[-1], zs[2]))]
    boxes += [((xs[i], ys[j], zs[0]), (xs[i + 1], ys[j + 1], zs[1])) for i in (1, 3) for j in (1, 3)]
    found = [box_distance(points, *map(np.array, box)) for box in boxes]
    b = scene.branches
    for k in range(len(b)):
        thick = max(b.start_radius[k], b.end_radius[k])
        found.append(rod_distance(points, b.start[k], b.end[k]) - thick)
    return np.min(found, 0)


def others(scene: ElephantScene, axes: np.ndarray) -> np.ndarray:
    """Of points on the trunk's segments (FRAMES, S, SAMPLES, 3) from the still parts that they could hit."""
    elephant = scene.elephant
    first = len(elephant.bones) - elephant.segments
    result = np.full(axes.shape[:-1], np.inf)
    for one, two in scene.self_pairs:
        if one < first <= two:
            bone = elephant.bones[one]
            gap = rod_distance(axes[:, two - first], np.array(bone.head), np.array(bone.tail)) - bone.radius
            result[:, two - first] = np.minimum(result[:, two - first], gap)
    return result


def box_distance(points: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Signed distance of points (..., 3) from a box."""
    beyond = np.maximum(low - points, points - high)
    return np.linalg.norm(np.maximum(beyond, 0.0), axis=-1) + np.minimum(beyond.max(-1), 0.0)


def rod_distance(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Distance of points (..., 3) from a straight line between two places."""
    along = np.clip((points - start) @ (end - start) / ((end - start) @ (end - start)), 0.0, 1.0)
    return np.linalg.norm(points - start - along[..., None] * (end - start), axis=-1)


def turns(rotation: np.ndarray) -> np.ndarray:
    """(F - 1, J) degrees that frames (F, J, 3, 3) turn from one to the next."""
    step = np.swapaxes(rotation[:-1], -1, -2) @ rotation[1:]
    spin = step - np.swapaxes(step, -1, -2)
    sine = np.sqrt((spin**2).sum((-2, -1)) / 8.0)
    return np.degrees(np.arctan2(sine, 0.5 * (np.trace(step, axis1=-2, axis2=-1) - 1.0)))


def run(out: Path) -> None:
    report.heading("Ge, chapter 5: the elephant between a table and a tree")
    scene = ElephantScene()
    runs = [("velocity_damper", measure(scene))]
    runs += [(name, measure(scene, name, max_iterations=20)) for name in ("objective", "task_priority")]
    rows = [
        (
            ik.AVOIDANCE[name].label,
            f"{1e3 * m.clearance.min():.2f} mm",
            int((m.clearance < -1e-6).sum()),
            f"{1e3 * m.own.min():.2f} mm",
            f"{100.0 * m.errors[m.free].max() / ik.elephant.LENGTH:.2f} %",
            f"{1e3 * m.errors[~m.free].max():.0f} mm",
            f"{m.turn.max():.2f} deg",
            f"{m.world.max():.2f} deg",
            f"{m.spent:.1f} ms",
        )
        for name, m in runs
    ]
    columns = ("", "clearance", "inside", "own body", "worst, free", "else", "turn", "in the world", "time")
    report.table(
        f"A trunk of {scene.elephant.segments} balls, {len(scene.obstacles)} obstacles, {FRAMES} frames",
        columns,
        rows,
    )
    free = int(runs[0][1].free.sum())
    print(f"  free: the trunk's tip has room at its target, {free} of {FRAMES} frames; errors of the trunk's")
    print("  length. inside: frames in which the trunk is in table or tree. turn: of a bone against the one")
    print("  before it, and in the world, from a frame to the next.")
    _draw(out, scene, runs[0][1])


def _draw(out: Path, scene: ElephantScene, found: Measured) -> None:
    """From the front, from the side and from above: the path, and the trunk every fiftieth frame."""
    figure, axes = report.panels(3, 3, 3.8)
    skeleton, path, b = scene.elephant.skeleton, scene.path(FRAMES), scene.branches
    first = len(scene.elephant.bones) - scene.elephant.segments
    places = ik.Pose.forward(skeleton, found.q).position[:, first:]
    views = (("from the front", 0, 2), ("from the side", 1, 2), ("from above", 0, 1))
    for axis, (title, i, j) in zip(axes, views, strict=True):
        for face in scene.table.faces:
            corners = scene.table.vertices[[*face, face[0]]]
            axis.plot(corners[:, i], corners[:, j], color=report.PALE, lw=0.8, zorder=0)
        for k in range(len(b)):
            ends = np.array([b.start[k], b.end[k]])
            axis.plot(ends[:, i], ends[:, j], color=report.PALE, lw=60.0 * b.end_radius[k], zorder=0)
        axis.plot(path[:, i], path[:, j], color=report.TARGET, lw=0.8)
        for frame in range(0, FRAMES, 50):
            color = report.SECOND if frame else report.INK
            axis.plot(places[frame, :, i], places[frame, :, j], color=color, lw=1.4)
        report.plain(axis, title)
    report.save(figure, out, "ge_elephant")
