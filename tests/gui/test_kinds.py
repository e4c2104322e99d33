# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of every kind of effector and the menu of methods, drawn in a real window."""

from __future__ import annotations

import pytest

from tests.gui.blender_window import BlenderWindow

FIGURE = """
bpy.ops.object.select_all(action='SELECT'); bpy.ops.object.delete()
bpy.ops.object.armature_add()
armature = bpy.context.object
bpy.ops.object.mode_set(mode='EDIT')
bones = armature.data.edit_bones
for name, parent in (('lower', 'Bone'), ('hand', 'lower')):
    bone = bones.new(name)
    bone.head, bone.parent = bones[parent].tail, bones[parent]
    bone.tail = bone.head
    bone.tail.z += 1.0
    bone.tail.x += 0.3
bpy.ops.object.mode_set(mode='POSE')
"""
KINDS = ("POSITION", "ORIENTATION", "POSE", "AIM", "PLANE", "DISTANCE", "BALANCE", "LOOP", "ANY_OF")


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_added_solved_and_drawn(window: BlenderWindow, kind: str):
    window.operate(FIGURE)
    second = ", second_bone='Bone', rigid=True" if kind == "LOOP" else ""
    window.operate(f"bpy.ops.articulate.effector_add(bone='hand', kind={kind!r}{second})")
    window.show_tab("Articulate")
    window.operate("bpy.ops.articulate.solve()")
    window.settle()
    window.screenshot(f"kind_{kind.lower()}")
    assert window.run("result = bpy.context.object.articulate.active.status") == "REACHED"


def test_the_menu_of_methods_shows_what_cannot_be_chosen(window: BlenderWindow):
    window.operate(FIGURE)
    window.operate("bpy.ops.articulate.effector_add(bone='hand', kind='AIM', name='look')")
    window.operate("bpy.ops.articulate.method_set(method='fabrik')")
    window.show_tab("Articulate")
    window.screenshot("method_that_cannot_take_an_aim")
    window.operate("bpy.ops.wm.call_menu(name='ARTICULATE_MT_method')")
    window.settle()
    window.screenshot("menu_of_methods")
    window.key("Escape")
    window.settle()
    assert window.run("result = bpy.context.object.articulate.solver.method") == "fabrik"
