# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets in the world and in figure space."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bridge_rigs import chain_rig, evaluated, shake
from installed import module
from mathutils import Matrix

goals = module("bridge.space")
space = module("bridge.space")
refusal = module("properties.refusal")


def empty(name: str = "Target") -> bpy.types.Object:
    target = bpy.data.objects.new(name, None)
    bpy.context.collection.objects.link(target)
    return target


def depsgraph() -> bpy.types.Depsgraph:
    return bpy.context.evaluated_depsgraph_get()


def test_an_animated_target_under_a_parent() -> None:
    target, parent = empty(), empty("Parent")
    target.parent = parent
    parent.location, parent.rotation_euler, parent.scale = (1, 2, 3), (0.1, 0.2, 0.3), (2, 2, 2)
    for frame in (1, 11):
        target.location.x = frame
        target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(6)
    found = np.array(goals.transform(target, depsgraph()))
    expected = parent.matrix_world @ Matrix.Translation(target.location)
    assert np.abs(found - np.array(expected)).max() < 1e-6
    assert target.location.x == pytest.approx(6, abs=1e-4)


def test_a_bone_as_target() -> None:
    rig = chain_rig(3)
    shake(rig, 1)
    rig.location.z = 5
    found = goals.transform(rig, depsgraph(), "b2")
    shown = evaluated(rig)
    assert np.abs(found - np.array(shown.matrix_world @ shown.pose.bones["b2"].matrix)).max() < 1e-6
    with pytest.raises(refusal.Refused, match="Target bone 'b9' does not exist in 'Rig'"):
        goals.transform(rig, depsgraph(), "b9")
    with pytest.raises(refusal.Refused, match="Target bone 'b0' does not exist in 'Target'"):
        goals.transform(empty(), depsgraph(), "b0")


def test_several_targets() -> None:
    a, b = empty("A"), empty("B")
    b.location = (1, 2, 3)
    found = goals.target_matrices([goals.transform(each, depsgraph()) for each in (a, b)], str)
    assert found.shape == (2, 4, 4) and found[1, :3, 3].tolist() == [1, 2, 3]
    assert goals.target_matrices([], str).shape == (0, 4, 4)


def test_a_target_that_is_switched_off_has_no_place() -> None:
    target = empty()
    target.hide_viewport = True
    with pytest.raises(refusal.Refused, match="Target 'Target' is switched off"):
        goals.transform(target, depsgraph())
    target.hide_viewport = False
    bpy.context.view_layer.update()
    target.hide_set(True)
    goals.transform(target, depsgraph())


def test_no_number_in_a_transform() -> None:
    target = empty()
    target.location.x = float("nan")
    with pytest.raises(refusal.Refused, match=r"transform of target 'Target' must consist of finite numbers"):
        goals.target_matrices([goals.transform(target, depsgraph())], lambda row: target.name)


def test_figure_space() -> None:
    rig = chain_rig(2)
    rig.location, rig.rotation_euler, rig.scale = (1, 2, 3), (0.5, 1, -2), (0.01,) * 3
    place = space.read_space(evaluated(rig))
    target = empty()
    target.location, target.rotation_euler, target.scale = (4, 5, 6), (1, 0.2, 0.3), (2, 0.5, 3)
    bpy.context.view_layer.update()
    matrices = np.array([np.array(target.matrix_world)] * 6).reshape(2, 3, 4, 4)
    found = goals.target_goals(place, matrices)
    local = rig.matrix_world.inverted() @ target.matrix_world
    assert found.position.shape == (2, 3, 3) and found.rotation.shape == (2, 3, 3, 3)
    assert np.abs(found.position[1, 2] - 0.01 * np.array(local.translation)).max() < 1e-6
    assert np.abs(found.rotation[1, 2] - np.array(local.to_quaternion().to_matrix())).max() < 1e-6


@pytest.mark.parametrize("scale", [(-1, 1, 1), (-2, -2, -2), (1, 1, -0.5)])
def test_mirrored_targets_turn_as_blender_takes_them(scale: tuple) -> None:
    target = empty()
    target.rotation_euler, target.scale = (1, 0.2, 0.3), scale
    bpy.context.view_layer.update()
    unmoved = space.Space(np.eye(3), np.zeros(3), 1.0)
    found = goals.target_goals(unmoved, np.array(target.matrix_world)).rotation
    expected = np.array(target.matrix_world.to_quaternion().to_matrix())
    assert np.abs(found - expected).max() < 1e-6


def test_a_flat_target_still_has_a_place() -> None:
    target = empty()
    target.location, target.scale = (1, 2, 3), (1, 0, 1)
    bpy.context.view_layer.update()
    unmoved = space.Space(np.eye(3), np.zeros(3), 1.0)
    found = goals.target_goals(unmoved, np.array(target.matrix_world))
    assert found.position.tolist() == [1, 2, 3] and np.isfinite(found.rotation).all()
