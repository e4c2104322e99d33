# SPDX-License-Identifier: GPL-3.0-or-later
"""Of all poses that reach the same, a solve ends at the one nearest to the posture, wherever it begins."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import ikmath as ik
from ikmath import rotation

HANDS = ["hand.L", "hand.R"]


def two_arms(degrees: float) -> ik.Skeleton:
    """Two arms on a spine, 1.8 m from its foot to a hand's tip, all turns limited to both sides."""
    limit, joints = np.radians(degrees), []
    for i in range(4):
        joints.append(
            ik.Joint(f"spine{i}", f"spine{i - 1}" if i else None, translation=(0, 0.2 * bool(i), 0))
        )
    for side, sign in (("L", 1.0), ("R", -1.0)):
        out, above = rotation.about(2, -sign * np.pi / 2), "spine3"
        for part, length in (("shoulder", 0.2), ("upper", 0.1), ("lower", 0.4), ("hand", 0.3)):
            turned = out if part == "shoulder" else np.eye(3)
            joints.append(ik.Joint(f"{part}.{side}", above, turned, translation=(0, length, 0)))
            above = f"{part}.{side}"
    limited = [
        ik.Joint(j.name, j.parent, j.rotation, j.translation, lower=-limit, upper=limit) for j in joints
    ]
    return ik.Skeleton(limited)


FIGURE = two_arms(100.0)


def reaching() -> ik.Problem:
    """Both hands before the chest; the posture is the rest pose."""
    goals = [
        ik.Position(HANDS, target=[(0.2, 0.5, 0.4), (-0.1, 0.6, 0.5)], offset=(0, 0.3, 0)),
        ik.Posture(FIGURE.rest),
    ]
    return ik.Problem(FIGURE, goals)


def away(problem: ik.Problem, q: np.ndarray) -> float:
    """What the posture measures."""
    return float((((q - FIGURE.rest) / problem.stack.metric) ** 2).sum())


def ends(problem: ik.Problem) -> list[ik.Solution]:
    """Solved from different starts."""
    rng = np.random.default_rng(3)
    starts = [
        FIGURE.joint_limits.project(FIGURE.rest + size * rng.normal(size=FIGURE.n))
        for size in (0, 0.1, 0.2, 0.3)
    ]
    return [ik.solve(problem, start, tolerance=1e-6) for start in starts]


def test_it_is_the_same_from_everywhere() -> None:
    problem = reaching()
    found = ends(problem)
    for end in found:
        assert end.status is ik.Status.REACHED
        assert problem.errors(ik.Pose.forward(FIGURE, end.q)).max() < 1e-6
        np.testing.assert_allclose(end.errors, problem.errors(ik.Pose.forward(FIGURE, end.q)), atol=1e-12)
        assert (FIGURE.joint_limits.violation(end.q) < 1e-9).all()
    measures = [away(problem, end.q) for end in found]
    assert max(measures) < min(measures) * 1.001
    for end in found[1:]:
        np.testing.assert_allclose(end.q, found[0].q, atol=np.radians(3.0))


def test_nothing_near_is_nearer_to_the_posture() -> None:
    problem, end = reaching(), ends(reaching())[0]
    stack, low, high = problem.stack, FIGURE.joint_limits.low, FIGURE.joint_limits.high

    def errors(q: np.ndarray) -> np.ndarray:
        return stack.evaluate(problem.tasks, ik.Pose.forward(FIGURE, q)).error

    def jacobian(q: np.ndarray) -> np.ndarray:
        return stack.evaluate(problem.tasks, ik.Pose.forward(FIGURE, q)).jacobian

    best = minimize(
        lambda q: away(problem, q),
        end.q,
        jac=lambda q: 2.0 * (q - FIGURE.rest) / stack.metric**2,
        constraints={"type": "eq", "fun": errors, "jac": jacobian},
        bounds=np.column_stack([low, high]),
        method="SLSQP",
        options={"maxiter": 300, "ftol": 1e-12},
    )
    assert np.abs(errors(best.x)).max() < 1e-6
    assert away(problem, end.q) < best.fun * 1.001


@pytest.mark.parametrize("priority", [0, 1])
def test_where_a_goal_is_short_joints_without_part_in_it_go_to_the_posture(priority: int) -> None:
    hand = ik.Pose.forward(FIGURE, FIGURE.rest).point("shoulder.R")
    goals = [
        ik.Position("shoulder.R", target=hand),
        ik.Position("hand.L", target=(1.7, 1.2, 0.3), priority=priority),
        ik.Posture(FIGURE.rest),
    ]
    problem, solver = ik.Problem(FIGURE, goals), ik.Solver(max_iterations=300)
    idle = np.isin(FIGURE.owner, [FIGURE.index(name) for name in ("upper.R", "lower.R", "hand.R")])
    answer = solver.solve(problem, FIGURE.rest)
    assert answer.status is ik.Status.BEST_EFFORT
    swung = np.where(idle, 0.4 * np.random.default_rng(3).normal(size=FIGURE.n), answer.q)
    end = solver.solve(problem, FIGURE.joint_limits.project(swung))
    np.testing.assert_allclose(end.q[idle], FIGURE.rest[idle], atol=2e-3)
    assert end.status is ik.Status.BEST_EFFORT
    assert (end.errors < answer.errors * (1.0 + 1e-4) + 1e-5).all()
