# SPDX-License-Identifier: GPL-3.0-or-later
"""Ki & Sheen, section 6, as a method: its printed form, its order, and what limits do to it."""

import numpy as np
import pytest

import ikmath as ik
from tests.ikmath import trees
from tests.ikmath.solvers.one_step import arm_problem, step


@pytest.mark.parametrize("priorities", [(0,), (0, 1), (1, 0), (0, 1, 2), (0, 0, 1)])
def test_prioritized_in_its_printed_form_is_the_shortest_common_solution(priorities):
    """Theorem 6.19: for full rank the order does not matter."""
    problem, q = arm_problem(7, priorities)
    z = np.random.default_rng(5).normal(size=len(q))
    dq, error, rows = step("prioritized", problem, q, z, damping=0.0, threshold=0.0)
    inverse = np.linalg.pinv(rows)
    assert np.abs(dq - (-inverse @ error + z - inverse @ (rows @ z))).max() < 1e-9


def test_prioritized_decides_a_conflict_for_the_stronger_goal():
    chain = ik.figures.planar_chain([1, 1, 1, 1])
    for strong, weak in ((0, 1), (1, 0)):
        goals = [
            ik.Position("tip", (1.5, 2.0, 0), priority=strong),
            ik.Position("link3", (-2.0, 1.0, 0), priority=weak),  # 3.6 away, and the last link is 1 long
        ]
        answer = ik.solve(
            ik.Problem(chain, goals), np.array([0.3, 0.2, 0.1, 0.2]), "prioritized", max_iterations=200
        )
        assert answer.errors[strong] < 1e-4, "the stronger is met"
        # The weaker is as near as the last link allows.
        assert answer.errors[weak] == pytest.approx(np.hypot(3.5, 1.0) - 1.0, abs=1e-3)


def test_prioritized_survives_what_the_printed_form_does_not():
    chain = ik.figures.planar_chain([1, 1, 1, 1])
    goals = [ik.Position("tip", (5.0, 0.01, 0)), ik.Position("link2", (0.5, 1.9, 0), priority=1)]
    problem, q = ik.Problem(chain, goals), np.array([1e-9, 1e-9, -1e-9, 1e-9])
    wild, _, _ = step("prioritized", problem, q, damping=0.0, threshold=0.0)
    tame, _, _ = step("prioritized", problem, q)
    assert np.abs(wild).max() > 1e3
    assert np.abs(tame).max() < 10
    answer = ik.solve(problem, q + 0.1, "prioritized", max_iterations=200)
    assert answer.errors[0] == pytest.approx(1.0, abs=2e-3), "the first stretches as far as it goes"


def strict_scene(seed, weights=(1.0, 1.0)):
    """A limited figure; a place that it can reach, and a weaker one that other poses reach; a start."""
    rng = np.random.default_rng(seed)
    figure = trees.tree(rng, 6, "all")
    goals = []
    for priority, weight in enumerate(weights):
        name, offset = figure.names[rng.integers(len(figure))], rng.normal(size=3) * 0.2
        there = ik.Pose.forward(figure, figure.joint_limits.project(0.5 * trees.inside(rng, figure)))
        goals.append(ik.Position(name, there.point(name, offset), offset, weight, priority))
    return figure, goals, 0.2 * trees.inside(rng, figure)


@pytest.mark.parametrize("weights", [(1.0, 1.0), (1e-3, 1e3)], ids=str)
@pytest.mark.parametrize("seed", range(24))
def test_prioritized_gives_nothing_of_a_strong_goal_to_a_weak_one_that_runs_into_limits(seed, weights):
    figure, goals, start = strict_scene(seed, weights)
    alone = ik.solve(ik.Problem(figure, goals[:1]), start, "prioritized", max_iterations=200)
    both = ik.solve(ik.Problem(figure, goals), start, "prioritized", max_iterations=200)
    assert both.errors[0] <= max(1.01 * alone.errors[0], 1e-4)
    assert figure.joint_limits.violation(both.q).max() <= 1e-9


def test_prioritized_knows_no_weights_between_levels():
    figure, goals, start = strict_scene(3)
    first = ik.solve(ik.Problem(figure, goals), start, "prioritized", rest=False)
    _, heavy, _ = strict_scene(3, (1e-4, 1e4))
    second = ik.solve(ik.Problem(figure, heavy), start, "prioritized", rest=False)
    np.testing.assert_allclose(second.q, first.q, atol=1e-6)
