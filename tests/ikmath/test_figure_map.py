# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of joints, on a person and a dog made in code; figures of other tools are tested in Blender."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import ikmath as ik
from ikmath.model.figure_map import map_figure, map_skeleton
from ikmath.model.limb_rows import continued
from ikmath.model.masses import mass_shares
from tests.ikmath import oracle
from tests.ikmath.postures import people

PERSON = {
    "hips": "root", "spine": "spine", "chest": "spine", "neck": "neck", "head": "head",
    "clavicle": "clavicle",
    "arm": "shoulder", "forearm": "elbow", "hand": "wrist", "thigh": "hip", "shin": "knee", "foot": "ankle",
    "toe": "paw",
}  # fmt: skip
DOG = {
    "hips": "root", "spine": "spine", "chest": "spine", "neck": "neck", "head": "head", "tail": "tail",
    "tail2": "tail", "shoulder": "clavicle", "upper": "shoulder", "fore": "elbow", "pastern": "wrist",
    "paw": "paw", "thigh": "hip", "shin": "knee", "hock": "ankle", "hindpaw": "paw",
}  # fmt: skip


def _kinds(rows, found):
    return {row[0]: str(kind) for row, kind in zip(rows, found.kinds, strict=True)}


@pytest.mark.parametrize(
    ("rows", "expected"), [(people.PERSON, PERSON), (people.DOG, DOG)], ids=["person", "dog"]
)
def test_every_joint_has_its_kind(rows, expected):
    found = map_figure(*people.arrays(rows))
    for name, kind in _kinds(rows, found).items():
        assert kind == expected[name.split(".")[0]], name
    np.testing.assert_allclose(found.forward, [0, -1, 0], atol=1e-9)
    np.testing.assert_allclose(found.left, [1, 0, 0], atol=1e-9)
    names = [row[0] for row in rows]
    for j, other in enumerate(found.twin.tolist()):
        assert names[other] == names[j].translate(str.maketrans("", "")).replace(".l", ".#").replace(
            ".r", ".l"
        ).replace(".#", ".r")


HUNG = {
    "all legs from the hips": {"shoulder": "hips"},
    "the front legs by themselves": {"shoulder": None},
    "the head from the hips": {"neck": "hips"},
    "the hips from the chest": {"hips": "chest", "spine": None},
    "the front of the body by itself": {"chest": None},
}


def _dog(hung, more=()):
    """The dog with other parents for some bones, and with more bones."""
    return _with(people.DOG, hung, more)


def _with(figure, hung, more=()):
    """The rows of a figure with other parents for some bones, and with more bones."""
    rows = [(name, hung.get(name.split(".")[0], above), *ends) for name, above, *ends in figure]
    return sorted([*rows, *more], key=lambda row: _depth([*rows, *more], row[0]))


def _moved(figure, ends):
    """The rows of a figure with other heads and tails for some bones, of the left side; mirrored."""
    rows = []
    for name, above, head, tail in figure:
        base, _, side = name.partition(".")
        flip = np.array([-1 if side == "r" else 1, 1, 1])
        rows.append((name, above, *(flip * ends[base] if base in ends else (head, tail))))
    return rows


def _depth(rows, name):
    above = next(row[1] for row in rows if row[0] == name)
    return 0 if above is None else 1 + _depth(rows, above)


@pytest.mark.parametrize("hung", HUNG.values(), ids=HUNG)
def test_front_and_rear_are_where_toes_point_and_not_where_they_begin(hung):
    rows = _dog(hung)
    found = map_figure(*people.arrays(rows))
    kinds = _kinds(rows, found)
    for name in ("upper.l", "fore.r", "pastern.l", "thigh.l", "shin.r", "hock.l", "head"):
        assert kinds[name] == DOG[name.split(".")[0]], name
    np.testing.assert_allclose(found.forward, [0, -1, 0], atol=1e-9)
    assert found.on_fours and len(found.feet) == 4
    assert all(kinds[name] != "head" for name in ("tail", "tail2"))


