# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes for the tests of operators, solving and baking, and measurements by Blender alone."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np
from bridge_rigs import chain_rig, make_rig


def arm(count: int = 4) -> bpy.types.Object:
    """A bent chain b0, b1, ... of 1 m bones in Object Mode, active; bent, so that it can move any way."""
    rig = chain_rig(count)
    for index, bone in enumerate(rig.pose.bones):
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = (1.0, 0.1, 0.0, 0.05 * index)
    bpy.context.view_layer.update()
    return rig


def two_arms() -> bpy.types.Object:
    """A spine of two bones, an arm of two bones on each side: root, chest, arm.L, hand.L, arm.R, hand.R."""
    rows = [
        ("root", None, (0, 0, 0), (0, 0, 1)),
        ("chest", "root", (0, 0, 1), (0, 0.05, 2)),
        ("arm.L", "chest", (0.2, 0, 2), (1.0, 0.1, 2)),
        ("hand.L", "arm.L", (1.0, 0.1, 2), (1.8, 0, 2)),
        ("arm.R", "chest", (-0.2, 0, 2), (-1.0, 0.1, 2)),
        ("hand.R", "arm.R", (-1.0, 0.1, 2), (-1.8, 0, 2)),
    ]
    return make_rig(rows)


def wall(rig: bpy.types.Object, x: float) -> bpy.types.Object:
    """A cube of 2 m whose near side is at x, as an obstacle."""
    bpy.ops.mesh.primitive_cube_add(size=2.0, location=(x + 1.0, 0, 2.0))
    cube = bpy.context.object
    bpy.context.view_layer.objects.active = rig
    bpy.ops.articulate.obstacle_add(object=cube.name)
    return cube


def add(bone: str, kind: str = "POSITION", **options: object) -> bpy.types.PropertyGroup:
    """Add an effector by its operator; the new one."""
    bpy.ops.articulate.effector_add(bone=bone, kind=kind, **options)
    return bpy.context.object.articulate.active


def reach(rig: bpy.types.Object, bone: str, place: Iterable[float], **options: object) -> bpy.types.Object:
    """Let a bone's tip reach for a place; the target."""
    effector = add(bone, **options)
    effector.target.location = tuple(place)
    bpy.context.view_layer.update()
    return effector.target


def place(rig: bpy.types.Object, bone: str, by: Iterable[float] = (0.0, 0.0, 0.0), **options: object) -> None:
    """An effector that brings a bone's tip to its place, moved by some metres."""
    bpy.context.view_layer.objects.active = rig
    reach(rig, bone, tip(rig, bone) + np.array(by), **options)


def solve_by(rig: bpy.types.Object, way: str) -> None:
    """Solve this frame, by the operator, live or by a bake: "solve", "live", "bake"."""
    if way == "solve":
        bpy.ops.articulate.solve()
    elif way == "live":
        rig.articulate.live = True
        bpy.context.view_layer.update()
    else:
        bpy.ops.articulate.bake(frame_start=1, frame_end=1)
        bpy.context.scene.frame_set(1)


def evaluated(thing: bpy.types.Object) -> bpy.types.Object:
    """The evaluated object, after an update."""
    return thing.evaluated_get(bpy.context.evaluated_depsgraph_get())


def tip(rig: bpy.types.Object, bone: str) -> np.ndarray:
    """(3,) world place of a bone's tail, as Blender shows it."""
    shown = evaluated(rig)
    return np.array(shown.matrix_world @ shown.pose.bones[bone].tail)


def miss(rig: bpy.types.Object, name: str) -> float:
    """Distance of an effector's tip to its target, metres, as Blender shows it."""
    effector = rig.articulate.effectors[name]
    return float(
        np.linalg.norm(
            tip(rig, effector.bone) - np.array(evaluated(effector.target).matrix_world.translation)
        )
    )


def turn_miss(rig: bpy.types.Object, name: str) -> float:
    """Angle between an effector's bone and its target, radians, as Blender shows it."""
    effector, shown = rig.articulate.effectors[name], evaluated(rig)
    bone = (shown.matrix_world @ shown.pose.bones[effector.bone].matrix).to_quaternion()
    return abs(bone.rotation_difference(evaluated(effector.target).matrix_world.to_quaternion()).angle)


def animate(target: bpy.types.Object, places: dict[int, Iterable[float]]) -> None:
    """Key a target's location."""
    for frame, place in places.items():
        target.location = tuple(place)
        target.keyframe_insert("location", frame=frame)
    bpy.context.view_layer.update()


def curves(rig: bpy.types.Object) -> dict[tuple[str, int], list[tuple[float, float]]]:
    """All keys of the armature's action: (data path, index) -> (frame, value)."""
    data = rig.animation_data
    if data is None or data.action is None:
        return {}
    if hasattr(data.action, "layers"):
        bags = [strip.channelbag(data.action_slot) for layer in data.action.layers for strip in layer.strips]
        found = [curve for bag in bags if bag for curve in bag.fcurves]
    else:
        found = list(data.action.fcurves)
    return {(c.data_path, c.array_index): [tuple(k.co) for k in c.keyframe_points] for c in found}


def snapshot(rig: bpy.types.Object) -> dict[str, object]:
    """Everything that a failed bake has to leave as it was."""
    scene = bpy.context.scene
    return {
        "frame": (scene.frame_current, scene.frame_subframe),
        "pose": [
            (
                b.name,
                tuple(b.location),
                tuple(b.rotation_quaternion),
                tuple(b.rotation_euler),
                tuple(b.scale),
                b.rotation_mode,
            )
            for b in rig.pose.bones
        ],
        "action": rig.animation_data.action.name
        if rig.animation_data and rig.animation_data.action
        else None,
        "curves": curves(rig),
        "actions": sorted(action.name for action in bpy.data.actions),
        "objects": sorted(thing.name for thing in bpy.data.objects),
        "autokey": scene.tool_settings.use_keyframe_insert_auto,
        "report": rig.articulate.report_json,
    }
