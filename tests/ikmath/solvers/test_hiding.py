# SPDX-License-Identifier: GPL-3.0-or-later
"""A target far beyond all reach, and the other limb that has a target of its own."""

import numpy as np
import pytest

import ikmath as ik


def two_limbs(limit):
    """Two separate limbs of four balls of 0.3 m."""
    joints = [ik.Joint("root", turns="")]
    for name, side in (("a", 0.2), ("b", -0.2)):
        for i in range(4):
            above, way = (f"{name}{i - 1}", (0, 0.3, 0)) if i else ("root", (side, 0, 0))
            joints.append(ik.Joint(f"{name}{i}", above, translation=way, lower=-limit, upper=limit))
        joints.append(ik.Joint(f"{name}tip", f"{name}3", translation=(0, 0.3, 0), turns=""))
    return ik.Skeleton(joints)


def problem(figure, away, place):
    return ik.Problem(figure, [ik.Position("atip", away), ik.Position("btip", place)])


@pytest.mark.parametrize("times", [3.0, 20.0])
def test_who_asks_briefly_gets_what_the_other_limb_can_have(times):
    for seed in range(10):
        rng = np.random.default_rng([5, seed])
        figure = two_limbs(1.0)
        q, start = (figure.joint_limits.project(rng.uniform(-0.9, 0.9, figure.n)) for _ in range(2))
        away = rng.normal(size=3)
        away *= times * figure.size / np.linalg.norm(away)
        asked = problem(figure, away, ik.Pose.forward(figure, q).point("btip"))
        answer = ik.solve(asked, 0.3 * start, brief=True)
        assert answer.errors[1] < 0.02, seed
        best = ik.solve(asked, 0.3 * start)
        assert answer.errors[0] < best.errors[0] + 0.02 * figure.size


def test_the_other_limb_follows_its_target_while_one_is_pulled_away():
    rng = np.random.default_rng(8)
    figure = two_limbs(1.0)
    start, end = (figure.joint_limits.project(rng.uniform(-0.5, 0.5, figure.n)) for _ in range(2))
    places = ik.Pose.forward(figure, start + np.linspace(0, 1, 30)[:, None] * (end - start)).point("btip")
    away = np.array([0.3, 1.0, -0.4]) * 20.0 * figure.size
    answer = ik.solve(problem(figure, 0.05 * away, places[0]), start, brief=True)
    for row in range(1, 30):
        asked = problem(figure, min(1.0, 0.1 * row) * away, places[row])
        before, answer = answer.q, ik.solve(asked, answer.q, brief=True, following=answer)
        assert answer.errors[1] < 0.01, row
        assert np.abs(answer.q - before).max() < np.radians(8.1)
