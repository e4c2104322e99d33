# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragged by its tip, a finger curls and the hand stays; Rigify's own axes tell how its fingers bend."""

from __future__ import annotations

import bpy
import drag_ways
import installed
import natural_poses as natural
import numpy as np
import pytest

drag = installed.module("control.drag.drag")


def _moved(
    rig: bpy.types.Object, finger: list[str], hand: str, way: np.ndarray
) -> tuple[float, list[np.ndarray]]:
    """How far the hand moves while a fingertip is led along a way, and degrees (3,) that its bones turn."""
    bones = rig.pose.bones
    before = np.array(bones[hand].head)
    held = drag.Drag(rig, bpy.context, drag.Grip(bone=finger[-1]), budget=drag_ways.ENDLESS)
    for share in np.linspace(0.0, 1.0, 11)[1:]:
        held.move_to(held.anchor + share * way)
    for _ in range(drag_ways.RESTING):
        if held.moved.arrived:
            break
        held.move_to(held.anchor + way)
    bpy.context.view_layer.update()
    assert held.moved.error < 1e-3
    away = float(np.linalg.norm(np.array(bones[hand].head) - before))
    turned = [np.degrees(bones[name].matrix_basis.to_quaternion().to_exponential_map()) for name in finger]
    held.cancel()
    bpy.context.view_layer.update()
    return away, turned


@pytest.mark.parametrize("side", ["L", "R"])
@pytest.mark.parametrize("finger", ["f_index", "f_middle", "f_pinky"])
def test_a_dragged_fingertip_curls_the_finger_and_not_the_arm(finger: str, side: str) -> None:
    rig = drag_ways.figure("human")
    names = [f"{finger}.0{k}.{side}" for k in (1, 2, 3)]
    first, last = rig.pose.bones[names[0]], rig.pose.bones[names[-1]]
    way = 0.4 * np.array(first.head - last.tail)
    away, turned = _moved(rig, names, f"hand.{side}", way)
    assert away < 0.4 * np.linalg.norm(way)
    # Rigify turns a finger about the x axes of its bones, positively to close it
    assert max(np.linalg.norm(turn) for turn in turned) > 30.0
    for turn in turned[1:]:
        assert turn[0] > 0.9 * np.linalg.norm(turn), turned


def test_where_the_palm_is_not_known_a_finger_follows_all_the_same() -> None:
    """This figure has five equal fingers side by side."""
    rig = natural.rest_figure("t_pose")
    names = [f"LeftHandIndex{k}" for k in (1, 2, 3)]
    first, last = rig.pose.bones[names[0]], rig.pose.bones[names[-1]]
    way = 0.3 * np.array(first.head - last.tail) - [0.0, 0.0, 0.3 * (last.tail - first.head).length]
    away, _ = _moved(rig, names, "LeftHand", way * np.array(rig.scale))
    assert away * rig.scale[0] < 0.25 * np.linalg.norm(way * np.array(rig.scale))
