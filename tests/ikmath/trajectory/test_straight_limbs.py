# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions at straight limbs, where what is held bends sharply and steps along tangents are refused."""

from __future__ import annotations

import numpy as np

import ikmath as ik

PINS = ("pelvis", "head", "wrist.R", "ankle.L", "ankle.R")


def test_a_hand_follows_while_straight_limbs_are_pinned() -> None:
    figure = ik.figures.human()
    rest = ik.Pose.forward(figure, figure.rest)
    beat = np.arange(120) * (2.0 * np.pi / 120)
    way = np.stack([-0.2 + 0.2 * np.cos(beat), -0.25 * np.sin(beat), 0.1 * np.sin(2.0 * beat)], -1)
    pins = ik.Position(PINS, rest.point(PINS, np.zeros((5, 3))))
    hand = ik.Position("wrist.L", rest.point("wrist.L") + way, priority=1)
    problem = ik.Problem(figure, [hand, pins, ik.Posture(figure.rest)])
    solution = ik.solve_track(problem, figure.rest)
    assert np.median(solution.errors.max(-1)) < 1e-3
    assert solution.errors.max(-1).mean() < 0.05
    assert solution.errors[:, 1:].max() < 1e-3  # the pins
