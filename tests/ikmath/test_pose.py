# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics and Jacobians against plain loops and differences, on figures of any shape."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ikmath as ik
from tests.ikmath import oracle, trees


@given(trees.posed())
def test_one_pose_is_what_a_plain_loop_finds(figure):
    skeleton, q, _ = figure
    pose = ik.Pose.forward(skeleton, q)
    for i, (name, (rotation, place)) in enumerate(oracle.frames(skeleton, q).items()):
        assert skeleton.names[i] == name
        np.testing.assert_allclose(pose.rotation[i], rotation, atol=1e-12)
        np.testing.assert_allclose(pose.position[i], place, atol=1e-12)


@given(trees.posed(), st.sampled_from([(1,), (3,), (2, 3), (0,)]))
def test_a_batch_is_the_loop_over_single_poses(figure, batch):
    skeleton, q, rng = figure
    many = q + rng.normal(size=(*batch, skeleton.n)) * 10.0 ** rng.uniform(-8, 0)
    joints = list(skeleton.names)
    offsets = rng.normal(size=(len(joints), 3))
    pose = ik.Pose.forward(skeleton, many)
    together = {
        "rotation": pose.rotation,
        "position": pose.position,
        "point": pose.point(joints, offsets),
        "frame": pose.frame(joints),
        "jacobian": pose.jacobian(joints, offsets),
        "rotation_jacobian": pose.rotation_jacobian(joints),
    }
    for name, value in together.items():
        assert value.shape[: len(batch)] == batch, name
    for index in np.ndindex(batch):
        single = ik.Pose.forward(skeleton, many[index])
        alone = {
            "rotation": single.rotation,
            "position": single.position,
            "point": single.point(joints, offsets),
            "frame": single.frame(joints),
            "jacobian": single.jacobian(joints, offsets),
            "rotation_jacobian": single.rotation_jacobian(joints),
        }
        for name, value in alone.items():
            np.testing.assert_allclose(together[name][index], value, atol=1e-12, err_msg=name)


@given(trees.posed())
def test_jacobians_are_differences(figure):
    skeleton, q, rng = figure
    for joint in skeleton.names:
        offset = rng.normal(size=3)
        pose = ik.Pose.forward(skeleton, q)
        slope, _ = oracle.differences(lambda at, j=joint, o=offset: oracle.point(skeleton, at, j, o), q)
        np.testing.assert_allclose(pose.jacobian(joint, offset), slope, atol=2e-8)
        turned, _ = oracle.differences(lambda at, j=joint: oracle.frames(skeleton, at)[j][0].ravel(), q)
        rotation = pose.frame(joint)
        for i in range(skeleton.n):
            spin = turned[:, i].reshape(3, 3) @ rotation.T
            velocity = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
            np.testing.assert_allclose(pose.rotation_jacobian(joint)[:, i], velocity, atol=2e-8)


@given(trees.posed())
def test_several_joints_are_the_single_ones(figure):
    skeleton, q, rng = figure
    joints = [skeleton.names[i] for i in rng.integers(0, len(skeleton), 3)]
    offsets = rng.normal(size=(3, 3))
    pose = ik.Pose.forward(skeleton, q)
    for e, joint in enumerate(joints):
        np.testing.assert_allclose(pose.point(joints, offsets)[e], pose.point(joint, offsets[e]), atol=1e-13)
        np.testing.assert_allclose(
            pose.jacobian(joints, offsets)[e], pose.jacobian(joint, offsets[e]), atol=1e-13
        )
        np.testing.assert_allclose(
            pose.rotation_jacobian(joints)[e], pose.rotation_jacobian(joint), atol=1e-13
        )


@given(trees.posed())
def test_axes_are_of_unit_length_but_for_swings_far_out(figure):
    skeleton, q, _ = figure
    w, v = ik.Pose.forward(skeleton, q).screws
    axes = np.where(skeleton.is_turn[:, None], w, v)
    swings = np.isin(skeleton.slot, (3, 5))
    np.testing.assert_allclose(np.linalg.norm(axes[~swings], axis=-1), 1.0, atol=1e-12)
    assert (np.linalg.norm(axes[swings], axis=-1) <= 1.0 + 1e-12).all()


def test_indices_and_names_are_the_same_joints():
    skeleton = ik.figures.human()
    pose = ik.Pose.forward(skeleton, skeleton.rest)
    head = skeleton.index("head")
    np.testing.assert_array_equal(pose.point("head", (0, 0.1, 0)), pose.point(head, (0, 0.1, 0)))
    np.testing.assert_array_equal(pose.jacobian(np.array([head, 0])), pose.jacobian(["head", "pelvis"]))


def test_the_pose_keeps_a_copy_and_changes_nothing():
    skeleton = ik.figures.ball_chain(3)
    q = np.linspace(-1, 1, 9)
    before = q.copy()
    pose = ik.Pose.forward(skeleton, q)
    pose.jacobian("tip"), pose.rotation_jacobian("tip"), pose.point("tip", np.ones(3))
    np.testing.assert_array_equal(q, before)
    place = pose.position.copy()
    q[:] = 0.0
    np.testing.assert_array_equal(pose.q, before)
    np.testing.assert_array_equal(pose.position, place)


@pytest.mark.parametrize("batch", [(), (3,)])
def test_coordinates_cannot_be_changed_behind_a_pose(batch):
    skeleton = ik.Skeleton([ik.Joint("a"), ik.Joint("b", "a", translation=(0, 1, 0))])
    pose = ik.Pose.forward(skeleton, np.zeros((*batch, skeleton.n)))
    with pytest.raises(ValueError, match="read-only"):
        pose.q[..., 0] += 0.1
    with pytest.raises(ValueError, match="read-only"):
        pose.q.fill(1.0)


def test_a_pose_cannot_be_made_without_forward_kinematics():
    arm = ik.figures.planar_chain([1.0])
    with pytest.raises(TypeError, match=r"Pose\.forward"):
        ik.Pose(arm, arm.rest)
    with pytest.raises(TypeError, match=r"Pose\.forward"):
        ik.Pose()


@pytest.mark.parametrize("shape", [(), (8,), (10,), (3, 8)])
def test_coordinates_of_the_wrong_number(shape):
    with pytest.raises(ik.BadShape, match="q has shape"):
        ik.Pose.forward(ik.figures.ball_chain(3), np.zeros(shape))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_coordinate_that_is_no_number_is_named(bad):
    q = np.zeros((2, 9))
    q[1, 5] = bad
    with pytest.raises(ik.BadValue, match=r"ball1\.turn_z"):
        ik.Pose.forward(ik.figures.ball_chain(3), q)


def test_points_of_joints_that_are_not_there():
    pose = ik.Pose.forward(ik.figures.ball_chain(3), np.zeros(9))
    with pytest.raises(ik.UnknownName, match=r"'tap'.*'tip'"):
        pose.point("tap")
    with pytest.raises(ik.BadShape, match="offset"):
        pose.point("tip", (0, 1))
    with pytest.raises(ik.BadValue, match="offset"):
        pose.jacobian("tip", (0, np.nan, 0))
    for index in (7, -9):
        with pytest.raises(ik.IkError, match="joint"):
            pose.point(index)
