# SPDX-License-Identifier: GPL-3.0-or-later
"""Parent, "The Jacobian": three hinges in the plane, and the control expression with gains and norms."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import ikmath as ik
from tests.papers import report

LENGTHS, START, DESIRED = (1.0, 1.0, 0.8, 0.6), (0.9, 0.5, 0.4, 0.3), (0.2, 1.1, -0.3, 0.8)
GAINS, NORMS = (0.0, 0.05, 0.3, 1.0), (2, 4, 6)


def goal() -> np.ndarray:
    return ik.Pose.forward(ik.figures.planar_chain(LENGTHS), (0.5, 0.9, 0.1, 0.4)).point("tip")


def follow(gain: float, norm: int) -> tuple[ik.Solution, float]:
    """The answer, and how far its angles are from the desired ones."""
    chain = ik.figures.planar_chain(LENGTHS)
    goals = [ik.Position("tip", goal()), ik.Posture(DESIRED, gain=gain)]
    answer = ik.solve(ik.Problem(chain, goals), START, "control", norm=norm, max_iterations=30)
    return answer, float(np.linalg.norm(answer.q - DESIRED))


def run(out: Path) -> None:
    report.heading("Parent, the Jacobian: the control expression (eq. 19 to 24)")
    chain = ik.figures.planar_chain(LENGTHS)
    rows = []
    figure, axes = report.panels(len(GAINS), 4, 3.2)
    for k, gain in enumerate(GAINS):
        for norm in NORMS:
            answer, away = follow(gain, norm)
            rows.append((f"{gain:g}", norm, f"{answer.errors[0]:.1e}", f"{away:.3f}", answer.iterations))
        answer, away = follow(gain, 2)
        report.draw_plane(axes[k], chain, np.array(DESIRED), report.PALE, 1.5)
        report.draw_motion(axes[k], chain, [np.array(START), answer.q])
        report.draw_targets(axes[k], goal()[None])
        report.plain(axes[k], f"gain {gain:g}: {away:.2f} rad away")
    report.table(
        "The goal is met with any gain; gains draw to the desired angles (pale), high norms less so",
        ("gain", "psi", "goal short by", "|h - desired|", "steps"), rows,
    )  # fmt: skip
    report.save(figure, out, "parent_control")
