# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel says of a live figure: beside each effector too, and no more often than anybody reads it."""

from __future__ import annotations

import bpy
import pytest
from addon_scenes import animate, reach, two_arms
from installed import module


@pytest.fixture
def rig() -> bpy.types.Object:
    """Two arms; the left hand follows what flies away, the right one what stays."""
    rig = two_arms()
    animate(reach(rig, "hand.L", (1.2, -0.8, 1.8)), {1: (1.2, -0.8, 2.0), 5: (3.0, -0.8, 2.0)})
    reach(rig, "hand.R", (-1.2, -0.8, 2.0))
    rig.articulate.effectors["hand.L"].priority = 1
    bpy.context.scene.frame_set(1)
    rig.articulate.live = True
    bpy.context.view_layer.update()
    return rig


def stop_playback() -> None:
    depsgraph = bpy.context.evaluated_depsgraph_get()
    for handler in bpy.app.handlers.animation_playback_post:
        handler(bpy.context.scene, depsgraph)


def test_effectors_say_how_they_are_there(rig):
    left, right = rig.articulate.effectors
    assert left.status == right.status == "REACHED" and left.error < 1e-3 and not left.message
    bpy.context.scene.frame_set(5)
    assert (left.status, right.status) == ("BEST_EFFORT", "REACHED")
    assert left.error > 0.5 and "from its target" in left.message and not right.message
    assert "hand.R" not in left.message  # nobody has the time to read it
    stop_playback()
    assert "hand.R" in left.message and "hand.R" in rig.articulate.message
    left.enabled = False
    bpy.context.view_layer.update()
    assert right.status == "REACHED" and rig.articulate.message == ""


def test_what_the_user_does_is_answered_in_full(rig):
    left, right = rig.articulate.effectors
    target, action = left.target, left.target.animation_data.action
    target.animation_data.action = None
    target.location.x = 3.0
    bpy.context.view_layer.update()
    assert left.status == "BEST_EFFORT" and "hand.R" in left.message and right.status == "REACHED"
    error = left.error
    target.location.x = 4.0
    bpy.context.view_layer.update()
    assert left.error == pytest.approx(error + 1.0, abs=0.1)
    target.animation_data.action = action
    bpy.context.view_layer.update()
    assert left.status == "REACHED" and not left.message


def test_frames_that_pass_set_nothing_for_a_number_alone(rig, monkeypatch):
    bpy.context.scene.frame_set(4)
    left = rig.articulate.effectors[0]
    assert left.status == "BEST_EFFORT"
    error, telling = left.error, module("control.live.status_text")

    def never(*_given: object, **_more: object) -> None:
        raise AssertionError("written or looked into")

    monkeypatch.setattr(telling, "write_effectors", never)
    monkeypatch.setattr(telling, "reasons", never)
    bpy.context.scene.frame_set(5)
    assert left.error == error


def test_frames_that_pass_say_who_is_short_and_look_for_no_cause(rig, monkeypatch):
    from ikmath.diagnosis import explanation

    cause = explanation.causes_of
    asked = []
    monkeypatch.setattr(explanation, "causes_of", lambda *on, **how: asked.append(1) or cause(*on, **how))
    bpy.context.scene.frame_set(5)
    message = rig.articulate.message
    assert message.startswith("Live: hand.L is ") and message.endswith(" from its target.") and not asked
    stop_playback()
    assert "hand.R" in rig.articulate.message and asked


def test_saying_the_same_again_wakes_nobody(rig):
    rig.articulate.effectors[1].target.location.x = -3.0
    calls = []
    bpy.app.handlers.depsgraph_update_post.append(lambda *_: calls.append(1))
    try:
        for _ in range(8):
            bpy.context.view_layer.update()
        assert 0 < len(calls) < 8
        calls.clear()
        for _ in range(8):
            bpy.context.view_layer.update()
        assert not calls
    finally:
        bpy.app.handlers.depsgraph_update_post.pop()
