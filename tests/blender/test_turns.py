# SPDX-License-Identifier: GPL-3.0-or-later
"""The Jacobian that the overlay reads off the bones, against that of the figure's forward kinematics."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import add, two_arms
from installed import module

import ikmath as ik

armature = module("bridge.armature")
skeleton = module("bridge.skeleton")
spaces = module("bridge.space")
turns = module("control.inspect.turns")


@pytest.mark.parametrize("seed", range(4))
def test_a_lever_has_the_jacobian_of_the_figure(seed):
    rng = np.random.default_rng(seed)
    rig = two_arms()
    rig.location, rig.rotation_euler, rig.scale = rng.normal(size=3), rng.normal(size=3), (0.3, 0.3, 0.3)
    names = [bone.name for bone in rig.pose.bones]
    for bone in rig.pose.bones:
        bone.rotation_quaternion = rng.normal(size=4)
        bone.scale = [rng.uniform(0.5, 2.0)] * 3
    rig.data.bones["arm.L"].use_inherit_rotation = seed % 2 == 0
    rig.pose.bones["arm.L"].lock_ik_x = True
    add("hand.L")
    bpy.context.view_layer.update()
    bones = armature.read_bones(rig)
    space = spaces.read_space(rig)
    figure = skeleton.read_figure(bones, armature.read_state(rig, bones), space, names, root="PINNED")
    state = figure.state
    lever = turns.Lever.of(figure, "hand.L", "")
    world = np.array(rig.matrix_world) @ state.matrix
    place = world[lever.bone] @ (0.1, 0.2, 0.3, 1.0)
    found = lever.jacobian(state.basis, world, place[:3])
    pose = ik.Pose.forward(figure.shown, figure.q)
    offset = figure.offset("hand.L", (0.1, 0.2, 0.3))
    wanted = space.rotation @ pose.jacobian("hand.L", offset)
    moves = figure.skeleton.is_turn & (np.abs(wanted) > 1e-9).any(0)
    assert moves.sum() >= 6
    assert np.allclose(found, wanted[:, moves], atol=1e-4)


def test_turns_are_those_of_the_rotations():
    rng = np.random.default_rng(3)
    wanted = rng.uniform(-1.0, 1.0, (200, 3)) * (2.0, 3.1, 2.0)
    wanted[:3] = (0.0, 0.0, 0.0), (0.0, 3.0, 0.0), (3.0, 0.1, 0.0)
    basis = np.tile(np.eye(4, dtype=np.float32), (200, 1, 1))
    basis[:, :3, :3] = ik.rotation.swing_twist_matrix(wanted) * rng.uniform(0.3, 3.0, (200, 1, 3))
    numbers = np.arange(200)[::-1]
    assert np.allclose(turns.bone_turns(numbers, basis), wanted[numbers], atol=1e-5)
