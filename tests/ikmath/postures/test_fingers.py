# SPDX-License-Identifier: GPL-3.0-or-later
"""Fingers are found by the shape of the hand, bend towards the palm, and follow a drag of their tip first."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.model.figure_map import Kind, map_figure, map_skeleton
from ikmath.model.masses import DENSITY, mass_shares
from ikmath.postures.objective import PostureObjective
from ikmath.postures.parameters import DEFAULTS
from tests.ikmath import oracle
from tests.ikmath.postures import people

# joints of a left hand along +x with the palm down: distance from the wrist, towards the thumb, down
_THUMB = [(0.02, 0.03, 0.01), (0.05, 0.06, 0.02), (0.08, 0.08, 0.02), (0.1, 0.09, 0.02)]
_ROWS = {"index": 0.03, "middle": 0.01, "ring": -0.01, "little": -0.03}
_CURLED = (0.0, 0.004, 0.012, 0.024)
HANDS = {
    "straight": {"palm": False, "down": (0.0,) * 4, "fingers": ("index", "middle", "little")},
    "curled, with bones in the palm": {
        "palm": True,
        "down": _CURLED,
        "fingers": ("index", "middle", "little"),
    },
    "a mitten": {"palm": False, "down": (0.0,) * 4, "fingers": ("middle",)},
}


def rows(palm, down, fingers, long=1.0):
    """The person of `people`, with fingers that are so many times as long."""
    more = []
    for side, s in (("l", 1), ("r", -1)):

        def at(x, y, z, s=s):
            return (s * (0.72 + long * x), -long * y, 1.45 - long * z)

        chain = [at(*place) for place in _THUMB]
        digits = {"thumb": (f"hand.{side}", chain)}
        for name in fingers:
            above, aside = f"hand.{side}", _ROWS[name]
            if palm:
                more.append((f"palm-{name}.{side}", above, at(0.02, aside / 2, 0), at(0.09, aside, 0)))
                above = f"palm-{name}.{side}"
            digits[name] = above, [at(0.09 + 0.03 * k, aside, low) for k, low in enumerate(down)]
        for name, (above, chain) in digits.items():
            for k in range(3):
                bone = f"{name}{k}.{side}"
                more.append((bone, above, chain[k], chain[k + 1]))
                above = bone
    return [*people.PERSON, *more]


def mapped(hand, **world):
    own = rows(**HANDS[hand])
    figure, tips = people.skeleton(own, **world)
    return [row[0] for row in own], figure, tips, map_skeleton(figure, tips=tips)


@pytest.mark.parametrize("above", [(), ("forearm.l",), ("arm.l", "forearm.l")])
@pytest.mark.parametrize("hand", ["straight", "curled, with bones in the palm"])
def test_a_hand_alone_has_fingers_and_no_legs(hand, above):
    """Bent fingers tell where the palm is; straight ones do not, as it may be a left or a right hand."""
    own = {**HANDS[hand], "fingers": ("index", "middle", "little", "ring")}
    kept, names = [], {*above, "hand.l"}
    for name, parent, *ends in rows(**own):
        if name in names or parent in names:
            names.add(name)
            kept.append((name, parent if parent in names else None, *ends))
    found = map_figure(*people.arrays(kept))
    parts = [row[0].split(".")[0] for row in kept]
    assert not found.limbs and not found.feet
    for j, part in enumerate(parts):
        is_finger = part.rstrip("012") in ("thumb", *_ROWS)
        assert (found.kinds[j] == Kind.FINGER) == is_finger, part
    j = parts.index("middle1")
    bend = np.cross(found.hinge[j], found.tails[j] - found.heads[j])
    assert bend[2] < -0.9 * np.linalg.norm(bend) if "curled" in hand else not bend.any()


@pytest.mark.parametrize("turn", [0.0, 2.0])
@pytest.mark.parametrize("hand", HANDS)
def test_fingers_bend_towards_the_palm_on_both_sides(hand, turn):
    names, figure, _, found = mapped(hand, turn=turn, roll=0.7)
    pose = ik.Pose.forward(figure, figure.rest)
    for j, name in enumerate(names):
        part = name.split(".")[0]
        is_finger = part.rstrip("012") in ("thumb", *_ROWS)
        assert (found.kinds[j] == Kind.FINGER) == is_finger, name
        if is_finger and "thumb" not in name:
            bent = np.cross(found.hinge[j], found.tails[j] - pose.position[j])
            assert bent[2] < -0.9 * np.linalg.norm(bent), name
    thumb, middle = (names.index(name) for name in ("thumb2.l", "middle0.l"))
    bent = np.cross(found.hinge[thumb], found.tails[thumb] - pose.position[thumb])
    assert bent @ (pose.position[middle] - found.tails[thumb]) > 0
    assert not found.hinge[names.index("thumb0.r")].any()


def test_without_a_thumb_no_finger_knows_where_the_palm_is():
    own = [row for row in rows(**HANDS["straight"]) if not row[0].startswith("thumb")]
    figure, tips = people.skeleton(own)
    found = map_skeleton(figure, tips=tips)
    for j, row in enumerate(own):
        if row[0].startswith(tuple(_ROWS)):
            assert found.kinds[j] == Kind.FINGER and not found.hinge[j].any(), row[0]


def test_the_digits_of_a_wing_are_no_fingers():
    figure, tips = people.skeleton(rows(**HANDS["straight"], long=4.0))
    assert not map_skeleton(figure, tips=tips).of_kind(Kind.FINGER)


def test_a_hand_has_the_mass_of_its_fingers():
    names, *_, found = mapped("straight")
    shares = dict(zip(names, mass_shares(found), strict=True))
    assert not any(shares[name] for name in names if name.startswith(("thumb", *_ROWS)))
    density = DENSITY[Kind.WRIST] * 0.12 + DENSITY[Kind.FINGER] * 0.03 * 3 * 4
    expected = shares["forearm.l"] * density / (DENSITY[Kind.ELBOW] * 0.262)
    np.testing.assert_allclose(shares["hand.l"], expected, rtol=0.1)
    np.testing.assert_allclose(shares["hand.l"], shares["hand.r"], rtol=1e-12)


def _problem(hand, joint, way):
    names, figure, tips, found = mapped(hand)
    cost = PostureObjective.of(figure, figure.rest, tips=tips, figure=found)
    pose = ik.Pose.forward(figure, figure.rest)
    feet = ["foot.l", "foot.r"]
    goals = [ik.Position(feet, pose.point(feet)), ik.Orientation(feet, pose.frame(feet))]
    tip = tips[names.index(joint)]
    goals.append(ik.Position(joint, pose.point(joint, tip) + way, tip))
    return figure, pose, ik.Problem(figure, goals, posture=cost)


def _bends(before, after):
    """Degrees by which the joints of the middle finger have turned against what carries them."""
    chain = ["hand.l", *(f"middle{k}.l" for k in range(3))]
    if "palm-middle.l" in before.skeleton.names:
        chain[0] = "palm-middle.l"
    was, now = (pose.frame(chain) for pose in (before, after))
    turned = np.matmul(was[:-1].transpose(0, 2, 1), was[1:]).transpose(0, 2, 1)
    turned = turned @ np.matmul(now[:-1].transpose(0, 2, 1), now[1:])
    return np.degrees(np.arccos(np.clip((np.trace(turned, axis1=1, axis2=2) - 1) / 2, -1, 1)))


@pytest.mark.parametrize("accuracy", ["exact", "fast"])
@pytest.mark.parametrize("hand", HANDS)
def test_a_finger_follows_its_tip_before_the_arm_does(hand, accuracy):
    figure, pose, problem = _problem(hand, "middle2.l", (-0.025, 0.0, -0.03))
    answer = ik.solve(problem, figure.rest, accuracy=accuracy)
    assert answer.status is ik.Status.REACHED
    now = ik.Pose.forward(figure, answer.q)
    assert np.linalg.norm(now.point("hand.l") - pose.point("hand.l")) < 0.25 * 0.039
    bends = _bends(pose, now)
    assert 40.0 < bends.sum() < 150.0 and bends.max() < 95.0, bends


def test_a_finger_does_not_bend_backwards():
    """Its joints give way by ten degrees each, then the arm follows."""
    figure, pose, problem = _problem("straight", "middle2.l", (0.0, 0.0, 0.06))
    answer = ik.solve(problem, figure.rest)
    assert answer.status is ik.Status.REACHED
    now = ik.Pose.forward(figure, answer.q)
    assert _bends(pose, now).max() < 11.0
    assert now.point("hand.l")[2] > pose.point("hand.l")[2] + 0.02


def test_a_finger_closes_only_so_far():
    """A tip led to the middle of the palm and on through it."""
    figure, pose, problem = _problem("straight", "middle2.l", (-0.11, 0.0, 0.03))
    answer = ik.solve(problem, figure.rest)
    assert _bends(pose, ik.Pose.forward(figure, answer.q)).max() < 100.0


def test_its_derivative_is_that_of_differences_beyond_both_ends_of_the_ranges():
    names, figure, tips, found = mapped("curled, with bones in the palm")
    cost = PostureObjective.of(figure, figure.rest, tips=tips, figure=found)
    turns = np.zeros((len(figure), 3))
    turns[names.index("index1.l")] = np.radians(-40.0) * found.hinge[names.index("index1.l")]
    turns[names.index("middle2.r")] = np.radians(130.0) * found.hinge[names.index("middle2.r")]
    q = people.rotations(figure, turns)
    term = cost.evaluate(ik.Pose.forward(figure, q))
    slope, _ = oracle.differences(lambda x: cost.evaluate(ik.Pose.forward(figure, x)).value, q)
    np.testing.assert_allclose(term.gradient, np.ravel(slope), atol=1e-7)
    assert term.value > DEFAULTS.beyond * np.radians(20.0) ** 2
