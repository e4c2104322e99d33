# SPDX-License-Identifier: GPL-3.0-or-later
"""Effectors that keep their bones' own motion: what is mended in a clip, and what stays as it was."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import add, evaluated, reach, tip, two_arms

FRAMES = range(1, 25)


def clip() -> bpy.types.Object:
    """A figure whose right arm swings to and fro while its trunk leans."""
    rig = two_arms()
    for bone in rig.pose.bones:
        bone.rotation_mode = "QUATERNION"
    for frame, swing, lean in ((1, 0.7, -0.05), (12, -0.6, 0.1), (24, 0.7, -0.05)):
        turns = {
            "chest": (1.0, lean, 0.0, 0.0),
            "arm.R": (1.0, 0.0, 0.0, swing),
            "hand.R": (1.0, 0.3, 0.0, 0.0),
        }
        for name, turn in turns.items():
            rig.pose.bones[name].rotation_quaternion = turn
            rig.pose.bones[name].keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.scene.frame_set(1)
    return rig


def places(rig: bpy.types.Object, bone: str) -> np.ndarray:
    """(F, 3) where a bone's tip is in every frame."""
    found = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        found.append(tip(rig, bone))
    bpy.context.scene.frame_set(1)
    return np.array(found)


def bake() -> None:
    bpy.ops.articulate.bake(frame_start=FRAMES[0], frame_end=FRAMES[-1])


@pytest.mark.parametrize("keeps", [True, False])
def test_a_hand_keeps_its_motion_while_the_other_one_is_mended(keeps):
    rig = clip()
    before = places(rig, "hand.R")
    reach(rig, "hand.L", (1.2, 0.9, 2.4))
    if keeps:
        add("hand.R", keeps_motion=True)
    bake()
    off = np.linalg.norm(places(rig, "hand.R") - before, axis=1)
    assert np.linalg.norm(places(rig, "hand.L") - (1.2, 0.9, 2.4), axis=1).max() < 1e-4
    assert (off < 1e-4).all() if keeps else off.max() > 0.05, "it is carried along where nothing keeps it"


def test_who_keeps_position_and_rotation_keeps_both():
    rig = clip()

    def frames() -> list[np.ndarray]:
        found = []
        for frame in FRAMES:
            bpy.context.scene.frame_set(frame)
            found.append(np.array(rig.pose.bones["hand.R"].matrix))
        return found

    before = frames()
    reach(rig, "hand.L", (1.3, 0.8, 2.2))
    bpy.ops.articulate.pin(bone="hand.R", kind="POSE", motion=True)
    bake()
    assert np.abs(np.array(frames()) - before).max() < 2e-4


@pytest.mark.solver
def test_a_motion_through_a_wall_goes_along_it_and_is_as_it_was_elsewhere():
    rig = clip()
    before = places(rig, "hand.R")
    add("hand.R", keeps_motion=True)
    front = float(np.quantile(before[:, 1], 0.7))
    bpy.ops.mesh.primitive_cube_add(size=8.0, location=(-1.5, front + 4.0, 2.0))
    cube = bpy.context.object
    bpy.context.view_layer.objects.active = rig
    bpy.ops.articulate.obstacle_add(object=cube.name)
    bake()
    after = places(rig, "hand.R")
    assert before[:, 1].max() > front + 0.05, "it went through"
    assert after[:, 1].max() < front
    clear = before[:, 1] < front - 0.3
    assert clear.any() and np.linalg.norm(after - before, axis=1)[clear].max() < 1e-4


def test_what_slides_stands_while_its_pin_has_influence_and_the_clip_is_as_it_was_elsewhere():
    rig = clip()
    before, other = places(rig, "hand.R"), places(rig, "hand.L")
    bpy.context.scene.frame_set(10)
    bpy.ops.articulate.pin(bone="hand.R")
    bpy.ops.articulate.pin(bone="hand.L", motion=True)
    pin = rig.articulate.effectors["hand.R"]
    for frame, influence in ((7, 0.0), (10, 1.0), (15, 1.0), (18, 0.0)):
        pin.influence = influence
        pin.keyframe_insert("influence", frame=frame)
    bake()
    after = places(rig, "hand.R")
    assert np.ptp(before[9:15], axis=0).max() > 0.05, "it slid"
    assert np.ptp(after[9:15], axis=0).max() < 1e-4
    assert np.abs(after - before)[[*range(7), *range(17, 24)]].max() < 1e-4
    assert np.abs(places(rig, "hand.L") - other).max() < 1e-4


