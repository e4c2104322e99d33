# SPDX-License-Identifier: GPL-3.0-or-later
"""Where figures end whose goals are out of reach, by each method that rests; and what that leaves alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import ikmath as ik
from ikmath.classic.methods.nonlinear import objective
from ikmath.classic.rest import Resting, RestOptions
from tests.ikmath.test_solver_contract import problem_of

RESTING = [name for name, method in ik.METHODS.items() if isinstance(method, Resting)]
BY_STEPS = [name for name in RESTING if name not in ("nonlinear", "lagrange")]
METHODS = pytest.mark.parametrize("method", RESTING)


def far(skeleton, **given):
    return ik.Problem(skeleton, [ik.Position("tip", (3, -3, 3))], **given)


def test_the_texts_methods_come_to_rest():
    assert set(RESTING) == {
        "damped", "pseudoinverse", "control", "prioritized", "bounded", "nonlinear", "lagrange", "transpose",
    }  # fmt: skip
    assert all(issubclass(ik.METHODS[name].options, RestOptions) for name in RESTING)


@METHODS
def test_what_can_be_reached_is_not_touched(method):
    skeleton = ik.figures.ball_chain(5, 1.0, limit=1.0)
    for seed in range(3):
        problem, start, _ = problem_of(skeleton, ["tip"], seed)
        a, b = (ik.solve(problem, start, method, max_iterations=500, rest=rest) for rest in (True, False))
        assert a.status is ik.Status.REACHED
        np.testing.assert_array_equal(a.q, b.q)
        assert a.iterations == b.iterations


@METHODS
def test_rest_is_no_farther_than_where_the_method_stopped(method):
    problem = far(ik.figures.ball_chain(4))
    bare = ik.solve(problem, np.full(12, 0.1), method, max_iterations=3000, rest=False)
    still = ik.solve(problem, np.full(12, 0.1), method, max_iterations=3000)
    assert still.errors[0] <= bare.errors[0]
    assert still.errors[0] == pytest.approx(np.sqrt(27) - 4, abs=1e-9)
    assert still.iterations == bare.iterations


@pytest.mark.parametrize("target", [(0, 0, 0), (0, 1, 0), (0, -2.5, 0), (0, -6, 0)])
@METHODS
def test_a_straight_chain_is_left_though_nothing_slopes(method, target):
    """The target lies on the chain's own line: no joint's turn changes the distance to first order."""
    problem = ik.Problem(ik.figures.ball_chain(4), [ik.Position("tip", target)])
    solution = ik.solve(problem, None, method)
    assert solution.errors[0] - max(0.0, np.linalg.norm(target) - 4.0) < 1e-4, solution.message


@pytest.mark.parametrize("side", [1, -1])
@METHODS
def test_an_elbow_is_bent_to_the_side_that_it_has(method, side):
    low, high = sorted((0.0, 2.5 * side))
    joints = [
        ik.Joint("upper", turns="x"),
        ik.Joint("lower", "upper", translation=(0, 1, 0), turns="x", lower=low, upper=high),
        ik.Joint("tip", "lower", translation=(0, 1, 0), turns=""),
    ]
    solution = ik.solve(ik.Problem(ik.Skeleton(joints), [ik.Position("tip", (0, 1.2, 0))]), None, method)
    assert solution.status is ik.Status.REACHED and side * solution.q[1] > 1.0


@METHODS
def test_a_motion_goes_on_without(method):
    problem, start = far(ik.figures.ball_chain(4)), np.full(12, 0.1)
    before = ik.solve(problem, start, method, max_iterations=500)
    going = ik.solve(problem, start, method, following=before, max_iterations=500)
    bare = ik.solve(problem, start, method, rest=False, max_iterations=500)
    np.testing.assert_array_equal(going.q, bare.q)


@pytest.mark.parametrize("method", list(ik.METHODS))
def test_who_asks_briefly_gets_no_last_digits(method):
    skeleton = ik.figures.planar_chain([1.0, 1.0])
    problem, start = ik.Problem(skeleton, [ik.Position("tip", (3, -3, 0))]), np.array([0.1, 0.2])
    brief, bare = (
        ik.solve(problem, start, method, **asked) for asked in ({"brief": True}, ik.METHODS[method].briefly)
    )
    np.testing.assert_array_equal(brief.q, bare.q)


@pytest.mark.parametrize("limits", [name for name in ik.LIMITS if name != "projection"])
@pytest.mark.parametrize("method", BY_STEPS)
def test_limit_methods_that_lock_or_give_are_left_their_ways(method, limits):
    skeleton = ik.figures.planar_chain([1.0, 1.0, 1.0], limit=0.5)
    problem, start = far(skeleton, limits=limits), np.full(3, 0.1)
    a, b = (ik.solve(problem, start, method, max_iterations=200, rest=rest) for rest in (True, False))
    np.testing.assert_array_equal(a.q, b.q)


def test_plain_euler_steps_are_left_as_they_are():
    problem, start = far(ik.figures.ball_chain(4)), np.full(12, 0.1)
    a, b = (ik.solve(problem, start, "pseudoinverse", tracking=np.inf, rest=rest) for rest in (True, False))
    np.testing.assert_array_equal(a.q, b.q)


def levels(figure, strong, weak):
    """A figure whose tip wants to one place and whose middle, less strongly, to another."""
    middle = figure.names[len(figure) // 2]
    return ik.Problem(figure, [ik.Position(figure.names[-1], strong), ik.Position(middle, weak, priority=1)])


@pytest.mark.parametrize(
    "figure", [ik.figures.planar_chain([1.0] * 5), ik.figures.ball_chain(5)], ids=["planar", "ball"]
)
@pytest.mark.parametrize(
    ("strong", "weak"), [((7, 1, 0), (0, 0, 3)), ((0, 8, 0), (3, 0, 0)), ((2, 1, 0), (-2, 1, 0))]
)
def test_two_levels_rest_in_their_order(figure, strong, weak):
    """The strong goal as near as if it were alone, the weak one as near as that allows; and it stays."""
    problem = levels(figure, strong, weak)
    answer = ik.solve(problem, np.full(figure.n, 0.1), "prioritized", max_iterations=300)
    assert answer.status is ik.Status.BEST_EFFORT
    assert answer.errors[0] == pytest.approx(max(0.0, np.linalg.norm(strong) - 5), abs=1e-8)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2):
        for _ in range(100):
            near = ik.Pose.forward(
                figure, figure.joint_limits.project(answer.q + size * rng.normal(size=figure.n))
            )
            errors = problem.errors(near)
            assert errors[0] > answer.errors[0] - 1e-9
            assert errors[1] > answer.errors[1] - 1e-6 or errors[0] > answer.errors[0] + 1e-9
    again = ik.solve(problem, answer.q, "prioritized", max_iterations=300)
    np.testing.assert_array_equal(again.q, answer.q)


def test_three_levels_are_left_to_the_recursion():
    skeleton = ik.figures.planar_chain([1.0, 1.0, 1.0])
    goals = [ik.Position("tip", (k - 2.0, 3, 0), priority=k) for k in range(3)]
    a, b = (
        ik.solve(ik.Problem(skeleton, goals), np.full(3, 0.1), "prioritized", rest=rest)
        for rest in (True, False)
    )
    np.testing.assert_array_equal(a.q, b.q)


@pytest.mark.parametrize("gamma", [1e-4, 0.01, 0.15])
def test_nonlinear_rests_at_the_minimum_of_its_own_function(gamma):
    """Not at the nearest pose, if a large gamma asks for something else."""
    skeleton = ik.figures.planar_chain([1, 0.8, 0.6], limit=0.7)
    problem = ik.Problem(skeleton, [ik.Position("tip", (-0.4, 2.6, 0))])
    function = objective(problem, gamma)
    answer = ik.solve(problem, np.full(3, 0.1), "nonlinear", gamma=gamma)
    bounds = list(zip(skeleton.lower, skeleton.upper, strict=True))
    judge = minimize(function, answer.q, jac=True, bounds=bounds, tol=1e-15)
    assert function(answer.q)[0] <= judge.fun * (1 + 1e-10)
    slope = function(answer.q)[1]
    assert np.abs(np.clip(answer.q - slope, skeleton.lower, skeleton.upper) - answer.q).max() < 1e-9


def test_many_frames_rest_where_each_alone_does():
    skeleton = ik.figures.ball_chain(4, limit=1.0)
    starts = 0.2 * np.random.default_rng(1).normal(size=(4, 12))
    problem = far(skeleton)
    together = ik.solve(problem, starts, "damped", max_iterations=200)
    for i, start in enumerate(starts):
        alone = ik.solve(problem, start, "damped", max_iterations=200)
        np.testing.assert_allclose(together.q[i], alone.q, atol=1e-5)  # twists of straight limbs are free
        np.testing.assert_allclose(together.errors[i], alone.errors, atol=1e-9)
        again = ik.solve(problem, together.q[i], "damped", max_iterations=200)
        np.testing.assert_allclose(again.q, together.q[i], atol=1e-6)
