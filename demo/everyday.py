# SPDX-License-Identifier: GPL-3.0-or-later
"""Everyday poses of a person, each by a few targets and one solve: what chooses among poses, to be looked at.

A pose tells where the tips of some bones go, from the pose in which the figure stands; feet hold unless told
otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import bpy
from mathutils import Matrix, Vector

FEET = ("foot.L", "foot.R")
Place = Callable[[bpy.types.Object], Vector]


@dataclass(frozen=True)
class Pose:
    """One pose to be taken.

    Attributes:
        tips: bones with the place for the tip of each; heads: the same for their heads.
        turns: bones with the turn (axis, degrees) of each in the world.
        steps: bones of feet with the shift of each; others hold.
        holds: bones of all feet that are held. offsets: bones with the point in their axes, from the tip,
            that goes to a place instead of it, metres.
        block: extents in x, y and z of what it stands on, metres, if it is not the floor alone.
    """

    tips: Mapping[str, Place] = field(default_factory=dict)
    heads: Mapping[str, Place] = field(default_factory=dict)
    turns: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    steps: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    holds: tuple[str, ...] = FEET
    offsets: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    block: tuple[tuple[float, float], ...] = ()


def beside(bone: str, end: str, x: float, y: float, z: float) -> Place:
    """A place beside the head or the tail of a bone, shifted by metres in the world."""
    return lambda figure: figure.matrix_world @ getattr(figure.pose.bones[bone], end) + Vector((x, y, z))


POSES: Mapping[str, Pose] = {
    "reach up": Pose({"hand.L": beside("upper_arm.L", "head", 0.08, -0.05, 0.62)}),
    "to the mouth": Pose({"hand.L": beside("spine.006", "head", 0.02, -0.17, 0.02)}),
    "to the floor": Pose({"hand.L": lambda figure: Vector((0.12, -0.45, 0.09))}),
    "far aside": Pose({"hand.L": beside("upper_arm.L", "head", 0.85, -0.1, -0.1)}),
    "sit": Pose(heads={"spine": beside("spine", "head", 0.0, 0.35, -0.5)}),
    "tie a shoe": Pose(
        {
            "hand.L": beside("foot.L", "tail", 0.05, 0.02, 0.1),
            "hand.R": beside("foot.L", "tail", -0.05, 0.02, 0.1),
        },
        steps={"foot.L": (0.0, -0.35, 0.0)},
    ),
    "push": Pose(
        {
            "hand.L": beside("upper_arm.L", "head", 0.0, -0.62, -0.1),
            "hand.R": beside("upper_arm.R", "head", 0.0, -0.62, -0.1),
        },
        steps={"foot.L": (0.0, -0.3, 0.0), "foot.R": (0.0, 0.3, 0.0)},
    ),
    "carry": Pose(
        {
            "hand.L": beside("spine", "head", 0.2, -0.45, 0.15),
            "hand.R": beside("spine", "head", -0.2, -0.45, 0.15),
        }
    ),
    "look back": Pose(turns={"spine.006": ("Z", 100.0)}),
    "lunge": Pose(
        heads={"spine": beside("spine", "head", 0, -0.1, -0.35)},
        steps={"foot.L": (0.0, -0.6, 0.0), "foot.R": (0.0, 0.35, 0.0)},
    ),
    "kneel": Pose(
        {"foot.R": lambda figure: Vector((-0.12, 0.52, 0.04))},
        heads={
            "shin.R": lambda figure: Vector((-0.12, 0.05, 0.07)),
            "spine": beside("spine", "head", 0, 0.05, -0.45),
        },
        steps={"foot.L": (0.0, -0.35, 0.0)},
        holds=("foot.L",),
    ),
    "climb": Pose(
        {
            "hand.L": beside("upper_arm.L", "head", 0.05, -0.3, 0.55),
            "hand.R": beside("upper_arm.R", "head", 0.0, -0.35, 0.2),
        },
        steps={"foot.L": (0.0, -0.3, 0.45)},
    ),
}  # fmt: skip


def take(figure: bpy.types.Object, pose: Pose) -> str:
    """Give the figure its effectors and solve; the report's message."""
    bpy.context.view_layer.objects.active = figure
    rig = figure.articulate
    rig.solver.root = "FREE"
    goals: dict[str, tuple[str, str]] = {}
    for bone in pose.holds:
        goals[bone] = ("POSE", "TIP")
    for bone in pose.turns:
        goals[bone] = ("ORIENTATION", "TIP")
    for bone in pose.tips:
        goals[bone] = ("POSITION", "TIP")
    for bone in pose.heads:
        goals[bone] = ("POSITION", "HEAD")
    ends = {bone: place(figure) for bone, place in (*pose.tips.items(), *pose.heads.items())}
    for bone, (kind, point) in goals.items():
        bpy.ops.articulate.effector_add(bone=bone, kind=kind)
        effector = rig.effectors[-1]
        effector.point, effector.offset = point, pose.offsets.get(bone, (0.0, 0.0, 0.0))
    bpy.context.view_layer.update()
    for effector in rig.effectors:
        target, bone = effector.target, effector.bone
        if bone in ends:
            target.location = ends[bone]
        if bone in pose.steps:
            target.location = target.location + Vector(pose.steps[bone])
        if bone in pose.turns:
            axis, degrees = pose.turns[bone]
            turned = Matrix.Rotation(math.radians(degrees), 4, axis) @ target.matrix_world.to_3x3().to_4x4()
            target.rotation_mode = "QUATERNION"
            target.rotation_quaternion = turned.to_quaternion()
    bpy.context.view_layer.update()
    bpy.ops.articulate.solve()
    bpy.context.view_layer.update()
    return str(rig.report["message"])
