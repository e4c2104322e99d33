# SPDX-License-Identifier: GPL-3.0-or-later
"""Ki & Sheen's end-effector formula, their planar figures, examples and table, as numbers."""

from itertools import pairwise

import numpy as np
import pytest

import ikmath as ik
from ikmath import euler
from ikmath.classic.linalg.bounded import bounded_damped_step
from tests.papers import ki_sheen
from tests.papers.experiments import (
    ki_sheen_damping,
    ki_sheen_effectors,
    ki_sheen_grasp,
    ki_sheen_limits,
    ki_sheen_path,
)


# ------------------------------------------------------------------ section 2: the end-effector formula
def hinge_chain(rest):
    """Each joint three hinges with zero-length links: about x, then y, then z."""
    joints, parent, before = [], None, np.zeros(3)
    for n, place in enumerate(rest):
        for letter in "xyz":
            name = f"{letter}{n}"
            joints.append(
                ik.Joint(name, parent, translation=before if letter == "x" else (0, 0, 0), turns=letter)
            )
            parent, before = name, before if letter == "x" else np.zeros(3)
        before = place - (rest[n - 1] if n else 0)
    joints.append(ik.Joint("end", parent, translation=before, turns=""))
    return ik.Skeleton(joints)


@pytest.mark.parametrize("seed", range(10))
def test_formula_is_a_hinge_chain_when_vectors_stand_to_the_left(seed):
    """The printed matrices rotate row vectors. With the vector to their left the sum is the chain."""
    rng = np.random.default_rng(seed)
    count = rng.integers(1, 6)
    rest, h = rng.normal(size=(count, 3)), rng.uniform(-np.pi, np.pi, (count, 3))
    chain = hinge_chain(rest)
    pose = ik.Pose.forward(chain, h.ravel())
    assert np.abs(pose.point("end") - ki_sheen.end_effector(h, rest, row_vectors=True)).max() < 1e-12
    # its gradient, by differences of the printed formula
    jacobian = pose.jacobian("end")
    for i in range(3 * count):
        nudge = np.zeros(3 * count)
        nudge[i] = 1e-6
        sides = [ki_sheen.end_effector((h.ravel() + s * nudge).reshape(-1, 3), rest, True) for s in (1, -1)]
        assert np.abs(jacobian[:, i] - (sides[0] - sides[1]) / 2e-6).max() < 1e-8


@pytest.mark.parametrize("seed", range(5))
def test_printed_sum_equals_printed_recursion(seed):
    rng = np.random.default_rng(seed)
    rest, h = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    assert (
        np.abs(ki_sheen.end_effector(h, rest, False) - ki_sheen.end_effector_recursion(h, rest)).max() < 1e-12
    )


def test_as_printed_the_axes_do_not_move_with_the_figure():
    """With matrices to the left, as printed, turning joint 1 does not carry the links beyond it rigidly.

    R_2 R_1 turns link 2 about axes fixed in the world. In the plane, where all examples are, it is the same.
    """
    rest, h = np.array([[1.0, 0, 0], [2.0, 0, 0]]), np.array([[0.3, 0.2, 0.5], [0.4, -0.6, 0.1]])

    def link_2_seen_from_link_1(h, row_vectors):
        first = ki_sheen.printed_rotation(h[0])
        end = ki_sheen.end_effector(h, rest, row_vectors) - ki_sheen.end_effector(
            h[:1], rest[:1], row_vectors
        )
        return end @ first.T if row_vectors else first.T @ end

    turned = h.copy()
    turned[0] += 0.7
    assert np.abs(link_2_seen_from_link_1(h, True) - link_2_seen_from_link_1(turned, True)).max() < 1e-12
    assert np.abs(link_2_seen_from_link_1(h, False) - link_2_seen_from_link_1(turned, False)).max() > 0.1
    flat = h * [0, 0, 1]
    assert np.abs(
        ki_sheen.end_effector(flat, rest, True) - ki_sheen.end_effector(flat, rest, False) * [1, -1, 1]
    ).max() < 1e-12, "in the plane: the same, mirrored by the sense of the angles"  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