def test_where_neither_toes_nor_a_face_tell_the_head_is_carried_higher_than_the_tail():
    rows = _dog({"chest": None, "spine": "chest", "hips": "spine"})
    rows = [row for row in rows if not row[0].startswith(("paw", "hindpaw"))]
    kinds = _kinds(rows, map_figure(*people.arrays(rows)))
    for name in ("head", "neck", "tail", "upper.l", "fore.r", "thigh.l", "shin.r"):
        assert kinds[name] == DOG[name.split(".")[0]], name


def test_a_head_with_a_proboscis_and_ears_has_neither_neck_nor_arms():
    nose = []
    for k in range(6):
        above, high = f"nose{k - 1}" if k else "head", 0.74 - 0.1 * k
        nose.append((f"nose{k}", above, (0, -0.58, high), (0, -0.58, high - 0.1)))
    ears = []
    for side, s in (("l", 1), ("r", -1)):
        ears += [
            (f"ear.{side}", "head", (0.05 * s, -0.45, 0.8), (0.2 * s, -0.35, 0.85)),
            (f"eartip.{side}", f"ear.{side}", (0.2 * s, -0.35, 0.85), (0.25 * s, -0.2, 0.75)),
        ]
    rows = _dog({}, [*nose, *ears])
    kinds = _kinds(rows, map_figure(*people.arrays(rows)))
    assert {name: kinds[name] for name in ("head", "nose5", "ear.l", "eartip.r", "upper.l", "thigh.r")} == {
        "head": "head", "nose5": "appendage", "ear.l": "appendage", "eartip.r": "appendage",
        "upper.l": "shoulder", "thigh.r": "hip",
    }  # fmt: skip


@pytest.mark.parametrize("rows", [people.PERSON, people.DOG], ids=["person", "dog"])
def test_bones_without_a_direction_end_where_the_next_one_begins(rows):
    parents, heads, tails = people.arrays(rows)
    np.testing.assert_array_equal(continued(parents, heads, tails), tails)
    aside = heads + np.linalg.norm(tails - heads, axis=1)[:, None] * [1.0, 0.0, 0.0]
    ends, names = continued(parents, heads, aside), [row[0] for row in rows]
    for above, below in {"thigh.l": "shin.l", "thigh.r": "shin.r", "neck": "head"}.items():
        np.testing.assert_array_equal(ends[names.index(above)], heads[names.index(below)])
    leaf = names.index("head")  # goes straight on
    way = heads[leaf] - heads[parents[leaf]]
    length = np.linalg.norm(tails[leaf] - heads[leaf])
    np.testing.assert_allclose(ends[leaf], heads[leaf] + length * way / np.linalg.norm(way))


@pytest.mark.parametrize("rows", [people.PERSON, people.DOG], ids=["person", "dog"])
def test_turned_scaled_and_moved_figures_have_the_same_map(rows):
    parents, heads, tails = people.arrays(rows)
    turn = oracle.rodrigues(np.array([0, 0, 2.2]))
    one = map_figure(parents, heads, tails)
    other = map_figure(parents, 40 * heads @ turn.T + [3, 4, 0], 40 * tails @ turn.T + [3, 4, 0])
    assert one.kinds == other.kinds and one.limbs == other.limbs and one.feet == other.feet
    np.testing.assert_allclose(other.hinge, one.hinge @ turn.T, atol=1e-6)
    assert other.size == pytest.approx(40 * one.size)


def test_a_walking_person_has_the_map_of_a_standing_one():
    figure, tips = people.skeleton()
    turns = np.zeros((len(figure), 3))
    for side, s in (("l", 1), ("r", -1)):
        turns[figure.index(f"arm.{side}")] = (0.3 * s, 1.2 * s, 0)
        turns[figure.index(f"thigh.{side}")] = (-0.5 * s, 0, 0)
        turns[figure.index(f"shin.{side}")] = (0.6, 0, 0)
    found = map_skeleton(figure, people.rotations(figure, turns), tips)
    assert _kinds(people.PERSON, found) == _kinds(people.PERSON, map_skeleton(figure, tips=tips))


