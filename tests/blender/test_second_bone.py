# SPDX-License-Identifier: GPL-3.0-or-later
"""Effectors with two bones or a length: distances and loops; measured by Blender."""

from __future__ import annotations

from itertools import pairwise

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import add, animate, arm, evaluated, tip, two_arms
from bridge_rigs import make_rig


def between(rig: bpy.types.Object, a: str, b: str) -> float:
    """Distance of the tips of two bones, metres."""
    return float(np.linalg.norm(tip(rig, a) - tip(rig, b)))


def relation(rig: bpy.types.Object, a: str, b: str) -> np.ndarray:
    """(4, 4) where bone a stands in the axes of bone b."""
    bones = evaluated(rig).pose.bones
    return np.array(bones[b].matrix.inverted() @ bones[a].matrix)


# -------------------------------------------------------------------------------------------------- distance
@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_a_new_distance_is_met_where_the_bone_is(scale):
    rig = arm()
    rig.scale, rig.rotation_euler = [scale] * 3, (0.4, 0.1, -0.6)
    bpy.context.view_layer.update()
    before = tip(rig, "b3")
    effector = add("b3", "DISTANCE", distance=0.8 * scale)
    assert np.linalg.norm(before - effector.target.location) == pytest.approx(0.8 * scale, rel=1e-4)
    bpy.ops.articulate.solve()
    assert np.linalg.norm(tip(rig, "b3") - before) < 1e-3 * scale


@pytest.mark.parametrize(
    ("keep", "distance", "expected"),
    [("AT", 0.5, 0.5), ("AT", 3.0, 3.0), ("INSIDE", 0.5, 0.5), ("OUTSIDE", 3.0, 3.0)],
)
def test_a_distance_from_a_target_is_kept(keep, distance, expected):
    rig = arm(5)
    target = add("b4", "DISTANCE", keep=keep, distance=distance).target
    target.location = (1.0, 0.5, 3.0)
    bpy.ops.articulate.solve()
    row = rig.articulate.report["effectors"]["b4"]
    assert row["status"] == "REACHED" and row["worst"] < 1e-3, row
    got = float(np.linalg.norm(tip(rig, "b4") - np.array(target.location)))
    if keep == "AT":
        assert got == pytest.approx(expected, abs=1e-3)
    else:
        assert got <= expected + 1e-3 if keep == "INSIDE" else got >= expected - 1e-3


@pytest.mark.parametrize(("keep", "distance"), [("INSIDE", 9.0), ("OUTSIDE", 0.01)])
def test_on_the_allowed_side_nothing_is_asked(keep, distance):
    rig = arm()
    before = tip(rig, "b3")
    add("b3", "DISTANCE", keep=keep, distance=distance).target.location = (1.0, 0.5, 2.0)
    bpy.ops.articulate.solve()
    assert np.linalg.norm(tip(rig, "b3") - before) < 1e-5


def test_a_leash_holds_against_a_weaker_hand():
    rig = arm(5)
    leash = add("b4", "DISTANCE", keep="INSIDE", distance=1.0, name="leash").target
    leash.location = (0.5, 0.0, 3.0)
    hand = add("b4", priority=1).target
    hand.location = (3.0, 0.0, 3.0)
    bpy.ops.articulate.solve()
    away = float(np.linalg.norm(tip(rig, "b4") - np.array(leash.location)))
    assert away < 1.001 and away > 0.99, "it goes as far as the leash lets it"
    rows = rig.articulate.report["effectors"]
    assert rows["leash"]["status"] == "REACHED" and rows["b4"]["status"] == "BEST_EFFORT"
    assert rows["b4"]["worst"] == pytest.approx(1.5, abs=0.02) and "leash" in rows["b4"]["message"]


def test_two_bones_are_kept_at_the_distance_that_they_have():
    rig = two_arms()
    before = between(rig, "hand.L", "hand.R")
    effector = add("hand.L", "DISTANCE", second_bone="hand.R")
    assert effector.target is None and effector.distance == pytest.approx(before, rel=1e-5)
    add("hand.R").target.location = (-0.5, 0.6, 1.9)
    bpy.ops.articulate.solve()
    assert between(rig, "hand.L", "hand.R") == pytest.approx(before, abs=1e-3)
    assert rig.articulate.report["effectors"]["hand.L"]["second_bone"] == "hand.R"


