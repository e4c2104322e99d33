# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps towards a place that aim off by what the limb's arc will make of them."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.solvers.arc_correction import ArcCorrection
from ikmath.solvers.iterate import Iterate
from ikmath.solvers.parameters import DEFAULTS


def at(problem: ik.Problem, q: np.ndarray) -> Iterate:
    return Iterate(problem, ik.Pose.forward(problem.skeleton, q), None)


def aside(problem: ik.Problem, q: np.ndarray) -> np.ndarray | None:
    return ArcCorrection(problem, DEFAULTS.arc_gain).aside(at(problem, q))


@pytest.mark.parametrize("turn", [1e-3, 0.4, 2.5])
@pytest.mark.parametrize("bend", [0.5, 1.0])
def test_a_step_is_the_one_that_is_best_in_polar_coordinates(turn, bend):
    # a limb of two bones that is held at its root: the target is its tip turned about the root, and nearer
    skeleton = ik.figures.ball_chain(2)
    q = np.array([0.0, 0.0, 0.0, 0.9, 0.0, 0.3])
    tip, axis = ik.Pose.forward(skeleton, q).point("tip"), np.array([0.6, 0.0, 0.8])
    axis -= axis @ tip / (tip @ tip) * tip
    axis /= np.linalg.norm(axis)
    target = bend * (np.cos(turn) * tip + np.sin(turn) * np.cross(axis, tip))
    problem = ik.Problem(skeleton, [ik.Position("tip", target, weight=4.0)])
    tangent = (bend - 1.0) * tip + turn * np.cross(axis, tip)
    missed = ((target - tip) - tangent) * problem.stack.scale
    np.testing.assert_allclose(aside(problem, q), missed, atol=1e-9)


def test_no_arc_where_there_is_none():
    skeleton = ik.figures.ball_chain(3)
    q = np.full(skeleton.n, 0.2)
    tip = ik.Pose.forward(skeleton, q).point("tip")
    for target in (0.5 * tip, np.zeros(3), 2.0 * skeleton.size * tip[::-1], tip):
        found = aside(ik.Problem(skeleton, [ik.Position("tip", target)]), q)
        np.testing.assert_allclose(found, 0.0, atol=1e-9)
    turned = ik.Problem(skeleton, [ik.Orientation("tip", np.eye(3))])
    assert aside(turned, q) is None
    figure = ik.figures.human()  # whose root slides: nothing holds the hand's circle
    assert aside(ik.Problem(figure, [ik.Position("wrist.L", (0.3, 1.0, 1.0))]), figure.rest) is None


def test_arcs_are_left_where_they_do_not_help():
    skeleton = ik.figures.ball_chain(3)
    problem = ik.Problem(skeleton, [ik.Position("tip", (1.0, 0.5, 1.0))])
    here, arcs = at(problem, np.full(skeleton.n, 0.2)), ArcCorrection(problem, DEFAULTS.arc_gain)
    assert np.abs(arcs.aside(here)).max() > 1e-3
    assert arcs.aside(here) is None  # nothing has been gained since
    assert arcs.aside(here) is None


def test_targets_within_reach_take_few_steps():
    skeleton = ik.figures.ball_chain(30)
    start = np.zeros(skeleton.n)
    start[::3] = np.radians(4)
    draw, steps = np.random.default_rng(4), []
    for _ in range(40):
        target = ik.Pose.forward(skeleton, draw.uniform(-0.5, 0.5, skeleton.n)).point("tip")
        answer = ik.solve(ik.Problem(skeleton, [ik.Position("tip", target)]), start)
        assert answer.status is ik.Status.REACHED
        steps.append(answer.iterations)
    assert np.mean(steps) < 4.2  # straight ones: six
