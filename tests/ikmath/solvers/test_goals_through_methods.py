# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of goal through every row-based method: what a method takes it must also bring about."""

import numpy as np
import pytest

import ikmath as ik

METHODS = {
    "damped": {}, "pseudoinverse": {}, "control": {}, "prioritized": {}, "bounded": {}, "nonlinear": {},
    "lagrange": {}, "transpose": {},
}  # fmt: skip
TOLERANCE = 1e-3


def figure():
    """An arm of five balls on a turning base, with limits."""
    joints = [ik.Joint("base", turns="y", lower=-2.5, upper=2.5)]
    for i in range(5):
        joints.append(
            ik.Joint(f"b{i}", joints[-1].name, translation=(0, 1.0 if i else 0.2, 0), lower=-1.2, upper=1.2)
        )
    joints.append(ik.Joint("hand", "b4", translation=(0, 1, 0), turns=""))
    return ik.Skeleton(joints)


def goals(kind, skeleton, there):
    """Goals that the pose `there` meets."""
    pose = ik.Pose.forward(skeleton, there)
    hand, elbow, turned = pose.point("hand"), pose.point("b3"), pose.frame("hand")
    ahead = turned @ np.array([0.0, 0.0, 1.0])
    return {
        "position": [ik.Position("hand", hand)],
        "orientation": [ik.Orientation("hand", turned)],
        "both": [ik.Position("hand", hand), ik.Orientation("hand", turned)],
        "aim": [ik.Aim("hand", hand + 10.0 * ahead, direction=(0, 0, 1))],
        "plane": [ik.Plane("hand", origin=hand, normal=(0.3, 0.5, 0.8))],
        "several": [
            ik.Position(["hand", "b3"], np.array([hand, elbow])), ik.Plane("b1", pose.point("b1"), (0, 0, 1)),
        ],
        "aim and place": [ik.Position("b3", elbow), ik.Aim("hand", hand + ahead, direction=(0, 0, 1))],
        "levels": [ik.Position("hand", hand), ik.Orientation("b2", pose.frame("b2"), priority=1)],
        "posture": [ik.Position("hand", hand), ik.Posture(skeleton.rest, gain=0.5)],
        "any of": [ik.AnyOf([ik.Position("hand", hand), ik.Position("hand", (9.0, 0, 0))])],
    }[kind]  # fmt: skip


KINDS = (
    "position", "orientation", "both", "aim", "plane", "several", "aim and place", "levels", "posture",
    "any of",
)  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_brings_it_about(method, kind):
    skeleton = figure()
    reached = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        there = skeleton.joint_limits.project(0.5 * rng.normal(size=skeleton.n))
        start = skeleton.joint_limits.project(there + 0.25 * rng.normal(size=skeleton.n))
        problem = ik.Problem(skeleton, goals(kind, skeleton, there))
        options = {"tolerance": TOLERANCE, **METHODS[method]}
        answer = ik.solve(problem, start, method, **options)
        assert skeleton.joint_limits.violation(answer.q).max() <= 1e-9
        reached += answer.status is ik.Status.REACHED
    assert reached == 4


@pytest.mark.parametrize("method", METHODS)
def test_obstacles_are_refused_with_a_sentence(method):
    chosen = ik.METHODS[method]
    problem = ik.Problem(
        figure(), [ik.Position("hand", (1, 2, 1))], obstacles=[ik.Sphere((0, 2, 0), 0.5)],
        body=ik.Body([ik.Link("b1", (0, 0, 0), (0, 1, 0), radius=0.05)]),
    )  # fmt: skip
    if chosen.obstacles:
        return
    with pytest.raises(ik.NotSupported, match=chosen.label):
        ik.solve(problem, None, method)
