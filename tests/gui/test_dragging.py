# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging a hand with both feet pinned, by a real mouse: the tool, Esc, undo and redo."""

from __future__ import annotations

import math

import pytest

from tests.gui.blender_window import BlenderWindow

FIGURE = """
bpy.ops.object.select_all(action='SELECT')
bpy.ops.object.delete()
data = bpy.data.armatures.new('Figure')
rig = bpy.data.objects.new('Figure', data)
bpy.context.collection.objects.link(rig)
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode='EDIT')
rows = [
    ('hips', None, (0, 0, 1.0), (0, 0, 1.3)),
    ('chest', 'hips', (0, 0, 1.3), (0, 0, 1.8)),
    ('head', 'chest', (0, 0, 1.85), (0, 0, 2.15)),
]
for side, s in (('L', 1), ('R', -1)):
    rows += [
        ('arm.' + side, 'chest', (0.2 * s, 0, 1.75), (0.55 * s, 0.04, 1.6)),
        ('hand.' + side, 'arm.' + side, (0.55 * s, 0.04, 1.6), (0.9 * s, 0, 1.45)),
        ('thigh.' + side, 'hips', (0.15 * s, 0, 1.0), (0.18 * s, -0.04, 0.5)),
        ('shin.' + side, 'thigh.' + side, (0.18 * s, -0.04, 0.5), (0.2 * s, 0, 0.05)),
    ]
for name, parent, head, tail in rows:
    bone = data.edit_bones.new(name)
    bone.head, bone.tail = head, tail
    if parent:
        bone.parent = data.edit_bones[parent]
bpy.ops.object.mode_set(mode='POSE')
rig.articulate.solver.root = 'FREE'
for name in ('shin.L', 'shin.R'):
    bpy.ops.articulate.pin(bone=name)
bpy.ops.view3d.view_axis(type='FRONT')
region = bpy.context.space_data.region_3d
region.view_perspective, region.view_location, region.view_distance = 'ORTHO', (0, 0, 1.1), 5.0
region.update()
bpy.ops.wm.tool_set_by_id(name='articulate.drag_bone')
bpy.ops.ed.undo_push(message='figure')
"""
PLACES = """
shown = bpy.data.objects['Figure'].evaluated_get(bpy.context.evaluated_depsgraph_get())
result = {b.name: list(b.tail) for b in shown.pose.bones}
"""


@pytest.fixture
def figure(window: BlenderWindow) -> BlenderWindow:
    """A figure in Pose Mode, seen from the front, both feet pinned, with the tool in hand."""
    window.operate(FIGURE)
    window.settle()
    return window


def _apart(one, other) -> float:
    return math.dist(one, other)


def _way(window: BlenderWindow, bone: str, to: tuple[float, float, float]):
    """Pixels of a bone's tip and of a place."""
    return window.pixel_of(window.run(PLACES)[bone]), window.pixel_of(to)


def test_a_hand_is_dragged_while_both_feet_stay(figure: BlenderWindow):
    before = figure.run(PLACES)
    goal = (0.75, 0.0, 0.75)
    start, end = _way(figure, "hand.L", goal)
    figure.move(*start)
    figure.screenshot("tool_and_figure")
    figure.press()
    figure.glide(start, end)
    figure.screenshot("dragging")
    figure.release()
    after = figure.wait_for(
        PLACES, lambda now: _apart((now["hand.L"][0], now["hand.L"][2]), (goal[0], goal[2])) < 0.03
    )
    figure.screenshot("dragged")
    assert all(_apart(before[foot], after[foot]) < 1e-3 for foot in ("shin.L", "shin.R"))
    figure.key("ctrl+z")
    figure.wait_for(PLACES, lambda now: _apart(now["hand.L"], before["hand.L"]) < 1e-5)
    figure.key("ctrl+shift+z")
    figure.wait_for(PLACES, lambda now: _apart(now["hand.L"], after["hand.L"]) < 1e-5)


def test_escape_gives_everything_back(figure: BlenderWindow):
    before = figure.run(PLACES)
    start, end = _way(figure, "hand.R", (-0.6, 0.0, 2.0))
    figure.move(*start)
    figure.press()
    figure.glide(start, end)
    figure.wait_for(PLACES, lambda now: _apart(now["hand.R"], before["hand.R"]) > 0.2)
    figure.key("Escape")
    figure.release()
    figure.wait_for(PLACES, lambda now: now == before)


