# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging by points and numbers; where the figure is afterwards is measured by Blender."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import arm, curves, evaluated, reach, snapshot, tip, two_arms, wall
from bridge_rigs import chain_rig, metarig, shake

import ikmath as ik

drag = installed.module("control.drag.drag")
Refused = installed.module("properties.refusal").Refused


def start(rig: bpy.types.Object, bone: str, **options):
    return drag.Drag(rig, bpy.context, drag.Grip(bone=bone, **options))


def by(held, way) -> np.ndarray:
    """The place that lies so far from where the point was."""
    return held.anchor + np.array(way)


def pin(rig: bpy.types.Object, bone: str, kind: str = "POSITION"):
    """Pin a bone where it is."""
    effector = rig.articulate.effectors.add()
    effector.name, effector.bone, effector.kind, effector.pinned = bone, bone, kind, True
    return effector


def turn_of(rig: bpy.types.Object, bone: str) -> np.ndarray:
    shown = evaluated(rig)
    return np.array((shown.matrix_world @ shown.pose.bones[bone].matrix).to_quaternion().to_matrix())


def turned(axis, angle: float) -> np.ndarray:
    from mathutils import Matrix

    return np.array(Matrix.Rotation(angle, 3, axis))


def test_the_grabbed_point_goes_where_the_hand_goes_and_nothing_needs_to_be_set_up():
    rig = arm(5)
    begun = tip(rig, "b4")
    held = start(rig, "b4")
    assert np.allclose(held.anchor, begun, atol=1e-5)
    for step in range(1, 9):
        place = begun + np.array([0.1, 0.05, -0.08]) * step
        moved = held.move_to(place)
        assert np.linalg.norm(tip(rig, "b4") - place) < 1e-3
        assert moved.status == "REACHED"
    assert not rig.articulate.effectors and np.allclose(evaluated(rig).pose.bones["b0"].head, 0, atol=1e-6)


def test_a_chain_of_more_than_200_bones_is_dragged_and_rests():
    rig = arm(201)
    held = start(rig, "b200")
    moved = held.move_to(by(held, [3.0, 5.0, -8.0]))
    moved = held.move_to(by(held, [3.0, 5.0, -8.0]))
    assert moved.status == "REACHED" and np.linalg.norm(tip(rig, "b200") - by(held, [3.0, 5.0, -8.0])) < 1e-2
    reach(rig, "b200", by(held, [6.0, 1.0, -9.0]))
    bpy.ops.articulate.solve()
    assert rig.articulate.report["status"] == "REACHED"


def test_a_point_in_the_middle_of_a_bone():
    rig = arm(4)
    held = start(rig, "b2", along=0.25)
    shown = evaluated(rig).pose.bones["b2"]
    assert np.allclose(held.anchor, shown.head.lerp(shown.tail, 0.25), atol=1e-5)
    held.move_to(by(held, [0.3, 0.1, -0.2]))
    shown = evaluated(rig).pose.bones["b2"]
    assert np.allclose(shown.head.lerp(shown.tail, 0.25), by(held, [0.3, 0.1, -0.2]), atol=1e-3)


def test_pins_hold_while_the_hand_goes_as_near_as_it_can():
    rig = two_arms()
    pin(rig, "hand.R", "POSE")
    place, turn = tip(rig, "hand.R"), turn_of(rig, "hand.R")
    held = start(rig, "hand.L")
    moved = held.move_to(by(held, [-0.5, -0.7, 0.2]))
    assert moved.status == "REACHED"
    assert np.linalg.norm(tip(rig, "hand.R") - place) < 1e-3
    moved = held.move_to(by(held, [9.0, -2.0, 3.0]))  # far out of reach
    assert moved.status == "BEST_EFFORT" and moved.error > 5.0 and "hand.L" in moved.message
    assert np.linalg.norm(tip(rig, "hand.R") - place) < 1e-3
    assert np.abs(turn_of(rig, "hand.R") - turn).max() < 5e-3


