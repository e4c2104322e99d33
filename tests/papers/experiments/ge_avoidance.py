# SPDX-License-Identifier: GPL-3.0-or-later
"""Ge, tables 5.1 and 5.2: the ways to avoid obstacles beside each other, in numbers.

His tables say "slow", "fair" and "good" of an elephant's trunk of 30 spheres whose tip follows a path. Here
the same trunk goes past one ball, and then between a table and a tree.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import ikmath as ik
from tests.papers import report

FRAMES = 120
ONE = ("task_priority", "cost", "objective")
PARAMETERS = {
    "task_priority": "alpha_o, alpha_h, d_ta, d_ug, d_soi",
    "task_priority_augmented": "alpha_o, alpha_h, d_ta, d_ug, d_soi",
    "task_priority_reversed": "alpha_o, alpha_n, d_ta, d_ug, d_soi",
    "cost_adaptive": "alpha, beta",
    "velocity_damper": "none",
}


@dataclass(frozen=True)
class Measured:
    """What a track came to: metres for a trunk of 30 m, degrees, milliseconds.

    Attributes:
        clearance: smallest of all frames; inside: frames with a link in an obstacle;
        error: mean of the tip; worst: largest;
        jump: largest turn of a joint from a frame to the next; kink: mean over the frames of the largest
            difference between the bends of neighbouring joints;
        spent: a frame.
    """

    q: np.ndarray
    clearance: float
    inside: int
    error: float
    worst: float
    jump: float
    kink: float
    spent: float


def trunk() -> tuple[ik.Skeleton, ik.Body, np.ndarray]:
    """The trunk, its body, and the bent pose that it starts from."""
    skeleton = ik.figures.trunk(30)
    body = ik.Body([ik.Link(f"ball{i}", (0, 0.5, 0), (0, 0.5, 0), 0.5) for i in range(30)])
    return skeleton, body, np.tile([0.05, 0.0, 0.0], 30)


def ball() -> list[ik.obstacles.Shape]:
    """One obstacle, in the way of the trunk's middle."""
    return [ik.Sphere((1.6, -7.0, 13.0), 2.0, name="ball")]


def table_and_tree() -> list[ik.obstacles.Shape]:
    """A table with four legs, and a tree of branches that fork three times."""
    top = ik.Rectangle((-6.0, -7.0, 11.0), (4.0, 0.0, 0.0), (0.0, 4.0, 0.0), name="table top")
    legs = [
        ik.Cylinder((x, y, 0.0), (x, y, 10.9), 0.4, name=f"leg {k}")
        for k, (x, y) in enumerate(((-9, -10), (-9, -4), (-3, -10), (-3, -4)))
    ]
    branches: list[ik.obstacles.Shape] = []

    def grow(start: np.ndarray, way: np.ndarray, size: float, depth: int) -> None:
        end = start + size * way
        branches.append(ik.Capsule(start, end, 0.06 * size, name=f"branch {len(branches)}"))
        if depth:
            for sign in (1.0, -1.0):
                turned = way + 0.55 * sign * np.roll(way, depth)
                grow(end, turned / np.linalg.norm(turned), 0.75 * size, depth - 1)

    grow(np.array([3.2, -8.5, 0.0]), np.array([0.0, 0.05, 1.0]), 8.0, 3)
    return [top, *legs, *branches]


def path(skeleton: ik.Skeleton, start: np.ndarray) -> np.ndarray:
    """Where the tip should be: a swing to both sides, down and back again; (FRAMES, 3)."""
    tip = ik.Pose.forward(skeleton, start).point("tip")
    t = np.linspace(0.0, 1.0, FRAMES)[:, None]
    side, down = 9.0 * np.sin(2 * np.pi * t), -5.0 * np.sin(np.pi * t) ** 2
    return tip + np.concatenate([side, 2.0 * np.sin(np.pi * t), down], 1)


