# SPDX-License-Identifier: GPL-3.0-or-later
"""Recording a drag while frames pass: what is played afterwards is what was seen."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import animate, arm, curves, evaluated, miss, reach, snapshot, tip
from bridge_rigs import metarig

drag = installed.module("control.drag.drag")
FRAMES = range(5, 41)


def places(rig: bpy.types.Object, bone: str) -> dict[int, np.ndarray]:
    """Where a bone's tip is in each frame."""
    found = {}
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        found[frame] = tip(rig, bone)
    return found


def all_places(rig: bpy.types.Object) -> np.ndarray:
    """(frames, B, 3) where the tips of all bones are."""
    each = [places(rig, bone.name) for bone in rig.pose.bones]
    return np.array([[found[frame] for found in each] for frame in FRAMES])


def way(frame: int) -> np.ndarray:
    """Of the hand, from where it began."""
    angle = 0.15 * (frame - FRAMES[0])
    return np.array([0.5 * np.sin(angle), 0.4 * (np.cos(angle) - 1.0), -0.3 * np.sin(0.5 * angle)])


def record(rig: bpy.types.Object, bone: str, frames=FRAMES, size=1.0):
    """Drag a bone while frames pass, as far as `size`; the drag and where the tip was seen."""
    bpy.context.scene.frame_set(frames[0])
    held, seen = drag.Drag(rig, bpy.context, drag.Grip(bone=bone), record=True), {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        assert held.follow(bpy.context) == (frame != frames[0])
        held.move_to(held.anchor + size * way(frame))
        seen[frame] = tip(rig, bone)
    return held, seen


def worst(seen: dict[int, np.ndarray], now: dict[int, np.ndarray]) -> float:
    return max(float(np.linalg.norm(seen[frame] - now[frame])) for frame in seen)


def test_feet_that_hold_by_themselves_follow_the_clip():
    rig = metarig("basic")
    hips, knee = rig.pose.bones["spine"], rig.pose.bones["shin.L"]
    for frame, ahead, bent in ((5, 0.0, 0.0), (20, 0.3, 0.6), (40, 0.7, 0.1)):
        hips.location, knee.rotation_quaternion = (0.0, 0.0, ahead), (1.0, bent, 0.0, 0.0)
        hips.keyframe_insert("location", frame=frame)
        knee.keyframe_insert("rotation_quaternion", frame=frame)
    feet = ("foot.L", "foot.R")
    clip, hand = {name: places(rig, name) for name in feet}, places(rig, "hand.L")
    assert np.linalg.norm(clip["foot.R"][40] - clip["foot.R"][5]) > 0.5
    bpy.context.scene.frame_set(FRAMES[0])
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="hand.L"), record=True)
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        held.follow(bpy.context)
        held.move_to(hand[frame] + (0.05, 0.0, 0.1))
    held.finish(bpy.context)
    assert max(worst(clip[name], places(rig, name)) for name in feet) < 2e-3
    assert worst(hand, places(rig, "hand.L")) > 0.1


def test_the_rest_of_a_clip_stays_as_it_was():
    rig = arm(5)
    for frame in (1, 60):
        rig.pose.bones["b1"].keyframe_insert("rotation_quaternion", frame=frame)
    ends = []
    for again in range(2):
        for frame in (1, 60, 80):
            bpy.context.scene.frame_set(frame)
            ends.append([np.array(bone.matrix) for bone in evaluated(rig).pose.bones])
        if not again:
            held, seen = record(rig, "b4")
            held.finish(bpy.context)
    np.testing.assert_allclose(ends[3:], ends[:3], atol=1e-5)
    assert worst(seen, places(rig, "b4")) < 1e-4


def test_what_was_seen_is_played():
    rig = arm(5)
    held, seen = record(rig, "b4")
    assert not curves(rig)  # nothing before the end
    held.finish(bpy.context)
    keys = curves(rig)
    assert keys and all([frame for frame, _ in curve] == list(FRAMES) for curve in keys.values())
    assert worst(seen, places(rig, "b4")) < 1e-4
    assert np.linalg.norm(seen[25] - seen[5]) > 0.2


@pytest.mark.parametrize("margin", [0.02, 0.002])
def test_decimated_recordings_stay_within_the_margin(margin):
    rig = arm(5)
    held, _ = record(rig, "b4")
    held.finish(bpy.context)
    full, whole = curves(rig), all_places(rig)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rig = arm(5)
    rig.articulate.bake.decimate, rig.articulate.bake.remove_error_margin = True, margin
    held, _ = record(rig, "b4")
    held.finish(bpy.context)
    fewer = curves(rig)
    assert fewer.keys() == full.keys()
    count = sum(map(len, fewer.values())) / sum(map(len, full.values()))
    assert count < (0.2 if margin > 0.01 else 0.4)
    assert np.linalg.norm(all_places(rig) - whole, axis=-1).max() <= margin + 1e-5


def test_esc_gives_everything_back():
    rig = arm(5)
    rig.pose.bones["b1"].keyframe_insert("rotation_quaternion", frame=1)
    bpy.context.scene.frame_set(FRAMES[0])
    before = snapshot(rig)
    held, _ = record(rig, "b4", range(5, 12))
    held.cancel()
    bpy.context.scene.frame_set(FRAMES[0])
    assert snapshot(rig) == before


