# SPDX-License-Identifier: GPL-3.0-or-later
"""A drag has the manners of Blender's own transforms: axes, snapping, keys, numbers, a mouse that wraps."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image

from tests.gui.blender_window import BlenderWindow
from tests.gui.test_dragging import FIGURE, PLACES
from tests.gui.test_hand import LOOK, MESSAGE, TURNS, begin

HEADER = "result = [bpy.context.window_manager.articulate.locked, bpy.context.window_manager.articulate.grip]"
GRIP = "result = bpy.context.window_manager.articulate.grip"
PERSPECTIVE = "('PERSP', (1.2, 0, 0.6))"
TABLE = (0.35, -0.35, 1.1)
FURNISHED = f"""
rig = bpy.context.object
bpy.ops.object.mode_set(mode='OBJECT')
bpy.ops.mesh.primitive_cube_add(size=1.0, location={TABLE})
bpy.context.object.scale = (0.6, 0.4, 0.1)
bpy.context.object.name = 'Table'
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode='POSE')
settings = bpy.context.scene.tool_settings
settings.snap_elements = {{'FACE'}}
bpy.ops.ed.undo_push(message='table')
"""
TOP = TABLE[2] + 0.05


@pytest.fixture
def figure(window: BlenderWindow) -> Iterator[BlenderWindow]:
    """A figure in Pose Mode, both feet pinned, with the tool in hand, seen from the front."""
    window.operate(FIGURE)
    window.settle()
    yield window
    window.key("Escape")  # so that the next test finds nothing in the hand if this one fails
    window.release()


@pytest.fixture
def aslant(figure: BlenderWindow) -> BlenderWindow:
    """The same, seen in perspective."""
    figure.run(LOOK.format(view=PERSPECTIVE))
    figure.settle()
    return figure


def hand(figure: BlenderWindow) -> list[float]:
    return figure.run(PLACES)["hand.L"]


def axes_of(figure: BlenderWindow, bone: str) -> list[list[float]]:
    return figure.run(
        "rig = bpy.data.objects['Figure']\n"
        f"matrix = rig.matrix_world @ rig.pose.bones[{bone!r}].matrix\n"
        "result = [list(axis) for axis in matrix.to_3x3().transposed()]"
    )


def way(one: list[float], other: list[float]) -> list[float]:
    return [b - a for a, b in zip(one, other, strict=True)]


def along(vector: list[float], axis: list[float]) -> float:
    return sum(a * b for a, b in zip(vector, axis, strict=True))


def count_of(figure: BlenderWindow, name: str, axis: int) -> int:
    """Pixels in the colour of an axis."""
    red, green, blue = figure.run(
        "theme = bpy.context.preferences.themes[0].user_interface\n"
        f"result = [round(255 * c) for c in theme.axis_{'xyz'[axis]}[:3]]"
    )
    with Image.open(figure.screenshot(name)) as picture:
        pixels = np.asarray(picture.convert("RGB").crop((60, 120, 900, 640)), dtype=int)
    return int((np.abs(pixels - (red, green, blue)).sum(-1) < 30).sum())


def test_x_is_global_then_local_then_free_with_a_line_in_its_colour(aslant: BlenderWindow):
    start, local = hand(aslant), axes_of(aslant, "hand.L")[0]
    x, y = begin(aslant, "hand.L")
    without = count_of(aslant, "axis_free", 0)
    aslant.key("x")
    aslant.glide((x, y), (x - 40, y - 50))
    assert count_of(aslant, "axis_global", 0) > without + 200
    moved = way(start, hand(aslant))
    assert abs(moved[0]) > 0.05 and math.hypot(*moved[1:]) < 5e-3
    aslant.key("x")
    aslant.settle()
    assert count_of(aslant, "axis_local", 0) > without + 200
    moved = way(start, hand(aslant))
    assert math.hypot(*moved) - abs(along(moved, local)) < 5e-3
    aslant.key("x")
    aslant.settle()
    assert abs(count_of(aslant, "axis_none", 0) - without) < 100
    assert aslant.run(HEADER)[0] == ""
    aslant.key("Escape")
    aslant.release()


def test_shift_z_keeps_to_the_plane_and_shows_both_axes(aslant: BlenderWindow):
    start = hand(aslant)
    x, y = begin(aslant, "hand.L")
    aslant.key("shift+z")
    aslant.glide((x, y), (x - 30, y + 10))
    before = [count_of(aslant, "plane", axis) for axis in (0, 1)]
    moved = way(start, hand(aslant))
    assert abs(moved[2]) < 5e-3 and math.hypot(*moved[:2]) > 0.03
    aslant.key("c")
    aslant.settle()
    after = [count_of(aslant, "plane_off", axis) for axis in (0, 1)]
    assert all(one > other + 100 for one, other in zip(before, after, strict=True))
    aslant.key("Escape")
    aslant.release()


def test_the_hand_is_put_on_the_table_top_by_ctrl(aslant: BlenderWindow):
    aslant.operate(FURNISHED)
    aslant.settle()
    x, y = begin(aslant, "hand.L")
    place = (TABLE[0] - 0.05, TABLE[1] - 0.05, TOP)
    end = aslant.pixel_of(place)
    aslant.glide((x, y), end)
    assert math.dist(hand(aslant), place) > 0.05, "in the plane of the view it is beside the table"
    aslant.key_down("ctrl")
    aslant.wait_for(PLACES, lambda now: math.dist(now["hand.L"], place) < 0.01)
    aslant.screenshot("snapped_to_table")
    aslant.key_up("ctrl")
    aslant.wait_for(PLACES, lambda now: math.dist(now["hand.L"], place) > 0.05)
    aslant.key("shift+Tab")
    aslant.wait_for(PLACES, lambda now: math.dist(now["hand.L"], place) < 0.01)
    assert aslant.run("result = bpy.context.scene.tool_settings.use_snap") is True
    aslant.run("bpy.context.scene.tool_settings.snap_elements = {'VERTEX'}")
    corner = (TABLE[0] - 0.3, TABLE[1] - 0.2, TOP)
    to = aslant.pixel_of(corner)
    aslant.glide(end, (to[0] + 6, to[1] + 4))
    aslant.wait_for(PLACES, lambda now: math.dist(now["hand.L"], corner) < 0.01)
    aslant.screenshot("snapped_to_corner")
    aslant.release()
    aslant.settle()
    assert math.dist(hand(aslant), corner) < 0.01
    aslant.key("ctrl+z")


def test_increments_are_steps_of_the_grid(figure: BlenderWindow):
    start = hand(figure)
    x, y = begin(figure, "hand.L")
    figure.key_down("ctrl")
    figure.glide((x, y), (x - 47, y + 61))
    figure.screenshot("increments")
    figure.release()
    figure.key_up("ctrl")
    figure.settle()
    moved = way(start, hand(figure))
    assert math.hypot(*moved) > 0.15
    assert all(abs(one - 0.1 * round(one / 0.1)) < 2e-3 for one in moved), moved


@pytest.mark.parametrize("key", ["g", "r"])
def test_g_and_r_take_the_selected_bone_wherever_the_mouse_is(figure: BlenderWindow, key: str):
    figure.click(*figure.pixel_of((0.75, 0.0, 1.51)))
    active = "result = bpy.context.active_pose_bone and bpy.context.active_pose_bone.name"
    figure.wait_for(active, lambda name: name == "hand.L")
    before, turns = figure.run(PLACES), figure.run(TURNS)["hand.L"]
    figure.move(*figure.pixel_of((-0.7, 0.0, 0.5)))
    figure.key(key)
    figure.wait_for(GRIP, lambda name: name == "hand.L")
    figure.key(*(("z", "minus", "period", "2") if key == "g" else ("y", "4", "KP_5")))
    figure.screenshot(f"by_{key}")
    figure.key("Return")
    figure.wait_for(GRIP, lambda name: name == "")
    after = figure.run(PLACES)
    assert all(math.dist(before[foot], after[foot]) < 1e-3 for foot in ("shin.L", "shin.R"))
    if key == "g":
        assert math.dist(way(before["hand.L"], after["hand.L"]), (0.0, 0.0, -0.2)) < 1e-3
    else:
        alike = abs(along(figure.run(TURNS)["hand.L"], turns))
        assert 2.0 * math.degrees(math.acos(min(alike, 1.0))) == pytest.approx(45.0, abs=0.5)
    figure.key("ctrl+z")
    figure.wait_for(PLACES, lambda now: math.dist(now["hand.L"], before["hand.L"]) < 1e-5)


def test_the_middle_button_takes_the_axis_of_the_way_and_space_confirms(aslant: BlenderWindow):
    aslant.click(*aslant.pixel_of((0.75, 0.0, 1.51)))
    start = hand(aslant)
    aslant.move(200, 400)
    aslant.key("g")
    aslant.wait_for(GRIP, lambda name: name == "hand.L")
    aslant.glide((200, 400), (205, 450))
    aslant.press("middle")
    aslant.glide((205, 450), (200, 440))
    aslant.release("middle")
    aslant.screenshot("axis_by_the_middle_button")
    moved = way(start, hand(aslant))
    assert abs(moved[2]) > 0.05 and math.hypot(*moved[:2]) < 5e-3
    aslant.key("space")
    aslant.wait_for(GRIP, lambda name: name == "")
    assert aslant.run("result = window().screen.is_animation_playing") is False
    aslant.key("ctrl+z")
    aslant.wait_for(PLACES, lambda now: math.dist(now["hand.L"], start) < 1e-5)


def test_without_a_selected_bone_g_is_blenders(figure: BlenderWindow):
    figure.operate("bpy.ops.pose.select_all(action='DESELECT')")
    before = figure.run(PLACES)
    figure.move(*figure.pixel_of((0.3, 0.0, 1.0)))
    figure.key("g")
    assert figure.run(GRIP) == ""
    figure.key("Escape")
    assert figure.run(PLACES) == before


def test_an_expression_with_a_unit_is_typed(figure: BlenderWindow):
    before = hand(figure)
    begin(figure, "hand.L")
    figure.key("z", "equal", "minus", "1", "0", "c", "m", "asterisk", "2")
    figure.screenshot("expression")
    figure.key("Return")
    figure.release()
    figure.settle()
    assert math.dist(way(before, hand(figure)), (0.0, 0.0, -0.2)) < 1e-3


def test_the_mouse_wraps_at_the_edge_of_the_view(figure: BlenderWindow):
    """Blender puts the pointer back into the view, and the hand goes on."""
    begin(figure, "hand.L")
    way_of_mouse, step = 1200, 40
    for _ in range(way_of_mouse // step):
        figure.screen.xdotool("mousemove_relative", "--", str(step), "0")
        figure.settle()
    figure.screenshot("wrapped")
    figure.release()
    message = figure.wait_for(MESSAGE, lambda text: "from its target" in text)
    metre = math.dist(figure.pixel_of((0, 0, 0)), figure.pixel_of((0, 0, 1)))
    short = float(message.split(" from its target")[0].split()[-2])
    assert short + 2.0 > way_of_mouse / metre, message


def test_an_effector_on_a_hand_leaves_the_feet_held_and_the_overlay_shows_them(figure: BlenderWindow):
    figure.operate(
        "bpy.ops.articulate.unpin_all()\n"
        "bpy.context.object.articulate.solver.root = 'PINNED'\n"
        "bpy.ops.articulate.effector_add(bone='hand.R')\n"
        "bpy.ops.ed.undo_push(message='effector')"
    )
    before = figure.run(PLACES)
    start = figure.pixel_of(before["hand.L"])
    figure.move(*start)
    figure.screenshot("held_feet_before")
    figure.press()
    figure.glide(start, figure.pixel_of((0.8, 0.0, 0.8)))
    figure.screenshot("held_feet")
    figure.release()
    after = figure.wait_for(PLACES, lambda now: math.dist(now["hand.L"], before["hand.L"]) > 0.5)
    assert all(math.dist(before[name], after[name]) < 2e-3 for name in ("shin.L", "shin.R", "hand.R"))
    assert math.dist(before["hips"], after["hips"]) > 0.01, "the root comes along"