def test_as_printed_it_still_reaches_the_same_poses(seed):
    """Other coordinates for the same room: each printed state is the hinge chain at other angles."""
    rng = np.random.default_rng(seed)
    rest, h = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    chain = hinge_chain(rest)
    angles, before = [], np.eye(3)
    for one in h:
        after = ki_sheen.printed_rotation(one) @ before
        local = before.T @ after  # = Rx(x) Ry(y) Rz(z) of the hinges
        angles.append(euler.euler_from_matrix(local, "ZYX"))
        before = after
    pose = ik.Pose.forward(chain, np.ravel(angles))
    assert np.abs(pose.point("end") - ki_sheen.end_effector(h, rest, row_vectors=False)).max() < 1e-10


# ------------------------------------------------------------------ the planar figures
@pytest.mark.parametrize("which", ki_sheen.CHAINS)
def test_printed_positions_and_jacobians(which):
    rng = np.random.default_rng(1)
    count = max(max(links) for links in ki_sheen.CHAINS[which].values())
    lengths = rng.uniform(0.5, 1.5, count)
    skeleton = ki_sheen.tree(which, lengths)
    columns, names = ki_sheen.columns_of(skeleton), list(ki_sheen.CHAINS[which])
    for _ in range(10):
        h = rng.uniform(-np.pi, np.pi, count)
        q = np.zeros(skeleton.n)
        q[columns] = h
        pose = ik.Pose.forward(skeleton, q)
        points, printed = pose.point(names), ki_sheen.positions(which, h, lengths)
        assert np.abs(points[:, :2] - printed).max() < 1e-12
        assert np.abs(points[:, 2]).max() < 1e-12
        for name, jacobian in zip(names, ki_sheen.jacobians(which, h, lengths), strict=True):
            assert np.abs(pose.jacobian(name)[:2][:, columns] - jacobian).max() < 1e-12


def test_example_6_20_moves_p6_not_p5():
    """The printed J_2 has six columns that are not zero, so its effector is the end of link 6."""
    jacobian = ki_sheen.jacobians("three", np.full(11, 0.3), np.ones(11))[1]
    assert np.flatnonzero(np.abs(jacobian).max(axis=0) > 1e-12).tolist() == [0, 1, 2, 3, 4, 5]


# ------------------------------------------------------------------ examples
def test_example_3_1_has_the_printed_end_effector():
    """x = sum l_i cos w_i, y = sum l_i sin w_i, with w_i the sum of the first i angles."""
    rng = np.random.default_rng(0)
    lengths = np.array(ki_sheen_path.LENGTHS)
    for _ in range(5):
        h = rng.uniform(-np.pi, np.pi, 3)
        w = np.cumsum(h)
        tip = ik.Pose.forward(ik.figures.planar_chain(lengths), h).point("tip")
        assert np.abs(tip - (lengths @ np.cos(w), lengths @ np.sin(w), 0)).max() < 1e-12


@pytest.mark.parametrize("smooth", [False, True])
def test_example_3_1(smooth):
    path, track = ki_sheen_path.follow(1e-3, smooth)
    assert len(path) == ki_sheen_path.POINTS + 1
    assert track.errors.max() < 1e-4
    lengths = [np.linalg.norm(ki_sheen_path.follow(gamma, smooth)[1].q[-1]) for gamma in ki_sheen_path.GAMMAS]
    assert all(a > b for a, b in pairwise(lengths)), "a larger gamma, a smaller |h|"


@pytest.mark.parametrize("options", [{"damping": 0.0, "threshold": 0.0}, {}], ids=["as printed", "damped"])
@pytest.mark.parametrize("example", ki_sheen_effectors.EXAMPLES, ids=lambda example: example[0][:4])
def test_examples_5_7_6_20_6_21(example, options):
    _, which, moves, _ = example
    skeleton, start, paths, track = ki_sheen_effectors.follow(which, moves, **options)
    assert all(status is ik.Status.REACHED for status in track.status)
    assert track.errors.max() < 1e-4
    begin = ik.Pose.forward(skeleton, start).point(list(moves))
    end = ik.Pose.forward(skeleton, track.q[-1]).point(list(moves))
    assert np.abs(end - begin - [(*move, 0) for move in moves.values()]).max() < 2e-4, "(6.5)"
    assert paths.shape == (ki_sheen_effectors.POINTS + 1, len(moves), 3)


