# SPDX-License-Identifier: GPL-3.0-or-later
"""F-curves, drivers and driver variables of list items stay with their item, whatever happens to the list."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import bpy
import installed
import pytest
from addon_scenes import add, arm, curves
from keyed_items import END, NAMES, START, dead, driven, expected, key, keyed, paths, remove, values


@pytest.mark.parametrize("gone", NAMES)
def test_removed_effectors_take_their_curves_with_them(gone: str):
    rig = keyed(arm())
    remove(gone)
    rest = [name for name in NAMES if name != gone]
    assert values(rig) == expected(*rest)
    assert len(curves(rig)) == 3 and not dead(rig)
    remove(rest[1])
    assert values(rig) == expected(rest[0], rest[2])


def test_an_effector_of_the_elephant_takes_its_curve_with_it(tmp_path: Path):
    bpy.ops.articulate.elephant_add(segments=3, surroundings=False, frames=0)
    rig = bpy.context.object
    rig.articulate.effectors[0].keyframe_insert("influence", frame=1)
    rig.articulate.effectors.remove(0)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "elephant.blend"))
    assert not any("effectors" in path for path in paths(rig))


def test_clear_leaves_no_curves_or_drivers():
    rig = keyed(arm())
    rig.articulate.effectors["b"].driver_add("weight")
    rig.pose.bones["b0"].keyframe_insert("location", frame=1)
    bpy.ops.articulate.clear()
    assert paths(rig) == {'pose.bones["b0"].location'} and not rig.animation_data.drivers
    add("b1", name="new")
    key(rig, "new", 0.3)
    assert values(rig) == {"new": (0.3, 0.8)}


def test_a_muted_locked_and_extended_curve_goes_on_as_it_was():
    rig = keyed(arm())
    bag = installed.module("compat").find_bag(rig)
    curve = bag.fcurves.find("articulate.effectors[3].influence")
    curve.mute, curve.lock, curve.extrapolation = True, True, "LINEAR"
    curve.modifiers.new("CYCLES")
    remove("a")
    assert bag.fcurves.find("articulate.effectors[3].influence") is None
    curve = bag.fcurves.find("articulate.effectors[2].influence")
    assert (curve.mute, curve.lock, curve.extrapolation, len(curve.modifiers)) == (True, True, "LINEAR", 1)


def test_vectors_follow_in_all_components():
    rig = keyed(arm())
    rig.articulate.effectors["c"].keyframe_insert("pin_location", frame=3)
    remove("a")
    assert {key for key in curves(rig) if "pin" in key[0]} == {
        ("articulate.effectors[1].pin_location", index) for index in range(3)
    }


def test_drivers_follow_and_go():
    rig = keyed(arm())
    source = bpy.data.objects.new("Source", None)
    for name, value in zip(NAMES, (1.0, 2.0, 3.0, 4.0), strict=True):
        source[name] = value
        driven(rig.articulate.effectors[name], "weight", source, f'["{name}"]')
    remove("b")
    source.update_tag()
    bpy.context.view_layer.update()
    assert [effector.weight for effector in rig.articulate.effectors] == [1.0, 3.0, 4.0]
    assert len(rig.animation_data.drivers) == 3 and not dead(rig)


def test_drivers_elsewhere_that_read_an_effector_follow_it():
    rig = keyed(arm())
    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    group = bpy.data.materials.new("Paint")
    if group.node_tree is None:  # before 5.0; newer materials always have one
        group.use_nodes = True
    node = group.node_tree.nodes.new("ShaderNodeValue")
    reading = [
        driven(other, "empty_display_size", rig, "articulate.effectors[2].influence"),
        driven(other, "hide_render", rig, "articulate.effectors[1].influence"),
        driven(node.outputs[0], "default_value", rig, "articulate.effectors[3].influence"),
        driven(rig.pose.bones["b0"], "custom_shape_wire_width", rig, "articulate.effectors[3].influence"),
        driven(other, "pass_index", bpy.data.objects.new("Else", None), "articulate.effectors[3].influence"),
    ]
    remove("b")
    read = [curve.driver.variables[0].targets[0].data_path for curve in reading]
    assert read == [
        "articulate.effectors[1].influence",
        "",
        "articulate.effectors[2].influence",
        "articulate.effectors[2].influence",
        "articulate.effectors[3].influence",
    ]
    bpy.context.scene.frame_set(END)
    assert other.empty_display_size == pytest.approx(0.7)
    assert not reading[1].driver.is_valid  # Blender marks it in red: what it read is gone


def test_keying_sets_follow():
    rig = keyed(arm())
    chosen = bpy.context.scene.keying_sets.new(idname="Mine", name="Mine")
    for number in (0, 1, 3):
        chosen.paths.add(rig, f"articulate.effectors[{number}].influence")
    remove("b")
    assert [path.data_path for path in chosen.paths] == [
        "articulate.effectors[0].influence",
        "articulate.effectors[2].influence",
    ]


def strips_of(rig: bpy.types.Object) -> list[bpy.types.NlaStrip]:
    """The action pushed down, and a second one, with c's influence alone, in a strip above."""
    data = rig.animation_data
    first = data.action
    track = data.nla_tracks.new()
    low = track.strips.new("Low", START, first)
    data.action = None
    rig.articulate.effectors["c"].influence = 0.9
    rig.articulate.effectors["c"].keyframe_insert("influence", frame=30)
    track = data.nla_tracks.new()
    high = track.strips.new("High", 30, data.action)
    data.action = None
    if hasattr(low, "action_slot"):
        for strip in (low, high):
            strip.action_slot = strip.action.slots[0]
    low.extrapolation = high.extrapolation = "HOLD_FORWARD"
    return [low, high]


