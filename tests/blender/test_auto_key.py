# SPDX-License-Identifier: GPL-3.0-or-later
"""Auto-keying where Blender keys only what has keys: by preference, from 5.2 on by default, or by mode."""

from __future__ import annotations

import bpy
import pytest
from addon_scenes import add, curves, miss, reach, two_arms
from installed import module

WAY = (0.2, -0.3, 0.1)
ARM_PATHS = [f'pose.bones["{bone}"].rotation_quaternion' for bone in ("arm.L", "hand.L")]


@pytest.fixture
def settings():
    """Auto-keying of available channels only."""
    bpy.context.preferences.edit.use_keyframe_insert_available = True
    found = bpy.context.scene.tool_settings
    found.use_keyframe_insert_auto = True
    return found


def solve(capfd) -> list[str]:
    """Solve; the lines that were printed but for those of reports."""
    capfd.readouterr()
    bpy.ops.articulate.solve()
    printed = capfd.readouterr()
    return [line for line in (printed.out + printed.err).splitlines() if not line.startswith("Info")]


def test_without_keys_nothing_is_keyed_and_nothing_printed(settings, capfd):
    rig = two_arms()
    reach(rig, "hand.L", (1.0, -0.8, 1.6), chain_root="arm.L")
    assert not solve(capfd)
    assert not curves(rig) and rig.animation_data is None


def test_it_is_told_once_until_something_is_keyed(settings, capfd):
    rig = two_arms()
    reach(rig, "hand.L", (1.0, -0.8, 1.6), chain_root="arm.L")
    said = []
    for _ in range(2):
        capfd.readouterr()
        bpy.ops.articulate.solve()
        said.append("Auto-key keyed nothing: Only Insert Available is on" in capfd.readouterr().out)
    assert said == [True, False]
    rig.pose.bones["arm.L"].keyframe_insert("rotation_quaternion")
    bpy.ops.articulate.solve()
    assert "Auto-key keyed nothing" not in capfd.readouterr().out
    rig.animation_data_clear()
    bpy.ops.articulate.solve()
    assert "Auto-key keyed nothing" in capfd.readouterr().out


def test_what_has_curves_is_keyed(settings, capfd):
    rig = two_arms()
    reach(rig, "hand.L", (1.0, -0.8, 1.6), chain_root="arm.L")
    rig.pose.bones["hand.L"].keyframe_insert("rotation_quaternion", index=1)
    bpy.context.scene.frame_set(7)
    assert not solve(capfd)
    ((path, index),) = curves(rig)
    assert (path, index) == (ARM_PATHS[1], 1)
    assert [frame for frame, _value in curves(rig)[path, index]] == [1, 7]


def test_a_mode_that_replaces_keys_what_has_keys_in_this_frame(settings, capfd):
    rig = two_arms()
    reach(rig, "hand.L", (1.0, -0.8, 1.6), chain_root="arm.L")
    settings.auto_keying_mode = "REPLACE_KEYS"
    rig.pose.bones["hand.L"].keyframe_insert("rotation_quaternion", index=1, frame=7)
    rig.pose.bones["hand.L"].keyframe_insert("rotation_quaternion", index=2, frame=9)
    bpy.context.scene.frame_set(7)
    before = curves(rig)
    assert not solve(capfd)
    after = curves(rig)
    assert after[ARM_PATHS[1], 2] == before[ARM_PATHS[1], 2]
    assert [frame for frame, _value in after[ARM_PATHS[1], 1]] == [7]
    assert after[ARM_PATHS[1], 1] != before[ARM_PATHS[1], 1]


@pytest.mark.parametrize("by_set", [False, True])
def test_with_only_insert_needed_what_stays_is_not_keyed_and_nothing_printed(settings, capfd, by_set):
    rig = two_arms()
    reach(rig, "hand.L", (1.0, -0.8, 1.6), chain_root="arm.L")
    for bone in ("arm.L", "hand.L"):
        rig.pose.bones[bone].keyframe_insert("rotation_quaternion", frame=1)
    bpy.context.preferences.edit.use_auto_keyframe_insert_needed = True
    if by_set:
        settings.use_keyframe_insert_keyingset = True
        bpy.context.scene.keying_sets_all.active = bpy.context.scene.keying_sets_all["Rotation"]
        bpy.ops.object.mode_set(mode="POSE")
    assert not solve(capfd)
    bpy.context.scene.frame_set(7)
    assert not solve(capfd)
    assert all(len(keys) == 1 for keys in curves(rig).values())
    rig.articulate.effectors["hand.L"].target.location.z += 0.2
    assert not solve(capfd)
    assert any(len(keys) == 2 for keys in curves(rig).values())


@pytest.mark.parametrize("name", ["Location", "Rotation & Scale"])
def test_a_keying_set_is_keyed_whether_there_are_curves_or_not(settings, capfd, name):
    """As Blender's own auto-keying does it."""
    rig = two_arms()
    reach(rig, "hand.L", (1.0, -0.8, 1.6), chain_root="arm.L")
    bpy.ops.object.mode_set(mode="POSE")
    settings.use_keyframe_insert_keyingset = True
    scene = bpy.context.scene
    scene.keying_sets_all.active = scene.keying_sets_all[name]
    assert not solve(capfd)
    channels = {"Location": ("location",), "Rotation & Scale": ("rotation_quaternion", "scale")}[name]
    wanted = {f'pose.bones["{bone}"].{channel}' for bone in ("arm.L", "hand.L") for channel in channels}
    assert {path for path, _index in curves(rig)} == wanted


