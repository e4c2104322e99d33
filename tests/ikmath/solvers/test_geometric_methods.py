# SPDX-License-Identifier: GPL-3.0-or-later
"""What the geometric methods promise beside the contract of all methods."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from tests.ikmath import oracle, trees

CHAIN_METHODS = ("ccd", "fabrik", "triangulation", "reach_hierarchy")
EVERY = pytest.mark.parametrize("method", CHAIN_METHODS)


def chains():
    """(name, figure, tip): free, limited, hinges in a plane and in space."""
    return [
        ("free", ik.figures.ball_chain(6), "tip"),
        ("limited", ik.figures.ball_chain(8, limit=0.6), "tip"),
        ("planar", ik.figures.planar_chain([1.0, 0.8, 0.6, 0.4]), "tip"),
        ("planar limited", ik.figures.planar_chain([1.0, 0.8, 0.6, 0.4], limit=1.2), "tip"),
        ("arm", ik.figures.arm(), "tool"),
    ]


def reachable(figure, tip, count, seed):
    rng = np.random.default_rng(seed)
    low, high = np.maximum(figure.lower, -np.pi), np.minimum(figure.upper, np.pi)
    q = figure.joint_limits.project(rng.uniform(low, high, (count, figure.n)))
    return ik.Pose.forward(figure, q).point(tip)


@EVERY
@pytest.mark.parametrize("chain", chains(), ids=lambda chain: chain[0])
def test_every_reachable_target_of_a_chain_is_reached_inside_the_limits(method, chain):
    _, figure, tip = chain
    problem = ik.Problem(figure, [ik.Position(tip, reachable(figure, tip, 120, 3))])
    solution = ik.solve(problem, method=method, max_iterations=300)
    assert solution.errors.max() <= 1e-4
    assert figure.joint_limits.violation(solution.q).max() <= 1e-9


@pytest.mark.parametrize("method", ["triangulation", "reach_hierarchy"])
def test_a_free_chain_needs_one_pass(method):
    figure = ik.figures.ball_chain(7, 0.5)
    problem = ik.Problem(figure, [ik.Position("tip", reachable(figure, "tip", 300, 5))])
    solution = ik.solve(problem, method=method, max_iterations=1, tolerance=1e-6)
    assert solution.errors.max() <= 1e-6


@EVERY
def test_ten_thousand_at_once_equal_one_by_one(method):
    """To the last bit: the same kernel runs on floats and on arrays, in the same order."""
    figure = ik.figures.ball_chain(4)
    points = reachable(figure, "tip", 10_000, 7) * np.linspace(0.5, 1.6, 10_000)[:, None]
    goal = ik.Position("tip", points)
    together = ik.solve(ik.Problem(figure, [goal]), method=method, tolerance=1e-3)
    for i in range(0, 10_000, 250):
        alone = ik.solve(ik.Problem(figure, [ik.Position("tip", points[i])]), method=method, tolerance=1e-3)
        assert np.abs(together.q[i] - alone.q).max() <= 1e-12
        assert together.iterations[i] == alone.iterations
        assert together.status[i] is alone.status


@EVERY
@pytest.mark.parametrize("seed", range(12))
def test_on_any_figure_a_result_is_inside_no_worse_than_the_start_and_the_same_in_a_batch(method, seed):
    rng = np.random.default_rng([seed, 1])
    figure = trees.tree(rng, 7, ("none", "all", "some", "odd")[seed % 4])
    joints = [figure.names[-1], figure.names[int(rng.integers(2, len(figure)))]]
    joints = list(dict.fromkeys(joints))
    offsets = rng.normal(size=(len(joints), 3)) * 0.3
    start = figure.joint_limits.project(rng.uniform(-0.5, 0.5, (4, figure.n)))
    there = figure.joint_limits.project(start + 0.4 * rng.normal(size=start.shape))
    points = ik.Pose.forward(figure, there).point(joints, offsets)
    goal = ik.Position(joints, points, offsets)
    kept = start.copy(), points.copy()
    try:
        together = ik.solve(ik.Problem(figure, [goal]), start, method, max_iterations=30)
    except ik.NotSupported as refusal:
        assert "slides" in str(refusal)
        return
    assert (start == kept[0]).all()
    assert (points == kept[1]).all()
    assert figure.joint_limits.violation(together.q).max() <= 1e-9
    for i in range(4):
        alone = ik.solve(
            ik.Problem(figure, [ik.Position(joints, points[i], offsets)]), start[i], method, max_iterations=30
        )
        assert np.abs(alone.q - together.q[i]).max() <= 1e-12
        before = [
            np.linalg.norm(oracle.point(figure, start[i], j, o) - p)
            for j, o, p in zip(joints, offsets, points[i], strict=True)
        ]
        after = [
            np.linalg.norm(oracle.point(figure, alone.q, j, o) - p)
            for j, o, p in zip(joints, offsets, points[i], strict=True)
        ]
        assert np.allclose(after, alone.errors, atol=1e-9)
        assert np.linalg.norm(after) <= np.linalg.norm(before) + 1e-9


@EVERY
def test_a_target_out_of_reach_is_pointed_at(method):
    """Straight at it in one pass, from any pose, and told so."""
    figure = ik.figures.ball_chain(5)
    rng = np.random.default_rng(2)
    for way in rng.normal(size=(10, 3)):
        target = 9.0 * way / np.linalg.norm(way)
        solution = ik.solve(
            ik.Problem(figure, [ik.Position("tip", target)]), rng.normal(size=figure.n) * 0.3, method
        )
        place = oracle.point(figure, solution.q, "tip")
        assert np.allclose(place, target * 5.0 / 9.0, atol=1e-6)
        assert solution.status is ik.Status.BEST_EFFORT
        assert "reach" in solution.message


@EVERY
@pytest.mark.parametrize("limit", [0.4, 1.0])
def test_out_of_reach_with_limits_ends_where_least_squares_end(method, limit):
    """The nearest pose inside the limits, as damped least squares find it."""
    figure = ik.figures.ball_chain(4, limit=limit)
    points = np.random.default_rng(4).normal(size=(12, 3))
    points *= 5.5 / np.linalg.norm(points, axis=1, keepdims=True)
    problem = ik.Problem(figure, [ik.Position("tip", points)])
    start = np.full(figure.n, 0.05)
    ours = ik.solve(problem, start, method, max_iterations=300).errors[:, 0]
    damped = ik.solve(problem, start, "damped", max_iterations=300).errors[:, 0]
    assert (ours <= damped + 1e-3).all()


@EVERY
@pytest.mark.parametrize("target", [(0, 2, 0), (0, 0, 0), (0, -1.5, 0), (0, 4.9, 0), (0, 0.3, 0)])
def test_a_straight_chain_with_its_target_in_line_bends(method, target):
    """No joint has a slope to follow; it must bend all the same, to where a pose exists."""
    figure = ik.figures.ball_chain(5)
    solution = ik.solve(ik.Problem(figure, [ik.Position("tip", target)]), method=method, max_iterations=200)
    assert np.isfinite(solution.q).all()
    assert solution.errors[0] <= 1e-4


def test_too_near_for_the_chain_ends_at_its_nearest():
    """One long link and a short one: nothing comes nearer to the root than their difference."""
    figure = ik.Skeleton(
        [
            ik.Joint("a"),
            ik.Joint("b", "a", translation=(0, 2, 0)),
            ik.Joint("tip", "b", translation=(0, 0.5, 0), turns=""),
        ]
    )
    for method in CHAIN_METHODS:
        solution = ik.solve(ik.Problem(figure, [ik.Position("tip", (0.3, 0.4, 0))]), method=method)
        assert solution.errors[0] == pytest.approx(1.0, abs=1e-3)


@EVERY
def test_euler_hinges_at_one_place_act_as_a_ball(method):
    """Three hinges with no link between them: each alone aims badly, together they point anywhere."""
    joints = []
    for k in range(3):
        for axis in "zyx":
            joints.append(
                ik.Joint(
                    f"{axis}{k}",
                    joints[-1].name if joints else None,
                    translation=(0, 1.0 if axis == "z" and k else 0, 0),
                    turns=axis,
                )
            )
    joints.append(ik.Joint("tip", joints[-1].name, translation=(0, 1, 0), turns=""))
    figure = ik.Skeleton(joints)
    points = reachable(ik.figures.ball_chain(3), "tip", 40, 8)
    solution = ik.solve(
        ik.Problem(figure, [ik.Position("tip", points)]), np.full(figure.n, 0.1), method, max_iterations=200
    )
    assert solution.errors.max() <= 1e-4


@EVERY
def test_bones_that_do_not_lie_along_y_and_rest_frames_that_are_turned(method):
    rng = np.random.default_rng(9)
    joints = [
        ik.Joint(
            f"j{k}",
            f"j{k - 1}" if k else None,
            rotation=trees.rotation(rng),
            translation=rng.normal(size=3),
            turns=("xyz", "x", "xz", "yz", "xyz")[k],
            lower=-1.5,
            upper=1.5,
        )
        for k in range(5)
    ]
    figure = ik.Skeleton(joints)
    q = figure.joint_limits.project(rng.uniform(-1, 1, (40, figure.n)))
    offset = rng.normal(size=3)
    points = ik.Pose.forward(figure, q).point("j4", offset)
    solution = ik.solve(
        ik.Problem(figure, [ik.Position("j4", points, offset)]), method=method, max_iterations=300
    )
    assert (solution.errors <= 1e-4).mean() >= 0.95
    assert figure.joint_limits.violation(solution.q).max() <= 1e-9


@EVERY
def test_a_figure_whose_bones_keep_their_direction(method):
    """Rotation not inherited below the second joint."""
    figure = ik.Skeleton(
        [
            ik.Joint("a"),
            ik.Joint("b", "a", translation=(0, 1, 0)),
            ik.Joint("c", "b", translation=(0, 1, 0), inherit_rotation=False),
            ik.Joint("d", "c", translation=(0, 0.5, 0), turns="x", inherit_rotation=False),
        ]
    )
    rng = np.random.default_rng(1)
    points = ik.Pose.forward(figure, rng.normal(size=(30, figure.n)) * 0.7).point("d", (0, 0.5, 0))
    solution = ik.solve(
        ik.Problem(figure, [ik.Position("d", points, (0, 0.5, 0))]), method=method, max_iterations=200
    )
    assert solution.errors.max() <= 1e-4


@pytest.mark.parametrize("method", ["ccd", "fabrik", "triangulation", "reach_hierarchy"])
def test_branches_meet_in_a_compromise(method):
    """Both hands on one spine, each within reach: both arrive."""
    figure = ik.figures.human()
    rng = np.random.default_rng(6)
    hands = ["wrist.L", "wrist.R"]
    q = figure.joint_limits.project(figure.rest + 0.25 * rng.normal(size=(10, figure.n)))
    problem = ik.Problem(figure, [ik.Position(hands, ik.Pose.forward(figure, q).point(hands))])
    solution = ik.solve(problem, method=method, max_iterations=150)
    assert solution.errors.max() <= 1e-3
    assert figure.joint_limits.violation(solution.q).max() <= 1e-9


@EVERY
def test_an_effector_that_nothing_moves_stays_where_it_is(method):
    still = ik.Joint("still", turns="", translation=(0, 0, 1))
    arm = [
        ik.Joint("upper", upper=1.0),
        ik.Joint("lower", "upper", translation=(0, 1, 0), turns="x"),
    ]
    figure = ik.Skeleton([still, *arm])
    goals = [ik.Position("still", (0, 0, 3)), ik.Position("lower", (0.3, 1.2, 0.4), (0, 1, 0))]
    answer = ik.solve(ik.Problem(figure, goals), method=method)
    np.testing.assert_allclose(answer.errors, [2.0, 0.0], atol=1e-4)
    assert "still" in answer.message


def test_weights_decide_where_both_cannot_arrive():
    """Two points of one stick pulled apart: the heavier wish comes nearer, in the ratio of the weights."""
    figure = ik.Skeleton([ik.Joint("stick", turns="z")])
    apart = [[0.6, 0.8, 0.0], [-0.6, 0.8, 0.0]]
    for method in ("ccd", "fabrik"):
        solution = ik.solve(
            ik.Problem(
                figure, [ik.Position(["stick", "stick"], apart, [[0, 1, 0], [0, 1, 0]], weight=[3.0, 1.0])]
            ),
            method=method,
        )
        pull = 3.0 * np.array(apart[0]) + np.array(apart[1])
        wanted = pull / np.linalg.norm(pull)
        assert np.allclose(oracle.point(figure, solution.q, "stick", (0, 1, 0)), wanted, atol=1e-6)


def test_ccd_moves_slides_and_roots_slide_with_every_method():
    figure = ik.Skeleton(
        [
            ik.Joint("root", slides="x", turns="", lower=-1.0, upper=1.0),
            ik.Joint("arm", "root"),
            ik.Joint("fore", "arm", translation=(0, 1, 0)),
        ]
    )
    for method in CHAIN_METHODS:
        problem = ik.Problem(figure, [ik.Position("fore", (2.5, 1.0, 0.5), (0, 1, 0))])
        assert ik.solve(problem, method=method, max_iterations=100).errors[0] <= 1e-4
    inner = ik.Skeleton(
        [
            ik.Joint("arm"),
            ik.Joint("tube", "arm", translation=(0, 1, 0), slides="y", turns="", lower=0.0, upper=2.0),
        ]
    )
    solution = ik.solve(ik.Problem(inner, [ik.Position("tube", (1.5, 1.5, 0.0))]), method="ccd")
    assert solution.errors[0] <= 1e-4
    assert solution.q[inner.columns("tube")] == pytest.approx([np.hypot(1.5, 1.5) - 1.0], abs=1e-4)


def test_stiffness_and_damping_hold_joints_back():
    soft = ik.figures.ball_chain(3)
    stiff = ik.Skeleton(
        [
            ik.Joint(
                j.name,
                j.parent,
                translation=j.translation,
                turns=j.turns,
                stiffness=0.9 if j.name == "ball2" else 0.0,
            )
            for j in soft.joints
        ]
    )
    one = ik.solve(ik.Problem(soft, [ik.Position("tip", (1, 1.5, 0))]), method="ccd", leap=False)
    two = ik.solve(
        ik.Problem(stiff, [ik.Position("tip", (1, 1.5, 0))]), method="ccd", leap=False, max_iterations=200
    )
    assert two.errors[0] <= 1e-4
    bend = lambda figure, q: np.linalg.norm(q[figure.columns("ball2")])  # noqa: E731
    assert bend(stiff, two.q) < 0.7 * bend(soft, one.q)
    first = ik.solve(
        ik.Problem(soft, [ik.Position("tip", (2, -1, 0))]),
        method="ccd",
        leap=False,
        damping=0.1,
        max_iterations=1,
    )
    assert max(np.linalg.norm(first.q[soft.columns(f"ball{k}")]) for k in range(3)) <= 0.1 + 1e-9


def test_least_twist():
    """Free chains turn without twist: the twist of every joint stays what it was."""
    figure = ik.figures.ball_chain(5)
    for method in CHAIN_METHODS:
        problem = ik.Problem(figure, [ik.Position("tip", (1.0, 2.0, 1.5))])
        solution = ik.solve(problem, method=method, tolerance=1e-6, max_iterations=200)
        assert solution.errors[0] <= 1e-6
        first = solution.q[figure.columns("ball0")]
        assert abs(first[1]) < 1e-9
        if method != "ccd":
            assert np.abs(solution.q.reshape(5, 3)[:, 1]).max() < 0.8


def test_slack_counts_as_there():
    figure = ik.figures.ball_chain(3)
    problem = ik.Problem(figure, [ik.Position("tip", (1, 1, 1), slack=0.2)])
    for method in CHAIN_METHODS:
        solution = ik.solve(problem, method=method)
        assert solution.status is ik.Status.REACHED


@EVERY
def test_bad_options_are_named(method):
    problem = ik.Problem(ik.figures.ball_chain(2), [ik.Position("tip", (1, 1, 0))])
    with pytest.raises(ik.UnknownName, match="sweep"):
        ik.solve(problem, method=method, sweep=True)
    with pytest.raises(ik.BadValue, match="damping"):
        ik.solve(problem, method="ccd", damping=0.0)
    with pytest.raises(ik.BadValue, match="too_near"):
        ik.solve(problem, method="triangulation", too_near="beside")
