# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures whose sides differ, whose last bones have invented lengths, or whose sides carry other things."""

from __future__ import annotations

import numpy as np
import pytest

from ikmath.model.figure_map import map_figure
from tests.ikmath.postures import people
from tests.ikmath.test_figure_map import DOG, PERSON

SIDES = (("l", 1), ("r", -1))
PERSON_ROWS = [row[0] for row in people.PERSON]


def _chain(rows, names, above, *places):
    """Bones one after another, each from one place to the next."""
    for name, head, tail in zip(names.split(), places[:-1], places[1:], strict=True):
        rows.append((name, above, head, tail))
        above = name


def _kinds(rows, heads=None, tails=None):
    parents, own_heads, own_tails = people.arrays(rows)
    found = map_figure(parents, own_heads if heads is None else heads, own_tails if tails is None else tails)
    return {row[0]: str(kind) for row, kind in zip(rows, found.kinds, strict=True)}, found


def _measured(rows, seed, share=0.06):
    """Heads and tails after each bone beside the middle has become longer or shorter by up to a share."""
    parents, heads, tails = people.arrays(rows)
    by = 1 + share * np.random.default_rng(seed).uniform(-1, 1, len(rows))
    by = np.where(np.abs(tails[:, 0]) > 1e-6, by, 1.0)
    new = heads.copy()
    for j, parent in enumerate(parents):
        if parent >= 0:
            new[j] = new[parent] + by[parent] * (heads[j] - heads[parent])
    return new, new + by[:, None] * (tails - heads)


@pytest.mark.parametrize("seed", range(12))
def test_the_sides_of_a_captured_person_need_not_be_equally_long(seed):
    kinds, found = _kinds(people.PERSON, *_measured(people.PERSON, seed))
    assert kinds == {name: PERSON[name.split(".")[0]] for name in kinds}
    assert found.forward @ [0, -1, 0] > 0.99


def test_short_forearms_of_a_captured_person_are_arms():
    """Each forearm of some actors ends at the first of two bones of the wrist."""
    rows = []
    for name, above, head, tail in people.PERSON:
        s = 1 if name.endswith(".l") else -1
        rows.append(
            {
                "forearm": (name, above, head, (0.63 * s, 0.01, 1.45)),
                "hand": (name, above, (0.63 * s, 0.01, 1.45), (0.72 * s, -0.03, 1.45)),
            }.get(name.split(".")[0], (name, above, head, tail))
        )
    kinds, _ = _kinds(rows)
    assert kinds == {name: PERSON[name.split(".")[0]] for name in kinds}


@pytest.mark.parametrize(
    ("rows", "expected"), [(people.PERSON, PERSON), (people.DOG, DOG)], ids=["person", "dog"]
)
@pytest.mark.parametrize("share", [0.3, 0.6, 1.0])
def test_last_bones_that_go_straight_on_may_have_any_length(rows, expected, share):
    parents, heads, tails = people.arrays(rows)
    for j in set(range(len(rows))).difference(parents.tolist()):
        tails[j] = heads[j] + share * (heads[j] - heads[parents[j]])
    kinds, _ = _kinds(rows, heads, tails)
    limbs = {name for name in kinds if "." in name or name in ("hips", "chest")}
    assert {name: kinds[name] for name in limbs} == {name: expected[name.split(".")[0]] for name in limbs}


def test_a_shield_on_one_forearm_takes_no_arm_away():
    things = (
        ("shield", "forearm.l", (0.6, 0.08, 1.45), (0.6, 0.3, 1.45)),
        ("grip.l", "hand.l", (0.8, 0, 1.4), (0.8, -0.1, 1.4)),
        ("finger.l", "hand.l", (0.84, -0.01, 1.45), (0.88, -0.01, 1.45)),
        ("fingertip.l", "finger.l", (0.88, -0.01, 1.45), (0.92, -0.01, 1.45)),
        ("sword", "hand.r", (-0.8, 0, 1.4), (-0.8, -0.9, 1.4)),
    )
    person = [
        (name, above, head, (0.66, 0.04, 1.45) if name == "forearm.l" else tail)  # between what it carries
        for name, above, head, tail in people.PERSON
    ]
    kinds, _ = _kinds((*person, *things))
    own = {name: kind for name, kind in kinds.items() if name not in [row[0] for row in things]}
    assert own == {name: PERSON[name.split(".")[0]] for name in own}


def test_knees_and_elbows_tell_where_a_person_faces_whose_feet_go_straight_on():
    rows = [row for row in people.PERSON if not row[0].startswith("toe")]
    rows = [
        (name, above, head, (head[0], head[1] + 0.02, head[2] - 0.2) if name.startswith("foot") else tail)
        for name, above, head, tail in rows
    ]
    kinds, found = _kinds(rows)
    assert kinds == {name: PERSON[name.split(".")[0]] for name in kinds}
    assert found.forward @ [0, -1, 0] > 0.99


