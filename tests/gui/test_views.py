# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging in all kinds of views and of figures, and what else one presses in its midst."""

from __future__ import annotations

import math

import pytest
from PIL import Image, ImageChops

from tests.gui.blender_window import HEIGHT, BlenderWindow
from tests.gui.test_dragging import FIGURE, PLACES

BEFORE, GOAL = (0.9, 0.0, 1.45), (0.7, 0.0, 0.9)
QUAD = """
from bpy_extras.view3d_utils import location_3d_to_region_2d
area = view()['area']
regions = [region for region in area.regions if region.type == 'WINDOW']
result = []
for region, seen in zip(regions, area.spaces.active.region_quadviews):
    seen.view_distance = 5.0; seen.view_location = (0, 0, 1.1); seen.update()
    for place in (BEFORE, GOAL):
        found = location_3d_to_region_2d(region, seen, place)
        result.append([region.x + found.x, window().height - 1 - (region.y + found.y)])
"""
CAMERA = """
camera = bpy.data.objects.new('Camera', bpy.data.cameras.new('Camera'))
bpy.context.collection.objects.link(camera)
bpy.context.scene.camera = camera
camera.location, camera.rotation_euler = (1.0, -6.0, 2.0), (1.45, 0.0, 0.15)
camera.data.type = KIND
camera.data.ortho_scale, camera.data.shift_x = 6.0, 0.1
bpy.context.view_layer.update()
bpy.ops.view3d.view_camera()
region = bpy.context.space_data.region_3d
region.view_camera_zoom, region.view_camera_offset = 10, (0.05, 0.1)
"""
TWO = """
bpy.ops.object.mode_set(mode='OBJECT')
first = bpy.data.objects['Figure']
second = first.copy()
second.name, second.data, second.location.x = 'Second', first.data.copy(), 2.2
bpy.context.collection.objects.link(second)
second.articulate.effectors.clear()
for rig in (first, second):
    rig.select_set(True)
bpy.context.view_layer.objects.active = first
region = bpy.context.space_data.region_3d
region.view_location, region.view_distance = (1.1, 0, 1.1), 6.5
region.update()
bpy.ops.object.mode_set(mode='POSE')
bpy.ops.ed.undo_push(message='two')
"""
SHAPE = """
rig = bpy.data.objects['Figure']
mesh = bpy.data.meshes.new('Shape')
mesh.from_pydata([(0, 0, 0), (1, 0, 0), (1, 0, 2), (0.3, 0.4, 1)], [(0, 1), (1, 2), (2, 3), (3, 0)], [])
bone = rig.pose.bones['chest']
bone.custom_shape = bpy.data.objects.new('Shape', mesh)
bone.custom_shape_translation = (-0.9, 0.1, 0.2)
bone.custom_shape_rotation_euler = (0.7, -0.4, 1.1)
bone.custom_shape_scale_xyz = (1.1, 0.8, 1.6)
bone.use_custom_shape_bone_size = BY_LENGTH
bone.custom_shape_transform = rig.pose.bones['thigh.R'] if ELSEWHERE else None
for other in rig.pose.bones:
    hide_bone(other, other.name != 'chest')
"""
HOVERED = "result = bpy.context.window_manager.articulate.hovered"
HAND = f"{PLACES}result = result['hand.L']"


@pytest.fixture
def figure(window: BlenderWindow) -> BlenderWindow:
    """A figure in Pose Mode, seen from the front, both feet pinned, with the tool in hand."""
    window.operate(FIGURE)
    window.settle()
    return window


@pytest.fixture
def held(figure: BlenderWindow) -> BlenderWindow:
    """Its left hand is in the mouse's, on the way."""
    start = figure.pixel_of(BEFORE)
    figure.move(*start)
    figure.press()
    figure.glide(start, figure.pixel_of(GOAL), steps=4)
    figure.wait_for(HAND, lambda hand: math.dist(hand, GOAL) < 0.03)
    return figure


def test_each_of_four_views_drags_in_its_own_plane(figure: BlenderWindow):
    figure.operate("bpy.ops.screen.region_quadview()")
    figure.settle()
    places = f"BEFORE, GOAL = {BEFORE}, {GOAL}\n"
    figure.run(places + QUAD)
    figure.settle()
    found = figure.run(places + QUAD)
    # As Blender orders them: front, top, right and the free one, which looks from the front here.
    for number, seen in enumerate(((0, 2), (0, 1), (1, 2), (0, 2))):
        figure.drag(*(tuple(pixel) for pixel in found[2 * number : 2 * number + 2]))
        wanted = [GOAL[axis] for axis in seen]
        hand = figure.wait_for(HAND, lambda hand: math.dist([hand[a] for a in seen], wanted) < 0.03)  # noqa: B023
        (depth,) = {0, 1, 2} - set(seen)
        assert abs(hand[depth] - BEFORE[depth]) < 0.03
        figure.screenshot(f"quad_view_{number}")
        figure.key("ctrl+z")
        figure.wait_for(HAND, lambda hand: math.dist(hand, BEFORE) < 1e-5)


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
def test_through_the_camera(figure: BlenderWindow, kind: str):
    figure.operate(CAMERA.replace("KIND", repr(kind)))
    figure.settle()
    figure.settle()
    end = figure.pixel_of(GOAL)
    figure.drag(figure.pixel_of(BEFORE), end)
    figure.screenshot(f"camera_{kind.lower()}")
    shown = f"{HAND}\nresult = pixel_of(result)"
    figure.wait_for(shown, lambda pixel: math.dist(pixel, end) < 3.0)


