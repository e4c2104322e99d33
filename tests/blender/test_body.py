# SPDX-License-Identifier: GPL-3.0-or-later
"""The figure's own thickness: its capsules, where they stand, and which of them may touch."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import animate, arm, miss, reach, two_arms
from mathutils import Vector


def capsules(rig: bpy.types.Object):
    """The figure's capsules in the world, as it stands."""
    bpy.context.view_layer.update()
    body, bones = installed.module("control.collision.body"), installed.module("bridge.armature")
    parts = body.present_links(rig, bones.read_bones(rig))
    return body.placed(parts, bones.read_bones(rig), np.array(rig.matrix_world) @ bones.pose_matrices(rig))


@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_capsules_stand_where_the_bones_are(scale):
    rig = arm(3)
    rig.scale, rig.rotation_euler, rig.location = [scale] * 3, (0.3, 0.5, -0.7), (1.0, 2.0, 3.0)
    rig.pose.bones["b1"].scale = (2.0, 2.0, 2.0)
    for name, a, b, radius in (
        ("b0", (0, 0.1, 0), (0.2, 0.9, 0), 0.3),
        ("b2", (0, 0.5, 0.1), (0, 0, 0), 0.2),
    ):
        link = rig.articulate.body.links.add()
        link.name, link.a, link.b, link.radius = name, a, b, radius
    found = capsules(rig)
    assert found["bone"].tolist() == ["b0", "b2"]
    for number, link in enumerate(rig.articulate.body.links):
        place = rig.matrix_world @ rig.pose.bones[link.name].matrix
        assert np.allclose(found["a"][number], place @ Vector(link.a), atol=1e-6)
        assert np.allclose(found["b"][number], place @ Vector(link.b), atol=1e-6)
    assert found["radius"] == pytest.approx([0.3 * scale, 0.4 * scale], rel=1e-5), "thick as the scaled bone"


def test_parts_that_are_off_or_gone_have_none():
    rig = arm(3)
    assert capsules(rig)["bone"].tolist() == ["b0", "b1", "b2"], "by the bones' lengths, as in a solve"
    bpy.ops.articulate.body_fit()
    links = rig.articulate.body.links
    links["b0"].enabled, links["b1"].name = False, "lost"
    assert capsules(rig)["bone"].tolist() == ["b2"]
    links["b2"].enabled = False
    assert capsules(rig)["a"].shape == (0, 3)


def watched(rig: bpy.types.Object) -> set[frozenset[str]]:
    """The pairs that a solve keeps apart now."""
    plan = installed.module("control.frame.plan").read_plan(rig, bpy.context)
    sample = installed.module("control.frame.sample").take_sample(
        plan, rig, bpy.context.evaluated_depsgraph_get(), 1
    )
    tasks = installed.module("control.frame.task")
    task = tasks.make_task(plan, tasks.first_figure(plan, rig, sample), sample)
    names = task.problem.body.names
    return {frozenset((names[i], names[j])) for i, j in task.problem.scene.pairs.tolist()}


def test_the_list_of_pairs_starts_with_what_touches_at_rest():
    rig = two_arms()
    reach(rig, "hand.L", (0.5, 0.5, 1.8))
    reach(rig, "hand.R", (-0.5, 0.5, 1.8))
    body = rig.articulate.body
    body.self_collision = True
    links = {"root": 0.1, "chest": 0.3, "arm.L": 0.1, "arm.R": 0.1, "hand.L": 0.1, "hand.R": 0.1}
    for name, radius in links.items():
        bpy.ops.articulate.link_add(bone=name) if name not in body.links else None
        body.links[name].radius = radius
    arms = frozenset(("arm.L", "arm.R"))
    body.links["arm.L"].a = (0.0, -0.5, 0.0)  # it reaches into the other one
    assert bpy.ops.articulate.pairs_fill() == {"FINISHED"}
    listed = {frozenset((pair.a, pair.b)): pair.watched for pair in body.pairs}
    assert listed == {arms: False}
    assert arms not in watched(rig)
    body.pairs[0].watched = True
    assert arms in watched(rig)
    assert bpy.ops.articulate.pair_remove() == {"FINISHED"}
    assert not len(body.pairs) and arms not in watched(rig)


