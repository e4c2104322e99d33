# SPDX-License-Identifier: GPL-3.0-or-later
"""The first five minutes of an animator, by mouse: add an effector, solve, undo, bake, cancel a bake."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageChops

from tests.gui.blender_window import BUTTON_HEIGHT, HEIGHT, BlenderWindow

CHAIN = """
bpy.ops.object.select_all(action='SELECT')
bpy.ops.object.delete()
bpy.ops.object.armature_add()
armature = bpy.context.object
bpy.ops.object.mode_set(mode='EDIT')
bones = armature.data.edit_bones
for name, parent in (('lower', 'Bone'), ('hand', 'lower')):
    bone = bones.new(name)
    bone.parent, bone.use_connect = bones[parent], True
    bone.tail = bones[parent].tail.copy()
    bone.tail.z += 1.0
bpy.ops.object.mode_set(mode='POSE')
for bone in armature.pose.bones:
    select_bone(bone, bone.name == 'hand')
armature.data.bones.active = armature.data.bones['hand']
bpy.ops.ed.undo_push(message='chain')
"""
EFFECTOR = """
bpy.ops.articulate.effector_add(bone='hand', kind='POSITION')
target = bpy.context.object.articulate.effectors['hand'].target
target.location = (1.5, 0.0, 1.5)
bpy.ops.ed.undo_push(message='effector')
"""
ANIMATION = """
target = bpy.context.object.articulate.effectors['hand'].target
for frame, x in ((1, 1.5), ({end}, -1.5)):
    target.location.x = x
    target.keyframe_insert('location', frame=frame)
bpy.context.scene.frame_end = {end}
bpy.ops.ed.undo_push(message='animation')
"""
MISS = """
depsgraph = bpy.context.evaluated_depsgraph_get()
armature = bpy.data.objects['Armature'].evaluated_get(depsgraph)
target = bpy.data.objects['Target hand'].evaluated_get(depsgraph)
tip = armature.matrix_world @ armature.pose.bones['hand'].tail
result = (tip - target.matrix_world.translation).length
"""
ACTIONS = """
result = len(curves_of(bpy.data.objects['Armature']))
"""
VIEWPORT = (400.0, HEIGHT - 200.0)
"""A pixel of the 3D view with nothing on it: keys go to what is below the mouse."""


@pytest.fixture
def posing(window: BlenderWindow) -> BlenderWindow:
    """A chain of three bones in Pose Mode, the tip selected, the tab open."""
    window.operate(CHAIN)
    window.show_tab("Articulate")
    return window


def test_an_effector_is_added_by_button(posing: BlenderWindow):
    x, y = posing.find_button("articulate.effector_remove")
    posing.click(x, y - BUTTON_HEIGHT)
    posing.screenshot("menu_of_kinds")
    posing.click(x + 1.5 * BUTTON_HEIGHT, y + 0.3 * BUTTON_HEIGHT)  # the first kind on the menu: Position
    posing.move(*VIEWPORT)
    posing.screenshot("effector_added")
    added = posing.run("result = [e.name for e in bpy.data.objects['Armature'].articulate.effectors]")
    assert added == ["hand"]


def test_solve_by_button_and_undo_by_key(posing: BlenderWindow):
    posing.operate(EFFECTOR)
    before = posing.run(MISS)
    posing.move(*VIEWPORT)
    posing.run("view()['area'].tag_redraw()")  # what the lines above made is to be seen in the first picture
    start = posing.screenshot("before_solve")
    posing.click(*posing.find_button("articulate.solve"))
    posing.move(*VIEWPORT)
    solved = posing.screenshot("solved")
    assert posing.run(MISS) < 1e-3 < before
    assert _differ(start, solved), "The view still shows the pose before."
    posing.key("ctrl+z")
    posing.wait_for(MISS, lambda miss: miss == pytest.approx(before, abs=1e-5))
    posing.screenshot("solve_undone")
    posing.key("ctrl+shift+z")
    posing.wait_for(MISS, lambda miss: miss < 1e-3)


def _differ(one: Path, other: Path) -> bool:
    """Whether two screenshots differ in the middle of the view by more than how lines are smoothed."""
    crops = [Image.open(path).convert("L").crop((300, 150, 700, 600)) for path in (one, other)]
    histogram = ImageChops.difference(*crops).histogram()
    return sum(histogram[64:]) > 50


def test_a_bake_shows_its_progress_and_escape_takes_it_back(posing: BlenderWindow):
    posing.operate(EFFECTOR)
    posing.operate(ANIMATION.format(end=20000))
    posing.click(*posing.find_button("articulate.bake"))
    posing.move(*VIEWPORT)
    bake = "s = bpy.context.window_manager.articulate; result = [s.baking, s.progress]"
    posing.wait_for(bake, lambda now: now[0] and now[1] > 0.0)
    posing.screenshot("baking")
    running, progress = posing.run(bake)
    assert running
    assert 0.0 < progress < 1.0
    posing.key("Escape")
    posing.screenshot("bake_cancelled")
    assert not posing.run("result = bpy.context.window_manager.articulate.baking")
    assert posing.run(ACTIONS) == 0
    assert posing.run("result = bpy.context.scene.frame_current") == 1


def test_a_bake_writes_keys_and_is_one_undo_step(posing: BlenderWindow):
    posing.operate(EFFECTOR)
    posing.operate(ANIMATION.format(end=40))
    posing.click(*posing.find_button("articulate.bake"))
    posing.move(*VIEWPORT)
    posing.wait_for("result = bpy.context.window_manager.articulate.baking", lambda baking: not baking)
    posing.screenshot("baked")
    assert posing.run(ACTIONS) > 0
    for frame in (1, 20, 40):
        posing.run(f"bpy.context.scene.frame_set({frame})")
        assert posing.run(MISS) < 2e-3
    posing.key("ctrl+z")
    posing.wait_for(ACTIONS, lambda curves: curves == 0)


MANY = """
bpy.ops.object.select_all(action='SELECT'); bpy.ops.object.delete()
bpy.ops.object.armature_add()
bpy.ops.object.mode_set(mode='EDIT')
bones = bpy.context.object.data.edit_bones
for number in range(20):
    bone = bones.new(f'b{number}')
    bone.parent = bones[number]
    bone.head = bones[number].tail
    bone.tail = bone.head
    bone.tail.z += 0.2
bpy.ops.object.mode_set(mode='POSE')
bpy.ops.pose.select_all(action='SELECT')
"""


def test_effectors_on_every_bone_of_a_new_armature_are_asked_about_first(window: BlenderWindow):
    window.operate(MANY)
    count = "result = len(bpy.context.object.articulate.effectors)"
    for key, found in (("Escape", 0), ("Return", 21)):
        window.move(*VIEWPORT)
        window.operate("bpy.ops.articulate.effector_add('INVOKE_DEFAULT')")
        window.settle()
        window.screenshot(f"many_effectors_{key.lower()}")
        assert window.run(count) == 0
        window.key(key)
        window.settle()
        assert window.wait_for(count, lambda now, found=found: now == found) == found
