# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person's left hand does where its fingertips are led; see `everyday`."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
from everyday import Place, Pose
from mathutils import Vector

FINGERS = ("f_index", "f_middle", "f_ring", "f_pinky")


def _in_the_palm(finger: str) -> Place:
    """A place 3 cm from the knuckle of a finger towards the palm, and a little nearer to the wrist."""

    def place(figure: bpy.types.Object) -> Vector:
        bones = figure.pose.bones
        knuckle = bones[f"{finger}.01.L"].head
        return figure.matrix_world @ (
            knuckle.lerp(bones["hand.L"].head, 0.25) + Vector((-0.017, 0.0, -0.025))
        )

    return place


POSES: Mapping[str, Pose] = {"close": Pose({f"{finger}.03.L": _in_the_palm(finger) for finger in FINGERS})}
