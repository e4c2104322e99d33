# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tab says: true of the figure as it is now, silent about what nobody can see, in one place."""

from __future__ import annotations

import re
from types import SimpleNamespace

import bpy
import installed
import pytest
from addon_scenes import add, arm, reach, two_arms
from ui_layout import Layout, draw


def test_what_an_operator_refused_is_forgotten_with_the_next_that_does_its_work():
    rig = arm()
    add("b3")
    for refuse in (lambda: bpy.ops.articulate.pair_add(watched=True), lambda: bpy.ops.articulate.mirror()):
        with pytest.raises(RuntimeError):
            refuse()
        assert rig.articulate.message
        bpy.ops.articulate.body_fit()
        assert rig.articulate.message == ""
    bpy.ops.articulate.solve()
    told = rig.articulate.message
    bpy.ops.articulate.begin()
    assert rig.articulate.message == told, "what a solve has said stays"


def test_a_refusal_is_no_longer_shown_once_something_has_changed():
    rig = arm()
    add("b3")
    session = bpy.context.window_manager.articulate

    def shown() -> str:
        return " ".join(draw())

    for soon in (True, False):
        with pytest.raises(RuntimeError):
            bpy.ops.articulate.pair_add(watched=True)
        assert "two bones" in rig.articulate.message.lower() and rig.articulate.message[:12] in shown()
        session.refused_at -= 0 if soon else 10
        rig.location.x += 0.1
        bpy.context.view_layer.update()
        assert (rig.articulate.message[:12] in shown()) == soon, "what follows at once belongs to it"
    bpy.ops.articulate.solve()
    assert rig.articulate.message[:12] in shown()
    rig.location.x += 0.1
    bpy.context.view_layer.update()
    assert rig.articulate.message[:12] in shown(), "what a solve has said stays"


def test_what_a_solve_has_said_goes_when_it_is_no_longer_about_the_figure_as_it_is_set_up():
    rig = arm()
    effector = add("b3")
    for change in (
        lambda: setattr(effector, "weight", 2.0),
        lambda: add("b2"),
        lambda: bpy.ops.articulate.effector_remove(effector="b2"),
        lambda: bpy.ops.articulate.pin(bone="b1"),
    ):
        bpy.ops.articulate.solve()
        assert rig.articulate.message
        change()
        assert rig.articulate.message == ""
    effector = rig.articulate.effectors["b3"]
    rig.articulate.live = True
    effector.target.location.x = 9.0
    bpy.context.view_layer.update()
    assert rig.articulate.message.startswith("Live: ")
    rig.articulate.live = False
    assert rig.articulate.message == ""


@pytest.mark.parametrize("scale", [(1.0, 2.0, 1.0), (-1.0, 1.0, 1.0)])
def test_a_scale_that_a_figure_has_from_its_parent_is_explained(scale: tuple[float, float, float]):
    rig = arm()
    rig.parent = parent = bpy.data.objects.new("Parent", None)
    bpy.context.collection.objects.link(parent)
    parent.scale = scale
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="parent"):
        bpy.ops.articulate.drag(bone="b3", move=(0.1, 0.0, 0.0))


def test_who_moves_the_topmost_bone_is_told_that_the_root_does_not_move():
    rig = two_arms()
    rig.articulate.solver.root = "PINNED"
    reach(rig, "root", (0.0, 0.3, 0.5))
    bpy.ops.articulate.solve()
    assert rig.articulate.message.startswith(
        "root is 416.9 mm from its target: the root may turn but not move. Solved in "
    )
    rig.articulate.solver.root = "FREE"
    bpy.ops.articulate.solve()
    assert rig.articulate.report["status"] == "REACHED"


