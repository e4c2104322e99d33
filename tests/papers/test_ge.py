# SPDX-License-Identifier: GPL-3.0-or-later
"""Ge's thesis, chapters 1 to 3 and 5.1, 5.2: what it says, checked; and what it has wrong."""

import numpy as np
import pytest

import ikmath as ik
from ikmath.classic.chain_between import chain_between
from ikmath.classic.linalg import damped
from ikmath.classic.svd import givens
from ikmath.classic.svd.svd import lapack
from tests.ikmath import oracle
from tests.papers.experiments import ge_joint_limits, ge_svd


# ------------------------------------------------------------------ chapter 1
def transform(joint, value):
    """M_i of 1.1 for a hinge or a prismatic joint about or along a coordinate axis."""
    letter = joint.turns or joint.slides
    matrix, local = np.eye(4), np.eye(4)
    matrix[:3, 3] = joint.translation
    axis = "xyz".index(letter)
    if joint.turns:
        i, j = (axis + 1) % 3, (axis + 2) % 3
        local[[i, j], [i, j]] = np.cos(value)
        local[i, j], local[j, i] = -np.sin(value), np.sin(value)
    else:
        local[axis, 3] = value
    return matrix @ local


def hinges_and_slides(seed, count=6):
    rng = np.random.default_rng(seed)
    joints = []
    for i in range(count):
        letter, kind = str(rng.choice(list("xyz"))), rng.random() < 0.3
        joints.append(
            ik.Joint(
                f"j{i}", f"j{i - 1}" if i else None, translation=rng.normal(size=3),
                turns="" if kind else letter, slides=letter if kind else "",
            )
        )  # fmt: skip
    return ik.Skeleton(joints), rng


@pytest.mark.parametrize("seed", range(6))
def test_equation_1_1_multiplies_in_the_other_order(seed):
    """The text prints M_i ... M_2 M_1 "since column vectors are used"; with those it is M_1 ... M_i."""
    figure, rng = hinges_and_slides(seed)
    q = rng.normal(size=figure.n)
    matrices = [transform(joint, value) for joint, value in zip(figure.joints, q, strict=True)]
    right, printed = np.eye(4), np.eye(4)
    for matrix in matrices:
        right, printed = right @ matrix, matrix @ printed
    point = rng.normal(size=3)
    ours = ik.Pose.forward(figure, q).point("j5", point)
    assert np.abs(ours - (right @ [*point, 1])[:3]).max() < 1e-12
    assert np.abs(ours - (printed @ [*point, 1])[:3]).max() > 0.1


def test_a_ball_is_three_hinges_with_zero_length_links():
    """1.1: "decomposed into kinematically equivalent sequences of one DOF joints": the same poses."""
    rng = np.random.default_rng(0)
    hinges = ik.Skeleton(
        [ik.Joint("x", turns="x"), ik.Joint("y", "x", turns="y"), ik.Joint("z", "y", turns="z"),
         ik.Joint("tip", "z", translation=(0.3, 1, 0.2), turns="")]
    )  # fmt: skip
    ball = ik.Skeleton([ik.Joint("ball"), ik.Joint("tip", "ball", translation=(0.3, 1, 0.2), turns="")])
    for _ in range(5):
        pose = ik.Pose.forward(hinges, rng.normal(size=3))
        turns = ik.rotation.swing_twist_turns(pose.rotation[2])
        assert np.abs(ik.Pose.forward(ball, turns).point("tip") - pose.point("tip")).max() < 1e-12


def test_prismatic_joints_reach():
    figure = ik.Skeleton(
        [
            ik.Joint("rail", turns="", slides="x", lower=-2.0, upper=2.0),
            ik.Joint("arm", "rail", turns="z"),
            ik.Joint("boom", "arm", translation=(1, 0, 0), turns="", slides="x", lower=0.0, upper=1.0),
            ik.Joint("tip", "boom", translation=(0.5, 0, 0), turns=""),
        ]
    )
    problem = ik.Problem(figure, [ik.Position("tip", (2.5, 1.2, 0))])
    for method in (
        "pseudoinverse",
        "prioritized",
        "bounded",
        "nonlinear",
        "control",
        "lagrange",
        "transpose",
    ):
        answer = ik.solve(problem, [0, 0.3, 0.2], method, max_iterations=500)
        assert answer.status is ik.Status.REACHED, method
        assert figure.joint_limits.violation(answer.q).max() <= 1e-9


