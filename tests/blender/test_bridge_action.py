# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked curves: what they hold, what they leave alone, and that all of it can be taken back."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bridge_rigs import chain_rig
from installed import module

action = module("bridge.action")
curves = module("bridge.curves")
armature = module("bridge.armature")
refusal = module("properties.refusal")
compat = module("compat")

FRAMES = np.arange(1.0, 21.0)


def curve(bone: str = "b0", channel: str = "rotation_euler", index: int = 0, frames=FRAMES, values=None):
    values = np.sin(np.asarray(frames) / 3.0) if values is None else values
    return action.Curve(bone, channel, index, np.asarray(frames), np.asarray(values, dtype=float))


def read_keys(rig: bpy.types.Object, bone: str, channel: str) -> dict:
    """Frames and values of the keys of a bone's channel, by component."""
    path = f'pose.bones["{bone}"].{channel}'
    found = [one for one in compat.find_bag(rig).fcurves if one.data_path == path]
    return {one.array_index: np.array([key.co for key in one.keyframe_points]).T for one in found}


def rig_with_animation() -> bpy.types.Object:
    """Keys on b0's location and rotation, on b1, on the object; with odd handles and interpolation."""
    rig = chain_rig(3)
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
    b0, b1 = rig.pose.bones["b0"], rig.pose.bones["b1"]
    for frame in (-5, 3, 10.5, 40):
        b0.rotation_euler = (0.01 * frame, 0.02 * frame, 0.3)
        b0.keyframe_insert("rotation_euler", frame=frame, group="b0")
        b1.rotation_euler = (0.3, 0.01 * frame, 0)
        b1.keyframe_insert("rotation_euler", frame=frame, group="own group")
        rig.location.x = frame
        rig.keyframe_insert("location", frame=frame)
    found = compat.find_bag(rig).fcurves.find('pose.bones["b0"].rotation_euler', index=0)
    key = found.keyframe_points[0]
    key.interpolation, key.easing, key.type = "ELASTIC", "EASE_IN", "EXTREME"
    key.amplitude, key.period = 0.3, 2.0
    found.keyframe_points[3].handle_left_type = "FREE"
    found.keyframe_points[3].handle_left = (35, 2)
    found.extrapolation = "LINEAR"
    return rig


def structure(action) -> tuple:
    """Slots, layers, strips of the first layer, and slots with a bag."""
    if not compat.has_slots(action):
        return ()
    strips = [strip for layer in action.layers for strip in layer.strips]
    slots = {slot.identifier for slot in action.slots}
    bags = {bag.slot.identifier for strip in strips for bag in strip.channelbags}
    return slots, len(action.layers), len(strips), bags


def everything(rig: bpy.types.Object) -> dict:
    """All that can be seen of the animation of an object and of all actions there are."""
    data = rig.animation_data
    seen: dict = {"has data": data is not None, "actions": {}}
    if data is not None:
        seen["action"] = data.action.name if data.action else None
        seen["slot"] = compat.played_slot(rig.animation_data)
    for each in bpy.data.actions:
        row: dict = {"fake": each.use_fake_user, "users": each.users, "structure": structure(each)}
        bags = [each]
        if compat.has_slots(each):
            strips = [strip for layer in each.layers for strip in layer.strips]
            bags = [bag for strip in strips for bag in strip.channelbags]
        for number, bag in enumerate(bags):
            row[f"groups {number}"] = [(g.name, len(g.channels)) for g in bag.groups]
            for c in bag.fcurves:
                keys = curves.read_curve(c)
                row[number, c.data_path, c.array_index] = (
                    c.group.name if c.group else None,
                    c.extrapolation,
                    {name: keys[name].tolist() for name in keys.dtype.names},
                )
        seen["actions"][each.name] = row
    return seen