def test_strips_follow():
    rig = keyed(arm())
    strips_of(rig)
    before = values(rig)
    assert before == expected(*NAMES)
    remove("b")
    assert values(rig) == expected("a", "c", "d")
    bpy.context.scene.frame_set(30)
    assert rig.articulate.effectors["c"].influence == pytest.approx(0.9)


def test_strips_within_a_meta_strip_follow():
    rig = keyed(arm())
    low, _ = strips_of(rig)
    compat = installed.module("compat")

    meta = SimpleNamespace(strips=[low], action=None)
    data = SimpleNamespace(nla_tracks=[SimpleNamespace(strips=[meta])], action=None)
    assert list(compat.players(data)) == [low]
    assert compat.played_curves(low)
    animation = installed.module("bridge.animation")
    assert list(animation.keyed_curves(SimpleNamespace(animation_data=data)))


def play_again(rig: bpy.types.Object, action: bpy.types.Action) -> None:
    slot = action.slots[0].identifier if hasattr(action, "slots") else ""
    installed.module("compat").play(rig.animation_data, action, slot)


def test_tweak_mode_is_as_before():
    rig = keyed(arm())
    low, _high = strips_of(rig)
    data = rig.animation_data
    data.nla_tracks.active = data.nla_tracks[0]
    low.select = True
    data.use_tweak_mode = True
    assert data.use_tweak_mode
    remove("b")
    assert data.use_tweak_mode and data.action == low.action
    data.use_tweak_mode = False
    assert values(rig) == expected("a", "c", "d")


def test_the_action_that_tweak_mode_hides_follows_once():
    rig = keyed(arm())
    low, _high = strips_of(rig)
    data = rig.animation_data
    hidden = low.action.copy()
    play_again(rig, hidden)
    data.nla_tracks.active = data.nla_tracks[0]
    low.select = True
    data.use_tweak_mode = True
    assert data.action == low.action
    remove("a")
    data.use_tweak_mode = False
    assert data.action == hidden
    found = sorted(curve.data_path[21] for curve in installed.module("compat").find_bag(rig).fcurves)
    assert found == ["0", "1", "2"] and values(rig) == expected("b", "c", "d")


def test_an_action_that_is_not_played_at_the_moment_follows():
    rig = keyed(arm())
    first = rig.animation_data.action
    first.use_fake_user = True
    rig.animation_data.action = None
    for name in ("c", "b"):
        key(rig, name, 0.4)
    remove("b")
    assert values(rig)["c"] == (0.4, 0.9)
    play_again(rig, first)
    assert values(rig) == expected("a", "c", "d") and not dead(rig)


