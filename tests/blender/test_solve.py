# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving a frame by the operator; what is reached is measured by Blender."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import add, animate, arm, curves, evaluated, miss, reach, tip, turn_miss, two_arms


def test_a_position_is_reached_and_reported():
    rig = arm()
    reach(rig, "b3", (1.5, 0.5, 2.0))
    assert bpy.ops.articulate.solve() == {"FINISHED"}
    assert miss(rig, "b3") < 1e-3
    report = rig.articulate.report
    assert (report["operation"], report["status"], report["frames"]) == ("solve", "REACHED", 1)
    row = report["effectors"]["b3"]
    assert (
        row["worst"] == pytest.approx(miss(rig, "b3"), abs=1e-5)
        and row["worst_frame"] == bpy.context.scene.frame_current
    )
    assert (row["status"], row["angle_worst"]) == ("REACHED", None)
    assert report["seconds"] > 0 and report["message"] == rig.articulate.message
    assert rig.articulate.effectors["b3"].error == pytest.approx(row["worst"])


def test_an_orientation_is_reached():
    rig = arm()
    add("b3", "ORIENTATION").target.rotation_mode = "XYZ"
    rig.articulate.effectors["b3"].target.rotation_euler = (0.4, 0.3, -0.2)
    bpy.ops.articulate.solve()
    assert turn_miss(rig, "b3") < 1e-3
    row = rig.articulate.report["effectors"]["b3"]
    assert row["worst"] is None and row["angle_worst"] == pytest.approx(turn_miss(rig, "b3"), abs=1e-3)


def test_a_pose_is_reached_in_both_parts():
    rig = arm(6)
    effector = add("b5", "POSE")
    effector.target.location = (2.0, 0.5, 3.0)
    effector.target.rotation_quaternion = (0.9, 0.3, 0.2, -0.1)
    bpy.ops.articulate.solve()
    assert miss(rig, "b5") < 1e-3 and turn_miss(rig, "b5") < 1e-3
    row = rig.articulate.report["effectors"]["b5"]
    assert row["worst"] < 1e-3 and row["angle_worst"] < 1e-3


def test_a_tiny_figure_is_solved_as_finely_as_a_large_one():
    rig = arm()
    rig.scale = (1e-3,) * 3
    bpy.context.view_layer.update()
    reach(rig, "b3", (1.5e-3, 0.5e-3, 2e-3))
    bpy.ops.articulate.solve()
    assert rig.articulate.report["status"] == "REACHED"
    assert miss(rig, "b3") < 1e-4 * 4e-3


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_moved_turned_and_scaled_armatures(scale):
    rig = arm()
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.collection.objects.link(parent)
    parent.location, parent.rotation_euler = (0.3, -0.2, 0.5), (0.5, -0.4, 0.3)
    rig.parent = parent
    rig.location, rig.rotation_euler, rig.scale = (1, 2, 3), (0.3, -1.2, 0.7), (scale,) * 3
    bpy.context.view_layer.update()
    target = add("b3").target
    base = np.array(evaluated(rig).matrix_world.translation)
    side = np.array([0.6, 0.4, -0.9]) * scale
    target.location = base + 0.6 * (np.array(target.location) - base) + side
    rig.articulate.solver.tolerance = 1e-5 * scale
    bpy.ops.articulate.solve()
    assert miss(rig, "b3") < 1e-4 * scale


def test_several_effectors_on_one_figure():
    rig = two_arms()
    reach(rig, "hand.L", (1.0, -0.8, 1.6))
    reach(rig, "hand.R", (-0.9, -0.9, 2.4))
    bpy.ops.articulate.solve()
    assert miss(rig, "hand.L") < 1e-3 and miss(rig, "hand.R") < 1e-3
    assert set(rig.articulate.report["effectors"]) == {"hand.L", "hand.R"}


def test_only_the_chain_moves_below_its_root():
    rig = two_arms()
    before = {
        name: tuple(rig.pose.bones[name].rotation_quaternion) for name in ("root", "chest", "arm.R", "hand.R")
    }
    reach(rig, "hand.L", (1.0, -0.8, 1.6), chain_root="arm.L")
    bpy.ops.articulate.solve()
    assert miss(rig, "hand.L") < 1e-3
    for name, value in before.items():
        assert tuple(rig.pose.bones[name].rotation_quaternion) == value


