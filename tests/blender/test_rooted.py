# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures that stand with a joint at what they keep clear of: a lamp on its table, a plant in its pot."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import animate, arm, miss, reach, tip


def lamp(ground: str, depth: float = 0.0, **options: object) -> bpy.types.Object:
    """A chain of four that stands with its root on a table or a floor, or in it by so much."""
    rig = arm()
    if ground == "table":
        bpy.ops.mesh.primitive_cube_add(size=4.0, location=(0, 0, depth - 2.0))
    else:
        bpy.ops.mesh.primitive_plane_add(size=6.0, location=(0, 0, depth))
    thing = bpy.context.object
    thing.name = "Ground"
    bpy.context.view_layer.objects.active = rig
    bpy.ops.articulate.obstacle_add(object="Ground", **options)
    return rig


@pytest.mark.parametrize(
    ("ground", "depth"),
    [
        *(("table", depth) for depth in (-0.05, 0.0, 0.05, 0.3)),
        *(pytest.param("floor", depth, marks=pytest.mark.solver) for depth in (-0.05, 0.0)),
    ],
)
def test_a_lamp_on_its_table_reaches_about_and_stays_above(ground, depth):
    rig = lamp(ground, depth, mode="SOLID" if ground == "table" else "ONE_SIDED")
    target = reach(rig, "b3", (1.5, 0.3, 2.0))
    bpy.ops.articulate.solve()
    assert rig.articulate.report["status"] == "REACHED" and miss(rig, "b3") < 1e-3
    target.location = (1.5, 0.3, -1.0)
    bpy.ops.articulate.solve()
    assert "stopped by Ground" in rig.articulate.report["message"]
    radius = rig.articulate.body.links["b3"].radius
    for name in ("b1", "b2", "b3"):
        assert tip(rig, name)[2] > depth, "Only what is beside the root may touch."
    assert rig.articulate.report["clearance"] > -1e-6 and radius > 0.0


def test_a_lamp_is_dragged_and_baked():
    rig = lamp("table")
    before = tip(rig, "b3")
    bpy.ops.articulate.drag(bone="b3", move=(0.5, 0.0, -0.5))
    assert np.allclose(tip(rig, "b3") - before, (0.5, 0.0, -0.5), atol=1e-3)
    target = reach(rig, "b3", (1.5, 0.3, 2.0))
    animate(target, {1: (1.5, 0.3, 2.0), 12: (-1.5, 0.3, 1.5)})
    bpy.ops.articulate.bake(frame_start=1, frame_end=12)
    assert rig.articulate.report["status"] == "REACHED"


def test_what_comes_to_the_root_and_goes_again_counts_when_it_has_gone():
    """A block that is pushed against the foot of the lamp is touched there, and nowhere else."""
    rig = arm()
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(2.0, 0, 0))
    block = bpy.context.object
    block.name = "Block"
    animate(block, {1: (2.0, 0, 0), 6: (0.55, 0, 0), 11: (2.0, 0, 0)})
    bpy.context.view_layer.objects.active = rig
    bpy.ops.articulate.obstacle_add(object="Block", mode="SOLID")
    reach(rig, "b3", (1.0, 0.5, 2.5))
    rig.articulate.live = True
    for frame in (1, 4, 6, 8, 11):
        bpy.context.scene.frame_set(frame)
        assert miss(rig, "b3") < 1e-3
    bpy.ops.articulate.bake(frame_start=1, frame_end=11)
    report = rig.articulate.report
    assert report["status"] == "REACHED" and report["clearance"] > -1e-6


def test_a_free_root_is_put_out_as_ever():
    rig = lamp("table", 0.05, mode="SOLID")
    rig.articulate.solver.root = "FREE"
    reach(rig, "b3", (1.5, 0.3, 2.0))
    bpy.ops.articulate.solve()
    report = rig.articulate.report
    assert report["status"] == "REACHED" and report["clearance"] > -1e-6
    assert (rig.matrix_world @ rig.pose.bones["b0"].head).z > 0.04