def test_a_distance_is_animated():
    rig = two_arms()
    effector = add("hand.L", "DISTANCE", second_bone="hand.R", distance=3.0)
    for number, distance in ((1, 3.0), (11, 1.0)):
        effector.distance = distance
        effector.keyframe_insert("distance", frame=number)
    bpy.ops.articulate.bake(frame_start=1, frame_end=11)
    for number in (1, 4, 11):
        bpy.context.scene.frame_set(number)
        assert between(rig, "hand.L", "hand.R") == pytest.approx(effector.distance, abs=2e-3)


# ------------------------------------------------------------------------------------------------------ loop
def test_both_hands_keep_their_grip_on_one_staff():
    rig = two_arms()
    for name, turn in (("arm.L", 0.5), ("arm.R", -0.4)):
        rig.pose.bones[name].rotation_mode = "XYZ"
        rig.pose.bones[name].rotation_euler = (turn, 0.1, turn)
    bpy.context.view_layer.update()
    grip = relation(rig, "hand.L", "hand.R")
    bpy.ops.object.mode_set(mode="POSE")
    effector = add("hand.L", "LOOP", second_bone="hand.R", rigid=True)
    assert effector.target is None
    hand = add("hand.R", priority=1)
    animate(hand.target, {1: (-0.6, 0.4, 1.8), 20: (-0.2, 0.8, 2.3), 40: (-0.7, 0.2, 2.5)})
    bpy.ops.articulate.bake(frame_start=1, frame_end=40)
    worst = 0.0
    for number in range(1, 41):
        bpy.context.scene.frame_set(number)
        worst = max(worst, np.abs(relation(rig, "hand.L", "hand.R") - grip).max())
    assert worst < 2e-4, worst
    assert rig.articulate.report["effectors"]["hand.R"]["worst"] < 1e-3
    assert rig.articulate.report["effectors"]["hand.L"]["worst"] < 1e-3


def test_a_loop_holds_on_a_turned_and_scaled_armature():
    rig = two_arms()
    rig.rotation_euler, rig.location, rig.scale = (0.4, -0.9, 0.3), (1, 2, 3), (0.01, 0.01, 0.01)
    bpy.context.view_layer.update()
    grip = relation(rig, "hand.L", "hand.R")
    add("hand.L", "LOOP", second_bone="hand.R", rigid=True)
    target = add("hand.R", priority=1).target
    target.location = np.array(target.location) + np.array([0.004, 0.003, -0.002])
    bpy.ops.articulate.solve()
    np.testing.assert_allclose(relation(rig, "hand.L", "hand.R"), grip, atol=2e-2)


def test_points_are_joined_where_they_are_told():
    rig = two_arms()
    add("hand.L", "LOOP", second_bone="hand.R", as_posed=False)
    bpy.ops.articulate.solve()
    assert between(rig, "hand.L", "hand.R") < 1e-3
    effector = rig.articulate.active
    effector.second_point, effector.second_offset = "HEAD", (0.0, 0.1, 0.05)
    bpy.ops.articulate.solve()
    place = evaluated(rig).pose.bones["hand.R"].matrix @ effector.second_offset
    assert np.linalg.norm(tip(rig, "hand.L") - np.array(rig.matrix_world @ place)) < 1e-3


def test_of_two_selected_bones_the_active_one_is_the_second():
    rig = two_arms()
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        chosen = bone.name in ("hand.L", "hand.R")
        (bone if hasattr(bone, "select") else bone.bone).select = chosen
    rig.data.bones.active = rig.data.bones["hand.R"]
    bpy.ops.articulate.effector_add(kind="LOOP")
    (effector,) = rig.articulate.effectors
    assert (effector.bone, effector.second_bone) == ("hand.L", "hand.R")


