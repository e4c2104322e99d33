# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet with targets that nothing moves: the figure stands on them in Live and Bake as in Solve."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from test_posture import FEET, ends, hold, person, pull


@pytest.mark.parametrize("keyed", [False, True])
def test_a_squat_to_the_floor_in_live_and_bake_has_the_hips_behind_the_feet(keyed):
    """Before, they took feet with targets for a run, and the figure fell over. One key is no motion."""
    rig = person(root="AUTO")
    if keyed:
        for bone in rig.pose.bones:
            bone.keyframe_insert("rotation_quaternion", frame=1)
            bone.keyframe_insert("location", frame=1)
    hold(rig, *FEET)
    for side, x in (("L", 0.2), ("R", -0.2)):
        pull(rig, f"hand.{side}", (x, -0.5, 0.17))
        rig.articulate.effectors[f"hand.{side}"].target.keyframe_insert("location", frame=1)
    scene = bpy.context.scene
    rig.articulate.live = True
    scene.frame_set(2)
    scene.frame_set(1)
    assert ends(rig, "thigh.L")[0, 1] > 0.2, "hips behind the feet"
    rig.articulate.live = False
    bpy.ops.articulate.bake(frame_start=1, frame_end=3)
    assert ends(rig, "thigh.L")[0, 1] > 0.2


def test_live_follows_feet_whose_targets_begin_to_move():
    rig = person(root="AUTO")
    hold(rig, *FEET)
    pull(rig, "hand.L", (0.3, -0.6, 1.2))
    rig.articulate.live = True
    scene = bpy.context.scene
    scene.frame_set(1)
    for name in FEET:
        target = rig.articulate.effectors[name].target
        for frame, way in ((1, 0.0), (10, -1.0)):
            target.location.y += way
            target.keyframe_insert("location", frame=frame)
    scene.frame_set(10)
    found = ends(rig, "spine")
    rig.articulate.live = False
    rig.articulate.live = True
    scene.frame_set(1)
    scene.frame_set(10)
    assert np.allclose(ends(rig, "spine"), found, atol=1e-4)