def test_example_5_7_holds_what_does_not_move():
    _, which, moves, _ = ki_sheen_effectors.EXAMPLES[1]
    skeleton, start, _, track = ki_sheen_effectors.follow(which, moves)
    held = ik.Pose.forward(skeleton, track.q).point("P9")
    assert np.abs(held - ik.Pose.forward(skeleton, start).point("P9")).max() < 1e-4


def test_table_1_to_all_printed_digits():
    """The runs of figures 11 to 14 end with the printed singular values, and so the table follows."""
    rows = ki_sheen_damping.table_1()
    assert len(rows) == 4
    for (c, *printed), row in zip(ki_sheen_damping.PRINTED, rows, strict=True):
        assert row[0] == f"{c:g}"
        assert list(row[1:6]) == list(row[6:11]) == printed


def test_table_1_needs_more_digits_of_one_singular_value():
    """Condition number 66.7251 (c = 1.5) needs s_1 from 12.160649 to 12.160657; 12.1607 gives 66.7256."""
    condition = lambda largest: f"{(largest**2 + 1.5**2) / 1.5**2:.4f}"  # noqa: E731
    assert condition(12.1607) == "66.7256"
    assert condition(12.160649) == condition(12.160657) == "66.7251"
    assert condition(12.160648) == "66.7250"
    assert condition(12.160658) == "66.7252"


def test_example_7_3_small_damping_turns_more_and_large_damping_does_not_arrive():
    turns, left = [], []
    for c, *_ in ki_sheen_damping.PRINTED:
        skeleton, poses, path = ki_sheen_damping.follow(c)
        turns.append(np.abs(np.diff(poses, axis=0)).max())
        ends = ik.Pose.forward(skeleton, poses[-1]).point(ki_sheen_damping.NAMES)[:, :2]
        left.append(np.linalg.norm(path[-1] - ends))
    assert turns[0] > turns[1] > turns[2] > turns[3]
    assert left[3] > 2 * max(left[:3])


def test_example_7_4():
    skeleton, poses, path = ki_sheen_limits.follow()
    column = ki_sheen.columns_of(skeleton)[5]
    h6 = np.array([q[column] for q in poses])
    assert (h6 <= 0).all()
    assert (h6 >= -np.pi).all()
    _, free, _ = ki_sheen_damping.follow(ki_sheen_limits.C)
    assert max(q[column] for q in free) > 0.1, "without the limit it is elsewhere"
    assert np.count_nonzero(h6[1:] > -1e-3) >= 2, "the limit was at work"
    # Stationary under the bounds: no admissible damped step is left.
    error = (path[-1] - ik.Pose.forward(skeleton, poses[-1]).point(ki_sheen_damping.NAMES)[:, :2]).ravel()
    jacobian = ki_sheen_damping.rows_at(skeleton, poses[-1])
    rest = bounded_damped_step(jacobian, error, 3.0, skeleton.lower - poses[-1], skeleton.upper - poses[-1])
    assert np.abs(rest).max() < 0.02


@pytest.mark.parametrize("method", ["bounded", "prioritized", "nonlinear", "damped"])
def test_example_7_5(method):
    figure, start, path, track = ki_sheen_grasp.follow(method)
    assert track.errors.max() < 1e-3
    assert figure.joint_limits.violation(track.q).max() <= 1e-9
    hand = ik.Pose.forward(figure, track.q[-1]).point("wrist.R", ki_sheen_grasp.GRIP)
    assert np.linalg.norm(hand - ki_sheen_grasp.OBJECT) < 1e-3
    feet = ik.Pose.forward(figure, track.q).point(ki_sheen_grasp.FEET)
    assert np.abs(feet - ik.Pose.forward(figure, start).point(ki_sheen_grasp.FEET)).max() < 1e-3
    assert len(path) == len(track.q)
