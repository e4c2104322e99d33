# SPDX-License-Identifier: GPL-3.0-or-later
"""What the guard lets pass between two poses, of links that are to be kept from each other."""

import numpy as np
import pytest

import ikmath as ik
from ikmath.solvers.collision_guard import CollisionGuard
from tests.ikmath.avoidance import brute_force, scenes

SAMPLES = 40


def person():
    """A person that keeps its limbs apart, as a guard sees it."""
    skeleton, body, _ = scenes.figure("human", np.random.default_rng(3))
    problem = ik.Problem(skeleton, [], body=body, self_pairs=ik.self_pairs(skeleton, body))
    return problem, CollisionGuard(problem, problem.scene, problem.stack.metric)


def stand(guard, q):
    return guard.near(ik.Pose.forward(guard.problem.skeleton, q))


@pytest.mark.parametrize("size", [0.02, 0.1, 0.4])
def test_no_axis_passes_another_on_a_way_that_is_let_pass(size):
    problem, guard = person()
    skeleton, body, pairs = problem.skeleton, problem.body, problem.scene.pairs
    radii = body.radius[pairs].sum(1)
    rng, passed = np.random.default_rng(1), 0
    for _ in range(30):
        q = scenes.pose(skeleton, rng, 0.4)
        to = skeleton.joint_limits.project(q + size * rng.normal(size=skeleton.n))
        if guard.share(stand(guard, q), stand(guard, to)) < 1.0:
            continue
        passed += 1
        between = q + np.linspace(0.0, 1.0, SAMPLES)[:, None] * (to - q)
        clear = brute_force.clearances(skeleton, body, [], between, pairs)
        assert (clear + radii > 0.0).all()
    assert passed or size > 0.1


def test_limbs_that_move_together_are_not_in_each_others_way():
    problem, guard = person()
    skeleton = problem.skeleton
    root = skeleton.parents < 0
    q = skeleton.rest.copy()
    to = q.copy()
    to[root[skeleton.owner] & skeleton.is_turn] += 0.8
    assert guard.share(stand(guard, q), stand(guard, skeleton.joint_limits.project(to))) >= 1.0


def test_a_limb_that_moves_through_another_is_stopped():
    """Two arms side by side, of which one swings through the other."""
    arms = [ik.Joint("root", turns=""), ik.Joint("a", "root"), ik.Joint("b", "root", translation=(0.2, 0, 0))]
    skeleton = ik.Skeleton(arms)
    body = ik.Body([ik.Link(name, (0, 0.1, 0), (0, 1, 0), radius=0.02) for name in "ab"])
    problem = ik.Problem(skeleton, [], body=body, self_pairs=[(0, 1)])
    guard = CollisionGuard(problem, problem.scene, problem.stack.metric)
    at = {name: np.flatnonzero(skeleton.owner == skeleton.index(name)) for name in "ab"}
    q, to = np.zeros(skeleton.n), np.zeros(skeleton.n)
    q[at["a"][2]], to[at["a"][2]] = 0.6, -0.9
    assert guard.share(stand(guard, q), stand(guard, to)) < 1.0
    both = np.zeros((2, skeleton.n))
    both[0], both[1, at["a"][2]], both[1, at["b"][2]] = q, q[at["a"][2]], 0.0
    assert guard.share(stand(guard, both[0]), stand(guard, both[1])) >= 1.0