# ------------------------------------------------------------------ appendix A.5.1
def test_a_chain_between_any_two_bodies_goes_up_and_down_again():
    """From the right upper arm up to the thorax and down to the left hand: only these joints move the hand.

    The chain's root is a body like any other: what counts is where the hand is seen from there.
    """
    figure = ik.figures.human()
    rng = np.random.default_rng(1)
    q = np.array([figure.joint_limits.project(0.4 * rng.normal(size=figure.n)) for _ in range(3)])
    root, tip, grip = "shoulder.R", "wrist.L", (0.05, 0.1, -0.02)
    seen, jacobian = chain_between(ik.Pose.forward(figure, q), root, tip, grip)
    for frame, at in enumerate(q):
        body, ends = oracle.frames(figure, at)[root], oracle.point(figure, at, tip, grip)
        np.testing.assert_allclose(seen[frame], body[0].T @ (ends - body[1]), atol=1e-12)

        def look(x, root=root, tip=tip, grip=grip):
            return chain_between(ik.Pose.forward(figure, x), root, tip, grip)[0]

        numeric = np.array([(look(at + d) - look(at - d)) / 2e-6 for d in 1e-6 * np.eye(figure.n)]).T
        assert np.abs(jacobian[frame] - numeric).max() < 1e-8
    moving = {figure.names[joint] for joint in figure.owner[np.abs(jacobian).max(axis=(0, 1)) > 1e-9]}
    assert moving == {"shoulder.R", "clavicle.R", "clavicle.L", "shoulder.L", "elbow.L", "wrist.L"}


def test_a_step_along_such_a_chain_keeps_its_root():
    """The left hand comes to where the right upper arm wants to have it, by the joints between them alone."""
    figure = ik.figures.human()
    there = figure.joint_limits.project(0.5 * np.random.default_rng(3).normal(size=figure.n))
    q, wanted = figure.rest, chain_between(ik.Pose.forward(figure, there), "shoulder.R", "wrist.L")[0]
    for _ in range(200):
        seen, jacobian = chain_between(ik.Pose.forward(figure, q), "shoulder.R", "wrist.L")
        q = figure.joint_limits.project(
            q + damped.damped_least_squares(lapack(jacobian)[0], wanted - seen, 0.1)
        )
    assert (
        np.linalg.norm(chain_between(ik.Pose.forward(figure, q), "shoulder.R", "wrist.L")[0] - wanted) < 1e-6
    )
    moved = {figure.names[joint] for joint in figure.owner[np.abs(q - figure.rest) > 1e-9]}
    assert moved <= {"clavicle.R", "clavicle.L", "shoulder.L", "elbow.L", "shoulder.R"}


def test_a_chain_whose_root_is_not_the_figures_root():
    """The right hand stays, as the chain's root; the left one reaches, through the common ancestor."""
    figure = ik.figures.human()
    start = figure.rest
    pose = ik.Pose.forward(figure, start)
    held, goal = pose.point("wrist.R"), pose.point("wrist.L") + np.array([-0.2, -0.3, 0.1])
    for method in ("prioritized", "pseudoinverse", "bounded"):
        goals = [ik.Position("wrist.R", held, priority=0), ik.Position("wrist.L", goal, priority=1)]
        answer = ik.solve(ik.Problem(figure, goals), start, method, max_iterations=200)
        assert answer.errors.max() < 1e-3, method


# ------------------------------------------------------------------ chapter 2 and 3
def test_singular_values_are_the_half_axes_of_the_velocity_ellipse():
    """3.1, figure 3.1, on the chain of figure 2.1."""
    chain = ik.figures.planar_chain([1.0, 0.8, 0.6])
    jacobian = ik.Pose.forward(chain, [0.3, 0.6, 0.4]).jacobian("tip")[:2]
    rng = np.random.default_rng(0)
    speeds = rng.normal(size=(20000, 3))
    speeds /= np.linalg.norm(speeds, axis=1, keepdims=True)
    reach = np.linalg.norm(speeds @ jacobian.T, axis=1)
    values = lapack(jacobian)[0].s
    assert reach.max() == pytest.approx(values[0], rel=1e-3)
    assert reach.max() <= values[0] + 1e-12
    directions = np.linspace(0, np.pi, 2001)
    widths = [np.linalg.norm(jacobian.T @ (np.cos(a), np.sin(a))) for a in directions]
    assert min(widths) == pytest.approx(values[1], rel=1e-5)


