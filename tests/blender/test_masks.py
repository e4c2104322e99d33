# SPDX-License-Identifier: GPL-3.0-or-later
"""Places and orientations of which only some axes count, and slacks; measured by Blender."""

from __future__ import annotations

from itertools import pairwise

import bpy
import numpy as np
import pytest
from addon_scenes import add, animate, arm, evaluated, reach, tip
from mathutils import Matrix, Quaternion

TURNED = Quaternion((0.8, 0.3, -0.2, 0.4)).normalized()


def turned_arm(count: int = 5) -> bpy.types.Object:
    """An arm whose object is moved, turned and scaled, so that no axis is one of the world's."""
    rig = arm(count)
    rig.rotation_euler, rig.location, rig.scale = (0.5, -0.7, 1.1), (2.0, -1.0, 0.5), (0.7, 0.7, 0.7)
    bpy.context.view_layer.update()
    return rig


def frame(rig: bpy.types.Object, bone: str) -> np.ndarray:
    """(3, 3) how a bone is turned in the world, as Blender shows it."""
    shown = evaluated(rig)
    return np.array((shown.matrix_world @ shown.pose.bones[bone].matrix).to_quaternion().to_matrix())


def way(rig: bpy.types.Object, name: str, space: str) -> np.ndarray:
    """(3,) from the target to the tip, in the axes of a space."""
    effector = rig.articulate.effectors[name]
    target = evaluated(effector.target).matrix_world
    axes = {"WORLD": np.eye(3), "TARGET": np.array(target.to_quaternion().to_matrix())}
    axes["BONE"] = frame(rig, effector.bone)
    return axes[space].T @ (tip(rig, effector.bone) - np.array(target.translation))


@pytest.mark.parametrize("space", ["WORLD", "TARGET", "BONE"])
@pytest.mark.parametrize("axes", [(False, False, True), (True, False, True)])
def test_only_the_axes_that_count_are_met(space, axes):
    rig = turned_arm()
    before = tip(rig, "b4")
    target = add("b4", axes=axes, space=space).target
    target.location = before + np.array([0.3, -0.5, -0.4])
    target.rotation_quaternion = TURNED
    bpy.ops.articulate.solve()
    off = np.abs(way(rig, "b4", space))
    row = rig.articulate.report["effectors"]["b4"]
    assert row["status"] == "REACHED" and row["worst"] < 1e-3, row
    assert off[list(axes)].max() < 1e-3, off
    assert off[~np.array(axes)].max() > 0.05, "the other axes ask for nothing"


def test_a_masked_place_moves_as_little_as_it_must():
    rig = turned_arm()
    before = tip(rig, "b4")
    target = add("b4", axes=(False, False, True)).target
    target.location = before + np.array([5.0, -7.0, 0.0])
    bpy.ops.articulate.solve()
    assert np.linalg.norm(tip(rig, "b4") - before) < 1e-4, "at its height it stays where it is"


@pytest.mark.parametrize("space", ["WORLD", "TARGET"])
def test_an_orientation_about_some_axes_only(space):
    rig = turned_arm()
    effector = add("b4", "ORIENTATION", turn_axes=(True, False, True), space=space)
    start = Quaternion(effector.target.rotation_quaternion)
    effector.target.rotation_quaternion = (
        Quaternion((0.0, 0.0, 1.0), 0.5) @ start @ Quaternion((1, 0, 0), 0.4)
    )
    bpy.ops.articulate.solve()
    wanted = np.array(evaluated(effector.target).matrix_world.to_quaternion().to_matrix())
    turn = Matrix(frame(rig, "b4") @ wanted.T).to_quaternion().to_exponential_map()
    axes = np.eye(3) if space == "WORLD" else wanted
    left = axes.T @ np.array(turn)
    assert abs(left[0]) < 1e-3 and abs(left[2]) < 1e-3 and abs(left[1]) > 0.02, left
    assert rig.articulate.report["effectors"]["b4"]["status"] == "REACHED"


