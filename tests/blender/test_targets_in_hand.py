# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets and pins moved by hand: in the world, one undo step, exactly given back, keyed by auto-key."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import add, curves, evaluated, miss, reach, tip, two_arms
from mathutils import Quaternion

WAY, TURN = np.array([0.2, -0.3, 0.4]), np.array([0.3, -0.5, 0.8])
CHANNELS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")


def in_hand(rig: bpy.types.Object, name: str):
    bpy.context.view_layer.update()
    return installed.module("control.rig.target").TargetInHand(rig, name)


def hung(target: bpy.types.Object, mode: str = "XYZ") -> bpy.types.Object:
    """Hang a target from something that is moved, turned and scaled, with a turn and a scale of its own."""
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.collection.objects.link(parent)
    parent.location, parent.rotation_euler, parent.scale = (1, 2, 3), (0.4, -0.2, 0.9), (2.0, 2.0, 2.0)
    target.parent = parent
    target.rotation_mode = mode
    target.rotation_euler, target.scale = (0.1, 0.2, 0.3), (0.5, 1.5, 1.0)
    bpy.context.view_layer.update()
    return parent


def state(target: bpy.types.Object) -> list[tuple[float, ...]]:
    return [tuple(getattr(target, name)) for name in CHANNELS]


@pytest.mark.parametrize("mode", ["XYZ", "ZYX", "QUATERNION", "AXIS_ANGLE"])
def test_a_target_is_moved_and_turned_in_the_world_whatever_it_hangs_from(mode):
    rig = two_arms()
    target = add("hand.L", "POSE").target
    hung(target, mode)
    before, channels = evaluated(target).matrix_world.copy(), state(target)
    bpy.ops.articulate.target_move(effector="hand.L", move=WAY)
    after = evaluated(target).matrix_world
    assert np.allclose(after.translation, np.array(before.translation) + WAY, atol=1e-5)
    assert np.allclose(after.to_3x3(), before.to_3x3(), atol=1e-6) and state(target)[1:] == channels[1:]
    bpy.ops.articulate.target_move(effector="hand.L", turn=TURN)
    angle = float(np.linalg.norm(TURN))
    wanted = Quaternion(TURN / angle, angle) @ before.to_quaternion()
    turned = evaluated(target).matrix_world
    assert turned.to_quaternion().rotation_difference(wanted).angle == pytest.approx(0.0, abs=1e-3)
    assert np.allclose(turned.translation, after.translation, atol=1e-5), "it turns where it is"
    assert tuple(target.scale) == channels[-1]
    assert rig.articulate.effectors["hand.L"].target == target


@pytest.mark.parametrize("numbers", [{"move": (np.nan, 0, 0)}, {"turn": (0, np.nan, 0)}])
def test_numbers_that_are_not_finite_are_refused(numbers):
    two_arms()
    target = add("hand.L", "POSE").target
    before = state(target)
    with pytest.raises(RuntimeError, match="must be finite numbers"):
        bpy.ops.articulate.target_move(effector="hand.L", **numbers)
    assert state(target) == before


def test_a_pin_is_moved_and_turned():
    rig = two_arms()
    bpy.ops.articulate.pin(bone="hand.L", kind="POSE")
    pin = rig.articulate.effectors["hand.L"]
    place, turn = np.array(pin.pin_location), Quaternion(pin.pin_rotation)
    bpy.ops.articulate.target_move(move=WAY)  # the active one
    bpy.ops.articulate.target_move(turn=TURN)
    assert np.allclose(pin.pin_location, place + WAY, atol=1e-6)
    angle = float(np.linalg.norm(TURN))
    wanted = Quaternion(TURN / angle, angle) @ turn
    assert wanted.rotation_difference(Quaternion(pin.pin_rotation)).angle == pytest.approx(0.0, abs=1e-3)
    bpy.ops.articulate.solve()
    assert np.linalg.norm(tip(rig, "hand.L") - place - WAY) < 1e-3


