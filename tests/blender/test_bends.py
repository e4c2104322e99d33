# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures as games and capture have them, in centimetres with Y up and no limits: knees bend forward."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import add, evaluated
from bridge_rigs import make_rig, map_of
from installed import module

KNEE = {"bent": 1.5, "straight": 0.0}  # centimetres that the knees are drawn before the legs' line


def person(legs: str = "bent") -> bpy.types.Object:
    """A hip with two legs and a short spine; it faces -Y in Blender, its toes too."""
    ahead = KNEE[legs]
    rows = [
        ("hips", None, (0, 100, 0), (0, 112, 0)),
        ("spine", "hips", (0, 112, 0), (0, 135, 0)),
        ("head", "spine", (0, 135, 0), (0, 170, 0)),
    ]
    for side, x in (("L", 9), ("R", -9)):
        rows += [
            (f"thigh.{side}", "hips", (x, 95, 0), (x, 52, ahead)),
            (f"shin.{side}", f"thigh.{side}", (x, 52, ahead), (x, 10, 0)),
            (f"foot.{side}", f"shin.{side}", (x, 10, 0), (x, 2, 12)),
        ]
    rig = make_rig(rows)
    rig.rotation_euler, rig.scale = (np.pi / 2, 0, 0), (0.01,) * 3
    bpy.context.view_layer.update()
    return rig


def hold(bone: str, step: tuple = (0, 0, 0), kind: str = "POSITION") -> None:
    """An effector on a bone's head, that far from where it is."""
    rig, effector = bpy.context.object, add(bone, kind)
    effector.point = "HEAD"
    matrix = rig.matrix_world @ rig.pose.bones[bone].matrix
    effector.target.location = np.array(matrix.translation) + step
    effector.target.rotation_mode = "QUATERNION"
    effector.target.rotation_quaternion = matrix.to_quaternion()
    bpy.context.view_layer.update()


def forward(rig: bpy.types.Object, side: str) -> float:
    """How far a knee stands before the line from hip to ankle, towards the foot's toes, metres."""
    shown = evaluated(rig)
    hip, knee, ankle, toes = (
        np.array(shown.matrix_world @ point)
        for point in (
            shown.pose.bones[f"thigh.{side}"].head,
            shown.pose.bones[f"shin.{side}"].head,
            shown.pose.bones[f"foot.{side}"].head,
            shown.pose.bones[f"foot.{side}"].tail,
        )
    )
    line = (ankle - hip) / np.linalg.norm(ankle - hip)
    ahead = toes - ankle
    ahead -= line * (line @ ahead)
    return float((knee - hip) @ ahead / np.linalg.norm(ahead))


@pytest.mark.parametrize("legs", ["bent", "straight"])
def test_a_squat_bends_the_knees_forward(legs: str):
    rig = person(legs)
    rig.articulate.solver.root = "FREE"
    hold("hips", (0, 0, -0.35))
    for side in "LR":
        hold(f"foot.{side}", kind="POSE")
    bpy.ops.articulate.solve()
    assert rig.articulate.report["status"] == "REACHED"
    for side in "LR":
        assert forward(rig, side) > 0.15


@pytest.mark.parametrize("legs", ["bent", "straight"])
@pytest.mark.parametrize("root", ["PINNED", "FREE"])
def test_a_step_up_bends_the_knee_forward(legs: str, root: str):
    rig = person(legs)
    rig.articulate.solver.root = root
    hold("foot.R", kind="POSE")
    hold("foot.L", (0, -0.35, 0.4))
    bpy.ops.articulate.solve()
    assert rig.articulate.report["status"] == "REACHED"
    hip, knee, ankle = (
        np.array(evaluated(rig).pose.bones[name].head) for name in ("thigh.L", "shin.L", "foot.L")
    )
    thigh, shin = knee - hip, ankle - knee  # armature space: X to the left, Z ahead
    assert np.cross(thigh, shin)[0] > 0.0 or np.linalg.norm(ankle - hip) > 83.0


@pytest.mark.solver
@pytest.mark.xfail(
    strict=False,
    reason="the first frame in which straight legs bend is 8.9 mm of 5 short, within the turn limit",
)
def test_knees_stay_forward_through_a_bake():
    rig = person("straight")
    rig.articulate.solver.root = "FREE"
    hold("hips")
    for side in "LR":
        hold(f"foot.{side}", kind="POSE")
    target = rig.articulate.effectors["hips"].target
    rest = target.location.z
    for frame, depth in ((1, 0.0), (10, 0.4), (20, 0.0), (30, 0.3)):
        target.location.z = rest - depth
        target.keyframe_insert("location", frame=frame)
    bpy.ops.articulate.bake(frame_start=1, frame_end=30)
    last = None
    for frame in range(1, 31):
        bpy.context.scene.frame_set(frame)
        short = max(miss_head(rig, name) for name in ("hips", "foot.L", "foot.R"))
        assert short < 5e-3  # the least that hides a jump, where the legs are straight
        assert min(forward(rig, side) for side in "LR") > -0.01, frame
        turns = np.array([bone.matrix.to_quaternion() for bone in evaluated(rig).pose.bones])
        if last is not None:
            step = np.degrees(2 * np.arccos(np.clip(np.abs((turns * last).sum(-1)), 0, 1)))
            assert step.max() < 40.0, frame
        last = turns


def miss_head(rig: bpy.types.Object, name: str) -> float:
    shown = evaluated(rig)
    place = np.array(shown.matrix_world @ shown.pose.bones[name].head)
    return float(np.linalg.norm(place - rig.articulate.effectors[name].target.matrix_world.translation))


