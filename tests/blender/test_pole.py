# SPDX-License-Identifier: GPL-3.0-or-later
"""Pole effectors: knees and elbows point at a target; what they do is measured by Blender."""

from __future__ import annotations

from itertools import pairwise

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import add, animate, arm, evaluated, tip
from bridge_rigs import map_of
from drag_ways import figure


def off_pole(rig: bpy.types.Object, bone: str, place: object) -> float:
    """Radians about the limb's line between where its joint points and a place in the world."""
    shown = evaluated(rig)
    lower, world = shown.pose.bones[bone], shown.matrix_world
    root, joint, end = (np.array(world @ one) for one in (lower.parent.head, lower.head, lower.tail))
    line = (end - root) / np.linalg.norm(end - root)
    bend, way = (v - line * (line @ v) for v in (joint - root, np.array(place) - root))
    return float(np.arctan2(np.linalg.norm(np.cross(bend, way)), bend @ way))


@pytest.fixture
def human():
    rig = figure("human")
    rig.articulate.solver.root = "PINNED"
    return rig


def test_a_new_pole_is_where_the_knee_points_already(human):
    for bone in ("shin.L", "forearm.R"):
        pole = add(bone, "POLE").target
        assert off_pole(human, bone, pole.matrix_world.translation) < 1e-3
        knee = human.matrix_world @ human.pose.bones[bone].head
        assert (pole.matrix_world.translation - knee).length == pytest.approx(
            2.0 * human.data.bones[bone].length, rel=1e-3
        )
    bpy.ops.articulate.solve()
    assert human.articulate.report["status"] == "REACHED"


@pytest.mark.parametrize("name", ["straight", "t_pose"])
def test_a_new_pole_of_a_straight_limb_is_where_it_will_bend_to(name):
    rig = figure(name)
    bones = installed.module("bridge.armature").read_bones(rig)
    for limb in installed.module("bridge.limbs").find_limbs(bones, map_of(rig, bones).kinds):
        lower = bones.names[limb.lower]
        pole = add(lower, "POLE").target
        ahead = pole.matrix_world.translation - rig.matrix_world @ rig.pose.bones[lower].head
        knee = limb.end >= 0 and abs(bones.rest[limb.lower, 2, 1]) > 0.7
        assert ahead.y * (-1.0 if knee else 1.0) > 0.9 * ahead.length, lower


@pytest.mark.parametrize("way", [(1.0, -0.4, 0.1), (0.3, -1.0, 0.0), (0.8, 0.1, -0.2)])
def test_the_knee_points_at_its_pole_and_the_foot_goes_to_its_target(human, way):
    foot = add("shin.L", name="foot")
    foot.target.location = tip(human, "shin.L") + np.array([0.05, -0.1, 0.3])
    pole = add("shin.L", "POLE").target
    knee = np.array(human.matrix_world @ human.pose.bones["shin.L"].head)
    pole.location = knee + 2.0 * np.array(way)
    assert bpy.ops.articulate.solve() == {"FINISHED"}
    assert off_pole(human, "shin.L", pole.location) < 2e-3
    assert np.linalg.norm(tip(human, "shin.L") - np.array(foot.target.location)) < 1e-3
    row = human.articulate.report["effectors"]["shin.L"]
    assert row["worst"] is None and row["angle_worst"] < 2e-3 and row["status"] == "REACHED"


def test_an_elbow_pole_turns_only_the_arm_below_its_chain(human):
    hand = add("forearm.L", name="hand", chain_root="upper_arm.L")
    hand.target.location = tip(human, "forearm.L") + np.array([-0.15, -0.15, 0.1])
    pole = add("forearm.L", "POLE", chain_root="upper_arm.L").target
    pole.location = tip(human, "forearm.L") + np.array([0.5, 0.2, 1.0])
    before = np.array(human.pose.bones["shoulder.L"].matrix)
    bpy.ops.articulate.solve()
    assert off_pole(human, "forearm.L", pole.location) < 2e-3
    np.testing.assert_allclose(np.array(human.pose.bones["shoulder.L"].matrix), before, atol=1e-6)


