# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn over the 3D view in a real window, told by the colours on the screen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.gui.blender_window import BlenderWindow
from tests.gui.test_dragging import FIGURE

PINNED = """
bpy.ops.wm.tool_set_by_id(name='builtin.select_box')
rig = bpy.data.objects['Figure']
bpy.ops.articulate.unpin_all()
bpy.ops.articulate.pin(bone='shin.L')
bpy.ops.articulate.pin(bone='shin.R', kind='POSE')
bpy.ops.articulate.pin(bone='head', kind='ORIENTATION')
for name in ('hand.R', 'hand.L'):
    bpy.ops.articulate.effector_add(bone=name)
rig.articulate.effectors['hand.L'].target.location = (0.9, 0, 1.9)
bone = rig.pose.bones['arm.R']
bone.use_ik_limit_x = bone.use_ik_limit_z = True
bone.ik_min_x, bone.ik_max_x, bone.ik_min_z, bone.ik_max_z = -0.3, 0.0, -0.5, 0.5
bone = rig.pose.bones['thigh.L']
bone.rotation_mode, bone.rotation_euler = 'XYZ', (0.6, 0, 0)
bone.use_ik_limit_x, bone.lock_ik_z = True, True
bone.ik_min_x, bone.ik_max_x = -0.2, 0.6
"""
AROUND = """
rig = bpy.data.objects['Figure']
bpy.ops.articulate.body_fit()
bpy.ops.object.mode_set(mode='OBJECT')
bpy.ops.mesh.primitive_cube_add(size=0.4, location=(1.2, 0, 1.3))
cube = bpy.context.object
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode='POSE')
bpy.ops.articulate.obstacle_add(object=cube.name)
for name in ('critical', 'balance', 'ellipsoid'):
    setattr(rig.articulate.overlay, name, True)
rig.articulate.body.show = True
rig.articulate.active_effector = rig.articulate.effectors.find('hand.R')
"""
COLOURS = {
    "reached": (77, 217, 89),
    "far": (255, 51, 38),
    "held place": (38, 191, 255),
    "held turn": (191, 128, 255),
    "held both": (255, 255, 255),
    "limit": (255, 115, 191),
    "chain": (128, 153, 255),
    "mobility": (102, 242, 217),
    "mass": (255, 242, 153),
}


def seen(picture: Path, colour: str) -> int:
    """How many pixels of the 3D view are of about this colour."""
    image = np.asarray(Image.open(picture).convert("RGB").crop((60, 80, 930, 640)), dtype=int)
    return int((np.abs(image - COLOURS[colour]).max(2) < 40).sum())


@pytest.fixture
def figure(window: BlenderWindow) -> BlenderWindow:
    """A figure in Pose Mode, seen from the front, with pins of all kinds and two targets; no grid."""
    window.operate(FIGURE)
    window.operate(PINNED)
    window.run(
        "overlay = view()['area'].spaces.active.overlay\n"
        "overlay.show_floor = overlay.show_axis_x = overlay.show_axis_y = overlay.show_axis_z = False\n"
        "overlay.show_ortho_grid = overlay.show_cursor = False"
    )
    window.settle()
    return window


def test_effectors_pins_and_limits_are_drawn_and_go_with_blenders_overlays(figure: BlenderWindow):
    shot = figure.screenshot("overlay")
    for colour in ("reached", "far", "held place", "held turn", "held both", "limit", "chain"):
        assert seen(shot, colour) > 10, colour
    figure.run("view()['area'].spaces.active.overlay.show_overlays = False")
    shot = figure.screenshot("overlay_off")
    for colour in ("reached", "far", "held place", "held turn", "limit", "chain"):
        assert seen(shot, colour) == 0, colour


@pytest.mark.parametrize("hidden", [True, False])
def test_nothing_is_drawn_of_a_figure_that_the_view_does_not_show(figure: BlenderWindow, hidden: bool):
    figure.operate(
        "bpy.ops.object.mode_set(mode='OBJECT')\n"
        "rig, target = bpy.context.object, bpy.data.objects['Target hand.R']\n"
        f"if {hidden}:\n"
        "    rig.hide_set(True)\n"
        "else:\n"
        "    rig.select_set(False), target.select_set(True)\n"
        "    bpy.ops.view3d.localview(frame_selected=False)"
    )
    shot = figure.screenshot(f"not_shown_{hidden}")
    for colour in ("reached", "held place", "held turn", "limit", "chain"):
        assert seen(shot, colour) == 0, colour


def test_the_rest_is_drawn_on_request(figure: BlenderWindow):
    figure.operate(AROUND)
    figure.show_tab("Articulate")
    shot = figure.screenshot("overlay_all")
    for colour in ("mobility", "mass", "reached"):
        assert seen(shot, colour) > 10, colour


