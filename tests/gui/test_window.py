# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn in a real window, and that drawing it is free of errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from tests.gui.blender_window import BACKEND, HEIGHT, WIDTH, BlenderWindow

ARMATURE = """
bpy.ops.object.select_all(action='SELECT'); bpy.ops.object.delete()
bpy.ops.object.armature_add()
bpy.ops.ed.undo_push(message='armature')
"""


LETTER = 200  # brightness from which on a pixel belongs to a word
GREY_LETTER = 130  # the same for thin letters; a highlighted line of a list is darker


def sidebar(window: BlenderWindow) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of the panels, on the screen, without the names of the tabs."""
    return window.run(
        "region = next(r for r in view()['area'].regions if r.type == 'UI')\n"
        "top = window().height - region.y\n"
        "result = [region.x + 10, top - region.height, region.x + region.width - 50, top - 10]"
    )


def lowest_word(picture: Path, *box: int) -> int:
    """The lowest row of the screen with a letter in it, within a box."""
    seen = np.asarray(Image.open(picture).convert("L").crop(box))
    return int(np.flatnonzero((seen > LETTER).any(1)).max()) + box[1]


def test_the_window_is_there(window: BlenderWindow):
    size = window.run("result = [window().width, window().height]")
    assert size == [WIDTH, HEIGHT]
    backend = window.run("import gpu; result = gpu.platform.backend_type_get()")
    assert backend == (BACKEND.upper() or "OPENGL")


def test_the_tab_is_drawn_without_an_armature(window: BlenderWindow):
    window.show_tab("Articulate")
    window.screenshot("tab_without_armature")
    drawn = window.run(
        "result = next(r for r in view()['area'].regions if r.type == 'UI').active_panel_category"
    )
    assert drawn == "Articulate"


def test_the_tab_is_drawn_with_an_armature(window: BlenderWindow):
    window.operate(ARMATURE)
    window.show_tab("Articulate")
    window.screenshot("tab_with_armature")
    assert window.run("result = hasattr(bpy.context.object, 'articulate')")


def test_who_has_clicked_on_a_character_begins_by_one_button(window: BlenderWindow):
    window.operate(ARMATURE)
    window.operate(
        "rig = bpy.context.object\n"
        "bpy.ops.mesh.primitive_cylinder_add(radius=0.2, depth=1.0, location=(0, 0, 0.5))\n"
        "bpy.context.object.modifiers.new('Skin', 'ARMATURE').object = rig\n"
        "bpy.ops.ed.undo_push(message='skin')"
    )
    window.show_tab("Articulate")
    window.screenshot("tab_with_character")
    button = window.find_button("articulate.begin")
    window.click(*button)
    window.move(400, 600)
    mode = "result = bpy.context.mode"
    window.wait_for(mode, lambda now: now == "POSE")
    tool = window.operate(
        "result = bpy.context.workspace.tools.from_space_view3d_mode('POSE', create=False).idname"
    )
    assert tool == "articulate.drag_bone"
    window.screenshot("begun")
    lit = window.screen.picture().getpixel(button)
    window.operate("bpy.ops.wm.tool_set_by_id(name='builtin.select_box')")
    window.settle()
    assert window.screen.picture().getpixel(button) != lit, "The button tells that it is another tool now."


def test_begin_from_weight_paint(window: BlenderWindow):
    window.operate(ARMATURE)
    window.operate(
        "rig = bpy.context.object\n"
        "bpy.ops.mesh.primitive_cube_add(size=0.4)\n"
        "skin = bpy.context.object\n"
        "skin.modifiers.new('Skin', 'ARMATURE').object = rig\n"
        "bpy.context.view_layer.objects.active = rig\n"
        "bpy.ops.object.mode_set(mode='POSE')\n"
        "bpy.context.view_layer.objects.active = skin\n"
        "bpy.ops.object.mode_set(mode='WEIGHT_PAINT')\n"
        "bpy.ops.articulate.begin()"
    )
    begun = window.run("result = [bpy.context.mode, bpy.context.object.name]")
    assert begun == ["POSE", "Armature"]


def test_a_message_moves_no_button_and_the_closed_tab_is_half_a_screen(window: BlenderWindow):
    window.operate(ARMATURE)
    window.operate("bpy.ops.object.mode_set(mode='POSE')\nbpy.ops.articulate.pin(bone='Bone')")
    window.show_tab("Articulate")
    before = window.find_button("articulate.report_show")
    window.operate("bpy.ops.articulate.solve()")
    window.screenshot("message")
    assert window.find_button("articulate.report_show") == before
    window.operate("bpy.ops.articulate.clear()")
    window.settle()
    picture = window.screenshot("closed_tab")
    assert lowest_word(picture, *sidebar(window)) - sidebar(window)[1] < HEIGHT / 2
    window.operate("bpy.data.objects['Armature'].articulate.message = 'word ' * 80")
    window.settle()
    long = window.screenshot("closed_tab_with_a_long_message")
    assert lowest_word(long, *sidebar(window)) == lowest_word(picture, *sidebar(window))
    window.run("bpy.context.window_manager.articulate.baking = True; view()['area'].tag_redraw()")
    baking = window.screenshot("closed_tab_during_a_bake")
    window.run("bpy.context.window_manager.articulate.baking = False")
    assert lowest_word(baking, *sidebar(window)) == lowest_word(picture, *sidebar(window))


def test_a_line_beside_an_icon_is_as_wide_as_there_is_room(window: BlenderWindow):
    window.operate(ARMATURE)
    window.operate(
        "rig = bpy.context.object\n"
        "bpy.ops.articulate.effector_add(bone='Bone')\n"
        "rig.articulate.effectors[0].enabled = False\n"
        "bpy.context.view_layer.objects.active, rig.name = rig, 60 * 'i'"
    )
    window.show_tab("Articulate")
    picture = window.screenshot("a_long_name_beside_an_icon")
    seen = np.asarray(Image.open(picture).convert("L").crop(sidebar(window))) > GREY_LETTER
    row = int(seen.sum(1).argmax())  # that of the name, through the stems of its letters
    name = seen[row - 6 : row + 6]
    last = int(np.flatnonzero(name.any(0)).max())
    assert name[:, last - 1 : last + 1].any(1).sum() > 4, "it ends in a letter, not in dots"
