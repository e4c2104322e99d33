# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals worked out together are the goals worked out one by one, whatever stands among them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ikmath as ik
from ikmath.goals.stack import TaskStack
from tests.ikmath import trees

TURNS = ("turn", "turns", "slack", "tilt", "tilt of another", "tilt of the bone", "tilt of the world")
KINDS = ("place", "places", "one axis", "plane", *TURNS)


def goal(kind, names, rng):
    """A goal of a kind for joints drawn from names; about half the kinds have rows of their own."""
    one, some = str(rng.choice(names)), [str(name) for name in rng.choice(names, 2)]
    turns = [trees.rotation(rng) for _ in some]
    return {
        "place": lambda: ik.Position(one, rng.normal(size=3), rng.normal(size=3)),
        "places": lambda: ik.Position(some, rng.normal(size=(2, 3)), priority=1),
        "turn": lambda: ik.Orientation(one, turns[0], priority=1),
        "turns": lambda: ik.Orientation(some, turns),
        "one axis": lambda: ik.Position(one, rng.normal(size=3), axes="y"),
        "slack": lambda: ik.Orientation(one, turns[0], slack=0.1),
        "plane": lambda: ik.Plane(one, rng.normal(size=3), rng.normal(size=3)),
        "tilt": lambda: ik.Orientation(one, turns[1], axes="xz", space="target"),
        "tilt of another": lambda: ik.Orientation(some, turns, axes="y", space="target", frame=turns[::-1]),
        "tilt of the bone": lambda: ik.Orientation(some, turns, axes="yz", space="bone"),
        "tilt of the world": lambda: ik.Orientation(one, turns[1], axes="xy"),
    }[kind]()


def evaluated(merged, goals, pose):
    error, jacobian = merged.evaluate(goals, pose)
    return error, jacobian


def check(evaluate, goals, skeleton, rng):
    for batch in (), (3,):
        pose = ik.Pose.forward(skeleton, 0.5 * rng.normal(size=(*batch, skeleton.n)))
        error, jacobian = evaluate(goals, pose)
        alone = [one.evaluate(pose) for one in goals]
        np.testing.assert_allclose(error, np.concatenate([one.error for one in alone], -1), atol=1e-12)
        rows = np.concatenate([one.jacobian for one in alone], -2)
        np.testing.assert_allclose(jacobian, rows, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    trees.skeletons(),
    st.lists(st.sampled_from(["place", "places", "plane", *TURNS]), min_size=1, max_size=4),
    st.integers(0, 10_000),
)
def test_curvature_is_the_derivative_of_the_jacobian(skeleton, kinds, seed):
    rng = np.random.default_rng(seed)
    goals = [goal(kind, skeleton.names, rng) for kind in kinds]
    merged = TaskStack(skeleton, goals, 1.0)
    q, h = 0.4 * rng.normal(size=skeleton.n), 1e-6
    pose = ik.Pose.forward(skeleton, q)
    error, _ = evaluated(merged, goals, pose)
    for one in goals:
        if one.unit == "rad":
            turned = pose.frame(one.joints) @ one.target.swapaxes(-1, -2)
            if (np.trace(turned, axis1=-2, axis2=-1) < -0.5).any():
                return  # near half a turn, where a rotation vector jumps
    pull = rng.normal(size=len(error))

    def slope(q):
        return pull @ evaluated(merged, goals, ik.Pose.forward(skeleton, q))[1]

    wanted = np.array([(slope(q + e) - slope(q - e)) / (2 * h) for e in h * np.eye(skeleton.n)])
    found = merged.curvature(goals, pose, pull, np.full(skeleton.n, 1e-5)).matrix(pose)
    scale = max(1.0, np.abs(wanted).max(initial=0.0))
    np.testing.assert_allclose(found, wanted.reshape(found.shape), atol=1e-3 * scale)


@settings(max_examples=150, deadline=None)
@given(trees.skeletons(), st.lists(st.sampled_from(KINDS), min_size=1, max_size=5), st.integers(0, 10_000))
def test_together_is_one_by_one(skeleton, kinds, seed):
    rng = np.random.default_rng(seed)
    goals = [goal(kind, skeleton.names, rng) for kind in kinds]
    for one in goals:
        one.check(skeleton)
    merged = TaskStack(skeleton, goals, 1.0)
    check(lambda *given: evaluated(merged, *given), goals, skeleton, rng)


@pytest.mark.parametrize("change", ["target", "point", "slack", "order"])
def test_other_targets_have_the_same_rows_and_other_points_have_not(change):
    skeleton, rng = ik.figures.human(), np.random.default_rng(3)
    first = [ik.Position("head", (0.0, 0.1, 1.5)), ik.Orientation("wrist.L", np.eye(3))]
    problem = ik.Problem(skeleton, first)
    other = {
        "target": [first[0].with_targets(target=np.array([[0.3, 0.0, 1.4]])), first[1]],
        "point": [ik.Position("head", (0.0, 0.1, 1.5), offset=(0.0, 0.1, 0.0)), first[1]],
        "slack": [ik.Position("head", (0.0, 0.1, 1.5), slack=0.2), first[1]],
        "order": first[::-1],
    }[change]
    check(problem.stack.evaluate, first, skeleton, rng)
    moved = problem.with_targets(other)
    assert (moved.stack is problem.stack) is (change == "target")
    check(moved.stack.evaluate, other, skeleton, rng)
