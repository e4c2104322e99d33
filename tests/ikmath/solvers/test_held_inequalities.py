# SPDX-License-Identifier: GPL-3.0-or-later
"""Solves that end at a floor, a leash or an obstacle end at the constrained minimum, as scipy finds it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import ikmath as ik
from ikmath.solvers.collision_guard import CollisionGuard

CHAIN, RADIUS = ik.figures.ball_chain(5, 1.0), 0.05
BODY = ik.Body([ik.Link(f"ball{i}", (0, 0, 0), (0, 1, 0), RADIUS, name=f"link{i}") for i in range(5)])
REST = 0.15 * np.sin(np.arange(CHAIN.n) + 1.0)
POSTURE = ik.Posture(REST)


def tip(q):
    return ik.Pose.forward(CHAIN, q).point("tip")


def best_near(q, constraints):
    """The coordinates nearest to the posture within constraints, from near q, by scipy."""
    return minimize(
        lambda q: float(((q - REST) ** 2).sum()),
        q + 1e-3 * np.random.default_rng(0).normal(size=len(q)),
        jac=lambda q: 2.0 * (q - REST),
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    ).x


def test_a_leash_against_a_weaker_hand_ends_where_the_posture_is_least():
    """The tip is as near to its target as the leash lets it; the rest of the chain follows the posture."""
    at, far = np.array([0.5, 3.0, 0.0]), np.array([3.0, 3.0, 0.0])
    leash = ik.Distance("tip", (0, 0, 0), at, distance=1.0, mode="inside")
    problem = ik.Problem(CHAIN, [leash, ik.Position("tip", far, priority=1), POSTURE])
    found = ik.solve(problem, CHAIN.rest, restarts=0)
    assert found.status is ik.Status.BEST_EFFORT
    assert found.iterations < 200
    place = at + (far - at) / np.linalg.norm(far - at)
    np.testing.assert_allclose(tip(found.q), place, atol=1e-4)
    known = best_near(found.q, {"type": "eq", "fun": lambda q: tip(q) - place})
    np.testing.assert_allclose(found.q, known, atol=5e-4)
    again = ik.solve(problem, found.q, restarts=0)
    assert np.abs(again.q - found.q).max() < 1e-5


def test_a_floor_that_holds_an_elbow_leaves_the_posture_at_its_minimum():
    target, floor = np.array([2.5, 0.0, 2.5]), -0.2
    low = ["ball2", "ball3"]
    goals = [
        ik.Plane(low, (0, floor, 0), (0, 1, 0), one_sided=True),
        ik.Position("tip", target),
        ik.Posture(REST, gain=1.0),
    ]
    found = ik.solve(ik.Problem(CHAIN, goals), CHAIN.rest, restarts=0)
    assert found.status is ik.Status.REACHED
    rules = [
        {"type": "eq", "fun": lambda q: tip(q) - target},
        {"type": "ineq", "fun": lambda q: ik.Pose.forward(CHAIN, q).point(low)[:, 1] - floor},
    ]
    np.testing.assert_allclose(found.q, best_near(found.q, rules), atol=2e-5)


@pytest.mark.parametrize("shape", ["wall", "ball"])
def test_a_solve_that_ends_at_an_obstacle_ends_where_the_posture_is_least(shape):
    target = np.array([2.6, 1.2, 1.0])
    middle, size = np.array([1.2, 2.2, 0.6]), 0.9
    wall = ik.HalfSpace((0, 2.0, 0), (0, -1, 0), name="wall")
    obstacle = wall if shape == "wall" else ik.Sphere(middle, size, name="ball")
    problem = ik.Problem(CHAIN, [ik.Position("tip", target), POSTURE], obstacles=[obstacle], body=BODY)
    found = ik.solve(problem, np.append([0.0, 0.0, -1.2], np.zeros(CHAIN.n - 3)), restarts=0)

    def clearances(q):
        ends = ik.Pose.forward(CHAIN, q).point([*[f"ball{i}" for i in range(5)], "tip"])
        if shape == "wall":
            return 2.0 - RADIUS - ends[:, 1]
        way, begin = np.diff(ends, axis=0), middle - ends[:-1]
        along = np.clip((begin * way).sum(1) / (way * way).sum(1), 0.0, 1.0)
        return np.linalg.norm(begin - along[:, None] * way, axis=1) - size - RADIUS

    assert found.status is ik.Status.REACHED
    assert -1e-6 < clearances(found.q).min() < 1e-3, "it touches"
    rules = [
        {"type": "eq", "fun": lambda q: tip(q) - target},
        {"type": "ineq", "fun": clearances},
    ]
    np.testing.assert_allclose(found.q, best_near(found.q, rules), atol=1e-4)


def test_the_curvature_of_contacts_with_flat_faces_is_that_of_their_clearances():
    q = 0.3 * np.random.default_rng(3).normal(size=CHAIN.n)
    top = ik.Pose.forward(CHAIN, q).point("tip")
    wall = ik.HalfSpace(top + np.array([0, 0.09, 0]), (0.2, -1, 0.1), name="wall")
    problem = ik.Problem(CHAIN, [ik.Position("tip", (0, 4, 0))], obstacles=[wall], body=BODY)
    guard = CollisionGuard(problem, problem.scene, problem.stack.metric)
    pose = ik.Pose.forward(CHAIN, q)
    step, moves = 1e-6, np.eye(CHAIN.n)
    rows = guard.inequalities(guard.near(pose))  # of closest pairs, and of links' ends
    assert len(rows[0].rows)
    for own, known in enumerate(rows):
        forces = 1.0 + np.arange(len(known.rows))

        def slopes(q, own=own, forces=forces):
            pose = ik.Pose.forward(CHAIN, q)
            return forces.dot(guard.inequalities(guard.near(pose))[own].rows)

        expected = np.array([(slopes(q + step * d) - slopes(q - step * d)) / (2.0 * step) for d in moves])
        np.testing.assert_allclose(known.curvature(forces), expected, atol=1e-6)


@pytest.mark.parametrize(("gap", "expected"), [(0.02, [5, 10]), (0.1, [5])])
def test_ends_of_links_are_measured_where_they_may_touch(gap, expected):
    wall = ik.HalfSpace((0, 0, -RADIUS - gap), (0, 0, 1), name="wall")
    problem = ik.Problem(CHAIN, [ik.Position("tip", (0, 4, 0))], obstacles=[wall], body=BODY)
    guard = CollisionGuard(problem, problem.scene, problem.stack.metric)
    pose = ik.Pose.forward(CHAIN, CHAIN.rest)
    assert [len(known.rows) for known in guard.inequalities(guard.near(pose))] == expected


@pytest.mark.parametrize("mode", ["inside", "outside"])
def test_the_curvature_of_a_one_sided_goal_is_the_same_on_both_sides(mode):
    q = 0.3 * np.random.default_rng(4).normal(size=CHAIN.n)
    pose, found = ik.Pose.forward(CHAIN, q), []
    length = float(np.linalg.norm(pose.point("tip")))
    for distance in (length - 1e-9, length + 1e-9):
        goal = ik.Distance("tip", (0, 0, 0), (0, 0, 0), distance=distance, mode=mode)
        found.append(goal.curvature(pose, np.ones(1), np.full(CHAIN.n, 1e-5)))
    assert np.abs(found[0]).max() > 0.1
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_a_link_that_is_pressed_flat_onto_a_wall_comes_to_rest(seed):
    """Its closest point is at either end in turn; both have to hold."""
    rng = np.random.default_rng(seed)
    first, way = np.array([rng.uniform(1.5, 2.5), 2.6, rng.uniform(-1.0, 1.0)]), rng.normal(size=3)
    way[1] = 0.0
    ends = np.array([first, first + way / np.linalg.norm(way)])
    wall = ik.HalfSpace((0, 2.0, 0), (0, -1, 0), name="wall")
    goals = [ik.Position(["ball4", "tip"], ends), POSTURE]
    problem = ik.Problem(CHAIN, goals, obstacles=[wall], body=BODY)
    found = ik.solve(problem, np.append([0.0, 0.0, -1.2], np.zeros(CHAIN.n - 3)), restarts=0)
    assert found.status is ik.Status.BLOCKED
    assert found.iterations < 50
    assert np.abs(ik.solve(problem, found.q, restarts=0).q - found.q).max() < 1e-6
    ends[:, 1] = 2.0 - RADIUS
    at = ik.Pose.forward(CHAIN, found.q).point(["ball4", "tip"])
    np.testing.assert_allclose(at, ends, atol=2e-4)


@pytest.mark.parametrize("seed", range(6))
def test_what_an_obstacle_pushes_in_a_frame_keeps_its_target(seed):
    """The figure may turn farther than a frame allows where a ball has pushed it, and need not go back."""
    rng = np.random.default_rng(seed)
    start = np.concatenate([np.zeros(3), rng.uniform(-0.4, 0.4, CHAIN.n - 3)])
    middle, after, end = ik.Pose.forward(CHAIN, start).point(["ball2", "ball3", "tip"])
    along, way = (after - middle) / np.linalg.norm(after - middle), rng.normal(size=3)
    way -= along * along.dot(way)
    way /= np.linalg.norm(way)

    def problem(gap):
        ball = ik.Sphere(middle + way * (0.3 + RADIUS + gap), 0.3, name="ball")
        return ik.Problem(CHAIN, [ik.Position("tip", end), ik.Posture(start)], obstacles=[ball], body=BODY)

    solver = ik.Solver()
    before = solver.follow(problem(0.05), solver.solve(problem(0.3), start))
    found = solver.follow(problem(-0.25), before)
    assert found.status is ik.Status.REACHED
    assert found.iterations < 60
    assert found.clearance > -1e-9
