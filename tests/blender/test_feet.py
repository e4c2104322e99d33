# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds in a drag where nothing is pinned: the feet, or the root."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import arm, evaluated, reach, tip, two_arms
from bridge_rigs import make_rig, map_of, metarig

drag = installed.module("control.drag.drag")
read_bones = installed.module("bridge.armature").read_bones


def feet(rig: bpy.types.Object) -> tuple[str, ...]:
    bones = read_bones(rig)
    return tuple(bones.names[number] for number in installed.module("bridge.feet").feet(map_of(rig, bones)))


def named(names: dict[str, str]) -> bpy.types.Object:
    """A body with two arms, and two legs of three bones of which the last ones have these names."""
    rows = [("body", None, (0, 0, 1.0), (0, 0, 1.5)), ("head", "body", (0, 0, 1.5), (0, 0, 1.8))]
    for side, x in (("left", 0.2), ("right", -0.2)):
        rows.append((f"thigh_{side}", "body", (x, 0, 1.0), (x, -0.05, 0.5)))
        rows.append((f"shin_{side}", f"thigh_{side}", (x, -0.05, 0.5), (x, 0, 0.1)))
        rows.append((names[side], f"shin_{side}", (x, 0, 0.1), (x, -0.2, 0.0)))
        rows.append((f"arm_{side}", "body", (x, 0, 1.45), (3 * x, 0, 1.45)))
    return make_rig(rows)


@pytest.mark.parametrize(
    "left, right",
    [
        ("foot.L", "foot.R"),
        ("LeftFoot", "RightFoot"),
        ("mixamorig:LeftFoot", "mixamorig:RightFoot"),
        ("Paw_l", "paw_r"),
    ],
)
def test_feet_by_name(left, right):
    rig = named({"left": left, "right": right})
    assert set(feet(rig)) == {left, right}


def test_feet_without_names_are_the_lowest_ends():
    rig = named({"left": "end_a", "right": "end_b"})
    assert set(feet(rig)) == {"end_a", "end_b"}


@pytest.mark.parametrize("control", ["foot", "ball"])
def test_bones_that_move_the_feet_are_none(control):
    rows = [("body", None, (0, 0, 1.0), (0, 0, 1.5)), ("head", "body", (0, 0, 1.5), (0, 0, 1.8))]
    for side, x in (("L", 0.2), ("R", -0.2)):
        rows.append((f"thigh.{side}", "body", (x, 0, 1.0), (x, -0.05, 0.5)))
        rows.append((f"shin.{side}", f"thigh.{side}", (x, -0.05, 0.5), (x, 0, 0.02)))
        rows.append((f"{control}.{side}", None, (x, 0, 0.02), (x, -0.2, 0.0)))
    assert set(feet(make_rig(rows))) == {"shin.L", "shin.R"}


def test_what_stands_on_its_root_has_none():
    assert feet(arm(4)) == ()
    assert feet(two_arms()) == ()
    barefoot = make_rig([("barefoot", None, (0, 0, 0), (0, 0, 1)), ("end", "barefoot", (0, 0, 1), (0, 0, 2))])
    assert feet(barefoot) == ()


def test_of_a_foot_and_its_parts_the_topmost_counts():
    assert set(feet(metarig("human"))) == {"foot.L", "foot.R"}


@pytest.mark.parametrize("angle, held", [(30, "foot"), (55, "foot"), (75, "toe")])
def test_a_person_stands_on_the_feet_in_heels_too(angle, held):
    rows = [("body", None, (0, 0, 1.0), (0, 0, 1.5)), ("head", "body", (0, 0, 1.5), (0, 0, 1.8))]
    ahead, high = 0.15 * np.cos(np.radians(angle)), 0.02 + 0.15 * np.sin(np.radians(angle))
    for side, x in (("L", 0.15), ("R", -0.15)):
        rows.append((f"thigh.{side}", "body", (x, 0, 1.0), (x, -0.05, 0.55)))
        rows.append((f"shin.{side}", f"thigh.{side}", (x, -0.05, 0.55), (x, 0, high)))
        rows.append((f"foot.{side}", f"shin.{side}", (x, 0, high), (x, -ahead, 0.02)))
        rows.append((f"toe.{side}", f"foot.{side}", (x, -ahead, 0.02), (x, -ahead - 0.08, 0.0)))
        rows.append((f"arm.{side}", "body", (x, 0, 1.45), (4 * x, 0, 1.45)))
        rows.append((f"forearm.{side}", f"arm.{side}", (4 * x, 0, 1.45), (6 * x, 0, 1.45)))
        rows.append((f"hand.{side}", f"forearm.{side}", (6 * x, 0, 1.45), (7 * x, 0, 1.45)))
    assert set(feet(make_rig(rows))) == {f"{held}.L", f"{held}.R"}


def matrices(rig: bpy.types.Object, bone: str) -> np.ndarray:
    return np.array(evaluated(rig).pose.bones[bone].matrix)


def test_the_feet_hold_and_the_hips_come_along():
    rig = metarig("basic")
    bpy.context.view_layer.update()
    before = {name: matrices(rig, name) for name in ("foot.L", "foot.R", "spine")}
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="hand.L"))
    assert held.root == "FREE"
    place = held.anchor + np.array([0.1, -0.5, -0.6])
    for share in np.linspace(0.1, 1.0, 10):
        moved = held.move_to(held.anchor + share * (place - held.anchor))
    assert moved.status == "REACHED" and np.linalg.norm(tip(rig, "hand.L") - place) < 1e-3
    for name in ("foot.L", "foot.R"):
        assert np.abs(matrices(rig, name) - before[name]).max() < 2e-3
    assert np.abs(matrices(rig, "spine") - before["spine"])[:3, 3].max() > 0.02
    assert not rig.articulate.effectors