def keyed_pin():
    """A clip with a pin on hand.R whose influence is keyed for frames 5 to 8; the frame is 16."""
    rig = clip()
    bpy.ops.articulate.pin(bone="hand.R")
    pin = rig.articulate.effectors["hand.R"]
    for frame, influence in ((3, 0.0), (5, 1.0), (8, 1.0), (10, 0.0)):
        pin.influence = influence
        pin.keyframe_insert("influence", frame=frame)
    bpy.context.scene.frame_set(16)
    return rig, pin


@pytest.mark.parametrize("way", ["pin", "drag", "target_move"])
def test_a_pin_that_holds_in_other_frames_is_not_moved(way):
    """Else the steps that were mended before would be drawn to the place of the last one."""
    rig, pin = keyed_pin()
    before = tuple(pin.pin_location)

    def move() -> None:
        if way == "pin":
            bpy.ops.articulate.pin(bone="hand.R")
        elif way == "drag":
            bpy.ops.articulate.drag(bone="hand.R", move=(0.0, 0.1, 0.1))
        else:
            bpy.ops.articulate.target_move(effector="hand.R", move=(0.0, 0.1, 0.1))

    with pytest.raises(
        RuntimeError, match=r"Pin 'hand.R' has one place.*frames 4 to 9.*in frame 16.*key the target"
    ):
        move()
    assert tuple(rig.articulate.effectors["hand.R"].pin_location) == before
    bpy.context.scene.frame_set(6)
    move()
    assert tuple(rig.articulate.effectors["hand.R"].pin_location) != before, "these are the frames it is for"


@pytest.mark.parametrize(("name", "on", "off"), [("enabled", True, False), ("weight", 1.0, 0.0)])
def test_a_pin_that_is_switched_off_by_keys_is_not_moved(name, on, off):
    rig = clip()
    bpy.ops.articulate.pin(bone="hand.R")
    pin = rig.articulate.effectors["hand.R"]
    for frame, value in ((5, on), (8, on), (10, off)):
        setattr(pin, name, value)
        pin.keyframe_insert(name, frame=frame)
    before = tuple(pin.pin_location)
    bpy.context.scene.frame_set(16)
    with pytest.raises(RuntimeError, match=rf"up to frame 9\).*in frame 16.*the keys of its .*(?i:{name})"):
        bpy.ops.articulate.pin(bone="hand.R")
    assert tuple(pin.pin_location) == before
    bpy.context.scene.frame_set(9)
    bpy.ops.articulate.pin(bone="hand.R")
    assert tuple(pin.pin_location) != before


def test_the_checkbox_moves_no_pin_that_holds_in_other_frames():
    rig, pin = keyed_pin()
    before = tuple(pin.pin_location), tuple(pin.pin_rotation)
    pin.pinned = False
    pin.pinned = True
    assert (tuple(pin.pin_location), tuple(pin.pin_rotation)) == before
    assert "Pin 'hand.R' has one place" in rig.articulate.message
    bpy.context.scene.frame_set(6)
    pin.pinned = True
    assert tuple(pin.pin_location) != before[0], "these are the frames it is for"
    assert not rig.articulate.message


def test_the_checkbox_gives_a_first_place_whatever_is_keyed():
    rig, pin = keyed_pin()
    pin.pinned = False
    pin.property_unset("pin_location")
    pin.pinned = True
    assert np.allclose(pin.pin_location, places(rig, "hand.R")[15], atol=1e-4)


@pytest.mark.parametrize("by", ["driver", "strip"])
def test_a_pin_of_which_nobody_can_say_where_it_holds_is_not_moved(by):
    rig, pin = keyed_pin()
    if by == "driver":
        pin.driver_add("influence").driver.expression = "frame < 8"
    else:
        data = rig.animation_data
        strip = data.nla_tracks.new().strips.new("steps", 1, data.action)
        strip.action_frame_start, strip.action_frame_end = 1, 24
        data.action = None
    bpy.context.scene.frame_set(6)
    before = tuple(pin.pin_location)
    with pytest.raises(RuntimeError, match="a driver or an NLA strip sets its influence"):
        bpy.ops.articulate.drag(bone="hand.R", move=(0.0, 0.1, 0.1))
    pin.pinned = True
    assert tuple(pin.pin_location) == before


