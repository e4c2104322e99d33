# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn in a real window, and that drawing it is free of errors."""

from __future__ import annotations

from tests.gui.blender_window import BACKEND, HEIGHT, WIDTH, BlenderWindow

ARMATURE = """
bpy.ops.object.select_all(action='SELECT'); bpy.ops.object.delete()
bpy.ops.object.armature_add()
bpy.ops.ed.undo_push(message='armature')
"""


def test_the_window_is_there(window: BlenderWindow):
    size = window.run("result = [window().width, window().height]")
    assert size == [WIDTH, HEIGHT]
    backend = window.run("import gpu; result = gpu.platform.backend_type_get()")
    assert backend == (BACKEND.upper() or "OPENGL")


def test_the_tab_is_drawn_without_an_armature(window: BlenderWindow):
    window.show_tab("Articulate")
    window.screenshot("tab_without_armature", fine=True)
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
