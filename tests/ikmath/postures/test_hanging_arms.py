# SPDX-License-Identifier: GPL-3.0-or-later
"""An arm that nothing leads hangs as it hung, however the trunk leans."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import ikmath as ik
from ikmath.postures.objective import PostureObjective
from tests.ikmath.postures import people

FEET = ["foot.l", "foot.r"]


FIGURE, TIPS = people.skeleton(people.lowered())
REST = ik.Pose.forward(FIGURE, FIGURE.rest)
PLAIN = PostureObjective.of(FIGURE, FIGURE.rest, tips=TIPS)
HANGING = PLAIN.with_hanging_arms([FIGURE.index("arm.l")], REST)


def slope(pose, side="l"):
    """Degrees from straight down, from the shoulder to the wrist."""
    way = pose.point(f"hand.{side}") - pose.point(f"arm.{side}")
    return float(np.degrees(np.arccos(-way[2] / np.linalg.norm(way))))


def to_the_floor(cost, start=FIGURE.rest):
    """The pose in which the right hand is near the floor, ahead of the planted feet."""
    goals = [ik.Position(FEET, REST.point(FEET)), ik.Position("hand.r", [-0.15, -0.35, 0.15])]
    goals += [ik.Orientation(foot, REST.rotation[FIGURE.index(foot)]) for foot in FEET]
    answer = ik.solve(ik.Problem(FIGURE, goals, posture=cost), start)
    assert answer.status == ik.Status.REACHED
    return ik.Pose.forward(FIGURE, answer.q)


def test_the_other_arm_hangs_when_a_person_bows_to_the_floor():
    assert slope(to_the_floor(PLAIN)) > 70.0
    assert slope(to_the_floor(HANGING)) < 45.0


def test_only_arms_that_are_told_hang():
    alone = HANGING.with_hanging_arms([], REST)
    np.testing.assert_allclose(to_the_floor(alone).q, to_the_floor(PLAIN).q, atol=1e-9)


def test_turning_the_person_costs_an_arm_nothing():
    pose = ik.Pose.forward(FIGURE, FIGURE.rest)
    q = FIGURE.rest.copy()
    body = FIGURE.columns("hips")
    for angle in (0.3, 1.5):
        q[body][3:] = REST.rotation[0].T @ [0.0, 0.0, angle]
        pose = ik.Pose.forward(FIGURE, q)
        assert HANGING.evaluate(pose).value == pytest.approx(PLAIN.evaluate(pose).value, abs=1e-12)


def test_copies_keep_the_arms_and_take_their_tilt_from_the_posture():
    bowed = to_the_floor(HANGING)
    there = HANGING.with_reference(bowed)
    assert np.abs(there.evaluate(bowed).gradient).max() < 1e-9
    other = there.with_support(PLAIN.support).evaluate(REST).value
    assert other > PLAIN.with_reference(bowed).with_support(PLAIN.support).evaluate(REST).value + 1e-4


def test_gradient_hessian_and_curvature_are_the_derivatives():
    rng, h = np.random.default_rng(3), 1e-6
    cost = HANGING.with_hanging_arms([FIGURE.index("arm.l"), FIGURE.index("arm.r")], REST)
    q = FIGURE.rest + 0.4 * rng.normal(size=FIGURE.n)
    pose = ik.Pose.forward(FIGURE, q)
    term = cost.evaluate(pose)
    ahead = [cost.evaluate(ik.Pose.forward(FIGURE, q + e)) for e in h * np.eye(FIGURE.n)]
    back = [cost.evaluate(ik.Pose.forward(FIGURE, q - e)) for e in h * np.eye(FIGURE.n)]
    values = np.array([(a.value - b.value) / (2 * h) for a, b in zip(ahead, back, strict=True)])
    np.testing.assert_allclose(term.gradient, values, atol=1e-8 * np.abs(values).max())
    whole = np.array([(a.gradient - b.gradient) / (2 * h) for a, b in zip(ahead, back, strict=True)])
    found = term.hessian + term.curvature().matrix(pose)
    np.testing.assert_allclose(found, whole, atol=1e-7 * np.abs(whole).max())


def test_an_arm_that_cannot_turn_does_not_hold_the_trunk_back():
    locked = ik.Skeleton(
        [replace(joint, turns="" if joint.name == "arm.l" else "xyz") for joint in FIGURE.joints]
    )
    rest = ik.Pose.forward(locked, locked.rest)
    cost = PostureObjective.of(locked, locked.rest, tips=TIPS)
    told = cost.with_hanging_arms([locked.index("arm.l")], rest)
    q = locked.rest.copy()
    q[locked.columns("chest")] = 0.5
    pose = ik.Pose.forward(locked, q)
    assert told.evaluate(pose).value == cost.evaluate(pose).value


def test_a_joint_that_begins_no_limb_is_refused():
    with pytest.raises(ik.BadValue, match="begins no limb"):
        PLAIN.with_hanging_arms([FIGURE.index("chest")], REST)


def test_effort_even_has_no_arms_that_hang():
    even = PostureObjective.of(FIGURE, FIGURE.rest, tips=TIPS, effort="even")
    told = even.with_hanging_arms([FIGURE.index("arm.l")], REST)
    pose = to_the_floor(PLAIN)
    assert told.evaluate(pose).value == even.evaluate(pose).value
