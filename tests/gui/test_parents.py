# SPDX-License-Identifier: GPL-3.0-or-later
"""Alt and the wheel, by a real mouse: before a press, by a click, and while a bone is dragged."""

from __future__ import annotations

import pytest

from tests.gui.blender_window import BlenderWindow
from tests.gui.test_dragging import FIGURE, PLACES

SESSION = "session = bpy.context.window_manager.articulate; result = session.{}"
TAKEN, GRIP = SESSION.format("taken"), SESSION.format("grip")
ACTIVE = "result = bpy.context.active_pose_bone and bpy.context.active_pose_bone.name"
FRAME = "result = bpy.context.scene.frame_current"
HAND, BESIDE = (0.7, 0.0, 1.55), (1.6, 0.0, 2.2)


@pytest.fixture
def figure(window: BlenderWindow) -> BlenderWindow:
    """A figure in Pose Mode with the tool in hand and nothing selected; the mouse is over a hand."""
    window.operate(FIGURE)
    window.operate("bpy.ops.pose.select_all(action='DESELECT')")
    window.settle()
    window.move(*window.pixel_of(HAND))
    window.wait_for(SESSION.format("hovered"), lambda name: name == "hand.L")
    return window


def climb(window: BlenderWindow, way: str) -> None:
    """Turn the wheel by a notch with Alt held."""
    window.key_down("alt")
    window.wheel(way)
    window.key_up("alt")


def test_alt_wheel_shows_the_parent_and_goes_back(figure: BlenderWindow):
    figure.screenshot("parent_before")
    climb(figure, "up")
    figure.wait_for(TAKEN, lambda name: name == "arm.L")
    figure.screenshot("parent_of_hand")
    climb(figure, "up")
    figure.wait_for(TAKEN, lambda name: name == "chest")
    climb(figure, "down")
    figure.wait_for(TAKEN, lambda name: name == "arm.L")
    figure.key("Escape")
    figure.wait_for(TAKEN, lambda name: name == "")
    figure.screenshot("parent_escape")
    assert figure.run(FRAME) == 1 and figure.run("result = bpy.context.mode") == "POSE"


def test_a_press_drags_the_parent(figure: BlenderWindow):
    before, start = figure.run(PLACES), figure.pixel_of(HAND)
    climb(figure, "up")
    figure.press()
    figure.glide(start, (start[0], start[1] - 60))
    figure.wait_for(GRIP, lambda name: name == "arm.L")
    figure.screenshot("parent_dragged")
    figure.release()
    figure.wait_for(GRIP, lambda name: name == "")
    assert figure.run(ACTIVE) == "arm.L" and figure.run(TAKEN) == ""
    assert figure.run(PLACES)["arm.L"][2] > before["arm.L"][2] + 0.1
    figure.key("ctrl+z")
    figure.wait_for(PLACES, lambda now: abs(now["arm.L"][2] - before["arm.L"][2]) < 1e-5)


def test_a_click_selects_the_parent_and_pin_acts_on_it(figure: BlenderWindow):
    climb(figure, "up")
    figure.click(*figure.pixel_of(HAND))
    figure.wait_for(ACTIVE, lambda name: name == "arm.L")
    figure.operate("bpy.ops.articulate.pin()")
    pinned = "result = [e.bone for e in bpy.data.objects['Figure'].articulate.effectors]"
    assert figure.run(pinned)[-1] == "arm.L"
    x, y = figure.pixel_of(HAND)
    figure.click(x + 4, y)
    figure.wait_for(ACTIVE, lambda name: name == "hand.L")


def test_the_mouse_moved_away_ends_the_choice(figure: BlenderWindow):
    climb(figure, "up")
    figure.wait_for(TAKEN, lambda name: name == "arm.L")
    x, y = figure.pixel_of(HAND)
    figure.move(x + 6, y)
    assert figure.run(TAKEN) == "arm.L"
    figure.move(*figure.pixel_of((-0.18, 0, 0.7)))
    figure.wait_for(TAKEN, lambda name: name == "")
    figure.wait_for(SESSION.format("hovered"), lambda name: name == "thigh.R")


def test_another_tool_ends_the_choice(figure: BlenderWindow):
    climb(figure, "up")
    figure.wait_for(TAKEN, lambda name: name == "arm.L")
    figure.operate("bpy.ops.wm.tool_set_by_id(name='builtin.select_box')")
    figure.wait_for(TAKEN, lambda name: name == "")


def test_beside_the_bones_alt_wheel_is_blenders(figure: BlenderWindow):
    figure.move(*figure.pixel_of(BESIDE))
    climb(figure, "down")
    figure.wait_for(FRAME, lambda frame: frame != 1)
    assert figure.run(TAKEN) == ""


def test_during_a_drag_alt_wheel_takes_the_parent(figure: BlenderWindow):
    before, start = figure.run(PLACES), figure.pixel_of(HAND)
    figure.press()
    figure.glide(start, (start[0], start[1] - 60))
    figure.wait_for(GRIP, lambda name: name == "hand.L")
    climb(figure, "up")
    figure.wait_for(GRIP, lambda name: name == "arm.L")
    figure.wait_for(PLACES, lambda now: now["arm.L"][2] > before["arm.L"][2] + 0.1)
    figure.screenshot("parent_during_drag")
    climb(figure, "down")
    figure.wait_for(GRIP, lambda name: name == "hand.L")
    figure.key("Escape")
    figure.release()
    figure.wait_for(PLACES, lambda now: now == before)
