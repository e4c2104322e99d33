# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics keeps no state between poses and threads."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import ikmath as ik
from tests.ikmath import trees


def tree(seed):
    """A chain of seven joints with some of everything."""
    rng = np.random.default_rng(seed)
    return ik.Skeleton(
        [
            trees.joint(rng, f"{i}", f"{i - 1}" if i else None, "xyz", "z" if i == 3 else "", i != 5, "none")
            for i in range(7)
        ]
    )


def test_poses_keep_their_own_numbers():
    skeleton, other = tree(1), tree(2)
    draw = np.random.default_rng(0)
    first = ik.Pose.forward(skeleton, skeleton.rest)
    kept = [array.copy() for array in (first.rotation, first.position, first.twists)]
    for _ in range(3):
        ik.Pose.forward(other, draw.normal(size=other.n)).twists
    for array, now in zip(kept, (first.rotation, first.position, first.twists), strict=True):
        np.testing.assert_array_equal(array, now)


def test_threads_do_not_meet_in_it():
    skeleton = tree(3)
    draw = np.random.default_rng(1)
    poses = draw.normal(size=(400, skeleton.n))

    def position(q):
        return ik.Pose.forward(skeleton, q).position

    alone = [position(q) for q in poses]
    pause = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            together = list(pool.map(position, poses))
    finally:
        sys.setswitchinterval(pause)
    np.testing.assert_array_equal(alone, together)
