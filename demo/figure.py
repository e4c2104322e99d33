# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigify's human metarig as a rigger would hand it over: joint limits, fingers at ease, no control rig."""

from __future__ import annotations

import math

import addon_utils
import bpy

SIDES = (".L", ".R")

Range = tuple[float, float]
LIMITS: dict[str, tuple[Range, Range, Range]] = {  # degrees about the bone's own x, y (along it) and z
    "spine.001": ((-20, 35), (-15, 15), (-20, 20)),
    "spine.002": ((-15, 30), (-15, 15), (-15, 15)),
    "spine.003": ((-10, 25), (-15, 15), (-15, 15)),
    "spine.004": ((-20, 25), (-25, 25), (-20, 20)),
    "spine.005": ((-20, 25), (-25, 25), (-20, 20)),
    "spine.006": ((-20, 25), (-25, 25), (-15, 15)),
    "shoulder": ((-20, 20), (-10, 10), (-25, 25)),
    "upper_arm": ((-80, 110), (-80, 80), (-100, 100)),
    "forearm": ((-25, 125), (-80, 80), (0, 0)),
    "hand": ((-25, 25), (-10, 10), (-65, 65)),
    "thigh": ((-110, 30), (-35, 35), (-40, 40)),
    "shin": ((-5, 140), (-10, 10), (0, 0)),
    "foot": ((-45, 35), (-15, 15), (-20, 20)),
}
"""What a person's joints do, as Blender's IK limits; (0, 0) locks the axis. The rest pose is within."""

FINGERS_AT_EASE = {"L": (-26.0, -14.0, -6.0), "R": (-12.0, -4.0, 0.0)}
"""Degrees by which the three bones of each finger are stretched: flat for the table, half for the ball."""


def make_figure() -> bpy.types.Object:
    """Add the metarig at the origin, looking along -Y, active and in Pose Mode."""
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.armature_human_metarig_add()
    figure = bpy.context.object
    figure.name = figure.data.name = "Person"
    for bone, ranges in LIMITS.items():
        for name in (bone,) if bone in figure.pose.bones else (bone + side for side in SIDES):
            _limit(figure.pose.bones[name], ranges, mirror=name.endswith(".R"))
    _stretch_fingers(figure)
    bpy.ops.object.mode_set(mode="POSE")
    return figure


def _limit(bone: bpy.types.PoseBone, ranges: tuple[Range, Range, Range], *, mirror: bool) -> None:
    for axis, (low, high) in zip("xyz", ranges, strict=True):
        if (
            mirror and axis != "x"
        ):  # the two sides of the metarig are mirror images: x alike, y and z the other way
            low, high = -high, -low
        if low == high:
            setattr(bone, f"lock_ik_{axis}", True)
            continue
        setattr(bone, f"use_ik_limit_{axis}", True)
        setattr(bone, f"ik_min_{axis}", math.radians(low))
        setattr(bone, f"ik_max_{axis}", math.radians(high))


def _stretch_fingers(figure: bpy.types.Object) -> None:
    for side, turns in FINGERS_AT_EASE.items():
        for finger in ("f_index", "f_middle", "f_ring", "f_pinky"):
            for number, degrees in enumerate(turns, start=1):
                bone = figure.pose.bones[f"{finger}.0{number}.{side}"]
                bone.rotation_quaternion = (
                    math.cos(math.radians(degrees) / 2),
                    math.sin(math.radians(degrees) / 2),
                    0.0,
                    0.0,
                )
