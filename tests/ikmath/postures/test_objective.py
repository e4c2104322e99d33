# SPDX-License-Identifier: GPL-3.0-or-later
"""The posture objective: derivatives, invariances, and what each term does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import ikmath as ik
from ikmath import rotation
from ikmath.model.figure_map import Kind, map_skeleton
from ikmath.postures.alignment import RigidMotion, carried
from ikmath.postures.objective import PostureObjective
from ikmath.postures.parameters import DEFAULTS
from ikmath.postures.support import BalanceRule, unsupported
from tests.ikmath.postures import people

EFFORTS = ("natural", "even")
UPS = ((0, 0, 1.0), (0.2, -0.3, 0.9))


def _far(figure, rng, much=0.6):
    return ik.Pose.forward(figure, much * rng.normal(size=figure.n))


def _numeric(cost, pose, step=1e-6):
    n = len(pose.q)
    out = np.zeros(n)
    for i in range(n):
        ahead, back = (
            cost.evaluate(ik.Pose.forward(pose.skeleton, pose.q + s * step * np.eye(n)[i])).value
            for s in (1, -1)
        )
        out[i] = (ahead - back) / (2 * step)
    return out


@pytest.mark.parametrize("effort", EFFORTS)
@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize("rows", [people.PERSON, people.DOG], ids=["person", "dog"])
def test_the_gradient_is_that_of_central_differences(rows, up, effort):
    rng = np.random.default_rng(3)
    figure, tips = people.skeleton(rows, stiffness={"hips": 0.3, "spine": 0.6})
    cost = PostureObjective.of(figure, 0.3 * rng.normal(size=figure.n), tips=tips, up=up, effort=effort)
    cost = cost.carried_by(RigidMotion(0.4, np.array([0.2, 0.1, 0.0]), cost.figure.up))
    for much in (0.05, 0.6):
        pose = _far(figure, rng, much)
        term = cost.evaluate(pose)
        np.testing.assert_allclose(term.gradient, _numeric(cost, pose), atol=2e-7 * max(term.value, 1.0))


def _residuals(cost, figure, tips, q, q0, length):
    """The objective's residuals in plain loops: mass points, joints, the tilt of the hips."""
    from math import sqrt

    map_ = cost.figure
    pose, was = ik.Pose.forward(figure, q), ik.Pose.forward(figure, q0)
    from ikmath.model.masses import mass_shares

    mass, out = mass_shares(map_), []
    kinds = {**DEFAULTS.joint_weights, **(DEFAULTS.on_fours if len(map_.feet) == 4 else {})}
    for j in range(len(figure)):
        for s in (-1, 1):
            arm = (0.5 + s / sqrt(12)) * tips[j]
            d = (pose.point(j, arm) - was.point(j, arm)) / map_.size
            out += list(sqrt(mass[j] / 2) * d * [1, 1, sqrt(DEFAULTS.vertical)])
        if j == map_.body:
            tilted = pose.rotation[j] @ was.rotation[j].T @ map_.up - map_.up
            out += list(sqrt(kinds[map_.kinds[j]]) * tilted)
            continue
        local = [p.rotation[figure.parents[j]].T @ p.rotation[j] for p in (was, pose)]
        phi = rotation.log(local[0].T @ local[1])
        weight = kinds[map_.kinds[j]] * map_.row[j] * np.eye(3)
        if map_.hinge[j].any():
            rest = ik.Pose.forward(figure, figure.rest)
            axis = local[0].T @ rest.rotation[figure.parents[j]].T @ map_.hinge[j]
            weight = kinds[map_.kinds[j]] * (20 * np.eye(3) - 19 * np.outer(axis, axis))
        if j in [limb.joints[0] for limb in map_.limbs if limb.end in map_.feet]:
            turned = ik.Pose.forward(figure, figure.rest).rotation[j].T
            swing, along = turned @ map_.left, tips[j] / np.linalg.norm(tips[j])
            aside = np.eye(3) - np.outer(swing, swing) if map_.on_fours else np.outer(along, along)
            weight = weight @ (np.eye(3) + (DEFAULTS.hard_turn - 1) * aside)
        out += list(np.linalg.cholesky(weight).T @ phi)
    return np.array(out)


