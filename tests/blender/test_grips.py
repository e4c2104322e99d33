# SPDX-License-Identifier: GPL-3.0-or-later
"""Taking hold of what people take hold of: hips above a bone on the ground, a shin, a bone that helps."""

from __future__ import annotations

import bpy
import drag_ways
import installed
import numpy as np
import pytest
import standing_figures
from addon_scenes import animate, reach, tip
from bridge_rigs import make_rig, map_of

drag = installed.module("control.drag.drag")
feet = installed.module("bridge.feet")
read_bones = installed.module("bridge.armature").read_bones


def player(*, knees: float = 0.02) -> bpy.types.Object:
    """A figure of a game: a bone on the ground, hips above it that move by themselves, a bone that twists."""
    rows = [
        ("Root", None, (0, 0, 0), (0, 0.2, 0)),
        ("Hips", "Root", (0, 0, 1.0), (0, 0, 1.15)),
        ("Chest", "Hips", (0, 0, 1.15), (0, 0, 1.5)),
        ("Head", "Chest", (0, 0, 1.5), (0, 0, 1.8)),
    ]
    for side, s in (("L", 1), ("R", -1)):
        rows += [
            (f"Arm.{side}", "Chest", (0.15 * s, 0, 1.45), (0.42 * s, 0.02, 1.45)),
            (f"Fore.{side}", f"Arm.{side}", (0.42 * s, 0.02, 1.45), (0.68 * s, 0, 1.45)),
            (f"Twist.{side}", f"Fore.{side}", (0.55 * s, 0.01, 1.45), (0.65 * s, 0, 1.45)),
            (f"Hand.{side}", f"Fore.{side}", (0.68 * s, 0, 1.45), (0.8 * s, 0, 1.45)),
            (f"Thigh.{side}", "Hips", (0.1 * s, 0, 1.0), (0.1 * s, -knees, 0.53)),
            (f"Shin.{side}", f"Thigh.{side}", (0.1 * s, -knees, 0.53), (0.1 * s, 0, 0.08)),
            (f"Foot.{side}", f"Shin.{side}", (0.1 * s, 0, 0.08), (0.1 * s, -0.15, 0.02)),
        ]
    rig = make_rig(rows)
    for side in "LR":
        twist = rig.pose.bones[f"Twist.{side}"].constraints.new("COPY_ROTATION")
        twist.target, twist.subtarget, twist.influence = rig, f"Hand.{side}", 0.5
    bpy.context.view_layer.update()
    return rig


def tips(rig: bpy.types.Object, *bones: str) -> dict[str, np.ndarray]:
    return {bone: tip(rig, bone) for bone in bones}


def way(rig: bpy.types.Object, before: dict[str, np.ndarray]) -> float:
    """How far the farthest of some tips has come."""
    return max(float(np.linalg.norm(tip(rig, bone) - place)) for bone, place in before.items())


def test_the_bone_on_the_ground_stays_there_while_the_hips_go_down():
    rig = player()
    bones = read_bones(rig)
    assert bones.names[feet.carrier(map_of(rig, bones))] == "Hips"
    before, hips = tips(rig, "Root", "Foot.L", "Foot.R"), tip(rig, "Hips")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="Hips"))
    moved = held.move_to(held.anchor + np.array([0.05, 0.0, -0.2]))
    assert moved.status == "REACHED" and "Root" not in held.bones
    assert np.linalg.norm(tip(rig, "Hips") - hips - [0.05, 0.0, -0.2]) < 1e-3
    assert way(rig, before) < 1e-3


def test_who_takes_the_bone_on_the_ground_carries_all():
    rig = player()
    feet_before = tips(rig, "Foot.L", "Foot.R")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="Root", along=0.0))
    held.move_to(held.anchor + np.array([0.5, 0.0, 0.0]))
    assert way(rig, feet_before) == pytest.approx(0.5, abs=1e-3)


def test_it_stays_in_a_bake_with_a_free_root_too():
    rig = player()
    rig.articulate.solver.root = "FREE"
    for foot in ("Foot.L", "Foot.R"):
        bpy.ops.articulate.pin(bone=foot, kind="POSE")
    target = reach(rig, "Hips", (0.0, 0.0, 1.15))
    animate(target, {1: (0.0, 0.0, 1.15), 20: (0.0, 0.0, 0.9)})
    bpy.ops.articulate.bake(frame_start=1, frame_end=20)
    bpy.context.scene.frame_set(20)
    assert np.linalg.norm(tip(rig, "Hips") - [0.0, 0.0, 0.9]) < 1e-3
    assert np.linalg.norm(tip(rig, "Root") - [0.0, 0.2, 0.0]) < 1e-6