def test_a_four_bar_linkage_stays_closed_through_a_full_turn():
    rows = [
        ("crank", None, (0, 0, 0), (0, 0, 1)),
        ("coupler", "crank", (0, 0, 1), (0, 3, 1.5)),
        ("rocker", None, (0, 3, 0), (0, 3, 2)),
    ]
    rig = make_rig(rows)
    for bone in rig.pose.bones:
        bone.lock_ik_y = True
        bone.rotation_mode = "QUATERNION"
        lock = {"crank": (True, True, True)}.get(bone.name)
        if lock:
            bone.lock_rotation = lock
        # the bones lie in the YZ plane; the axis square to it is the one that may turn
        across = [abs(bone.bone.matrix_local.col[i][0]) for i in range(3)]
        for axis, letter in enumerate("xyz"):
            setattr(bone, f"lock_ik_{letter}", across[axis] < 0.5)
    crank = rig.pose.bones["crank"]
    axis = next(i for i in range(3) if not getattr(crank, f"lock_ik_{'xyz'[i]}"))
    crank.rotation_mode = "XYZ"
    for number in range(1, 38):
        angles = [0.0, 0.0, 0.0]
        angles[axis] = np.radians(10.0 * (number - 1))
        crank.rotation_euler = angles
        crank.keyframe_insert("rotation_euler", frame=number)
    bpy.context.scene.frame_set(1)
    add("coupler", "LOOP", second_bone="rocker", as_posed=False, chain_root="")
    bpy.ops.articulate.bake(frame_start=1, frame_end=37)
    gaps, places = [], []
    for number in range(1, 38):
        bpy.context.scene.frame_set(number)
        gaps.append(between(rig, "coupler", "rocker"))
        places.append(tip(rig, "rocker"))
    assert max(gaps) < 1.5e-4, gaps
    assert np.ptp(places, axis=0).max() > 1.0 and np.abs(places[0] - places[-1]).max() < 1e-3


@pytest.mark.xfail(
    strict=False,
    reason="Arms that must close a gap of 3.6 m in 10 frames are paced: 0.36 m are left in Blender 4.2, 5.0.",
)
def test_a_loop_fades_in_by_its_influence():
    rig = two_arms()
    effector = add("hand.L", "LOOP", second_bone="hand.R", as_posed=False)
    for number, value in ((1, 0.0), (11, 1.0)):
        effector.influence = value
        effector.keyframe_insert("influence", frame=number)
    before = between(rig, "hand.L", "hand.R")
    bpy.ops.articulate.bake(frame_start=1, frame_end=11)
    gaps = []
    for number in range(1, 12):
        bpy.context.scene.frame_set(number)
        gaps.append(between(rig, "hand.L", "hand.R"))
    assert gaps[0] == pytest.approx(before, abs=1e-4) and gaps[-1] < 2e-3
    assert all(a > b for a, b in pairwise(gaps)) and max(a - b for a, b in pairwise(gaps)) < 0.6


def test_they_are_mirrored_and_kept_as_posed():
    rig = two_arms()
    add("arm.L", "DISTANCE", second_bone="root", distance=0.5)
    bpy.ops.articulate.keep_as_posed()
    assert rig.articulate.active.distance == pytest.approx(between(rig, "arm.L", "root"), rel=1e-5)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name == "arm.L"
    bpy.ops.articulate.mirror()
    other = rig.articulate.effectors[-1]
    assert (other.bone, other.kind, other.second_bone) == ("arm.R", "DISTANCE", "root")


