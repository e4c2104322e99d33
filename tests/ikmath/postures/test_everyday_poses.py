# SPDX-License-Identifier: GPL-3.0-or-later
"""What the objective chooses, by a plain solver: everyday poses, spins, the order of solves, seats."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath import rotation
from ikmath.model.figure_map import map_skeleton
from ikmath.model.masses import mass_shares
from ikmath.postures.alignment import Correspondence, RigidMotion, align, carried
from ikmath.postures.objective import PostureObjective
from ikmath.postures.stance import stance
from ikmath.postures.support import BalanceRule
from tests.benchmarks.posture_solver import hinges, solve
from tests.ikmath.postures import people

FIGURE, TIPS = people.skeleton()
MAP = map_skeleton(FIGURE, tips=TIPS)
REST = ik.Pose.forward(FIGURE, FIGURE.rest)
COST = PostureObjective.of(FIGURE, FIGURE.rest, tips=TIPS, figure=MAP)
FEET = ("foot.l", "foot.r", "toe.l", "toe.r")
ZERO = np.zeros(3)


def _standing():
    """The relaxed stance as posture."""
    return ik.Pose.forward(FIGURE, stance(FIGURE, MAP))


def _held(pose, names=FEET):
    joints = [FIGURE.index(name) for name in names]
    return [(j, ZERO, pose.position[j].copy(), pose.rotation[j].copy()) for j in joints]


def _drag(pose, name, place, others=FEET):
    cost = COST.with_reference(pose)
    goals = [*_held(pose, others), (FIGURE.index(name), ZERO, np.array(place, float), None)]
    q, miss = solve(cost, pose.q, goals, MAP.size, hinges(MAP, REST))
    assert miss < 1e-5
    return ik.Pose.forward(FIGURE, q)


def _moved(pose, was, name):
    j = FIGURE.index(name)
    return float(np.linalg.norm(pose.position[j] - was.position[j]))


def _bend(pose, names):
    a, b, c = (pose.position[FIGURE.index(name)] for name in names)
    first, second = b - a, c - b
    return np.degrees(np.arccos(first @ second / np.linalg.norm(first) / np.linalg.norm(second)))


def _trunk(pose):
    way = pose.position[FIGURE.index("neck")] - pose.position[0]
    return np.degrees(np.arccos(way[2] / np.linalg.norm(way)))


def _overhang(pose):
    masses = mass_shares(MAP)
    middles = pose.position + 0.5 * np.einsum("jab,jb->ja", pose.rotation, TIPS)
    feet = pose.position[[FIGURE.index(name) for name in FEET]].mean(0)
    return float(np.linalg.norm((masses @ middles - feet)[:2]))


def test_a_hand_goes_up_by_the_arm_alone():
    was = _standing()
    now = _drag(was, "hand.l", was.position[FIGURE.index("arm.l")] + [0.1, 0, 0.42])
    assert _moved(now, was, "hips") < 0.05 and _moved(now, was, "head") < 0.12
    assert _bend(now, ("arm.l", "forearm.l", "hand.l")) > 60


def test_a_hand_to_the_mouth_leaves_the_hips():
    was = _standing()
    now = _drag(was, "hand.l", was.position[FIGURE.index("head")] + [0.02, -0.14, 0.05])
    assert _moved(now, was, "hips") < 0.03


def test_a_hand_to_the_floor_bends_trunk_and_knees_over_the_feet():
    was = _standing()
    now = _drag(was, "hand.l", (0.1, -0.45, 0.15))  # the wrist; fingers touch the floor
    assert 40 < _trunk(now) < 85 and _overhang(now) < 0.1
    assert 30 < _bend(now, ("thigh.l", "shin.l", "foot.l")) < 130


def test_hips_go_down_with_the_knees_over_the_toes():
    was = _standing()
    now = _drag(was, "hips", was.position[0] - [0, 0, 0.3])
    knee, foot = (now.position[FIGURE.index(name)] for name in ("shin.l", "foot.l"))
    assert knee[1] < foot[1] - 0.1 and abs(knee[0] - foot[0]) < 0.05 and _trunk(now) < 25


@pytest.mark.parametrize(("name", "above"), [("shin.l", (0, 0, 0.1)), ("foot.l", (0, -0.05, 0.15))])
def test_seated_figures_do_not_slide(name, above):
    turns = np.zeros((len(FIGURE), 3))
    for side in "lr":
        turns[FIGURE.index(f"thigh.{side}")] = (-1.5, 0, 0)
        turns[FIGURE.index(f"shin.{side}")] = (1.5, 0, 0)
    was = ik.Pose.forward(FIGURE, people.rotations(FIGURE, turns))
    assert COST.with_reference(was).support.rule == BalanceRule.KEEP_HIPS
    now = _drag(was, "hand.l", was.position[FIGURE.index(name)] + np.array(above))
    assert _moved(now, was, "hips") < 0.05


@pytest.mark.parametrize("degrees", [2, 5, 10, 30])
def test_a_figure_that_spins_as_it_walks_is_followed(degrees):
    """Each frame from the last one, carried by the change of the motion to the targets."""
    posture, cost = _standing(), COST.with_reference(_standing())
    effectors = [FIGURE.index(name) for name in ("head", "hand.l", "hand.r", "foot.l", "foot.r")]
    places = posture.position[effectors]
    before, q = RigidMotion(), posture.q
    for frame in range(1, 9):
        true = RigidMotion(np.radians(degrees * frame), np.array([0.02 * frame, 0, 0]))
        targets = true.places(places)
        now = align(
            [Correspondence(a, b) for a, b in zip(places, targets, strict=True)], (0, -1, 0), MAP.size
        )
        q = carried(FIGURE, carried(FIGURE, q, before.inverse()), now)
        goals = [(j, ZERO, x, None) for j, x in zip(effectors, targets, strict=True)]
        q, miss = solve(cost.carried_by(now), q, goals, MAP.size, hinges(MAP, REST))
        hips = ik.Pose.forward(FIGURE, q).rotation[0]
        off = rotation.angle(hips.T @ true.rotation @ posture.rotation[0])
        assert np.degrees(off) < 1.0 and miss < 1e-3
        before = now


def test_the_pose_does_not_depend_on_the_way_there():
    was, target = _standing(), np.array([0.1, -0.5, 1.0])
    cost, limbs = COST.with_reference(was), hinges(MAP, REST)
    goals = [*_held(was), (FIGURE.index("hand.l"), ZERO, target, None)]
    straight, _ = solve(cost, was.q, goals, MAP.size, limbs)
    around = [*_held(was), (FIGURE.index("hand.l"), ZERO, np.array([0.5, -0.1, 1.3]), None)]
    q, _ = solve(cost, was.q, around, MAP.size, limbs)
    detour, _ = solve(cost, q, goals, MAP.size, limbs)
    np.testing.assert_allclose(detour, straight, atol=1e-4)


def test_small_motions_of_the_target_give_small_motions_of_the_pose():
    was = _standing()
    start = np.array([0.3, -0.3, 1.2])
    poses = [_drag(was, "hand.l", start + 0.01 * k * np.eye(3)[2]).q for k in range(6)]
    assert np.abs(np.diff(poses, axis=0)).max() < np.radians(6)