def test_in_local_view_with_the_view_locked_to_a_bone(figure: BlenderWindow):
    figure.operate("bpy.ops.view3d.localview(frame_selected=False)")
    figure.drag(figure.pixel_of(BEFORE), figure.pixel_of(GOAL))
    figure.wait_for(HAND, lambda hand: math.dist(hand, GOAL) < 0.03)
    figure.operate(
        "space = bpy.context.space_data\n"
        "space.lock_object, space.lock_bone = bpy.data.objects['Figure'], 'hand.R'"
    )
    figure.settle()
    figure.settle()
    figure.drag(figure.pixel_of(figure.run(HAND)), figure.pixel_of((0.8, 0.0, 1.6)))
    hand = figure.wait_for(HAND, lambda hand: math.dist(hand, GOAL) > 0.3)
    assert math.dist(hand, (0.8, 0.0, 1.6)) < 0.1


@pytest.mark.parametrize("key", ["", "Escape"])
def test_any_of_two_figures_in_pose_mode_is_taken_hold_of(figure: BlenderWindow, key: str):
    figure.operate(TWO)
    figure.settle()
    second = HAND.replace("'Figure'", "'Second'")
    active = "result = bpy.context.view_layer.objects.active.name"
    start = figure.pixel_of((BEFORE[0] + 2.2, 0.0, BEFORE[2]))
    figure.move(*start)
    figure.wait_for(HOVERED, lambda name: name == "hand.L")
    figure.press()
    figure.glide(start, figure.pixel_of((GOAL[0] + 2.2, 0.0, GOAL[2])))
    figure.wait_for(second, lambda hand: math.dist(hand, GOAL) < 0.03)
    figure.screenshot("second_figure_dragged")
    assert figure.run(active) == "Second"
    if key:
        figure.key(key)
    figure.release()
    figure.wait_for(active, lambda name: name == ("Figure" if key else "Second"))
    figure.wait_for(second, lambda hand: math.dist(hand, BEFORE if key else GOAL) < 0.03)
    assert math.dist(figure.run(HAND), BEFORE) < 1e-5


@pytest.mark.parametrize(("by_length", "elsewhere"), [(True, False), (False, False), (True, True)])
def test_a_custom_shape_is_taken_hold_of_where_blender_draws_it(
    figure: BlenderWindow, by_length: bool, elsewhere: bool
):
    """What is on the screen with the shape and not without it is where the mouse is tried."""
    figure.run("view()['area'].spaces.active.overlay.show_extras = False")
    figure.operate(SHAPE.replace("BY_LENGTH", repr(by_length)).replace("ELSEWHERE", repr(elsewhere)))
    figure.operate("bpy.ops.wm.tool_set_by_id(name='builtin.select_box')")  # draws nothing of its own
    pictures = []
    for hidden in (False, True):
        figure.run(f"hide_bone(bpy.data.objects['Figure'].pose.bones['chest'], {hidden})")
        figure.move(40, 600)
        name = f"custom_shape_{by_length}_{elsewhere}_{hidden}".lower()
        with Image.open(figure.screenshot(name)) as picture:
            pictures.append(picture.convert("L").crop((60, 100, 750, 540)))
    drawn = ImageChops.difference(*pictures).point(lambda level: 255 if level > 40 else 0)
    left, top, right, bottom = drawn.getbbox()
    corners = [
        (x, y)
        for x, y in ((x, y) for x in range(drawn.width) for y in range(drawn.height))
        if drawn.getpixel((x, y)) and (x in (left, right - 1) or y in (top, bottom - 1))
    ]
    assert right - left > 60 and bottom - top > 60, "The shape is not on the screen."
    figure.run("hide_bone(bpy.data.objects['Figure'].pose.bones['chest'], False)")
    figure.operate("bpy.ops.wm.tool_set_by_id(name='articulate.drag_bone')")
    for x, y in corners[:: max(1, len(corners) // 6)]:
        figure.move(60 + x, 100 + y)
        figure.wait_for(HOVERED, lambda name: name == "chest", 5.0)
        figure.move(40, 600)
        figure.wait_for(HOVERED, lambda name: name == "", 5.0)


def test_keys_of_other_tools_do_nothing_in_the_midst_of_a_drag(held: BlenderWindow):
    names = "result = [bpy.context.mode, sorted(o.name for o in bpy.data.objects), window().workspace.name]"
    before = held.run(names)
    for key in (
        "Tab",
        "ctrl+Tab",
        "ctrl+z",
        "ctrl+shift+z",
        "g",
        "h",
        "Delete",
        "F3",
        "F12",
        "ctrl+Page_Down",
    ):
        held.key(key)
        assert held.run(names) == before, key
        hand = held.run(HAND)
        assert math.dist(hand, GOAL) < 0.03, f"{key}: {hand}"
    held.key("Escape")
    held.release()
    held.wait_for(HAND, lambda hand: math.dist(hand, BEFORE) < 1e-6)


def test_another_workspace_in_the_midst_of_a_drag_leaves_no_text_behind(held: BlenderWindow):
    def status() -> Image.Image:
        with Image.open(held.screenshot("status_bar")) as picture:
            return picture.crop((0, HEIGHT - 22, 900, HEIGHT))

    told = status()
    for name in ("Animation", "Layout"):
        held.run(f"window().workspace = bpy.data.workspaces[{name!r}]")
        held.settle()
        held.settle()
        if name == "Animation":
            held.release()
            held.wait_for("result = bpy.context.window_manager.articulate.dragged", lambda uid: uid == 0)
    held.move(*held.pixel_of(GOAL))
    difference = ImageChops.difference(told, status()).point(lambda level: 255 if level > 40 else 0)
    assert difference.getbbox() is not None, "The keys of the drag are still told."