def test_values_are_read_back_and_evaluated_exactly() -> None:
    rig = chain_rig(3)
    quaternion = np.random.default_rng(0).normal(size=(20, 4))
    baked = [curve("b1", "rotation_quaternion", i, values=quaternion[:, i]) for i in range(4)]
    action.write_keys(rig, baked)
    for frame in (1, 7, 20):
        bpy.context.scene.frame_set(frame)
        assert np.array_equal(
            np.float32(quaternion[frame - 1]), np.array(rig.pose.bones["b1"].rotation_quaternion)
        )
    read = read_keys(rig, "b1", "rotation_quaternion")
    assert sorted(read) == [0, 1, 2, 3] and np.array_equal(read[2][0], FRAMES)
    found = compat.find_bag(rig).fcurves.find('pose.bones["b1"].rotation_quaternion', index=2)
    assert found.group.name == "b1"
    assert {k.interpolation for k in found.keyframe_points} == {"BEZIER"}
    assert {k.handle_left_type for k in found.keyframe_points} == {"AUTO_CLAMPED"}
    assert read_keys(rig, "b0", "location") == {}


def test_as_if_blender_had_inserted_the_keys() -> None:
    rig, other = chain_rig(2), chain_rig(2)
    values = np.sin(FRAMES)
    action.write_keys(rig, [curve("b0", "location", 1, values=values)])
    for frame, value in zip(FRAMES, values, strict=True):
        other.pose.bones["b0"].location[1] = value
        other.pose.bones["b0"].keyframe_insert("location", index=1, frame=frame, group="b0")
    ours, theirs = (
        compat.find_bag(r).fcurves.find('pose.bones["b0"].location', index=1) for r in (rig, other)
    )
    ours, theirs = curves.read_curve(ours), curves.read_curve(theirs)
    for name in theirs.dtype.names:
        if not name.startswith("select"):
            assert np.allclose(ours[name], theirs[name], atol=1e-5), name


def test_only_the_range_of_the_given_channels_is_replaced() -> None:
    rig = rig_with_animation()
    before = everything(rig)
    name = rig.animation_data.action.name
    action.write_keys(rig, [curve()], frame_range=(1, 20))
    after = everything(rig)
    assert rig.animation_data.action.name == name and len(bpy.data.actions) == 1
    changed = {k for k, v in after["actions"][name].items() if v != before["actions"][name].get(k)}
    assert changed == {(0, 'pose.bones["b0"].rotation_euler', 0)}
    group, extrapolation, stored = after["actions"][name][0, 'pose.bones["b0"].rotation_euler', 0]
    assert group == "b0" and extrapolation == "LINEAR"
    frames = np.array(stored["co"])[:, 0]
    assert frames.tolist() == [-5, *FRAMES.tolist(), 40]
    old = before["actions"][name][0, 'pose.bones["b0"].rotation_euler', 0][2]
    for what in ("co", "interpolation", "easing", "type", "amplitude", "period"):
        assert stored[what][0] == old[what][0] and stored[what][-1] == old[what][-1], what
    # beyond them nothing moves, so their automatic handles no longer follow the neighbours
    assert stored["handle_left"][0] == old["handle_left"][0]
    assert stored["handle_right"][-1] == old["handle_right"][-1]


def test_a_key_a_hair_off_the_range_is_replaced_too() -> None:
    rig = chain_rig(2)
    action.write_keys(rig, [curve(frames=[5.0000005, 8.0], values=[1, 2])])
    action.write_keys(rig, [curve(frames=[5.0, 6.0], values=[3, 4])])
    assert read_keys(rig, "b0", "rotation_euler")[0][0].tolist() == [5.0, 6.0, 8.0]


