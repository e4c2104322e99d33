# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of effectors that are keyed: each frame is solved by what they are there, in a bake and live."""

from __future__ import annotations

import itertools

import bpy
import numpy as np
import pytest
from addon_scenes import arm, evaluated, miss, reach, tip, two_arms, wall

LEFT, RIGHT = (-1.0, 0.5, 3.5), (1.0, 0.5, 3.5)


def torn(rig: bpy.types.Object) -> tuple[bpy.types.PropertyGroup, bpy.types.PropertyGroup]:
    """Two effectors on one bone that cannot both be had."""
    reach(rig, "b4", LEFT, name="left")
    reach(rig, "b4", RIGHT, name="right", point="HEAD")
    effectors = rig.articulate.effectors
    effectors["right"].offset = (0.0, rig.data.bones["b4"].length, 0.0)
    return effectors["left"], effectors["right"]


def key(effector: bpy.types.PropertyGroup, name: str, values: dict[int, float]) -> None:
    """Key a setting, stepwise."""
    for number, value in values.items():
        setattr(effector, name, value)
        assert effector.keyframe_insert(name, frame=number)


def played(rig: bpy.types.Object, how: str, frames: range) -> list[np.ndarray]:
    """(3,) the tip in each frame, after a bake or live."""
    if how == "bake":
        bpy.ops.articulate.bake(frame_start=frames[0], frame_end=frames[-1])
    else:
        rig.articulate.live = True
        rig.articulate.live_mode = how
    places = []
    for number in frames:
        bpy.context.scene.frame_set(number)
        places.append(tip(rig, "b4"))
    rig.articulate.live = False
    return places


@pytest.mark.parametrize("how", ["bake", "EACH", "CONTINUOUS"])
def test_priority_is_honoured_in_every_frame(how):
    rig = arm(5)
    left, right = torn(rig)
    key(left, "priority", {1: 0, 15: 0, 16: 1, 29: 1, 30: 0})
    key(right, "priority", {1: 1, 15: 1, 16: 0, 29: 0, 30: 1})
    places = played(rig, how, range(1, 46))
    assert np.linalg.norm(places[14] - LEFT) < 5e-3
    assert np.linalg.norm(places[28] - RIGHT) < 5e-3
    assert np.linalg.norm(places[44] - LEFT) < 5e-3


@pytest.mark.parametrize("how", ["bake", "EACH", "CONTINUOUS"])
def test_weight_is_honoured_in_every_frame(how):
    rig = arm(5)
    left, right = torn(rig)
    key(left, "weight", {1: 0.0, 11: 1.0})
    key(right, "weight", {1: 1.0, 11: 0.0})
    places = played(rig, how, range(1, 12))
    assert np.linalg.norm(places[0] - RIGHT) < 2e-3 and np.linalg.norm(places[10] - LEFT) < 5e-3
    middle = places[5]
    assert abs(middle[0]) < 0.05, "with equal weights it is in the middle"
    assert all(a[0] > b[0] - 5e-3 for a, b in itertools.pairwise(places))


@pytest.mark.parametrize("how", ["bake", "EACH", "CONTINUOUS"])
def test_influence_is_honoured_in_every_frame(how):
    rig = arm(5)
    start = tip(rig, "b4")
    reach(rig, "b4", LEFT)
    key(rig.articulate.effectors["b4"], "influence", {1: 0.0, 11: 1.0})
    places = played(rig, how, range(1, 12))
    shares = [np.linalg.norm(place - start) / np.linalg.norm(np.array(LEFT) - start) for place in places]
    assert shares[0] < 1e-4 and shares[5] == pytest.approx(0.5, abs=0.02) and abs(shares[10] - 1) < 2e-3


def test_the_free_root_moves_least_along_its_stiff_axis():
    moved = {}
    for stiff in ((0.0, 0.0, 0.0), (0.0, 0.99, 0.0)):
        rig = arm(3)
        rig.articulate.solver.root = "FREE"
        rig.articulate.solver.root_location_stiffness = stiff
        place = tip(rig, "b2") + np.array([0.3, 0.6, -0.8])
        reach(rig, "b2", place)
        bpy.ops.articulate.solve()
        assert np.linalg.norm(tip(rig, "b2") - place) < 1e-3
        moved[stiff] = np.array(evaluated(rig).pose.bones["b0"].location)
    free, held = moved.values()
    assert abs(free[1]) > 0.1 and abs(held[1]) < 0.25 * abs(free[1]), (free, held)


