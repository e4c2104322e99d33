# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure moves alike in any unit of length, its slides beside its turns, and by goals of any weight."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.postures.objective import PostureObjective
from ikmath.solvers.iterate import Iterate, Merit
from ikmath.solvers.parameters import HierarchicalParameters
from tests.ikmath import trees
from tests.ikmath.postures import people
from tests.ikmath.test_any_problem import scaled

STEPWISE = ("hierarchical", "damped", "pseudoinverse", "control", "prioritized", "bounded", "transpose")
PROGRAMS = ("nonlinear", "lagrange")
SIZES = (1.0, 1e-3, 1e3)


def answers(method, seed, limits, **options):
    """(figure, solution for each of `SIZES`) of a random tree with slides and a target that it can reach."""
    rng = np.random.default_rng(seed)
    figure = trees.tree(rng, 6, limits)
    target = ik.Pose.forward(figure, trees.inside(rng, figure)).point(figure.names[-1])
    found = []
    for size in SIZES:
        large = scaled(figure, size)
        problem = ik.Problem(large, [ik.Position(figure.names[-1], size * target)])
        found.append(ik.solve(problem, None, method, tolerance=1e-4 * size, **options))
    return figure, found


def with_slides(limits):
    seeds = range(30)
    return [s for s in seeds if not trees.tree(np.random.default_rng(s), 6, limits).is_turn.all()][:12]


@pytest.mark.parametrize("method", [*STEPWISE, *PROGRAMS])
def test_without_limits_the_pose_is_the_same_but_for_rounding(method):
    for seed in with_slides("none"):
        figure, found = answers(method, seed, "none")
        strides = [np.where(figure.is_turn, 1.0, size) for size in SIZES]
        for answer, stride in zip(found, strides, strict=True):
            assert answer.status is ik.Status.REACHED
            assert abs(answer.iterations - found[0].iterations) <= 1
            np.testing.assert_allclose(answer.q / stride, found[0].q, atol=1e-9)


@pytest.mark.parametrize("method", [*STEPWISE, *PROGRAMS])
def test_with_limits_what_is_reached_in_one_size_is_in_the_others(method):
    for seed in with_slides("all"):
        _, found = answers(method, seed, "all")
        assert len({answer.status for answer in found}) == 1


@pytest.mark.parametrize("method", ["damped", "pseudoinverse", "prioritized"])
@pytest.mark.parametrize("frames", [(), (1,)])
def test_steps_that_end_at_limits_are_the_same_in_any_size(method, frames):
    """Metres are compared with metres there, and radians with radians."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        root = ik.Joint("root", slides="xyz", lower=[-0.2] * 3 + [-0.5] * 3, upper=[0.2] * 3 + [0.5] * 3)
        joints, angles = [root], rng.uniform(0.3, 0.9, (5, 3))
        for angle in angles:
            above = joints[-1].name
            joints.append(
                ik.Joint(f"b{len(joints)}", above, translation=(0, 0.3, 0), lower=-angle, upper=angle)
            )
        target, found = np.add(rng.normal(size=3), (0, 0.6, 0)), []
        for size in SIZES:
            large = scaled(ik.Skeleton(joints), size)
            problem = ik.Problem(large, [ik.Position("b5", size * target)])
            start = np.broadcast_to(large.rest, (*frames, large.n))
            answer = ik.solve(problem, start, method, max_iterations=3, tolerance=1e-9 * size)
            found.append(answer.q / np.where(large.is_turn, 1.0, size))
        np.testing.assert_allclose(found, np.broadcast_to(found[0], np.shape(found)), atol=1e-9)


@pytest.mark.parametrize("method", ["hierarchical", "nonlinear"])
def test_out_of_reach_every_size_ends_as_near(method):
    for seed in with_slides("all"):
        rng = np.random.default_rng(seed)
        figure = trees.tree(rng, 6, "all")
        target, errors = rng.normal(size=3) * 30.0, []
        for size in SIZES:
            problem = ik.Problem(scaled(figure, size), [ik.Position(figure.names[-1], size * target)])
            errors.append(ik.solve(problem, None, method, tolerance=1e-4 * size).errors[0] / size)
        np.testing.assert_allclose(errors, errors[0], rtol=1e-9)


@pytest.mark.parametrize("weight", [1e-6, 1e6])
def test_what_a_lone_goal_weighs_is_no_matter_to_nonlinear_programming(weight):
    chain = ik.figures.ball_chain(20, 0.2)
    goals = [ik.Position("tip", (1.0, 2.0, -0.5), weight=w) for w in (1.0, weight)]
    one, other = (ik.solve(ik.Problem(chain, [goal]), None, "nonlinear") for goal in goals)
    assert one.status is other.status is ik.Status.REACHED
    assert abs(one.iterations - other.iterations) <= 1
    np.testing.assert_allclose(other.q, one.q, atol=1e-6)


@pytest.mark.parametrize("weights", [(1.0, 1e6), (1e-6, 1.0), (1.0, 1e-6)])
def test_nor_what_goals_weigh_that_can_all_be_met(weights):
    """What keeps the pose near the posture is weaker than the lightest of them."""
    rng, figure = np.random.default_rng(3), ik.figures.planar_chain([0.4] * 8)
    there = ik.Pose.forward(figure, rng.uniform(-1.0, 1.0, figure.n)).point(["tip", "link4"])
    problem = ik.Problem(figure, [ik.Position(["tip", "link4"], there, weight=weights)])
    answer = ik.solve(problem, None, "nonlinear", max_iterations=2000)
    assert answer.status is ik.Status.REACHED


@pytest.mark.parametrize("oriented", [False, True])
def test_a_posture_weighs_the_same_beside_goals_in_any_size(oriented):
    """The merit of steps compares goals and posture, so its weights must not depend on the unit of length."""
    merits = []
    for size in SIZES:
        figure, tips = people.skeleton(scale=size)
        posture = PostureObjective.of(figure, figure.rest, tips=tips)
        goals = [ik.Position("hand.l", np.multiply(size, (0.3, -0.5, 1.2)), weight=4.0)]
        if oriented:
            goals.append(ik.Orientation("head", np.eye(3)))
        problem = ik.Problem(figure, goals, posture=posture)
        merit = Merit(len(problem.stack.levels), True, HierarchicalParameters())
        start, end = (
            Iterate(problem, ik.Pose.forward(figure, q), posture.evaluate)
            for q in (figure.rest, _bent(figure))
        )
        merits.append(merit.gain(start.all_costs, end.all_costs))
    np.testing.assert_allclose(merits, merits[0], rtol=1e-9)


def _bent(figure):
    """A pose (n,) with turns alone."""
    return np.where(figure.is_turn, 0.1, figure.rest)


@pytest.mark.parametrize("weight", [1e-40, 1e-16, 1e-6, 1e6, 1e12])
@pytest.mark.parametrize("target", [(1.0, 1.0, 1.0), (9.0, 9.0, 9.0)])
def test_a_weight_counts_against_others_of_its_level_alone(weight, target):
    """What is alone in its level ends where it ends with a weight of one, also above a posture."""
    figure = ik.figures.ball_chain(4, 1.0)
    posture = ik.Posture(np.full(figure.n, 0.05))

    def found(weight):
        goals = [
            ik.Position("tip", target, weight=weight),
            ik.Position("ball2", (0, 3, 0), priority=1),
            posture,
        ]
        return ik.solve(ik.Problem(figure, goals), posture.q).q

    np.testing.assert_allclose(found(weight), found(1.0), atol=1e-9)