def test_a_dog_that_steps_has_the_map_of_a_standing_one():
    figure, tips = people.skeleton(people.DOG)
    turns = np.zeros((len(figure), 3))
    turns[figure.index("shin.l")] = (-1.0, 0, 0)  # the leg is stretched, on one side only
    turns[figure.index("hock.l")] = (1.0, 0, 0)
    turns[figure.index("fore.r")] = (1.2, 0, 0)
    found = map_skeleton(figure, people.rotations(figure, turns), tips)
    standing = _kinds(people.DOG, map_skeleton(figure, tips=tips))
    kinds = _kinds(people.DOG, found)
    for name in ("thigh.l", "thigh.r", "shin.l", "shin.r", "upper.l", "fore.r", "head", "tail"):
        assert kinds[name] == standing[name], name


def test_a_person_whose_root_is_the_chest_has_arms_and_legs():
    rows = _with(people.PERSON, {"chest": None, "spine": "chest", "hips": "spine"})
    kinds = _kinds(rows, map_figure(*people.arrays(rows)))
    for name in ("arm.l", "forearm.r", "hand.l", "thigh.l", "shin.r", "foot.l", "head"):
        assert kinds[name] == PERSON[name.split(".")[0]], name


def test_a_foot_as_long_as_the_shin_is_a_foot():
    foot = {
        "foot": ((0.1, 0.03, 0.08), (0.1, -0.38, 0.02)),
        "toe": ((0.1, -0.38, 0.02), (0.1, -0.45, 0.02)),
    }
    rows = _moved(people.PERSON, foot)
    assert _kinds(rows, map_figure(*people.arrays(rows))) == _kinds(
        people.PERSON, map_figure(*people.arrays(people.PERSON))
    )


@pytest.mark.parametrize(("wide", "knee"), [(0.3, 0.27), (0.4, 0.3)], ids=["bent", "straight"])
def test_bones_from_the_middle_of_the_body_to_the_hips_are_no_thighs(wide, knee):
    legs = {
        "thigh": ((0, 0.3, 0.53), (wide, 0.3, 0.5)),
        "shin": ((wide, 0.3, 0.5), (wide, knee, 0.27)),
        "hock": ((wide, knee, 0.27), (wide, 0.3, 0.04)),
        "hindpaw": ((wide, 0.3, 0.04), (wide, 0.22, 0.0)),
    }
    rows = _moved(people.DOG, legs)
    kinds = _kinds(rows, map_figure(*people.arrays(rows)))
    assert [kinds[f"{name}.{side}"] for side in "lr" for name in legs] == [
        "clavicle", "hip", "knee", "ankle"
    ] * 2  # fmt: skip


def test_what_one_hand_carries_does_not_make_its_arm_a_part_of_the_spine():
    spear = ("spear", "hand.l", (0.78, 0, 1.45), (0.78, 0, 3.9))
    rows = _with(people.PERSON, {}, [spear])
    kinds = _kinds(rows, map_figure(*people.arrays(rows)))
    for name in ("clavicle.l", "arm.l", "forearm.r", "hand.l", "thigh.l", "spine", "chest", "head"):
        assert kinds[name] == PERSON[name.split(".")[0]], name


def test_controls_on_the_ground_are_no_limbs():
    more = []
    for side, s in (("l", 1), ("r", -1)):
        more += [
            (f"heel.{side}", None, (0.1 * s, 0.1, 0.0), (0.1 * s, -0.1, 0.0)),
            (f"roll.{side}", f"heel.{side}", (0.1 * s, -0.1, 0.0), (0.1 * s, -0.28, 0.02)),
        ]
    rows = _with(people.PERSON, {}, more)
    found = map_figure(*people.arrays(rows))
    kinds = _kinds(rows, found)
    assert len(found.limbs) == 4 and len(found.feet) == 2
    for name, kind in PERSON.items():
        assert kinds.get(name, kinds.get(f"{name}.l")) == kind, name


