# SPDX-License-Identifier: GPL-3.0-or-later
"""What was baked is what plays, whatever is in the way: muting, modifiers, the NLA, remapped time."""

from __future__ import annotations

import bpy
import pytest
from addon_scenes import animate, arm, curves, miss, reach
from installed import module

compat = module("compat")


def reaching() -> bpy.types.Object:
    """An arm that was baked once, and whose target has another way since."""
    rig = arm()
    target = reach(rig, "b3", (1.5, 0.5, 2.0))
    bpy.ops.articulate.bake(frame_start=1, frame_end=8)
    animate(target, {1: (1.5, 0.5, 2.0), 8: (-1.0, 1.5, 2.0)})
    return rig


def bake(**options: object) -> None:
    bpy.ops.articulate.bake(frame_start=1, frame_end=8, **options)


def worst(rig: bpy.types.Object) -> float:
    found = []
    for frame in range(1, 9):
        bpy.context.scene.frame_set(frame)
        found.append(miss(rig, "b3"))
    return max(found)


def clips(rig: bpy.types.Object) -> list[bpy.types.FCurve]:
    return list(compat.find_bag(rig).fcurves)


@pytest.mark.parametrize("overwrite", [True, False])
def test_muted_curves_are_heard_again(overwrite: bool):
    rig = reaching()
    for curve in clips(rig):
        curve.mute = curve.group.mute = True
    bake(use_current_action=overwrite)
    assert worst(rig) < 1e-3


@pytest.mark.parametrize("overwrite", [True, False])
@pytest.mark.parametrize("kind", ["NOISE", "LIMITS", "STEPPED", "GENERATOR", "CYCLES"])
def test_modifiers_do_not_change_what_was_baked(kind: str, overwrite: bool):
    rig = reaching()
    for curve in clips(rig):
        modifier = curve.modifiers.new(kind)
        if kind == "LIMITS":
            modifier.use_max_y, modifier.max_y = True, 0.1
        if kind == "STEPPED":
            modifier.frame_step = 4
    bake(use_current_action=overwrite)
    assert worst(rig) < 1e-3
    assert {m.mute for curve in clips(rig) for m in curve.modifiers} == {kind != "CYCLES"}


def test_what_was_muted_is_muted_again_when_a_bake_is_taken_back():
    rig = reaching()
    action = module("bridge.action")
    for curve in clips(rig):
        curve.mute = True
        curve.modifiers.new("NOISE")
    backup = action.write_keys(
        rig, [action.Curve("b1", "rotation_quaternion", 0, *(2 * [module("bridge.curves").np.arange(3.0)]))]
    )
    assert not all(curve.mute for curve in clips(rig))
    backup.close()
    assert all(curve.mute and not curve.modifiers[0].mute for curve in clips(rig))


@pytest.mark.parametrize("owner", ["curve", "group"])
def test_a_locked_curve_is_not_overwritten(owner: str):
    rig = reaching()
    curve = clips(rig)[5]
    (curve if owner == "curve" else curve.group).lock = True
    before = curves(rig)
    with pytest.raises(
        RuntimeError, match=r"rotation quaternion of bone 'b1' is locked in action 'RigAction'"
    ):
        bake(use_current_action=True)
    assert curves(rig) == before
    bake()
    assert worst(rig) < 1e-3


def in_the_nla() -> bpy.types.Object:
    """An arm with an NLA strip below."""
    rig = reaching()
    data = rig.animation_data
    data.nla_tracks.new().strips.new("Strip", 1, data.action)
    data.action = None
    return rig


def test_a_bake_over_nla_strips():
    rig = in_the_nla()
    bake()
    assert worst(rig) < 1e-3


def test_locked_components_keep_their_value_over_nla_strips():
    """The NLA takes a quaternion as a whole: what has no key in it would be zero."""
    rig = reaching()
    bone = rig.pose.bones["b1"]
    bone.rotation_quaternion = (0.9, 0.25, 0.2, 0.3)
    bone.lock_rotation[1] = bone.lock_rotations_4d = True
    bone.keyframe_insert("rotation_quaternion", frame=1)
    data = rig.animation_data
    data.nla_tracks.new().strips.new("Strip", 1, data.action)
    data.action = None
    bake()
    reported = rig.articulate.report["effectors"]["b3"]["worst"]
    assert worst(rig) == pytest.approx(reported, abs=1e-4)


@pytest.mark.parametrize(("blend", "influence"), [("ADD", 1.0), ("COMBINE", 1.0), ("REPLACE", 0.5)])
def test_an_action_that_is_mixed_in_the_nla_is_refused(blend: str, influence: float):
    rig = in_the_nla()
    rig.animation_data.action_blend_type, rig.animation_data.action_influence = blend, influence
    with pytest.raises(RuntimeError, match=r"'Rig' is mixed with its NLA strips.*set it to Replace"):
        bake()
    assert rig.animation_data.action is None
    rig.animation_data.use_nla = False
    bake()
    assert worst(rig) < 1e-3


def test_a_solo_track_is_said():
    rig = in_the_nla()
    rig.animation_data.nla_tracks[0].is_solo = True
    with pytest.raises(RuntimeError, match=r"'Rig' does not play, because NLA track 'NlaTrack' plays solo"):
        bake()


def test_remapped_time():
    rig = reaching()
    render = bpy.context.scene.render
    render.frame_map_old, render.frame_map_new = 100, 250
    bake()
    assert worst(rig) < 1e-3
    assert [frame for frame, _value in next(iter(curves(rig).values()))][-1] == pytest.approx(8.0)
