# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake of a clip in which nothing moves: curves that stand still, without a drift."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import arm, curves, reach, tip
from bridge_rigs import metarig, shake

WAYS = {"hand.L": (0.1, -0.25, -0.2), "hand.R": (0.05, -0.3, 0.1), "head": (0.0, -0.05, -0.03)}
FAR = [False, pytest.param(True, marks=pytest.mark.solver)]


def person(far: bool) -> bpy.types.Object:
    """A person who reaches for still targets, with pinned feet."""
    rig = metarig("basic")
    shake(rig, 3, turn=0.1)
    bpy.context.view_layer.update()
    rig.articulate.solver.root = "FREE"
    for bone, way in WAYS.items():
        name = (
            bone if bone in rig.pose.bones else "spine.006" if "spine.006" in rig.pose.bones else "spine.003"
        )
        reach(rig, name, tip(rig, name) + np.array(way) * (12.0 if far else 1.0))
    for foot in ("foot.L", "foot.R"):
        bpy.ops.articulate.pin(bone=foot, kind="POSE")
    return rig


def spread(rig: bpy.types.Object) -> float:
    """The largest difference between keys of one curve."""
    return max(float(np.ptp([value for _, value in curve])) for curve in curves(rig).values())


@pytest.mark.parametrize("far", FAR)
@pytest.mark.parametrize("method", ["hierarchical", "damped"])
def test_all_keys_of_a_still_clip_are_equal(far, method):
    rig = person(far)
    rig.articulate.solver.method = method
    bpy.ops.articulate.bake(frame_start=1, frame_end=40)
    assert all(len(curve) == 40 for curve in curves(rig).values())
    assert spread(rig) <= 1e-6


@pytest.mark.parametrize("far", FAR)
def test_cleaned_curves_have_two_keys(far):
    rig = person(far)
    rig.articulate.bake.clean_curves = True
    bpy.ops.articulate.bake(frame_start=1, frame_end=40)
    assert {len(curve) for curve in curves(rig).values()} == {2}


def test_what_stops_moving_comes_to_rest():
    rig = arm(6)
    target = reach(rig, "b5", (2.0, 0.5, 3.5))
    for frame, x in ((1, 2.0), (20, -1.5), (60, -1.5)):
        target.location.x = x
        target.keyframe_insert("location", frame=frame)
    bpy.ops.articulate.bake(frame_start=1, frame_end=60)
    last = [np.array([value for frame, value in curve if frame > 40]) for curve in curves(rig).values()]
    assert max(float(np.ptp(values)) for values in last) <= 1e-6