def test_both_masks_of_a_pose_go_together():
    rig = turned_arm(7)
    effector = add("b6", "POSE", axes=(True, True, False), turn_axes=(False, True, False), space="TARGET")
    target = effector.target
    target.location = np.array(target.location) + np.array([0.4, 0.3, -0.5])
    target.rotation_quaternion = Quaternion((0, 0, 1), 0.4) @ Quaternion(target.rotation_quaternion)
    bpy.ops.articulate.solve()
    off = np.abs(way(rig, "b6", "TARGET"))
    assert off[0] < 1e-3 and off[1] < 1e-3
    row = rig.articulate.report["effectors"]["b6"]
    assert row["worst"] < 1e-3 and row["angle_worst"] < 1e-3


def test_inside_its_slack_a_place_costs_nothing():
    rig = arm()
    before = tip(rig, "b3")
    target = add("b3", slack=0.3).target
    target.location = before + np.array([0.0, 0.0, -0.29])
    bpy.ops.articulate.solve()
    assert np.linalg.norm(tip(rig, "b3") - before) < 1e-5
    target.location = before + np.array([0.5, 0.5, -0.8])
    bpy.ops.articulate.solve()
    assert 0.1 < np.linalg.norm(tip(rig, "b3") - np.array(target.location)) < 0.301
    assert rig.articulate.report["effectors"]["b3"]["worst"] < 1e-3


@pytest.mark.parametrize("kind", ["ORIENTATION", "AIM"])
def test_inside_its_slack_an_angle_costs_nothing(kind):
    rig = arm()
    before = frame(rig, "b3")
    effector = add("b3", kind, turn_slack=np.radians(20))
    target = effector.target

    def ask(degrees: float) -> None:
        turn = Quaternion((1.0, 0.0, 0.0), np.radians(degrees))
        if kind == "ORIENTATION":
            target.rotation_quaternion = turn @ Quaternion(start)
        else:
            target.location = tip(rig, "b3") + 2.0 * np.array(turn.to_matrix()) @ before[:, 1]

    start = tuple(target.rotation_quaternion)
    ask(19.0)
    bpy.ops.articulate.solve()
    np.testing.assert_allclose(frame(rig, "b3"), before, atol=1e-5)
    ask(50.0)
    bpy.ops.articulate.solve()
    if kind == "ORIENTATION":
        wanted = np.array(evaluated(target).matrix_world.to_quaternion().to_matrix())
        cosine = 0.5 * (np.trace(frame(rig, "b3").T @ wanted) - 1.0)
    else:
        ahead = np.array(target.location) - tip(rig, "b3")
        cosine = frame(rig, "b3")[:, 1] @ ahead / np.linalg.norm(ahead)
    assert 10.0 < np.degrees(np.arccos(cosine)) < 20.1


def test_a_slack_is_animated_and_baked():
    rig = arm()
    effector = add("b3")
    place = tip(rig, "b3") + np.array([0.0, 1.0, -1.0])
    animate(effector.target, {1: place, 11: place})
    for number, slack in ((1, 0.5), (11, 0.0)):
        effector.slack = slack
        effector.keyframe_insert("slack", frame=number)
    bpy.ops.articulate.bake(frame_start=1, frame_end=11)
    misses = []
    for number in range(1, 12):
        bpy.context.scene.frame_set(number)
        misses.append(np.linalg.norm(tip(rig, "b3") - place))
    assert misses[0] == pytest.approx(0.5, abs=2e-3) and misses[-1] < 2e-3
    assert all(a >= b - 2e-3 for a, b in pairwise(misses))


def test_under_an_uneven_scale_a_masked_error_is_blenders():
    rig = arm(6)
    rig.pose.bones["b1"].scale = (1.0, 0.8, 1.1)
    bpy.context.view_layer.update()
    target = add("b5", axes=(False, False, True)).target
    target.location = tip(rig, "b5") + np.array([1.0, 1.0, -1.0])
    bpy.ops.articulate.solve()
    height = abs(tip(rig, "b5")[2] - target.location.z)
    row = rig.articulate.report["effectors"]["b5"]
    assert row["worst"] == pytest.approx(height, abs=1e-4) and height < 5e-3


def test_no_axis_at_all_is_refused():
    rig = arm()
    reach(rig, "b3", (1, 1, 2), axes=(False, False, False))
    with pytest.raises(RuntimeError, match=r"b3.*no axis of its place"):
        bpy.ops.articulate.solve()