def test_steps_between_two_redraws_do_not_add_up():
    rig = two_arms()
    target = reach(rig, "hand.L", (1.5, 0.0, 2.0))
    hung(target)
    held = in_hand(rig, "hand.L")
    for share in (0.3, 0.9, 1.0):  # with no update of the scene in between
        held.move_to(held.place + share * WAY)
    for share in (0.2, 1.0):
        held.turn_by(share * TURN)
    start = held.place
    assert np.allclose(evaluated(target).matrix_world.translation, start + WAY, atol=1e-5)


@pytest.mark.parametrize("pinned", [False, True])
def test_letting_go_gives_everything_back_exactly(pinned):
    rig = two_arms()
    if pinned:
        bpy.ops.articulate.pin(bone="hand.L", kind="POSE")
    else:
        hung(add("hand.L", "POSE").target)
    effector = rig.articulate.effectors["hand.L"]
    owner, names = (effector, ("pin_location", "pin_rotation")) if pinned else (effector.target, CHANNELS)
    before = [tuple(getattr(owner, name)) for name in names]
    held = in_hand(rig, "hand.L")
    held.move_to(held.place + WAY)
    held.turn_by(TURN)
    held.cancel()
    assert [tuple(getattr(owner, name)) for name in names] == before


def test_locked_axes_stay():
    rig = two_arms()
    target = add("hand.L").target
    target.lock_location = (True, False, True)
    before = np.array(target.location)
    bpy.ops.articulate.target_move(effector="hand.L", move=WAY)
    assert np.allclose(np.array(target.location) - before, (0.0, WAY[1], 0.0), atol=1e-6)
    assert rig.articulate.effectors["hand.L"].target == target


def test_auto_key_is_obeyed():
    two_arms()
    target = add("hand.L", "POSE").target
    target.rotation_mode = "QUATERNION"
    bpy.ops.articulate.target_move(move=WAY)
    assert not curves(target)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    bpy.ops.articulate.target_move(move=WAY)
    assert sorted(curves(target)) == [("location", 0), ("location", 1), ("location", 2)]
    bpy.ops.articulate.target_move(turn=TURN)
    assert sorted(curves(target))[3:] == [("rotation_quaternion", i) for i in range(4)]
    assert curves(target)["location", 2][0] == pytest.approx((1.0, target.location.z))


@pytest.mark.parametrize("moved_by", ["gizmo", "drag"])
@pytest.mark.parametrize("keyed", [True, False])
def test_auto_key_keys_the_place_of_a_pin_that_has_keys(keyed: bool, moved_by: str):
    rig, scene = two_arms(), bpy.context.scene
    bpy.ops.articulate.pin(bone="hand.L")
    pin = rig.articulate.active
    if keyed:
        for frame, height in ((1, 2.0), (20, 2.1)):
            pin.pin_location.z = height
            pin.keyframe_insert("pin_location", frame=frame)
        scene.frame_set(10)
        bpy.ops.articulate.solve()
    scene.tool_settings.use_keyframe_insert_auto = True
    if moved_by == "gizmo":
        bpy.ops.articulate.target_move(move=(0.0, 0.0, -0.2))
    else:
        bpy.ops.articulate.drag(bone="hand.L", move=(-0.1, 0.0, -0.2))
    place = tuple(pin.pin_location)
    scene.frame_set(12)
    scene.frame_set(10)
    assert tuple(pin.pin_location) == pytest.approx(place, abs=1e-6)
    assert any("pin_location" in path for path, _ in curves(rig)) == keyed


def test_the_active_keying_set_says_what_is_keyed():
    rig = two_arms()
    target = add("hand.L", "POSE").target
    bpy.ops.object.mode_set(mode="POSE")
    scene = bpy.context.scene
    scene.tool_settings.use_keyframe_insert_auto = scene.tool_settings.use_keyframe_insert_keyingset = True
    scene.keying_sets_all.active = scene.keying_sets_all["Scale"]
    bpy.ops.articulate.target_move(move=WAY)
    assert sorted(curves(target)) == [("scale", 0), ("scale", 1), ("scale", 2)] and not curves(rig)


def test_what_is_live_follows():
    rig = two_arms()
    add("hand.L")
    rig.articulate.live = True
    bpy.ops.articulate.target_move(move=(-0.3, 0.4, 0.2))
    bpy.context.view_layer.update()
    assert miss(rig, "hand.L") < 1e-3