def test_the_source_of_a_bake_follows():
    rig = keyed(arm())
    source = rig.animation_data.action
    bpy.ops.articulate.bake(frame_start=1, frame_end=2)
    assert rig.animation_data.action != source
    remove("b")
    assert values(rig) == expected("a", "c", "d")
    play_again(rig, source)
    assert values(rig) == expected("a", "c", "d") and not dead(rig)
    bpy.ops.articulate.clear()
    assert paths(rig) == set()


def test_an_action_of_another_figure_that_is_not_played_at_the_moment_stays():
    rig, other = keyed(arm()), keyed(arm())
    action = rig.animation_data.action
    rig.animation_data.action = None
    remove("b")
    assert "b" not in other.articulate.effectors
    play_again(rig, action)
    assert values(rig) == expected(*NAMES)


@pytest.mark.parametrize("in_strip", [False, True])
def test_another_figure_that_plays_the_same_action_keeps_it(in_strip: bool):
    rig = keyed(arm())
    if in_strip:
        strips_of(rig)
    twin = rig.copy()
    bpy.context.scene.collection.objects.link(twin)
    bpy.context.view_layer.update()
    shared = {action.name for action in bpy.data.actions}
    ends = [(s.frame_start, s.frame_end) for t in rig.animation_data.nla_tracks for s in t.strips]
    remove("b")
    assert values(twin) == expected(*NAMES) and values(rig) == expected("a", "c", "d")
    assert ends == [(s.frame_start, s.frame_end) for t in rig.animation_data.nla_tracks for s in t.strips]
    count = len(bpy.data.actions)
    assert count > len(shared)
    remove("c")
    assert values(twin) == expected(*NAMES) and values(rig) == expected("a", "d")
    assert len(bpy.data.actions) == count, "it has its own by now"


def test_an_action_that_is_shared_but_has_nothing_to_change_stays_shared():
    rig = arm()
    rig.pose.bones["b0"].keyframe_insert("location", frame=1)
    add("b1"), add("b2")
    twin = rig.copy()
    bpy.context.scene.collection.objects.link(twin)
    remove("b1")
    assert rig.animation_data.action == twin.animation_data.action


def test_another_slot_of_the_action_is_left_alone():
    rig = keyed(arm())
    action = rig.animation_data.action
    if not hasattr(action, "slots"):
        pytest.skip("actions have no slots")
    other = bpy.data.objects.new("Other", None)
    other.animation_data_create().action = action
    other.animation_data.action_slot = action.slots.new(id_type="OBJECT", name="Other")
    for number in range(4):
        bag = installed.module("compat").ensure_bag(other)
        bag.fcurves.new(f"articulate.effectors[{number}].influence")
    remove("b")
    assert other.animation_data.action == rig.animation_data.action == action
    assert [c.data_path[21] for c in bag.fcurves] == ["0", "1", "2", "3"] and len(curves(rig)) == 3


def test_a_linked_action_is_copied(tmp_path: Path):
    rig = keyed(arm())
    bpy.data.libraries.write(str(tmp_path / "library.blend"), {rig.animation_data.action})
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (there, here):
        here.actions = there.actions
    linked = here.actions[0]
    installed.module("compat").play(
        rig.animation_data, linked, linked.slots[0].identifier if hasattr(linked, "slots") else ""
    )
    assert values(rig) == expected(*NAMES)
    remove("a")
    assert values(rig) == expected("b", "c", "d")
    assert rig.animation_data.action.library is None and linked.library is not None


def test_a_duplicated_object_has_animation_of_its_own():
    rig = keyed(arm())
    for thing in bpy.context.view_layer.objects:
        thing.select_set(thing == rig)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    remove("a")
    assert values(copy) == expected("b", "c", "d") and values(rig) == expected(*NAMES)
    bpy.context.view_layer.objects.active = rig
    remove("d")
    assert values(copy) == expected("b", "c", "d") and values(rig) == expected("a", "b", "c")