def test_the_free_root_turns_least_about_its_stiff_axes():
    turned = []
    for stiffness in (0.0, 0.99):
        rig = arm(3)
        solver = rig.articulate.solver
        solver.root, solver.root_rotation_stiffness = "FREE", (stiffness,) * 3
        before = rig.pose.bones["b0"].matrix_basis.to_quaternion()
        reach(rig, "b2", tip(rig, "b2") + np.array([1.5, 0.0, 0.0]))
        bpy.ops.articulate.solve()
        after = evaluated(rig).pose.bones["b0"].matrix_basis.to_quaternion()
        turned.append(before.rotation_difference(after).angle)
    assert turned[1] < 0.3 * turned[0], turned


@pytest.mark.parametrize("method", ["hierarchical", "damped", "control"])
def test_a_bone_that_need_not_keep_its_posture_moves_more(method):
    """Parent's control expression: a gain for each joint."""
    turned = {}
    for share in (1.0, 0.0):
        rig = arm(6)
        rig.articulate.solver.method = method
        before = {bone.name: bone.matrix_basis.to_quaternion() for bone in rig.pose.bones}
        rig.pose.bones["b2"].articulate.posture = share
        reach(rig, "b5", (1.5, 1.0, 3.5))
        bpy.ops.articulate.solve()
        assert rig.articulate.report["status"] == "REACHED"
        shown = evaluated(rig).pose.bones
        turned[share] = before["b2"].rotation_difference(shown["b2"].matrix_basis.to_quaternion()).angle
    assert turned[0.0] > turned[1.0] + 0.02, turned


def test_a_figure_is_back_in_its_animation_when_an_effector_has_faded_out():
    """Also where other effectors hold on, at what the animation does by itself."""
    rig = two_arms()
    held = [np.array(bone.matrix) for bone in rig.pose.bones]
    start = tip(rig, "hand.L")
    reach(rig, "hand.R", tip(rig, "hand.R"))
    reach(rig, "hand.L", start + np.array((-0.4, -0.5, 0.4)))
    effector = rig.articulate.effectors["hand.L"]
    for frame, value in ((1, 0.0), (6, 1.0), (11, 0.0)):
        effector.influence = value
        effector.keyframe_insert("influence", frame=frame)
    bpy.ops.articulate.bake(frame_start=1, frame_end=20)
    for frame in (1, 11, 12, 20):
        bpy.context.scene.frame_set(frame)
        now = [np.array(bone.matrix) for bone in evaluated(rig).pose.bones]
        assert np.abs(np.array(now) - held).max() < 1e-4, frame
    bpy.context.scene.frame_set(6)
    assert miss(rig, "hand.L") < 1e-3


@pytest.mark.parametrize(
    ("name", "values"), [("enabled", {1: True, 5: False}), ("point", {1: "TIP", 5: "HEAD"})]
)
def test_a_bake_refuses_a_keyed_setting_that_it_would_not_follow(name, values):
    rig = arm(5)
    left, _ = torn(rig)
    key(left, name, values)
    bpy.context.scene.frame_set(1)
    bpy.ops.articulate.bake(frame_start=1, frame_end=4)
    with pytest.raises(RuntimeError, match=f"frame 5 .*{name.title()} of 'left' is .* key Influence instead"):
        bpy.ops.articulate.bake(frame_start=1, frame_end=9)
    if name == "point":  # it does not matter where the effector is off
        left.enabled = False
        bpy.ops.articulate.bake(frame_start=1, frame_end=9)


def test_a_bake_refuses_a_keyed_limit():
    rig = arm()
    reach(rig, "b3", (1.5, 0.5, 2.0))
    bone = rig.pose.bones["b1"]
    bone.use_ik_limit_x = True
    key(bone, "ik_max_x", {1: 0.5, 5: 1.0})
    bpy.context.scene.frame_set(1)
    with pytest.raises(RuntimeError, match=r"Maximum of 'b1' is .* there, but 0\.5 .* or remove its keys"):
        bpy.ops.articulate.bake(frame_start=1, frame_end=9)


def test_a_bake_refuses_an_obstacle_that_is_switched_on_later_if_none_is_on():
    rig = arm()
    reach(rig, "b3", (1.5, 0.5, 2.0))
    wall(rig, 3.0)
    key(rig.articulate.obstacles[0], "enabled", {1: False, 5: True})
    bpy.ops.articulate.bake(frame_start=5, frame_end=9)
    bpy.context.scene.frame_set(1)
    with pytest.raises(RuntimeError, match=r"frame 5 .*Enabled of 'Cube' is True there, but False"):
        bpy.ops.articulate.bake(frame_start=1, frame_end=9)
