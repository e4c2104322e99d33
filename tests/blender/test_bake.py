# SPDX-License-Identifier: GPL-3.0-or-later
"""Baking by the operator and step by step; what was baked is measured by Blender, frame by frame."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import add, animate, arm, curves, miss, reach, snapshot, tip, turn_miss, two_arms


def _reaching(frames: tuple[int, int] = (1, 20)) -> bpy.types.Object:
    """An arm whose target goes from one place to another."""
    rig = arm()
    target = reach(rig, "b3", (1.5, 0.5, 2.0))
    animate(target, {frames[0]: (1.5, 0.5, 2.0), frames[1]: (-1.0, 1.5, 2.0)})
    bpy.context.scene.frame_set(frames[0])
    return rig


def test_every_frame_of_the_range_reaches_its_target():
    rig = _reaching()
    assert bpy.ops.articulate.bake(frame_start=1, frame_end=20, step=1) == {"FINISHED"}
    worst = 0.0
    for frame in range(1, 21):
        bpy.context.scene.frame_set(frame)
        worst = max(worst, miss(rig, "b3"))
    assert worst < 1e-3
    report = rig.articulate.report
    assert (report["operation"], report["status"], report["frames"]) == ("bake", "REACHED", 20)
    row = report["effectors"]["b3"]
    assert (
        row["worst"] == pytest.approx(worst, abs=1e-4)
        and row["mean"] <= row["worst"]
        and 1 <= row["worst_frame"] <= 20
    )
    assert all(len(keys) == 20 for keys in curves(rig).values())


def test_a_pose_with_orientation_is_baked():
    rig = arm(6)
    effector = add("b5", "POSE")
    target = effector.target
    for frame, (place, turn) in {
        1: ((2, 0.5, 3), (0.9, 0.3, 0.2, -0.1)),
        12: ((-1, 2, 3), (0.8, -0.2, 0.2, 0.3)),
    }.items():
        target.location, target.rotation_quaternion = place, turn
        target.keyframe_insert("location", frame=frame)
        target.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.ops.articulate.bake(frame_start=1, frame_end=12)
    for frame in range(1, 13):
        bpy.context.scene.frame_set(frame)
        assert miss(rig, "b5") < 2e-3 and turn_miss(rig, "b5") < 2e-3


def test_the_scene_is_left_at_its_frame():
    rig = _reaching()
    bpy.context.scene.frame_set(7, subframe=0.25)
    bpy.ops.articulate.bake(frame_start=1, frame_end=20)
    assert (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe) == (7, 0.25)
    bpy.context.scene.frame_set(7)
    assert miss(rig, "b3") < 1e-3


@pytest.mark.parametrize(("preview", "expected"), [(False, (3, 9)), (True, (5, 6))])
def test_the_range_is_the_scenes_or_the_previews(preview, expected):
    rig = _reaching()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 3, 9
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = preview, 5, 6
    bpy.ops.articulate.bake()
    frames = [frame for frame, _value in next(iter(curves(rig).values()))]
    assert (frames[0], frames[-1]) == expected


def test_the_settings_of_the_rig_are_used_where_no_argument_is_given():
    rig = _reaching()
    settings = rig.articulate.bake
    settings.use_range, settings.frame_start, settings.frame_end, settings.step = True, 2, 10, 4
    bpy.ops.articulate.bake(frame_end=11)
    assert [frame for frame, _value in next(iter(curves(rig).values()))] == [2, 6, 10, 11]


def test_options_are_named_and_defaulted_as_in_blenders_bake():
    ours = bpy.ops.articulate.bake.get_rna_type().properties
    theirs = bpy.ops.nla.bake.get_rna_type().properties
    for name in ("frame_start", "frame_end", "step", "use_current_action", "clean_curves"):
        assert (ours[name].name, ours[name].default) == (theirs[name].name, theirs[name].default)
    # Blender's is on: without a selection it bakes nothing, which in a script is never meant.
    assert ours["only_selected"].name == theirs["only_selected"].name and not ours["only_selected"].default


def test_a_frame_step_leaves_no_frame_at_the_end_without_its_old_and_a_new_key():
    rig = arm()
    start = tip(rig, "b3")
    for frame in (1, 18, 20):
        rig.pose.bones["b1"].keyframe_insert("rotation_quaternion", frame=frame)
    animate(reach(rig, "b3", start), {1: start, 20: start + np.array([0.3, 0.4, -0.5])})
    bpy.ops.articulate.bake(frame_start=1, frame_end=20, step=7)
    assert all([frame for frame, _ in keys] == [1, 8, 15, 20] for keys in curves(rig).values())
    bpy.context.scene.frame_set(20)
    assert miss(rig, "b3") < 1e-3


def test_only_solved_bones_get_keys_in_their_mode_and_grouped_by_bone():
    rig = two_arms()
    for bone, mode in {"root": "XYZ", "chest": "AXIS_ANGLE", "arm.L": "QUATERNION", "hand.L": "YXZ"}.items():
        rig.pose.bones[bone].rotation_mode = mode
    target = reach(rig, "hand.L", (1.0, -0.8, 1.6))
    animate(target, {1: (1.0, -0.8, 1.6), 5: (1.2, 0.8, 2.0)})
    bpy.ops.articulate.bake(frame_start=1, frame_end=5)
    keyed = {path for path, _index in curves(rig)}
    assert keyed == {
        'pose.bones["root"].rotation_euler',
        'pose.bones["chest"].rotation_axis_angle',
        'pose.bones["arm.L"].rotation_quaternion',
        'pose.bones["hand.L"].rotation_euler',
    }
    bag = _bag(rig)
    assert {curve.group.name for curve in bag.fcurves} == {"root", "chest", "arm.L", "hand.L"}
    assert [rig.pose.bones[name].rotation_mode for name in ("root", "chest", "arm.L", "hand.L")] == [
        "XYZ",
        "AXIS_ANGLE",
        "QUATERNION",
        "YXZ",
    ]


def test_other_keys_stay():
    rig = _reaching()
    other = rig.pose.bones["b0"]
    other.scale = (1, 1, 1)
    other.keyframe_insert("scale", frame=3)
    rig.keyframe_insert("location", frame=4)
    rig.pose.bones["b3"].keyframe_insert("rotation_quaternion", frame=50)
    before = curves(rig)
    bpy.ops.articulate.bake(frame_start=1, frame_end=20, use_current_action=True)
    after = curves(rig)
    for key in (('pose.bones["b0"].scale', 0), ("location", 2)):
        assert after[key] == before[key]
    assert after[('pose.bones["b3"].rotation_quaternion', 0)][-1][0] == 50


def test_a_new_action_is_a_copy_and_the_old_one_stays():
    rig = _reaching()
    rig.keyframe_insert("location", frame=4)
    old = rig.animation_data.action
    old_name, before = old.name, curves(rig)
    bpy.ops.articulate.bake(frame_start=1, frame_end=20)
    assert rig.animation_data.action.name != old_name and old_name in bpy.data.actions
    assert ("location", 0) in curves(rig)
    rig.animation_data.action = bpy.data.actions[old_name]
    if hasattr(rig.animation_data, "action_slot") and rig.animation_data.action_slot is None:
        rig.animation_data.action_slot = rig.animation_data.action_suitable_slots[0]
    assert curves(rig) == before


def test_overwriting_twice_gives_one_action():
    rig = _reaching()
    bpy.ops.articulate.bake(frame_start=1, frame_end=5, use_current_action=True)
    count = len(bpy.data.actions)
    bpy.ops.articulate.bake(frame_start=1, frame_end=5, use_current_action=True)
    assert len(bpy.data.actions) == count
    assert all(len(keys) == 5 for keys in curves(rig).values())


def test_only_selected_bones_are_keyed():
    rig = _reaching()
    for bone in rig.pose.bones:
        target = bone if hasattr(bone, "select") else bone.bone
        target.select = bone.name == "b1"
    bpy.ops.articulate.bake(frame_start=1, frame_end=5, only_selected=True)
    assert {path for path, _index in curves(rig)} == {'pose.bones["b1"].rotation_quaternion'}


def test_clean_curves_removes_keys_that_change_nothing():
    rig = arm()
    reach(rig, "b3", (1.5, 0.5, 2.0))
    bpy.ops.articulate.bake(frame_start=1, frame_end=30, clean_curves=True)
    assert max(len(keys) for keys in curves(rig).values()) == 2
    for frame in (1, 13, 30):
        bpy.context.scene.frame_set(frame)
        assert miss(rig, "b3") < 1e-3


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ"])
def test_curves_are_continuous(mode):
    rig = arm(3)
    for bone in rig.pose.bones:
        bone.rotation_mode = mode
    target = reach(rig, "b2", (2.0, 0.0, 1.0))
    circle = {f: (2.0 * np.cos(0.11 * f), 2.0 * np.sin(0.11 * f), 1.0) for f in range(1, 121)}
    animate(target, circle)
    bpy.ops.articulate.bake(frame_start=1, frame_end=120)
    for keys in curves(rig).values():
        steps = np.abs(np.diff([value for _frame, value in keys]))
        assert steps.max() < 1.5  # a flipped sign is a step of 2, a turn too much one of 2 pi


def test_an_animated_influence_fades_in():
    rig = arm()
    reach(rig, "b3", (1.5, 0.5, 2.0))
    effector = rig.articulate.effectors["b3"]
    for frame, value in ((1, 0.0), (11, 1.0)):
        effector.influence = value
        rig.keyframe_insert("articulate.effectors[0].influence", frame=frame)
    bpy.context.scene.frame_set(1)
    apart = miss(rig, "b3")
    bpy.ops.articulate.bake(frame_start=1, frame_end=11)
    found = []
    for frame in (1, 6, 11):
        bpy.context.scene.frame_set(frame)
        found.append(miss(rig, "b3"))
    assert (
        found[0] == pytest.approx(apart, abs=1e-3)
        and found[1] == pytest.approx(apart / 2, rel=0.1)
        and found[2] < 1e-3
    )


def test_an_armature_that_rides_on_a_moving_object():
    rig = _reaching()
    carrier = bpy.data.objects.new("Carrier", None)
    bpy.context.collection.objects.link(carrier)
    rig.parent = carrier
    for frame, x in ((1, 0.0), (20, 1.0)):
        carrier.location.x = x
        carrier.rotation_euler.z = x
        carrier.keyframe_insert("location", frame=frame)
        carrier.keyframe_insert("rotation_euler", frame=frame)
    bpy.ops.articulate.bake(frame_start=1, frame_end=20)
    for frame in range(1, 21):
        bpy.context.scene.frame_set(frame)
        assert miss(rig, "b3") < 1e-3


def test_the_animation_below_is_kept_where_the_goal_leaves_it_free():
    """The upper body waves; a hand that asks for where it is anyway must not stop that."""
    rig = two_arms()
    for frame, angle in ((1, -0.3), (10, 0.3)):
        rig.pose.bones["arm.R"].rotation_mode = "XYZ"
        rig.pose.bones["arm.R"].rotation_euler.x = angle
        rig.pose.bones["arm.R"].keyframe_insert("rotation_euler", frame=frame)
    reach(rig, "hand.L", (1.0, -0.8, 1.6), chain_root="arm.L")
    before = curves(rig)
    bpy.ops.articulate.bake(frame_start=1, frame_end=10)
    after = curves(rig)
    assert all(after[key] == keys for key, keys in before.items())


# ---------------------------------------------------------------------------- step by step, and when it fails
def _bake(rig: bpy.types.Object, **options: object):
    module = installed.module("control.bake.bake")
    return module.Bake(rig, bpy.context, module.BakeOptions(**{"frame_start": 1, "frame_end": 10, **options}))


def test_steps_tell_the_progress():
    rig = _reaching()
    bake = _bake(rig)
    told = list(bake.steps(bpy.context))
    assert told == sorted(told) and len(told) == 20 and bake.progress == 1.0
    assert bake.report == rig.articulate.report


@pytest.mark.parametrize("steps", [0, 1, 5, 10, 13, 19])
def test_stopping_at_any_step_gives_back_what_was_there(steps):
    rig = _reaching()
    rig.pose.bones["b3"].keyframe_insert("rotation_quaternion", frame=1)
    rig.pose.bones["b3"].keyframe_insert("rotation_quaternion", frame=30)
    bpy.context.scene.frame_set(4)
    rig.pose.bones["b3"].rotation_quaternion = (0.5, 0.5, 0.5, 0.5)  # not keyed: a change of frame loses it
    before = snapshot(rig)
    running = _bake(rig).steps(bpy.context)
    for _step in range(steps):
        next(running)
    running.close()
    assert snapshot(rig) == before


def test_a_frame_that_fails_says_which_and_changes_nothing():
    rig = _reaching()
    for frame, scale in ((5, (1, 1, 1)), (6, (1, 2, 1)), (7, (1, 1, 1))):
        rig.scale = scale
        rig.keyframe_insert("scale", frame=frame)
    bpy.context.scene.frame_set(3)
    before = snapshot(rig)
    with pytest.raises(RuntimeError, match=r"frame 6.*Rig.*scale"):
        bpy.ops.articulate.bake(frame_start=5, frame_end=10)
    assert snapshot(rig) == before


def test_a_failure_while_solving_changes_nothing(monkeypatch):
    rig = _reaching()
    bpy.context.scene.frame_set(4)
    before = snapshot(rig)
    frame = installed.module("control.bake.bake")
    solve = frame.solve_task

    def fail(task, earlier=None):
        if task.sample.frame == 8:
            raise installed.module("properties.refusal").Refused("Bone 'b2' broke")
        return solve(task, earlier)

    monkeypatch.setattr(frame, "solve_task", fail)
    with pytest.raises(RuntimeError, match=r"frame 8.*Bone 'b2' broke"):
        bpy.ops.articulate.bake(frame_start=1, frame_end=10)
    assert snapshot(rig) == before


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_failure_after_writing_gives_the_keys_back(monkeypatch, overwrite):
    rig = _reaching()
    rig.pose.bones["b3"].keyframe_insert("rotation_quaternion", frame=3)
    bpy.context.scene.frame_set(4)
    before = snapshot(rig)
    module = installed.module("control.bake.bake")

    def fail(*_args):
        raise OSError("the report could not be written")

    monkeypatch.setattr(module, "write_report", fail)
    with pytest.raises(OSError, match=r"report"):
        _bake(rig, use_current_action=overwrite).run(bpy.context)
    assert snapshot(rig) == before


def test_the_armature_may_be_deleted_in_the_middle():
    rig = _reaching()
    running = _bake(rig).steps(bpy.context)
    for _step in range(3):
        next(running)
    bpy.data.objects.remove(rig)
    with pytest.raises(installed.module("properties.refusal").Refused, match=r"Rig.*deleted"):
        for _step in running:
            pass


def test_nothing_of_blender_is_kept_between_steps():
    rig = _reaching()
    running = _bake(rig).steps(bpy.context)
    next(running)
    kept = running.gi_frame.f_locals.values()
    assert not [value for value in kept if isinstance(value, bpy.types.ID)]
    running.close()


def test_auto_key_and_targets_are_left_alone():
    rig = _reaching()
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    target = rig.articulate.effectors["b3"].target
    keys = [tuple(k.co) for k in _bag(target).fcurves[0].keyframe_points]
    bpy.ops.articulate.bake(frame_start=1, frame_end=5)
    assert bpy.context.scene.tool_settings.use_keyframe_insert_auto
    assert keys == [tuple(k.co) for k in _bag(target).fcurves[0].keyframe_points]


def _bag(thing: bpy.types.Object):
    action = thing.animation_data.action
    if hasattr(action, "layers"):
        return action.layers[0].strips[0].channelbag(thing.animation_data.action_slot)
    return action
