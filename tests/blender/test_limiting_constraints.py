# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints that limit a solved bone after the solve: what is reported is what Blender shows."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import animate, arm, miss, reach
from mathutils import Vector

drag = installed.module("control.drag.drag")


def limited_arm(most: float) -> bpy.types.Object:
    """An arm with a Limit Rotation in its middle."""
    rig = arm()
    limit = rig.pose.bones["b1"].constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_limit_x, limit.min_x, limit.max_x = "LOCAL", True, -most, most
    return rig


def limited(most: float, last: int = 6) -> bpy.types.Object:
    """The same with a target that goes from near to far until a frame."""
    rig = limited_arm(most)
    target = reach(rig, "b3", (1.5, 0.5, 2.0))
    animate(target, {1: (0.3, -0.2, 3.8), last: (1.5, 0.5, 2.0)})
    return rig


def test_a_solve_reports_what_is_shown():
    rig = limited(0.1)
    bpy.context.scene.frame_set(6)
    bpy.ops.articulate.solve()
    report = rig.articulate.report
    assert miss(rig, "b3") > 0.05
    assert report["effectors"]["b3"]["worst"] == pytest.approx(miss(rig, "b3"), abs=1e-4)
    assert report["status"] == "BEST_EFFORT"
    assert "Constraint 'Limit Rotation' of bone 'b1' changes the result" in report["message"]
    assert "Limit Rotation" in rig.articulate.effectors["b3"].message


def test_a_bake_reports_what_is_shown():
    rig = limited(0.1)
    bpy.ops.articulate.bake(frame_start=1, frame_end=6)
    worst = []
    for frame in range(1, 7):
        bpy.context.scene.frame_set(frame)
        worst.append(miss(rig, "b3"))
    row = rig.articulate.report["effectors"]["b3"]
    assert max(worst) > 0.05
    assert row["worst"] == pytest.approx(max(worst), abs=2e-4)
    assert row["worst_frame"] == worst.index(max(worst)) + 1


def test_a_drag_tells_what_is_shown():
    rig = limited_arm(0.1)
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="b3"))
    for share in (0.5, 1.0):
        moved = held.move_to(held.anchor + share * (np.array([1.5, 0.5, 2.0]) - held.anchor))
    off = (rig.matrix_world @ rig.pose.bones["b3"].tail - Vector((1.5, 0.5, 2.0))).length
    assert off > 0.05
    assert moved.error == pytest.approx(off, abs=1e-4)
    assert moved.status == "BEST_EFFORT"
    assert "Constraint 'Limit Rotation' of bone 'b1' changes the result" in moved.message
    held.cancel()


def test_a_drag_names_the_limit_that_acts_when_it_does():
    rig = limited_arm(0.5)
    other = rig.pose.bones["b0"].constraints.new("LIMIT_ROTATION")
    other.owner_space, other.use_limit_y, other.min_y, other.max_y = "LOCAL", True, 0.02, 3.0
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="b3"))
    moved = held.move_to((1.5, 0.5, 2.0))
    assert "Constraint 'Limit Rotation' of bone 'b1' changes the result" in moved.message
    held.cancel()


def test_a_drag_that_no_limit_changes_is_there():
    rig = limited_arm(3.0)
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="b3"))
    moved = held.move_to((1.0, 0.5, 2.5))
    assert (moved.status, moved.message) == ("REACHED", "")
    assert moved.error < 1e-3
    held.cancel()


def test_a_limit_that_does_not_act_is_not_mentioned():
    rig = limited(3.0, last=24)
    bpy.ops.articulate.bake(frame_start=1, frame_end=24)
    assert rig.articulate.report["status"] == "REACHED"
    assert "Limit" not in rig.articulate.report["message"]


@pytest.mark.parametrize("bake", [False, True])
@pytest.mark.parametrize(
    ("bone", "kind", "limits", "cure"),
    [
        ("b2", "LIMIT_ROTATION", ("use_limit_x", "use_limit_z"), "use the bone's IK limits"),
        ("b0", "LIMIT_LOCATION", ("use_min_x", "use_max_x"), "disable it, or widen it"),
    ],
)
def test_of_several_the_one_that_acts_is_named_with_what_to_do(bone, kind, limits, cure, bake):
    rig = limited_arm(3.0)
    rig.articulate.solver.root = "FREE"
    acting = rig.pose.bones[bone].constraints.new(kind)
    acting.name, acting.owner_space = "Acting", "LOCAL"
    for name in limits:
        setattr(acting, name, True)
    rig.pose.bones["b3"].constraints.new("LIMIT_ROTATION")
    reach(rig, "b3", (3.5, 0.5, 2.0))
    bpy.ops.articulate.bake(frame_start=1, frame_end=2) if bake else bpy.ops.articulate.solve()
    said = rig.articulate.report["message"]
    assert f"Constraint 'Acting' of bone '{bone}' changes the result after the solve; {cure}" in said
