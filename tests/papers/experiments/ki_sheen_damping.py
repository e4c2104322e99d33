# SPDX-License-Identifier: GPL-3.0-or-later
"""Ki & Sheen, example 7.3, figures 10 to 14, table 1: two effectors drawn beyond reach, damped by c."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import ikmath as ik
from ikmath.classic.linalg.damped import condition_number, damped_least_squares, residual_bounds
from ikmath.classic.svd.svd import lapack
from tests.papers import ki_sheen, report

NAMES = ("P9", "P6")
START = (0.862, -0.348376, 0.220495, -0.544027, -0.456349, -0.136564, 0.492638, 0.199358, -0.929887)
TARGETS = (np.array([5.535, 1.349]), np.array([5.992, -1.277]))
"""The start, and where the fifth targets are: beyond the reach of six links of length 1.

The paper prints neither. These were solved for (nonlinear least squares, thirteen numbers), so that its four
runs end with the eight singular values that it prints, and h_6 crosses zero on the way, which example 7.4
forbids it."""
POINTS = 5

PRINTED = (
    # c, s_1, s_4 at 5, condition number, lower and upper bound of the residual
    (0.1, "12.3701", "0.1495", "1.5303e+04", "6.5347e-05", "0.3091"),
    (0.25, "12.3812", "0.1669", "2.4537e+03", "4.0755e-04", "0.6917"),
    (1.5, "12.1607", "0.5714", "66.7251", "0.0150", "0.8733"),
    (10.0, "11.7280", "0.5837", "2.3755", "0.4210", "0.9966"),
)
"""Condition number 66.7251 needs s_1 from 12.160649 to 12.160657; 12.1607 itself gives 66.7256."""


def rows_at(skeleton: ik.Skeleton, q: np.ndarray) -> np.ndarray:
    """J (4, 9) of both effectors."""
    pose = ik.Pose.forward(skeleton, q)
    return np.vstack([pose.jacobian(name)[:2] for name in NAMES])


def follow(c: float, limits=None) -> tuple[ik.Skeleton, list[np.ndarray], np.ndarray]:
    """One damped step (7.2) for each target point: skeleton, poses, targets (5, 2, 2)."""
    skeleton = ki_sheen.tree("two", limits=limits)
    q = np.zeros(skeleton.n)
    q[ki_sheen.columns_of(skeleton)] = START
    begin = ik.Pose.forward(skeleton, q).point(NAMES)[:, :2]
    share = np.arange(1, POINTS + 1)[:, None, None] / POINTS
    path = begin + share * (np.array(TARGETS) - begin)
    poses = [q]
    for targets in path:
        error = (targets - ik.Pose.forward(skeleton, q).point(NAMES)[:, :2]).ravel()
        q = q + damped_least_squares(lapack(rows_at(skeleton, q))[0], error, c)
        poses.append(q)
    return skeleton, poses, path


def table_1() -> list[tuple[str, ...]]:
    """Rows of table 1 from our runs: c, singular values, condition number, bounds; ours, then printed."""
    rows = []
    for c, largest, smallest, condition, low, high in PRINTED:
        skeleton, poses, _ = follow(c)
        jacobian = rows_at(skeleton, poses[-1])
        lower, upper = residual_bounds(jacobian, c)
        ours = [
            format(float(value), ".4e" if "e" in printed else ".4f")
            for value, printed in ((condition_number(jacobian, c), condition), (lower, low), (upper, high))
        ]
        values = np.linalg.svd(jacobian, compute_uv=False)
        values_ours = (f"{values[0]:.4f}", f"{values[-1]:.4f}")
        rows.append((f"{c:g}", *values_ours, *ours, largest, smallest, condition, low, high))
    return rows


def run(out: Path) -> None:
    report.heading("Ki & Sheen, example 7.3: damping near a stretched pose (figures 10 to 14, table 1)")
    print("Links of length 1; start and targets are ours, such that the runs end with the printed s1 and s4.")
    figure, axes = report.panels(5, 2, 5.2, height=3.8)
    skeleton, poses, path = follow(1e-6)
    report.draw_motion(axes[0], skeleton, poses, labels=True)
    report.plain(axes[0], "Figure 10: no damping; at 5 the chain is stretched")
    own = []
    for k, (c, *_) in enumerate(PRINTED, 1):
        skeleton, poses, path = follow(c)
        report.draw_motion(axes[k], skeleton, poses)
        values = np.linalg.svd(rows_at(skeleton, poses[-1]), compute_uv=False)
        left = np.linalg.norm(path[-1] - ik.Pose.forward(skeleton, poses[-1]).point(NAMES)[:, :2], axis=1)
        turn = np.abs(np.diff(poses, axis=0)).max()
        own.append((f"{c:g}", f"{left[0]:.3f}", f"{left[1]:.3f}", f"{turn:.2f}"))
        report.plain(axes[k], f"Figure {10 + k}: c = {c:g}; σ1 = {values[0]:.4f}, σ4 = {values[-1]:.4f} at 5")
    for axis in axes:
        for i in range(2):
            report.draw_targets(axis, path[:, i], numbered=True)
    report.table(
        "Small c turns wildly, large c does not arrive",
        ("c", "P9 short by", "P6 short by", "largest turn"), own,
    )  # fmt: skip
    rows = table_1()
    agree = all(row[1:6] == row[6:11] for row in rows)
    report.table(
        "Figures 11 to 14 and table 1: ours, then printed (p.)",
        (
            "c", "s1", "s4", "condition", "lower", "upper",
            "s1 (p.)", "s4 (p.)", "condition (p.)", "lower (p.)", "upper (p.)",
        ), rows,
    )  # fmt: skip
    print(f"  all printed digits: {'equal' if agree else 'NOT equal'}")
    report.save(figure, out, "ki_sheen_figures_10_to_14")
