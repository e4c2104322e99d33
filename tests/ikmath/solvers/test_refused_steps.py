# SPDX-License-Identifier: GPL-3.0-or-later
"""A refused step is followed by one that is half as long; steps by curvature are short anyway."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import ikmath as ik
from ikmath.solvers.driver import IterationDriver, short_way
from ikmath.solvers.parameters import DEFAULTS
from tests.ikmath.postures.test_solve_with_objective import COST, FIGURE, PLANTED, STANDING


def test_what_is_tried_after_a_refused_step_is_half_as_long(monkeypatch):
    tried = []  # where, how long, by curvature, taken
    plain = IterationDriver._try

    def noted(self, iterate, model, step, to, budget):
        trial, ratio = plain(self, iterate, model, step, to, budget)
        way = short_way(FIGURE.joint_limits, iterate.q, to) / self.problem.strides
        tried.append((iterate.q, float(np.abs(way).max()), model.curved, ratio > DEFAULTS.least_gain))
        return trial, ratio

    monkeypatch.setattr(IterationDriver, "_try", noted)
    for way in ((0.4, -0.8, 0.3), (0.9, 0.1, 0.6), (-0.5, -0.3, -0.9), (0.0, 0.9, 0.2)):
        goals = [*PLANTED, ik.Position("hand.l", STANDING.point("arm.l") + 2.0 * np.array(way))]
        for brief in (False, True):
            ik.solve(ik.Problem(FIGURE, goals, posture=COST), STANDING.q, brief=brief, restarts=0)
    assert all(length <= DEFAULTS.nearby for _, length, curved, _ in tried if curved)
    again = [
        (before[1], after[1])
        for before, after in pairwise(tried)
        if not before[3] and before[2] == after[2] and np.array_equal(before[0], after[0])
    ]
    assert len(again) > 4
    assert all(now <= 0.5 * then for then, now in again)
