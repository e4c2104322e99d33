# SPDX-License-Identifier: GPL-3.0-or-later
"""The arm that nothing leads hangs while the trunk leans; arms held out or animated stay as they are."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import add
from bridge_rigs import make_rig
from installed import module
from mathutils import Matrix, Vector

from tests.ikmath.postures import people

FLOOR = np.array([0.05, -0.35, -0.72])  # from where a lowered hand is to the floor ahead, metres
FREE = ("arm.r", "forearm.r")


def slope(rig, side="r"):
    """Degrees from straight down, from the shoulder to the wrist, as Blender shows it."""
    bpy.context.view_layer.update()
    bones = rig.pose.bones
    way = rig.matrix_world.to_3x3() @ (bones[f"forearm.{side}"].tail - bones[f"arm.{side}"].head)
    return float(np.degrees(np.arccos(-way.normalized().z)))


def basis(rig, names=FREE):
    return [np.array(rig.pose.bones[name].matrix_basis) for name in names]


def drag(rig, bone="hand.l", way=FLOOR):
    """The drag that leads a bone along a way in twelve updates."""
    held = module("control.drag.drag").Drag(rig, bpy.context, module("control.drag.drag").Grip(bone=bone))
    for share in np.linspace(0.0, 1.0, 13)[1:]:
        held.move_to(held.anchor + share * way)
    for _ in range(10):
        held.move_to(held.anchor + way)
    return held


@pytest.fixture
def rig():
    return make_rig(people.lowered())


def test_the_free_arm_hangs_when_the_other_hand_goes_to_the_floor(rig):
    before = slope(rig)
    held = drag(rig)
    assert slope(rig) < before + 35.0
    held.cancel()
    bpy.context.view_layer.update()
    np.testing.assert_array_equal(basis(rig), [np.eye(4)] * 2)


def test_it_hangs_in_the_world_of_a_turned_armature(rig):
    rig.matrix_world = Matrix.Rotation(0.8, 4, "Z") @ Matrix.Scale(0.01, 4)
    bpy.context.view_layer.update()
    drag(rig, way=np.array(Matrix.Rotation(0.8, 3, "Z")) @ (0.01 * FLOOR))
    assert slope(rig) < 40.0


def test_a_squat_and_a_bow_leave_both_arms_hanging(rig):
    for bone, way in (("hips", (0.0, 0.05, -0.4)), ("chest", (0.0, -0.45, -0.3))):
        held = drag(rig, bone, np.array(way))
        assert max(slope(rig, "l"), slope(rig, "r")) < 55.0, bone
        held.cancel()


@pytest.mark.parametrize("spoil", ["held out", "constrained"])
def test_an_arm_that_is_held_out_or_has_a_constraint_stays_with_the_trunk(spoil):
    rig = make_rig(people.PERSON if spoil == "held out" else people.lowered())
    if spoil == "constrained":
        rig.pose.bones["forearm.r"].constraints.new("LIMIT_ROTATION")
    bpy.context.view_layer.update()
    was = basis(rig)
    drag(rig, way=FLOOR if spoil == "constrained" else np.array([-0.3, -0.4, -1.1]))
    np.testing.assert_array_equal(basis(rig), was)


def test_a_pinned_hand_stays_pinned(rig):
    bpy.ops.articulate.pin(bone="hand.r", kind="POSITION")
    place = np.array(rig.pose.bones["hand.r"].tail)
    drag(rig)
    bpy.context.view_layer.update()
    np.testing.assert_allclose(rig.pose.bones["hand.r"].tail, place, atol=1e-3)


def test_the_arm_that_is_led_is_not_held_down(rig):
    held = drag(rig, way=np.array([0.1, -0.3, 0.9]))
    bpy.context.view_layer.update()
    assert slope(rig, "l") > 100.0
    assert np.linalg.norm(np.array(rig.pose.bones["hips"].head) - (0, 0, 0.95)) < 0.05
    held.cancel()


@pytest.fixture
def bowing(rig):
    """The figure stands on pinned feet, and a target leads the left hand to the floor and keeps it there."""
    for foot in ("foot.l", "foot.r"):
        bpy.ops.articulate.pin(bone=foot, kind="POSE")
    target = add("hand.l").target
    for frame, way in ((1, np.zeros(3)), (24, FLOOR), (32, np.zeros(3))):
        target.location += Vector(way)
        target.keyframe_insert("location", frame=frame)
    return rig


def test_it_hangs_in_live_and_bake_in_the_same_pose(bowing):
    before, scene = slope(bowing), bpy.context.scene
    bowing.articulate.live = True
    for frame in range(1, 33):
        scene.frame_set(frame)
    live, arm = bowing.pose.bones["hips"].matrix.copy(), slope(bowing)
    bowing.articulate.live = False
    for bone in bowing.pose.bones:
        bone.matrix_basis.identity()
    assert arm < before + 35.0
    bpy.ops.articulate.bake(frame_start=1, frame_end=32)
    scene.frame_set(32)
    assert abs(slope(bowing) - arm) < 0.1
    np.testing.assert_allclose(bowing.pose.bones["hips"].matrix, live, atol=1e-3)


def test_a_bake_leaves_the_arm_of_an_animated_figure_its_own_motion(bowing):
    arm = bowing.pose.bones[FREE[0]]
    arm.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (16, 0.2)):
        arm.rotation_euler.x = angle
        arm.keyframe_insert("rotation_euler", frame=frame)
    scene, was = bpy.context.scene, []
    for frame in (1, 9, 16):
        scene.frame_set(frame)
        was.append(basis(bowing))
    assert bpy.ops.articulate.bake(frame_start=1, frame_end=16) == {"FINISHED"}
    for frame, known in zip((1, 9, 16), was, strict=True):
        scene.frame_set(frame)
        np.testing.assert_array_equal(basis(bowing), known)