def _added(figure, tips, bone, turn, /, **options):
    """What the weight of legs adds to the cost of a bone turned in the world by (3,) from the rest pose."""
    turns = np.zeros((len(figure), 3))
    turns[figure.index(bone)] = turn
    pose = ik.Pose.forward(figure, people.rotations(figure, turns))
    easy, hard = (
        PostureObjective.of(
            figure, figure.rest, tips=tips, parameters=replace(DEFAULTS, hard_turn=factor), **options
        ).evaluate(pose).value
        for factor in (1.0, DEFAULTS.hard_turn)
    )  # fmt: skip
    return hard - easy


@pytest.mark.parametrize("bone", ["thigh.l", "upper.l"])
def test_an_animals_leg_swings_fore_and_aft_more_easily_than_aside_or_about_itself(bone):
    figure, tips = people.skeleton(people.DOG, roll=0.3)
    kind = Kind.HIP if bone == "thigh.l" else Kind.SHOULDER
    expected = DEFAULTS.joint_weights[kind] * (DEFAULTS.hard_turn - 1.0) * 0.2**2
    for axis, weight in (((0.2, 0, 0), 0.0), ((0, 0.2, 0), expected), ((0, 0, 0.2), expected)):
        assert _added(figure, tips, bone, axis) == pytest.approx(weight, rel=1e-9, abs=1e-12)


def test_a_persons_thigh_turns_hard_about_itself_only_wherever_its_bone_points():
    figure, tips = people.skeleton()
    found = map_skeleton(figure, tips=tips)
    thigh = figure.index("thigh.l")
    along = ik.Pose.forward(figure, figure.rest).rotation[thigh] @ tips[thigh] / np.linalg.norm(tips[thigh])
    expected = DEFAULTS.joint_weights[Kind.HIP] * (DEFAULTS.hard_turn - 1.0) * 0.2**2
    for ends in (tips, np.linalg.norm(tips, axis=1)[:, None] * [1.0, 0.0, 0.0]):
        about = _added(figure, ends, "thigh.l", 0.2 * along, figure=found)
        assert about == pytest.approx(expected, rel=1e-9)
        across = _added(figure, ends, "thigh.l", 0.2 * np.cross(along, [1.0, 0, 0]), figure=found)
        assert across == pytest.approx(0.0, abs=1e-12)


def test_an_arm_and_a_leg_that_sticks_out_swing_as_they_like():
    person, ends = people.skeleton()
    assert _added(person, ends, "arm.l", (0.0, 0.2, 0.0)) == 0.0
    figure, tips = people.skeleton(people.DOG)
    turns = np.zeros((len(figure), 3))
    for bone in ("thigh", "upper"):
        for side, s in (("l", 1), ("r", -1)):
            turns[figure.index(f"{bone}.{side}")] = (0.0, -1.4 * s, 0.0)
    sprawling = people.rotations(figure, turns)
    assert _added(figure, tips, "thigh.l", (0.0, 0.2, 0.0), figure_q=sprawling) == 0.0


@pytest.mark.parametrize("rows", [people.PERSON, people.DOG], ids=["person", "dog"])
def test_the_hessian_is_that_of_brute_force_gauss_newton(rows):
    rng = np.random.default_rng(1)
    figure, tips = people.skeleton(rows)
    q0, q = 0.2 * rng.normal(size=figure.n), 0.4 * rng.normal(size=figure.n)
    cost = PostureObjective.of(figure, q0, tips=tips)
    cost = cost.with_support(unsupported("tested by itself"))
    term = cost.evaluate(ik.Pose.forward(figure, q))
    own = _residuals(cost, figure, tips, q, q0, None)
    assert term.value == pytest.approx(own @ own, rel=1e-12)
    step = 1e-6
    jacobian = np.stack(
        [
            (
                _residuals(cost, figure, tips, q + step * e, q0, None)
                - _residuals(cost, figure, tips, q - step * e, q0, None)
            )
            / (2 * step)
            for e in np.eye(figure.n)
        ],
        1,
    )
    np.testing.assert_allclose(term.hessian, 2 * jacobian.T @ jacobian, atol=1e-8)
    np.testing.assert_allclose(term.gradient, 2 * jacobian.T @ own, atol=1e-8)


@pytest.mark.parametrize("effort", EFFORTS)
def test_the_hessian_is_symmetric_and_not_negative(effort):
    rng = np.random.default_rng(2)
    figure, tips = people.skeleton(people.DOG)
    term = PostureObjective.of(figure, figure.rest, tips=tips, effort=effort).evaluate(_far(figure, rng))
    np.testing.assert_allclose(term.hessian, term.hessian.T, atol=1e-14)
    assert np.linalg.eigvalsh(term.hessian).min() > -1e-12


