# SPDX-License-Identifier: GPL-3.0-or-later
"""Ki & Sheen, example 7.5, figure 16: ANIC, a human figure, moves to grasp an object on a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import ikmath as ik
from ikmath.classic.internal_points import subdivide
from tests.papers import report

OBJECT = np.array([0.05, -0.62, 0.80])
"""On the table, in front of the figure (which looks along -Y) and across its middle."""
TABLE = np.array([[-0.6, -0.40, 0.72], [0.6, -0.40, 0.72], [0.6, -1.0, 0.72], [-0.6, -1.0, 0.72]])
POINTS = 9
GRIP = (0.0, 0.08, 0.0)
FEET = ["ankle.L", "ankle.R", "toe.L", "toe.R"]


def follow(
    method: str = "bounded", **options: Any
) -> tuple[ik.Skeleton, np.ndarray, np.ndarray, ik.Solution]:
    """The right hand goes to the object over internal points, the feet stay: skeleton, start, path, track."""
    figure = ik.figures.human()
    start = figure.rest.copy()
    for side, sign in ((".L", -1.0), (".R", 1.0)):  # arms down, elbows a little bent
        start[figure.columns("shoulder" + side).start + 2] = sign * 1.2
        start[figure.columns("elbow" + side).start] = 0.4
    start = figure.joint_limits.project(start)
    pose = ik.Pose.forward(figure, start)
    begin = pose.point("wrist.R", GRIP)
    path = subdivide(begin, OBJECT, POINTS, center=pose.point("shoulder.R"), smooth=True)
    goals = [
        ik.Position("wrist.R", path, GRIP),
        ik.Position(FEET, pose.point(FEET)),
        ik.Posture(start, gain=0.3),
    ]
    return figure, start, path, ik.solve_track(ik.Problem(figure, goals), start, method, **options)


def draw(
    axes: Any, figure: ik.Skeleton, q: np.ndarray, view: tuple[int, int], color: str, width: float
) -> None:
    """Bones as lines in two of the three coordinates, with hands and a head."""
    pose = ik.Pose.forward(figure, q)
    lines = [
        (pose.position[parent], pose.position[joint])
        for joint, parent in enumerate(figure.parents)
        if parent >= 0
    ]
    lines += [(pose.point(f"wrist.{side}"), pose.point(f"wrist.{side}", GRIP)) for side in "LR"]
    lines += [(pose.point(f"toe.{side}"), pose.point(f"toe.{side}", (0, 0, 0.08))) for side in "LR"]
    for a, b in lines:
        axes.plot(
            [a[view[0]], b[view[0]]], [a[view[1]], b[view[1]]], color=color, lw=width, solid_capstyle="round"
        )
    head = pose.point("head", (0, 0.1, 0))
    circle = np.linspace(0, 2 * np.pi, 40)
    axes.plot(
        head[view[0]] + 0.1 * np.cos(circle), head[view[1]] + 0.1 * np.sin(circle), color=color, lw=width
    )


def run(out: Path) -> None:
    report.heading("Ki & Sheen, example 7.5, figure 16: a human figure grasps an object on a table")
    figure, start, path, track = follow()
    drawing, axes = report.panels(2, 2, 5.0)
    for axis, view, title in ((axes[0], (1, 2), "from its left"), (axes[1], (0, 2), "from the front")):
        for q in track.q[1:-1:3]:
            draw(axis, figure, q, view, report.PALE, 1.0)
        draw(axis, figure, start, view, report.INK, 1.8)
        draw(axis, figure, track.q[-1], view, report.SECOND, 2.2)
        around = np.vstack([TABLE, TABLE[:1]])
        axis.plot(around[:, view[0]], around[:, view[1]], color="#7e5109", lw=3)
        axis.plot(path[:-1, view[0]], path[:-1, view[1]], "*", color=report.TARGET, ms=6)
        axis.plot(OBJECT[view[0]], OBJECT[view[1]], "s", color=report.TARGET, ms=9)
        report.plain(axis, f"Figure 16, {title}")
    axes[0].invert_xaxis()
    violation = float(figure.joint_limits.violation(track.q).max())
    limited = [
        name
        for name, at in zip(
            figure.coordinate_names, figure.joint_limits.at_limit(track.q[-1], 1e-4), strict=True
        )
        if at
    ]
    report.table(
        "66 degrees of freedom; the right hand moves, both feet hold; limits in every step (eq. 7.4, 7.5)",
        ("hand short by", "feet moved by", "steps a point", "outside limits", "largest turn a point"),
        [
            (
                f"{track.errors[:, 0].max():.1e} m", f"{track.errors[:, 1:].max():.1e} m",
                f"{np.mean(track.iterations):.1f}",
                f"{violation:.0e}", f"{np.abs(np.diff(np.vstack([start, track.q]), axis=0)).max():.3f} rad",
            )
        ],
    )  # fmt: skip
    print(f"  at a limit in the end: {', '.join(limited) or 'none'}")
    report.save(drawing, out, "ki_sheen_figure_16")
