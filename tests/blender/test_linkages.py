# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines: closed linkages of hinges, and a robot's arm with one axis a joint."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import add, miss, tip, turn_miss
from bridge_rigs import evaluated, make_rig


def four_bars() -> bpy.types.Object:
    """A crank, a coupler and a rocker in one plane, whose ends are to be joined."""
    rows = [
        ("ground", None, (0, -0.5, 0), (0, 0, 0)),
        ("crank", "ground", (0, 0, 0), (0, 0, 1)),
        ("coupler", "crank", (0, 0, 1), (3, 0, 2)),
        ("rocker", "ground", (4, 0, 0), (4, 0, 2.5)),
    ]
    rig = make_rig(rows, lambda bone: bone.align_roll((0, 1, 0)) if bone.name != "ground" else None)
    for bone in rig.pose.bones:
        bone.lock_ik_x = bone.lock_ik_y = True
        bone.lock_ik_z = bone.name == "ground"
    return rig


@pytest.mark.solver
@pytest.mark.parametrize("priority", [0, 1])
def test_a_crank_drives_a_linkage_round(priority: int):
    rig = four_bars()
    bpy.ops.articulate.effector_add(bone="coupler", kind="LOOP", second_bone="rocker")
    loop = rig.articulate.effectors["coupler"]
    loop.second_point, loop.second_offset = "TIP", (0, 0, 0)
    target = add("crank", priority=priority).target
    for frame in range(1, 74):
        angle = np.radians(5 * (frame - 1))
        target.location = (np.sin(angle), 0, np.cos(angle))
        target.keyframe_insert("location", frame=frame)
    bpy.ops.articulate.bake(frame_start=1, frame_end=73)
    assert rig.articulate.report["status"] == "REACHED"
    for frame in range(1, 74):
        bpy.context.scene.frame_set(frame)
        assert miss(rig, "crank") < 1e-4
        assert np.linalg.norm(tip(rig, "coupler") - tip(rig, "rocker")) < 1e-4


def test_a_robots_arm_follows_a_tool_through_a_bake():
    axes, heights = "yxxyxy", (0, 0.4, 1.0, 1.6, 1.9, 2.2, 2.4)
    rig = make_rig(
        [(f"j{k}", f"j{k - 1}" if k else None, (0, 0, heights[k]), (0, 0, heights[k + 1])) for k in range(6)]
    )
    for bone, axis in zip(rig.pose.bones, axes, strict=True):
        bone.rotation_mode = "XYZ"
        for other in "xyz":
            setattr(bone, f"lock_ik_{other}", other != axis)

    def pose(angles: np.ndarray) -> None:
        for bone, axis, angle in zip(rig.pose.bones, axes, angles, strict=True):
            bone.rotation_euler = np.where(np.array(list("xyz")) == axis, angle, 0.0)
        bpy.context.view_layer.update()

    start, end = np.random.default_rng(1).uniform(-1.2, 1.2, (2, 6))
    target = add("j5", "POSE").target
    target.rotation_mode = "QUATERNION"
    last = None
    for frame in range(1, 22):
        share = 0.5 - 0.5 * np.cos(np.pi * (frame - 1) / 20)
        pose(start + share * (end - start))
        turned = (rig.matrix_world @ evaluated(rig).pose.bones["j5"].matrix).to_quaternion()
        if last is not None:
            turned.make_compatible(last)
        target.location, target.rotation_quaternion, last = tip(rig, "j5"), turned, turned
        target.keyframe_insert("location", frame=frame)
        target.keyframe_insert("rotation_quaternion", frame=frame)
    pose(start)
    bpy.ops.articulate.bake(frame_start=1, frame_end=21)
    for frame in range(1, 22):
        bpy.context.scene.frame_set(frame)
        assert miss(rig, "j5") < 1e-4 and turn_miss(rig, "j5") < 1e-3
        for bone, axis in zip(rig.pose.bones, axes, strict=True):
            assert all(bone.rotation_euler[i] == 0.0 for i in range(3) if "xyz"[i] != axis)
