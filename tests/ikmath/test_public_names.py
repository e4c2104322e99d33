# SPDX-License-Identifier: GPL-3.0-or-later
"""What others write against: every public name and argument as the design says them, used once."""

from __future__ import annotations

import importlib.resources

import numpy as np
import pytest

import ikmath as ik

METHODS = (
    "pseudoinverse damped transpose prioritized lagrange nonlinear bounded hierarchical ccd triangulation"
    " fabrik two_bone reach_hierarchy"
)
AVOIDANCE = (
    "task_priority task_priority_augmented task_priority_reversed cost cost_augmented cost_blending"
    " cost_blending_augmented cost_adaptive objective velocity_damper"
)
REGISTRIES = {
    "METHODS": METHODS,
    "AVOIDANCE": AVOIDANCE,
    "LIMITS": "projection clipping penalty barrier",
    "SVD": "lapack column_givens row_givens",
}


@pytest.fixture
def figure() -> ik.Skeleton:
    return ik.Skeleton(
        [
            ik.Joint("hips", None, turns="xyz", slides="xyz", mass=5.0),
            ik.Joint("head", "hips", translation=(0, 1, 0), stiffness=0.5, mass=1.0),
            ik.Joint("upper", "hips", translation=(0.2, 0.8, 0), turns="xyz"),
            ik.Joint("lower", "upper", translation=(0, 1, 0), turns="x", lower=(0.0,), upper=(2.5,)),
            ik.Joint("hand.L", "lower", translation=(0, 1, 0)),
            ik.Joint("hand.R", "hips", translation=(-0.5, 0.8, 0)),
            ik.Joint("foot", "hips", translation=(0, -1, 0)),
        ]
    )


def test_a_problem_with_every_goal_and_every_obstacle(figure):
    q = np.zeros(figure.n)
    goals = [
        ik.Position("lower", target=(0.5, 1, 0), offset=(0, 1, 0), weight=1.0, priority=0),
        ik.Orientation("lower", target=np.eye(3)),
        ik.Aim("head", target=(0, 1, 5), offset=(0, 0, 0), direction=(0, 0, 1)),
        ik.Plane("foot", origin=(0, -1, 0), normal=(0, 1, 0), offset=(0, 0, 0)),
        ik.Balance(target=(0, 0)),
        ik.Loop("hand.L", (0, 0.1, 0), "hand.R", (0, 0.1, 0)),
        ik.AnyOf([ik.Position("foot", target=(0, -1, 0)), ik.Position("foot", target=(0, -2, 0))]),
        ik.Posture(q, gain=0.5),
    ]
    corners = np.vstack([np.zeros(3), np.eye(3)]) + 20.0
    faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    scene = [
        ik.Sphere(center=(9, 9, 9), radius=1.0, name="ball"),
        ik.HalfSpace(origin=(0, -9, 0), normal=(0, 1, 0), name="floor"),
        ik.Rectangle(center=(9, 9, 9), axis_u=(1, 0, 0), axis_v=(0, 1, 0), name="wall"),
        ik.Box(center=(9, 9, 9), size=(1, 1, 1), name="crate"),
        ik.Cylinder(a=(9, 9, 9), b=(9, 9, 8), radius=0.1, name="post"),
        ik.Capsule(a=(9, 9, 9), b=(9, 9, 8), radius=0.1, name="rail"),
        ik.TriangleMesh(vertices=corners, faces=faces, name="box"),
    ]
    body = ik.Body([ik.Link("upper", (0, 0, 0), (0, 1, 0), radius=0.05)])
    problem = ik.Problem(
        figure,
        goals,
        obstacles=scene,
        body=body,
        avoidance="velocity_damper",
        margin=0.0,
        limits="projection",
    )
    solution = ik.solve(problem, q, method="hierarchical", max_iterations=5, tolerance=1e-4)
    assert solution.q.shape == (figure.n,) and isinstance(solution.message, str)
    assert solution.status in ik.Status
    assert solution.errors.shape == (len(problem.effectors),) and solution.clearance > 0.0
    assert [goal.unit for goal in goals] == ["m", "rad", "rad", "m", "m", "m", "m", ""]


def test_no_solve_takes_more_iterations_than_it_is_given(figure):
    grip = ik.Loop("hand.L", (0, 0.1, 0), "hand.R", (0, 0.1, 0))
    goals = [ik.Position("lower", (0.5, 1, 0), (0, 1, 0)), ik.Orientation("lower", np.eye(3)), grip]
    body = ik.Body([ik.Link("upper", (0, 0, 0), (0, 1, 0), radius=0.05)])
    problem = ik.Problem(figure, goals, [ik.Sphere((9, 9, 9), 1.0)], body)
    assert ik.solve(problem, method="hierarchical", max_iterations=5).iterations <= 5


def test_the_posture_is_a_goal_or_an_argument(figure):
    q = np.full(figure.n, 0.1)
    goal = ik.Position("hand.L", target=(0.5, 1.5, 0.3))
    among = ik.solve(ik.Problem(figure, [goal, ik.Posture(q)]), figure.rest)
    for posture in (q, ik.Posture(q)):
        apart = ik.solve(ik.Problem(figure, [goal], posture=posture), figure.rest)
        np.testing.assert_array_equal(apart.q, among.q)
    with pytest.raises(ik.IkError, match="more than one posture"):
        ik.Problem(figure, [goal, ik.Posture(q)], posture=q)


def test_a_pose_and_a_track(figure):
    batch = np.zeros((3, figure.n))
    assert ik.Pose.forward(figure, batch[0]).point("lower", (0, 1, 0)).shape == (3,)
    pose = ik.Pose.forward(figure, batch)
    residual = ik.Position("lower", target=(0.5, 1, 0)).evaluate(pose)
    assert residual.error.shape == (3, 3) and residual.jacobian.shape == (3, 3, figure.n)
    assert pose.jacobian("lower", (0, 1, 0)).shape == (3, 3, figure.n)
    path = np.linspace((0.5, 1.0, 0.0), (0.6, 1.2, 0.2), 4)
    track = ik.solve_track(ik.Problem(figure, [ik.Position("hand.L", target=path)]), batch[0])
    assert track.q.shape == (4, figure.n)


@pytest.mark.parametrize("registry", REGISTRIES)
def test_registries_hold_these_names(registry):
    entries = getattr(ik, registry)
    for name in REGISTRIES[registry].split():
        entry = entries[name]
        assert entry.label and entry.description and entry.source


def test_statuses():
    assert {each.name for each in ik.Status} == {"REACHED", "BEST_EFFORT", "BLOCKED", "INFEASIBLE", "STOPPED"}


def test_its_types_are_for_others_too():
    """Without the marker, type checkers take everything that comes from an installed package for Any."""
    assert importlib.resources.files("ikmath").joinpath("py.typed").is_file()


def test_names_that_are_loaded_later_are_listed_too():
    assert {"from_urdf", "figures", "solve"} <= set(dir(ik))