def test_a_knee_that_is_posed_backwards_stays_so():
    """Birds and dogs: the pose that a frame starts from says more than the rest pose."""
    rig = person("bent")
    for side in "LR":
        bone = rig.pose.bones[f"shin.{side}"]
        bone.rotation_mode = "XYZ"
        bone.rotation_euler.x = -0.7 if forward_after(rig, bone, -0.7) < 0 else 0.7
    bpy.context.view_layer.update()
    hold("foot.L", (0, 0.05, 0.05))
    bpy.ops.articulate.solve()
    assert miss_head(rig, "foot.L") < 1e-3
    assert forward(rig, "L") < 0.0


def forward_after(rig: bpy.types.Object, bone: bpy.types.PoseBone, angle: float) -> float:
    bone.rotation_euler.x = angle
    bpy.context.view_layer.update()
    return forward(rig, bone.name[-1])


def uneven(way: np.ndarray) -> float:
    """How far the rest matrix that Blender gives a bone of this direction is from a rotation."""
    rest = np.array(bpy.types.Bone.MatrixFromAxisRoll(way / np.linalg.norm(way), 0.0))
    return float(np.abs(rest.T @ rest - np.eye(3)).max())


def test_bones_that_point_along_minus_y_are_rigid():
    """Blender's rest matrices are a little uneven there; such legs are not sheared for that."""
    ways = [np.array([aside, -1.0, ahead]) for aside in np.linspace(0, 0.1, 21) for ahead in (0.0, 0.02, 0.1)]
    way = max(ways, key=uneven)
    assert uneven(way) > 2e-5
    places = [tuple(n * way) for n in range(5)]
    rig = make_rig([(f"b{n}", f"b{n - 1}" if n else None, places[n], places[n + 1]) for n in range(4)])
    armature, skeleton, space = (module(f"bridge.{name}") for name in ("armature", "skeleton", "space"))
    bones = armature.read_bones(rig)
    figure = skeleton.read_figure(
        bones, armature.read_state(evaluated(rig), bones), space.read_space(evaluated(rig)), bones.names
    )
    assert figure.exact
    hold("b3", (0.6, 0.4, 0.5))
    bpy.ops.articulate.solve()
    assert miss_head(rig, "b3") < 4e-4


def test_which_bones_are_limbs():
    limbs = module("bridge.limbs")
    rig = person("bent")
    bones = module("bridge.armature").read_bones(rig)
    assert [
        (bones.names[limb.upper], bones.names[limb.end])
        for limb in limbs.find_limbs(bones, map_of(rig, bones).kinds)
    ] == [
        ("thigh.L", "foot.L"),
        ("thigh.R", "foot.R"),
    ]


@pytest.mark.parametrize("toes", [0.15, 0.0], ids=["toes", "no toes"])
@pytest.mark.parametrize("aside", [0.015, -0.015])
def test_knees_bend_to_the_front_where_they_are_bent_from_the_front_alone(aside, toes):
    rows = [
        ("hips", None, (0, 0, 1), (0, 0, 1.2)),
        ("spine", "hips", (0, 0, 1.2), (0, 0, 1.5)),
        ("head", "spine", (0, 0, 1.5), (0, -0.02, 1.8)),
    ]
    for side, x in (("L", 1), ("R", -1)):
        knee = (x * (0.1 + aside), 0, 0.52)
        rows += [
            (f"thigh.{side}", "hips", (0.1 * x, 0, 0.95), knee),
            (f"shin.{side}", f"thigh.{side}", knee, (0.1 * x, 0, 0.1)),
            (f"foot.{side}", f"shin.{side}", (0.1 * x, 0, 0.1), (0.1 * x, -toes, 0)),
            (f"arm.{side}", "spine", (0.2 * x, 0, 1.45), (0.45 * x, -0.02, 1.3)),
            (f"forearm.{side}", f"arm.{side}", (0.45 * x, -0.02, 1.3), (0.68 * x, -0.1, 1.15)),
            (f"hand.{side}", f"forearm.{side}", (0.68 * x, -0.1, 1.15), (0.8 * x, -0.15, 1.1)),
        ]
    rig = make_rig(rows)
    bones = module("bridge.armature").read_bones(rig)
    found = module("bridge.limbs").find_limbs(bones, map_of(rig, bones).kinds)
    shins = {bones.names[limb.lower]: limb for limb in found}
    for side in "LR":
        limb = shins[f"shin.{side}"]
        assert abs((bones.rest[limb.upper, :3, :3] @ limb.axis)[0]) > 0.9


def test_shoulders_and_hands_are_no_limbs():
    rows = [("spine", None, (0, 0, 1), (0, 0, 1.5))]
    for side, x in (("L", 1.0), ("R", -1.0)):
        rows += [
            (f"shoulder.{side}", "spine", (0.02 * x, 0, 1.4), (0.2 * x, 0, 1.45)),
            (f"arm.{side}", f"shoulder.{side}", (0.2 * x, 0, 1.45), (0.45 * x, 0, 1.3)),
            (f"forearm.{side}", f"arm.{side}", (0.45 * x, 0, 1.3), (0.68 * x, -0.05, 1.15)),
            (f"hand.{side}", f"forearm.{side}", (0.68 * x, -0.05, 1.15), (0.86 * x, -0.1, 1.05)),
        ]
    rig = make_rig(rows)
    bones = module("bridge.armature").read_bones(rig)
    found = module("bridge.limbs").find_limbs(bones, map_of(rig, bones).kinds)
    assert {bones.names[limb.upper] for limb in found} == {"arm.L", "arm.R"}