def test_an_animation_below_goes_on_and_other_keys_stay():
    rig = arm(5)
    bone = rig.pose.bones["b0"]
    for frame, turn in ((1, 0.0), (60, 0.6)):
        bone.rotation_quaternion = (1.0, turn, 0.0, 0.0)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.scene.frame_set(FRAMES[0])
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="b4", levels=3), record=True)
    carried = {}
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        held.follow(bpy.context)
        held.move_to(held.anchor + 0.3 * way(frame))
        carried[frame] = tip(rig, "b1")
    held.finish(bpy.context)
    keys = curves(rig)
    assert [frame for frame, _ in keys['pose.bones["b0"].rotation_quaternion', 0]] == [1, 60]
    assert 'pose.bones["b4"].rotation_quaternion' in {path for path, _ in keys}
    assert np.linalg.norm(carried[5] - carried[40]) > 0.1
    assert worst(carried, places(rig, "b1")) < 1e-4


@pytest.mark.solver
def test_effectors_with_animated_targets_are_followed_meanwhile():
    rig = metarig("basic")
    bpy.context.view_layer.update()
    place = tip(rig, "hand.R")
    animate(reach(rig, "hand.R", place), {5: place, 40: place + np.array([0.1, -0.2, 0.1])})
    held, _ = record(rig, "hand.L", FRAMES, 0.4)
    assert miss(rig, "hand.R") < 1e-3
    held.finish(bpy.context)
    for frame in (5, 20, 40):
        bpy.context.scene.frame_set(frame)
        assert miss(rig, "hand.R") < 2e-3


def test_a_later_pass_replaces_an_earlier_one_without_a_spin():
    rig = arm(4)
    frames = range(1, 11)
    held, _ = record(rig, "b3", frames)
    for frame in frames[:6]:
        bpy.context.scene.frame_set(frame)
        held.follow(bpy.context)
        held.move_to(held.anchor - way(frame + 12))
        last = tip(rig, "b3")
    held.finish(bpy.context)
    bpy.context.scene.frame_set(6)
    assert np.linalg.norm(tip(rig, "b3") - last) < 1e-4
    for bone in ("b1", "b2", "b3"):
        values = np.array(
            [[v for _, v in curves(rig)[f'pose.bones["{bone}"].rotation_quaternion', i]] for i in range(4)]
        )
        assert (np.einsum("if,if->f", values[:, 1:], values[:, :-1]) > 0.0).all()


@pytest.mark.parametrize("margin", [None, 0.01])
def test_frames_that_a_loop_leaps_over_keep_their_keys(margin):
    """From the middle to the end and again from the start, without two frames that the playback dropped."""
    rig = arm(5)
    for frame in (1, 12, 18, 30, 60):
        rig.pose.bones["b1"].rotation_quaternion = (1.0, 0.1, 0.01 * frame, 0.0)
        rig.pose.bones["b1"].keyframe_insert("rotation_quaternion", frame=frame)
    before = curves(rig)['pose.bones["b1"].rotation_quaternion', 2]
    rig.articulate.bake.decimate, rig.articulate.bake.remove_error_margin = margin is not None, margin or 0.0
    held, seen = record(rig, "b4", [25, 26, 27, 30, 31, 1, 2, 3])
    held.finish(bpy.context)
    after = curves(rig)['pose.bones["b1"].rotation_quaternion', 2]
    assert [key for key in after if 3 < key[0] < 25 or key[0] > 31] == [before[1], before[2], before[4]]
    assert {round(frame) for frame, _ in after} <= {1, 2, 3, 12, 18, 25, 26, 27, 30, 31, 60}
    for frame, place in seen.items():
        bpy.context.scene.frame_set(frame)
        assert np.linalg.norm(tip(rig, "b4") - place) < (margin or 1e-4)


def test_a_pose_in_one_frame_is_no_recording():
    rig = arm(4)
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="b3"), record=True)
    held.move_to(held.anchor + np.array([0.2, 0.0, -0.2]))
    held.finish(bpy.context)
    assert not curves(rig) and evaluated(rig)


def test_a_linked_action_is_refused_and_nothing_changes(monkeypatch):
    rig = arm(4)
    before = snapshot(rig)
    held, _ = record(rig, "b3", range(5, 9))
    module = installed.module("control.bake.record")

    def fails(*_given: object, **_more: object) -> None:
        raise installed.module("properties.refusal").Refused("Action 'A' is linked.")

    monkeypatch.setattr(module, "write_keys", fails)
    with pytest.raises(Exception, match="linked"):
        held.finish(bpy.context)
    bpy.context.scene.frame_set(before["frame"][0])
    assert snapshot(rig) == before


@pytest.mark.parametrize("how", ["lock", "mute"])
def test_what_could_not_be_written_is_refused_before_it_is_played(how: str):
    rig = arm(4)
    for frame in (1, 60):
        rig.pose.bones["b1"].keyframe_insert("rotation_quaternion", frame=frame)
    for curve in installed.module("compat").find_bag(rig).fcurves:
        setattr(curve, how, True)
    held, _ = record(rig, "b3", range(5, 6))
    bpy.context.scene.frame_set(6)
    with pytest.raises(Exception, match=f"'b1' is {how}e?d in action"):
        held.follow(bpy.context)
