# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that carry a dragged figure: flat while the ankle can bend, then on the ball, with the toes flat."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from bridge_rigs import map_of, metarig

import ikmath as ik

drag = installed.module("control.drag.drag")
sole = installed.module("bridge.feet")
BENT = np.degrees(sole.ANKLE_BENDS)


def bones(rig: bpy.types.Object, *names: str) -> np.ndarray:
    """(N, 2, 3) heads and tails of bones, world."""
    bpy.context.view_layer.update()
    pose = rig.pose.bones
    return np.array(
        [[rig.matrix_world @ pose[name].head, rig.matrix_world @ pose[name].tail] for name in names]
    )


def bent(rig: bpy.types.Object, side: str) -> float:
    """Degrees by which an ankle bends more than at rest."""
    bpy.context.view_layer.update()
    shin, foot = rig.pose.bones[f"shin.{side}"], rig.pose.bones[f"foot.{side}"]
    now = (shin.head - shin.tail).angle(foot.tail - foot.head)
    rest = (shin.bone.head_local - shin.bone.tail_local).angle(foot.bone.tail_local - foot.bone.head_local)
    return float(np.degrees(rest - now))


def lowered(by: float, ahead: float = 0.0) -> tuple[bpy.types.Object, np.ndarray, np.ndarray]:
    """Rigify's human with its hips lowered in small steps; its left foot and toes before and after."""
    rig = metarig("human")
    before = bones(rig, "foot.L", "toe.L")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="spine", along=0.0))
    for share in np.linspace(0.0, 1.0, 11)[1:]:
        moved = held.move_to(held.anchor + share * np.array([0.0, -ahead, -by]))
    assert moved.error < 1e-6 and moved.status == "REACHED"
    held.finish(bpy.context)
    return rig, before, bones(rig, "foot.L", "toe.L")


def test_heels_stay_down_while_the_ankle_can():
    rig, before, after = lowered(0.15)
    assert 20.0 < bent(rig, "L") < BENT
    np.testing.assert_allclose(after, before, atol=1e-5)


@pytest.mark.parametrize("by, ahead", [(0.35, 0.0), (0.5, 0.0), (0.4, 0.2)])
def test_beyond_that_the_heel_rises_and_the_ball_and_the_toes_stay(by: float, ahead: float):
    rig, before, after = lowered(by, ahead)
    for side in "LR":
        assert bent(rig, side) == pytest.approx(BENT, abs=0.5)
    assert after[0, 0, 2] > before[0, 0, 2] + 0.01  # the ankle
    np.testing.assert_allclose(after[0, 1], before[0, 1], atol=1e-5)
    np.testing.assert_allclose(after[1], before[1], atol=1e-5)


def test_the_heel_comes_down_again_with_the_hips():
    rig = metarig("human")
    before = bones(rig, "foot.L", "toe.L")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="spine", along=0.0))
    for down in (-0.2, -0.5, -0.3, -0.1, 0.0):
        held.move_to(held.anchor + np.array([0.0, 0.0, down]))
    np.testing.assert_allclose(bones(rig, "foot.L", "toe.L"), before, atol=1e-5)


def test_an_ankle_that_is_bent_farther_stays_so():
    rig = metarig("human")
    bpy.ops.object.mode_set(mode="POSE")
    for name in ("foot.L", "foot.R"):
        bpy.ops.articulate.pin(bone=name, kind="POSE")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="spine", along=0.0))
    held.move_to(held.anchor + np.array([0.0, 0.0, -0.45]))
    held.finish(bpy.context)
    assert bent(rig, "L") > BENT + 10.0  # a pin is stronger than an ankle
    bpy.ops.articulate.unpin_all()
    before = bones(rig, "foot.L", "toe.L")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="hand.L"))
    held.move_to(held.anchor + np.array([0.0, -0.1, 0.1]))
    np.testing.assert_allclose(bones(rig, "foot.L", "toe.L"), before, atol=1e-5)


def test_an_ankle_with_limits_bends_as_far_as_these_allow():
    rig = metarig("human")
    for name in ("foot.L", "foot.R"):
        bone = rig.pose.bones[name]
        bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, np.radians(-15.0), np.radians(60.0)
    before = bones(rig, "foot.L", "toe.L")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="spine", along=0.0))
    moved = held.move_to(held.anchor + np.array([0.0, 0.0, -0.3]))
    after = bones(rig, "foot.L", "toe.L")
    assert moved.error < 1e-6
    assert bent(rig, "L") == pytest.approx(15.0, abs=0.5)
    assert after[0, 0, 2] > before[0, 0, 2] + 0.01
    np.testing.assert_allclose(after[1], before[1], atol=1e-5)


