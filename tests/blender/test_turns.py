# SPDX-License-Identifier: GPL-3.0-or-later
"""The manipulability that the overlay shows, and the turns that it reads off the bones."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import add, two_arms
from installed import module
from mathutils import Vector

import ikmath as ik

armature = module("bridge.armature")
skeleton = module("bridge.skeleton")
spaces = module("bridge.space")
inspection = module("control.inspect.inspection")


@pytest.mark.parametrize("seed", range(4))
def test_the_ellipsoid_is_that_of_small_turns(seed):
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
    rig.articulate.solver.root = "PINNED"  # turned upside down, the arms may be legs, and the root moves
    bpy.context.view_layer.update()
    bones = armature.read_bones(rig)
    space = spaces.read_space(rig)
    figure = skeleton.read_figure(bones, armature.read_state(rig, bones), space, names, root="PINNED")
    subject = inspection.Subject(rig, 1, None)
    subject.chains = [("hand.L", "")]
    center, axes = inspection.Inspector().ellipsoid(subject, ("hand.L", (0.1, 0.2, 0.3)), "")

    def place(q):
        pose = ik.Pose.forward(figure.shown, q)
        return space.point_out(pose.point("hand.L", figure.offset("hand.L", (0.1, 0.2, 0.3))))

    steps = 1e-5 * np.eye(len(figure.q))
    wanted = np.array([(place(figure.q + step) - place(figure.q - step)) / 2e-5 for step in steps])
    there = rig.matrix_world @ rig.pose.bones["hand.L"].matrix @ Vector((0.1, 0.2, 0.3))
    assert np.allclose(center, there, atol=1e-5)
    assert np.linalg.matrix_rank(wanted, 1e-2) == 3
    assert np.allclose(axes.T @ axes, wanted.T @ wanted, atol=1e-6)


def test_turns_are_those_of_the_rotations():
    rng = np.random.default_rng(3)
    wanted = rng.uniform(-1.0, 1.0, (200, 3)) * (2.0, 3.1, 2.0)
    wanted[:3] = (0.0, 0.0, 0.0), (0.0, 3.0, 0.0), (3.0, 0.1, 0.0)
    basis = np.tile(np.eye(4, dtype=np.float32), (200, 1, 1))
    basis[:, :3, :3] = ik.rotation.swing_twist_matrix(wanted) * rng.uniform(0.3, 3.0, (200, 1, 3))
    turns = ik.rotation.swing_twist_turns(spaces.nearest_rotation(basis[:, :3, :3]))
    assert np.allclose(turns, wanted, atol=1e-5)