def test_a_root_that_stays_is_named_where_it_keeps_a_target_out_of_reach():
    rig = two_arms()
    rig.articulate.solver.root = "PINNED"
    reach(rig, "hand.L", (9.0, 0.0, 2.0))
    words = "the target is out of reach while the root stays"

    def told():
        bpy.ops.articulate.solve()
        return rig.articulate.message, rig.articulate.effectors["hand.L"].message

    message, reason = told()
    assert f"{words}. Solved in " in message and reason.endswith(words)
    rig.articulate.live = True
    rig.articulate.effectors["hand.L"].target.location.x += 0.1
    bpy.context.view_layer.update()
    assert rig.articulate.message.endswith(f"{words}.")
    rig.articulate.live = False
    rig.pose.bones["root"].lock_location = (True, True, True)
    assert all("out of reach" in text and "root" not in text for text in told())


def test_the_whole_message_is_the_tooltip_of_the_button_beside_it():
    told = installed.module("operators.solve").ARTICULATE_OT_report_show.description
    assert told(None, SimpleNamespace(message="A long one")).startswith("A long one\n\nOpen the report")
    assert told(None, SimpleNamespace(message="")).startswith("Open the report")


def test_an_invisible_error_is_not_reported():
    arm()
    effector = add("b3")
    bpy.ops.articulate.solve()
    effector.status, effector.error, effector.message = "BEST_EFFORT", 1e-3, "1 mm from its target"
    assert "b3 reached its target" in " ".join(draw()), "of a figure of 4 m"
    effector.error = 1e-2
    assert "b3: 1 mm from its target" in " ".join(draw())


def test_a_large_shape_of_a_control_hides_no_error():
    rig = arm()
    bpy.ops.mesh.primitive_circle_add(radius=30.0)
    rig.pose.bones["b0"].custom_shape = bpy.context.object
    bpy.context.view_layer.objects.active = rig
    reach(rig, "b3", (0.0, 0.0, 4.02))
    bpy.ops.articulate.solve()
    assert max(rig.dimensions) > 40.0 and "b3 is 20 mm from its target" in rig.articulate.message


@pytest.mark.parametrize(("limits", "beyond"), [("penalty", True), ("projection", False)])
def test_a_limit_that_a_method_exceeds_is_reported(limits, beyond):
    rig = arm()
    reach(rig, "b3", (1.8, 0.0, 3.2))
    for bone in rig.pose.bones:
        for axis in "xyz":
            setattr(bone, f"use_ik_limit_{axis}", True)
            setattr(bone, f"ik_min_{axis}", -0.2)
            setattr(bone, f"ik_max_{axis}", 0.2)
    rig.articulate.solver.method, rig.articulate.solver.limits = "lagrange", limits
    bpy.ops.articulate.solve()
    message = rig.articulate.report["message"]
    found = re.search(r"reached its target, but b\d is (\d+)(\.\d+)? degrees beyond its limit$", message)
    assert bool(found) == beyond, message
    assert not beyond or 1 < int(found[1]) < 90


def test_the_reason_of_the_only_effector_fits_into_three_lines():
    rig = arm()
    reach(rig, "b3", (9.0, 0.0, 0.0))
    bpy.ops.articulate.bake(frame_start=1, frame_end=12)
    message = rig.articulate.message
    assert re.match(
        r"Frame \d+: b3 is [\d.]+ m from its target: the .*\. Baked 12 frames in [\d.]+ m?s\.$", message
    )
    reach(rig, "b1", (9.0, 0.0, 0.0))
    bpy.ops.articulate.solve()
    assert rig.articulate.message.endswith("; 2 of 2 effectors fell short.")


def test_the_reason_is_shown_below_the_effector_after_a_bake():
    arm()
    effector = add("b3")
    effector.status, effector.error = "BLOCKED", 0.2
    effector.message = "0.1783 m and 0.227 degrees from its target at frame 12: stopped by Table"
    assert f"b3: {effector.message}" in " ".join(draw())


def test_a_message_moves_nothing():
    """The place of the message has as many lines with a long one as with none."""
    fixed = installed.module("ui.tab").draw_fixed
    counts = set()
    for text in ("", "Short.", "word " * 80):
        layout = Layout()
        fixed(layout, SimpleNamespace(region=None, preferences=bpy.context.preferences), text, 3)
        counts.add(len(layout.drawn))
    assert counts == {3} and layout.drawn[-1].endswith("…")
