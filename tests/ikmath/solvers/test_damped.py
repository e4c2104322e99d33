# SPDX-License-Identifier: GPL-3.0-or-later
"""The last step of `damped` goes along the slopes of the one before, and arrives all the same."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.classic.methods.damped import Damped

TOLERANCE = 1e-5


def problems(count, weight=1.0):
    """Persons at rest, asked for places of a random pose near by."""
    human = ik.figures.human()
    rng = np.random.default_rng(11)
    names = ("wrist.L", "wrist.R", "ankle.L", "ankle.R", "head")
    for _ in range(count):
        there = human.joint_limits.project(rng.normal(scale=0.25, size=human.n))
        pose = ik.Pose.forward(human, there)
        goals = [ik.Position(name, pose.position[human.index(name)]) for name in names]
        goals[0] = ik.Position(names[0], goals[0].target[0], weight=weight)
        yield ik.Problem(human, goals), np.zeros(human.n)


def solved(problem, q, monkeypatch):
    """The solution, and how often slopes were worked out for it."""
    asked = []
    propose = Damped.proposal

    def counting(self, *given):
        asked.append(1)
        return propose(self, *given)

    with monkeypatch.context() as patched:
        patched.setattr(Damped, "proposal", counting)
        answer = ik.solve(problem, q, "damped", tolerance=TOLERANCE, rest=False, settle=False)
    return answer, len(asked)


def test_the_last_step_needs_no_slopes_of_its_own(monkeypatch):
    spared = extra = 0
    for problem, q in problems(40):
        answer, slopes = solved(problem, q, monkeypatch)
        with monkeypatch.context() as patched:
            patched.setattr(Damped, "simplifies", False)
            newton, every = solved(problem, q, monkeypatch)
        assert answer.status is newton.status is ik.Status.REACHED
        assert answer.errors.max() < TOLERANCE
        assert every == newton.iterations
        assert slopes <= answer.iterations
        np.testing.assert_allclose(answer.q, newton.q, atol=10 * TOLERANCE)
        spared += answer.iterations - slopes
        extra += answer.iterations - newton.iterations
    assert spared >= 10
    assert extra == 0


@pytest.mark.parametrize("weight", [1e-2, 1.0, 1e2])
def test_weights_do_not_let_it_stop_short(weight, monkeypatch):
    for problem, q in problems(10, weight):
        answer, _ = solved(problem, q, monkeypatch)
        assert answer.status is ik.Status.REACHED
        assert answer.errors.max() < TOLERANCE
