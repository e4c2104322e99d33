# SPDX-License-Identifier: GPL-3.0-or-later
"""Live figures for the tests, and what they show."""

from __future__ import annotations

import bpy
import numpy as np
from addon_scenes import animate, arm, miss, reach

FRAMES = range(1, 13)


def live_arm(mode: str = "EACH") -> bpy.types.Object:
    """A chain with one bone animated and the others not, whose tip follows an animated target."""
    rig = arm(5)
    animate(reach(rig, "b4", (2.5, 0.5, 3.0)), {1: (2.5, 0.5, 3.0), 12: (-1.5, 2.0, 3.0)})
    for frame, turn in ((1, 0.1), (12, 0.5)):
        rig.pose.bones["b1"].rotation_quaternion = (1.0, turn, 0.0, 0.0)
        rig.pose.bones["b1"].keyframe_insert("rotation_quaternion", frame=frame)
    rig.articulate.live_mode = mode
    rig.articulate.live = True
    return rig


def shown(rig: bpy.types.Object) -> np.ndarray:
    """(B, 4, 4) as evaluated now; nothing is updated."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return np.array([b.matrix for b in rig.evaluated_get(depsgraph).pose.bones])


def scrub(rig: bpy.types.Object, frames) -> dict[int, np.ndarray]:
    found = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found[frame] = shown(rig)
        assert miss(rig, "b4") < 1e-3
    return found


def shown_at(rig: bpy.types.Object, frame: int) -> np.ndarray:
    bpy.context.scene.frame_set(frame)
    return shown(rig)
