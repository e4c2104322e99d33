# SPDX-License-Identifier: GPL-3.0-or-later
"""The relaxed stance, and which rule keeps a figure from falling."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath import rotation
from ikmath.model.figure_map import map_skeleton
from ikmath.postures.objective import PostureObjective
from ikmath.postures.stance import stance
from ikmath.postures.support import BalanceRule, choose_support
from tests.ikmath.postures import people


def _bend(pose, figure, names):
    a, b, c = (pose.position[figure.index(name)] for name in names)
    first, second = (b - a) / np.linalg.norm(b - a), (c - b) / np.linalg.norm(c - b)
    return np.degrees(np.arccos(np.clip(first @ second, -1, 1))), first, second


@pytest.mark.parametrize("options", [{}, {"roll": 0.7, "turn": 2.0, "scale": 50.0}])
def test_arms_hang_elbows_and_knees_are_bent_forward(options):
    figure, tips = people.skeleton(**options)
    found = map_skeleton(figure, tips=tips)
    pose, rest = (ik.Pose.forward(figure, q) for q in (stance(figure, found), figure.rest))
    facing = rotation.exp([0, 0, options.get("turn", 0.0)]) @ [0, -1, 0]
    np.testing.assert_allclose(found.forward, facing, atol=1e-6)
    for side in "lr":
        bend, upper, lower = _bend(pose, figure, [f"{n}.{side}" for n in ("arm", "forearm", "hand")])
        assert bend == pytest.approx(15.0, abs=0.1) and (lower - upper) @ facing > 0.1
        assert np.degrees(np.arcsin(-upper[2])) == pytest.approx(70.0, abs=0.1)
        bend, upper, lower = _bend(pose, figure, [f"{n}.{side}" for n in ("thigh", "shin", "foot")])
        assert bend == pytest.approx(14.0, abs=0.1) and (lower - upper) @ facing < -0.1
        foot = figure.index(f"foot.{side}")
        np.testing.assert_allclose(pose.rotation[foot], rest.rotation[foot], atol=1e-9)


def test_elbows_turn_about_their_own_axis():
    """In the stance a forearm has not twisted or bent aside against the hinge that the map tells."""
    figure, tips = people.skeleton()
    found = map_skeleton(figure, tips=tips)
    pose, rest = (ik.Pose.forward(figure, q) for q in (stance(figure, found), figure.rest))
    for side in "lr":
        upper, lower = figure.index(f"arm.{side}"), figure.index(f"forearm.{side}")
        turned = [p.rotation[upper].T @ p.rotation[lower] for p in (rest, pose)]
        axis = rotation.log(turned[1] @ turned[0].T)
        hinge = rest.rotation[upper].T @ found.hinge[lower]
        assert abs(axis @ hinge) / np.linalg.norm(axis) > 0.99


def test_animals_stay_as_they_stand():
    figure, tips = people.skeleton(people.DOG)
    np.testing.assert_array_equal(stance(figure, map_skeleton(figure, tips=tips)), figure.rest)


def test_the_rule_follows_from_the_posture():
    figure, tips = people.skeleton()
    standing = PostureObjective.of(figure, figure.rest, tips=tips)
    assert standing.support.rule == BalanceRule.BALANCE
    turns = np.zeros((len(figure), 3))
    turns[0] = (-1.5, 0, 0)
    lying = standing.with_reference(ik.Pose.forward(figure, people.rotations(figure, turns)))
    assert lying.support.rule == BalanceRule.KEEP_HIPS and lying.support.outside > 0.1
    chain = ik.Skeleton([ik.Joint("a", None), *(ik.Joint(f"b{k}", "a" if k == 0 else f"b{k - 1}", translation=(0, 1, 0)) for k in range(3))])  # fmt: skip  # noqa: E501
    assert PostureObjective.of(chain, chain.rest).support.rule == BalanceRule.NONE


def test_outside_is_the_distance_to_the_feet():
    """Against a dense search over the hull of the feet's points."""
    figure, tips = people.skeleton()
    found = map_skeleton(figure, tips=tips)
    rng = np.random.default_rng(0)
    ends = [*found.feet]
    points = np.concatenate([found.heads[ends], found.tails[ends]])[:, :2]
    shares = rng.dirichlet(np.full(len(points), 0.3), 200_000)
    inside = shares @ points
    for place in rng.uniform(-0.4, 0.4, (20, 2)):
        center = np.array([*place, 1.0])
        support = choose_support(found, found.heads, found.tails, center, 10.0)
        near = np.sqrt(((inside - place) ** 2).sum(1)).min()
        assert support.outside == pytest.approx(near, abs=4e-3)
