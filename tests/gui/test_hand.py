# SPDX-License-Identifier: GPL-3.0-or-later
"""What the keys do in a drag by a real mouse, in every kind of view; and pins that come along or hold."""

from __future__ import annotations

import math

import pytest

from tests.gui.blender_window import BlenderWindow
from tests.gui.test_dragging import FIGURE, PLACES

VIEWS = {
    "ortho_side": "('ORTHO', (1.5708, 0, 1.5708))",
    "perspective": "('PERSP', (1.2, 0, 0.6))",
    "rolled": "('PERSP', (1.3, 0.9, -0.8))",
}
LOOK = """
from mathutils import Euler
region = view()['area'].spaces.active.region_3d
region.view_perspective, turn = {view}
region.view_rotation = Euler(turn).to_quaternion()
region.view_location, region.view_distance = (0, 0, 1.1), 5.5
region.update()
"""
TURNS = """
shown = bpy.data.objects['Figure'].evaluated_get(bpy.context.evaluated_depsgraph_get())
result = {b.name: list(b.matrix.to_quaternion()) for b in shown.pose.bones}
"""
PINS = "result = {e.name: list(e.pin_location) for e in bpy.data.objects['Figure'].articulate.effectors}"
MESSAGE = "result = bpy.data.objects['Figure'].articulate.message"
RELEASED = (0.75, 0.0, 1.0)


@pytest.fixture
def figure(window: BlenderWindow) -> BlenderWindow:
    """A figure in Pose Mode, seen from the front, both feet pinned, with the tool in hand."""
    window.operate(FIGURE)
    window.settle()
    return window


def middle(figure: BlenderWindow, bone: str) -> tuple[float, float]:
    """The pixel of a bone's middle, where a click selects it and not its neighbour."""
    return figure.pixel_of(
        figure.run(f"result = list(bpy.data.objects['Figure'].pose.bones[{bone!r}].center)")
    )


def begin(figure: BlenderWindow, bone: str, *, at_tip: bool = True) -> tuple[float, float]:
    """Press on a bone and pull a little, which begins a drag; where the mouse is then."""
    x, y = figure.pixel_of(figure.run(PLACES)[bone]) if at_tip else middle(figure, bone)
    figure.move(x, y)
    figure.press()
    figure.glide((x, y), (x + 20, y + 20), steps=4)
    return x + 20, y + 20


@pytest.mark.parametrize("view", VIEWS)
def test_the_point_stays_under_the_mouse_in_the_plane_that_faces_the_view(figure: BlenderWindow, view: str):
    figure.run(LOOK.format(view=VIEWS[view]))
    figure.settle()
    before = figure.run(PLACES)
    x, y = figure.pixel_of(before["hand.L"])
    figure.drag((x, y), (x - 40, y + 60))
    after = figure.wait_for(PLACES, lambda now: math.dist(now["hand.L"], before["hand.L"]) > 0.1)
    figure.screenshot(f"dragged_{view}")
    assert math.dist(figure.pixel_of(after["hand.L"]), (x - 40, y + 60)) < 4.0
    forward = figure.run(
        "from mathutils import Vector\n"
        "result = list(view()['area'].spaces.active.region_3d.view_rotation @ Vector((0, 0, 1)))"
    )
    deeper = sum(f * (a - b) for f, a, b in zip(forward, after["hand.L"], before["hand.L"], strict=True))
    assert abs(deeper) < 5e-3
    assert all(math.dist(before[foot], after[foot]) < 1e-3 for foot in ("shin.L", "shin.R"))


OFF_AXIS = pytest.mark.xfail(
    strict=False, reason="in Blender 5.2 the hand ends more than 2 mm beside the axis"
)


@pytest.mark.parametrize("axis", [pytest.param(0, marks=OFF_AXIS), 1, 2])
def test_an_axis_keeps_the_others_as_they_are(figure: BlenderWindow, axis: int):
    figure.run(LOOK.format(view=VIEWS["perspective"]))
    figure.settle()
    before = figure.run(PLACES)["hand.L"]
    x, y = begin(figure, "hand.L")
    figure.key("xyz"[axis])
    figure.glide((x, y), (x - 70, y - 50))
    figure.screenshot(f"axis_{'xyz'[axis]}")
    figure.release()
    figure.settle()
    after = figure.run(PLACES)["hand.L"]
    others = [number for number in range(3) if number != axis]
    assert abs(after[axis] - before[axis]) > 0.03
    assert all(abs(after[number] - before[number]) < 2e-3 for number in others)


