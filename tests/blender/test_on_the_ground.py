# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures whose straight legs stand just above the ground that they keep out of."""

from __future__ import annotations

import itertools

import bpy
import pytest
from addon_scenes import miss, reach, tip
from bridge_rigs import make_rig

LOW = list(itertools.product((0.1, 0.4), (-0.3, -0.6), (0.1, 0.2, 0.4)))


def straight_person() -> bpy.types.Object:
    """Arms held out, legs straight down, as characters for games and motion capture stand at rest."""
    up = [("hips", 1.0), ("spine", 1.1), ("spine1", 1.22), ("spine2", 1.34), ("neck", 1.48), ("head", 1.58)]
    tops = [z for _, z in up[1:]] + [1.75]
    parents = [None, *(name for name, _ in up)]
    rows = [
        (name, parent, (0, 0, z), (0, 0, top))
        for (name, z), parent, top in zip(up, parents, tops, strict=False)
    ]
    for side, s in (("L", 1), ("R", -1)):
        arm = [("shoulder", 0.05), ("arm", 0.15), ("fore", 0.43), ("hand", 0.7)]
        for (name, x), end, above in zip(
            arm, (0.15, 0.43, 0.7, 0.8), ("spine2", "shoulder.", "arm.", "fore."), strict=True
        ):
            parent = above + side if above.endswith(".") else above
            rows.append((f"{name}.{side}", parent, (s * x, 0, 1.45), (s * end, 0, 1.45)))
        x = 0.09 * s
        rows += [
            (f"thigh.{side}", "hips", (x, 0, 0.95), (x, 0, 0.52)),
            (f"shin.{side}", f"thigh.{side}", (x, 0, 0.52), (x, 0.01, 0.09)),
            (f"foot.{side}", f"shin.{side}", (x, 0.01, 0.09), (x, -0.11, 0.02)),
            (f"toe.{side}", f"foot.{side}", (x, -0.11, 0.02), (x, -0.18, 0.02)),
        ]
    return make_rig(rows)


@pytest.mark.solver
def test_the_ground_does_not_keep_straight_legs_from_bending():
    """The hand gets down at the first time of asking, though the posture would have the legs straight."""
    rig = straight_person()
    bpy.ops.mesh.primitive_plane_add(size=6.0, location=(0, 0, -0.02))
    bpy.context.object.name = "Ground"
    bpy.context.view_layer.objects.active = rig
    bpy.ops.articulate.obstacle_add(object="Ground")
    target = reach(rig, "hand.L", LOW[0])
    short = []
    for place in LOW:
        for bone in rig.pose.bones:
            bone.matrix_basis.identity()
        target.location = place
        bpy.context.view_layer.update()
        bpy.ops.articulate.solve()
        assert rig.articulate.report["clearance"] > -1e-6
        assert min(tip(rig, f"{name}.{side}")[2] for name in ("foot", "toe") for side in "LR") > -0.02
        if miss(rig, "hand.L") > 1e-3:
            short.append((place, miss(rig, "hand.L")))
    assert not short
