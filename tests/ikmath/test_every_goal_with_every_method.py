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
