# SPDX-License-Identifier: GPL-3.0-or-later
"""Hips and hands that move over pinned feet, in Solve and in Live: figures squat and sit as a person does."""

from __future__ import annotations

import bpy
import drag_ways
import natural_poses as natural
import numpy as np
import pytest
from mathutils import Vector

pytestmark = pytest.mark.solver

FEET = {
    "human": ("foot.L", "foot.R"),
    "basic_human": ("foot.L", "foot.R"),
    "t_pose": ("LeftFoot", "RightFoot"),
}
HIPS = {"human": "spine", "basic_human": "spine", "t_pose": "Hips", "straight": "hips"}
SIT = Vector((0.0, 0.19, -0.23))  # of the hips, in shares of the figure's height


def stand(name: str, kind: str, bone: str = "") -> tuple[bpy.types.Object, bpy.types.Object]:
    """A figure with an effector on a bone, by default its hips, and its other feet pinned; and its target."""
    rig = drag_ways.figure(name) if name == "straight" else natural.rest_figure(name)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    feet = [foot for foot in FEET.get(name, ("foot.L", "foot.R")) if foot != bone]
    for one in rig.pose.bones:
        (one if hasattr(one, "select") else one.bone).select = one.name in feet
    rig.data.bones.active = rig.data.bones[feet[0]]
    bpy.ops.articulate.pin(kind=kind)
    bone = bone or HIPS[name]
    bpy.ops.articulate.effector_add(bone=bone, kind="POSITION")
    return rig, next(one.target for one in rig.articulate.effectors if one.bone == bone)


def turns(rig: bpy.types.Object, before: dict[str, np.ndarray]) -> dict[str, float]:
    """Degrees that each bone has turned against its parent, as Blender shows it."""
    return natural.turns_between(
        rig, before, natural.frames(rig.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    )


@pytest.mark.parametrize("name", ["human", "basic_human", "t_pose", "straight"])
@pytest.mark.parametrize("kind", ["POSE", "POSITION"])
@pytest.mark.parametrize("live", [False, True])
def test_who_sits_down_keeps_the_trunk_up_and_the_feet_on_the_ground(
    name: str, kind: str, live: bool
) -> None:
    rig, target = stand(name, kind)
    before = natural.frames(rig)
    rig.articulate.live = live
    target.location += natural.height(rig) * SIT
    bpy.context.view_layer.update()
    if not live:
        bpy.ops.articulate.solve()
        assert rig.articulate.report["status"] == "REACHED"
    turned = turns(rig, before)
    assert turned[HIPS[name]] < 20.0
    for foot in FEET.get(name, ("foot.L", "foot.R")):
        assert turned[foot] < 70.0, turned  # against the shin


@pytest.mark.parametrize(
    ("aside", "down"), [(0.05, 0.02), (0.07, 0.04), (0.08, 0.064), (0.1, 0.15), (0.09, 0.216), (0.046, 0.283)]
)
def test_straight_legs_squat_live_though_the_hips_go_aside(aside: float, down: float) -> None:
    rig, target = stand("straight", "POSE")
    before = natural.frames(rig)
    rig.articulate.live_mode = "EACH"
    rig.articulate.live = True
    target.location += Vector((aside, 0.0, -down))
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(2)
    turned = turns(rig, before)
    assert turned["hips"] < 12.0, turned
    assert min(turned["shin.L"], turned["shin.R"]) > 15.0, turned


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("name", ["human", "t_pose"])
def test_who_reaches_to_the_floor_bends_both_knees(name: str, live: bool) -> None:
    hand, knees = {
        "human": ("hand.L", ("shin.L", "shin.R")),
        "t_pose": ("LeftHand", ("LeftLeg", "RightLeg")),
    }[name]
    rig, target = stand(name, "POSITION", hand)
    before = natural.frames(rig)
    rig.articulate.live = live
    target.location = natural.height(rig) / 1.8 * Vector((0.3, -0.3, 0.08))
    bpy.context.view_layer.update()
    if not live:
        bpy.ops.articulate.solve()
        assert rig.articulate.report["status"] == "REACHED"
    left, right = (turns(rig, before)[knee] for knee in knees)
    assert min(left, right) > 60.0
    assert abs(left - right) < 20.0


def test_a_hand_that_goes_to_the_floor_live_lets_no_knee_leap() -> None:
    rig, target = stand("t_pose", "POSE", "LeftHand")
    size = natural.height(rig) / 1.8
    rig.articulate.live_mode = "EACH"
    rig.articulate.live = True
    last, most = None, 0.0
    for frame in range(1, 31):
        down = 0.5 + 0.5 * np.cos(2.0 * np.pi * (frame - 1) / 59)
        target.location = size * Vector((0.3, -0.3, 0.08 + 1.24 * down))
        bpy.context.view_layer.update()
        bpy.context.scene.frame_set(frame)
        now = natural.frames(rig.evaluated_get(bpy.context.evaluated_depsgraph_get()))
        if last is not None:
            most = max(most, *natural.turns_between(rig, last, now).values())
        last = now
    assert most < 30.0


@pytest.mark.parametrize("name", ["human", "t_pose"])
def test_a_foot_that_is_lifted_frame_by_frame_bends_the_knee_and_turns_no_hips(name: str) -> None:
    foot = FEET[name][0]
    rig, target = stand(name, "POSE", foot)
    before = last = natural.frames(rig)
    rig.articulate.live_mode = "CONTINUOUS"
    rig.articulate.live = True
    start, most = Vector(target.location), 0.0
    for share in np.linspace(0.0, 1.0, 31)[1:]:
        target.location = start + float(natural.height(rig) * share) * Vector((0.0, -0.055, 0.165))
        bpy.context.view_layer.update()
        now = natural.frames(rig.evaluated_get(bpy.context.evaluated_depsgraph_get()))
        most = max(most, *natural.turns_between(rig, last, now).values())
        last = now
    assert most < 20.0
    turned = turns(rig, before)
    assert turned[HIPS[name]] < 10.0, turned
    assert turned[{"human": "shin.L", "t_pose": "LeftLeg"}[name]] > 70.0, turned