def test_condition_number_bounds_the_magnification_of_errors():
    """3.2: |d q| / |q| <= kappa |d x| / |x|, for a square nonsingular J."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        j = rng.normal(size=(3, 3))
        x, dx = rng.normal(size=3), 1e-3 * rng.normal(size=3)
        q, dq = np.linalg.solve(j, x), np.linalg.solve(j, dx)
        left = np.linalg.norm(dq) / np.linalg.norm(q)
        assert left <= np.linalg.cond(j) * np.linalg.norm(dx) / np.linalg.norm(x) * (1 + 1e-12)


def test_that_bound_does_not_hold_for_a_redundant_goal_out_of_range():
    """The text states it in general. Where J has more rows than columns, x may hardly be in its range."""
    j = np.array([[1.0], [0.0]])
    x, dx = np.array([1e-6, 1.0]), np.array([1e-6, 0.0])
    q, dq = np.linalg.pinv(j) @ x, np.linalg.pinv(j) @ dx
    assert np.linalg.norm(dq) / np.linalg.norm(q) > 1e5 * 1.0 * np.linalg.norm(dx) / np.linalg.norm(x)


def test_figure_3_4_damped_and_undamped_gain():
    """s / (s^2 + l^2): about 1 / s above l, largest 1 / (2 l) at l, s / l^2 below, continuous at zero."""
    values, damping = np.geomspace(1e-4, 1e2, 601), 0.1
    jacobians = np.zeros((len(values), 1, 2))
    jacobians[:, 0, 0] = values
    gain = damped.damped_values(lapack(jacobians)[0], damping)[:, 0]
    assert gain.max() == pytest.approx(1 / (2 * damping), rel=1e-4)
    assert values[gain.argmax()] == pytest.approx(damping, rel=0.02)
    assert gain[-1] == pytest.approx(1 / values[-1], rel=1e-4)
    assert gain[0] == pytest.approx(values[0] / damping**2, rel=1e-4)
    assert gain[0] < 0.011


def test_figure_3_3_pseudoinverse_jumps_where_damping_does_not():
    """A hand near the shoulder: a small change of the goal asks for a large turn."""
    chain = ik.figures.planar_chain([1.0, 1.0])
    jumps = []
    for solve in (
        lambda j, x: np.linalg.pinv(j, rcond=1e-6) @ x,
        lambda j, x: damped.damped_least_squares(lapack(j)[0], x, 0.1),
    ):
        speeds = []
        for bend in (1e-3, 1e-5, 1e-7):  # more and more folded: the hand at the shoulder
            jacobian = ik.Pose.forward(chain, [0.3, np.pi - bend]).jacobian("tip")[:2]
            speeds.append(np.linalg.norm(solve(jacobian, np.array([0.5, 1.0]))))
        jumps.append(max(speeds))
    assert jumps[0] > 500
    assert jumps[1] < 1 / (2 * 0.1) * np.hypot(0.5, 1.0)


def test_by_columns_no_more_singular_values_than_there_are():
    """3.4: "it is possible to get n nonzero singular values": not once it has converged."""
    jacobian = ge_svd.jacobians(10, 1)[0]
    decomposition, state = givens.column_givens(jacobian)
    turned = jacobian @ state.matrix
    lengths = np.sort(np.linalg.norm(turned, axis=0))[::-1]
    assert lengths[:3] == pytest.approx(decomposition.s)
    assert lengths[3:].max() < 1e-12 * lengths[0]


# ------------------------------------------------------------------ 5.2
def test_work_by_rows_grows_linearly(monkeypatch):
    """As many rotations for 200 spheres as for 10; each is applied to rows that are n long."""
    counts = {}
    for spheres in (10, 50, 200):
        rotations = [0]
        find = givens._gram_rotation

        def counted(gram, tolerance, rotations=rotations, find=find):
            rotations[0] += 1
            return find(gram, tolerance)

        monkeypatch.setattr(givens, "_gram_rotation", counted)
        state = None
        for matrix in ge_svd.jacobians(spheres, 12):
            _, state = givens.row_givens(matrix, state)
        monkeypatch.setattr(givens, "_gram_rotation", find)
        counts[spheres] = rotations[0] / 12
    assert max(counts.values()) < 4.5
    assert max(counts.values()) - min(counts.values()) <= 1.5


# ------------------------------------------------------------------ 5.1
def test_dragging_a_trunk_locks_under_clipping_and_not_under_projection():
    distance, locked = {}, {}
    for limits in ("projection", "clipping"):
        trunk, path = ge_joint_limits.drags(0)
        goals = [ik.Position("tip", path)]
        track = ik.solve_track(
            ik.Problem(trunk, goals, limits=limits), trunk.rest, "pseudoinverse", max_iterations=10
        )
        distance[limits] = track.errors.mean()
        locked[limits] = (np.abs(np.diff(track.q, axis=0)).max(axis=1) < 1e-9).mean()
    assert locked["projection"] == 0
    assert locked["clipping"] > 0.3
    assert distance["projection"] < 0.1 * distance["clipping"]
