# SPDX-License-Identifier: GPL-3.0-or-later
"""One tolerance for metres and one for radians, for every method."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from tests.ikmath.oracle import rodrigues

FINE, COARSE = 1e-7, 0.2
BY_ANGLE = sorted(
    name for name, method in ik.METHODS.items() if method.takes is None or "Orientation" in method.takes
)
OPTIONS = {"nonlinear": {"gamma": 1e-7}, "lagrange": {"rest": False}}


@pytest.fixture
def arm() -> ik.Skeleton:
    links = [ik.Joint(f"j{i}", f"j{i - 1}" if i else None, translation=(0, 0.3, 0)) for i in range(4)]
    return ik.Skeleton(links)


@pytest.fixture
def start(arm) -> np.ndarray:
    return 0.3 * np.random.default_rng(0).normal(size=arm.n)


def _problem(arm, start) -> ik.Problem:
    """A place and a turn that can both be had."""
    pose = ik.Pose.forward(arm, start + 0.4 * np.random.default_rng(1).normal(size=arm.n))
    tip = (0.0, 0.3, 0.0)
    return ik.Problem(
        arm,
        [ik.Position("j3", pose.point("j3", tip), offset=tip), ik.Orientation("j3", pose.frame("j3"))],
    )


def _plain_errors(arm, q, problem):
    place, turn = problem.goals
    pose = ik.Pose.forward(arm, q)
    apart = np.linalg.norm(pose.point("j3", (0.0, 0.3, 0.0)) - place.target[0])
    trace = np.trace(pose.frame("j3") @ turn.target[0].T)
    return apart, np.arccos(np.clip((trace - 1.0) / 2.0, -1.0, 1.0))


@pytest.mark.parametrize("name", BY_ANGLE)
def test_metres_and_radians_have_tolerances_of_their_own(arm, start, name):
    problem = _problem(arm, start)
    told = {"max_iterations": 500, **OPTIONS.get(name, {})}
    for tolerance, angle in ((FINE, COARSE), (COARSE, FINE), (COARSE, COARSE)):
        answer = ik.solve(problem, start, name, tolerance=tolerance, angle_tolerance=angle, **told)
        apart, turned = _plain_errors(arm, answer.q, problem)
        reached = apart <= 1.001 * tolerance and turned <= 1.001 * angle + 1e-7
        assert (answer.status is ik.Status.REACHED) == reached


@pytest.mark.parametrize("name", ["hierarchical", "damped", "pseudoinverse", "prioritized"])
def test_a_coarse_angle_ends_the_solve_sooner(arm, start, name):
    problem = _problem(arm, start)
    fine = ik.solve(problem, start, name, tolerance=1e-9, angle_tolerance=1e-9)
    for tolerance, angle in ((1e-9, 3.0), (3.0, 1e-9)):
        coarse = ik.solve(problem, start, name, tolerance=tolerance, angle_tolerance=angle)
        assert coarse.status is fine.status is ik.Status.REACHED
    loose = ik.solve(problem, start, name, tolerance=3.0, angle_tolerance=3.0)
    assert loose.iterations == 0 < fine.iterations


@pytest.mark.parametrize("name", ["hierarchical", "damped", "prioritized"])
def test_the_default_is_one_number_for_both(arm, start, name):
    problem = _problem(arm, start)
    one = ik.solve(problem, start, name, tolerance=1e-3)
    both = ik.solve(problem, start, name, tolerance=1e-3, angle_tolerance=1e-3)
    np.testing.assert_array_equal(one.q, both.q)


@pytest.mark.parametrize("name", ["damped", "hierarchical"])
def test_many_frames_and_brief_answers_heed_it(arm, start, name):
    problem = _problem(arm, start)
    starts = np.stack([start, 0.5 * start, np.zeros(arm.n)])
    told = {"tolerance": 1e-8, "angle_tolerance": 0.5}
    many = ik.solve(problem, starts, name, **told)
    for i, one in enumerate(starts):
        for brief in (False, True):
            alone = ik.solve(problem, one, name, brief=brief, **told)
            assert alone.status is many.status[i] is ik.Status.REACHED
            apart, turned = _plain_errors(arm, alone.q, problem)
            assert apart <= 1e-8 and turned <= 0.5


def test_what_is_within_its_tolerance_is_not_named_as_short(arm):
    hand = ik.Pose.forward(arm, np.zeros(arm.n)).frame("j3")
    goals = [ik.Position("j3", (0, 9, 0), name="hand"), ik.Orientation("j3", rodrigues((0.1, 0, 0)) @ hand)]
    answer = ik.solve(ik.Problem(arm, goals), tolerance=1e-3, angle_tolerance=0.2)
    assert answer.message.startswith("hand is ") and "from its target" in answer.message


def test_a_figure_without_coordinates_heeds_it():
    rigid = ik.Skeleton([ik.Joint("a", turns="")])
    problem = ik.Problem(rigid, [ik.Orientation("a", rodrigues((0.1, 0, 0)))])
    assert ik.solve(problem, tolerance=1e-6, angle_tolerance=0.2).status is ik.Status.REACHED
    assert ik.solve(problem, tolerance=0.2, angle_tolerance=1e-6).status is ik.Status.BEST_EFFORT


@pytest.mark.parametrize("value", [0.0, -1.0, "fine", np.nan])
def test_what_is_no_tolerance_is_refused(arm, start, value):
    with pytest.raises(ik.BadValue, match="angle_tolerance"):
        ik.solve(_problem(arm, start), start, angle_tolerance=value)