LONGER = [pytest.param(count, marks=pytest.mark.solver) for count in (6, 8, 12)]


@pytest.mark.parametrize("count", [4, *LONGER])
def test_a_straight_chain_that_is_pulled_aside_stays_straight(count):
    rig = chain_rig(count, length=0.1)
    bpy.ops.articulate.pin(bone="b0")
    held = start(rig, f"b{count - 1}")
    for aside in np.linspace(0.0, 0.5, 21)[1:]:
        moved = held.move_to(by(held, [aside, 0.0, 0.0]))
        assert moved.error == pytest.approx(np.hypot(aside, 0.1 * count - 0.1) - 0.1 * count + 0.1, abs=1e-4)
        bones = evaluated(rig).pose.bones
        bends = [bones[f"b{k}"].vector.angle(bones[f"b{k + 1}"].vector) for k in range(1, count - 1)]
        assert max(bends) < np.radians(1.0), aside


def test_effectors_with_targets_are_followed_meanwhile():
    rig = two_arms()
    target = reach(rig, "hand.R", (-1.2, -0.8, 1.8))
    held = start(rig, "hand.L")
    held.move_to(by(held, [0.0, -0.3, 0.2]))
    assert np.linalg.norm(tip(rig, "hand.R") - np.array(target.location)) < 1e-3


def test_the_pose_before_is_given_back_bit_by_bit():
    rig = metarig("basic")
    shake(rig, 3, turn=0.2)
    pin(rig, "foot.L", "POSE")
    before = snapshot(rig)
    held = start(rig, "hand.L")
    for step in range(5):
        held.move_to(by(held, [0.05 * step, -0.04 * step, 0.1]))
    held.change(bpy.context, drag.Grip(bone="hand.L", turn=True))
    held.turn_to(turned("X", 0.4) @ held.orientation)
    assert snapshot(rig) != before
    held.cancel()
    assert snapshot(rig) == before


def test_back_at_the_start_the_figure_is_as_it_was():
    rig = metarig("basic")
    shake(rig, 3, turn=0.2, modes=("QUATERNION",))
    bpy.context.view_layer.update()
    before = np.array([b.matrix for b in evaluated(rig).pose.bones])
    held = start(rig, "hand.L")
    for way in (*np.linspace(0, 1, 10), *np.linspace(1, 0, 10), 0.0):
        held.move_to(held.anchor + way * np.array([0.3, -0.2, 0.3]))
    after = np.array([b.matrix for b in evaluated(rig).pose.bones])
    assert np.abs(after - before).max() < 0.02


def test_only_so_many_bones_take_part():
    rig = arm(6)
    upper = [turn_of(rig, f"b{i}") for i in range(4)]
    held = start(rig, "b5", levels=2)
    assert (held.bones, held.depth) == (("b4", "b5"), 6)
    held.move_to(by(held, [0.2, 0.1, -0.1]))
    assert all(np.abs(turn_of(rig, f"b{i}") - upper[i]).max() < 1e-6 for i in range(4))
    assert np.abs(turn_of(rig, "b4") - upper[3]).max() > 0.01
    held.change(bpy.context, drag.Grip(bone="b5"))
    assert len(held.bones) == 6
    held.change(bpy.context, drag.Grip(bone="b5", levels=1))
    held.move_to(by(held, [0.2, 0.1, -0.1]))
    assert np.abs(turn_of(rig, "b3") - upper[3]).max() < 1e-6  # what took part before is given back


