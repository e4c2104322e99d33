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


def test_what_is_misspelled_is_not_taken_for_a_setting():
    """Python would put it on the object, and nobody would ever read it there."""
    armature = metarig("basic")
    rig = armature.articulate
    bpy.ops.articulate.effector_add(bone="hand.L")
    bpy.ops.articulate.body_fit()
    bpy.ops.articulate.pair_add(a="hand.L", b="thigh.L")
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    bpy.context.view_layer.objects.active = armature
    bpy.ops.articulate.obstacle_add(object=cube.name)
    groups = [
        rig, rig.solver, rig.solver.parameters, rig.bake, rig.overlay, rig.body, rig.body.parameters,
        rig.body.links[0], rig.body.pairs[0], rig.effectors[0], rig.obstacles[0],
        armature.pose.bones[0].articulate, bpy.context.window_manager.articulate,
    ]  # fmt: skip
    ours = {kind for kind in bpy.types.PropertyGroup.__subclasses__() if "articulate" in kind.__module__}
    assert len(ours) == 12 and all(any(isinstance(group, kind) for group in groups) for kind in ours)
    for group in groups:
        with pytest.raises(AttributeError, match="target_bone"):
            group.target_bone = "hand.R"