def test_r_turns_the_bone_about_its_head(figure: BlenderWindow):
    places, turns = figure.run(PLACES), figure.run(TURNS)
    x, y = begin(figure, "arm.L", at_tip=False)
    figure.key("r")
    figure.glide((x, y), (x + 30, y - 90))
    figure.screenshot("turning")
    figure.release()
    figure.settle()
    turned = figure.run(TURNS)
    alike = abs(sum(a * b for a, b in zip(turned["arm.L"], turns["arm.L"], strict=True)))
    assert alike < 0.99
    assert all(math.dist(places[foot], figure.run(PLACES)[foot]) < 1e-3 for foot in ("shin.L", "shin.R"))


def test_r_twice_turns_freely(figure: BlenderWindow):
    """The mouse to the right turns what faces the viewer to the right, about the vertical of the view."""
    turns = figure.run(TURNS)
    x, y = begin(figure, "arm.L", at_tip=False)
    figure.key("r")
    figure.key("r")
    figure.glide((x, y), (x + 40, y))
    figure.screenshot("trackball")
    figure.release()
    figure.settle()
    after = figure.run(TURNS)["arm.L"]
    alike = abs(sum(a * b for a, b in zip(after, turns["arm.L"], strict=True)))
    assert 2.0 * math.acos(min(alike, 1.0)) == pytest.approx(0.4, abs=0.05)


def test_shift_is_fine(figure: BlenderWindow):
    x, y = begin(figure, "hand.L")
    figure.settle()
    before = figure.run(PLACES)["hand.L"]
    figure.key_down("shift")
    figure.glide((x, y), (x, y + 100), steps=10)
    figure.release()
    figure.key_up("shift")
    figure.settle()
    way = math.dist(figure.run(PLACES)["hand.L"], before)
    metre = math.dist(figure.pixel_of((0, 0, 0)), figure.pixel_of((0, 0, 1)))
    assert 8.0 < way * metre < 12.0, "a tenth of the mouse's way"


def test_the_wheel_lets_less_of_the_chain_take_part(figure: BlenderWindow):
    before = figure.run(PLACES)
    x, y = begin(figure, "hand.L")
    for _turn in range(6):
        figure.wheel("down")
    figure.glide((x, y), (x - 60, y - 80))
    figure.screenshot("wheel_one_bone")
    figure.release()
    figure.settle()
    after = figure.run(PLACES)
    assert math.dist(after["hand.L"], before["hand.L"]) > 0.05
    still = ("arm.L", "chest", "hips", "head")
    assert {name: d for name in still if (d := math.dist(after[name], before[name])) >= 1e-5} == {}


def test_p_lets_the_root_hold(figure: BlenderWindow):
    hips = "result = list(bpy.data.objects['Figure'].pose.bones['hips'].head)"
    before = figure.run(hips)
    x, y = begin(figure, "hand.L")
    figure.key("p")
    figure.glide((x, y), figure.pixel_of(RELEASED))
    figure.screenshot("root_pinned")
    figure.release()
    figure.settle()
    assert math.dist(figure.run(hips), before) < 1e-5


def test_enter_confirms_and_the_right_button_gives_back(figure: BlenderWindow):
    before = figure.run(PLACES)
    figure.move(*figure.pixel_of(before["hand.L"]))
    figure.key("alt+d")
    goal = figure.pixel_of(RELEASED)
    figure.glide(figure.pixel_of(before["hand.L"]), goal)
    figure.wait_for(PLACES, lambda now: math.dist(now["hand.L"], RELEASED) < 0.08)
    figure.click(*goal, button="right")
    figure.wait_for(PLACES, lambda now: now == before)
    figure.move(*figure.pixel_of(before["hand.L"]))
    figure.key("alt+d")
    figure.glide(figure.pixel_of(before["hand.L"]), goal)
    figure.key("Return")
    figure.wait_for(PLACES, lambda now: math.dist(now["hand.L"], RELEASED) < 0.08)
    figure.move(*figure.pixel_of((-1.0, 0, 0.3)))
    figure.settle()
    assert math.dist(figure.run(PLACES)["hand.L"], RELEASED) < 0.08, "the hand has been let go"