@pytest.mark.parametrize("how", ["effector", "constraint"])
def test_toes_that_something_else_turns_are_left_alone(how: str):
    rig = metarig("human")
    bpy.ops.object.mode_set(mode="POSE")
    if how == "effector":
        bpy.ops.articulate.effector_add(bone="toe.L", kind="ORIENTATION")
        rig.articulate.effectors[0].target.rotation_euler.x += 0.3
    else:
        rig.pose.bones["toe.L"].constraints.new("COPY_ROTATION").target = rig
    bpy.context.view_layer.update()
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="hand.L"))
    own = [one.index >= 0 for one in held._plan.effectors if one.bone == "toe.L"]
    assert own == ([True] if how == "effector" else [])
    assert held.move_to(held.anchor + np.array([0.0, -0.1, 0.1])).status == "REACHED"


def test_only_the_feet_are_said_to_hold():
    rig = metarig("human")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="hand.L"))
    assert held.held == ("foot.L", "foot.R")
    marked = installed.module("control.drag.grip").holding(rig, bpy.context, held.grip)
    assert [one.bone for one in marked] == ["foot.L", "foot.R"]


@pytest.mark.parametrize("change", ["lock_rotation", "lock_ik_x", "turned", "standing on its tip"])
def test_a_foot_without_a_hinge_that_lifts_its_heel_stays_flat(change: str):
    rig = metarig("human")
    if change == "lock_rotation":
        rig.pose.bones["foot.L"].lock_rotation[0] = True
    elif change == "lock_ik_x":
        rig.pose.bones["foot.L"].lock_ik_x = True
    else:
        bpy.ops.object.mode_set(mode="EDIT")
        foot = rig.data.edit_bones["foot.L"]
        if change == "turned":
            foot.roll += np.radians(45.0)
        else:
            foot.tail = foot.head + foot.vector.length * (foot.parent.vector.normalized())
        bpy.ops.object.mode_set(mode="OBJECT")
    whole = map_of(rig, installed.module("bridge.armature").read_bones(rig))
    assert sole.Sole.of(whole, whole.bones.number("foot.L")) is None
    assert sole.Sole.of(whole, whole.bones.number("foot.R")) is not None


@pytest.mark.parametrize("bend", [0.2, 0.9])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_its_derivatives_are_those_of_its_error(bend: float, side: float):
    """With room in the ankle, and without."""
    rng = np.random.default_rng(5)
    skeleton = ik.figures.human()
    joint = skeleton.index("ankle.L")
    column = int(np.flatnonzero((skeleton.owner == joint) & (skeleton.slot == 3))[0])
    q = 0.1 * rng.normal(size=skeleton.n)
    q[column] = -side * bend
    pose = ik.Pose.forward(skeleton, q)
    goal = sole.FlatFoot(
        joint=["ankle.L"],
        target=ik.rotation.exp(0.1 * rng.normal(size=3)) @ pose.frame("ankle.L")[None],
        hinge=np.array([0]),
        side=np.array([side]),
        column=np.array([column]),
        most=np.array([sole.ANKLE_BENDS]),
    )
    step, pull = 1e-6, rng.normal(size=3)
    ways = step * np.eye(skeleton.n)
    both = [
        [goal.evaluate(ik.Pose.forward(skeleton, q + way)) for way in ways * sign] for sign in (1.0, -1.0)
    ]
    error = np.array([(more.error - less.error) / (2.0 * step) for more, less in zip(*both, strict=True)]).T
    found = goal.evaluate(pose)
    np.testing.assert_allclose(found.jacobian, error, atol=1e-7)
    slope = [pull @ (more.jacobian - less.jacobian) / (2.0 * step) for more, less in zip(*both, strict=True)]
    curvature = goal.curvature(pose, pull, np.full(skeleton.n, 1e-5))
    np.testing.assert_allclose(curvature, np.array(slope), atol=1e-6)
    batch = goal.evaluate(ik.Pose.forward(skeleton, np.stack([q, 0.5 * q])))
    np.testing.assert_allclose(batch.error[0], found.error, atol=1e-12)
    np.testing.assert_allclose(batch.jacobian[0], found.jacobian, atol=1e-12)
