# SPDX-License-Identifier: GPL-3.0-or-later
"""The bake as the window drives it, by timer events: with a stand-in for the operator and for the window."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy
import installed
import pytest
from addon_scenes import animate, arm, curves, miss, reach, snapshot
from modal_operator import ModalOperator
from ui_layout import status_bar


class Operator(ModalOperator):
    """That of a bake."""

    module, cls = "operators.bake", "ARTICULATE_OT_bake"


class Window:
    """A context with a window, in which everything else is the real one."""

    def __init__(self) -> None:
        self.timers: list[str] = []
        self.texts: list[str | None] = []
        self.redrawn = 0
        self.window = None
        area = SimpleNamespace(type="VIEW_3D", tag_redraw=self._redraw)
        self.workspace = SimpleNamespace(status_text_set=lambda draw: self.texts.append(status_bar(draw)))
        self.window_manager = SimpleNamespace(
            articulate=bpy.context.window_manager.articulate,
            windows=[SimpleNamespace(screen=SimpleNamespace(areas=[area]))],
            event_timer_add=self._add,
            event_timer_remove=self.timers.remove,
            modal_handler_add=lambda _operator: None,
        )

    def _add(self, _seconds: float, window: None) -> str:
        self.timers.append("timer")
        return "timer"

    def _redraw(self) -> None:
        self.redrawn += 1

    def __getattr__(self, name: str) -> Any:
        return getattr(bpy.context, name)


TIMER = SimpleNamespace(type="TIMER", value="NOTHING")
ESC = SimpleNamespace(type="ESC", value="PRESS")
MOUSE = SimpleNamespace(type="MOUSEMOVE", value="NOTHING")


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """One frame a timer event."""
    monkeypatch.setattr(installed.module("operators.bake"), "_SLICE", 1e-9)


def _start() -> tuple[bpy.types.Object, Operator, Window]:
    rig = arm()
    animate(reach(rig, "b3", (1.5, 0.5, 2.0)), {1: (1.5, 0.5, 2.0), 12: (-1.0, 1.5, 2.0)})
    bpy.context.scene.frame_set(4)
    operator, window = Operator(frame_start=1, frame_end=12), Window()
    return rig, operator, window


def test_it_goes_to_its_end_with_progress_and_leaves_the_window_clean(slow):
    rig, operator, window = _start()
    session = bpy.context.window_manager.articulate
    assert operator.begin(window) == {"RUNNING_MODAL"}
    assert session.baking and window.timers
    told = []
    while (outcome := operator.modal(window, TIMER)) == {"PASS_THROUGH"}:
        told.append(session.progress)
        assert len(told) < 100
    assert outcome == {"FINISHED"} and told == sorted(told) and len(told) > 12
    assert any("Baking Rig" in text and "Cancel" in text for text in window.texts if text)
    assert (session.baking, window.timers, window.texts[-1]) == (False, [], None)
    assert window.redrawn and "Baked 12 frames" in operator.reports[-1]
    assert all(len(keys) == 12 for keys in curves(rig).values())
    for frame in (1, 6, 12):
        bpy.context.scene.frame_set(frame)
        assert miss(rig, "b3") < 1e-3
    # what the redo panel shows and repeats
    assert (operator.step, operator.only_selected, operator.clean_curves) == (1, False, False)


@pytest.mark.parametrize("events", [0, 1, 8, 15])
def test_esc_gives_back_what_was_there(slow, events):
    rig, operator, window = _start()
    before = snapshot(rig)
    operator.begin(window)
    for _event in range(events):
        assert operator.modal(window, TIMER) == {"PASS_THROUGH"}
    assert operator.modal(window, ESC) == {"CANCELLED"}
    assert "nothing was changed" in operator.reports[-1]
    assert not window.timers and window.texts[-1] is None
    assert not bpy.context.window_manager.articulate.baking
    assert snapshot(rig) == before


def test_nobody_edits_the_scene_while_frames_are_sampled(slow):
    _rig, operator, window = _start()
    operator.begin(window)
    seen = []
    while operator.modal(window, TIMER) == {"PASS_THROUGH"}:
        seen.append(operator.modal(window, MOUSE) == {"PASS_THROUGH"})
    assert seen == sorted(seen) and False in seen and True in seen


def test_what_cannot_be_baked_is_said_before_it_begins():
    rig, operator, window = _start()
    rig.articulate.effectors["b3"].bone = "gone"
    assert operator.begin(window) == {"CANCELLED"}
    assert "gone" in operator.reports[-1] and "gone" in rig.articulate.message
    assert not window.timers and not bpy.context.window_manager.articulate.baking


def test_a_frame_that_fails_ends_it_and_says_which(slow):
    rig, operator, window = _start()
    for frame, scale in ((5, (1, 1, 1)), (6, (1, 2, 1))):
        rig.scale = scale
        rig.keyframe_insert("scale", frame=frame)
    bpy.context.scene.frame_set(4)
    before = snapshot(rig)
    operator.begin(window)
    while (outcome := operator.modal(window, TIMER)) == {"PASS_THROUGH"}:
        pass
    assert outcome == {"CANCELLED"} and "frame 6" in operator.reports[-1]
    assert not window.timers and not bpy.context.window_manager.articulate.baking
    assert snapshot(rig) == before


def test_a_fault_of_ours_leaves_no_timer(slow, monkeypatch):
    _rig, operator, window = _start()
    operator.begin(window)

    def fail(*_args, **_options):
        raise ZeroDivisionError

    monkeypatch.setattr(installed.module("control.bake.bake"), "take_sample", fail)
    with pytest.raises(ZeroDivisionError):
        operator.modal(window, TIMER)
    assert not window.timers and not bpy.context.window_manager.articulate.baking


def test_another_scene_ends_it_without_harm(slow):
    rig, operator, window = _start()
    operator.begin(window)
    operator.modal(window, TIMER)
    first = bpy.context.scene
    bpy.context.window.scene = bpy.data.scenes.new("Other")
    while (outcome := operator.modal(window, TIMER)) == {"PASS_THROUGH"}:
        pass
    assert outcome == {"CANCELLED"} and "Other" in operator.reports[-1]
    bpy.context.window.scene = first
    assert not curves(rig) and first.frame_current == 4


def test_the_armature_deleted_in_the_middle_ends_it(slow):
    rig, operator, window = _start()
    operator.begin(window)
    for _event in range(14):
        operator.modal(window, TIMER)
    bpy.data.objects.remove(rig)
    while (outcome := operator.modal(window, TIMER)) == {"PASS_THROUGH"}:
        pass
    assert outcome == {"CANCELLED"} and "deleted" in operator.reports[-1]
    assert not window.timers


def test_an_effector_removed_while_frames_are_solved_costs_no_bake(slow):
    rig, operator, window = _start()
    bpy.ops.articulate.pin(bone="b0")
    operator.begin(window)
    for _event in range(14):
        assert operator.modal(window, TIMER) == {"PASS_THROUGH"}
    rig.articulate.effectors.remove(0)
    while (outcome := operator.modal(window, TIMER)) == {"PASS_THROUGH"}:
        pass
    assert outcome == {"FINISHED"} and all(len(keys) == 12 for keys in curves(rig).values())
    assert set(rig.articulate.report["effectors"]) == {"b3", "b0"}
    assert not window.timers


def test_only_one_bake_at_a_time(slow):
    _rig, operator, window = _start()
    operator.begin(window)
    with pytest.raises(RuntimeError, match="bake is running"):
        bpy.ops.articulate.bake(frame_start=1, frame_end=3)
    operator.modal(window, ESC)
    assert bpy.ops.articulate.bake(frame_start=1, frame_end=3) == {"FINISHED"}