def test_a_pinned_hand_is_dragged_with_its_pin_and_not_the_pin_alone(figure: BlenderWindow):
    figure.operate("bpy.ops.articulate.pin(bone='hand.L'); bpy.ops.ed.undo_push(message='pin')")
    before = figure.run(PINS)["hand.L"]
    figure.settle()
    figure.drag(figure.pixel_of(before), figure.pixel_of((0.7, 0.0, 1.9)))
    after = figure.wait_for(PINS, lambda now: math.dist(now["hand.L"], before) > 0.2)["hand.L"]
    figure.screenshot("pinned_hand_dragged")
    assert math.dist(figure.run(PLACES)["hand.L"], after) < 2e-3


def test_who_is_pinned_too_much_goes_as_far_as_it_can_and_says_so(figure: BlenderWindow):
    figure.operate(
        "for name in ('hips', 'chest', 'head', 'hand.L', 'hand.R'):\n"
        "    bpy.ops.articulate.pin(bone=name, kind='POSE')"
    )
    before = figure.run(PLACES)
    figure.drag(middle(figure, "arm.L"), figure.pixel_of((0.3, 0.0, 2.2)))
    message = figure.wait_for(MESSAGE, lambda text: text != "")
    figure.show_tab("Articulate")
    figure.screenshot("over_pinned")
    assert "arm.L is " in message and "from its target" in message
    assert "conflict" in message or "out of reach" in message
    after = figure.run(PLACES)
    assert all(math.dist(before[name], after[name]) < 5e-3 for name in ("head", "hand.L", "shin.R"))


def test_pins_by_key_mirrored_and_all_removed(figure: BlenderWindow):
    figure.operate(
        "bpy.ops.articulate.unpin_all()\n"
        "rig = bpy.data.objects['Figure']\n"
        "for bone in rig.pose.bones:\n"
        "    select_bone(bone, bone.name == 'hand.L')\n"
        "rig.data.bones.active = rig.data.bones['hand.L']"
    )
    figure.move(*figure.pixel_of((0.0, 0.0, 2.4)))
    names = "result = [[e.name, e.kind] for e in bpy.data.objects['Figure'].articulate.effectors]"
    figure.key("shift+alt+p")
    figure.settle()
    figure.screenshot("menu_of_pins")
    figure.key("b")  # Pin Both
    figure.wait_for(names, lambda now: now == [["hand.L", "POSE"]])
    figure.key("shift+alt+p")
    figure.settle()
    figure.key("m")  # Mirror Effectors
    figure.wait_for(names, lambda now: sorted(now) == [["hand.L", "POSE"], ["hand.R", "POSE"]])
    figure.screenshot("pins_mirrored")
    figure.key("shift+alt+p")
    figure.settle()
    figure.key("a")  # Unpin All
    figure.wait_for(names, lambda now: now == [])


def test_auto_key_keys_what_was_dragged(figure: BlenderWindow):
    figure.operate(
        "bpy.context.scene.tool_settings.use_keyframe_insert_auto = True\nbpy.context.scene.frame_set(7)"
    )
    begun = figure.pixel_of(figure.run(PLACES)["hand.L"])
    figure.drag(begun, figure.pixel_of(RELEASED))
    keys = (
        "curves = curves_of(bpy.data.objects['Figure'])\n"
        "result = [[c.data_path, k.co[0]] for c in curves for k in c.keyframe_points]"
    )
    found = figure.wait_for(keys, lambda now: len(now) > 0)
    assert {frame for _, frame in found} == {7.0}
    assert any("arm.L" in path for path, _ in found)
    figure.key("Escape")
    figure.run("bpy.context.scene.tool_settings.use_keyframe_insert_auto = False")
