# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes whose unit is a centimetre: all is told in metres of the scene, and all is solved as before."""

from __future__ import annotations

import bpy
import drag_ways
import installed
import numpy as np
import pytest
from addon_scenes import add, arm, miss, reach, tip
from bridge_rigs import pose_matrices
from installed import module


def centimetres() -> None:
    bpy.context.scene.unit_settings.scale_length = 0.01


def test_what_is_short_is_told_in_metres_of_the_scene():
    centimetres()
    rig = arm()
    reach(rig, "b3", (0.0, 0.0, 154.0))
    bpy.ops.articulate.solve()
    far = miss(rig, "b3")
    report = rig.articulate.report
    assert far == pytest.approx(150.0, abs=0.5)
    assert f"b3 is {far / 100:.4g} m from its target" in report["message"]
    assert report["effectors"]["b3"]["message"].startswith(f"{far / 100:.4g} m from its target")
    assert report["effectors"]["b3"]["worst"] == pytest.approx(far)  # scripts have Blender's units
    text = bpy.data.texts[module("control.report.report_text").NAME].as_string()
    assert f"{far / 100:.2f} m" in text
    assert module("ui.effector_list")._worst(rig.articulate.effectors["b3"]) == f"{far / 100:.2f} m"


def test_live_and_baked_frames_say_the_same_lengths():
    centimetres()
    rig = arm()
    target = reach(rig, "b3", (0.0, 0.0, 154.0))
    target.keyframe_insert("location", frame=1)
    rig.articulate.live = True
    bpy.context.scene.frame_set(2)
    assert "is 1.5" in rig.articulate.message
    rig.articulate.live = False
    bpy.ops.articulate.bake(frame_start=1, frame_end=2)
    assert "is 1.5" in rig.articulate.message


def test_a_scene_without_units_has_none():
    centimetres()
    bpy.context.scene.unit_settings.system = "NONE"
    rig = arm()
    reach(rig, "b3", (0.0, 0.0, 154.0))
    bpy.ops.articulate.solve()
    assert "is 150 m from its target" in rig.articulate.message


def test_poses_are_the_same_whatever_the_unit():
    poses = []
    for scale in (1.0, 0.01):
        rig = drag_ways.figure("t_pose")
        bpy.context.scene.unit_settings.scale_length = scale
        rig.articulate.solver.root = "FREE"
        place = tip(rig, "LeftHand") + np.array((-0.3, -0.2, 0.2))
        for foot in ("LeftFoot", "RightFoot"):
            add(foot, "POSE")
        reach(rig, "LeftHand", place)
        bpy.ops.articulate.solve()
        bpy.context.view_layer.update()
        assert rig.articulate.report["status"] == "REACHED"
        poses.append(pose_matrices(rig))
    assert np.allclose(poses[0], poses[1], atol=1e-4)


def test_given_masses_weigh_beside_those_of_the_figures_volume():
    """A person of 180 units with a sack of 30 kg leans as one of 1.8 with the same sack."""
    places = []
    for size, scale in ((0.01, 1.0), (1.0, 0.01)):
        rig = drag_ways.figure("t_pose")
        rig.scale = (size,) * 3
        bpy.context.scene.unit_settings.scale_length = scale
        rig.pose.bones["LeftHand"].articulate.mass = 30.0
        bpy.context.view_layer.update()
        read = module("control.collision.body").read_masses
        bones = module("bridge.armature").read_bones(rig)
        found = read(rig, bones, scale)
        masses = dict(zip(found.names, found.mass, strict=True))
        assert masses["LeftHand"] == 30.0
        places.append(sum(masses.values()))
    assert places[0] == pytest.approx(places[1], rel=1e-3)
    assert 40.0 < places[0] < 200.0


def test_typed_lengths_are_of_the_scene():
    hand = installed.module("operators.hand").Hand
    bpy.context.scene.unit_settings.scale_length = 0.01
    held = hand(None, (0.0, 0.0), (1.0, 2.0, 3.0))
    held.press("Z", "z")
    held.press("TWO", "2")
    assert held.place() == pytest.approx((1.0, 2.0, 203.0))
    bpy.context.scene.unit_settings.length_unit = "CENTIMETERS"
    assert held.place() == pytest.approx((1.0, 2.0, 5.0))