@pytest.mark.parametrize("bone", ["Hips", "Head"])
@pytest.mark.parametrize("steps", [1, 40])
def test_legs_that_are_drawn_straight_give_at_once(bone, steps):
    rig = player(knees=0.0)
    before = tips(rig, "Foot.L", "Foot.R")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone=bone, along=0.8))
    start = held.anchor.copy()
    for step in range(1, steps + 1):
        moved = held.move_to(start + np.array([0.0, 0.0, -0.24]) * step / steps)
        assert moved.error < 2e-3
    assert way(rig, before) < 1e-3
    if bone == "Hips":  # the head may come down by the back alone
        assert max(tip(rig, f"Thigh.{side}")[1] for side in "LR") < -0.05  # knees go where the toes point


def test_who_lifts_a_shin_lifts_the_foot():
    rig = player()
    other = tips(rig, "Foot.R")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="Shin.L"))
    moved = held.move_to(held.anchor + np.array([0.1, -0.1, 0.3]))
    assert (moved.status, moved.message) == ("REACHED", "")
    assert way(rig, other) < 1e-3
    assert tip(rig, "Head")[2] > 1.6  # and the body stays where it is, more or less


@pytest.mark.solver
def test_what_is_told_is_what_keeps_the_hand_and_not_the_foot_that_gives_way():
    rig = player()
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="Shin.L"))
    moved = held.move_to(held.anchor + np.array([0.1, -3.0, 1.5]))  # farther than all of it is long
    assert moved.status == "BEST_EFFORT" and moved.error > 0.1
    foot = tip(rig, "Foot.L") - np.array(rig.data.bones["Foot.L"].tail_local)
    assert np.linalg.norm(foot) > moved.error, "it is farther off, as it is meant to be"
    assert moved.message.startswith("Shin.L is ") and "from its target" in moved.message


def test_a_foot_stays_while_the_knee_above_it_can_move_without_it():
    rig = player()
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="Hips"))
    held.move_to(held.anchor + np.array([0.0, 0.0, -0.1]))
    held.finish(bpy.context)
    before = tips(rig, "Foot.L", "Foot.R")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="Thigh.L"))
    assert held.move_to(held.anchor + np.array([0.04, 0.0, 0.0])).status == "REACHED"
    assert way(rig, before) < 2e-3


def test_a_bone_that_follows_by_a_constraint_hands_its_drag_on_to_the_limb():
    rig = player()
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="Twist.L", along=1.0))
    assert held.grip.bone == "Fore.L" and 0.8 < held.grip.along < 1.0
    assert held.move_to(held.anchor + np.array([0.0, 0.0, -0.2])).status == "REACHED"


def test_a_control_rig_is_refused_as_before():
    rig = player()
    for bone in ("Fore.L", "Hand.L"):
        one = rig.pose.bones[bone].constraints.new("COPY_TRANSFORMS")
        one.target, one.subtarget = rig, "Head"
    with pytest.raises(Exception, match="Copy Transforms"):
        drag.Drag(rig, bpy.context, drag.Grip(bone="Hand.L"))


@pytest.mark.parametrize("pinned", [False, True])
def test_who_sits_with_all_locked_below_the_chest_is_dragged_all_the_same(pinned: bool):
    """Feet and pins that hold need not be able to move; only what is in the hand has to."""
    rig = player()
    for bone in rig.pose.bones:
        if bone.name.split(".")[0] in {"Root", "Hips", "Thigh", "Shin", "Foot"}:
            bone.lock_location = bone.lock_rotation = (True, True, True)
            bone.lock_rotation_w = True
    if pinned:
        bpy.ops.articulate.pin(bone="Foot.L")
    before, hand = tips(rig, "Foot.L", "Foot.R", "Hips"), tip(rig, "Hand.L")
    bpy.ops.articulate.drag(bone="Hand.L", move=(-0.2, -0.1, -0.3))
    assert np.linalg.norm(tip(rig, "Hand.L") - hand - (-0.2, -0.1, -0.3)) < 2e-3
    assert way(rig, before) < 1e-6
    with pytest.raises(RuntimeError, match=r"Bone 'Foot\.L' .*cannot move"):
        bpy.ops.articulate.drag(bone="Foot.L", move=(0.0, 0.0, 0.1))


def test_the_hips_of_a_figure_with_one_pinned_foot_can_be_dragged() -> None:
    """The foot that holds by itself is below them, so they hold, too: as the pin that is dragged."""
    rig = standing_figures.build(standing_figures.person())
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.articulate.pin(bone="c.4")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="a.1"), budget=drag_ways.ENDLESS)
    held.move_to(held.anchor + np.array([0.0, 0.0, -0.05]))
    assert held.moved.error < 1e-3
    held.cancel()