def test_beside_the_bones_a_drag_selects_in_a_box_and_moves_nothing(figure: BlenderWindow):
    figure.operate("bpy.ops.pose.select_all(action='SELECT')")
    before = figure.run(PLACES)
    chosen = "result = sorted(bone.name for bone in bpy.context.selected_pose_bones)"
    figure.drag(figure.pixel_of((-1.4, 0, 2.4)), figure.pixel_of((0.1, 0, 2.0)))
    figure.wait_for(chosen, lambda names: names == ["head"])
    figure.key_down("shift")
    figure.drag(figure.pixel_of((1.4, 0, 2.4)), figure.pixel_of((0.7, 0, 1.3)))
    figure.key_up("shift")
    figure.wait_for(chosen, lambda names: names == ["hand.L", "head"])
    figure.screenshot("tool_beside_bones")
    assert figure.run(PLACES) == before
    assert figure.run("result = bpy.data.objects['Figure'].articulate.message") == ""


def test_a_click_selects(figure: BlenderWindow):
    figure.click(*figure.pixel_of((0.35, 0.0, 1.69)))
    active = "result = bpy.data.objects['Figure'].data.bones.active.name"
    figure.wait_for(active, lambda name: name == "arm.L")


def test_the_shortcut_takes_the_bone_under_the_mouse_and_numbers(figure: BlenderWindow):
    figure.operate("bpy.ops.wm.tool_set_by_id(name='builtin.select_box')")
    before = figure.run(PLACES)
    figure.move(*figure.pixel_of(before["hand.L"]))
    figure.key("alt+d", "z", "minus", "0", "period", "2")
    figure.screenshot("shortcut_with_number")
    figure.key("Return")
    wanted = [before["hand.L"][0], before["hand.L"][1], before["hand.L"][2] - 0.2]
    figure.wait_for(PLACES, lambda now: _apart(now["hand.L"], wanted) < 1e-3)


def test_a_live_figure_follows_its_target_during_playback_and_the_overlay_shows_it(figure: BlenderWindow):
    figure.operate(
        "bpy.ops.articulate.effector_add(bone='hand.L')\n"
        "rig = bpy.data.objects['Figure']; target = rig.articulate.effectors['hand.L'].target\n"
        "for frame, z in ((1, 1.45), (60, 2.0)):\n"
        "    target.location.z = z\n"
        "    target.keyframe_insert('location', frame=frame)\n"
        "bpy.context.scene.frame_end = 60\n"
        "rig.articulate.live = True"
    )
    figure.show_tab("Articulate")
    figure.operate("bpy.ops.screen.animation_play()")
    figure.wait_for("result = bpy.context.scene.frame_current", lambda frame: frame > 10)
    figure.operate("bpy.ops.screen.animation_cancel(restore_frame=False)")
    figure.screenshot("live_and_overlay")
    miss = figure.run(
        "rig = bpy.data.objects['Figure']; target = rig.articulate.effectors['hand.L'].target\n"
        "result = (rig.pose.bones['hand.L'].tail - target.matrix_world.translation).length"
    )
    assert miss < 1e-3
    figure.run("view()['area'].spaces.active.overlay.show_overlays = False")
    figure.screenshot("overlays_off")


def test_with_x_axis_mirror_the_other_hand_comes_along(figure: BlenderWindow):
    figure.operate("bpy.context.object.pose.use_mirror_x = True\nbpy.ops.ed.undo_push(message='mirror')")
    before = figure.run(PLACES)
    goal = (0.6, 0.0, 1.9)
    start, end = _way(figure, "hand.L", goal)
    figure.move(*start)
    figure.press()
    figure.glide(start, end)
    figure.screenshot("dragging_mirrored")
    figure.release()
    after = figure.wait_for(
        PLACES, lambda now: _apart((now["hand.L"][0], now["hand.L"][2]), (goal[0], goal[2])) < 0.03
    )
    for bone in ("arm", "hand"):
        (x, y, z), other = after[bone + ".L"], after[bone + ".R"]
        assert _apart((-x, y, z), other) < 1e-3
    assert all(_apart(before[foot], after[foot]) < 1e-3 for foot in ("shin.L", "shin.R"))
    figure.key("ctrl+z")
    figure.wait_for(PLACES, lambda now: all(_apart(now[bone], before[bone]) < 1e-5 for bone in before))
