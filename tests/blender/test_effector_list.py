# SPDX-License-Identifier: GPL-3.0-or-later
"""A line of the list of effectors: the name, and what there is room for beside it."""

from __future__ import annotations

import bpy
from addon_scenes import add, arm
from ui_layout import Layout, draw_list_item


def listed(rig: bpy.types.Object, sidebar: float | None = None) -> list[str]:
    """The first line of the list."""
    layout = Layout()
    draw_list_item(layout, rig.articulate, rig.articulate.effectors[0], sidebar)
    return layout.drawn


def test_the_list_shows_what_is_not_as_usual():
    rig = arm()
    effector = add("b3")
    assert listed(rig) == ["name", "enabled"]
    effector.weight = 2.5
    bpy.ops.articulate.solve()
    assert listed(rig) == ["name", "×2.5", "", "enabled"], "its own Empty, which it has reached"
    effector.target.location.x += 9.0
    bpy.ops.articulate.solve()
    assert listed(rig)[2].endswith(" m")
    effector.target.name = "Ball"
    assert listed(rig)[1] == "Ball"
    effector.target = None
    assert listed(rig)[1] == "no target"
    effector.pinned = True
    assert listed(rig)[1] == "", "its icon says so"


def test_in_the_list_an_error_goes_before_what_was_set_up_where_there_is_no_room_for_both():
    rig = arm()
    effector = add("b3")
    effector.weight, effector.target.name = 0.35, "Ball at the end of the rope"
    assert listed(rig) == ["name", "Ball at the end of the rope", "enabled"]
    effector.target.location.x += 9.0
    bpy.ops.articulate.solve()
    name, error, _enabled = listed(rig)
    assert name == "name" and error.endswith(" m")
    effector.target.name = "Ball"
    assert listed(rig)[1:3] == ["Ball", error], "but not the weight"


def test_in_a_narrow_sidebar_an_error_is_a_sign_beside_the_name():
    rig = arm()
    effector = add("b3")
    effector.name = "a hand with a rather long name"
    effector.target.location.x += 9.0
    bpy.ops.articulate.solve()
    assert listed(rig, 300)[1].endswith(" m")
    assert listed(rig, 200) == ["name", "", "enabled"]
    assert listed(rig, 120) == ["name", "enabled"]


def test_where_there_is_room_for_one_the_error_goes_before_the_sign_of_a_pin():
    rig = arm()
    effector = add("b3")
    effector.target.location.x += 9.0
    bpy.ops.articulate.solve()
    effector.target, effector.pinned = None, True
    effector.status, effector.error = "BEST_EFFORT", 0.2
    shown = {tuple(listed(rig, width)) for width in range(150, 320, 2)}
    assert ("name", "", "200 mm", "enabled") in shown, "the pin and the error"
    assert ("name", "200 mm", "enabled") in shown, "the error alone"
    assert ("name", "", "enabled") in shown, "its sign alone"
