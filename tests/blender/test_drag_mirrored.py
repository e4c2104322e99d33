# SPDX-License-Identifier: GPL-3.0-or-later
"""Drags with Blender's X-Axis Mirror: the other side follows; where it is then is measured by Blender."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import curves, evaluated, reach, snapshot, tip, two_arms
from bridge_rigs import make_rig, metarig
from drag_window import Mouse, tip_at
from test_drag import by, pin, start, turn_of
from test_draw_data import colours, drawn, of_colour

drag = installed.module("control.drag.drag")
ACROSS = np.array([-1.0, 1.0, 1.0])


def mirrored(rig: bpy.types.Object, *, relative: bool = False) -> bpy.types.Object:
    """With the options on."""
    rig.pose.use_mirror_x, rig.pose.use_mirror_relative = True, relative
    return rig


def asymmetry(rig: bpy.types.Object) -> float:
    """The farthest that any joint is from the mirrored one of the other side, metres of the armature."""
    bones = evaluated(rig).pose.bones
    off = [0.0]
    for bone in bones:
        other = bones.get(bpy.utils.flip_name(bone.name))
        if other is not None:
            off += [np.abs(ACROSS * bone.head - np.array(other.head)).max()]
            off += [np.abs(ACROSS * bone.tail - np.array(other.tail)).max()]
    return float(max(off))


@pytest.mark.parametrize("make", [two_arms, lambda: metarig("basic"), metarig])
def test_the_other_side_follows_and_the_figure_stays_symmetric(make):
    rig = mirrored(make())
    begun = tip(rig, "hand.R")
    held = start(rig, "hand.L")
    for way in ([-0.1, -0.1, -0.05], [-0.15, -0.3, 0.1], [-0.2, -0.2, 0.2]):
        held.move_to(by(held, way))
        moved = held.move_to(by(held, way))
        assert moved.status == "REACHED"
        assert np.linalg.norm(tip(rig, "hand.L") - by(held, way)) < 1e-4
        assert np.linalg.norm(tip(rig, "hand.R") - (begun + ACROSS * way)) < 1e-4
        assert asymmetry(rig) < 1e-4


@pytest.mark.solver
def test_out_of_reach_both_are_as_near_as_each_other():
    rig = mirrored(metarig("basic"))
    held = start(rig, "hand.L")
    moved = held.move_to(by(held, [0.5, -1.5, 2.0]))
    assert moved.status == "BEST_EFFORT" and moved.error > 0.3
    assert moved.message.startswith("hand.L is ") and "from its target" in moved.message
    held.finish(bpy.context)
    assert asymmetry(rig) < 1e-3


def test_the_hands_turn_as_mirror_images():
    rig = mirrored(metarig("basic"))
    held = start(rig, "hand.L", turn=True)
    moved = held.turn_by([0.3, -0.2, 0.5])
    assert moved.status == "REACHED" and asymmetry(rig) < 1e-4
    across = np.diag(ACROSS)
    assert np.abs(turn_of(rig, "hand.R") - across @ turn_of(rig, "hand.L") @ across).max() < 1e-4


def test_without_the_option_the_other_side_stays():
    rig = two_arms()
    rig.pose.use_mirror_relative = True
    before = tip(rig, "hand.R")
    held = start(rig, "hand.L", levels=2)
    held.move_to(by(held, [-0.3, -0.2, -0.1]))
    assert held.grip.other == "" and np.linalg.norm(tip(rig, "hand.R") - before) < 1e-6


@pytest.mark.parametrize("bone", ["spine.003", "spine.006"])
def test_bones_in_the_middle_go_alone(bone):
    free, alone = metarig("basic"), []
    for on in (False, True):
        free.pose.use_mirror_x = on
        held = start(free, bone)
        held.move_to(by(held, [0.1, -0.1, -0.02]))
        alone.append([np.array(each.matrix) for each in evaluated(free).pose.bones])
        assert held.grip.other == ""
        held.cancel()
    assert np.abs(np.array(alone[0]) - alone[1]).max() < 1e-6


def test_a_bone_without_another_side_goes_alone():
    rig = mirrored(
        make_rig(
            [
                ("root", None, (0, 0, 0), (0, 0, 1)),
                ("hook.L", "root", (0.2, 0, 1), (1, 0.1, 1)),
                ("tip.L", "hook.L", (1, 0.1, 1), (1.8, 0, 1)),
            ]
        )
    )
    held = start(rig, "tip.L")
    assert held.move_to(by(held, [-0.4, 0.1, 0.3])).status == "REACHED" and held.grip.other == ""


def test_twins_in_the_middle_are_no_two_sides():
    rows = [
        ("root", None, (0, 0, 0), (0, 0, 1)),
        ("spine", "root", (0, 0, 1), (0, 0.1, 2)),
        ("DEF-spine", "root", (0, 0, 1), (0, 0.1, 2)),
    ]
    rig = mirrored(make_rig(rows))
    assert start(rig, "spine").grip.other == "" == start(rig, "DEF-spine").grip.other


def crooked() -> bpy.types.Object:
    """Two arms of which the right one is bent."""
    rig = two_arms()
    for name, turn in (("arm.R", (1.0, 0.0, 0.0, 0.4)), ("hand.R", (1.0, 0.3, 0.0, -0.2))):
        rig.pose.bones[name].rotation_mode = "QUATERNION"
        rig.pose.bones[name].rotation_quaternion = turn
    bpy.context.view_layer.update()
    return rig


@pytest.mark.parametrize("turn", [False, True])
def test_the_other_side_becomes_the_mirror_image_and_is_given_back(turn):
    rig = mirrored(crooked())
    before = snapshot(rig)
    held = start(rig, "hand.L", turn=turn)
    assert snapshot(rig) == before  # nothing moves yet
    if turn:
        held.turn_by([0.2, 0.1, -0.3])
    else:
        held.move_to(by(held, [-0.3, -0.2, -0.1]))
    assert asymmetry(rig) < 1e-4
    held.cancel()
    assert snapshot(rig) == before


def test_relative_mirror_takes_the_other_hand_the_mirrored_way_from_where_it_was():
    rig = mirrored(crooked(), relative=True)
    begun, elbow = tip(rig, "hand.R"), tip(rig, "arm.R")
    held, way = start(rig, "hand.L"), np.array([-0.2, -0.1, -0.15])
    assert held.move_to(by(held, 1e-6 * way)).status == "REACHED"
    assert np.linalg.norm(tip(rig, "arm.R") - elbow) < 1e-4
    assert held.move_to(by(held, way)).status == "REACHED"
    assert np.linalg.norm(tip(rig, "hand.R") - (begun + ACROSS * way)) < 1e-4
    assert asymmetry(rig) > 0.1


def test_relative_mirror_turns_the_other_bone_in_its_own_axes_as_blenders_tools_do():
    rig = mirrored(crooked(), relative=True)
    one, two = turn_of(rig, "hand.L"), turn_of(rig, "hand.R")
    held = start(rig, "hand.L", turn=True, levels=1)
    held.turn_by([0.2, 0.1, -0.3])
    across = np.diag(ACROSS)
    # Blender: the change of matrix_basis, mirrored in the bone's own axes
    wanted = two @ across @ (one.T @ turn_of(rig, "hand.L")) @ across
    assert np.abs(turn_of(rig, "hand.R") - wanted).max() < 1e-4


def test_after_a_turn_the_hands_move_on_from_there():
    for relative in (False, True):
        rig = mirrored(two_arms(), relative=relative)
        held = start(rig, "hand.L", turn=True)
        held.turn_by([0.0, 0.4, 0.3])
        held.change(bpy.context, drag.Grip(bone="hand.L", other=held.grip.other))
        held.move_to(by(held, [-0.2, -0.2, 0.1]))
        assert asymmetry(rig) < 1e-4


def test_it_is_the_armatures_own_middle_wherever_that_is():
    rig = mirrored(two_arms())
    rig.location, rig.rotation_euler, rig.scale = (3, -1, 2), (0.4, -0.8, 2.1), (0.01, 0.01, 0.01)
    bpy.context.view_layer.update()
    held = start(rig, "hand.L")
    held.move_to(by(held, 0.01 * np.array([0.1, -0.2, 0.1])))
    assert asymmetry(rig) < 1e-4


@pytest.mark.parametrize("left, right", [("LeftHand", "RightHand"), ("hand_1", "hand_2")])
def test_sides_are_told_by_the_drawing_where_names_do_not(left, right):
    rig = mirrored(two_arms())
    rig.data.bones["hand.L"].name, rig.data.bones["hand.R"].name = left, right
    begun = tip(rig, right)
    held, way = start(rig, left), np.array([-0.2, -0.3, 0.1])
    held.move_to(by(held, way))
    assert np.linalg.norm(tip(rig, right) - (begun + ACROSS * way)) < 1e-4


def test_bones_that_are_rolled_otherwise_are_mirrored_as_they_are_drawn():
    rig = two_arms()
    bpy.ops.object.mode_set(mode="EDIT")
    for name, roll in (("arm.R", np.pi), ("hand.R", -np.pi / 2), ("arm.L", np.pi / 2)):
        rig.data.edit_bones[name].roll = roll
    bpy.ops.object.mode_set(mode="POSE")
    rig.pose.bones["arm.L"].rotation_mode = "XYZ"
    rig.pose.bones["arm.L"].rotation_euler = (0.2, 0.3, -0.2)
    bpy.context.view_layer.update()
    held = start(mirrored(rig), "hand.L")
    held.move_to(by(held, [-0.3, -0.2, 0.1]))
    assert asymmetry(rig) < 1e-4


@pytest.mark.parametrize("bone", ["foot.L", "shin.L"])
def test_both_legs_are_lifted_alike_and_the_hips_stay_in_their_place(bone):
    rig = mirrored(metarig("basic"))
    hips = np.array(evaluated(rig).pose.bones["spine"].head)
    held = start(rig, bone)
    for share in (0.2, 0.5, 1.0):
        assert held.move_to(by(held, share * np.array([0.05, -0.15, 0.2]))).status == "REACHED"
    held.finish(bpy.context)
    assert np.abs(np.array(evaluated(rig).pose.bones["spine"].head) - hips).max() < 1e-3
    assert asymmetry(rig) < 1e-4


@pytest.mark.parametrize("way", [(0.0, 0.3, 0.2), (0.0, -0.1, 0.1), (0.2, 0.0, 0.05)])
def test_knees_are_alike_where_the_feet_below_the_hands_give_way(way):
    rig = mirrored(metarig())
    held = start(rig, "shin.L")
    for share in np.linspace(0.1, 1.0, 10):
        assert held.move_to(by(held, share * np.array(way))).status == "REACHED"
        assert asymmetry(rig) < 1e-3
    held.finish(bpy.context)
    assert asymmetry(rig) < 2e-4  # at rest it is 1e-4 that the metarig's sides differ


def test_pins_hold_against_both_hands():
    rig = mirrored(metarig("basic"))
    pin(rig, "foot.R", "POSE")
    foot = tip(rig, "foot.R")
    held = start(rig, "hand.L")
    held.move_to(by(held, [-0.2, -0.5, -0.6]))
    assert np.linalg.norm(tip(rig, "foot.R") - foot) < 1e-3
    gap = tip(rig, "hand.R") - ACROSS * tip(rig, "hand.L")
    assert np.linalg.norm(gap) < 1e-3


def test_pinned_hands_come_along_both_and_stay_where_they_are_left():
    rig = mirrored(two_arms())
    for name in ("hand.L", "hand.R"):
        pin(rig, name)
        rig.articulate.effectors[name].pin_location = tip(rig, name)
    held = start(rig, "hand.L")
    held.move_to(by(held, [-0.3, -0.2, 0.1]))
    held.finish(bpy.context)
    assert asymmetry(rig) < 1e-4
    for name in ("hand.L", "hand.R"):
        assert np.allclose(rig.articulate.effectors[name].pin_location, tip(rig, name), atol=1e-4)


def test_a_bone_that_follows_a_target_goes_on_to_follow_it():
    rig = mirrored(two_arms())
    target = reach(rig, "hand.R", (-1.3, -0.4, 1.9))
    held = start(rig, "hand.L")
    held.move_to(by(held, [-0.3, -0.2, 0.1]))
    assert held.grip.other == ""
    assert np.linalg.norm(tip(rig, "hand.R") - np.array(target.location)) < 1e-3


def test_a_limb_that_a_constraint_leads_stays_with_it():
    rig = mirrored(metarig("basic"))
    goal = bpy.data.objects.new("Goal", None)
    bpy.context.collection.objects.link(goal)
    goal.location = (-0.5, -0.3, 1.2)
    led = rig.pose.bones["forearm.R"].constraints.new("IK")
    led.target, led.chain_count = goal, 2
    bpy.context.view_layer.update()
    before = tip(rig, "forearm.R")
    held = start(rig, "hand.L", levels=3)
    assert held.move_to(by(held, [-0.1, -0.3, 0.1])).status == "REACHED"
    assert held.grip.other == "" and np.linalg.norm(tip(rig, "forearm.R") - before) < 1e-4
    held.cancel()
    led.mute = True
    assert start(rig, "hand.L").grip.other == "hand.R"


def test_a_locked_limb_on_the_other_side_stays():
    rig = mirrored(two_arms())
    for name in ("arm.R", "hand.R"):
        rig.pose.bones[name].lock_rotation = (True, True, True)
    before = np.array(rig.pose.bones["hand.R"].matrix_basis)
    held = start(rig, "hand.L")
    assert held.move_to(by(held, [-0.3, -0.2, 0.1])).status == "REACHED" and held.grip.other == ""
    assert np.linalg.norm(tip(rig, "hand.L") - by(held, [-0.3, -0.2, 0.1])) < 1e-3
    assert np.abs(np.array(rig.pose.bones["hand.R"].matrix_basis) - before).max() == 0.0


def test_only_so_many_bones_of_either_side():
    rig = mirrored(two_arms())
    held = start(rig, "hand.L", levels=1)
    assert set(held.bones) == {"hand.L", "hand.R"}
    held.move_to(by(held, [-0.1, -0.3, 0.2]))
    assert asymmetry(rig) < 1e-4


def test_auto_key_keys_both_sides():
    rig = mirrored(metarig("basic"))
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    held = start(rig, "hand.L", levels=3)
    held.move_to(by(held, [-0.1, -0.3, 0.1]))
    held.finish(bpy.context)
    paths = {path for path, _index in curves(rig)}
    for side in "LR":
        for bone in ("hand", "forearm", "upper_arm"):
            assert any(f'"{bone}.{side}"' in path for path in paths), (bone, side)


@pytest.mark.parametrize("relative", [False, True])
def test_what_is_recorded_plays_on_both_sides(relative):
    rig, scene = mirrored(two_arms(), relative=relative), bpy.context.scene
    rig.pose.bones["arm.R"].rotation_mode = "QUATERNION"
    for frame, turn in ((1, 0.0), (20, 0.3)):  # the other side is animated and this one is not
        rig.pose.bones["arm.R"].rotation_quaternion = (1.0, turn, 0.0, 0.0)
        rig.pose.bones["arm.R"].keyframe_insert("rotation_quaternion", frame=frame)
    scene.frame_set(1)
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="hand.L"), record=True)
    seen = {}
    for frame in range(1, 21):
        scene.frame_set(frame)
        held.follow(bpy.context)
        held.move_to(by(held, np.array([-0.2, -0.3, 0.1]) * frame / 20))
        seen[frame] = tip(rig, "hand.L"), tip(rig, "hand.R")
        if not relative:
            assert asymmetry(rig) < 1e-4
    held.finish(bpy.context)
    for frame, (one, two) in seen.items():
        scene.frame_set(frame)
        assert np.allclose(tip(rig, "hand.L"), one, atol=1e-4)
        assert np.allclose(tip(rig, "hand.R"), two, atol=1e-4)


def test_by_numbers_in_a_script_and_one_step_of_undo():
    rig = mirrored(two_arms())
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.articulate.drag("EXEC_DEFAULT", True, bone="hand.L", move=(-0.3, -0.2, 0.1))
    assert asymmetry(rig) < 1e-4
    assert rig.articulate.message == "Dragged 'hand.L' with 'hand.R' mirrored"
    bpy.ops.ed.undo()
    rig = bpy.context.object
    assert all(tuple(b.rotation_quaternion) == (1.0, 0.0, 0.0, 0.0) for b in rig.pose.bones)


def test_the_header_names_the_other_side_and_escape_gives_both_back():
    rig = mirrored(two_arms())
    rig.pose.use_mirror_x = True
    bpy.ops.object.mode_set(mode="POSE")
    before = snapshot(rig)
    mouse = Mouse(tip_at(rig, "hand.L"))
    mouse.move((1.5, 1.8))
    mouse.tick()
    assert "Drag hand.L   |   hand.R mirrored" in mouse.window.header[-1]
    session = bpy.context.window_manager.articulate
    assert (session.grip, session.other) == ("hand.L", "hand.R")
    assert asymmetry(rig) < 1e-2 < np.linalg.norm(tip(rig, "hand.R") - (-1.8, 0, 2))
    mouse.key("ESC")
    assert snapshot(rig) == before and (session.grip, session.other) == ("", "")


def test_the_overlay_shows_that_both_feet_are_in_the_hand():
    rig = metarig("basic")
    assert len(of_colour(drawn(rig, "foot.L"), "points", colours.HOLD)) == 1
    assert len(of_colour(drawn(mirrored(rig), "foot.L"), "points", colours.HOLD)) == 0
    ankle = np.array(rig.matrix_world @ rig.pose.bones["foot.R"].head)
    legs = of_colour(drawn(rig, "foot.L"), "lines", colours.ALONG)
    assert np.linalg.norm(legs - ankle, axis=1).min() < 1e-5


def test_pins_in_both_hands_are_shown_where_they_go_along():
    rig = mirrored(two_arms())
    for name in ("hand.L", "hand.R"):
        bpy.ops.articulate.pin(bone=name, kind="POSITION")
    session = bpy.context.window_manager.articulate
    held = start(rig, "hand.L")
    session.dragged, session.grip, session.other = rig.session_uid, "hand.L", held.grip.other
    held.move_to(by(held, [-0.3, -0.2, 0.1]))
    pins = of_colour(drawn(rig), "points", colours.PINS["POSITION"])
    for name in ("hand.L", "hand.R"):
        assert np.linalg.norm(pins - tip(rig, name), axis=1).min() < 1e-4
    session.dragged, session.grip, session.other = 0, "", ""