def measure(things: list[ik.obstacles.Shape], avoidance: str | None, method: str = "damped") -> Measured:
    """Follow the path; with None obstacles are not looked at."""
    skeleton, body, start = trunk()
    goals = [ik.Position("tip", path(skeleton, start))]
    among = ik.Problem(skeleton, goals, obstacles=things, body=body, avoidance=avoidance or "velocity_damper")
    problem = among if avoidance else ik.Problem(skeleton, goals)
    began = time.thread_time()
    track = ik.solve_track(problem, start, method, tolerance=1e-3, max_iterations=20)
    spent = 1e3 * (time.thread_time() - began) / FRAMES
    pose = ik.Pose.forward(skeleton, track.q)
    clearance = among.scene.clearance(pose)
    along = np.diff(pose.position, axis=1)
    bend = np.degrees(np.arccos(np.clip((along[:, 1:] * along[:, :-1]).sum(-1), -1.0, 1.0)))
    return Measured(
        q=track.q,
        clearance=float(clearance.min()),
        inside=int((clearance < -1e-6).sum()),
        error=float(track.errors.mean()),
        worst=float(track.errors.max()),
        jump=float(np.degrees(np.abs(np.diff(track.q, axis=0)).max())),
        kink=float(np.abs(np.diff(bend, axis=1)).max(1).mean()),
        spent=spent,
    )


def run(out: Path) -> None:
    report.heading("Ge, 5.4: obstacle avoidance techniques compared")
    columns = ("", "clearance", "inside", "mean error", "worst", "jump", "kink", "time", "parameters")
    pushing = tuple(name for name, entry in ik.AVOIDANCE.items() if not entry.bounds)
    drawn: dict[str, np.ndarray] = {}
    scenes = (
        ("Table 5.1: one obstacle", ball(), ONE),
        ("Table 5.2: a table and a tree", table_and_tree(), pushing),
    )
    for title, things, names in scenes:
        runs = [("no avoidance", "", measure(things, None))]
        for name in (*names, "velocity_damper"):
            found = measure(things, name, ik.DEFAULT if ik.AVOIDANCE[name].bounds else "damped")
            runs.append((ik.AVOIDANCE[name].label, PARAMETERS.get(name, "alpha"), found))
            drawn[name] = found.q
        rows = [
            (
                label,
                f"{m.clearance:.3f} m",
                m.inside,
                f"{m.error:.4f} m",
                f"{m.worst:.3f} m",
                f"{m.jump:.1f} deg",
                f"{m.kink:.1f} deg",
                f"{m.spent:.2f} ms",
                parameters,
            )
            for label, parameters, m in runs
        ]
        report.table(f"{title}; {len(things)} shapes, {FRAMES} frames, a trunk of 30 m", columns, rows)
    print("  clearance: the least of all frames. inside: frames with a link in an obstacle.")
    print("  jump: largest turn from a frame to the next. kink: largest difference of neighbouring bends.")
    print("  Ge: task priority kinks; the cost function has no physical meaning, is hard to extend, and its")
    print('  weight must be tuned; the objective function "suits computer graphics applications the most".')
    _draw(out, drawn)


def _draw(out: Path, drawn: dict[str, np.ndarray]) -> None:
    """The trunk between table and tree in the frames where it is farthest out, by three methods."""
    skeleton, _, _ = trunk()
    things = table_and_tree()
    figure, axes = report.panels(3, 3, 3.6)
    for axis, name in zip(axes, ("task_priority", "objective", "velocity_damper"), strict=True):
        q = drawn[name]
        for frame, color in ((FRAMES // 4, report.INK), (3 * FRAMES // 4, report.SECOND)):
            place = ik.Pose.forward(skeleton, q[frame]).position
            axis.plot(place[:, 0], place[:, 2], "o-", color=color, ms=4, lw=1)
        for shape in things:
            if isinstance(shape, ik.Rectangle):
                ends = np.array([shape.center - shape.axis_u, shape.center + shape.axis_u])
            else:
                ends = np.array([shape.a, shape.b])
            axis.plot(ends[:, 0], ends[:, 2], color=report.PALE, lw=3, zorder=0)
        report.plain(axis, ik.AVOIDANCE[name].label)
    report.save(figure, out, "ge_avoidance")