def test_what_takes_no_part_stays_where_the_hand_cannot_go_and_others_are_pinned():
    rig = two_arms()
    rig.articulate.solver.root = "FREE"
    bpy.ops.articulate.pin(bone="hand.R")
    held = start(rig, "hand.L", levels=1)
    before = {bone.name: np.array(bone.matrix) for bone in evaluated(rig).pose.bones}
    along = tip(rig, "hand.L") - np.array(rig.matrix_world @ rig.pose.bones["hand.L"].head)
    for share in (-0.3, -0.6, 0.2, 0.5):  # along the bone: no turn of it brings its tip nearer
        held.move_to(held.anchor + share * along)
        for bone in evaluated(rig).pose.bones:
            if bone.name != "hand.L":
                assert np.abs(np.array(bone.matrix) - before[bone.name]).max() < 1e-6, (share, bone.name)


def test_the_rest_of_a_standing_figure_does_not_balance_what_takes_part():
    rig = metarig("basic")
    rig.articulate.solver.root = "FREE"
    for foot in ("foot.L", "foot.R"):
        bpy.ops.articulate.pin(bone=foot)
    before = {bone.name: np.array(bone.matrix) for bone in evaluated(rig).pose.bones}
    held = start(rig, "hand.L", levels=2)
    for share in np.linspace(0.1, 1.0, 10):
        held.move_to(held.anchor + share * np.array([-0.1, -0.2, 0.2]))
    held.finish(bpy.context)
    after = {bone.name: np.array(bone.matrix) for bone in evaluated(rig).pose.bones}
    moved = {name for name in before if np.abs(after[name] - before[name]).max() > 1e-6}
    assert moved == {"forearm.L", "hand.L"}


def test_a_free_root_comes_along_and_a_pinned_one_stays():
    rig = two_arms()
    rig.articulate.solver.root = "PINNED"
    place = tip(rig, "hand.L") + np.array([4.0, -3.0, 2.0])
    held = start(rig, "hand.L")
    assert held.move_to(place).status == "BEST_EFFORT"
    held.change(bpy.context, drag.Grip(bone="hand.L", root="FREE"))
    for share in np.linspace(0.05, 1.0, 20):
        moved = held.move_to(held.anchor + share * (place - held.anchor))
    assert moved.status == "REACHED"
    assert np.linalg.norm(tip(rig, "hand.L") - place) < 1e-3
    assert rig.articulate.solver.root == "PINNED"  # the setting is the user's


def test_a_bone_is_turned_about_its_head():
    rig = arm(4)
    held = start(rig, "b2", turn=True)
    head = np.array(evaluated(rig).pose.bones["b2"].head)
    assert np.allclose(held.anchor, head, atol=1e-5)
    wanted = turned("Y", 0.5) @ held.orientation
    moved = held.turn_to(wanted)
    assert moved.error < 1e-3
    assert np.abs(turn_of(rig, "b2") - wanted).max() < 1e-3
    assert np.linalg.norm(np.array(evaluated(rig).pose.bones["b2"].head) - head) < 1e-3


def test_a_turn_stays_when_the_hand_moves_on():
    rig = metarig("basic")
    held = start(rig, "hand.L", turn=True)
    wanted = turned("Y", 0.4) @ held.orientation
    held.turn_to(wanted)
    held.change(bpy.context, drag.Grip(bone="hand.L"))
    assert np.allclose(held.anchor, tip(rig, "hand.L"), atol=1e-4)
    held.move_to(by(held, [0.0, 0.0, 0.01]))
    assert np.abs(turn_of(rig, "hand.L") - wanted).max() < 0.1


def test_a_pin_that_is_dragged_stays_where_it_is_left():
    rig = two_arms()
    pin(rig, "hand.L", "POSE")
    pin(rig, "hand.R")
    turn, other = turn_of(rig, "hand.L"), tip(rig, "hand.R")
    held = start(rig, "hand.L")
    held.move_to(by(held, [-0.4, -0.3, 0.1]))
    assert np.abs(turn_of(rig, "hand.L") - turn).max() < 5e-3
    held.finish(bpy.context)
    left = rig.articulate.effectors["hand.L"]
    assert np.allclose(left.pin_location, tip(rig, "hand.L"), atol=1e-4)
    assert np.linalg.norm(tip(rig, "hand.R") - other) < 1e-3
    bpy.ops.articulate.solve()
    assert np.linalg.norm(tip(rig, "hand.L") - np.array(left.pin_location)) < 1e-3


