# SPDX-License-Identifier: GPL-3.0-or-later
"""Who asks again from where a solve ended gets the same: nothing creeps on, and nothing trembles."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import ikmath as ik
from ikmath.classic.newton_refinement import _Model
from tests.ikmath import trees

SAME = 1e-6  # of the figure's size


def moved(problem, answer, **asked):
    """How far joints go when it is asked again, in figure sizes."""
    again = ik.solve(problem, answer.q, **asked)
    before, after = (ik.Pose.forward(problem.skeleton, one.q).position for one in (answer, again))
    return np.abs(after - before).max() / problem.length


@pytest.mark.parametrize("gain", [1.0, 0.1])
def test_a_posture_has_settled_out_of_reach(gain):
    figure = ik.figures.ball_chain(5, 1.0, limit=0.8)
    for seed in range(6):
        rng = np.random.default_rng([4, seed])
        tip = ik.Pose.forward(figure, trees.inside(rng, figure)).point("tip")
        wish = ik.Posture(figure.joint_limits.project(0.4 * rng.normal(size=figure.n)), gain=gain)
        problem = ik.Problem(figure, [ik.Position("tip", 3.0 * tip), wish])
        answer = ik.solve(problem, trees.inside(rng, figure), max_iterations=100)
        assert moved(problem, answer) < SAME, seed


@pytest.mark.parametrize("method", ["nonlinear", "lagrange"])
@pytest.mark.parametrize("seed", range(8))
def test_who_minimises_how_far_the_figure_is_from_rest_has_come_to_the_end_of_it(method, seed):
    """Of the poses nearest to what is out of reach the one nearest to rest is found, however flat that is."""
    rng = np.random.default_rng([77, seed])
    figure = trees.tree(rng, 7, "all" if seed % 2 else "some")
    end = figure.names[-1]
    far = 3.0 * ik.Pose.forward(figure, trees.inside(rng, figure)).point(end)
    problem = ik.Problem(figure, [ik.Position(end, far)])
    asked = {"method": method, "max_iterations": 400}
    answer = ik.solve(problem, trees.inside(rng, figure), **asked)
    assert answer.status is ik.Status.REACHED or moved(problem, answer, **asked) < SAME


@pytest.mark.parametrize("seed", range(12))
def test_levels_out_of_reach_are_at_rest(seed):
    rng = np.random.default_rng([6, seed])
    figure = trees.tree(rng, 8, "all")
    goals = []
    for priority, name in enumerate([figure.names[-1], figure.names[len(figure) // 2]]):
        place = ik.Pose.forward(figure, trees.inside(rng, figure)).point(name)
        goals.append(ik.Position(name, place * (1.0 + 1.5 * priority), priority=priority))
    problem = ik.Problem(figure, goals)
    assert moved(problem, ik.solve(problem, trees.inside(rng, figure))) < SAME


def test_a_weak_goal_is_led_along_a_strong_one_in_few_rounds(monkeypatch):
    """What a strong goal holds a weak one to is followed round its bends, not left and found again."""
    rounds = 0
    best = _Model.best

    def counted(*args):
        nonlocal rounds
        rounds += 1
        return best(*args)

    monkeypatch.setattr(_Model, "best", counted)
    for seed in range(10):
        rng = np.random.default_rng([3, seed])
        figure = trees.tree(rng, 7, "some")
        end, before = figure.names[-1], figure.names[-2]
        near, _, far = (ik.Pose.forward(figure, trees.inside(rng, figure)).point(end) for _ in range(3))
        goals = [ik.Position(end, near), ik.Position(before, 3.0 * far, priority=1)]
        ik.solve(ik.Problem(figure, goals), trees.inside(rng, figure))
    assert rounds < 100, rounds


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_levels_that_weigh_nothing_and_huge_errors_are_beyond_no_number(size):
    figure = ik.figures.planar_chain([size, size, size], limit=2.0)
    far = np.array([-1e3, 2e3, 0.0]) * size
    goals = [
        ik.Position("tip", far, weight=0.0),
        ik.Position("link2", far, weight=1e6, priority=1),
        ik.Position("tip", -far, priority=2),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = ik.solve(ik.Problem(figure, goals), np.full(figure.n, 0.1))
    assert np.isfinite(answer.q).all() and answer.status is not ik.Status.REACHED