def test_the_root_holds_where_that_is_set():
    rig = metarig("basic")
    rig.articulate.solver.hold = "ROOT"
    bpy.context.view_layer.update()
    before = matrices(rig, "spine")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="hand.L"))
    held.move_to(held.anchor + np.array([0.1, -0.3, -0.3]))
    assert held.root == "PINNED"
    assert np.abs(matrices(rig, "spine") - before)[:3, 3].max() < 1e-6


def test_a_foot_in_the_hand_moves_and_the_other_one_holds():
    rig = metarig("basic")
    bpy.context.view_layer.update()
    before = matrices(rig, "foot.R")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="foot.L"))
    held.move_to(held.anchor + np.array([0.1, -0.2, 0.3]))
    assert held.moved.status == "REACHED"
    assert np.abs(matrices(rig, "foot.R") - before).max() < 2e-3


@pytest.mark.parametrize("kind", ["pin", "target"])
def test_an_effector_on_a_hand_does_not_end_the_hold_of_the_feet(kind: str):
    rig = metarig("basic")
    bpy.context.view_layer.update()
    if kind == "pin":
        bpy.ops.articulate.pin(bone="hand.R")
    else:
        reach(rig, "hand.R", tip(rig, "hand.R"))
    before = {name: matrices(rig, name) for name in ("foot.L", "foot.R", "spine")}
    pinned = tip(rig, "hand.R")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="hand.L"))
    assert held.root == "FREE"
    assert set(held.held) == {"foot.L", "foot.R"} | ({"hand.R"} if kind == "pin" else set())
    moved = held.move_to(held.anchor + np.array([0.0, -0.5, -0.5]))
    assert moved.status == "REACHED"
    assert all(np.abs(matrices(rig, name) - before[name]).max() < 2e-3 for name in ("foot.L", "foot.R"))
    assert np.linalg.norm(tip(rig, "hand.R") - pinned) < 2e-3
    assert np.abs(matrices(rig, "spine") - before["spine"])[:3, 3].max() > 0.01


def test_a_target_out_of_reach_does_not_lift_the_feet_in_a_drag():
    rig = metarig("basic")
    bpy.context.view_layer.update()
    reach(rig, "hand.R", (0.0, -4.0, 3.0))
    before = {name: matrices(rig, name) for name in ("toe.L", "toe.R")}
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="hand.L"))
    held.move_to(held.anchor + np.array([0.0, -0.2, -0.2]))
    moved = {name: np.abs(matrices(rig, name) - before[name]).max() for name in before}
    assert max(moved.values()) < 2e-3, moved  # the heels rise, because no ankle bends so far


def test_a_foot_with_a_pin_of_its_own_follows_that_and_the_other_one_holds():
    rig = metarig("basic")
    bpy.context.view_layer.update()
    bpy.ops.articulate.pin(bone="foot.L", kind="POSITION")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="hand.L"))
    plan = held._plan
    own = [(effector.bone, effector.kind.name, effector.index >= 0) for effector in plan.effectors]
    assert ("foot.L", "POSITION", True) in own and ("foot.R", "POSE", False) in own
    assert sum(bone == "foot.L" for bone, *_ in own) == 1
    bpy.ops.articulate.unpin_all()
    bpy.ops.articulate.pin(bone="foot.L", kind="ORIENTATION")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="hand.L"))
    own = {(effector.bone, effector.kind.name) for effector in held._plan.effectors}
    assert {("foot.L", "ORIENTATION"), ("foot.L", "POSITION"), ("foot.R", "POSE")} <= own


def test_a_figure_on_its_front_rests_on_hands_and_toes_not_on_its_face():
    rig = metarig("human")
    rig.rotation_euler.x = np.pi / 2
    bpy.context.view_layer.update()
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="hand.R")).held
    assert set(held) == {"hand.L", "toe.L", "toe.R"}


def test_a_file_that_says_unpinned_means_hold():
    rig = metarig("basic")
    rig.articulate.solver.unpinned = "ROOT"
    assert rig.articulate.solver.hold == "ROOT"
    rig.articulate.solver.hold = "FEET"
    assert rig.articulate.solver.unpinned == "FEET"


@pytest.mark.parametrize("bones", [("foot.L", "foot.R"), ("toe.L", "shin.R")])
def test_with_pinned_feet_the_hips_can_be_pulled_down(bones):
    rig = metarig("basic")
    bpy.context.view_layer.update()
    for name in bones:
        bpy.ops.articulate.pin(bone=name)
    pinned = {name: tip(rig, name) for name in bones}
    before = matrices(rig, "spine")[:3, 3]
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="spine"))
    assert held.root == "FREE"
    moved = held.move_to(held.anchor + np.array([0.0, 0.0, -0.2]))
    assert moved.status == "REACHED"
    bpy.context.view_layer.update()
    assert all(np.linalg.norm(tip(rig, name) - pinned[name]) < 1e-3 for name in bones)
    assert matrices(rig, "spine")[2, 3] < before[2] - 0.1
    rig.articulate.solver.hold, rig.articulate.solver.root = "ROOT", "PINNED"
    assert drag.Drag(rig, bpy.context, drag.Grip(bone="spine")).root == "PINNED"


def test_a_leg_under_a_constraint_is_left_alone():
    rig = metarig("basic")
    rig.pose.bones["shin.L"].constraints.new("COPY_ROTATION").target = rig
    rig.pose.bones["shin.L"].constraints[0].subtarget = "shin.R"
    bpy.context.view_layer.update()
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="hand.L"))
    assert "shin.L" not in held.bones and "shin.R" in held.bones