def test_one_undo_step():
    rig = two_arms()
    target = add("hand.L").target
    name, before = target.name, tuple(target.location)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.articulate.target_move("EXEC_DEFAULT", True, effector="hand.L", move=WAY)
    bpy.ops.ed.undo()
    assert tuple(bpy.data.objects[name].location) == pytest.approx(before)
    assert rig is not None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda e: setattr(e, "target", None), "has no target and no pin"),
        (lambda e: setattr(e, "name", "other"), "has no effector 'hand.L'"),
    ],
)
def test_what_cannot_be_moved_is_said(change, sentence):
    rig = two_arms()
    add("hand.L")
    change(rig.articulate.effectors["hand.L"])
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.articulate.target_move(effector="hand.L", move=WAY)


def test_a_target_that_is_a_bone_is_moved_as_a_bone():
    rig, other = two_arms(), two_arms()
    bpy.context.view_layer.objects.active = rig
    effector = add("hand.L")
    effector.target, effector.subtarget = other, "root"
    with pytest.raises(RuntimeError, match="follows bone 'root': move that bone"):
        bpy.ops.articulate.target_move(effector="hand.L", move=WAY)


def handles() -> list[str]:
    """Effectors whose targets have the gizmo."""
    return [held.name for held in installed.module("viewport.gizmos").held_effectors(bpy.context)]


def test_the_gizmo_is_on_what_can_be_moved_only():
    rig = two_arms()
    assert handles() == []
    effector = add("hand.L")
    assert handles() == ["hand.L"]
    rig.articulate.overlay.gizmos = False
    assert handles() == []
    rig.articulate.overlay.gizmos = True
    effector.enabled = False
    assert handles() == []
    effector.enabled, effector.target = True, None
    assert handles() == []
    effector.pinned = True
    assert handles() == ["hand.L"]
    bpy.ops.object.mode_set(mode="EDIT")
    assert handles() == []


def test_of_many_that_are_selected_the_active_one_has_the_gizmo():
    rig = two_arms()
    kinds = ("POSITION", "ORIENTATION", "AIM", "PLANE", "DISTANCE")
    for count, kind in enumerate(kinds, 1):
        add("hand.L", kind, name=kind).target.select_set(True)
        assert handles() == list(kinds[:count] if count < 5 else kinds[4:])
    rig.articulate.active_effector = 2
    assert handles() == ["AIM"]


def test_the_gizmo_is_on_every_effector_that_is_selected():
    rig = two_arms()
    for name in ("hand.L", "hand.R"):
        add(name)
    pinned = rig.data.bones[0].name
    bpy.ops.articulate.pin(bone=pinned)
    bpy.ops.object.mode_set(mode="POSE")
    compat = installed.module("compat")

    def select(*names: str) -> None:
        for bone in rig.pose.bones:
            compat.select_bone(bone, bone.name in names)

    select()
    assert handles() == [pinned], "the one that is active in the list"
    select("hand.L", "hand.R", pinned)
    assert handles() == ["hand.L", "hand.R", pinned]
    rig.articulate.active_effector = 0
    select("hand.R")
    assert handles() == ["hand.L", "hand.R"]
    select()
    rig.articulate.effectors["hand.R"].target.select_set(True)
    assert handles() == ["hand.L", "hand.R"]
    session = bpy.context.window_manager.articulate
    session.dragged = rig.session_uid
    assert handles() == [], "not in the way of a drag"
    session.dragged = 0


def test_a_pinned_rotation_is_turned_about_its_bone_and_has_no_place():
    rig = two_arms()
    bpy.ops.articulate.pin(bone="hand.L", kind="ORIENTATION")
    rig.pose.bones["arm.L"].rotation_quaternion = (1.0, 0.0, 0.0, 0.5)
    rig.articulate.overlay.gizmos = True
    bpy.ops.object.mode_set(mode="POSE")
    here = tip(rig, "hand.L")
    (held,) = installed.module("viewport.gizmos").held_effectors(bpy.context)
    assert np.allclose(held.place, here, atol=1e-5) and held.turns and not held.moves
