# SPDX-License-Identifier: GPL-3.0-or-later
"""Animals of game packs: no bone has a length, and paws are roots, because IK controls once moved them."""

from __future__ import annotations

from typing import Any

import bpy
import bridge_rigs
import drag_ways
import installed
import numpy as np
import pytest

drag = installed.module("control.drag.drag")
armature = installed.module("bridge.armature")

ROWS: list[tuple[str, str | None, tuple[float, float, float]]] = [
    ("body", None, (0, 0, 0.4)),
    ("back", "body", (0, 0.6, 1.9)),
    ("torso", "back", (0, 0, 1.85)),
    ("torso2", "torso", (0, -0.8, 1.8)),
    ("neck", "torso2", (0, -1.2, 1.9)),
    ("head", "neck", (0, -1.7, 2.1)),
    ("tail", "back", (0, 0.9, 1.9)),
    ("tail2", "tail", (0, 1.5, 1.9)),
    ("tail3", "tail2", (0, 2.1, 1.9)),
    ("pole", "body", (0.3, -1.5, 0.8)),
]
for _side, _s in (("L", 1), ("R", -1)):
    ROWS += [
        (f"shoulder.{_side}", "torso", (0.2 * _s, -0.9, 1.5)),
        (f"upper.{_side}", f"shoulder.{_side}", (0.3 * _s, -0.9, 1.45)),
        (f"fore.{_side}", f"upper.{_side}", (0.3 * _s, -0.8, 0.95)),
        (f"thigh.{_side}", "back", (0.3 * _s, 0.6, 1.6)),
        (f"shin.{_side}", f"thigh.{_side}", (0.3 * _s, 0.3, 1.1)),
        (f"hock.{_side}", f"shin.{_side}", (0.3 * _s, 1.0, 0.65)),
        (f"forepaw.{_side}", None, (0.3 * _s, -1.0, 0.2)),
        (f"foretoe.{_side}", f"forepaw.{_side}", (0.3 * _s, -1.15, 0.07)),
        (f"hindpaw.{_side}", None, (0.3 * _s, 0.9, 0.15)),
        (f"hindtoe.{_side}", f"hindpaw.{_side}", (0.3 * _s, 0.75, 0.05)),
    ]


PAIRS = {"fore": "forepaw", "hock": "hindpaw"}
PAWS = {f"{leg}.{side}": f"{paw}.{side}" for side in "LR" for leg, paw in PAIRS.items()}


def test_a_camera_is_no_foot_of_a_head() -> None:
    rows = [*ROWS, ("camera", None, (0.0, -6.0, 3.0))]
    rig = bridge_rigs.make_rig([(n, p, head, (head[0], head[1] + 0.005, head[2])) for n, p, head in rows])
    bones = armature.read_bones(rig)
    whole = bridge_rigs.map_of(rig, bones)
    assert {bones.names[leg]: bones.names[foot] for leg, foot in whole.rooted.items()} == PAWS


@pytest.fixture
def rig() -> bpy.types.Object:
    stubs = [(name, parent, head, (head[0], head[1] + 0.005, head[2])) for name, parent, head in ROWS]
    return bridge_rigs.make_rig(stubs)


def test_its_legs_end_where_the_paws_are(rig: bpy.types.Object) -> None:
    bones = armature.read_bones(rig)
    found = bridge_rigs.map_of(rig, bones).kinds
    kinds = {name: str(kind) for name, kind in zip(bones.names, found.kinds, strict=True)}
    expected = {
        "back": "root", "torso": "spine", "neck": "neck", "tail2": "tail", "upper.L": "shoulder",
        "fore.R": "elbow", "thigh.L": "hip", "shin.R": "knee", "hock.L": "ankle", "pole": "other",
    }  # fmt: skip
    assert {name: kinds[name] for name in expected} == expected
    np.testing.assert_allclose(found.tails[bones.index["fore.L"]], (0.3, -1.0, 0.2), atol=1e-6)
    np.testing.assert_allclose(found.forward, (0, -1, 0), atol=1e-6)


def _ends(rig: bpy.types.Object) -> dict[str, np.ndarray]:
    """Where the legs end."""
    bpy.context.view_layer.update()
    bones, posed = rig.data.bones, rig.pose.bones
    return {
        leg: np.array(posed[leg].matrix @ bones[leg].matrix_local.inverted() @ bones[paw].head_local)
        for leg, paw in PAWS.items()
    }


def _led(rig: bpy.types.Object, bone: str, way: tuple[float, float, float]) -> Any:
    held = drag.Drag(rig, bpy.context, drag.Grip(bone=bone), budget=drag_ways.ENDLESS)
    for share in np.linspace(0.0, 1.0, 11)[1:]:
        held.move_to(held.anchor + share * np.array(way))
    assert held.moved.error < 1e-3
    return held


@pytest.mark.parametrize(("bone", "way"), [("back", (0, 0, -0.3)), ("head", (0, 0, -0.5))])
def test_its_legs_bend_and_stay_with_the_paws(
    rig: bpy.types.Object, bone: str, way: tuple[float, float, float]
) -> None:
    before, knee = _ends(rig), np.array(rig.pose.bones["fore.L"].head)
    held = _led(rig, bone, way)
    after = _ends(rig)
    for leg, place in before.items():
        assert np.linalg.norm(after[leg] - place) < 2e-3, leg
    if bone == "back":
        assert np.linalg.norm(np.array(rig.pose.bones["fore.L"].head) - knee) > 0.03
    held.cancel()
    np.testing.assert_allclose(_ends(rig)["fore.L"], before["fore.L"], atol=1e-6)


@pytest.mark.parametrize("bone", ["forepaw.L", "foretoe.L", "hindpaw.R", "fore.L", "hock.R"])
def test_a_paw_takes_its_leg_along_and_a_leg_its_paw(rig: bpy.types.Object, bone: str) -> None:
    own, side = bone.split(".")
    leg = ("hock." if own in ("hindpaw", "hock") else "fore.") + side
    before, back = _ends(rig), np.array(rig.pose.bones["back"].head)
    held = _led(rig, bone, (0, -0.2, 0.25))
    after = _ends(rig)
    assert np.linalg.norm(after[leg] - before[leg]) > 0.1
    np.testing.assert_allclose(after[leg], rig.pose.bones[PAWS[leg]].head, atol=2e-3)
    for other in set(PAWS) - {leg}:
        assert np.linalg.norm(after[other] - before[other]) < 2e-3, other
    assert np.linalg.norm(np.array(rig.pose.bones["back"].head) - back) < 0.05
    named = {one.bone for one in installed.module("control.drag.grip").holding(rig, bpy.context, held.grip)}
    assert leg not in named and leg not in held.held
    held.finish(bpy.context)
