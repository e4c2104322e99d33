# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures whose joints have one turn each: forward kinematics against plain loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import ikmath as ik
from tests.ikmath import oracle, trees


def hinge_tree(seed: int, fixed: bool = False) -> ik.Skeleton:
    """A random forest of hinges, slides and rigid joints; `fixed`: hinges have constant turns besides."""
    rng = np.random.default_rng(seed)
    joints = []
    deep = seed % 2
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


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_poses_are_what_a_plain_loop_finds(seed, fixed):
    skeleton = hinge_tree(seed, fixed)
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
def test_many_poses_have_the_screws_of_each(seed):
    skeleton = hinge_tree(seed)
    q = np.random.default_rng(seed).normal(size=(3, skeleton.n))
    w, v = ik.Pose.forward(skeleton, q).screws
    for frame, one in enumerate(q):
        single = ik.Pose.forward(skeleton, one).screws
        np.testing.assert_allclose(w[:, :, frame].T, single[0], atol=1e-12)
        np.testing.assert_allclose(v[:, :, frame].T, single[1], atol=1e-12)


def test_moved_constants_are_heeded():
    skeleton = hinge_tree(3)
    rng = np.random.default_rng(0)
    q = rng.normal(size=skeleton.n)
    before = ik.Pose.forward(skeleton, q).position
    for moved in (
        skeleton.with_rest(rest_translation=skeleton.rest_translation + 1.0),
        skeleton.with_rest(fixed=rng.normal(size=skeleton.fixed.shape)),
    ):
        assert np.abs(ik.Pose.forward(moved, q).position - before).max() > 0.1
