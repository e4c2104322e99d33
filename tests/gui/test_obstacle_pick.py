# SPDX-License-Identifier: GPL-3.0-or-later
"""Add Obstacle from Pose Mode: the button, and a click on the mesh in the view."""

from __future__ import annotations

from tests.gui.blender_window import BlenderWindow
from tests.gui.test_dragging import FIGURE

TABLE = """
bpy.ops.object.mode_set(mode='OBJECT')
bpy.ops.mesh.primitive_cube_add(size=0.5, location=(1.3, 0, 0.7))
bpy.context.object.name = 'Table'
bpy.ops.mesh.primitive_cube_add(size=0.5, location=(1.3, -1, 0.7))
skin = bpy.context.object
skin.name, skin.parent = 'Skin', bpy.data.objects['Figure']
bpy.context.view_layer.objects.active = bpy.data.objects['Figure']
bpy.ops.object.mode_set(mode='POSE')
bpy.ops.ed.undo_push(message='table')
"""
STATE = """
rig = bpy.data.objects['Figure']
result = [[each.shown_name for each in rig.articulate.obstacles], bpy.context.mode]
"""


def test_two_clicks_add_the_mesh_in_the_view(window: BlenderWindow):
    window.operate(FIGURE)
    window.operate(TABLE)
    window.settle()
    window.move(*window.pixel_of((1.3, 0, 1.8)))
    window.operate("bpy.ops.articulate.obstacle_add('INVOKE_DEFAULT')")
    window.settle()
    window.screenshot("picking_an_obstacle")
    window.click(*window.pixel_of((-1.0, 0, 2.0)))
    assert window.run(STATE) == [[], "POSE"], "Where nothing is, it goes on waiting."
    window.click(*window.pixel_of((1.3, 0, 0.7)))
    window.wait_for(STATE, lambda now: now == [["Table"], "POSE"])
    window.show_tab("Articulate")
    window.screenshot("picked_an_obstacle")
    window.key("ctrl+z")
    window.wait_for(STATE, lambda now: now == [[], "POSE"])


def test_two_clicks_of_the_mouse_suffice_while_the_panel_is_closed(window: BlenderWindow):
    window.operate(FIGURE)
    window.operate(TABLE)
    window.operate("bpy.ops.articulate.clear()")  # with an effector the panel is below the window's edge
    window.show_tab("Articulate")
    eyedropper = window.find_button("articulate.obstacle_add")
    window.screenshot("eyedropper")
    window.click(*eyedropper)
    window.settle()
    window.click(*window.pixel_of((1.3, 0, 0.7)))
    window.wait_for(STATE, lambda now: now == [["Table"], "POSE"])
    window.screenshot("obstacle_by_eyedropper")


def test_escape_adds_nothing(window: BlenderWindow):
    window.operate(FIGURE)
    window.operate(TABLE)
    window.operate("bpy.ops.articulate.obstacle_add('INVOKE_DEFAULT')")
    window.settle()
    window.key("Escape")
    window.click(*window.pixel_of((1.3, 0, 0.7)))
    assert window.run(STATE) == [[], "POSE"]


def test_without_its_armature_it_ends(window: BlenderWindow):
    window.operate(FIGURE)
    window.operate(TABLE)
    window.operate("bpy.ops.articulate.obstacle_add('INVOKE_DEFAULT')")
    window.settle()
    window.run("bpy.data.objects.remove(bpy.data.objects['Figure'])")
    window.move(*window.pixel_of((-1.0, 0, 2.0)))
    window.click(*window.pixel_of((1.3, 0, 0.7)))
    chosen = "thing = bpy.context.view_layer.objects.active; result = thing and thing.name"
    window.wait_for(chosen, lambda name: name in ("Table", "Skin"), timeout=20.0)
