# SPDX-License-Identifier: GPL-3.0-or-later
"""Turning a bone in a drag, as a window drives it: about an axis, freely, by typed degrees, in steps."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import tip
from drag_window import Mouse, posed, tip_at


def test_r_turns_and_g_moves_on_from_there():
    rig = posed()
    mouse = Mouse(tip_at(rig, "b3"), bone="b3")
    head = np.array(rig.matrix_world @ rig.pose.bones["b3"].head)
    before = rig.pose.bones["b3"].matrix.to_quaternion()
    mouse.key("R")
    for character in "30":
        mouse.key("THREE", ascii=character)
    mouse.tick()
    tip(rig, "b3")
    turned = before.rotation_difference(rig.pose.bones["b3"].matrix.to_quaternion()).angle
    assert turned == pytest.approx(np.radians(30), abs=1e-3)
    assert np.linalg.norm(np.array(rig.matrix_world @ rig.pose.bones["b3"].head) - head) < 1e-3
    mouse.key("G")
    begun = tip(rig, "b3")
    mouse.move((mouse.at[0] + 0.1, mouse.at[1]))
    mouse.tick()
    assert np.linalg.norm(tip(rig, "b3") - begun - (0.1, 0, 0)) < 1e-3


def test_r_twice_turns_freely_and_once_more_about_one_axis():
    rig = posed()
    mouse = Mouse(tip_at(rig, "b3"), bone="b3")
    before = rig.pose.bones["b3"].matrix.to_quaternion()

    def turned():
        mouse.tick()
        tip(rig, "b3")
        return np.array(
            (rig.pose.bones["b3"].matrix.to_quaternion() @ before.inverted()).to_exponential_map()
        )

    mouse.key("R")
    mouse.key("R")
    mouse.move((mouse.at[0] + 0.2, mouse.at[1] + 0.3))
    assert np.allclose(turned(), (-0.3, 0.0, 0.2), atol=2e-3), "30 pixels up and 20 to the right"
    assert "trackball" in mouse.window.header[-1]
    mouse.key("Z", ascii="z")
    assert np.allclose(turned()[:2], 0.0, atol=2e-3) and "about global Z" in mouse.window.header[-1]
    mouse.key("R")
    assert np.allclose(turned(), 0.0, atol=2e-3) and "trackball" not in mouse.window.header[-1]
    mouse.key("ESC")


def test_degrees_are_typed_while_it_turns():
    rig = posed()
    mouse = Mouse(tip_at(rig, "b3"), bone="b3")
    before = rig.pose.bones["b3"].matrix.to_quaternion()
    mouse.key("R")
    assert mouse.window.header[-1].startswith("Turn b3")
    mouse.key("Y", ascii="y")
    for character in "-45.01":
        mouse.key("KEY", ascii=character)
    mouse.key("BACK_SPACE")
    mouse.tick()
    assert "about global Y" in mouse.window.header[-1] and "-45.0|" in mouse.window.header[-1]
    tip(rig, "b3")
    turned = before.rotation_difference(rig.pose.bones["b3"].matrix.to_quaternion()).angle
    assert turned == pytest.approx(np.radians(45), abs=1e-3)
    mouse.key("G")
    assert mouse.window.header[-1].startswith("Drag b3") and "45" not in mouse.window.header[-1]
    mouse.key("ESC")


def test_ctrl_snaps_a_turn_to_increments_unless_the_magnet_is_on():
    rig = posed()
    mouse = Mouse(tip_at(rig, "b3"), bone="b3", turning=True)
    assert mouse.window.header[-1].startswith("Turn b3")
    before = rig.pose.bones["b3"].matrix.to_quaternion()

    def degrees() -> float:
        mouse.tick()
        tip(rig, "b3")
        angle = before.rotation_difference(rig.pose.bones["b3"].matrix.to_quaternion()).angle
        return float(np.degrees(angle)) / 5.0

    mouse.move((mouse.at[0] - 0.2, mouse.at[1] + 0.11))
    assert abs(degrees() - round(degrees())) > 0.01
    mouse.key("LEFT_CTRL")
    assert degrees() == pytest.approx(round(degrees()), abs=1e-2) and degrees() > 0.5
    mouse.key("LEFT_CTRL", "RELEASE")
    assert abs(degrees() - round(degrees())) > 0.01
    bpy.context.scene.tool_settings.use_snap_rotate = True
    mouse.key("TAB", shift=True)
    assert bpy.context.scene.tool_settings.use_snap
    assert degrees() == pytest.approx(round(degrees()), abs=1e-2)
    mouse.key("ESC")
