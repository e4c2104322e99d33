# SPDX-License-Identifier: GPL-3.0-or-later
"""What no pose can do away with, beside what solves from many starts come to."""

import numpy as np
import pytest

import ikmath as ik
from ikmath.diagnosis.error_bounds import error_lower_bounds
from tests.ikmath.avoidance import scenes

GAP = 1e-3


def led_in(kind, seed, depth):
    """A scene whose target is pushed into what it touched, by metres; with the figure's pose."""
    scene = scenes.touching(kind, seed, GAP)
    (goal,), (thing,) = scene.problem.goals, scene.problem.obstacles
    away = thing.nearest(goal.target).normal[0]
    problem = scene.problem.with_targets([goal.with_targets(target=goal.target - depth * away)])
    return problem, scene.start, ik.Pose.forward(problem.skeleton, scene.start)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", scenes.FIGURES)
def test_nobody_comes_nearer(kind, seed):
    problem, start, pose = led_in(kind, seed, 0.02)
    (least,) = error_lower_bounds(problem, pose)
    assert least > 0.0
    rng = np.random.default_rng(seed)
    for _ in range(4):
        there = problem.skeleton.joint_limits.project(start + 0.3 * rng.normal(size=len(start)))
        solution = ik.solve(problem, there, max_iterations=100)
        if solution.clearance >= 0.0:
            assert solution.errors[0] >= least - 1e-9


@pytest.mark.parametrize("seed", [0, 1, 3])  # a rectangle has no inside to be deep in
@pytest.mark.parametrize("kind", scenes.FIGURES)
def test_it_is_as_much_as_the_target_is_too_deep(kind, seed):
    problem, _, pose = led_in(kind, seed, 0.02)
    assert error_lower_bounds(problem, pose) == pytest.approx([0.02 - GAP], abs=1e-6)


@pytest.mark.parametrize("kind", scenes.FIGURES)
def test_what_can_be_reached_is_not_said_to_be_short(kind):
    for seed in range(4):
        problem, _, pose = led_in(kind, seed, 0.0)
        assert error_lower_bounds(problem, pose).tolist() == [0.0]
    free = ik.Problem(problem.skeleton, problem.goals)
    assert error_lower_bounds(free, pose).tolist() == [0.0]


def test_a_place_away_from_its_links_may_go_in():
    """A tool's tip that sticks out of the capsules is not kept out; nor is one of which an axis is free."""
    arm = ik.figures.ball_chain(3, 0.3)
    body = ik.Body([ik.Link("ball2", (0, 0, 0), (0, 0.3, 0), radius=0.04)])
    wall = ik.HalfSpace((0, 0, 0.5), (0, 0, -1))
    pose = ik.Pose.forward(arm, np.zeros(arm.n))
    for offset, most in (((0, 0.3, 0), 0.1), ((0, 0.38, 0), 0.02), ((0, 0.4, 0), 0.0)):
        goal = ik.Position("ball2", (0.0, 0.5, 0.56), offset)
        found = error_lower_bounds(ik.Problem(arm, [goal], obstacles=[wall], body=body), pose)
        assert found == pytest.approx([most])
    masked = ik.Position("ball2", (0.0, 0.5, 0.56), (0, 0.3, 0), axes="xy")
    assert error_lower_bounds(ik.Problem(arm, [masked], obstacles=[wall], body=body), pose).tolist() == [0.0]


@pytest.mark.parametrize("mesh", [False, True])
@pytest.mark.parametrize("reached", [False, True])
def test_a_figure_that_cannot_move_inside_an_obstacle_is_infeasible(mesh, reached):
    figure = ik.Skeleton([ik.Joint("a", turns=""), ik.Joint("b", "a", translation=(0, 1, 0), turns="")])
    body = ik.Body([ik.Link("a", (0, 0, 0), (0, 1, 0), 0.1)])
    if mesh:
        corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
        quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        faces = [three for a, b, c, d in quads for three in ((a, b, c), (a, c, d))]
        ball = ik.TriangleMesh(corners, faces, name="Ball")
    else:
        ball = ik.Sphere((0, 0.5, 0), 0.5, name="Ball")
    goal = ik.Position("b", (0, 1, 0) if reached else (3, 3, 3))
    answer = ik.solve(ik.Problem(figure, [goal], obstacles=[ball], body=body))
    assert answer.status is ik.Status.INFEASIBLE
    assert "a goes " in answer.message and "into Ball" in answer.message
    assert answer.clearance < -0.5
    far = ik.solve(ik.Problem(figure, [goal], obstacles=[ball.moved(np.eye(3), (9, 0, 0))], body=body))
    assert far.status is (ik.Status.REACHED if reached else ik.Status.BEST_EFFORT) and far.clearance > 5
