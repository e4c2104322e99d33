# SPDX-License-Identifier: GPL-3.0-or-later
"""The last step of `damped` goes along the slopes of the one before, and arrives all the same."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.classic.methods.damped import Damped
from ikmath.goals.stack import Stack

TOLERANCE = 1e-5


def problems(count, weight=1.0):
    """Persons at rest, asked for places of a random pose near by."""
    human = ik.figures.human()
    rng = np.random.default_rng(11)
    names = ("wrist.L", "wrist.R", "ankle.L", "ankle.R", "head")
    for _ in range(count):
        there = human.region.project(rng.normal(scale=0.25, size=human.n))
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


def test_a_step_that_is_sure_to_arrive_need_not_be_seen(monkeypatch):
    """It is the same step to the last bit; the errors are measured when somebody asks for them."""
    evaluate, looks, spared = Stack.evaluate, [], 0
    monkeypatch.setattr(Stack, "evaluate", lambda *given: looks.append(1) or evaluate(*given))
    options = {"tolerance": TOLERANCE, "rest": False, "settle": False}
    for problem, q in problems(40):
        seen = ik.solve(problem, q, "damped", **options)
        before = len(looks)
        unseen = ik.solve(problem, q, "damped", unseen=True, **options)
        spared += unseen.iterations + 1 - (len(looks) - before)
        assert unseen.status is ik.Status.REACHED and unseen.iterations == seen.iterations
        np.testing.assert_array_equal(unseen.q, seen.q)
        errors = problem.errors(ik.Pose.forward(problem.skeleton, unseen.q))
        np.testing.assert_allclose(unseen.errors, errors, rtol=1e-12)
        assert errors.max() < TOLERANCE and unseen.message == seen.message
        assert problem.skeleton.region.violation(unseen.q).max() <= 1e-12
    assert spared >= 5


@pytest.mark.parametrize("tolerance", [1e-6, 1e-4, 1e-3])
def test_nothing_is_left_unseen_that_has_not_arrived(tolerance):
    """Also with turns, unequal weights, postures that pull, and targets that cannot be reached."""
    human = ik.figures.human()
    rng, unseen = np.random.default_rng(5), 0
    for _ in range(300):
        there = human.region.project(rng.normal(scale=rng.uniform(0.05, 0.8), size=human.n))
        pose, goals = ik.Pose.forward(human, there), []
        for number in rng.choice(len(human), rng.integers(1, 7), replace=False).tolist():
            weight = 10.0 ** rng.uniform(-1.0, 1.0)
            if rng.random() < 0.3:
                goals.append(ik.Orientation(human.names[number], pose.rotation[number], weight=weight))
            else:
                away = rng.normal(scale=0.3, size=3) * (rng.random() < 0.15)
                goals.append(ik.Position(human.names[number], pose.position[number] + away, weight=weight))
        start = human.region.project(there + rng.normal(scale=rng.uniform(0.02, 0.3), size=human.n))
        wish = [ik.Posture(start)] * int(rng.random() < 0.5)
        problem = ik.Problem(human, [*goals, *wish])
        options = {"tolerance": tolerance, "rest": False, "settle": False, "far": 0.3, "string": 0.3}
        answer = ik.solve(problem, start, "damped", unseen=True, **options)
        unseen += callable(answer.off)
        assert (answer.errors <= tolerance).all() == (answer.status is ik.Status.REACHED)
    assert unseen >= 3