def test_a_pole_follows_in_a_bake_and_fades_by_its_influence():
    rig = arm(3)
    rig.articulate.solver.root = "PINNED"
    end = add("b2", name="end")
    end.target.location = tip(rig, "b2") - np.array([0.3, 0.2, 0.8])
    effector = add("b2", "POLE")
    pole = effector.target
    base = np.array(pole.location)
    animate(pole, {1: base + np.array([2.0, 1.0, 0.0]), 21: base + np.array([-1.0, 2.0, 0.5])})
    for frame, value in ((1, 0.0), (11, 1.0)):
        effector.influence = value
        effector.keyframe_insert("influence", frame=frame)
    assert bpy.ops.articulate.bake(frame_start=1, frame_end=21) == {"FINISHED"}
    misses = []
    for frame in range(1, 22):
        bpy.context.scene.frame_set(frame)
        misses.append(off_pole(rig, "b2", evaluated(pole).matrix_world.translation))
        assert np.linalg.norm(tip(rig, "b2") - np.array(end.target.location)) < 2e-3
    assert max(misses[10:]) < 3e-3 and misses[0] > 0.1
    assert all(a >= b - 0.05 for a, b in pairwise(misses[:11]))


def test_a_pinned_pole_keeps_the_direction(human):
    effector = add("shin.L", "POLE")
    effector.target, effector.pinned = None, True
    place = np.array(effector.pin_location)
    add("shin.L", name="foot").target.location = tip(human, "shin.L") + np.array([0.1, -0.2, 0.4])
    bpy.ops.articulate.solve()
    assert off_pole(human, "shin.L", place) < 2e-3


def test_a_bone_without_a_bone_above_it_has_no_joint_to_point():
    rig = arm(2)
    effector = add("b1", "POLE")
    effector.bone = "b0"
    with pytest.raises(RuntimeError, match="no bone above it"):
        bpy.ops.articulate.solve()
    assert rig.articulate.effectors[0].bone == "b0"


def test_live_follows_the_pole(human):
    add("shin.L", name="foot").target.location = tip(human, "shin.L") + np.array([0.0, -0.1, 0.3])
    pole = add("shin.L", "POLE").target
    human.articulate.live = True
    for step in range(4):
        pole.location.x += 0.2 * step
        bpy.context.view_layer.update()
        assert off_pole(human, "shin.L", pole.location) < 3e-3


def test_a_drag_of_the_foot_keeps_the_knee_to_its_pole(human):
    pole = add("shin.L", "POLE").target
    pole.location.x += 0.4
    bpy.ops.object.mode_set(mode="POSE")
    before = tip(human, "shin.L")
    bpy.ops.articulate.drag(bone="shin.L", move=(0.05, -0.15, 0.35))
    assert np.linalg.norm(tip(human, "shin.L") - before - (0.05, -0.15, 0.35)) < 1e-2
    assert off_pole(human, "shin.L", pole.location) < 1e-2


def test_a_pole_of_the_shin_alone_and_a_mirrored_pole(human):
    add("shin.L", "POLE", chain_root="shin.L").target.location.x += 0.3
    assert bpy.ops.articulate.solve() == {"FINISHED"}, "nothing of the limb can turn, and nothing breaks"
    bpy.ops.articulate.clear(delete_targets=True)
    pole = add("shin.L", "POLE").target
    pole.location.x += 0.3
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.articulate.mirror(bone="shin.L")
    other = human.articulate.effectors["shin.R"]
    assert other.kind == "POLE"
    assert bpy.ops.articulate.solve() == {"FINISHED"}
    assert off_pole(human, "shin.R", other.target.matrix_world.translation) < 2e-3
