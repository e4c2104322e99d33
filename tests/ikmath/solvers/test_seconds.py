# SPDX-License-Identifier: GPL-3.0-or-later
"""The time that a solve may take is kept, whatever it tries; a clock that counts poses measures it."""

from __future__ import annotations

import time

import numpy as np
import pytest

import ikmath as ik
from ikmath.solvers.parameters import DEFAULTS

START = np.array([0.0, 0.4, 0.0, 1.2, 0.0, 0.6, 0.0])
ITERATION = 2 + DEFAULTS.corrections
"""Poses of an iteration: of its step, of its corrections, and of the end of the solve."""
WAY = 20
"""Poses at which the way of a step is checked among obstacles; all starts of a search take more."""


def problem(seed: int, *, far: bool, obstacle: bool) -> ik.Problem:
    """An arm whose tool goes to a pose that is in reach or far from it, with a ball in its way or without."""
    arm, rng = ik.figures.arm(), np.random.default_rng(seed)
    pose = ik.Pose.forward(arm, rng.uniform(arm.lower, arm.upper))
    place = pose.point("tool")
    ball = ik.Sphere(0.5 * (place + ik.Pose.forward(arm, START).point("tool")), 0.15)
    body = ik.Body([ik.Link(joint.name, (0, 0, 0), (0, 0, 0.1), radius=0.03) for joint in arm.joints[2:]])
    goals = [
        ik.Position("tool", place + far * np.array([0.6, 0.3, 0.9])),
        ik.Orientation("tool", pose.frame("tool")),
    ]
    if obstacle:
        return ik.Problem(arm, goals, obstacles=[ball], body=body)
    return ik.Problem(arm, goals)


@pytest.mark.parametrize("obstacle", [False, True])
@pytest.mark.parametrize("far", [False, True])
def test_nothing_further_is_tried_after_the_time_ran_out(
    far: bool, obstacle: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, made = [0], ik.Pose.trusted

    def counted(skeleton: ik.Skeleton, q: np.ndarray) -> ik.Pose:
        now[0] += 1
        return made(skeleton, q)

    monkeypatch.setattr(ik.Pose, "trusted", counted)
    monkeypatch.setattr(time, "perf_counter", lambda: float(now[0]))
    for seed in range(2):
        asked = problem(seed, far=far, obstacle=obstacle)
        now[0] = 0
        whole = ik.solve(asked, START, restarts=2)
        needed = now[0]
        for seconds in range(1, needed, 1 + needed // 6):
            now[0] = 0
            answer = ik.solve(asked, START, restarts=2, seconds=seconds)
            assert now[0] <= seconds + ITERATION + WAY * obstacle
            assert answer.iterations <= whole.iterations
