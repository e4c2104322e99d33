# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals, methods and limit methods are made apart and go together: each goal kind with every method."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from tests.ikmath import oracle, trees
from tests.ikmath.zoo import GOAL_CASES, SOLVER_CASES

GENERAL = [case for case in SOLVER_CASES if ik.METHODS[case.name].takes is None]
SURE = ("hierarchical", "damped", "prioritized")
"""Methods that come to every goal of these scenes; the others only promise to come nearer."""
TASKS = [case for case in GOAL_CASES if case.kind != "Posture"]


def scene(case, seed):
    """A figure, a goal that it can meet inside its limits, a start nearby."""
    rng = np.random.default_rng(seed)
    skeleton = trees.tree(rng, 7, "all")
    there = 0.5 * trees.inside(rng, skeleton)
    start = skeleton.joint_limits.project(there + 0.1 * rng.normal(size=skeleton.n))
    goal = case.make(skeleton, ik.Pose.forward(skeleton, there), rng)
    return skeleton, goal, start


@pytest.mark.parametrize("method", GENERAL, ids=lambda case: case.name)
@pytest.mark.parametrize("case", TASKS, ids=lambda case: f"{case.kind}-{case.name}")
def test_goals_are_met(case, method):
    for seed in (1, 2):
        skeleton, goal, start = scene(case, seed)
        problem = ik.Problem(skeleton, [goal])
        solution = ik.solve(problem, start, method.name, **method.options)
        assert np.isfinite(solution.q).all()
        assert oracle.outside_region(skeleton, solution.q) <= 1e-9
        told = goal.errors(ik.Pose.forward(skeleton, solution.q))
        np.testing.assert_allclose(solution.errors, told, atol=1e-9)
        if method.name in SURE:
            assert solution.status is ik.Status.REACHED, (seed, solution.message)
        elif solution.status is not ik.Status.REACHED:
            before = goal.errors(ik.Pose.forward(skeleton, start))
            assert np.linalg.norm(solution.errors) <= np.linalg.norm(before) + 1e-9


@pytest.mark.parametrize("method", SURE)
@pytest.mark.parametrize("case", TASKS, ids=lambda case: f"{case.kind}-{case.name}")
def test_clips_are_solved(case, method):
    """Targets that move by a little from frame to frame."""
    rng = np.random.default_rng(4)
    skeleton = trees.tree(rng, 7, "all")
    t = np.linspace(0, 1, 6)[:, None]
    there = skeleton.joint_limits.project(0.3 + 0.3 * t * rng.normal(size=skeleton.n))
    goal = case.make(skeleton, ik.Pose.forward(skeleton, there), rng)
    clock = ik.Posture(np.tile(there[0], (6, 1)), gain=0.0)  # gives its frames to goals that stand still
    track = ik.solve_track(ik.Problem(skeleton, [goal, clock]), there[0], method)
    assert all(status is ik.Status.REACHED for status in track.status), track.message
    assert track.q.shape == (6, skeleton.n)


@pytest.mark.parametrize("limits", ik.LIMITS)
@pytest.mark.parametrize("method", ["damped", "pseudoinverse", "transpose"])
def test_limit_methods_hold_on_odd_figures(limits, method):
    """Asymmetric quarter ellipses, strips, sides without room, by Blender's formula; far targets."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        skeleton = trees.tree(rng, 5, "odd")
        joint = skeleton.names[-1]
        for far in (0.5, 3.0):
            target = ik.Pose.forward(skeleton, rng.normal(size=skeleton.n)).point(joint) * far
            problem = ik.Problem(skeleton, [ik.Position(joint, target)], limits=limits)
            solution = ik.solve(problem, rng.normal(size=skeleton.n), method)
            assert np.isfinite(solution.q).all()
            if ik.LIMITS[limits].strict:
                assert oracle.outside_region(skeleton, solution.q) <= 1e-9
            if limits in ("projection", "clipping"):  # the others weigh the limits against the goal
                again = ik.solve(problem, solution.q, method)
                assert np.linalg.norm(again.errors) <= np.linalg.norm(solution.errors) + 1e-9


class Above(ik.Position):
    """A point 0.2 m above the target."""

    def evaluate(self, pose):
        error, jacobian = super().evaluate(pose)
        return ik.Residual(error - np.tile([0.0, 0.0, 0.2], self.effectors), jacobian)


class Backwards(ik.Orientation):
    """The target, turned by half a radian about the world's z."""

    def evaluate(self, pose):
        turn = oracle.rodrigues((0.0, 0.0, 0.5))
        return super(Backwards, self.with_targets(target=turn @ self.target)).evaluate(pose)


@pytest.mark.parametrize("method", ik.METHODS)
def test_positions_and_orientations_may_have_rows_of_their_own(method):
    skeleton = ik.figures.ball_chain(4)
    pose = ik.Pose.forward(skeleton, skeleton.project(np.linspace(0.1, 0.3, skeleton.n)))
    goals = [Above("tip", pose.point("tip") - [0, 0, 0.2]), Backwards("ball2", pose.frame("ball2"))]
    for goal in goals:
        problem = ik.Problem(skeleton, [goal])
        if ik.METHODS[method].takes is not None:
            with pytest.raises(ik.NotSupported, match=f"cannot take the {goal.kind} goal"):
                ik.solve(problem, method=method)
            continue
        answer = ik.solve(problem, method=method, max_iterations=300)
        there = ik.Pose.forward(skeleton, answer.q)
        assert answer.status is ik.Status.REACHED
        if goal.kind == "Above":
            np.testing.assert_allclose(there.point("tip"), pose.point("tip"), atol=2e-4)
        else:
            expected = oracle.rodrigues((0.0, 0.0, 0.5)) @ pose.frame("ball2")
            np.testing.assert_allclose(there.frame("ball2"), expected, atol=2e-4)
