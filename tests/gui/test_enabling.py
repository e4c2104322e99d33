# SPDX-License-Identifier: GPL-3.0-or-later
"""Enabling the extension in a file that is open: Blender restricts access to data meanwhile."""

from __future__ import annotations

import math

from tests.gui.blender_window import BlenderWindow
from tests.gui.test_dragging import FIGURE, PLACES

SWITCH = """
import addon_utils
name = next(name for name in bpy.context.preferences.addons.keys() if name.endswith('.articulate'))
addon_utils.{}(name)
"""
TARGET = "bpy.data.objects['Target hand.R']"
PLACE = (-0.7, -0.2, 1.2)


def test_a_figure_is_live_again_and_a_bake_that_ran_is_over(window: BlenderWindow):
    window.operate(FIGURE)
    window.operate("bpy.ops.articulate.effector_add(bone='hand.R')")
    window.run("bpy.data.objects['Figure'].articulate.live = True")
    window.settle()
    window.run("bpy.context.window_manager.articulate.baking = 1")
    window.run(SWITCH.format("disable"))
    window.settle()
    window.run(f"{TARGET}.location = {PLACE}")
    window.settle()
    window.run(SWITCH.format("enable"))
    window.wait_for(f"{PLACES}result = result['hand.R']", lambda hand: math.dist(hand, PLACE) < 1e-3)
    assert window.run("result = [bpy.context.window_manager.articulate.baking]") == [0]