@pytest.mark.parametrize("new_action", [False, True])
@pytest.mark.parametrize("animated", ["bones", "object", "nothing", "empty data"])
def test_restore_gives_back_what_was_there(new_action: bool, animated: str) -> None:
    if animated == "bones":
        rig = rig_with_animation()
    else:
        rig = chain_rig(3)
        if animated == "object":
            rig.keyframe_insert("location", frame=1)
        elif animated == "empty data":
            rig.animation_data_create()
    before = everything(rig)
    bpy.context.scene.frame_set(7)
    pose = np.array(rig.pose.bones["b0"].matrix)
    channels = armature.read_channels(rig)
    baked = [curve(index=i) for i in range(3)] + [curve("b2", "location", 2)]
    backup = action.write_keys(rig, baked, new_action=new_action, frame_range=(1, 20), clean=True)
    assert everything(rig) != before
    bpy.context.scene.frame_set(12)  # the curves give their values to the channels
    backup.close()
    assert everything(rig) == before
    after = armature.read_channels(rig)
    assert all(np.array_equal(after[c], channels[c]) for c in armature.CHANNEL_WIDTHS)
    backup.close()
    bpy.context.scene.frame_set(8)
    bpy.context.scene.frame_set(7)
    if animated == "bones":
        assert np.array_equal(np.array(rig.pose.bones["b0"].matrix), pose)


@pytest.mark.parametrize("new_action", [False, True])
def test_a_failure_half_way_leaves_no_trace(new_action: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = rig_with_animation()
    before = everything(rig)
    real, calls = action.write_curve, []

    def failing(*args, **options):
        calls.append(1)
        if len(calls) == 3:
            raise RuntimeError("the disk is on fire")
        real(*args, **options)

    monkeypatch.setattr(action, "write_curve", failing)
    baked = [curve("b0", "rotation_euler", 0), curve("b0", "rotation_euler", 1), curve("b2", "location", 0)]
    with pytest.raises(RuntimeError, match="on fire"):
        action.write_keys(rig, baked, new_action=new_action)
    assert everything(rig) == before


def test_a_new_action_keeps_what_is_not_baked() -> None:
    rig = rig_with_animation()
    old = rig.animation_data.action
    before = everything(rig)["actions"][old.name]
    action.write_keys(rig, [curve()], new_action=True, frame_range=(1, 20))
    made = rig.animation_data.action
    assert made is not old
    assert old.use_fake_user  # nobody else holds it: it would be lost when the file is saved
    after = everything(rig)["actions"][old.name]
    assert {k: v for k, v in after.items() if k not in ("fake", "users")} == {
        k: v for k, v in before.items() if k not in ("fake", "users")
    }
    assert read_keys(rig, "b1", "rotation_euler")[1][0].tolist() == [-5, 3, 10.5, 40]
    bpy.context.scene.frame_set(7)
    assert rig.pose.bones["b0"].rotation_euler[0] == pytest.approx(np.sin(7 / 3), abs=1e-6)
    assert rig.location.x != 0


def test_two_armatures_in_one_action() -> None:
    rig, other = chain_rig(2), chain_rig(2)
    action.write_keys(rig, [curve(values=np.ones(20))])
    other.animation_data_create()
    other.animation_data.action = rig.animation_data.action
    before = everything(rig)
    backup = action.write_keys(other, [curve(values=np.zeros(20))])
    if compat.has_slots(rig.animation_data.action):
        assert len(rig.animation_data.action.slots) in (1, 2)
    bpy.context.scene.frame_set(5)
    assert other.pose.bones["b0"].rotation_euler[0] == 0.0 or rig.pose.bones["b0"].rotation_euler[0] == 1.0
    backup.close()
    assert everything(rig) == before


@pytest.mark.skipif(
    "slots" not in bpy.types.Action.bl_rna.properties, reason="actions have no slots before Blender 4.4"
)
@pytest.mark.parametrize("new_action", [False, True])
def test_a_slot_of_somebody_else_is_not_taken(new_action: bool) -> None:
    """The armature would be carried off by curves that were made for another object."""
    other = bpy.data.objects.new("Target", None)
    bpy.context.collection.objects.link(other)
    for frame in (1, 10):
        other.location.x = frame
        other.keyframe_insert("location", frame=frame)
    rig = chain_rig(3)
    rig.animation_data_create().action = other.animation_data.action
    rig.animation_data.action_slot = None
    before = everything(rig)
    backup = action.write_keys(rig, [curve()], new_action=new_action)
    assert rig.animation_data.action_slot.name_display == rig.name
    bpy.context.scene.frame_set(10)
    assert tuple(rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).location) == (0.0, 0.0, 0.0)
    assert other.location.x == 10.0
    backup.close()
    assert everything(rig) == before
    assert rig.animation_data.action_slot is None