def test_a_keying_set_with_a_mode_that_replaces_makes_no_key_and_prints_nothing(settings, capfd):
    rig = two_arms()
    reach(rig, "hand.L", (1.0, -0.8, 1.6), chain_root="arm.L")
    settings.use_keyframe_insert_keyingset, settings.auto_keying_mode = True, "REPLACE_KEYS"
    own = bpy.context.scene.keying_sets.new(name="Own")
    own.paths.add(rig, ARM_PATHS[0])
    own.paths.add(rig, ARM_PATHS[1], index=2)
    assert not solve(capfd) and not curves(rig)
    rig.pose.bones["arm.L"].keyframe_insert("rotation_quaternion", index=3)
    before = curves(rig)
    assert not solve(capfd)
    assert curves(rig).keys() == before.keys() == {(ARM_PATHS[0], 3)}


def test_targets_and_drags_follow_the_same_rule(settings, capfd):
    rig = two_arms()
    target = add("hand.L").target
    for call in (
        lambda: bpy.ops.articulate.target_move(move=WAY),
        lambda: bpy.ops.articulate.drag(bone="hand.R", move=WAY),
    ):
        bpy.context.window_manager.articulate.unkeyed_told = ""
        capfd.readouterr()
        call()
        lines = "".join(capfd.readouterr()).splitlines()
        assert len(lines) == 1 and "Auto-key keyed nothing" in lines[0], lines
    assert not curves(rig) and not curves(target)
    target.keyframe_insert("location", index=0, frame=3)
    bpy.ops.articulate.target_move(move=WAY)
    assert list(curves(target)) == [("location", 0)] and len(curves(target)["location", 0]) == 2


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("lock", "are locked: unlock them"),
        ("mute", "are muted: unmute them"),
        ("", "are changed by modifiers: mute them"),
        ("sampled", "are sampled: choose Samples to Keys for them"),
    ],
)
def test_keys_that_do_not_play_are_told(settings, capfd, how: str, said: str):
    rig = two_arms()
    reach(rig, "hand.L", (1.0, -0.8, 1.6), chain_root="arm.L")
    for bone in ("arm.L", "hand.L"):
        rig.pose.bones[bone].keyframe_insert("rotation_quaternion")
    for curve in module("compat").find_bag(rig).fcurves:
        if how == "sampled":
            curve.convert_to_samples(1, 3)
        elif how:
            setattr(curve, how, True)
        else:
            curve.modifiers.new("NOISE")
    bpy.context.scene.frame_set(7)
    capfd.readouterr()
    bpy.ops.articulate.solve()
    printed = capfd.readouterr()
    assert f"Auto-key: this pose will not play, because curves of 'arm.L' {said}" in printed.out
    assert "WARNING" not in printed.out + printed.err
    assert all(len(keys) == {"lock": 1, "sampled": 0}.get(how, 2) for keys in curves(rig).values())


def test_a_linked_action_is_told_and_not_keyed(settings, capfd, tmp_path):
    two_arms().pose.bones["arm.L"].keyframe_insert("rotation_quaternion")
    library = str(tmp_path / "library.blend")
    bpy.data.libraries.write(library, set(bpy.data.actions))
    bpy.data.actions.remove(bpy.data.actions[0])
    with bpy.data.libraries.load(library, link=True) as (there, here):
        here.actions = list(there.actions)
    rig = bpy.context.object
    module("compat").play(rig.animation_data, bpy.data.actions[0], "OBRig")
    reach(rig, "hand.L", (1.0, -0.8, 1.6), chain_root="arm.L")
    before = curves(rig)
    assert before
    bpy.context.scene.frame_set(7)
    capfd.readouterr()
    bpy.ops.articulate.solve()
    printed = capfd.readouterr()
    assert "because action 'RigAction' is linked from another file" in printed.out
    assert "Warning" not in printed.out + printed.err and curves(rig) == before


@pytest.mark.parametrize("how", ["solo", "influence"])
def test_keys_that_the_nla_hides_are_told(settings, capfd, how: str):
    rig = two_arms()
    reach(rig, "hand.L", (1.0, -0.8, 1.6), chain_root="arm.L")
    rig.pose.bones["arm.L"].keyframe_insert("rotation_quaternion")
    data = rig.animation_data
    track = data.nla_tracks.new()
    track.strips.new("Strip", 1, data.action)
    if how == "solo":
        track.is_solo, said = True, "plays solo: switch Solo off"
    else:
        data.action_influence, said = 0.0, "its influence in the NLA is 0: raise it"
    capfd.readouterr()
    bpy.ops.articulate.solve()
    assert said in capfd.readouterr().out


@pytest.mark.parametrize("by_set", [False, True])
def test_keys_are_where_the_pose_plays(by_set: bool, settings):
    """On a subframe, and where time is remapped."""
    bpy.context.preferences.edit.use_keyframe_insert_available = False
    scene, rig = bpy.context.scene, two_arms()
    scene.render.frame_map_old, scene.render.frame_map_new = 100, 250
    if by_set:
        bpy.ops.object.mode_set(mode="POSE")
        scene.keying_sets_all.active = scene.keying_sets_all["Rotation"]
        settings.use_keyframe_insert_keyingset = True
    target = reach(rig, "hand.L", (1.0, -0.8, 1.6), chain_root="arm.L")
    for frame, along in ((6, 0.0), (9, 0.2)):
        scene.frame_set(frame, subframe=0.5)
        target.location.x += along
        bpy.ops.articulate.solve()
    scene.frame_set(1)
    scene.frame_set(9, subframe=0.5)
    assert miss(rig, "hand.L") < 1e-3
    assert curves(rig)
    for keys in curves(rig).values():
        assert [frame for frame, _ in keys] == pytest.approx([2.6, 3.8])
