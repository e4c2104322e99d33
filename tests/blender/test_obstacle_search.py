# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses beyond what blocks the direct way: who looks for them, and who does not."""

from __future__ import annotations

import bpy
from addon_scenes import arm, reach, tip
from test_obstacles import RADIUS, among, box, distance


def test_search_looks_beyond_what_blocks_the_direct_way():
    """Round a small wall a way is found, beyond a wide one a pose."""
    reached = {}
    for width, height in ((3.0, 3.0), (4.5, 4.0)):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        rig = arm(5)
        wall = box("Wall", (width, 0.2, height), (0.0, 1.2, 3.0))
        among(rig, wall)
        reach(rig, "b4", (0.0, 2.0, 2.6))
        bpy.ops.articulate.solve()
        assert distance(rig, wall) > RADIUS - 0.01
        reached[width] = rig.articulate.report["status"]
    assert reached == {3.0: "REACHED", 4.5: "REACHED"}


def test_solve_and_the_first_frame_of_a_bake_search_and_nothing_that_moves_does():
    rig = arm(5)
    wall = box("Wall", (4.5, 0.2, 4.0), (0.0, 1.2, 3.0))
    among(rig, wall)
    target = reach(rig, "b4", (0.0, 2.0, 2.6))
    before = rig.pose.bones["b0"].matrix_basis.copy()
    rig.articulate.live = True
    bpy.context.view_layer.update()
    target.location.x = 0.01
    bpy.context.view_layer.update()
    assert rig.articulate.effectors["b4"].status != "REACHED" and tip(rig, "b4")[1] < 1.1
    rig.articulate.live = False
    assert rig.pose.bones["b0"].matrix_basis != before
    assert bpy.ops.articulate.bake(frame_start=1, frame_end=3) == {"FINISHED"}
    assert rig.articulate.report["status"] == "REACHED" and rig.articulate.report["clearance"] > -1e-6
    assert distance(rig, wall) > RADIUS - 0.01
    rig.animation_data_clear()
    for bone in rig.pose.bones:
        bone.rotation_quaternion = (1.0, 0.1, 0.0, 0.0)
    bpy.ops.articulate.solve()
    assert rig.articulate.report["status"] == "REACHED" and distance(rig, wall) > RADIUS - 0.01