# -------------------------------------------------------------------------------------------- what cannot be
def test_what_is_wrong_with_two_bones_is_said():
    rig = two_arms()
    for given, words in (
        ({"kind": "LOOP"}, "needs a second bone to join bone 'hand.L' to"),
        ({"kind": "LOOP", "second_bone": "nobody"}, "no bone 'nobody'"),
        ({"kind": "LOOP", "second_bone": "hand.L"}, "its own second bone"),
        ({"kind": "LOOP", "second_bone": "hand.R", "target": "Rig"}, "has no target"),
    ):
        with pytest.raises(RuntimeError, match=words):
            bpy.ops.articulate.effector_add(bone="hand.L", **given)
    assert not rig.articulate.effectors
    effector = add("hand.L", "LOOP", second_bone="hand.R")
    for words, change in (
        ("has no bone 'claw.R'.*second", {"second_bone": "claw.R"}),
        ("no second bone to join", {"second_bone": ""}),
        ("its bone and its second bone", {"second_bone": "hand.L"}),
        ("distance is -1 m", {"kind": "DISTANCE", "second_bone": "hand.R", "distance": -1.0}),
        ("distance is 0 m", {"distance": 0.0}),
    ):
        for name, value in change.items():
            setattr(effector, name, value)
        for operator in (bpy.ops.articulate.solve, bpy.ops.articulate.bake):
            with pytest.raises(RuntimeError, match=words):
                operator()


def test_a_loop_holds_while_one_hand_is_dragged():
    rig = two_arms()
    grip = relation(rig, "hand.L", "hand.R")
    add("hand.L", "LOOP", second_bone="hand.R", rigid=True)
    control = installed.module("control.drag.drag")
    drag = control.Drag(rig, bpy.context, control.Grip(bone="hand.R"))
    drag.move_to(drag.anchor + np.array([0.3, 0.5, 0.2]))
    drag.finish(bpy.context)
    assert np.linalg.norm(tip(rig, "hand.R") - drag.anchor) > 0.2
    np.testing.assert_allclose(relation(rig, "hand.L", "hand.R"), grip, atol=1e-3)


@pytest.mark.solver
def test_two_hands_on_a_moving_staff_keep_their_grip_for_250_frames():
    """The issue's bar: 0.1 mm. One hand carries the staff, the other one is joined to it."""
    rig = two_arms()
    rig.articulate.solver.tolerance = 1e-5
    for name, turn in (("arm.L", 0.5), ("arm.R", -0.4)):
        rig.pose.bones[name].rotation_mode = "XYZ"
        rig.pose.bones[name].rotation_euler = (turn, 0.1, turn)
    bpy.context.view_layer.update()
    tail = np.array((0.0, rig.data.bones["hand.L"].length, 0.0, 1.0))
    grip = relation(rig, "hand.L", "hand.R") @ tail
    add("hand.L", "LOOP", second_bone="hand.R", rigid=True)
    hand = add("hand.R", priority=1)
    hand.target.name = "Staff"
    start = np.array(hand.target.location)
    angle = np.linspace(0.0, 4.0 * np.pi, 250)
    for number, a in enumerate(angle, start=1):
        hand.target.location = start + np.array(
            [0.15 * np.sin(a), 0.3 * np.sin(a / 2), 0.2 * (np.cos(a) - 1.0)]
        )
        hand.target.keyframe_insert("location", frame=number)
    bpy.ops.articulate.bake(frame_start=1, frame_end=250)
    slips, turns = [], []
    for number in range(1, 251):
        bpy.context.scene.frame_set(number)
        slips.append(np.linalg.norm(relation(rig, "hand.L", "hand.R") @ tail - grip))
        turns.append([bone.matrix_basis.to_quaternion() for bone in evaluated(rig).pose.bones])
    print(
        "slip",
        max(slips),
        rig.articulate.report["effectors"]["hand.R"]["worst"],
        rig.articulate.report["seconds"],
    )
    assert max(slips) < 1e-4
    jumps = [
        a.rotation_difference(b).angle for one, two in pairwise(turns) for a, b in zip(one, two, strict=True)
    ]
    assert max(min(jump, 2 * np.pi - jump) for jump in jumps) < np.radians(15.0)


def test_a_loop_of_both_sides_is_its_own_mirror_image():
    rig = two_arms()
    add("hand.L", "LOOP", second_bone="hand.R")
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name == "hand.L"
    with pytest.raises(RuntimeError, match="nothing to mirror"):
        bpy.ops.articulate.mirror()
    assert len(rig.articulate.effectors) == 1