def test_a_short_chain_does_not_pull_what_a_long_one_moves():
    """The left hand may move its arm only; it cannot reach, and the chest must stay out of it."""
    rig = two_arms()
    reach(rig, "hand.L", (4.0, 0.0, 2.0), chain_root="arm.L")
    reach(rig, "hand.R", tip(rig, "hand.R"))
    bpy.ops.articulate.solve()
    chest = evaluated(rig).pose.bones["chest"]
    assert np.allclose(chest.tail, (0, 0.05, 2), atol=0.02)
    assert miss(rig, "hand.R") < 1e-3


def test_out_of_reach_ends_at_the_nearest_pose_and_says_so():
    rig = arm()
    reach(rig, "b3", (9.0, 0.0, 0.0))
    bpy.ops.articulate.solve()
    assert miss(rig, "b3") == pytest.approx(5.0, abs=0.05)
    report = rig.articulate.report
    assert report["status"] != "REACHED" and report["effectors"]["b3"]["status"] == "BEST_EFFORT"
    assert "b3" in report["message"]
    assert rig.articulate.effectors["b3"].message


def test_a_free_root_carries_the_figure_there():
    rig = arm()
    reach(rig, "b3", (9.0, 0.0, 0.0))
    rig.articulate.solver.root = "FREE"
    bpy.ops.articulate.solve()
    assert miss(rig, "b3") < 1e-3
    assert rig.pose.bones["b0"].location.length > 1.0


def test_a_free_root_that_is_locked_stays():
    rig = arm()
    rig.pose.bones["b0"].lock_location = (True, True, True)
    reach(rig, "b3", (9.0, 0.0, 0.0))
    rig.articulate.solver.root = "FREE"
    bpy.ops.articulate.solve()
    assert rig.pose.bones["b0"].location.length == 0.0


def test_limits_of_the_bones_hold():
    rig = arm()
    for bone in rig.pose.bones:
        bone.rotation_quaternion = (1, 0, 0, 0)
        bone.use_ik_limit_x = bone.use_ik_limit_z = True
        bone.ik_min_x, bone.ik_max_x, bone.ik_min_z, bone.ik_max_z = -0.3, 0.3, -0.3, 0.3
    reach(rig, "b3", (3.0, 0.0, 1.0))
    bpy.ops.articulate.solve()
    for bone in rig.pose.bones:
        q = bone.rotation_quaternion.normalized()
        swing, _twist = q.to_swing_twist("Y")
        assert (swing.x / np.sin(0.15)) ** 2 + (swing.z / np.sin(0.15)) ** 2 <= 1 + 1e-4
    assert miss(rig, "b3") > 0.1


def test_influence_draws_the_target_back_to_the_animated_pose():
    rig = arm()
    start = tip(rig, "b3")
    reach(rig, "b3", (1.5, 0.5, 2.0))
    rig.articulate.effectors["b3"].influence = 0.5
    bpy.ops.articulate.solve()
    assert np.allclose(tip(rig, "b3"), (start + np.array([1.5, 0.5, 2.0])) / 2, atol=1e-3)


@pytest.mark.parametrize("field", ["weight", "influence"])
def test_an_effector_without_weight_or_influence_has_no_say(field):
    rig = two_arms()
    reach(rig, "hand.L", (1.0, -0.8, 1.6))
    reach(rig, "hand.R", (-5.0, -0.9, 2.4))
    setattr(rig.articulate.effectors["hand.R"], field, 0.0)
    bpy.ops.articulate.solve()
    report = rig.articulate.report
    assert report["status"] == "REACHED" and report["effectors"]["hand.R"]["status"] == "OFF"


def test_a_pinned_effector_without_target_holds_its_place():
    rig = two_arms()
    effector = add("hand.R")
    effector.target = None
    effector.pinned = True
    place = tip(rig, "hand.R")
    reach(rig, "hand.L", (1.0, -0.9, 1.4))
    bpy.ops.articulate.solve()
    assert np.linalg.norm(tip(rig, "hand.R") - place) < 1e-3 and miss(rig, "hand.L") < 1e-3


