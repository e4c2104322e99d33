# SPDX-License-Identifier: GPL-3.0-or-later
"""Ears, jaws, hair and capes bend before the head follows, and stay with it where it turns."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath import rotation
from ikmath.model.figure_map import Kind, map_figure, map_skeleton
from ikmath.model.masses import mass_shares, on_carriers, rod_points
from ikmath.postures.objective import PostureObjective
from tests.ikmath.postures import people

PARTS = (
    ("ear.l", "head", (0.07, 0, 1.72), (0.13, 0, 1.84)),
    ("ear.r", "head", (-0.07, 0, 1.72), (-0.13, 0, 1.84)),
    ("jaw", "head", (0, -0.03, 1.63), (0, -0.1, 1.6)),
    ("hair", "head", (0, 0.08, 1.75), (0, 0.12, 1.65)),
    ("hair2", "hair", (0, 0.12, 1.65), (0, 0.14, 1.55)),
    ("hair3", "hair2", (0, 0.14, 1.55), (0, 0.14, 1.42)),
    ("badge", "chest", (0.05, -0.1, 1.4), (0.05, -0.12, 1.36)),
)
ROWS = (*people.PERSON, *PARTS)
FIGURE, TIPS = people.skeleton(ROWS)
REST = ik.Pose.forward(FIGURE, FIGURE.rest)
COST = PostureObjective.of(FIGURE, FIGURE.rest, tips=TIPS)
FEET = ["foot.l", "foot.r"]


def _reached(*goals: ik.Goal) -> ik.Pose:
    """The pose with planted feet."""
    feet = [ik.Position(FEET, REST.point(FEET)), *(ik.Orientation(foot, _turned(foot)) for foot in FEET)]
    answer = ik.solve(ik.Problem(FIGURE, [*feet, *goals], posture=COST), FIGURE.rest)
    assert answer.status == ik.Status.REACHED
    return ik.Pose.forward(FIGURE, answer.q)


def _turned(name: str) -> np.ndarray:
    return REST.rotation[FIGURE.index(name)]


def _angle(pose: ik.Pose, name: str) -> float:
    """Degrees from the rest pose."""
    return float(np.degrees(rotation.angle(pose.rotation[FIGURE.index(name)] @ _turned(name).T)))


def test_what_hangs_on_trunk_and_head_is_an_appendage():
    found = map_skeleton(FIGURE, tips=TIPS)
    assert {FIGURE.names[j] for j in found.of_kind(Kind.APPENDAGE)} == {row[0] for row in PARTS}


def test_what_carries_an_arm_is_none_and_neither_is_what_a_hand_holds():
    rows = [
        (name, name.replace("clavicle", "pad") if "clavicle" in name else parent, head, tail)
        for name, parent, head, tail in people.PERSON
    ]
    pads = (
        (f"pad.{side}", "chest", (0.01 * s, 0, 1.44), (0.03 * s, 0, 1.44))
        for side, s in (("l", 1), ("r", -1))
    )
    rows[5:5] = pads
    rows.append(("sword", "hand.r", (-0.8, 0, 1.45), (-0.8, -0.9, 1.45)))
    found = map_figure(*people.arrays(rows))
    kinds = dict(zip([row[0] for row in rows], found.kinds, strict=True))
    assert not found.of_kind(Kind.APPENDAGE), kinds


def test_a_figure_without_limbs_has_none():
    rows = (("root", None, (0, 0, 0), (0, 0.1, 0)), ("fin", "root", (0, 0.1, 0), (0, 0.1, 0.1)))
    assert not map_figure(*people.arrays(rows)).of_kind(Kind.APPENDAGE)


def test_a_kind_that_was_told_stays():
    told = {[row[0] for row in ROWS].index("jaw"): Kind.OTHER}
    found = map_figure(*people.arrays(ROWS), told=told)
    assert found.kinds[next(iter(told))] == Kind.OTHER and len(found.of_kind(Kind.APPENDAGE)) == 6


@pytest.mark.parametrize(
    ("name", "axis"), [("ear.l", (0, 1, 0)), ("jaw", (1, 0, 0)), ("hair3", (0.7, 0.7, 0))]
)
def test_a_dragged_part_turns_and_the_head_hardly_does(name, axis):
    """Its tip is led along an arc about the part's own joint, or that of the row."""
    j = FIGURE.index(name)
    around = REST.position[FIGURE.index("hair" if name == "hair3" else name)]
    arm = REST.point(j, TIPS[j]) - around
    place = around + rotation.exp(0.4 * np.array(axis)) @ arm * (0.9 if name == "hair3" else 1.0)
    pose = _reached(ik.Position(name, place, TIPS[j]))
    assert _angle(pose, name) > 15.0
    assert _angle(pose, "head") < 2.0
    assert np.linalg.norm(pose.position[0] - REST.position[0]) < 2e-3


