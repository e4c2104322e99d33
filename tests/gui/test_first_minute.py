# SPDX-License-Identifier: GPL-3.0-or-later
"""The first minute: from a character in Object Mode to a hand that follows the mouse; hints; keys."""

from __future__ import annotations

import math

import pytest

from tests.gui.blender_window import BlenderWindow
from tests.gui.test_dragging import FIGURE, PLACES

CHARACTER = """
bpy.ops.articulate.clear()
bpy.ops.wm.tool_set_by_id(name='builtin.select_box')
bpy.ops.object.mode_set(mode='OBJECT')
bpy.ops.mesh.primitive_cube_add(size=0.3, location=(0, 0, 1.5))
skin = bpy.context.object
skin.modifiers.new('Skin', 'ARMATURE').object = bpy.data.objects['Figure']
bpy.ops.ed.undo_push(message='skin')
"""
PREFERENCES = "preferences = bpy.context.preferences.addons['bl_ext.user_default.articulate'].preferences\n"
FOLLOWED = PREFERENCES + "result = preferences.hints_followed"
MODE = "result = bpy.context.mode"


@pytest.fixture
def character(window: BlenderWindow) -> BlenderWindow:
    """A character in Object Mode, its mesh active, seen from the front; a new user's hints."""
    window.operate(FIGURE)
    window.operate(CHARACTER)
    window.run(PREFERENCES + "preferences.show_hints = True")
    window.settle()
    return window


def test_three_inputs_from_a_character_to_a_hand_that_follows_the_mouse(character: BlenderWindow):
    before = character.run(PLACES)["hand.L"]
    place = character.pixel_of((0.1, 0.0, 1.5))
    character.move(*place)
    character.press("right")  # 1
    character.release("right")
    character.screenshot("context_menu_of_a_character")
    character.key("b")  # 2
    character.wait_for(MODE, lambda mode: mode == "POSE")
    character.screenshot("hint_to_drag")
    character.drag(character.pixel_of(before), character.pixel_of((0.75, 0.0, 1.9)))  # 3
    character.wait_for(PLACES, lambda now: math.dist(now["hand.L"], before) > 0.3)
    character.wait_for(FOLLOWED, lambda count: count == 1)
    character.screenshot("hint_to_pin")
    character.key("shift+alt+p", "b")
    character.wait_for(FOLLOWED, lambda count: count == 2)
    character.screenshot("no_hint_any_more")


def test_pin_asks_before_it_pins_every_bone_of_a_new_armature(character: BlenderWindow):
    character.operate(
        "bpy.ops.articulate.begin()\n"
        "bpy.ops.object.mode_set(mode='EDIT')\n"
        "bpy.ops.armature.select_all(action='SELECT'); bpy.ops.armature.subdivide()\n"
        "bpy.ops.object.mode_set(mode='POSE'); bpy.ops.pose.select_all(action='SELECT')"
    )
    character.move(*character.pixel_of((1.3, 0, 2.0)))
    character.key("shift+alt+p", "b")
    character.screenshot("question_before_pinning")
    pinned = "result = len(bpy.data.objects['Figure'].articulate.effectors)"
    assert character.run(pinned) == 0
    character.key("Return")
    character.wait_for(pinned, lambda count: count == 22)


def test_hints_can_be_switched_off(character: BlenderWindow):
    character.operate("bpy.ops.articulate.begin()")
    character.settle()
    shown = character.screenshot("hint_shown").read_bytes()
    character.run(PREFERENCES + "preferences.show_hints = False; view()['area'].tag_redraw()")
    assert character.screenshot("hints_off").read_bytes() != shown
    character.run(PREFERENCES + "preferences.show_hints = True")


def test_a_right_click_in_pose_mode_has_the_menu(character: BlenderWindow):
    character.operate("bpy.ops.articulate.begin()")
    character.move(*character.pixel_of((1.3, 0, 2.0)))
    character.press("right")
    character.release("right")
    character.screenshot("context_menu_in_pose_mode")
    character.key("Escape")


def test_the_keys_are_in_the_preferences(character: BlenderWindow):
    character.run(
        "bpy.context.preferences.active_section = 'ADDONS'\n"
        "view()['area'].type = 'PREFERENCES'\n"
        "bpy.context.window_manager.addon_search = 'Articulate'\n"
        "bpy.ops.preferences.addon_expand(module='bl_ext.user_default.articulate')"
    )
    character.settle()
    character.screenshot("preferences")
    counts = character.run(
        "from bl_ext.user_default.articulate import preferences\n"
        "keys = bpy.context.window_manager.keyconfigs.user\n"
        "result = [len(preferences.own_keys(keys, name)) for name in preferences.KEYMAPS]"
    )
    assert counts == [2, 9], "in Pose Mode, and of the tool"