def test_knees_bend_backwards_and_elbows_forwards_about_their_hinges():
    found = map_figure(*people.arrays(people.PERSON))
    names = [row[0] for row in people.PERSON]
    np.testing.assert_allclose(found.hinge[names.index("shin.l")], [1, 0, 0], atol=0.05)
    np.testing.assert_allclose(found.hinge[names.index("forearm.l")], [0, 0, -1], atol=0.05)
    np.testing.assert_allclose(found.hinge[names.index("forearm.r")], [0, 0, 1], atol=0.05)
    assert not found.hinge[names.index("head")].any()


def test_a_leg_that_is_bent_from_the_front_alone_has_a_knee_to_the_front():
    for aside in (0.015, -0.015):  # two degrees on either side, as of bow-legs and knock-knees
        legs = {
            "thigh": ((0.1, 0, 0.93), (0.1 + aside, 0, 0.5)),
            "shin": ((0.1 + aside, 0, 0.5), (0.1, 0, 0.08)),
            "foot": ((0.1, 0, 0.08), (0.1, -0.1, 0.02)),
        }
        rows = _moved(people.PERSON, legs)
        found = map_figure(*people.arrays(rows))
        for side in "lr":
            hinge = found.hinge[[row[0] for row in rows].index(f"shin.{side}")]
            assert hinge @ [1, 0, 0] > 0.9, hinge


def test_the_knees_of_a_person_without_toes_bend_about_the_axis_from_hip_to_hip():
    legs = {
        "thigh": ((0.1, 0, 0.93), (0.115, 0, 0.5)),
        "shin": ((0.115, 0, 0.5), (0.1, 0, 0.08)),
        "foot": ((0.1, 0, 0.08), (0.1, 0, 0.0)),
    }
    straight = {"spine": ((0, 0, 1.08), (0, 0, 1.25)), "chest": ((0, 0, 1.25), (0, 0, 1.48))}
    rows = [row for row in _moved(people.PERSON, legs | straight) if not row[0].startswith("toe")]
    found = map_figure(*people.arrays(rows))
    names = [row[0] for row in rows]
    for side in "lr":
        assert abs(found.hinge[names.index(f"shin.{side}")][0]) > 0.9
    np.testing.assert_allclose(np.abs(found.left), [1, 0, 0], atol=1e-9)


def test_a_bird_faces_where_its_head_is_although_its_feet_do_not_tell():
    rows = [
        ("body", None, (0, 0, 0.6), (0, -0.3, 0.9)),
        ("neck", "body", (0, -0.3, 0.9), (0, -0.4, 1.2)),
        ("head", "neck", (0, -0.4, 1.2), (0, -0.55, 1.25)),
        ("rear", "body", (0, 0, 0.6), (0, 0.2, 0.7)),
        ("tail", "rear", (0, 0.2, 0.7), (0, 0.4, 0.75)),
    ]
    for side, s in (("l", 1), ("r", -1)):
        rows += [
            (f"leg.{side}", "body", (0.13 * s, 0, 0.4), (0.13 * s, 0.01, 0.2)),
            (f"shin.{side}", f"leg.{side}", (0.13 * s, 0.01, 0.2), (0.13 * s, 0.02, 0.04)),
            (f"foot.{side}", f"shin.{side}", (0.13 * s, 0.02, 0.04), (0.13 * s, 0.05, 0.0)),
        ]
    rows = sorted(rows, key=lambda row: _depth(rows, row[0]))
    found = map_figure(*people.arrays(rows))
    assert _kinds(rows, found)["head"] == "head"
    np.testing.assert_allclose(found.forward, [0, -1, 0], atol=1e-9)


def test_a_chain_without_limbs_has_a_root_and_a_row():
    heads = np.array([(0, 0, k) for k in range(6)], float)
    found = map_figure(np.arange(6) - 1, heads, heads + np.eye(3)[2])
    assert [str(kind) for kind in found.kinds] == ["root", *["other"] * 5]
    assert found.row.tolist() == [6] * 6 and found.body == -1 and not found.limbs


