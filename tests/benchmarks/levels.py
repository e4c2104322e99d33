# SPDX-License-Identifier: GPL-3.0-or-later
"""A person with five poses to keep, in two levels of priority, frame after frame.

Both feet stand (place and turn), hands and head follow a motion as the weaker level. The bar is half a
millisecond a frame.
"""

from __future__ import annotations

import numpy as np
from problems import motion
from timing import clock, machine, table

import ikmath as ik

STRONG, WEAK = ["ankle.L", "ankle.R"], ["wrist.L", "wrist.R", "head"]
FRAMES, ROUNDS, BAR = 200, 5, 0.5


def run(_arguments: list[str]) -> None:
    """Print the table."""
    print(f"\nA person with five poses in two levels ({machine()})\n")
    figure = ik.figures.human()
    q = figure.joint_limits.project(
        motion(np.maximum(figure.lower, -1.0), np.minimum(figure.upper, 1.0), FRAMES, 5, 0.35, 2)
    )
    pose = ik.Pose.forward(figure, q)
    goals: list[ik.goals.Goal] = []
    for priority, names in enumerate((STRONG, WEAK)):
        goals.append(ik.Position(names, pose.point(names), priority=priority))
        goals.append(ik.Orientation(names, pose.frame(names), priority=priority))
    rows = [
        _row("goals alone", ik.Problem(figure, goals), q[0]),
        _row("with a posture", ik.Problem(figure, [*goals, ik.Posture(figure.rest)]), q[0]),
    ]
    print(table(("", "reached", "median ms", "p95 ms", "iterations", "largest jump, rad", "bar"), rows))


def _row(label: str, problem: ik.Problem, start: np.ndarray) -> list[str]:
    """Least times of several rounds, frame by frame; the first frame is no warm one."""
    seconds = np.full(FRAMES, np.inf)
    answers: list[ik.Solution] = []
    for _ in range(ROUNDS):
        answers = []
        found = ik.track(problem, start)
        for frame in range(FRAMES):
            began = clock()
            answers.append(next(found))
            seconds[frame] = min(seconds[frame], clock() - began)
    reached = np.mean([answer.status is ik.Status.REACHED for answer in answers])
    jump = np.abs(np.diff([answer.q for answer in answers], axis=0)).max()
    return [
        label,
        f"{reached:.3f}",
        f"{1e3 * np.median(seconds[1:]):.3f}",
        f"{1e3 * np.percentile(seconds[1:], 95):.3f}",
        f"{np.mean([answer.iterations for answer in answers[1:]]):.1f}",
        f"{jump:.4f}",
        f"{BAR:g}",
    ]
