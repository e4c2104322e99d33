# SPDX-License-Identifier: GPL-3.0-or-later
"""The drag as a window drives it, by events; see `drag_window`."""

from __future__ import annotations

from itertools import pairwise

import bpy
import drag_ways
import installed
import natural_poses as natural
import numpy as np
import pytest
from addon_scenes import curves, reach, snapshot, tip, two_arms
from drag_window import Mouse, posed, tip_at


def test_press_on_a_bone_and_drag_it_and_let_go():
    rig = posed()
    begun = tip(rig, "b3")
    mouse = Mouse(tip_at(rig, "b3"))
    assert mouse.outcome == {"RUNNING_MODAL"} and mouse.window.timers and "Cancel" in mouse.window.texts[0]
    mouse.move(*((begun[0] + s, begun[2] - s) for s in np.linspace(0, 0.8, 9)))
    assert np.allclose(tip(rig, "b3"), begun, atol=1e-6), "It is solved at a tick and not at each move."
    mouse.tick()
    assert np.linalg.norm(tip(rig, "b3") - begun - (0.8, 0, -0.8)) < 1e-3
    mouse.key("LEFTMOUSE", "RELEASE")
    assert mouse.outcome == {"FINISHED"}
    assert not mouse.window.timers and mouse.window.texts[-1] is None and mouse.window.header[-1] is None
    assert rig.articulate.message == "Dragged 'b3'" and rig.data.bones.active.name == "b3"