def test_clean_means_what_blender_means() -> None:
    values = np.array([1, 1, 1, 2, 3, 3, 3, 3, 2, 2, 5.0])
    assert curves.needed(values).tolist() == [
        True, False, True, True, True, False, False, True, True, True, True
    ]  # fmt: skip
    assert curves.needed(np.zeros(2)).all() and curves.needed(np.zeros(0)).all()
    rig, other = chain_rig(2), chain_rig(2)
    values = np.repeat(np.random.default_rng(1).normal(size=8), 4)[:20]
    action.write_keys(rig, [curve(values=values)], clean=True)
    action.write_keys(other, [curve(values=values)])
    plain = read_keys(rig, "b0", "rotation_euler")[0]
    assert len(plain[0]) < 20 and plain[0][0] == 1 and plain[0][-1] == 20
    for frame in range(1, 21):
        bpy.context.scene.frame_set(frame)
        found = [r.pose.bones["b0"].rotation_euler[0] for r in (rig, other)]
        assert found[0] == pytest.approx(found[1], abs=2e-4)


def test_gathered_curves_are_the_channels_over_time() -> None:
    rig = chain_rig(2)
    bones = armature.read_bones(rig)
    poses = []
    for k in range(3):
        rig.pose.bones["b1"].location = (k, 10 * k, 0.5)
        poses.append(armature.read_channels(rig))
    keyed = [("b1", "location", 1), ("b0", "rotation_quaternion", 0)]
    found = module("bridge.curves").gather_curves(bones, keyed, [4, 5, 6], poses)
    assert [c.path for c in found] == ['pose.bones["b1"].location', 'pose.bones["b0"].rotation_quaternion']
    assert found[0].values.tolist() == [0, 10, 20] and found[0].frames.tolist() == [4, 5, 6]
    assert found[1].values.tolist() == [1, 1, 1]
    assert module("bridge.curves").gather_curves(bones, [], [], []) == ()


def test_bone_names_that_need_escaping() -> None:
    rig = chain_rig(2)
    rig.data.bones["b1"].name = 'odd "name" \\ here'
    name = rig.data.bones[1].name
    action.write_keys(rig, [curve(name, "location", 0, values=np.full(20, 0.5))])
    bpy.context.scene.frame_set(3)
    assert rig.pose.bones[name].location[0] == 0.5


def test_bad_input_changes_nothing() -> None:
    rig = rig_with_animation()
    before = everything(rig)
    values = np.ones(20)
    values[4] = np.nan
    with pytest.raises(refusal.Refused, match=r"bone 'b2' in frame 5 must be a finite number"):
        action.write_keys(rig, [curve(), curve("b2", "location", 0, values=values)])
    assert everything(rig) == before


def test_a_linked_action_is_not_written(tmp_path) -> None:
    rig_with_animation()
    library = tmp_path / "library.blend"
    bpy.data.libraries.write(str(library), set(bpy.data.actions))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(library), link=True) as (there, here):
        here.actions = list(there.actions)
    rig = chain_rig(3)
    rig.animation_data_create()
    compat.play(rig.animation_data, bpy.data.actions[0])
    before = everything(rig)
    with pytest.raises(refusal.Refused, match="is linked from another file"):
        action.write_keys(rig, [curve()])
    assert everything(rig) == before
    backup = action.write_keys(rig, [curve()], new_action=True)
    assert rig.animation_data.action.library is None
    backup.close()
    assert everything(rig) == before


def test_no_action_is_written_in_tweak_mode() -> None:
    rig = rig_with_animation()
    data = rig.animation_data
    track = data.nla_tracks.new()
    strip = track.strips.new("Strip", 1, data.action)
    data.action = None
    track.select = strip.select = True
    data.nla_tracks.active = track
    data.use_tweak_mode = True
    if not data.use_tweak_mode:
        pytest.skip("this Blender enters tweak mode only in an editor")
    with pytest.raises(refusal.Refused, match="tweak mode"):
        action.write_keys(rig, [curve()])