def test_where_the_head_turns_its_parts_go_along():
    pose = _reached(ik.Orientation("head", rotation.exp([0, 0, 0.6]) @ _turned("head")))
    for name in ("ear.l", "jaw", "hair", "hair2", "hair3"):
        j, above = FIGURE.index(name), int(FIGURE.parents[FIGURE.index(name)])
        local, rest = (p.rotation[above].T @ p.rotation[j] for p in (pose, REST))
        np.testing.assert_allclose(local, rest, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("name", ["brow", "face"])
def test_the_root_of_a_face_turns_with_its_head(name):
    face = ("face", "head", (0, 0, 1.58), (0, -0.05, 1.6))
    brow = ("brow", "face", (0.02, -0.08, 1.7), (0.06, -0.08, 1.7))
    figure, tips = people.skeleton((*people.PERSON, face, brow))
    rest = ik.Pose.forward(figure, figure.rest)
    cost, j = PostureObjective.of(figure, figure.rest, tips=tips), figure.index(name)
    place = rest.point(j, tips[j]) + np.array([0.15, 0.0, -0.05])
    goals = [ik.Position(name, place, tips[j]), ik.Position(FEET, rest.point(FEET))]
    answer = ik.solve(ik.Problem(figure, goals, posture=cost), figure.rest)
    assert answer.status == ik.Status.REACHED
    pose, above = ik.Pose.forward(figure, answer.q), figure.index("head")
    turned = [pose.rotation[j] @ rest.rotation[j].T for j in (above, figure.index("face"))]
    assert np.degrees(rotation.angle(turned[0])) > 5.0
    assert np.degrees(rotation.angle(turned[0].T @ turned[1])) < 2.0


def test_what_an_appendage_hangs_on_carries_its_mass_where_it_is():
    found = map_skeleton(FIGURE, tips=TIPS)
    rods = rod_points(TIPS, mass_shares(found))
    carried = on_carriers(rods, found, FIGURE.parents, REST)
    assert not set(carried.joints) & set(found.of_kind(Kind.APPENDAGE))
    for moment in (0, 1, 2):
        one, other = (
            p.mass @ np.power([REST.point(j, o) for j, o in zip(p.joints, p.offsets, strict=True)], moment)
            for p in (rods, carried)
        )
        np.testing.assert_allclose(one, other, atol=1e-9)


def test_bones_beside_the_body_are_none():
    """Under a root on the ground some figures have bones for other tools, for example of hands."""
    rows = [
        ("root", None, (0, 0, 0), (0, 0.1, 0)),
        *people.PERSON,
        ("ik_hand", "root", (0, 0, 0), (0.2, 0, 0)),
    ]
    rows[1] = ("hips", "root", *people.PERSON[0][2:])
    found = map_figure(*people.arrays(rows))
    assert found.kinds[0] == Kind.ROOT and not found.of_kind(Kind.APPENDAGE)


@pytest.mark.parametrize(
    "beside",
    [
        [("scarf", "neck", (0, 0.05, 1.5), (0, 0.1, 1.35))],
        [(f"scarf.{s}", "neck", (s * 0.03, 0.05, 1.5), (s * 0.05, 0.1, 1.3)) for s in (1, -1)],
        [("apple", "neck", (0, -0.05, 1.53), (0, -0.07, 1.53))],
        [("attach", "neck", (0, 0, 1.58), (0, 0.02, 1.58))],
        [("face", "head", (0, 0, 1.6), (0, -0.05, 1.65)), ("jaw", "face", (0, -0.03, 1.63), (0, -0.1, 1.6))],
    ],
    ids=["scarf", "two scarfs", "Adam's apple", "attachment", "face on a stub"],
)
def test_what_hangs_on_a_neck_or_a_head_is_not_where_the_head_begins(beside):
    rows = (*people.PERSON, *beside)
    kinds = dict(zip([row[0] for row in rows], map_figure(*people.arrays(rows)).kinds, strict=True))
    assert kinds["neck"] == Kind.NECK and kinds["head"] == Kind.HEAD
    on = Kind.HEAD if beside[0][0] == "face" else Kind.APPENDAGE
    assert {kinds[row[0]] for row in beside} == {on}
