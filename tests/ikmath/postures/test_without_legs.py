# SPDX-License-Identifier: GPL-3.0-or-later
"""A bust, or a pair of arms as in games, has arms and no legs, however low its hands are."""

from __future__ import annotations

import numpy as np
import pytest

from ikmath.model.figure_map import Kind, map_figure
from tests.ikmath import oracle
from tests.ikmath.postures import people, test_fingers

_LEGS = ("thigh", "shin", "foot", "toe")
_TRUNK = ("hips", "spine", "chest", "neck", "head")


def _lowered(rows, angle):
    """The arms turned down about the shoulders, radians."""
    turned = []
    for name, parent, head, tail in rows:
        if name.split(".")[0] not in (*_TRUNK, "clavicle"):
            side = 1 if name.endswith(".l") else -1
            shoulder = np.array([0.18 * side, 0.01, 1.45])
            turn = oracle.rodrigues(np.array([0.0, side * angle, 0.0]))
            head, tail = (tuple(shoulder + turn @ (np.array(end) - shoulder)) for end in (head, tail))
        turned.append((name, parent, head, tail))
    return turned


def _bust(fingers):
    hand = {"palm": False, "down": (0.0,) * 4, "fingers": ("index", "middle", "little")}
    rows = test_fingers.rows(**hand) if fingers else people.PERSON
    return [row for row in rows if row[0].split(".")[0] not in _LEGS]


@pytest.mark.parametrize("angle", [0.0, 0.6, 1.3])
@pytest.mark.parametrize("fingers", [False, True])
def test_a_bust_has_arms_and_no_legs(fingers, angle):
    rows = _lowered(_bust(fingers), angle)
    found = map_figure(*people.arrays(rows))
    kinds = {row[0]: str(kind) for row, kind in zip(rows, found.kinds, strict=True)}
    for side in "lr":
        assert [kinds[f"{part}.{side}"] for part in ("arm", "forearm", "hand")] == [
            "shoulder",
            "elbow",
            "wrist",
        ]
    assert [kinds[part] for part in _TRUNK] == ["root", "spine", "spine", "neck", "head"]
    assert not found.feet and found.forward[1] < -0.99
    assert not fingers or kinds["index1.l"] == "finger"


@pytest.mark.parametrize("angle", [0.0, 1.0])
@pytest.mark.parametrize("root", [0.0, 1.4])
def test_a_pair_of_arms_is_no_pair_of_legs(root, angle):
    rows = [("root", None, (0.0, 0.0, root), (0.0, 0.1, root))]
    for name, parent, head, tail in _lowered(_bust(True), angle):
        if name not in _TRUNK:
            rows.append((name, "root" if parent == "chest" else parent, head, tail))
    found = map_figure(*people.arrays(rows))
    kinds = {row[0]: str(kind) for row, kind in zip(rows, found.kinds, strict=True)}
    assert kinds["arm.l"] == "shoulder" and kinds["middle2.r"] == "finger" and not found.feet


@pytest.mark.parametrize("fingers", [False, True])
def test_two_arms_held_out_are_arms_although_nothing_joins_them(fingers):
    rows = [
        (name, parent if name.split(".")[0] != "arm" else None, *ends)
        for name, parent, *ends in _bust(fingers)
        if name.split(".")[0] not in (*_TRUNK, "clavicle")
    ]
    found = map_figure(*people.arrays(rows))
    kinds = {row[0]: str(kind) for row, kind in zip(rows, found.kinds, strict=True)}
    assert kinds["arm.l"] == "shoulder" and not found.feet
    assert not fingers or kinds["index1.l"] == "finger"


@pytest.mark.parametrize("hips", [(0.0, 0.0, 1.0), None], ids=["one bone", "none"])
def test_a_bust_of_few_bones_has_arms(hips):
    rows = [("chest", None, hips or (0.0, 0.0, 1.3), (0.0, 0.0, 1.5))]
    rows += [row for row in _bust(not hips) if row[0] not in _TRUNK]
    found = map_figure(*people.arrays(rows))
    assert not found.feet and str(found.kinds[2]) == "shoulder"


@pytest.mark.parametrize("root", [None, (0.0, 0.0, 0.0)], ids=["no root", "a root on the ground"])
def test_a_bird_stands_on_its_toes(root):
    """A root is often drawn from the ground up to the hips."""
    rows = [] if root is None else [("root", None, root, (0.0, 0.2, 0.7))]
    rows += [
        ("body", root and "root", (0, 0.2, 0.7), (0, -0.1, 0.75)),
        ("neck", "body", (0, -0.1, 0.75), (0, -0.25, 1.1)),
        ("head", "neck", (0, -0.25, 1.1), (0, -0.4, 1.1)),
    ]
    for side, s in (("l", 1), ("r", -1)):
        x = 0.1 * s
        rows += [
            (f"thigh.{side}", "body", (x, 0, 0.65), (x, -0.12, 0.45)),
            (f"shin.{side}", f"thigh.{side}", (x, -0.12, 0.45), (x, 0.08, 0.25)),
            (f"foot.{side}", f"shin.{side}", (x, 0.08, 0.25), (x, 0.0, 0.03)),
        ]
        for toe, aside in enumerate((-0.05, 0.0, 0.05)):
            middle, end = (x + aside / 2, -0.05, 0.01), (x + aside, -0.11, 0.0)
            rows.append((f"toe{toe}.{side}", f"foot.{side}", (x, 0, 0.03), middle))
            rows.append((f"claw{toe}.{side}", f"toe{toe}.{side}", middle, end))
    found = map_figure(*people.arrays(rows))
    kinds = {row[0]: str(kind) for row, kind in zip(rows, found.kinds, strict=True)}
    assert (kinds["thigh.l"], kinds["shin.r"], kinds["head"]) == ("hip", "knee", "head")
    assert len(found.feet) == 2


@pytest.mark.parametrize("walks", [False, True])
def test_wings_are_the_pair_that_neither_walks_nor_is_ahead(walks):
    wings = [
        (f"wing{k}.{side}", f"wing{k - 1}.{side}" if k else "chest", *((s * x, y, z) for x, y, z in ends))
        for side, s in (("l", 1), ("r", -1))
        for k, ends in enumerate(
            [
                ((0.1, 0.1, 1.4), (0.5, 0.3, 1.7)),
                ((0.5, 0.3, 1.7), (1.0, 0.4, 1.6)),
                ((1.0, 0.4, 1.6), (1.5, 0.5, 1.2)),
            ]
        )
    ]
    rows = [*(people.DOG if walks else people.PERSON), *wings]
    found = map_figure(*people.arrays(rows))
    kinds = {row[0]: str(kind) for row, kind in zip(rows, found.kinds, strict=True)}
    arm = ("upper", "fore") if walks else ("arm", "forearm")
    assert [kinds[f"{part}.l"] for part in arm] == ["shoulder", "elbow"]
    assert kinds["wing1.l"] == kinds["wing2.r"] == "wing"


def test_arms_that_are_told_to_be_legs_are_legs():
    rows = _bust(True)
    names = [row[0] for row in rows]
    found = map_figure(
        *people.arrays(rows), told={names.index("arm.l"): Kind.HIP, names.index("arm.r"): Kind.HIP}
    )
    assert found.kinds[names.index("forearm.r")] == Kind.KNEE
    assert {names[foot] for foot in found.feet} == {"hand.l", "hand.r"}
