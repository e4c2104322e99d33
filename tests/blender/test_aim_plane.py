# SPDX-License-Identifier: GPL-3.0-or-later
"""Effectors that aim and effectors on planes; what they do is measured by Blender."""

from __future__ import annotations

from itertools import pairwise

import bpy
import numpy as np
import pytest
from addon_scenes import add, animate, arm, evaluated, reach, tip
from bridge_rigs import metarig
from mathutils import Matrix, Vector


def aim_miss(rig: bpy.types.Object, bone: str, axis: int, sign: float, target: bpy.types.Object) -> float:
    """Angle between an axis of a bone, from its tip, and the way to the target, radians."""
    shown = evaluated(rig)
    frame = np.array(shown.matrix_world @ shown.pose.bones[bone].matrix)
    way = np.array(evaluated(target).matrix_world.translation) - tip(rig, bone)
    ahead = sign * frame[:3, axis] / np.linalg.norm(frame[:3, axis])
    return float(np.arctan2(np.linalg.norm(np.cross(ahead, way)), ahead @ way))


def height(rig: bpy.types.Object, bone: str, target: bpy.types.Object) -> float:
    """Of the bone's tip above the target's plane, metres."""
    matrix = np.array(evaluated(target).matrix_world)
    normal = matrix[:3, 2] / np.linalg.norm(matrix[:3, 2])
    return float(normal @ (tip(rig, bone) - matrix[:3, 3]))


@pytest.mark.parametrize(("name", "axis", "sign"), [("Y", 1, 1.0), ("Z", 2, 1.0), ("-X", 0, -1.0)])
@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_an_axis_points_at_its_target(name, axis, sign, scale):
    rig = arm()
    rig.scale, rig.rotation_euler, rig.location = [scale] * 3, (0.4, -0.3, 1.0), (1, 2, 3)
    bpy.context.view_layer.update()
    effector = add("b3", "AIM", axis=name)
    target = effector.target
    assert aim_miss(rig, "b3", axis, sign, target) < 1e-4, "a new target is where the bone points already"
    target.location = np.array(rig.location) + scale * np.array([-3.0, 2.0, 1.5])
    assert bpy.ops.articulate.solve() == {"FINISHED"}
    assert aim_miss(rig, "b3", axis, sign, target) < 1e-3
    row = rig.articulate.report["effectors"]["b3"]
    assert row["worst"] is None and row["angle_worst"] < 1e-3 and row["status"] == "REACHED"


def test_aiming_leaves_the_hand_where_another_effector_wants_it():
    rig = arm(6)
    reach(rig, "b5", (1.5, 1.0, 3.0))
    add("b5", "AIM", name="look").target.location = (3.0, 3.0, 0.0)
    bpy.ops.articulate.solve()
    effectors = rig.articulate.effectors
    assert aim_miss(rig, "b5", 1, 1.0, effectors["look"].target) < 1e-3
    assert np.linalg.norm(tip(rig, "b5") - (1.5, 1.0, 3.0)) < 1e-3


def test_a_point_slides_on_its_plane():
    rig = arm()
    target = add("b3", "PLANE").target
    assert abs(height(rig, "b3", target)) < 1e-5
    before = tip(rig, "b3")
    target.matrix_world = Matrix.Translation((5.0, 0.0, 2.0)) @ Matrix.Rotation(0.3, 4, "X")
    bpy.ops.articulate.solve()
    assert abs(height(rig, "b3", target)) < 1e-3
    assert np.linalg.norm(tip(rig, "b3") - before) < 2.5, "it goes to the plane, not to the target's place"
    row = rig.articulate.report["effectors"]["b3"]
    assert row["worst"] < 1e-3 and row["angle_worst"] is None


def test_a_floor_holds_from_below_only():
    rig = arm()
    floor = add("b3", "PLANE", one_sided=True, name="floor").target
    floor.location = (0.0, 0.0, 1.0)
    before = tip(rig, "b3")
    bpy.ops.articulate.solve()
    assert np.linalg.norm(tip(rig, "b3") - before) < 1e-4, "above it nothing is asked"
    hand = reach(rig, "b3", (2.0, 1.0, 0.2), priority=1)
    bpy.ops.articulate.solve()
    assert height(rig, "b3", floor) > -1e-3
    rows = rig.articulate.report["effectors"]
    assert rows["floor"]["status"] == "REACHED" and rows["b3"]["worst"] == pytest.approx(0.8, abs=0.02)
    hand.location.z = 1.3
    bpy.ops.articulate.solve()
    assert np.linalg.norm(tip(rig, "b3") - (2.0, 1.0, 1.3)) < 1e-3