def test_the_map_of_a_rope_takes_room_for_its_bones_and_not_for_all_pairs_of_them():
    count = 1500
    heads = np.arange(count)[:, None] * np.array([0.0, 0.006, 0.008])
    tracemalloc.start()
    found = map_figure(np.arange(-1, count - 1), heads, heads + heads[1])
    room = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.size == pytest.approx(15.0)
    assert room < 50e6


def test_masses_are_a_persons_and_do_not_depend_on_the_number_of_bones():
    found = map_figure(*people.arrays(people.PERSON))
    mass = mass_shares(found)
    assert mass.sum() == pytest.approx(1.0)
    names = [row[0] for row in people.PERSON]
    trunk = mass[[names.index(n) for n in ("hips", "spine", "chest")]].sum()
    assert 0.4 < trunk < 0.6 and 0.05 < mass[names.index("thigh.l")] < 0.15


@pytest.mark.parametrize(
    "bad", [([0, -1], np.zeros((2, 3)), np.zeros((2, 3))), ([-1], np.zeros((2, 3)), np.zeros((1, 3)))]
)
def test_wrong_input_is_named(bad):
    with pytest.raises(ik.IkError):
        map_figure(*bad)


def test_an_up_without_length_is_named():
    with pytest.raises(ik.BadValue, match="up has no length; give a direction"):
        map_skeleton(ik.figures.human(), up=(0, 0, 0))


_DIVIDED = {"thigh": (0.25, 0.025), "arm": (0.3, 0.003), "shin": (0.5, 0.0), "forearm": (0.5, 0.0)}
_BENT = {
    **_DIVIDED,
    "thigh": (0.25, 0.02),
    "arm": (0.32, 0.005),
    "shin": (0.49, 0.01),
    "forearm": (0.5, 0.005),
}


def _divided(where):
    """The person with two bones in each part of a limb.

    Args:
        where: by part, the share of its length at which it is divided, and metres that this is aside.
    """
    rows = []
    for name, above, head, tail in people.PERSON:
        part, _, side = name.partition(".")
        over, _, _ = (above or "").partition(".")
        above = f"{over}2.{side}" if over in where else above
        if part in where:
            share, aside = where[part]
            middle = np.array(head) + share * np.subtract(tail, head) - [0.0, aside, 0.0]
            rows += [(name, above, head, tuple(middle)), (f"{part}2.{side}", name, tuple(middle), tail)]
        else:
            rows.append((name, above, head, tail))
    return rows


@pytest.mark.parametrize("where", [_DIVIDED, _BENT], ids=["in line", "bent"])
def test_limbs_of_divided_bones_are_found_whole(where):
    """As MakeHuman's: in line in the figure that it begins with, bent by 5 to 15 degrees in others."""
    rows = _divided(where)
    kinds = _kinds(rows, found := map_figure(*people.arrays(rows)))
    for name, kind in kinds.items():
        part = name.split(".")[0]
        assert kind == ("other" if part.endswith("2") else PERSON[part]), name
    for j, (name, _, head, tail) in enumerate(rows):
        if name.split(".")[0].endswith("2"):  # which twists about itself
            way = np.subtract(tail, head)
            np.testing.assert_allclose(found.hinge[j], way / np.linalg.norm(way), atol=1e-9)


def test_two_long_bones_of_the_face_are_no_arm():
    """MakeHuman's eyebrows hang from the head, nearer to it than the arms."""
    rows = list(people.PERSON)
    for side, s in (("l", 1), ("r", -1)):
        rows.append((f"brow.{side}", "head", (0.0, 0.0, 1.7), (0.02 * s, -0.12, 1.69)))
        rows.append((f"eye.{side}", f"brow.{side}", (0.02 * s, -0.12, 1.69), (0.03 * s, -0.13, 1.59)))
    kinds = _kinds(rows, map_figure(*people.arrays(rows)))
    assert all(kinds[name] == PERSON[name.split(".")[0]] for name, *_ in people.PERSON), kinds