def test_pairs_are_added_for_the_selected_bones():
    rig = two_arms()
    reach(rig, "hand.L", (0.5, 0.5, 1.8))
    reach(rig, "hand.R", (-0.5, 0.5, 1.8))
    body, hands = rig.articulate.body, frozenset(("hand.L", "hand.R"))
    body.self_collision = True
    assert hands in watched(rig)
    compat = installed.module("compat")
    for bone in rig.pose.bones:
        compat.select_bone(bone, bone.name in hands)
    assert bpy.ops.articulate.pair_add(watched=False) == {"FINISHED"}
    assert hands not in watched(rig)
    assert bpy.ops.articulate.pair_add() == {"FINISHED"}
    assert hands in watched(rig) and len(body.pairs) == 1
    for names, words in (({"a": "hand.L"}, "two bones"), ({"a": "hand.L", "b": "no"}, "'no' has no capsule")):
        with pytest.raises(RuntimeError, match=words):
            bpy.ops.articulate.pair_add(**names)
    with pytest.raises(RuntimeError, match="active"):
        bpy.ops.articulate.pair_remove(index=3)
    assert len(body.pairs) == 1


def test_a_bone_is_given_a_capsule_and_loses_it():
    rig = arm(3)
    body = rig.articulate.body
    assert bpy.ops.articulate.link_add(bone="b1") == {"FINISHED"}
    assert [link.name for link in body.links] == ["b0", "b1", "b2"], "the others keep theirs"
    assert bpy.ops.articulate.link_remove(bone="b1") == {"FINISHED"}
    assert capsules(rig)["bone"].tolist() == ["b0", "b2"]
    bpy.ops.object.mode_set(mode="POSE")
    rig.data.bones.active = rig.data.bones["b1"]
    assert bpy.ops.articulate.link_add() == {"FINISHED"}
    assert body.links["b1"].radius == pytest.approx(body.links["b0"].radius)
    for operator, options, words in (
        (bpy.ops.articulate.link_add, {"bone": "b1"}, "already"),
        (bpy.ops.articulate.link_add, {"bone": "no"}, "no bone 'no'"),
        (bpy.ops.articulate.link_remove, {"bone": "no"}, "no capsule"),
    ):
        with pytest.raises(RuntimeError, match=words):
            operator(**options)


def test_a_live_figure_in_motion_is_measured_once_for_what_it_keeps_clear_of(monkeypatch):
    """Its bones have keys, as in an imported walk, so that every frame starts from another pose."""
    rig = two_arms()
    animate(reach(rig, "hand.L", (0.5, 0.8, 1.6)), {1: (0.5, 0.8, 1.6), 9: (-0.2, 0.8, 1.2)})
    rig.articulate.body.self_collision = True
    bpy.ops.articulate.body_fit()
    chest = rig.pose.bones["chest"]
    chest.rotation_mode = "XYZ"
    for frame, angle in ((1, -0.3), (9, 0.4)):
        chest.rotation_euler.x = angle
        chest.keyframe_insert("rotation_euler", frame=frame)
    surroundings = installed.module("control.collision.surroundings")
    measured = []
    pairs = surroundings.watched_pairs
    monkeypatch.setattr(surroundings, "watched_pairs", lambda *a, **k: measured.append(1) or pairs(*a, **k))
    rig.articulate.live = True
    bpy.context.scene.frame_set(1)
    del measured[:]
    for frame in range(2, 8):
        bpy.context.scene.frame_set(frame)
        assert miss(rig, "hand.L") < 1e-3
    assert not measured
    rig.pose.bones["arm.R"].scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(8)
    assert measured, "Who has grown is measured anew."
