# SPDX-License-Identifier: GPL-3.0-or-later
"""Gizmos on targets and pins, by a real mouse: move, turn, Esc, undo, with live on; and G as on anything."""

from __future__ import annotations

import math

import pytest

from tests.gui.blender_window import BlenderWindow
from tests.gui.test_dragging import FIGURE, PLACES

TARGET = """
bpy.ops.wm.tool_set_by_id(name='builtin.select_box')
bpy.ops.articulate.effector_add(bone='hand.L', kind='{kind}')
rig = bpy.data.objects['Figure']
rig.articulate.live = True
target = rig.articulate.effectors['hand.L'].target
target.rotation_mode = 'QUATERNION'
bpy.ops.ed.undo_push(message='target')
"""
WHERE = "t = bpy.data.objects['Target hand.L'].matrix_world; result = [*t.translation, *t.to_quaternion()]"
PIN = "result = list(bpy.data.objects['Figure'].articulate.active.pin_location)"
ARROW, RING = 60.0, 42.0
"""Pixels from the target: on an arrow, on a ring."""


@pytest.fixture
def figure(window: BlenderWindow) -> BlenderWindow:
    """A figure in Pose Mode, seen from the front, both feet pinned, without tools in hand."""
    window.operate(FIGURE)
    window.settle()
    return window


def test_an_arrow_moves_the_target_along_its_axis_and_the_live_figure_follows(figure: BlenderWindow):
    figure.operate(TARGET.format(kind="POSITION"))
    figure.settle()
    before = figure.run(WHERE)
    x, y = figure.pixel_of(before[:3])
    figure.move(x, y - ARROW)
    figure.screenshot("gizmo")
    figure.press()
    figure.glide((x, y - ARROW), (x + 10, y - ARROW - 80))
    figure.screenshot("gizmo_moving")
    figure.release()
    after = figure.wait_for(WHERE, lambda now: now[2] > before[2] + 0.1)
    assert after[:2] == pytest.approx(before[:2], abs=1e-4), "only along Z"
    hand = figure.wait_for(PLACES, lambda now: math.dist(now["hand.L"], after[:3]) < 2e-3)["hand.L"]
    figure.screenshot("gizmo_moved")
    assert math.dist(hand, after[:3]) < 2e-3
    figure.key("ctrl+z")
    figure.wait_for(WHERE, lambda now: math.dist(now[:3], before[:3]) < 1e-5)
    figure.key("ctrl+shift+z")
    figure.wait_for(WHERE, lambda now: math.dist(now[:3], after[:3]) < 1e-5)


def test_escape_lets_the_target_go_back(figure: BlenderWindow):
    figure.operate(TARGET.format(kind="POSITION"))
    figure.settle()
    before = figure.run(WHERE)
    x, y = figure.pixel_of(before[:3])
    figure.move(x, y - ARROW)
    figure.press()
    figure.glide((x, y - ARROW), (x, y - ARROW - 80))
    figure.wait_for(WHERE, lambda now: now[2] > before[2] + 0.1)
    figure.key("Escape")
    figure.release()
    figure.wait_for(WHERE, lambda now: now == before)


def test_a_ring_turns_the_target(figure: BlenderWindow):
    figure.operate(TARGET.format(kind="POSE"))
    figure.settle()
    before = figure.run(WHERE)
    x, y = figure.pixel_of(before[:3])
    at = 0.7071 * RING
    figure.move(x + at, y - at)
    figure.screenshot("gizmo_ring")
    figure.press()
    figure.glide((x + at, y - at), (x - at, y - at))
    figure.screenshot("gizmo_turning")
    figure.release()
    after = figure.wait_for(
        WHERE, lambda now: abs(sum(a * b for a, b in zip(now[3:], before[3:], strict=True))) < 0.95
    )
    assert after[:3] == pytest.approx(before[:3], abs=1e-5)


