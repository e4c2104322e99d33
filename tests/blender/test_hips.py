# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragged hips: what the legs cannot reach does not turn the trunk over."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from bridge_rigs import metarig
from mathutils import Matrix

drag = installed.module("control.drag.drag")
KINDS = ["whole", "in halves", "with pelvis"]
TRUNK = ("spine", "spine.003")
BEYOND = [(0.0, 0.0, 0.15), (0.0, -0.27, 0.04), (0.0, 0.27, 0.04), (0.22, -0.22, 0.18)]


def in_halves() -> bpy.types.Object:
    """Rigify's human with a part of the hips above each leg, as in captured motion."""
    rig = metarig("human")
    bpy.ops.object.mode_set(mode="EDIT")
    for side in "LR":
        thigh = rig.data.edit_bones[f"thigh.{side}"]
        half = rig.data.edit_bones.new(f"half.{side}")
        half.head, half.tail, half.parent = thigh.head, thigh.head, thigh.parent
        half.head.x *= 0.5
        half.head.z += 0.05
        thigh.parent = half
    bpy.ops.object.mode_set(mode="POSE")
    return rig


def with_pelvis() -> bpy.types.Object:
    """Rigify's human with a bone between the hips and both legs, as Character Creator has it."""
    rig = metarig("human")
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    pelvis = bones.new("pelvis")
    pelvis.head = pelvis.tail = bones["spine"].head.lerp(bones["spine"].tail, 0.6)
    pelvis.tail.z -= 0.06
    pelvis.parent = bones["spine"]
    for side in "LR":
        bones[f"thigh.{side}"].parent = pelvis
    bpy.ops.object.mode_set(mode="POSE")
    return rig


def places(rig: bpy.types.Object, *names: str) -> np.ndarray:
    """(N, 3) heads of bones, world."""
    bpy.context.view_layer.update()
    return np.array([rig.matrix_world @ rig.pose.bones[name].head for name in names])


def pulled(rig: bpy.types.Object, bone: str, by: tuple[float, float, float], along: float = 0.0):
    """A bone dragged in small steps, and what the last one gave."""
    held = drag.Drag(rig, bpy.context, drag.Grip(bone=bone, along=along))
    for share in np.linspace(0.0, 1.0, 13)[1:]:
        moved = held.move_to(held.anchor + share * np.array(by))
    held.finish(bpy.context)
    return held, moved


@pytest.mark.parametrize("by", BEYOND)
@pytest.mark.parametrize("make", [lambda: metarig("human"), in_halves, with_pelvis], ids=KINDS)
def test_hips_beyond_reach_leave_the_trunk_upright(make, by: tuple[float, float, float]):
    rig = make()
    feet = places(rig, "foot.L", "foot.R")
    _, moved = pulled(rig, "spine", by)
    low, high = places(rig, *TRUNK)
    assert np.degrees(np.arccos((high - low)[2] / np.linalg.norm(high - low))) < 30.0
    assert moved.status == "BEST_EFFORT" and "in conflict with foot" in moved.message
    np.testing.assert_allclose(places(rig, "foot.L", "foot.R"), feet, atol=1e-5)


@pytest.mark.parametrize("by", [(0.0, 0.0, -0.3), (0.0, -0.2, -0.4), (0.1, 0.0, -0.1)])
def test_within_reach_the_middle_of_the_joints_follows_exactly(by: tuple[float, float, float]):
    rig = metarig("human")
    before = places(rig, "thigh.L", "thigh.R").mean(0)
    held, moved = pulled(rig, "spine", by)
    np.testing.assert_allclose(held.anchor, before, atol=1e-6)
    assert moved.status == "REACHED"
    np.testing.assert_allclose(places(rig, "thigh.L", "thigh.R").mean(0) - before, by, atol=1e-5)


