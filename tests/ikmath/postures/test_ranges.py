# SPDX-License-Identifier: GPL-3.0-or-later
"""Hips hardly turn back, and knees bend only so far, either way: what is beyond costs more."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath import rotation
from ikmath.postures.objective import PostureObjective
from ikmath.postures.parameters import DEFAULTS, PostureParameters
from ikmath.postures.support import unsupported
from tests.ikmath.postures import people

BACK, KNEE_BACK, FOLD = np.degrees([DEFAULTS.hip_back, DEFAULTS.knee_back, DEFAULTS.fold])


def _cost(figure, tips, q=None, **options):
    """The cost of joints only: all mass is in the root, which stays."""
    masses = np.eye(len(figure))[0]
    posture = figure.rest if q is None else q
    cost = PostureObjective.of(figure, posture, tips=tips, masses=masses, **options)
    return cost.with_support(unsupported("joints only"))


def _turned(figure, bone, degrees, turn=0.0):
    """A bone turned about the axis to its right, in the rest pose of a world turned by radians."""
    turns = np.zeros((len(figure), 3))
    turns[figure.index(bone)] = rotation.exp(np.array([0, 0, turn])) @ [np.radians(degrees), 0, 0]
    return people.rotations(figure, turns)


def _beyond(figure, tips, q, **options):
    """What a pose costs because it is beyond a range."""
    without = PostureParameters(beyond=0.0)
    pose = ik.Pose.forward(figure, q)
    with_ranges, plain = (
        _cost(figure, tips, parameters=p, **options).evaluate(pose).value for p in (DEFAULTS, without)
    )
    return with_ranges - plain


@pytest.mark.parametrize("options", [{}, {"roll": 0.8}, {"turn": 1.1}, {"scale": 37.0}])
@pytest.mark.parametrize(("bone", "limit"), [("thigh.r", BACK), ("shin.l", FOLD), ("shin.r", -KNEE_BACK)])
def test_what_is_beyond_costs_by_its_square(bone, limit, options):
    figure, tips = people.skeleton(**options)
    turn = options.get("turn", 0.0)
    q = _turned(figure, bone, 0.0, turn)
    pose = ik.Pose.forward(figure, q)
    upper, lower = (
        pose.rotation[figure.index(f"{part}.{bone[-1]}")] @ tips[figure.index(f"{part}.{bone[-1]}")]
        for part in ("thigh", "shin")
    )
    world = rotation.exp(np.array([0, 0, turn]))
    if bone.startswith("thigh"):  # it faces -y: its rest pose is turned forwards by this much
        at_rest = -np.degrees(np.arctan2(*(world.T @ upper)[[1, 2]] * [-1, -1]))
    else:
        at_rest = np.degrees(np.arccos(upper @ lower / np.linalg.norm(upper) / np.linalg.norm(lower)))
    for much in (5.0, 40.0):
        bent = _turned(figure, bone, limit - at_rest + np.copysign(much, limit), turn)
        found = _beyond(figure, tips, bent)
        assert found == pytest.approx(DEFAULTS.beyond * np.radians(much) ** 2, rel=1e-6)
    within = _turned(figure, bone, limit - at_rest - np.copysign(1.0, limit), turn)
    assert _beyond(figure, tips, within) == 0.0
    if bone.startswith("thigh"):
        assert _beyond(figure, tips, _turned(figure, bone, -100.0, turn)) == 0.0


def test_a_thigh_turns_forwards_more_easily_than_backwards():
    figure, tips = people.skeleton()
    cost = _cost(figure, tips)
    ahead, behind = (
        cost.evaluate(ik.Pose.forward(figure, _turned(figure, "thigh.l", s * 80.0))).value for s in (-1, 1)
    )
    assert behind > 5.0 * ahead


def test_a_seated_persons_knees_bend_forwards_whatever_the_feet_are_asked_for():
    figure, tips = people.skeleton(people.lowered())
    cost = PostureObjective.of(figure, figure.rest, tips=tips)
    axis = cost.figure.hinge[figure.index("shin.l")]
    rng, own = np.random.default_rng(5), ["hips", "foot.l", "foot.r"]
    for thigh, shin, foot in rng.uniform([-100, 10, -20], [0, 120, 40], (30, 3)):
        bent = dict(zip(("thigh.l", "shin.l", "foot.l"), np.radians([thigh, shin, foot]), strict=True))
        turns = np.zeros((len(figure), 3))
        for bone, angle in bent.items():
            turns[figure.index(bone)] = [angle, 0, 0]
        truth = ik.Pose.forward(figure, people.rotations(figure, turns))
        goals = [ik.Position(own, truth.point(own))]
        goals += [ik.Orientation(bone, truth.rotation[figure.index(bone)]) for bone in own]
        pose = ik.Pose.forward(figure, ik.solve(ik.Problem(figure, goals, posture=cost), figure.rest).q)
        upper, lower = (pose.rotation[figure.index(b)] @ tips[figure.index(b)] for b in ("thigh.l", "shin.l"))
        rest = ik.Pose.forward(figure, figure.rest).rotation[figure.index("thigh.l")]
        across = np.cross(upper, lower) @ pose.rotation[figure.index("thigh.l")] @ rest.T @ axis
        assert np.degrees(np.arctan2(across, upper @ lower)) > -15.0


def test_an_animals_thighs_and_joints_that_are_all_alike_have_no_range():
    dog, dog_tips = people.skeleton(people.DOG)
    assert _beyond(dog, dog_tips, _turned(dog, "thigh.l", 80.0)) == 0.0
    figure, tips = people.skeleton()
    assert _beyond(figure, tips, _turned(figure, "thigh.l", 80.0), effort="even") == 0.0


def test_a_posture_beyond_its_ranges_is_kept():
    figure, tips = people.skeleton()
    q = _turned(figure, "thigh.l", 70.0) + _turned(figure, "shin.r", 160.0)
    cost = _cost(figure, tips, q)
    term = cost.evaluate(ik.Pose.forward(figure, q))
    assert term.value == pytest.approx(0.0, abs=1e-20)
    np.testing.assert_allclose(term.gradient, 0.0, atol=1e-12)
    seated = _turned(figure, "thigh.l", -80.0)  # who sits may stand up
    stood = _cost(figure, tips, seated).evaluate(ik.Pose.forward(figure, figure.rest)).value
    assert stood == pytest.approx(
        _cost(figure, tips).evaluate(ik.Pose.forward(figure, seated)).value, rel=1e-6
    )


def test_derivatives_beyond_are_those_of_differences():
    rng = np.random.default_rng(4)
    figure, tips = people.skeleton(roll=0.5)
    q = _turned(figure, "thigh.l", 80.0) + _turned(figure, "shin.r", 165.0) + 0.2 * rng.normal(size=figure.n)
    cost, step = PostureObjective.of(figure, 0.2 * rng.normal(size=figure.n), tips=tips), 1e-6
    pose = ik.Pose.forward(figure, q)
    assert _beyond(figure, tips, q) > 0.01
    term = cost.evaluate(pose)
    near = [
        [cost.evaluate(ik.Pose.forward(figure, q + s * step * e)) for e in np.eye(figure.n)] for s in (1, -1)
    ]
    slopes = [(a.value - b.value) / (2 * step) for a, b in zip(*near, strict=True)]
    np.testing.assert_allclose(term.gradient, slopes, atol=1e-7)
    whole = np.array([(a.gradient - b.gradient) / (2 * step) for a, b in zip(*near, strict=True)])
    found = term.hessian + term.curvature().matrix(pose)
    np.testing.assert_allclose(found, whole, atol=1e-7 * np.abs(whole).max())


def test_limbs_that_stick_out_have_no_range():
    """Two arms without legs are taken for legs; rounding told which way they were turned back."""
    rows = [
        ("root", None, (0, 0, 0), (0, 0, 1)),
        ("chest", "root", (0, 0, 1), (0, 0.05, 2)),
        *(
            row
            for side, s in (("l", 1), ("r", -1))
            for row in (
                (f"arm.{side}", "chest", (0.2 * s, 0, 2), (s, 0.1, 2)),
                (f"hand.{side}", f"arm.{side}", (s, 0.1, 2), (1.8 * s, 0, 2)),
            )
        ),
    ]
    figure, tips = people.skeleton(rows)
    for bone in ("arm.l", "arm.r", "hand.l"):
        for degrees in (-100.0, 100.0):
            assert _beyond(figure, tips, _turned(figure, bone, degrees)) == 0.0