@pytest.mark.parametrize("first", ["hand.L", "hand.R"])
def test_pins_that_a_script_removes_in_a_drag_leave_others_alone(first):
    rig = two_arms()
    for bone in (first, "hand.L" if first == "hand.R" else "hand.R"):
        pin(rig, bone)
    held = start(rig, "hand.L")
    held.move_to(by(held, [-0.4, -0.3, 0.1]))
    rig.articulate.effectors.remove(0)
    (left,) = rig.articulate.effectors
    place = np.array(left.pin_location)
    held.finish(bpy.context)
    assert np.array_equal(left.pin_location, place)
    start(rig, "hand.L").cancel()
    rig.articulate.effectors.clear()


@pytest.mark.parametrize("keys", [False, True])
def test_a_bone_that_a_script_renames_in_a_drag_costs_no_drag(keys):
    rig = two_arms()
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = keys
    held = start(rig, "hand.L")
    held.move_to(by(held, [-0.4, -0.3, 0.1]))
    place = tip(rig, "hand.L")
    rig.pose.bones["hand.L"].name = "paw"
    held.finish(bpy.context)
    assert np.allclose(tip(rig, "paw"), place, atol=1e-4)


def test_what_follows_a_target_is_not_dragged():
    rig = two_arms()
    reach(rig, "hand.L", (1.2, -0.8, 1.8))
    before = snapshot(rig)
    with pytest.raises(Refused, match=r"follows 'Target hand\.L'"):
        start(rig, "hand.L")
    with pytest.raises(Refused, match="no bone 'tail'"):
        start(rig, "tail")
    assert snapshot(rig) == before
    start(rig, "hand.L", turn=True)  # nothing asks for its orientation


@pytest.mark.solver
@pytest.mark.parametrize("method", ik.METHODS)
@pytest.mark.parametrize("obstacle", [False, True])
def test_whatever_method_is_set_pins_hold_in_drags(method, obstacle):
    """Those that know no priorities, or no obstacles, do not drag: the default does in their place."""
    rig = two_arms()
    rig.articulate.solver.method = method
    if obstacle:
        wall(rig, 2.5)
        rig.articulate.body.avoidance = next(
            name
            for name, way in ik.AVOIDANCE.items()
            if not ik.METHODS[method].obstacles
            or not ik.METHODS[method].objection(ik.Requirements(goals=(), avoidance=way))
        )
    pin(rig, "hand.R")
    place = tip(rig, "hand.R")
    held = start(rig, "hand.L")
    held.move_to(by(held, [-0.3, 0.2, -0.1]))
    assert np.linalg.norm(tip(rig, "hand.R") - place) < 1e-3
    held.cancel()
    before = tip(rig, "hand.L")
    bpy.ops.articulate.drag(bone="hand.L", move=(-0.3, 0.2, -0.1))
    assert np.linalg.norm(tip(rig, "hand.L") - before - (-0.3, 0.2, -0.1)) < 1e-3


def test_keys_are_set_at_the_end_if_auto_key_is_on():
    rig = arm(4)
    settings = bpy.context.scene.tool_settings
    held = start(rig, "b3", levels=2)
    held.move_to(by(held, [0.2, 0.1, -0.1]))
    held.finish(bpy.context)
    assert not curves(rig)
    settings.use_keyframe_insert_auto = True
    start(rig, "b3").finish(bpy.context)
    assert not curves(rig), "Nothing moved."
    held = start(rig, "b3", levels=2)
    held.move_to(by(held, [0.1, 0.1, -0.1]))
    held.finish(bpy.context)
    assert len(curves(rig)) == 8
    assert {path for path, _ in curves(rig)} == {f'pose.bones["b{i}"].rotation_quaternion' for i in (2, 3)}


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_armatures_elsewhere_in_the_world(scale):
    rig = arm(4)
    rig.location, rig.rotation_euler, rig.scale = (1, 2, 3), (0.3, -1.2, 0.7), (scale,) * 3
    bpy.context.view_layer.update()
    held = start(rig, "b3")
    assert np.allclose(held.anchor, tip(rig, "b3"), atol=1e-5 * scale)
    place = held.anchor + scale * np.array([0.4, 0.2, -0.5])
    held.move_to(place)
    assert np.linalg.norm(tip(rig, "b3") - place) < 1e-3 * max(scale, 0.2)