def _beast(shoulder=(0.22, -1.0, 1.2), elbow=(0.24, -0.98, 0.75)):
    """A heavy animal whose legs begin in its middle; facing -y."""
    rows = []
    _chain(
        rows,
        "root pelvis spine chest",
        None,
        (0, 0, 0),
        (0, 0.6, 1.5),
        (0, 0.3, 1.5),
        (0, -0.5, 1.5),
        (0, -1.0, 1.5),
    )
    _chain(rows, "neck head", "chest", (0, -1.0, 1.5), (0, -1.5, 1.75), (0, -1.85, 1.6))
    _chain(rows, "tail", "pelvis", (0, 0.8, 1.5), (0, 1.1, 1.55))
    for side, s in SIDES:
        bone = " ".join(f"{name}.{side}" for name in ("scapula", "upper", "fore", "foot"))
        knots = [(0, -1.0, 1.5), shoulder, elbow, (0.24, -1.02, 0.2), (0.24, -1.03, 0.0)]
        _chain(rows, bone, "chest", *((s * x, y, z) for x, y, z in knots))
        bone = " ".join(f"{name}.{side}" for name in ("hip", "thigh", "shin", "hind"))
        knots = [(0, 0.6, 1.5), (0.22, 0.6, 1.2), (0.24, 0.55, 0.7), (0.24, 0.66, 0.2), (0.24, 0.7, 0.02)]
        _chain(rows, bone, "pelvis", *((s * x, y, z) for x, y, z in knots))
    return rows


BEAST = {
    "neck": "neck", "head": "head", "scapula": "clavicle", "upper": "shoulder", "fore": "elbow",
    "foot": "wrist", "hip": "clavicle", "thigh": "hip", "shin": "knee", "hind": "ankle",
}  # fmt: skip


@pytest.mark.parametrize("long", [False, True])
def test_no_shoulder_is_in_the_middle_of_the_body_and_no_stump_of_a_tail_is_a_head(long):
    rows = _beast((0.2, -1.0, 0.95), (0.24, -1.02, 0.57)) if long else _beast()
    kinds, found = _kinds(rows)
    own = {name: kind for name, kind in kinds.items() if name.split(".")[0] in BEAST}
    assert own == {name: BEAST[name.split(".")[0]] for name in own}
    assert found.on_fours and found.forward @ [0, -1, 0] > 0.99


def test_the_raised_stump_of_a_tail_is_no_head_where_the_trunk_begins_at_the_chest():
    rows = [row for row in _beast() if row[0] not in ("root", "pelvis", "spine", "chest", "tail")]
    trunk = []
    _chain(trunk, "chest spine pelvis", None, (0, -1.0, 1.5), (0, -0.5, 1.5), (0, 0.3, 1.5), (0, 0.6, 1.5))
    _chain(rows, "tail", "pelvis", (0, 0.7, 1.55), (0, 0.85, 1.7))
    kinds, found = _kinds(trunk + rows)
    own = {name: kind for name, kind in kinds.items() if name.split(".")[0] in BEAST}
    assert own == {name: BEAST[name.split(".")[0]] for name in own}
    assert found.on_fours and found.forward @ [0, -1, 0] > 0.99


def test_a_proboscis_as_long_as_the_way_to_the_hind_feet_hides_no_head():
    """Head and hind part hang from the chest and reach equally far."""
    turned = {"chest": "root", "spine": "chest", "pelvis": "spine"}
    rows = [(name, turned.get(name, above), *ends) for name, above, *ends in _beast()]
    order = [None, "root", "chest", "spine"]
    rows.sort(key=lambda row: order.index(row[1]) if row[1] in order else len(order))
    rows += [(f"ear.{side}", "head", (0.2 * s, -1.5, 1.8), (0.5 * s, -1.4, 1.8)) for side, s in SIDES]
    far = 1.0
    for _ in range(2):  # first to see how far it has to reach
        nose = [(0, -1.85, 1.6 - share * far) for share in np.linspace(0.0, 1.0, 8)]
        longer = list(rows)
        _chain(longer, " ".join(f"nose{k}" for k in range(7)), "head", *nose)
        kinds, found = _kinds(longer)
        ends = [found.reach[[row[0] for row in longer].index(name)] for name in ("neck", "spine")]
        far += ends[1] - ends[0]
    assert ends[0] == pytest.approx(ends[1])
    assert kinds["head"] == "head" and kinds["nose6"] == "appendage"
    assert found.forward @ [0, -1, 0] > 0.99


def test_the_spine_of_an_animal_is_no_leg_though_its_bones_are_as_long_and_nearer():
    rows = [
        (name, "pelvis", (1.5 * head[0], 0.5, 1.4), tail) if "thigh" in name else (name, above, head, tail)
        for name, above, head, tail in _beast()
        if "hip" not in name
    ]
    long = {name: np.linalg.norm(np.subtract(tail, head)) for name, _, head, tail in rows}
    middle, front = 0.3 - long["thigh.l"], 0.3 - long["thigh.l"] - long["shin.l"]
    ends = {"spine": ((0, 0.3, 1.5), (0, middle, 1.5)), "chest": ((0, middle, 1.5), (0, front, 1.5))}
    kinds, _ = _kinds([(name, above, *ends.get(name, way)) for name, above, *way in rows])
    assert kinds["spine"] == kinds["chest"] == "spine"
    assert all(kinds[f"{name}.{side}"] == BEAST[name] for name in ("thigh", "shin") for side, _ in SIDES)


