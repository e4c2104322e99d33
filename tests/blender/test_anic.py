# SPDX-License-Identifier: GPL-3.0-or-later
"""Ki & Sheen, example 7.5, as a scene: a human figure grasps an object on a table, by several methods.

The same example as numbers and as a picture: tests/papers/experiments/ki_sheen_grasp.py.
"""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import evaluated, tip
from anic_scene import FEET, FRAMES, OBJECT, act


@pytest.mark.parametrize("method", ["hierarchical", "bounded", "prioritized", "damped", "nonlinear"])
def test_anic_grasps_the_object_and_stands(method):
    rig, hand = act(method)
    bpy.context.scene.frame_set(1)
    feet = {name: tip(rig, name) for name in FEET}
    previous = None
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        assert np.linalg.norm(tip(rig, "wrist.R") - evaluated(hand).matrix_world.translation) < 2e-3
        for name in FEET:
            assert np.linalg.norm(tip(rig, name) - feet[name]) < 2e-3
        heads = np.array([bone.head for bone in evaluated(rig).pose.bones])
        assert previous is None or np.abs(heads - previous).max() < 0.15, "no jump"
        previous = heads
    assert np.linalg.norm(tip(rig, "wrist.R") - OBJECT) < 2e-3
    assert rig.articulate.report["status"] == "REACHED"
    assert installed.package()
