# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts are written against: the design's own example, with every name and argument that it has."""

from __future__ import annotations

import bpy
import pytest
from bridge_rigs import metarig

KINDS = {
    "hand.L": "POSITION", "hand.R": "ORIENTATION", "foot.L": "POSE", "spine.005": "AIM", "foot.R": "PLANE",
}  # fmt: skip


def test_the_design_s_example():
    armature = metarig("basic")
    rig = armature.articulate
    for bone, kind in KINDS.items():
        assert bpy.ops.articulate.effector_add(bone=bone, kind=kind) == {"FINISHED"}
        assert rig.effectors[bone].target.type == "EMPTY"
    goal = bpy.data.objects.new("Name", None)
    bpy.context.collection.objects.link(goal)
    bpy.ops.articulate.effector_add(bone="forearm.L", target="Name")
    assert rig.effectors["forearm.L"].target == goal
    bpy.ops.articulate.effector_add(bone="forearm.R", kind="LOOP", second_bone="shin.R")
    assert [each.bone for each in rig.loops] == ["forearm.R"]
    bpy.ops.articulate.effector_remove(effector=rig.loops[0].name)
    effector = rig.effectors["hand.L"]
    effector.weight, effector.priority, effector.chain_root = 1.0, 0, "spine"
    effector.target = None
    effector.pinned = True
    effector.pinned, effector.target, effector.chain_root = False, goal, ""
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(3.0, 3.0, 0.0))
    bpy.context.object.name = "Table"
    bpy.context.view_layer.objects.active = armature
    assert bpy.ops.articulate.obstacle_add(object="Table", margin=0.01) == {"FINISHED"}
    assert rig.obstacles["Table"].margin == pytest.approx(0.01)
    rig.solver.method = "hierarchical"
    for root in ("FREE", "PINNED"):
        rig.solver.root = root
    assert bpy.ops.articulate.solve() == {"FINISHED"}
    assert bpy.ops.articulate.bake(frame_start=1, frame_end=3, step=1) == {"FINISHED"}
    report = rig.report
    assert report["frames"] == 3 and report["seconds"] > 0.0 and report["status"] and report["message"]
    assert report["effectors"]["hand.L"]["worst"] >= 0.0
    rig.live = True
    rig.live = False
    assert bpy.ops.articulate.target_create(effector="hand.L") == {"FINISHED"}
    assert bpy.ops.articulate.clear() == {"FINISHED"}
    assert not rig.effectors and not rig.loops and rig.bake.step == 1