def test_a_pose_at_its_posture_costs_nothing():
    figure, tips = people.skeleton()
    q0 = 0.2 * np.random.default_rng(0).normal(size=figure.n)
    term = PostureObjective.of(figure, q0, tips=tips).evaluate(ik.Pose.forward(figure, q0))
    assert term.value == pytest.approx(0.0, abs=1e-20)
    np.testing.assert_allclose(term.gradient, 0.0, atol=1e-12)


def test_the_order_of_magnitude_does_not_matter():
    """Scaled figures, other names, other rolls and a turned world cost the same in the same pose."""
    rng = np.random.default_rng(5)
    turns = 0.4 * rng.normal(size=(len(people.PERSON), 3))
    way = np.array([0.3, -0.2, 0.1])
    costs = []
    for options in (
        {},
        {"scale": 37.0},
        {"roll": 0.8},
        {"turn": 1.1},
        {"names": [f"b{k}" for k in range(len(people.PERSON))]},
    ):
        figure, tips = people.skeleton(people.PERSON, **options)
        world = rotation.exp(np.array([0, 0, options.get("turn", 0.0)]))
        q = people.rotations(figure, turns @ world.T)
        root = figure.rest_rotation[0]
        q[figure.columns(figure.names[0])][:3] = root.T @ world @ way * options.get("scale", 1.0)
        costs.append(
            PostureObjective.of(figure, figure.rest, tips=tips).evaluate(ik.Pose.forward(figure, q)).value
        )
    np.testing.assert_allclose(costs, costs[0], rtol=1e-6)


def test_carrying_the_posture_and_the_pose_alike_changes_nothing():
    rng = np.random.default_rng(7)
    figure, tips = people.skeleton(stiffness={"hips": 0.5})
    q0, q = 0.2 * rng.normal(size=figure.n), 0.3 * rng.normal(size=figure.n)
    motion = RigidMotion(2.0, np.array([3.0, -1.0, 0.4]))
    cost = PostureObjective.of(figure, q0, tips=tips)
    moved = cost.carried_by(motion)
    there = ik.Pose.forward(figure, carried(figure, q, motion))
    assert moved.evaluate(there).value == pytest.approx(
        cost.evaluate(ik.Pose.forward(figure, q)).value, rel=1e-9
    )
    same = cost.with_reference(ik.Pose.forward(figure, carried(figure, q0, motion)))
    anywhere = _far(figure, rng)
    assert moved.evaluate(anywhere).value == pytest.approx(same.evaluate(anywhere).value, rel=1e-9)


def test_stiffness_multiplies_the_weight_of_a_joint():
    turn = 0.3
    values = []
    for stiffness in ({}, {"head": 0.75}):
        figure, tips = people.skeleton(stiffness=stiffness)
        masses = np.eye(len(figure))[0]
        cost = PostureObjective.of(figure, figure.rest, tips=tips, masses=masses)
        q = np.zeros(figure.n)
        q[figure.columns("head")] = [turn, 0.0, 0.0]
        values.append(cost.evaluate(ik.Pose.forward(figure, q)).value)
    assert values[1] == pytest.approx(4.0 * values[0])


@pytest.mark.parametrize("stiffness", [0.0, 0.9])
def test_the_tilt_of_the_hips_costs_and_their_heading_only_if_they_are_stiff(stiffness):
    figure, tips = people.skeleton(people.PERSON[:1], stiffness={"hips": stiffness})
    hips = replace(map_skeleton(figure, tips=tips), kinds=(Kind.ROOT,), body=0)
    cost = PostureObjective.of(figure, figure.rest, figure=hips, tips=tips, masses=[1.0])
    turned = [people.rotations(figure, np.array([v])) for v in ((0, 0, 0.5), (0.5, 0, 0))]
    heading, tilt = (cost.evaluate(ik.Pose.forward(figure, q)).value for q in turned)
    assert tilt > 0.5**2 / 70
    assert heading > 0.5**2 / 70 if stiffness else heading == pytest.approx(0.0, abs=1e-12)


def test_a_figure_without_limbs_keeps_its_heading():
    figure, tips = people.skeleton(people.PERSON[:1])
    cost = PostureObjective.of(figure, figure.rest, tips=tips, masses=[1.0])
    heading = people.rotations(figure, np.array([[0.0, 0.0, 0.5]]))
    assert cost.evaluate(ik.Pose.forward(figure, heading)).value > 0.5**2 / 400