@pytest.mark.parametrize("rig, bone, along", [("wolf", "spine.005", 0.0), ("human", "spine", 1.0)])
def test_what_is_far_from_the_joints_follows_by_its_own_point(rig: str, bone: str, along: float):
    figure = metarig(rig)
    own = figure.pose.bones[bone]
    held = drag.Drag(figure, bpy.context, drag.Grip(bone=bone, along=along))
    np.testing.assert_allclose(held.anchor, figure.matrix_world @ own.head.lerp(own.tail, along), atol=1e-5)


@pytest.mark.parametrize("make", [lambda: metarig("human"), in_halves, with_pelvis], ids=KINDS)
@pytest.mark.parametrize("by", [(0.0, -0.1, 0.1), (0.0, -0.05, -0.2), (0.1, 0.0, 0.0)])
def test_a_leg_taken_at_its_hip_joint_moves_the_hips(make, by: tuple[float, float, float]):
    rig = make()
    feet, hips = places(rig, "foot.L", "foot.R"), places(rig, "thigh.L", "thigh.R").mean(0)
    knee = places(rig, "shin.L")
    held, moved = pulled(rig, "thigh.L", by, along=0.06)
    assert held.grip.bone == "thigh.L"  # what was clicked stays selected
    np.testing.assert_allclose(places(rig, "foot.L", "foot.R"), feet, atol=1e-5)
    way = places(rig, "thigh.L", "thigh.R").mean(0) - hips
    assert moved.status == "BEST_EFFORT" or np.linalg.norm(way - by) < 0.02
    assert places(rig, "shin.L")[0, 2] < knee[0, 2] + 0.02  # and no leg is flung up


@pytest.mark.parametrize("pinned", ["spine", "thigh.L"])
def test_a_pin_on_the_hips_or_the_thigh_counts_more(pinned: str):
    rig = metarig("human")
    bpy.ops.articulate.pin(bone=pinned, kind="POSITION")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="thigh.L", along=0.06))
    assert abs(held.anchor[0] - places(rig, "thigh.L")[0, 0]) < 0.02  # not the middle between both joints


@pytest.mark.parametrize("by", [(0.0, 0.0, 0.3), (0.0, 0.1, 0.25)])
def test_a_knee_pulled_up_leaves_the_trunk_lying_on_the_ground(by: tuple[float, float, float]):
    rig = metarig("human")
    hips = rig.pose.bones["spine"]
    lies = Matrix.Translation((0.0, 0.9, 0.13)) @ Matrix.Rotation(-np.pi / 2.0, 4, "X")
    hips.matrix = lies @ Matrix.Translation((0.0, 0.0, -1.0)) @ hips.matrix
    before = places(rig, *TRUNK)
    _, moved = pulled(rig, "shin.L", by)
    after = places(rig, *TRUNK)
    assert moved.status == "REACHED"
    assert np.abs(after - before)[:, 2].max() < 0.08  # with a hip joint that stays, the trunk would rise
    np.testing.assert_allclose(after[1] - after[0], before[1] - before[0], atol=0.05)


def turned(rig: bpy.types.Object, name: str) -> float:
    """Degrees by which a bone turns from its rest pose against its parent."""
    bpy.context.view_layer.update()
    return np.degrees(rig.pose.bones[name].matrix_basis.to_quaternion().angle)


def test_halves_of_the_hips_stay_rigid_unless_they_are_told_or_taken():
    rig = in_halves()
    held, _ = pulled(rig, "spine", (0.0, 0.27, 0.04))
    assert not {"half.L", "half.R"} & set(held.bones)
    assert turned(rig, "half.L") < 1e-3 < turned(rig, "thigh.L")
    taken = drag.Drag(rig, bpy.context, drag.Grip(bone="half.L", along=1.0))
    assert "half.L" in taken.bones and "half.R" not in taken.bones
    rig.pose.bones["half.L"].articulate.kind = "other"
    told, _ = pulled(rig, "foot.L", (0.0, -0.3, 0.1), along=1.0)
    assert "half.L" in told.bones