def test_a_bone_of_another_armature_as_target():
    goal = arm(2)
    goal.location = (1.0, 0.5, 0.5)
    rig = two_arms()
    add("hand.L", target=goal.name, subtarget="b1")
    bpy.ops.articulate.solve()
    shown = evaluated(goal)
    place = np.array(shown.matrix_world @ shown.pose.bones["b1"].matrix.translation)
    assert np.linalg.norm(tip(rig, "hand.L") - place) < 1e-3


def test_the_head_and_an_offset_as_the_point():
    rig = arm()
    place = (1.0, 0.4, 1.8)
    reach(rig, "b3", place, point="HEAD")
    rig.articulate.effectors["b3"].offset = (0.1, 0.2, -0.1)
    bpy.ops.articulate.solve()
    shown = evaluated(rig).pose.bones["b3"].matrix
    from mathutils import Vector

    assert np.allclose(shown @ Vector((0.1, 0.2, -0.1)), place, atol=1e-3)


def test_posture_is_kept_where_the_goal_leaves_it_free():
    rig = arm(6)
    reach(rig, "b5", tip(rig, "b5"))
    before = [tuple(bone.rotation_quaternion) for bone in rig.pose.bones]
    bpy.ops.articulate.solve()
    after = [tuple(bone.rotation_quaternion) for bone in rig.pose.bones]
    turns = [
        abs(np.dot(a, b)) / np.linalg.norm(a) / np.linalg.norm(b) for a, b in zip(before, after, strict=True)
    ]
    assert min(turns) > 1 - 1e-6


def test_rotation_modes_and_auto_key_stay():
    rig = arm()
    modes = ["QUATERNION", "XYZ", "AXIS_ANGLE", "ZXY"]
    for bone, mode in zip(rig.pose.bones, modes, strict=True):
        bone.rotation_mode = mode
    reach(rig, "b3", (1.5, 0.5, 2.0))
    bpy.ops.articulate.solve()
    assert [bone.rotation_mode for bone in rig.pose.bones] == modes
    assert not bpy.context.scene.tool_settings.use_keyframe_insert_auto
    assert rig.animation_data is None and miss(rig, "b3") < 1e-3


def test_auto_key_is_obeyed():
    rig = two_arms()
    reach(rig, "hand.L", (1.0, -0.8, 1.6), chain_root="arm.L")
    settings = bpy.context.scene.tool_settings
    settings.use_keyframe_insert_auto = True
    bpy.context.scene.frame_set(7)
    bpy.ops.articulate.solve()
    found = curves(rig)
    paths = {f'pose.bones["{bone}"].rotation_quaternion' for bone in ("arm.L", "hand.L")}
    assert {path for path, _index in found} == paths
    assert all([frame for frame, _value in keys] == [7] for keys in found.values())


@pytest.mark.parametrize(
    ("name", "channels"),
    [
        ("", {"rotation_quaternion"}),  # as Blender's own: without an active set the setting means nothing
        ("Location", {"location"}),
        ("Available", set()),
        ("Rotation & Scale", {"rotation_quaternion", "scale"}),
        ("Whole Character", {"location", "rotation_quaternion", "scale"}),
    ],
)
def test_the_active_keying_set_says_what_is_keyed_of_the_bones_that_were_solved(
    name: str, channels: set[str]
):
    rig = two_arms()
    reach(rig, "hand.L", (1.0, -0.8, 1.6), chain_root="arm.L")
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="DESELECT")
    scene = bpy.context.scene
    scene.tool_settings.use_keyframe_insert_auto = scene.tool_settings.use_keyframe_insert_keyingset = True
    scene.keying_sets_all.active = scene.keying_sets_all[name] if name else None
    bpy.ops.articulate.solve()
    wanted = {f'pose.bones["{bone}"].{channel}' for bone in ("arm.L", "hand.L") for channel in channels}
    assert {path for path, _index in curves(rig)} == wanted