def test_an_animated_frame_is_dragged_from_where_it_is():
    rig = chain_rig(4)
    for frame, turn in ((1, 0.0), (20, 0.4)):
        for bone in rig.pose.bones:
            bone.rotation_mode = "XYZ"
            bone.rotation_euler = (turn, 0, 0)
            bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(15)
    held = start(rig, "b3")
    assert np.allclose(held.anchor, tip(rig, "b3"), atol=1e-5)
    held.move_to(by(held, [0.2, 0.0, 0.1]))
    assert np.linalg.norm(tip(rig, "b3") - by(held, [0.2, 0.0, 0.1])) < 1e-3


def test_the_armature_may_vanish_meanwhile():
    rig = arm()
    held = start(rig, "b3")
    bpy.data.objects.remove(rig)
    with pytest.raises(Refused, match="was deleted"):
        held.move_to((1, 1, 1))


def test_what_takes_too_long_goes_on_in_the_next_update():
    rig = metarig("human")
    for bone in ("foot.L", "foot.R"):
        pin(rig, bone, "POSE")
    bpy.context.view_layer.update()
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="hand.L"), budget=0.0)
    place = by(held, [-0.3, -0.5, 0.5])
    updates = [held.move_to(place)]
    while not updates[-1].arrived and len(updates) < 50:
        updates.append(held.move_to(place))
    assert updates[-1].arrived and updates[-1].error < 1e-3
    assert np.linalg.norm(tip(rig, "hand.L") - place) < 1e-3


def test_a_pin_in_the_hand_is_where_the_figure_comes_to_rest_after_the_last_update():
    rig = metarig("human")
    bpy.ops.articulate.pin(bone="hand.R")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="hand.R"), budget=1e-9)
    held.move_to(held.anchor + np.array([0.1, 0.0, 0.1]))
    moved = held.move_to(held.anchor + np.array([1.2, -0.8, -0.9]))
    assert not moved.arrived, "it is let go of on the way"
    before = tip(rig, "hand.R")
    held.finish(bpy.context)
    assert np.linalg.norm(tip(rig, "hand.R") - before) > 1e-3
    assert np.allclose(rig.articulate.effectors["hand.R"].pin_location, tip(rig, "hand.R"), atol=1e-5)


def test_by_numbers_in_a_script():
    """A chain whose tip is in the picture."""
    rig = arm(4)
    rig.location.z = -2.0
    bpy.context.view_layer.update()
    begun = tip(rig, "b3")
    assert bpy.ops.articulate.drag(bone="b3", move=(0.2, 0.3, -0.4)) == {"FINISHED"}
    assert np.linalg.norm(tip(rig, "b3") - begun - (0.2, 0.3, -0.4)) < 1e-3
    before = rig.pose.bones["b3"].matrix.to_quaternion()
    bpy.ops.articulate.drag(bone="b3", turn=(0.0, 0.4, 0.0))
    tip(rig, "b3")
    after = rig.pose.bones["b3"].matrix.to_quaternion()
    assert before.rotation_difference(after).angle == pytest.approx(0.4, abs=1e-3)
    with pytest.raises(RuntimeError, match="no bone 'tail'"):
        bpy.ops.articulate.drag(bone="tail")