def test_a_pin_is_moved_by_its_handle(figure: BlenderWindow):
    before = figure.run(PIN)  # of a foot: the pin that was set last
    x, y = figure.pixel_of(before)
    figure.operate("bpy.ops.wm.tool_set_by_id(name='builtin.select_box')")
    figure.settle()
    figure.move(x, y)
    figure.screenshot("gizmo_pin")
    figure.press()
    figure.glide((x, y), (x - 60, y - 40))
    figure.screenshot("gizmo_pin_moving")
    figure.release()
    after = figure.wait_for(PIN, lambda now: math.dist(now, before) > 0.1)
    assert after[0] < before[0] and after[2] > before[2] and after[1] == pytest.approx(before[1], abs=1e-4)
    figure.key("ctrl+z")
    figure.wait_for(PIN, lambda now: math.dist(now, before) < 1e-5)


def test_every_selected_bone_has_the_gizmo_of_its_own_target(figure: BlenderWindow):
    figure.operate(TARGET.format(kind="POSITION"))
    figure.operate(
        "bpy.ops.articulate.effector_add(bone='hand.R')\n"
        "rig = bpy.data.objects['Figure']\n"
        "for bone in rig.pose.bones:\n"
        "    select_bone(bone, bone.name.startswith('hand'))\n"
        "bpy.ops.ed.undo_push(message='two')"
    )
    figure.settle()
    other = "result = list(bpy.data.objects['Target hand.R'].matrix_world.translation)"
    before, still = figure.run(WHERE), figure.run(other)
    figure.screenshot("gizmos_of_both_hands")
    x, y = figure.pixel_of(before[:3])
    figure.drag((x, y - ARROW), (x, y - ARROW - 80))
    figure.wait_for(WHERE, lambda now: now[2] > before[2] + 0.1)
    figure.screenshot("gizmo_of_one_hand_moved")
    assert figure.run(other) == still


def test_with_the_tool_in_hand_pins_have_no_gizmo_in_its_way(figure: BlenderWindow):
    figure.settle()
    figure.screenshot("tool_without_gizmo_on_pins")
    before = figure.run(PIN)
    x, y = figure.pixel_of(before)
    figure.drag((x, y), (x - 40, y - 60))
    after = figure.wait_for(PIN, lambda now: math.dist(now, before) > 0.1)
    assert math.dist(figure.run(PLACES)["shin.R"], after) < 2e-3, "the foot has gone with its pin"


def test_a_target_moves_by_g_as_anything_else(figure: BlenderWindow):
    figure.operate(TARGET.format(kind="POSITION"))
    figure.operate(
        "bpy.ops.object.mode_set(mode='OBJECT')\n"
        "bpy.ops.object.select_all(action='DESELECT')\n"
        "target = bpy.data.objects['Target hand.L']; target.select_set(True)\n"
        "bpy.context.view_layer.objects.active = target\n"
        "bpy.ops.ed.undo_push(message='select')"
    )
    figure.settle()
    before = figure.run(WHERE)
    figure.move(*figure.pixel_of((0, 0, 2.5)))
    figure.key("g", "z", "0", "period", "2", "Return")
    after = figure.wait_for(WHERE, lambda now: abs(now[2] - before[2] - 0.2) < 1e-4)
    figure.wait_for(PLACES, lambda now: math.dist(now["hand.L"], after[:3]) < 2e-3)
    figure.show_tab("Articulate")
    figure.screenshot("target_by_g")
    figure.find_button("articulate.solve")


def test_a_click_on_a_target_shows_its_effector_in_the_list(figure: BlenderWindow):
    figure.operate(
        """
bpy.ops.wm.tool_set_by_id(name='builtin.select_box')
for side, x in (('L', 1.2), ('R', -1.2)):
    bpy.ops.articulate.effector_add(bone=f'hand.{side}', kind='POSITION')
    bpy.data.objects['Figure'].articulate.effectors[f'hand.{side}'].target.location = (x, 0.0, 0.4)
bpy.ops.object.mode_set(mode='OBJECT')
"""
    )
    figure.show_tab("Articulate")
    figure.settle()
    active = "result = bpy.data.objects['Figure'].articulate.active.name"
    for side, x in (("L", 1.2), ("R", -1.2), ("L", 1.2)):
        figure.click(*figure.pixel_of((x, 0.0, 0.4)))
        assert figure.wait_for(active, lambda name, side=side: name == f"hand.{side}") == f"hand.{side}"
    figure.settle()
    figure.screenshot("effector_of_the_target")
