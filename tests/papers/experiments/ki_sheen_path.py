# SPDX-License-Identifier: GPL-3.0-or-later
"""Ki & Sheen, example 3.1 and figure 3: three links follow internal points, for several gammas."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import ikmath as ik
from ikmath.classic.internal_points import subdivide
from tests.papers import report

LENGTHS, START, TARGET, POINTS = (1.0, 0.8, 0.6), (1.4, 0.5, 0.3), (1.7, 0.3, 0.0), 8
GAMMAS = (1e-3, 0.05, 0.15, 0.4)


def follow(gamma: float, smooth: bool) -> tuple[np.ndarray, ik.Solution]:
    """The path (frames, 3) and the track along it."""
    chain = ik.figures.planar_chain(LENGTHS)
    begin = ik.Pose.forward(chain, START).point("tip")
    path = subdivide(begin, TARGET, POINTS, smooth=smooth)
    return path, ik.solve_track(
        ik.Problem(chain, [ik.Position("tip", path)]), START, "nonlinear", gamma=gamma
    )


def run(out: Path) -> None:
    report.heading("Ki & Sheen, example 3.1, figure 3: nonlinear programming along internal points")
    print("The paper prints neither lengths nor angles; lengths 1, 0.8, 0.6 and these targets are ours.")
    chain = ik.figures.planar_chain(LENGTHS)
    rows = []
    figure, axes = report.panels(len(GAMMAS) * 2, 4, 3.2)
    for k, smooth in enumerate((False, True)):
        for i, gamma in enumerate(GAMMAS):
            path, track = follow(gamma, smooth)
            motion = [np.array(START), *track.q]
            report.draw_motion(axes[4 * k + i], chain, motion)
            report.draw_targets(axes[4 * k + i], path, numbered=True)
            report.plain(axes[4 * k + i], f"γ = {gamma:g}, {'smooth' if smooth else 'law of sines'}")
            turned = np.abs(np.diff(motion, axis=0))
            rows.append(
                (
                    "smooth" if smooth else "sines", f"{gamma:g}", f"{track.errors.max():.2e}",
                    f"{np.linalg.norm(track.q[-1]):.3f}", f"{turned.max():.3f}", f"{turned.sum():.3f}",
                )
            )  # fmt: skip
    report.table(
        "A larger gamma keeps |h| small and leaves more error (eq. 3.1)",
        ("points", "gamma", "worst error", "|h| at the end", "largest turn a point", "turns in all"), rows,
    )  # fmt: skip
    report.save(figure, out, "ki_sheen_figure_03")
