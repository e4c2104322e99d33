# SPDX-License-Identifier: GPL-3.0-or-later
"""The rigid motion that carries a posture to its targets."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath import rotation
from ikmath.model.figure_map import Kind
from ikmath.postures.alignment import Correspondence, RigidMotion, align, carried, moves_with_body, smoothed
from tests.ikmath import oracle
from tests.ikmath.postures import people

FORWARD = (0, -1, 0)


def _scene(motion, count=5, seed=0, **options):
    places = np.random.default_rng(seed).normal(size=(count, 3))
    return [Correspondence(p, motion.places(p), **options) for p in places]


@pytest.mark.parametrize("turn", [-3.0, 0.0, 0.4, 3.1])
def test_targets_that_are_moved_rigidly_give_that_motion(turn):
    motion = RigidMotion(turn, np.array([1.0, -2.0, 0.3]))
    found = align(_scene(motion), FORWARD, 1.8)
    assert np.angle(np.exp(1j * (found.turn - turn))) == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(found.shift, motion.shift, atol=1e-12)


def test_another_vertical():
    up = np.array([0.6, 0.0, 0.8])
    motion = RigidMotion(0.7, np.array([0.1, 0.2, 0.3]), up)
    found = align(_scene(motion), np.cross(up, (1, 0, 0)), 1.8, up)
    np.testing.assert_allclose(found.rotation, oracle.rodrigues(0.7 * up), atol=1e-12)


def test_the_turn_is_that_of_least_squares():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 6, 3))
    weights = rng.uniform(0.2, 3, 6)
    found = align(
        [Correspondence(x, y, weight=w) for x, y, w in zip(a, b, weights, strict=True)], FORWARD, 1.0
    )

    def cost(turn, shift):
        return weights @ ((RigidMotion(turn, shift).places(a) - b) ** 2).sum(1)

    least = cost(found.turn, found.shift)
    for turn in np.linspace(-np.pi, np.pi, 200):
        turned = RigidMotion(turn).places(a)
        assert cost(turn, weights @ (b - turned) / weights.sum()) >= least - 1e-12


def test_a_single_place_gives_no_turn_and_an_oriented_head_does():
    place, target = np.array([0.0, 0.1, 1.7]), np.array([2.0, 1.0, 1.6])
    assert align([Correspondence(place, target)], FORWARD, 1.8).turn == 0.0
    turned = rotation.exp([0, 0, 1.2]) @ rotation.exp([0.2, 0, 0])
    head = Correspondence(place, target, np.eye(3), turned, ahead=True)
    assert align([head], FORWARD, 1.8).turn == pytest.approx(1.2, abs=0.02)


def test_hips_come_first():
    motion = RigidMotion(0.5, np.array([1.0, 0.0, 0.0]))
    others = _scene(RigidMotion(2.0, np.array([3.0, 0, 0])))
    place = np.array([0.0, 0.0, 1.0])
    turn = rotation.exp([0, 0, 0.5])
    hips = Correspondence(place, motion.places(place), np.eye(3), turn, hips=True)
    found = align([*others, hips], FORWARD, 1.8)
    assert found.turn == pytest.approx(0.5)
    np.testing.assert_allclose(found.places(place), motion.places(place), atol=1e-12)


def _standing(**places):
    """Effectors of a person that faces -y, each with its target at the same place unless another is given."""
    own = {
        "head": (0, 0, 1.7),
        "left": (0.3, 0, 0.8),
        "right": (-0.3, 0, 0.8),
        "l": (0.1, 0, 0),
        "r": (-0.1, 0, 0),
    }
    kinds = {"head": Kind.HEAD, "left": Kind.WRIST, "right": Kind.WRIST, "l": Kind.ANKLE, "r": Kind.ANKLE}
    return [
        Correspondence(
            np.array(place, float),
            np.add(place, places.get(name, (0, 0, 0))),
            with_body=moves_with_body(kinds[name], on_fours=False),
        )
        for name, place in own.items()
    ]


def test_hands_that_rise_or_go_aside_leave_the_body_where_it_is():
    raised = align(_standing(left=(0, 0, 0.9), right=(0, 0, 0.9)), FORWARD, 1.8)
    np.testing.assert_allclose(raised.shift, 0.0, atol=1e-12)
    aside = align(_standing(left=(0.4, 0, 0), right=(0.4, 0, 0)), FORWARD, 1.8)
    assert abs(aside.shift[0]) < 1e-12
    crouched = align(_standing(head=(0, 0, -0.3), left=(0, 0, 0.9)), FORWARD, 1.8)
    np.testing.assert_allclose(crouched.shift, [0, 0, -0.1], atol=1e-12)


def test_aside_the_body_goes_to_the_mean_of_head_and_feet():
    found = align(_standing(head=(0.3, 0, 0)), FORWARD, 1.8)
    assert found.shift[0] == pytest.approx(0.1, abs=1e-9)


def test_the_head_of_an_animal_reaches_out_as_a_hand_does():
    assert not moves_with_body(Kind.HEAD, on_fours=True) and moves_with_body(Kind.HEAD, on_fours=False)
    assert moves_with_body(Kind.PAW, on_fours=True)


def test_an_oriented_effector_tells_where_its_joint_is():
    """A hand that turns about its wrist leaves the body where it is."""
    turn, offset = rotation.exp([0, 0.9, 0]), np.array([0.0, 0.0, 0.2])
    wrist = np.array([0.1, 0.2, 1.0])
    hand = Correspondence(wrist + offset, wrist + turn @ offset, np.eye(3), turn, offset)
    np.testing.assert_allclose(align([hand], FORWARD, 1.8).shift, 0.0, atol=1e-12)


def test_the_inverse_of_a_motion_takes_it_back():
    first = RigidMotion(0.3, np.array([1.0, 2, 0]))
    points = np.random.default_rng(0).normal(size=(4, 3))
    np.testing.assert_allclose(first.inverse().places(first.places(points)), points, atol=1e-12)


def test_smoothing_averages_the_turn_across_half_a_turn_and_keeps_the_anchor():
    turns = np.radians([174, 178, -178, -174, -170.0, -166])
    motions = [RigidMotion(t, np.array([k, 0.0, 0.0])) for k, t in enumerate(turns)]
    anchors = np.tile([0.2, 0.1, 1.0], (6, 1))
    found = [smoothed(motions, frame, anchor) for frame, anchor in enumerate(anchors)]
    assert np.degrees(found[2].turn) % 360 == pytest.approx(182.0)
    for was, now, anchor in zip(motions, found, anchors, strict=True):
        np.testing.assert_allclose(now.places(anchor), was.places(anchor), atol=1e-12)
    jitter = [RigidMotion(t, np.zeros(3)) for t in 0.3 * np.random.default_rng(1).normal(size=40)]
    calm = [smoothed(jitter, frame, np.zeros(3)) for frame in range(40)]
    assert np.std([m.turn for m in calm]) < 0.6 * np.std([m.turn for m in jitter])


def test_a_carried_pose_is_the_pose_somewhere_else():
    rng = np.random.default_rng(2)
    figure, _ = people.skeleton(turn=0.3)
    q, motion = 0.4 * rng.normal(size=figure.n), RigidMotion(2.4, np.array([1.0, 5.0, -0.2]))
    was, now = (ik.Pose.forward(figure, each) for each in (q, carried(figure, q, motion)))
    np.testing.assert_allclose(now.position, motion.places(was.position), atol=1e-9)
    np.testing.assert_allclose(now.rotation, motion.rotation @ was.rotation, atol=1e-9)


def test_a_root_that_only_slides_is_carried_without_the_turn():
    joints = [ik.Joint("a", None, turns="", slides="xyz"), ik.Joint("b", "a", translation=(0, 1, 0))]
    figure = ik.Skeleton(joints)
    q = carried(figure, np.zeros(6), RigidMotion(1.0, np.array([1.0, 2, 3])))
    np.testing.assert_allclose(q, [1, 2, 3, 0, 0, 0])
