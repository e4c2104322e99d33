# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs read off random figures: the same places as forward kinematics."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.classic.limbs.chains import read_limbs, targets
from ikmath.classic.limbs.posing import Posing
from tests.ikmath import oracle, trees


def problem_on(rng, skeleton, count=2):
    joints = [skeleton.names[-1], *(skeleton.names[i] for i in rng.integers(0, len(skeleton), count - 1))]
    return ik.Problem(
        skeleton, [ik.Position(joints, rng.normal(size=(count, 3)), rng.normal(size=(count, 3)))]
    )


@pytest.mark.parametrize("seed", range(40))
def test_places_are_those_of_forward_kinematics(seed):
    rng = np.random.default_rng(seed)
    skeleton = trees.tree(rng, 8, ("none", "some", "odd")[seed % 3])
    problem = problem_on(rng, skeleton)
    goal = problem.tasks[0]
    limbs = read_limbs(problem, "test")
    q = skeleton.joint_limits.project(rng.uniform(-1.2, 1.2, (5, skeleton.n)))
    many = Posing(limbs, q, targets(problem, (5,)))
    for i in range(5):
        one = Posing(limbs, q[i], targets(problem, ()))
        for effector, (joint, offset) in enumerate(zip(goal.joints, goal.offset, strict=True)):
            wanted = oracle.point(skeleton, q[i], joint, offset)
            assert np.allclose(one.tip[effector], wanted, atol=1e-9)
            assert np.allclose([np.broadcast_to(c, 5)[i] for c in many.tip[effector]], wanted, atol=1e-9)
        for index, node in enumerate(limbs.nodes):
            assert np.allclose(one.head[index], oracle.point(skeleton, q[i], skeleton.names[node.joint]))
        assert np.allclose(one.coordinates(one.state()), q[i], atol=1e-9)
    assert np.allclose(many.coordinates(many.state()), q, atol=1e-9)


def test_joints_that_coincide_are_one_group():
    """Three hinges at one place aim together at what comes next."""
    skeleton = ik.Skeleton(
        [
            ik.Joint("a", turns="z"),
            ik.Joint("b", "a", turns="y"),
            ik.Joint("c", "b", turns="x"),
            ik.Joint("d", "c", translation=(0, 1, 0), turns="x"),
        ]
    )
    limbs = read_limbs(ik.Problem(skeleton, [ik.Position("d", (1, 1, 0), (0, 1, 0))]), "test")
    assert [group.nodes for group in limbs.groups] == [(0, 1, 2), (3,)]
    assert [aim.length for group in limbs.groups for aim in group.aims] == [1.0, 1.0]


def test_only_what_an_effector_hangs_on_is_read():
    figure = ik.figures.human()
    limbs = read_limbs(ik.Problem(figure, [ik.Position("wrist.L", (0, 0, 1))]), "test")
    moved = {figure.names[node.joint] for node in limbs.nodes}
    assert "elbow.L" in moved
    assert not {name for name in moved if name.endswith(".R")}


def test_rigid_joints_are_folded_into_constants():
    figure = ik.Skeleton(
        [
            ik.Joint("root", turns="x"),
            ik.Joint("rigid", "root", translation=(0, 1, 0), turns="", fixed=(0, 0, 0, 0.3, 0.2, 0.1)),
            ik.Joint("world", "rigid", translation=(0, 1, 0), turns="", inherit_rotation=False),
            ik.Joint("end", "world", translation=(0, 1, 0), turns="x"),
        ]
    )
    limbs = read_limbs(ik.Problem(figure, [ik.Position("end", (0, 1, 1), (0, 1, 0))]), "test")
    assert len(limbs.nodes) == 2
    assert limbs.nodes[1].attached is False


def test_what_cannot_be_taken_is_said():
    figure = ik.figures.ball_chain(3)
    with pytest.raises(ik.NotSupported, match="single axes"):
        ik.solve(ik.Problem(figure, [ik.Position("tip", (1, 1, 1), axes="x")]), method="ccd")
    two = [ik.Position("tip", (1, 1, 1)), ik.Position("ball1", (1, 1, 0), priority=1)]
    with pytest.raises(ik.NotSupported, match="priorities"):
        ik.solve(ik.Problem(figure, two), method="fabrik")
    with pytest.raises(ik.NotSupported, match="Orientation"):
        ik.solve(ik.Problem(figure, [ik.Orientation("tip", np.eye(3))]), method="triangulation")
    sliding = ik.Skeleton([ik.Joint("a"), ik.Joint("b", "a", translation=(0, 1, 0), slides="y")])
    with pytest.raises(ik.NotSupported, match="'b'"):
        ik.solve(ik.Problem(sliding, [ik.Position("b", (1, 1, 1), (0, 1, 0))]), method="reach_hierarchy")