@pytest.mark.parametrize("kind", ["AIM", "PLANE"])
def test_they_bake_and_fade_by_their_influence(kind):
    rig = arm()
    effector = add("b3", kind)
    animate(effector.target, {1: (2.0, 2.0, 1.0), 21: (-1.0, 2.5, 2.0)})
    for frame, value in ((1, 0.0), (11, 1.0)):
        effector.influence = value
        effector.keyframe_insert("influence", frame=frame)
    start = [bone.matrix.copy() for bone in rig.pose.bones]
    assert bpy.ops.articulate.bake(frame_start=1, frame_end=21) == {"FINISHED"}

    def miss(frame: int) -> float:
        bpy.context.scene.frame_set(frame)
        target = effector.target
        return aim_miss(rig, "b3", 1, 1.0, target) if kind == "AIM" else abs(height(rig, "b3", target))

    misses = [miss(frame) for frame in range(1, 22)]
    assert max(misses[10:]) < 1e-3 and misses[0] > 0.1
    assert all(a >= b - 0.02 for a, b in pairwise(misses))
    bpy.context.scene.frame_set(1)
    for bone, matrix in zip(rig.pose.bones, start, strict=True):
        np.testing.assert_allclose(bone.matrix, matrix, atol=1e-5)


def test_a_floor_does_not_rise_while_its_influence_fades():
    rig = arm()
    effector = add("b3", "PLANE", one_sided=True)
    effector.influence = 0.5
    effector.target.location = (0.0, 0.0, 1.0)
    reach(rig, "b3", (2.0, 1.0, 1.2))
    bpy.ops.articulate.solve()
    assert np.linalg.norm(tip(rig, "b3") - (2.0, 1.0, 1.2)) < 1e-3


@pytest.mark.parametrize("kind", ["AIM", "PLANE"])
def test_pinned_they_ask_for_what_is_there(kind):
    rig = arm()
    effector = add("b3", kind)
    effector.target = None
    effector.pinned = True
    before = tip(rig, "b3")
    bpy.ops.articulate.solve()
    assert rig.articulate.report["status"] == "REACHED"
    assert np.linalg.norm(tip(rig, "b3") - before) < 1e-4


def test_planes_may_cross_at_one_point():
    rig = arm()
    add("b3", "PLANE", name="ground").target.location = (0, 0, 2.0)
    wall = add("b3", "PLANE", name="wall").target
    wall.location, wall.rotation_mode, wall.rotation_euler = (1.5, 0, 0), "XYZ", (0.0, np.pi / 2, 0.0)
    bpy.ops.articulate.solve()
    place = tip(rig, "b3")
    assert place[2] == pytest.approx(2.0, abs=1e-3) and place[0] == pytest.approx(1.5, abs=1e-3)


def test_under_an_uneven_scale_the_errors_are_blenders():
    rig = arm(6)
    rig.pose.bones["b1"].scale = (1.0, 0.8, 1.1)
    bpy.context.view_layer.update()
    floor = add("b5", "PLANE", name="ground").target
    look = add("b5", "AIM", name="look").target
    floor.location.z, look.location = 2.0, (3.0, 1.0, 4.0)
    bpy.ops.articulate.solve()
    rows = rig.articulate.report["effectors"]
    assert rows["ground"]["worst"] == pytest.approx(abs(height(rig, "b5", floor)), abs=1e-4)
    assert rows["look"]["angle_worst"] == pytest.approx(aim_miss(rig, "b5", 1, 1.0, look), abs=1e-3)
    assert rows["ground"]["worst"] < 5e-3 and rows["look"]["angle_worst"] < 0.02


def test_a_head_looks_with_its_face_and_a_hand_points_along_its_bone():
    rig = metarig("basic")
    add("spine.006", "AIM", name="look")
    add("hand.L", "AIM", name="point")
    effectors = rig.articulate.effectors
    assert effectors["point"].axis == "Y"
    ahead = effectors["look"].target.location - Vector(tip(rig, "spine.006"))
    assert ahead.y < -0.9 * ahead.length, "in front of the face"
    bpy.ops.articulate.effector_remove(effector="point")
    effectors["look"].target.location.x += 1.0
    bpy.ops.articulate.solve()
    shown = evaluated(rig).pose.bones["spine.006"]
    assert (shown.tail - shown.head).normalized().z > 0.8, "the head turns, it does not lie down"