def test_a_leaning_body_costs_beyond_its_room():
    figure, tips = people.skeleton()
    cost = PostureObjective.of(figure, figure.rest, tips=tips)
    assert cost.support.rule == BalanceRule.BALANCE and cost.support.feet
    none = cost.with_support(unsupported("switched off"))
    differences = []
    for lean in (0.05, 0.4):  # about the ankles, which stay
        turns = np.zeros((len(figure), 3))
        turns[0] = (lean, 0, 0)
        q = people.rotations(figure, turns)
        for foot in ("foot.l", "foot.r"):
            own = np.zeros((len(figure), 3))
            own[figure.index(foot)] = (-lean, 0, 0)
            q += people.rotations(figure, own)
        pose = ik.Pose.forward(figure, q)
        differences.append(cost.evaluate(pose).value - none.evaluate(pose).value)
    assert differences[0] == 0.0 and differences[1] > 0.01


def test_a_seated_figure_keeps_its_hips():
    figure, tips = people.skeleton()
    turns = np.zeros((len(figure), 3))
    for side in "lr":
        turns[figure.index(f"thigh.{side}")] = (-1.5, 0, 0)
        turns[figure.index(f"shin.{side}")] = (1.5, 0, 0)
    cost = PostureObjective.of(figure, people.rotations(figure, turns), tips=tips)
    assert cost.support.rule == BalanceRule.KEEP_HIPS and "sits" in cost.support.reason


def test_the_heavy_trunk_stays_when_the_feet_are_held():
    """The mass matrix: turning an arm costs far less than turning a leg that carries the body."""
    figure, tips = people.skeleton()
    hessian = PostureObjective.of(figure, figure.rest, tips=tips).evaluate(figure_pose(figure)).hessian
    slide = hessian[:3, :3]
    arm = hessian[figure.columns("arm.l"), figure.columns("arm.l")]
    assert np.linalg.eigvalsh(slide).min() > 3.0 * np.linalg.eigvalsh(arm).max()


def test_a_figure_on_fours_reaches_with_its_neck():
    dog, person = (map_skeleton(people.skeleton(rows)[0]) for rows in (people.DOG, people.PERSON))
    assert dog.on_fours and not person.on_fours
    on_fours, upright = DEFAULTS.weights(dog), DEFAULTS.weights(person)
    assert upright == DEFAULTS.joint_weights
    assert on_fours[Kind.NECK] < upright[Kind.NECK] and on_fours[Kind.ROOT] < upright[Kind.ROOT]
    assert on_fours[Kind.SPINE] == upright[Kind.SPINE]


def figure_pose(figure):
    return ik.Pose.forward(figure, figure.rest)


@pytest.mark.parametrize("bad", [{"masses": [1.0, 2.0]}, {"effort": "lazy"}, {"tips": np.zeros((2, 3))}])
def test_wrong_input_is_named(bad):
    figure, _ = people.skeleton()
    with pytest.raises(ik.IkError):
        PostureObjective.of(figure, figure.rest, **bad)


@pytest.mark.parametrize("rule", ["balance", "keep_hips", "none"])
@pytest.mark.parametrize("effort", EFFORTS)
def test_hessian_and_curvature_are_the_second_derivative(rule, effort):
    from dataclasses import replace

    rng = np.random.default_rng(5)
    figure, tips = people.skeleton(stiffness={"hips": 0.5})
    cost = PostureObjective.of(figure, figure.rest, tips=tips, effort=effort)
    cost = cost.with_support(replace(cost.support, rule=rule))
    q, h = 0.4 * rng.normal(size=figure.n), 1e-6
    q[:3] += 0.3
    pose = ik.Pose.forward(figure, q)
    term = cost.evaluate(pose)
    found = term.hessian + term.curvature().matrix(pose)
    ahead = [cost.evaluate(ik.Pose.forward(figure, q + e)).gradient for e in h * np.eye(figure.n)]
    back = [cost.evaluate(ik.Pose.forward(figure, q - e)).gradient for e in h * np.eye(figure.n)]
    whole = (np.array(ahead) - np.array(back)) / (2 * h)
    np.testing.assert_allclose(found, whole, atol=1e-7 * np.abs(whole).max())
