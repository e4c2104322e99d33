# SPDX-License-Identifier: GPL-3.0-or-later
"""Ki & Sheen, example 7.4, figure 15: the same motion with -pi < h_6 < 0, bounded in each step."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import ikmath as ik
from tests.papers import ki_sheen, report
from tests.papers.experiments import ki_sheen_damping as free

C = 0.25
LIMITS = {link: (-np.pi, 0.0 if link == 6 else np.pi) for link in range(1, 10)}


def follow() -> tuple[ik.Skeleton, list[np.ndarray], np.ndarray]:
    """The path of example 7.3, one step (7.4, 7.5) for each point, h_6 limited: skeleton, poses, targets."""
    _, _, path = free.follow(C)
    skeleton = ki_sheen.tree("two", limits=LIMITS)
    q = np.zeros(skeleton.n)
    q[ki_sheen.columns_of(skeleton)] = free.START
    poses = [q]
    for targets in path:
        goals = [ik.Position(list(free.NAMES), np.pad(targets, ((0, 0), (0, 1))))]
        problem = ik.Problem(skeleton, goals)
        # c in the paper's units: it counts lengths in metres, the library in figure sizes.
        q = ik.solve(problem, q, "bounded", damping=C / problem.length, max_iterations=1).q
        poses.append(q)
    return skeleton, poses, path


def run(out: Path) -> None:
    report.heading("Ki & Sheen, example 7.4, figure 15: one joint limited")
    figure, axes = report.panels(2, 2, 5.2, height=3.8)
    skeleton, poses, path = free.follow(C)
    report.draw_motion(axes[0], skeleton, poses, labels=True)
    report.plain(axes[0], f"Figure 12: c = {C}, no limits")
    limited, bent, _ = follow()
    report.draw_motion(axes[1], limited, bent)
    report.plain(axes[1], f"Figure 15: c = {C}, -π < h6 < 0")
    rows = []
    for name, figure_skeleton, motion in (("figure 12", skeleton, poses), ("figure 15", limited, bent)):
        column = ki_sheen.columns_of(figure_skeleton)[5]
        h6 = np.array([q[column] for q in motion])
        left = np.linalg.norm(
            path[-1] - ik.Pose.forward(figure_skeleton, motion[-1]).point(free.NAMES)[:, :2], axis=1
        )
        rows.append((name, f"{h6.min():.3f}", f"{h6.max():.3f}", f"{left[0]:.4f}", f"{left[1]:.4f}"))
    for axis in axes:
        for i in range(2):
            report.draw_targets(axis, path[:, i], numbered=True)
    report.table("h_6 on the way", ("run", "lowest h6", "highest h6", "P9 short by", "P6 short by"), rows)
    report.save(figure, out, "ki_sheen_figure_15")