def test_a_drag_goes_on_where_another_workspace_has_taken_the_place_of_its_view():
    rig = posed()
    mouse = Mouse(tip_at(rig, "b3"))
    mouse.window.region = mouse.window.region_data = mouse.window.area = None
    goal = mouse.at[0] + 0.4, mouse.at[1] - 0.4
    mouse.move(goal)
    mouse.tick()
    assert np.allclose(tip_at(rig, "b3"), goal, atol=1e-3)


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no clock counts, neither for an update nor for a glide."""
    for name in ("_BUDGET", "_SETTLES"):
        monkeypatch.setattr(installed.module("operators.drag"), name, 1e6)


def in_the_midst_of_a_glide() -> tuple[bpy.types.Object, Mouse]:
    """A straight leg that is lifted until bending it is better, and the mouse just let go."""
    rig = drag_ways.figure("straight")
    rig.location.z = -1.0
    bpy.context.view_layer.update()
    begun = tip_at(rig, "foot.L")
    mouse = Mouse(begun, bone="foot.L")
    for up in (0.05, 0.1, 0.15, 0.2):
        mouse.move((begun[0], begun[1] + up))
        mouse.tick()
    mouse.key("LEFTMOUSE", "RELEASE")
    return rig, mouse


@pytest.mark.usefixtures("unhurried")
def test_who_lets_go_sees_the_figure_glide_to_where_it_comes_to_rest():
    rig, mouse = in_the_midst_of_a_glide()
    assert mouse.outcome == {"RUNNING_MODAL"}
    place, poses = tip(rig, "foot.L"), [natural.frames(rig)]
    mouse.move((mouse.at[0] + 1.0, mouse.at[1]))  # which is not asked for any more
    while mouse.outcome == {"RUNNING_MODAL"}:
        mouse.tick()
        bpy.context.view_layer.update()
        poses.append(natural.frames(rig))
    assert mouse.outcome == {"FINISHED"} and not mouse.window.timers
    turns = [max(natural.turns_between(rig, *pair).values()) for pair in pairwise(poses)]
    assert max(turns) < 15.0 and len(turns) > 3, turns
    assert np.linalg.norm(tip(rig, "foot.L") - place) < 1e-3
    at_rest = natural.frames(rig)
    _, mouse = in_the_midst_of_a_glide()
    mouse.key("A")  # whoever goes on at once finds the same pose, and is heard
    assert mouse.outcome == {"FINISHED", "PASS_THROUGH"}
    bpy.context.view_layer.update()
    rig = bpy.context.object
    assert max(natural.turns_between(rig, natural.frames(rig), at_rest).values()) < 1.0


@pytest.mark.usefixtures("unhurried")
def test_while_it_glides_to_rest_escape_gives_all_back():
    before = snapshot(drag_ways.figure("straight"))
    rig, mouse = in_the_midst_of_a_glide()
    mouse.tick()
    mouse.key("ESC")
    assert mouse.outcome == {"CANCELLED"}
    assert snapshot(rig) == before


@pytest.mark.parametrize("key", ["ESC", ""])
def test_of_two_figures_in_pose_mode_the_one_under_the_mouse_is_dragged(key):
    rig = posed()
    other = two_arms()
    other.location = (2.0, 0.0, -2.0)
    bpy.context.view_layer.update()
    for figure in (rig, other):
        figure.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    before = snapshot(rig), snapshot(other)
    begun = tip_at(other, "hand.L")
    mouse = Mouse(begun)
    mouse.move((begun[0] - 0.3, begun[1] - 0.4))
    mouse.tick()
    assert bpy.context.object == other
    assert snapshot(rig) == before[0] and snapshot(other) != before[1]
    mouse.key(*((key,) if key else ("LEFTMOUSE", "RELEASE")))
    if key:
        assert mouse.outcome == {"CANCELLED"} and bpy.context.object == rig
        assert (snapshot(rig), snapshot(other)) == before
    else:
        assert mouse.outcome == {"FINISHED"} and bpy.context.object == other
        assert other.articulate.message == "Dragged 'hand.L'" and rig.articulate.message == ""


@pytest.mark.parametrize("key", ["ESC", "RIGHTMOUSE"])
def test_it_is_all_given_back(key):
    rig = posed()
    before = snapshot(rig)
    mouse = Mouse(tip_at(rig, "b3"))
    mouse.move((1.0, 0.5))
    mouse.tick()
    mouse.key("R")
    mouse.move((1.0, -0.5))
    mouse.tick()
    assert snapshot(rig) != before
    mouse.key(key)
    assert mouse.outcome == {"CANCELLED"} and snapshot(rig) == before
    assert not mouse.window.timers and mouse.window.texts[-1] is None


def test_a_tick_without_a_move_solves_nothing():
    rig = posed()
    before = snapshot(rig)
    mouse = Mouse(tip_at(rig, "b3"))
    for _ in range(3):
        mouse.tick()
    assert snapshot(rig) == before
    mouse.key("LEFTMOUSE", "RELEASE")
    assert mouse.outcome == {"CANCELLED"}  # nothing to undo


def test_by_a_shortcut_the_active_bone_is_dragged_where_none_is_near():
    rig = posed()
    rig.data.bones.active = rig.data.bones["b2"]
    begun = tip(rig, "b2")
    mouse = Mouse((-3.5, -2.5), click=False)
    mouse.key("LEFTMOUSE", "RELEASE")  # of some click before
    mouse.key("X")
    for character in "-.3":
        mouse.key("NUMPAD", ascii=character)
    mouse.tick()
    session = bpy.context.window_manager.articulate
    assert session.locked == "X" and np.allclose(session.anchor, begun, atol=1e-5)
    mouse.key("RET")
    assert mouse.outcome == {"FINISHED"} and session.locked == ""
    assert np.linalg.norm(tip(rig, "b2") - begun - (-0.3, 0, 0)) < 1e-3


def test_a_hidden_bone_is_not_dragged_by_the_shortcut_although_it_is_active():
    rig = posed()
    rig.data.bones.active = rig.data.bones["b2"]
    hidden = rig.data.collections.new("Hidden")
    hidden.assign(rig.data.bones["b2"])
    hidden.is_visible = False
    bpy.ops.object.mode_set(mode="POSE")
    mouse = Mouse((-3.5, -2.5), click=False)
    assert mouse.outcome == {"CANCELLED"} and "no visible one is active" in mouse.operator.reports[-1]


def test_the_tool_leaves_the_mouse_to_others_beside_the_bones():
    posed()
    mouse = Mouse((-3.5, -2.5), only_under_mouse=True)
    assert mouse.outcome == {"PASS_THROUGH"} and not mouse.window.timers


def test_wheel_and_root():
    rig = posed(6)
    mouse = Mouse(tip_at(rig, "b5"), bone="b5")
    for _ in range(4):
        mouse.key("WHEELDOWNMOUSE")
    mouse.tick()
    assert "2 bones" in mouse.window.header[-1]
    mouse.key("P")
    mouse.tick()
    assert "root free" in mouse.window.header[-1] and rig.articulate.solver.root == "AUTO"
    mouse.move((9.0, 9.0))
    mouse.tick()
    assert "from its target" in mouse.window.header[-1]
    mouse.key("RET")
    while mouse.outcome == {"RUNNING_MODAL"}:
        mouse.tick()
    assert "from its target" in rig.articulate.message


def test_space_confirms_except_in_an_expression():
    rig = posed()
    begun = tip(rig, "b3")
    mouse = Mouse(begun[::2], bone="b3")
    mouse.key("X")
    for character in "=.1 + .2":
        mouse.key("SPACE" if character == " " else "OTHER", ascii=character)
    mouse.tick()
    assert np.allclose(tip(rig, "b3") - begun, (0.3, 0, 0), atol=1e-3)
    mouse.key("BACK_SPACE")
    mouse.key("OTHER", ascii="=")
    mouse.key("SPACE", ascii=" ")
    for _tick in range(60):
        if mouse.outcome == {"RUNNING_MODAL"}:
            mouse.tick()
    assert mouse.outcome == {"FINISHED"}


def test_keys_in_the_status_bar_have_icons_and_the_wheel_has_its_own():
    known = bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items
    keys = installed.module("operators.status_bar").KEYS
    assert all(icon in known for icons, _label in keys for icon in icons)
    wheel = "MOUSE_MMB_SCROLL" if bpy.app.version >= (4, 3, 0) else "MOUSE_MMB"
    assert [icons for icons, label in keys if label == "Bones That Take Part"] == [(wheel,)]


def test_the_middle_button_chooses_the_axis_as_long_as_it_is_held():
    rig = posed()
    begun = tip(rig, "b3")
    mouse = Mouse(begun[::2], bone="b3")
    mouse.move((begun[0] + 0.1, begun[2] - 0.4))
    mouse.key("MIDDLEMOUSE")
    mouse.tick()
    assert "along global Z" in mouse.window.header[-1]
    mouse.move((begun[0] + 0.5, begun[2] - 0.1))
    mouse.tick()
    assert "along global X" in mouse.window.header[-1]
    mouse.key("MIDDLEMOUSE", "RELEASE")
    mouse.move((begun[0] + 0.3, begun[2] - 0.6))
    mouse.tick()
    assert "along global X" in mouse.window.header[-1]
    assert np.allclose(tip(rig, "b3") - begun, (0.3, 0, 0), atol=1e-3)


def test_balance_is_shown_and_switched_for_one_drag():
    rig = drag_ways.figure("human")
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    mouse = Mouse((0.0, 0.0), bone="hand.L")
    mouse.tick()
    assert "balance on" in mouse.window.header[-1]
    mouse.key("H")  # means nothing to a figure that stands
    mouse.key("B")
    mouse.tick()
    assert "balance off" in mouse.window.header[-1] and rig.articulate.solver.balance
    mouse.key("ESC")
    mouse = Mouse((0.0, 0.0), bone="spine")
    mouse.tick()
    assert "balance off" in mouse.window.header[-1]  # the hips are in the hand
    mouse.key("ESC")


def test_the_header_says_how_near_it_is_and_that_nothing_is_recorded_without_playback():
    rig = posed()
    rig.articulate.record = True
    mouse = Mouse(tip_at(rig, "b3"))
    mouse.move((0.3, 0.2))
    mouse.tick()
    assert " mm off" in mouse.window.header[-1] and "start the playback" in mouse.window.header[-1]
    mouse.key("ESC")
    rig.articulate.record = False
    mouse = Mouse(tip_at(rig, "b3"))
    mouse.move((0.3, 0.2))
    mouse.tick()
    assert "playback" not in mouse.window.header[-1]
    mouse.key("ESC")


def test_local_axes_are_those_of_the_bone():
    rig = posed()
    mouse = Mouse(tip_at(rig, "b3"), bone="b3")
    axis = np.array((rig.matrix_world @ rig.pose.bones["b3"].matrix).to_3x3())[:, 0]
    begun = tip(rig, "b3")
    mouse.key("X")
    mouse.key("X")
    mouse.key("KEY", ascii="-")
    mouse.key("KEY", ascii=".")
    mouse.key("KEY", ascii="1")
    mouse.tick()
    assert "along local X" in mouse.window.header[-1]
    mouse.key("RET")
    assert np.linalg.norm(tip(rig, "b3") - begun + 0.1 * axis) < 1e-3


def test_only_a_selected_bone_is_taken_by_its_key():
    rig = posed()
    bpy.ops.object.mode_set(mode="POSE")
    installed.module("compat").select_bone(rig.pose.bones["b2"])
    rig.data.bones.active = rig.data.bones["b2"]
    mouse = Mouse(tip_at(rig, "b3"), click=False, only_selected=True)
    assert bpy.context.window_manager.articulate.grip == "b2", "not the one under the mouse"
    mouse.key("ESC")
    installed.module("compat").select_bone(rig.pose.bones["b2"], False)
    assert Mouse(tip_at(rig, "b3"), click=False, only_selected=True).outcome == {"PASS_THROUGH"}


def test_who_lets_the_mouse_go_right_after_r_keeps_keys_and_pin():
    rig = posed()
    bpy.ops.articulate.pin(bone="b3")
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    mouse = Mouse(tip_at(rig, "b3"), bone="b3")
    mouse.move((mouse.at[0] + 0.4, mouse.at[1] - 0.3))
    mouse.tick()
    dragged = tip(rig, "b3")
    mouse.key("R")
    mouse.key("LEFTMOUSE", "RELEASE")
    assert mouse.outcome == {"FINISHED"}
    assert np.allclose(tip(rig, "b3"), dragged, atol=1e-5)
    assert np.allclose(rig.articulate.effectors["b3"].pin_location, dragged, atol=1e-4)
    assert curves(rig)


def test_a_pinned_place_stays_where_it_was_dragged_when_the_bone_is_turned_then():
    rig = posed()
    bpy.ops.articulate.pin(bone="b3", kind="POSITION")
    mouse = Mouse(tip_at(rig, "b3"), bone="b3")
    mouse.move((mouse.at[0] + 0.4, mouse.at[1] - 0.3))
    mouse.tick()
    dragged = tip(rig, "b3")
    for key, character in (("R", "r"), ("Y", "y"), ("TWO", "2"), ("ZERO", "0")):
        mouse.key(key, ascii=character)
    mouse.tick()
    assert np.allclose(tip(rig, "b3"), dragged, atol=1e-3)
    mouse.key("LEFTMOUSE", "RELEASE")
    assert np.allclose(rig.articulate.effectors["b3"].pin_location, dragged, atol=1e-3)


def test_ctrl_alone_is_no_drag():
    rig = posed()
    before = snapshot(rig)
    mouse = Mouse(tip_at(rig, "b3"), bone="b3")
    mouse.key("LEFT_CTRL")
    mouse.key("LEFT_CTRL", "RELEASE")
    mouse.tick()
    mouse.key("LEFTMOUSE", "RELEASE")
    assert mouse.outcome == {"CANCELLED"} and snapshot(rig) == before


def test_what_cannot_be_dragged_is_said():
    rig = two_arms()
    reach(rig, "hand.L", (1.2, -0.8, 1.8))
    mouse = Mouse((0, 0), bone="hand.L")
    assert mouse.outcome == {"CANCELLED"} and "follows" in mouse.operator.reports[-1]
    assert not mouse.window.timers


def test_a_failure_on_the_way_gives_everything_back():
    rig = posed()
    before = snapshot(rig)
    mouse = Mouse(tip_at(rig, "b3"))
    mouse.move((1.0, 0.5))
    mouse.tick()
    rig.scale = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    mouse.key("WHEELDOWNMOUSE")
    assert mouse.outcome == {"CANCELLED"} and "scale" in mouse.operator.reports[-1]
    rig.scale = (1, 1, 1)
    after = snapshot(rig)
    assert after == before


def test_a_drag_is_one_undo_step():
    rig = posed()
    begun = tip(rig, "b3")
    bpy.ops.ed.undo_push(message="set-up")
    bpy.ops.articulate.drag("EXEC_DEFAULT", True, bone="b3", move=(0.2, 0.3, -0.4))
    bpy.ops.ed.undo()
    assert np.allclose(tip(bpy.data.objects["Rig"], "b3"), begun, atol=1e-6)
    bpy.ops.ed.redo()
    assert np.linalg.norm(tip(bpy.data.objects["Rig"], "b3") - begun - (0.2, 0.3, -0.4)) < 1e-3
