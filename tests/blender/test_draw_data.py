# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlay shows, as arrays; the drawing itself is looked at in a real window."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import add, arm, reach, tip, two_arms

data = installed.module("viewport.draw_data")


def test_an_effector_is_joined_to_its_target_in_the_colour_of_its_error():
    rig = arm(4)
    target = reach(rig, "b3", (1.5, 0.5, 2.0))
    shown = data.drawing(rig)
    assert np.allclose(shown.lines[data.FAR], [tip(rig, "b3"), target.location], atol=1e-5)
    assert np.allclose(shown.points[data.FAR], [tip(rig, "b3")], atol=1e-5)
    bpy.ops.articulate.solve()
    bpy.context.view_layer.update()
    shown = data.drawing(rig)
    assert (
        np.allclose(shown.lines[data.NEAR], [target.location] * 2, atol=1e-3) and data.FAR not in shown.points
    )


def test_the_chain_of_the_active_effector():
    rig = two_arms()
    add("hand.L", chain_root="arm.L")
    assert len(data.drawing(rig).lines[data.CHAIN]) == 4
    rig.articulate.effectors["hand.L"].chain_root = ""
    assert len(data.drawing(rig).lines[data.CHAIN]) == 8


@pytest.mark.parametrize("kind", ["POSITION", "ORIENTATION", "POSE"])
def test_the_colour_of_a_pin_says_what_it_holds(kind):
    rig = two_arms()
    rig.location = (1, 2, 3)
    bpy.context.view_layer.update()
    bpy.ops.articulate.pin(bone="hand.L", kind=kind)
    assert np.allclose(data.drawing(rig).points[data.PINS[kind]], [tip(rig, "hand.L")], atol=1e-5)


def test_what_is_missing_or_off_is_not_shown():
    rig = two_arms()
    add("hand.L").target = None
    add("hand.R").enabled = False
    add("arm.L").bone = "gone"
    rig.articulate.active_effector = 1
    shown = data.drawing(rig)
    assert not shown.lines and not shown.points