def test_a_pin_that_is_never_let_go_is_moved_in_any_frame():
    rig = clip()
    bpy.ops.articulate.pin(bone="hand.R")
    rig.articulate.effectors["hand.R"].keyframe_insert("influence", frame=5)
    bpy.context.scene.frame_set(16)
    bpy.ops.articulate.pin(bone="hand.R")
    bpy.ops.articulate.drag(bone="hand.R", move=(0.0, 0.1, 0.1))


def test_a_solve_of_what_only_keeps_its_motion_changes_nothing():
    rig = clip()
    bpy.context.scene.frame_set(7)
    add("hand.R", keeps_motion=True)
    assert not [thing for thing in bpy.data.objects if thing.type == "EMPTY"], "it needs no target"
    before = np.array([bone.matrix for bone in evaluated(rig).pose.bones])
    bpy.ops.articulate.solve()
    assert rig.articulate.report["status"] == "REACHED"
    assert np.abs(np.array([bone.matrix for bone in evaluated(rig).pose.bones]) - before).max() < 1e-5


def test_live_shows_what_a_bake_writes():
    rig = clip()
    reach(rig, "hand.L", (1.2, 0.9, 2.4))
    add("hand.R", keeps_motion=True)
    before = places(rig, "hand.R")
    rig.articulate.live = True
    live = places(rig, "hand.R")
    assert np.linalg.norm(live - before, axis=1).max() < 1e-4
    for frame in (20, 3, 11):
        bpy.context.scene.frame_set(frame)
        assert np.linalg.norm(tip(rig, "hand.R") - before[frame - 1]) < 1e-4, "in any order of frames"


def test_in_a_drag_it_holds_and_lets_itself_be_dragged():
    rig = clip()
    bpy.context.scene.frame_set(5)
    bpy.ops.articulate.pin(bone="hand.R", motion=True)
    held = tip(rig, "hand.R")
    bpy.ops.articulate.drag(bone="hand.L", move=(-0.3, 0.5, 0.2))
    assert np.linalg.norm(tip(rig, "hand.R") - held) < 1e-4
    way = np.array([0.2, 0.3, -0.1])
    wanted = held + way
    bpy.ops.articulate.drag(bone="hand.R", move=way)
    assert np.linalg.norm(tip(rig, "hand.R") - wanted) < 1e-4
    bpy.ops.articulate.solve()
    assert np.linalg.norm(tip(rig, "hand.R") - wanted) < 1e-4, "what it keeps is where it is now"


def test_it_is_a_pin_that_is_set_anew_let_go_and_mirrored():
    rig = clip()
    bpy.ops.articulate.pin(bone="hand.R", motion=True)
    effector = rig.articulate.effectors["hand.R"]
    assert effector.keeps_motion and effector.follows == "MOTION"
    bpy.ops.articulate.mirror(bone="hand.R")
    assert rig.articulate.effectors["hand.L"].follows == "MOTION"
    bpy.ops.articulate.pin(bone="hand.R")
    assert rig.articulate.effectors["hand.R"].follows == "PIN", "held to a place again"
    bpy.ops.articulate.unpin(bone="hand.L")
    assert rig.articulate.effectors.keys() == ["hand.R"]


def test_a_target_goes_before_it_and_only_what_has_a_place_or_a_turn_can_keep_it():
    rig = clip()
    effector = add("hand.R", keeps_motion=True)
    bpy.ops.articulate.target_create(effector="hand.R")
    assert effector.follows == "TARGET" and not effector.shows("keeps_motion")
    look = add("hand.L", "AIM")
    look.target, look.keeps_motion = None, True
    assert look.follows == "MISSING"
    assert rig.articulate.effectors.keys() == ["hand.R", "hand.L"]


def test_it_is_drawn_as_a_pin_where_its_bone_is():
    rig = clip()
    bpy.context.scene.frame_set(9)
    add("hand.R", keeps_motion=True)
    (mark,) = installed.module("viewport.marks").read_marks(rig)
    assert mark.pin and np.allclose(mark.target, tip(rig, "hand.R"), atol=1e-5)
