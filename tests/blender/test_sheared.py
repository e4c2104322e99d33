# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures whose bones are squashed, so that what hangs below is sheared: measured by Blender alone."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import add, reach, tip, two_arms


def squashed(scale: tuple = (0.7, 1.4, 0.7)) -> bpy.types.Object:
    rig = two_arms()
    rig.pose.bones["chest"].scale = scale
    rig.pose.bones["arm.L"].scale = (1.1, 0.9, 1.0)
    bpy.context.view_layer.update()
    return rig


@pytest.mark.parametrize("scale", [(0.7, 1.4, 0.7), (1.3, 0.8, 1.1), (0.6, 1.6, 0.6)])
def test_both_hands_reach_in_blender(scale: tuple) -> None:
    rig = squashed(scale)
    places = {bone: tip(rig, bone) + np.array(step) for bone, step in
              (("hand.L", (-0.3, -0.4, 0.3)), ("hand.R", (0.2, -0.5, -0.2)))}  # fmt: skip
    for bone, place in places.items():
        reach(rig, bone, place)
    bpy.ops.articulate.solve()
    for bone, place in places.items():
        error = np.linalg.norm(tip(rig, bone) - place)
        assert error < 2e-3
        assert rig.articulate.report["effectors"][bone]["worst"] == pytest.approx(error, abs=2e-5)


def test_influence_draws_back_to_the_animated_pose() -> None:
    rig = squashed()
    start = tip(rig, "hand.L")
    goal = start + np.array((-0.2, -0.3, 0.2))
    reach(rig, "hand.L", goal)
    rig.articulate.effectors["hand.L"].influence = 0.5
    bpy.ops.articulate.solve()
    assert np.linalg.norm(tip(rig, "hand.L") - 0.5 * (start + goal)) < 2e-3


def test_out_of_reach_says_how_far_it_is_in_blender() -> None:
    rig = squashed()
    goal = (6.0, 0.0, 2.0)
    reach(rig, "hand.L", goal)
    bpy.ops.articulate.solve()
    report = rig.articulate.report
    assert report["status"] != "REACHED"
    assert report["effectors"]["hand.L"]["worst"] == pytest.approx(
        np.linalg.norm(tip(rig, "hand.L") - goal), abs=1e-4
    )


@pytest.mark.parametrize("tolerance", [1e-4, 1e-5, 1e-6])
def test_status_and_sentence_agree(tolerance: float) -> None:
    """However little Blender lacks of what the figure has reached, nobody reads that all is reached."""
    rig = squashed((1.0, 1.5, 1.0))
    reach(rig, "hand.L", tip(rig, "hand.L") + np.array((-0.3, -0.4, 0.3)))
    rig.articulate.solver.tolerance = tolerance
    bpy.ops.articulate.solve()
    report = rig.articulate.report
    short = report["effectors"]["hand.L"]["status"] != "REACHED"
    assert ("from its target" in report["message"]) == short
    assert ("All goals are reached" in report["message"]) is False
    assert (report["status"] != "REACHED") == short


def test_an_orientation() -> None:
    rig = squashed((1.2, 0.9, 1.2))
    add("hand.R", kind="ORIENTATION").target.rotation_euler = (0.4, -0.3, 1.2)
    bpy.context.view_layer.update()
    bpy.ops.articulate.solve()
    assert rig.articulate.report["effectors"]["hand.R"]["angle_worst"] < 5e-3


def test_a_bake_is_right_in_every_frame() -> None:
    rig = squashed((1.2, 0.85, 1.1))
    start = tip(rig, "hand.L")
    target = reach(rig, "hand.L", start)
    for frame, step in ((1, (0, 0, 0)), (8, (-0.4, -0.5, 0.2))):
        target.location = start + step
        target.keyframe_insert("location", frame=frame)
    bpy.ops.articulate.bake(frame_start=1, frame_end=8)
    for frame in range(1, 9):
        bpy.context.scene.frame_set(frame)
        assert np.linalg.norm(tip(rig, "hand.L") - np.array(target.matrix_world.translation)) < 2e-3, frame
