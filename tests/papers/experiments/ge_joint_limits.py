# SPDX-License-Identifier: GPL-3.0-or-later
"""Ge, 5.1 and figure 5.2: projection and clipping; and how the other limit methods do on his trunk."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

import ikmath as ik
from tests.papers import report

METHODS = ("damped", "pseudoinverse")


def drags(seed: int, count: int = 40) -> tuple[ik.Skeleton, np.ndarray]:
    """A trunk of ten spheres, and the path of a pointer that drags its tip about, partly beyond its reach."""
    trunk = ik.figures.trunk(10)
    rng = np.random.default_rng(seed)
    ends = [np.array([0.0, 0.0, 10.0])]
    for _ in range(4):
        direction = rng.normal(size=3) + np.array([0, 0, 0.8])
        ends.append(direction / np.linalg.norm(direction) * rng.uniform(5, 11))
    path = np.concatenate([np.linspace(a, b, count // 4, endpoint=False) for a, b in pairwise(ends)])
    return trunk, path


def measure(limits: str, method: str) -> tuple[float, float, float, float]:
    """Mean distance of the tip, share of frames in which nobody moved, worst violation, steps a frame."""
    distance, still, outside, steps = [], [], 0.0, []
    for seed in range(3):
        trunk, path = drags(seed)
        track = ik.solve_track(
            ik.Problem(trunk, [ik.Position("tip", path)], limits=limits),
            trunk.rest,
            method,
            max_iterations=10,
        )
        moved = np.abs(np.diff(track.q, axis=0)).max(axis=1)
        distance.append(track.errors.mean())
        still.append((moved < 1e-9).mean())
        outside = max(outside, float(trunk.joint_limits.violation(track.q).max()))
        steps.append(np.mean(track.iterations))
    return float(np.mean(distance)), float(np.mean(still)), outside, float(np.mean(steps))


def run(out: Path) -> None:
    report.heading("Ge, 5.1: joint limits by projection, by clipping, and by penalties")
    rows = []
    for method in METHODS:
        for limits in ik.LIMITS:
            distance, still, outside, steps = measure(limits, method)
            rows.append(
                (method, limits, f"{distance:.3f}", f"{100 * still:.0f} %", f"{outside:.0e}", f"{steps:.1f}")
            )
    report.table(
        "A trunk of ten spheres dragged about for 120 frames (ten steps a frame at most)",
        ("method", "limits", "mean distance", "frames locked", "outside limits", "steps"), rows,
    )  # fmt: skip
    print('  Ge: with clipping "the entire chain will lock at that position".')
    figure, axes = report.panels(1, 1, 4.0)
    axis = axes[0]
    o, n = np.array([0.25, 0.3]), np.array([1.35, 0.85])
    share = (1.0 - o[0]) / (n[0] - o[0])
    b, a = o + share * (n - o), np.array([1.0, n[1]])
    axis.plot([0, 1, 1, 0, 0], [0, 0, 1, 1, 0], color=report.INK)
    axis.plot(*np.array([o, n]).T, color=report.PALE)
    axis.plot(*np.array([n, a]).T, "--", color=report.SECOND)
    marks = ((o, "o"), (n, "n"), (a, "a: projection"), (b, "b: clipping"))
    for (point, name), color in zip(
        marks, (report.INK, report.INK, report.SECOND, report.TARGET), strict=True
    ):
        axis.plot(*point, "o", color=color)
        axis.annotate(name, point, xytext=(5, -12), textcoords="offset points", fontsize=8)
    report.plain(axis, "Figure 5.2: the room of two joints, from o towards n")
    report.save(figure, out, "ge_figure_5_2")