def test_a_foreleg_of_six_bones_is_a_leg():
    rows = [row for row in _beast() if row[0].split(".")[0] not in ("scapula", "upper", "fore", "foot")]
    for side, s in SIDES:
        bone = " ".join(f"{name}.{side}" for name in ("blade", "scapula", "upper", "fore", "foot", "hoof"))
        knots = [
            (0, -1.0, 1.5), (0.2, -1.1, 1.4), (0.18, -1.0, 1.1), (0.18, -0.97, 0.62), (0.18, -0.94, 0.28),
            (0.18, -1.0, 0.1), (0.18, -1.04, -0.02),
        ]  # fmt: skip
        _chain(rows, bone, "chest", *((s * x, y, z) for x, y, z in knots))
    kinds, found = _kinds(rows)
    assert {kinds[f"upper.{side}"] for side, _ in SIDES} == {"shoulder"} and kinds["head"] == "head"
    assert kinds["fore.l"] == kinds["fore.r"] == "elbow" and found.on_fours


def test_a_tail_with_bones_as_long_as_neck_and_head_is_not_their_twin():
    rows = [row for row in _beast() if row[0] not in ("tail", "head")]
    neck = np.subtract((0, -1.5, 1.75), (0, -1.0, 1.5))
    tip = tuple(np.add((0, -1.5, 1.75), neck))  # as long, and straight on
    rows.append(("head", "neck", (0, -1.5, 1.75), tip))
    far = float(np.linalg.norm(neck))
    knots = [(0, 0.8, 1.5), (0, 1.0, 1.45), (0, 1.2, 1.3), (0, 1.25, 1.3 - far), (0, 1.25, 1.3 - 2 * far)]
    _chain(rows, "dock tail1 tail2 tail3", "pelvis", *knots)
    kinds, found = _kinds(rows)
    assert kinds["neck"] == "neck" and kinds["head"] == "head"
    assert {kinds[name] for name in ("dock", "tail1", "tail2", "tail3")} == {"tail"}
    assert found.on_fours


def test_a_bone_as_long_as_the_shin_that_marks_the_knee_is_no_second_leg():
    marks = [
        (f"mark.{side}", f"thigh.{side}", (0.1 * s, -0.02, 0.5), (0.1 * s, -0.44, 0.5)) for side, s in SIDES
    ]
    kinds, _ = _kinds((*people.PERSON, *marks))
    assert {name: kinds[name] for name in PERSON_ROWS} == {
        name: PERSON[name.split(".")[0]] for name in PERSON_ROWS
    }


@pytest.mark.parametrize("degrees", [-40.0, 0.0, 60.0])
def test_a_person_faces_where_the_toes_point_however_the_trunk_leans(degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    lean, hips = np.array([[1, 0, 0], [0, c, s], [0, -s, c]]), np.array([0, 0, 0.95])
    legs = ("thigh", "shin", "foot", "toe")
    rows = [
        (name, above, *ends)
        if name.startswith(legs)
        else (name, above, *(tuple(hips + lean @ (np.array(end) - hips)) for end in ends))
        for name, above, *ends in people.PERSON
    ]
    kinds, found = _kinds(rows)
    assert kinds == {name: PERSON[name.split(".")[0]] for name in kinds}
    assert found.forward @ [0, -1, 0] > 0.99


def test_a_skull_with_ears_beside_a_jaw_with_a_long_tongue_is_the_head():
    rows = [row for row in _beast() if row[0] not in ("neck", "head")]
    _chain(rows, "neck neck2", "chest", (0, -1.0, 1.5), (0, -1.3, 1.65), (0, -1.5, 1.75))
    rows.append(("skull", "neck2", (0, -1.5, 1.75), (0, -1.6, 1.9)))
    _chain(rows, "jaw jaw2 tongue", "neck2", (0, -1.5, 1.75), (0, -1.7, 1.65), (0, -1.9, 1.6), (0, -2.1, 1.6))
    for side, s in SIDES:
        knots = [(0.1 * s, -1.5, 1.85), (0.25 * s, -1.45, 1.95), (0.35 * s, -1.4, 1.85)]
        _chain(rows, f"ear.{side} tip.{side}", "skull", *knots)
    kinds, found = _kinds(rows)
    assert kinds["neck"] == kinds["neck2"] == "neck" and kinds["skull"] == "head"
    assert {kinds[name] for name in ("jaw", "tongue", "ear.l", "tip.r")} == {"appendage"}
    assert found.on_fours
