# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures whose joints have one turn each: their own kernels against plain loops and the general kernels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import ikmath as ik
from ikmath.model.forward_kinematics import forward_one
from ikmath.model.hinge_kinematics import Hinges
from ikmath.model.many_frames import Balls
from tests.ikmath import oracle, trees


def hinge_tree(seed: int, fixed: bool = False) -> ik.Skeleton:
    """A random forest of hinges, slides and rigid joints; `fixed`: hinges have constant turns besides."""
    rng = np.random.default_rng(seed)
    joints = []
    deep = seed % 2  # many poses of a tree that is not deep are left to the general kernel
    for i in range(rng.integers(1, 14) + 12 * deep):
        parent = (
            None if i == 0 or rng.random() < 0.1 - 0.1 * deep else f"j{rng.integers(max(0, i - 2 + deep), i)}"
        )
        turns = ("", "x", "y", "z", "x", "z")[rng.integers(6)] if i else "y"
        slides = ("", "", "x", "yz", "xyz")[rng.integers(5)]
        joint = trees.joint(rng, f"j{i}", parent, turns, slides, rng.random() < 0.85, "none")
        if turns and not fixed:
            joint = replace(joint, fixed=(*np.asarray(joint.fixed)[:3], 0.0, 0.0, 0.0))
        joints.append(joint)
    return ik.Skeleton(joints)


def of_hinges(skeleton: ik.Skeleton) -> bool:
    return isinstance(getattr(skeleton.kernels[0], "__self__", None), Hinges)


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_poses_are_what_a_plain_loop_finds(seed, fixed):
    skeleton = hinge_tree(seed, fixed)
    assert of_hinges(skeleton) == (not fixed), "constant turns beside a free one make it no hinge"
    q = 1.5 * np.random.default_rng(seed).normal(size=(3, skeleton.n))
    many = ik.Pose.forward(skeleton, q)
    for frame, one in enumerate(q):
        pose = ik.Pose.forward(skeleton, one)
        for i, (rotation, place) in enumerate(oracle.frames(skeleton, one).values()):
            for found in (pose.rotation[i], many.rotation[frame, i]):
                np.testing.assert_allclose(found, rotation, atol=1e-12)
            for found in (pose.position[i], many.position[frame, i]):
                np.testing.assert_allclose(found, place, atol=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_they_are_the_general_kernels(seed):
    skeleton = hinge_tree(seed)
    topology, constants = skeleton.topology, skeleton.constants
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(3, skeleton.n))
    names, offsets = list(skeleton.names), rng.normal(size=(len(skeleton), 3))
    many = ik.Pose.forward(skeleton, q)
    general = Balls(topology, constants).many(np.ascontiguousarray(q.T))
    np.testing.assert_allclose(many.rotation, general.rotation.transpose(3, 2, 0, 1), atol=1e-12)
    for frame, one in enumerate(q):
        pose = ik.Pose.forward(skeleton, one)
        twists = forward_one(topology, constants, one).twists(topology)
        np.testing.assert_allclose(np.concatenate(pose.screws, 1), twists, atol=1e-12)
        np.testing.assert_allclose(many.axis[frame], pose.axis, atol=1e-12)
        for jacobian in ("jacobian", "frame_jacobian"):
            together = getattr(many, jacobian)(names, offsets)[frame]
            np.testing.assert_allclose(together, getattr(pose, jacobian)(names, offsets), atol=1e-12)


def test_moved_constants_are_heeded():
    skeleton = hinge_tree(3)
    rng = np.random.default_rng(0)
    q = rng.normal(size=skeleton.n)
    before = ik.Pose.forward(skeleton, q).position
    shifted = skeleton.with_rest(rest_translation=skeleton.rest_translation + 1.0)
    assert np.abs(ik.Pose.forward(shifted, q).position - before).max() > 0.5
    turned = skeleton.with_rest(fixed=rng.normal(size=skeleton.fixed.shape))
    assert of_hinges(skeleton) and of_hinges(shifted) and not of_hinges(turned)