def test_a_keying_set_of_ones_own_is_keyed_as_it_is():
    rig = two_arms()
    reach(rig, "hand.L", (1.0, -0.8, 1.6), chain_root="arm.L")
    scene = bpy.context.scene
    scene.tool_settings.use_keyframe_insert_auto = scene.tool_settings.use_keyframe_insert_keyingset = True
    own = scene.keying_sets.new(name="Own")
    own.paths.add(rig, 'pose.bones["hand.R"].location', index=1)
    own.paths.add(rig, 'pose.bones["arm.L"].rotation_quaternion')
    own.paths.add(rig, 'pose.bones["long gone"].location')
    own.paths.add(bpy.data.objects.new("Gone", None), "location")
    bpy.data.objects.remove(bpy.data.objects["Gone"])
    bpy.ops.articulate.solve()
    arm_path = 'pose.bones["arm.L"].rotation_quaternion'
    assert set(curves(rig)) == {('pose.bones["hand.R"].location', 1), *((arm_path, i) for i in range(4))}


def test_auto_key_that_only_replaces_makes_no_key():
    rig = arm()
    reach(rig, "b3", (1.5, 0.5, 2.0))
    settings = bpy.context.scene.tool_settings
    settings.use_keyframe_insert_auto, settings.auto_keying_mode = True, "REPLACE_KEYS"
    bpy.ops.articulate.solve()
    assert not curves(rig)


def test_solving_twice_changes_nothing_more():
    rig = arm()
    reach(rig, "b3", (1.5, 0.5, 2.0))
    bpy.ops.articulate.solve()
    first = np.array([bone.rotation_quaternion for bone in rig.pose.bones])
    bpy.ops.articulate.solve()
    assert np.allclose(first, [bone.rotation_quaternion for bone in rig.pose.bones], atol=2e-3)


def test_each_effector_is_told_what_holds_it_back():
    """Out of reach, at which joint's limit, in conflict with which stronger goal."""
    rig = two_arms()
    reach(rig, "hand.L", (9.0, 0.0, 2.0), chain_root="arm.L", name="far")
    elbow = rig.pose.bones["hand.R"]
    for axis in "xyz":
        setattr(elbow, f"use_ik_limit_{axis}", True)
        setattr(elbow, f"ik_min_{axis}", -0.1)
        setattr(elbow, f"ik_max_{axis}", 0.1)
    shoulder = rig.pose.bones["arm.R"]
    shoulder.lock_ik_x = shoulder.lock_ik_y = shoulder.lock_ik_z = True
    reach(rig, "hand.R", (-1.0, 0.8, 2.0), chain_root="arm.R", name="stiff")
    bpy.ops.articulate.solve()
    rows = rig.articulate.report["effectors"]
    assert rows["far"]["message"].endswith("the target is out of reach"), rows["far"]
    assert rows["stiff"]["message"].endswith("hand.R is at its joint limit"), rows["stiff"]


def test_a_weaker_effector_names_the_stronger_one():
    rig = arm(5)
    reach(rig, "b4", (-1.0, 0.5, 3.0), name="keep")
    reach(rig, "b4", (1.0, 0.5, 3.0), name="pull", kind="POSE", priority=1)
    bpy.ops.articulate.solve()
    rows = rig.articulate.report["effectors"]
    assert rows["keep"]["status"] == "REACHED" and rows["keep"]["message"] == ""
    assert rows["pull"]["status"] == "BEST_EFFORT"
    assert rows["pull"]["message"].endswith("in conflict with keep"), rows["pull"]


def test_after_a_bake_the_worst_frame_says_why():
    rig = arm()
    animate(reach(rig, "b3", (1.5, 0.5, 2.0)), {1: (1.5, 0.5, 2.0), 10: (6.0, 0.0, 2.0)})
    bpy.ops.articulate.bake(frame_start=1, frame_end=10)
    message = rig.articulate.effectors["b3"].message
    assert "at frame 10: the target is out of reach" in message, message


def test_the_sentence_about_an_effector_says_angles_in_degrees():
    rig = arm()
    target = reach(rig, "b3", (9.0, 0.0, 2.0), kind="POSE")
    target.rotation_mode = "XYZ"
    target.rotation_euler = (0.0, 0.0, 2.0)
    bpy.context.view_layer.update()
    bpy.ops.articulate.solve()
    effector = rig.articulate.effectors["b3"]
    assert " degrees from its target" in effector.message and "rad" not in effector.message
    assert f"{np.degrees(effector.angle):.3g} degrees" in effector.message
