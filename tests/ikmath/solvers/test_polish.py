# SPDX-License-Identifier: GPL-3.0-or-later
"""The last hair's breadth: a minimum to rounding, inside all limits, which is found again where it is."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.classic.newton_refinement import polished
from tests.ikmath import oracle, trees


def squares(problem, q):
    """Weighed squares of errors, as the solvers see them."""
    error, _ = problem.stack.evaluate(problem.tasks, ik.Pose.forward(problem.skeleton, q))
    return float(((error * problem.stack.scale) ** 2).sum())


def ended(problem, start):
    """Where an ordinary method ends, short of the target."""
    return ik.solve(problem, start, "damped", max_iterations=100).q


@pytest.mark.parametrize("target", [(0, 6, 0), (5, 1, 2), (3, -3, 3), (0, -7, 0), (2.9, 2.9, 0)])
def test_a_chain_is_stretched_to_rounding(target):
    skeleton = ik.figures.ball_chain(4)
    problem = ik.Problem(skeleton, [ik.Position("tip", target)])
    q = polished(problem, ended(problem, np.full(12, 0.1)))[0]
    tip = oracle.point(skeleton, q, "tip")
    np.testing.assert_allclose(tip, 4 * np.array(target) / np.linalg.norm(target), atol=1e-7)


@pytest.mark.parametrize("seed", range(12))
def test_limits_hold_and_no_way_on_goes_down(seed):
    """Figures with quarter ellipses, strips and sides without room, targets out of reach."""
    rng = np.random.default_rng(seed)
    skeleton = trees.tree(rng, 5, "odd")
    joint = skeleton.names[-1]
    target = 3 * ik.Pose.forward(skeleton, trees.inside(rng, skeleton)).point(joint) + 1.0
    goals = [ik.Position(joint, target)]
    if seed % 2:
        goals.append(ik.Orientation(joint, trees.rotation(rng), weight=0.1))
    problem = ik.Problem(skeleton, goals)
    q = ended(problem, trees.inside(rng, skeleton))
    for _ in range(4):  # a round of calls ends where nothing is left to gain
        (q, rests), before = polished(problem, q), q
        assert squares(problem, q) <= squares(problem, before) * (1 + 1e-12)
        assert oracle.outside_region(skeleton, q) <= 1e-9
    np.testing.assert_allclose(polished(problem, q)[0], q, atol=1e-7)
    assert rests
    least = squares(problem, q)
    for size in (1e-3, 1e-2):
        for _ in range(60):
            near = skeleton.joint_limits.project(q + size * rng.normal(size=skeleton.n))
            assert squares(problem, near) >= least * (1 - 1e-9)


def test_what_is_reached_stays():
    skeleton = ik.figures.human()
    problem = ik.Problem(skeleton, [ik.Position("wrist.L", (0.3, -0.4, 1.2))])
    q = ik.solve(problem).q
    np.testing.assert_allclose(polished(problem, q)[0], q, atol=1e-3)
    assert problem.errors(ik.Pose.forward(skeleton, polished(problem, q)[0]))[0] < 1e-6


def test_nothing_is_changed_and_all_is_repeatable():
    skeleton = ik.figures.ball_chain(3, limit=0.6)
    problem = ik.Problem(skeleton, [ik.Position("tip", (3, -1, 1))])
    q = ended(problem, np.full(9, 0.1))
    before = q.copy()
    first, _ = polished(problem, q)
    np.testing.assert_array_equal(q, before)
    np.testing.assert_array_equal(polished(problem, q)[0], first)


@pytest.mark.parametrize("seed", range(4))
def test_who_has_come_to_rest_is_not_said_to_come_nearer(seed):
    """Several effectors pull a whole figure apart."""
    rng = np.random.default_rng(seed)
    skeleton = ik.figures.human()
    ends = ("wrist.L", "wrist.R", "ankle.L", "ankle.R", "head")
    pose = ik.Pose.forward(skeleton, np.zeros(skeleton.n))
    goals = [ik.Position(end, pose.point(end) + rng.uniform(-0.6, 0.6, 3)) for end in ends]
    solution = ik.solve(ik.Problem(skeleton, goals), pose.q)
    assert solution.status is ik.Status.BEST_EFFORT
    assert "iterations" not in solution.message
