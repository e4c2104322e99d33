# SPDX-License-Identifier: GPL-3.0-or-later
"""A leg that is dragged above its foot: the foot stays at first, then it comes along, and no leg twists."""

from __future__ import annotations

import bpy
import drag_ways
import installed
import natural_poses as natural
import numpy as np
import pytest
import standing_figures

pytestmark = pytest.mark.solver

drag = installed.module("control.drag.drag")

STEP = 0.0125  # of the figure's size
LEGS = {
    "wolf": ("shin.L", ("thigh.L", "shin.L", "foot.L")),
    "basic_quadruped": ("shin.L", ("thigh.L", "shin.L", "foot.L")),
    "wading bird": ("leg.L.2", ("leg.L.1", "leg.L.2", "leg.L.3")),
    "wolf, foreleg": ("front_shin.L", ("front_thigh.L", "front_shin.L", "front_foot.L")),
}
"""The bone whose tip is dragged, hock or carpus, and the long bones of its leg."""


def _figure(name: str) -> bpy.types.Object:
    if name != "wading bird":
        return natural.rest_figure(name.split(",")[0])
    return standing_figures.build(standing_figures.wading_bird())


def _size(rig: bpy.types.Object) -> float:
    ends = np.array([[bone.head_local, bone.tail_local] for bone in rig.data.bones]).reshape(-1, 3)
    return float(np.linalg.norm(np.ptp(ends, axis=0)))


def _twist(rig: bpy.types.Object, name: str) -> float:
    """Degrees by which a bone is turned about itself, relative to its parent and the rest pose."""
    bone, above = rig.pose.bones[name], rig.pose.bones[name].parent
    rest = above.bone.matrix_local.inverted() @ bone.bone.matrix_local
    turned = (rest.inverted() @ above.matrix.inverted() @ bone.matrix).to_quaternion()
    return (np.degrees(2.0 * np.arctan2(turned.y, turned.w)) + 180.0) % 360.0 - 180.0


@pytest.mark.parametrize("way", [(0.0, -0.2, 0.0), (0.2, 0.0, 0.0), (0.0, 0.0, -0.15)])
@pytest.mark.parametrize("name", LEGS)
def test_a_hock_that_is_led_far_and_back_twists_no_bone(name: str, way: tuple[float, ...]) -> None:
    """Legs twisted by up to 122 degrees and leapt by 81 so that the paw stayed."""
    rig = _figure(name)
    bone, leg = LEGS[name]
    held = drag.Drag(rig, bpy.context, drag.Grip(bone=bone), budget=drag_ways.ENDLESS)
    far, count = _size(rig) * np.array(way), round(float(np.linalg.norm(way)) / STEP)
    first = last = natural.frames(rig)
    shares = np.concatenate([np.linspace(0.0, 1.0, count + 1), np.linspace(1.0, 0.0, count + 1)[1:]])
    for share in shares[1:]:
        held.move_to(held.anchor + share * far)
        bpy.context.view_layer.update()
        assert max(abs(_twist(rig, each)) for each in leg) < 61.0
        now = natural.frames(rig)
        turns = natural.turns_between(rig, last, now)
        assert max(turns[each] for each in leg) < 35.0
        last = now
    held.finish(bpy.context)
    bpy.context.view_layer.update()
    assert max(natural.turns_between(rig, first, natural.frames(rig)).values()) < 1.0


def test_a_paw_stays_first_and_comes_along_then() -> None:
    rig = _figure("wolf")
    hock, toe = rig.pose.bones["shin.L"], rig.pose.bones["toe.L"]
    long, place = (hock.tail - toe.head).length, toe.head.copy()
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="shin.L"), budget=drag_ways.ENDLESS)
    for share, least, most in ((0.2, 0.0, 0.03), (0.4, 0.0, 0.1), (1.5, 0.9, 1.1)):
        target = held.anchor + np.array([share * long, 0.0, 0.0])
        while not held.move_to(target).arrived:
            pass
        bpy.context.view_layer.update()
        assert least * long <= (toe.head - place).length <= most * long


def test_no_thigh_turns_over_for_a_few_millimetres_while_the_mouse_moves() -> None:
    """It leapt by 170 degrees, because another pose was 6 mm nearer to a mouse above the hip."""
    rig = natural.rest_figure("human")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="thigh.L"), budget=drag_ways.ENDLESS)
    radius, last = 0.075 * _size(rig), natural.frames(rig)
    for angle in np.linspace(0.0, 2.0 * np.pi, 39)[1:]:
        moved = held.move_to(held.anchor + radius * np.array([0.0, np.sin(angle), 1.0 - np.cos(angle)]))
        bpy.context.view_layer.update()
        now = natural.frames(rig)
        assert natural.angle_between(last["thigh.L"], now["thigh.L"]) < 35.0
        assert moved.error < 0.03 * _size(rig)
        last = now
