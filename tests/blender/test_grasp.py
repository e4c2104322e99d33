# SPDX-License-Identifier: GPL-3.0-or-later
"""Taking a parent of the bone under the mouse: before a press, by a click, and during a drag."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import tip
from bridge_rigs import chain_rig
from drag_window import Mouse, Window, event, tip_at
from modal_operator import ModalOperator

select_bone = installed.module("compat").select_bone


class TakeParent(ModalOperator):
    module, cls = "operators.grasp", "ARTICULATE_OT_take_parent"
    by = 1


class SelectTaken(ModalOperator):
    module, cls = "operators.grasp", "ARTICULATE_OT_select_taken"
    toggle = False


@pytest.fixture
def rig() -> bpy.types.Object:
    """A chain of four in Pose Mode, of which the tip is under the mouse."""
    made = chain_rig(4)
    bpy.context.view_layer.objects.active = made
    bpy.ops.object.mode_set(mode="POSE")
    made.articulate.solver.hold = "ROOT"
    return made


@pytest.fixture
def window() -> Window:
    return Window()


def turn(window: Window, by: int, at: tuple[float, float]) -> set[str]:
    return TakeParent(by=by).invoke(window, event("WHEELUPMOUSE", at=at))


def taken() -> str:
    return bpy.context.window_manager.articulate.taken


def middle(rig: bpy.types.Object, bone: str) -> tuple[float, float]:
    place = rig.matrix_world @ rig.pose.bones[bone].center
    return place[0], place[2]


def test_the_wheel_goes_to_parents_and_back(rig, window):
    at = middle(rig, "b3")
    for by, name in ((1, "b2"), (1, "b1"), (-1, "b2"), (1, "b1"), (1, "b0"), (1, "b0"), (-1, "b1")):
        assert turn(window, by, at) == {"FINISHED"} and taken() == name
    assert turn(window, 0, at) == {"FINISHED"} and taken() == ""
    assert turn(window, 0, at) == {"PASS_THROUGH"}, "Esc is Blender's again."
    assert turn(window, -1, at) == {"FINISHED"} and taken() == ""


def test_the_header_says_which_parent(rig, window):
    window.window_manager.windows = [SimpleNamespace(screen=SimpleNamespace(areas=[window.area]))]
    turn(window, 2, middle(rig, "b3"))
    assert "Take b1" in window.header[-1] and "2 above b3" in window.header[-1]
    turn(window, -2, middle(rig, "b3"))
    assert window.header[-1] is None


def test_beside_the_bones_the_wheel_is_blenders(rig, window):
    assert turn(window, 1, (-3.5, -2.5)) == {"PASS_THROUGH"} and taken() == ""


def test_a_choice_holds_near_its_place_only(rig, window):
    x, z = middle(rig, "b3")
    turn(window, 1, (x, z))
    assert turn(window, 1, (x + 0.1, z)) == {"FINISHED"} and taken() == "b1"
    below = middle(rig, "b1")
    assert turn(window, 1, below) == {"FINISHED"} and taken() == "b0", (
        "It begins with what is under the mouse."
    )


def test_parents_that_cannot_be_selected_are_passed_over(rig, window):
    rig.data.bones["b2"].hide_select = True
    turn(window, 1, middle(rig, "b3"))
    assert taken() == "b1"


def test_a_drag_takes_the_parent_and_the_choice_ends(rig, window):
    at = middle(rig, "b3")
    turn(window, 2, at)
    mouse = Mouse(at, only_under_mouse=True)
    session = bpy.context.window_manager.articulate
    assert session.grip == "b1" and session.taken == ""
    mouse.key("ESC")


def test_a_click_selects_the_parent(rig, window):
    at = middle(rig, "b3")
    click = event("LEFTMOUSE", "CLICK", at)
    assert SelectTaken().invoke(window, click) == {"PASS_THROUGH"}
    turn(window, 1, at)
    assert SelectTaken().invoke(window, click) == {"FINISHED"} and taken() == ""
    assert [bone.name for bone in bpy.context.selected_pose_bones] == ["b2"]
    assert bpy.context.active_pose_bone.name == "b2"
    for names in (["b1", "b2"], ["b2"]):
        turn(window, 2, at)
        assert SelectTaken(toggle=True).invoke(window, click) == {"FINISHED"}
        assert sorted(bone.name for bone in bpy.context.selected_pose_bones) == names


def test_in_a_drag_alt_and_the_wheel_take_the_parent_with_the_way_of_the_mouse(rig):
    begun = {name: np.array(tip(rig, name)) for name in ("b1", "b3")}
    mouse = Mouse(tip_at(rig, "b3"), only_under_mouse=True)
    mouse.move((mouse.at[0] + 0.3, mouse.at[1] - 0.1))
    mouse.tick()
    for _ in range(2):
        mouse.key("WHEELUPMOUSE", alt=True)
    mouse.tick()
    session = bpy.context.window_manager.articulate
    assert session.grip == "b1" and "Drag b1" in mouse.window.header[-1]
    moved = np.array(tip(rig, "b1")) - begun["b1"]
    assert np.linalg.norm(moved - (0.3, 0, -0.1)) < 1e-2
    assert rig.pose.bones["b3"].matrix_basis.is_identity, "What the hand did with it is given back."
    for _ in range(3):
        mouse.key("WHEELDOWNMOUSE", alt=True)
    mouse.tick()
    assert session.grip == "b3"
    assert np.linalg.norm(np.array(tip(rig, "b3")) - begun["b3"] - (0.3, 0, -0.1)) < 1e-2
    mouse.key("ESC")
    assert np.allclose([tip(rig, name) for name in begun], list(begun.values()), atol=1e-6)


def test_a_parent_that_follows_a_target_is_refused_and_the_drag_goes_on(rig):
    bpy.ops.articulate.effector_add(bone="b2")
    mouse = Mouse(tip_at(rig, "b3"), only_under_mouse=True)
    mouse.key("WHEELUPMOUSE", alt=True)
    session = bpy.context.window_manager.articulate
    assert session.grip == "b3" and "follows" in mouse.operator.reports[-1]
    mouse.key("ESC")


def test_a_drag_of_the_selected_bone_goes_to_its_parent_too_and_still_turns(rig):
    rig.data.bones.active = rig.data.bones["b3"]
    for bone in rig.pose.bones:
        select_bone(bone, bone.name == "b3")
    mouse = Mouse((-3.5, -2.5), click=False, only_selected=True, turning=True)
    mouse.key("WHEELUPMOUSE", alt=True)
    for character in "30":
        mouse.key("NUMPAD", ascii=character)
    mouse.tick()
    mouse.key("WHEELUPMOUSE", alt=True)
    mouse.tick()
    session = bpy.context.window_manager.articulate
    assert session.grip == "b1" and "Turn b1" in mouse.window.header[-1]
    assert rig.pose.bones["b2"].matrix_basis.is_identity
    across = abs((tip(rig, "b1") - tip(rig, "b0"))[0])
    assert np.isclose(across, np.sin(np.radians(30.0)), atol=0.01), "The typed angle counts for the parent."
    mouse.key("ESC")