def test_with_the_tool_the_chain_of_the_bone_under_the_mouse_is_drawn(figure: BlenderWindow):
    figure.operate("bpy.ops.wm.tool_set_by_id(name='articulate.drag_bone')")
    hovered = "result = bpy.context.window_manager.articulate.hovered"
    figure.move(*figure.pixel_of((0.7, 0, 1.55)))
    figure.wait_for(hovered, lambda name: name == "hand.L")
    figure.screenshot("hover_hand")
    figure.move(*figure.pixel_of((-0.18, 0, 0.7)))
    figure.wait_for(hovered, lambda name: name == "thigh.R")
    figure.screenshot("hover_leg")
    figure.move(*figure.pixel_of((1.3, 0, 2.2)))
    figure.wait_for(hovered, lambda name: name == "")


def test_feet_that_hold_by_themselves_are_marked_before_and_during_a_drag(figure: BlenderWindow):
    figure.operate("bpy.ops.articulate.clear()\nbpy.ops.wm.tool_set_by_id(name='articulate.drag_bone')")
    hand = figure.pixel_of((0.7, 0, 1.55))
    figure.move(*hand)
    figure.wait_for("result = bpy.context.window_manager.articulate.hovered", lambda name: name == "hand.L")
    before = figure.screenshot("feet_before")
    figure.press()
    figure.glide(hand, figure.pixel_of((0.75, 0, 1.2)))
    figure.wait_for("result = bpy.context.window_manager.articulate.grip", lambda name: name == "hand.L")
    during = figure.screenshot("feet_during")
    figure.key("Escape")
    figure.release()
    figure.operate("bpy.data.objects['Figure'].articulate.overlay.pins = False")
    figure.move(*hand)
    without = figure.screenshot("feet_without")
    held = figure.run("result = list(bpy.data.objects['Figure'].pose.bones['shin.R'].tail)")
    for shot in (before, during):
        assert changed_about(figure.pixel_of(held), shot, without) > 20


def changed_about(pixel: tuple[float, float], one: Path, other: Path) -> int:
    """How many pixels of the leg that ends at a pixel differ between two pictures."""
    x, y = map(round, pixel)
    box = (x - 40, y - 100, x + 40, y + 20)
    pictures = (np.asarray(Image.open(shot).convert("RGB").crop(box), dtype=int) for shot in (one, other))
    first, second = pictures
    return int((np.abs(first - second).max(2) > 40).sum())


def test_limits_are_arcs_and_cones_in_perspective(figure: BlenderWindow):
    figure.operate(
        "rig = bpy.data.objects['Figure']\n"
        "bone = rig.pose.bones['arm.R']\n"
        "bone.ik_min_x, bone.ik_max_x, bone.ik_min_z, bone.ik_max_z = -0.4, 0.5, -0.5, 0.5\n"
        "bone.rotation_mode, bone.rotation_euler = 'XYZ', (0.5, 0, 0)\n"
        "bone = rig.pose.bones['hand.L']\n"
        "bone.use_ik_limit_y, bone.ik_min_y, bone.ik_max_y = True, -1.0, 1.2\n"
        "bone.rotation_mode, bone.rotation_euler = 'XYZ', (0, 1.2, 0)\n"
        "region = bpy.context.space_data.region_3d\n"
        "from mathutils import Euler\n"
        "region.view_perspective, region.view_distance = 'PERSP', 3.4\n"
        "region.view_rotation = Euler((1.2, 0, 0.7)).to_quaternion()"
    )
    figure.settle()
    assert seen(figure.screenshot("limits"), "limit") > 100


def test_the_switches_are_on_a_panel_and_in_blenders_popover_of_overlays(figure: BlenderWindow):
    for name, shot in (("ARTICULATE_PT_viewport", "switches"), ("VIEW3D_PT_overlay", "popover")):
        figure.move(500, 400)
        figure.operate(f"bpy.ops.wm.call_panel('INVOKE_DEFAULT', name='{name}', keep_open=True)")
        figure.settle()
        figure.screenshot(shot)
        figure.key("Escape")
        figure.move(100, 750)


def test_the_report_opens_in_a_window(figure: BlenderWindow):
    figure.operate("bpy.ops.articulate.solve()")
    figure.show_tab("Articulate")
    figure.click(*figure.find_button("articulate.report_show"))
    shown = (
        "result = [a.spaces.active.text.name for w in bpy.context.window_manager.windows"
        " for a in w.screen.areas if a.type == 'TEXT_EDITOR' and a.spaces.active.text]"
    )
    figure.wait_for(shown, lambda names: names == ["Articulate report"])
    figure.screenshot("report")
