# SPDX-License-Identifier: GPL-3.0-or-later
"""Each thing that keeps an armature from being solved is named, and what is harmless is not."""

from __future__ import annotations

import re

import bpy
import pytest
from bridge_rigs import chain_rig, evaluated
from installed import module

armature = module("bridge.armature")
checks = module("bridge.checks")
skeleton = module("bridge.skeleton")
space = module("bridge.space")
refusal = module("properties.refusal")


def figure_of(rig: bpy.types.Object, solved=None, **options):
    bones = armature.read_bones(rig)
    shown = evaluated(rig)
    state = armature.read_state(shown, bones)
    return skeleton.read_figure(bones, state, space.read_space(shown), solved or bones.names, **options)


def faults_of(rig: bpy.types.Object, solved=None, chains=()) -> list:
    return list(checks.figure_refusals(rig, figure_of(rig, solved), chains))


def test_a_good_armature_has_no_faults() -> None:
    rig = chain_rig(3)
    assert list(checks.armature_refusals(rig)) == []
    assert faults_of(rig, chains=[("b2", ""), ("b2", "b1")]) == []
    refusal.require([])


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        ((1, 2, 1), "unevenly"),
        ((1, 1, 1.001), "(1, 1, 1.001)"),
        ((0, 0, 0), "scaled to zero"),
        ((-1, 1, 1), "mirrored"),
    ],
)
def test_scales(scale: tuple, words: str) -> None:
    rig = chain_rig(2)
    rig.scale = scale
    bpy.context.view_layer.update()
    fault = next(checks.armature_refusals(rig))
    assert "Rig" in str(fault) and words in str(fault)
    with pytest.raises(refusal.Refused, match=re.escape(words)):
        refusal.require([fault])


def test_sheared_by_a_parent() -> None:
    rig, parent = chain_rig(2), bpy.data.objects.new("Parent", None)
    bpy.context.collection.objects.link(parent)
    rig.parent, parent.scale = parent, (1, 3, 1)
    rig.rotation_euler = (0.7, 0, 0)
    bpy.context.view_layer.update()
    assert any(word in str(next(checks.armature_refusals(rig))) for word in ("unevenly", "sheared"))


def test_rest_position_and_edit_mode() -> None:
    rig = chain_rig(2)
    rig.data.pose_position = "REST"
    assert "rest position" in str(next(checks.armature_refusals(rig)))
    rig.data.pose_position = "POSE"
    bpy.ops.object.mode_set(mode="EDIT")
    assert "Edit Mode" in str(next(checks.armature_refusals(rig)))


def test_a_constraint_that_overrides() -> None:
    rig = chain_rig(4)
    target = bpy.data.objects.new("T", None)
    bpy.context.collection.objects.link(target)
    constraint = rig.pose.bones["b1"].constraints.new("COPY_ROTATION")
    assert faults_of(rig) == []  # without a target it does nothing
    constraint.target = target
    bpy.context.view_layer.update()
    (fault,) = faults_of(rig)
    assert "b1" in str(fault)
    assert "Constraint 'Copy Rotation' of bone 'b1' moves it and would override the result" in str(fault)
    assert faults_of(rig, ["b2", "b3"]) == []
    constraint.mute = True
    assert faults_of(rig) == []
    constraint.mute, constraint.influence = False, 0.0
    assert faults_of(rig) == []


def test_a_shorter_chain_is_advised_where_one_would_do() -> None:
    rig = chain_rig(6)
    target = bpy.data.objects.new("T", None)
    bpy.context.collection.objects.link(target)
    for name in ("b0", "b2"):
        rig.pose.bones[name].constraints.new("COPY_ROTATION").target = target
    bpy.context.view_layer.update()
    figure = figure_of(rig)
    first, second = checks.figure_refusals(rig, figure, [("b5", "")])
    assert "b2" in str(first) and "or choose 'b3' as the chain root of 'b5'." in str(first)
    assert "b0" in str(second) and str(second).endswith("disable it.")
    first, second = checks.figure_refusals(rig, figure, [("b2", "")])
    assert str(first).endswith("disable it.") and str(second).endswith("disable it.")
    bones = [f"b{i}" for i in range(3, 6)]
    assert list(checks.figure_refusals(rig, figure_of(rig, bones), [("b5", "b3")])) == []
    for axis in "xyz":  # what is left could not move
        for name in bones:
            setattr(rig.pose.bones[name], f"lock_ik_{axis}", True)
    sentences = [str(fault) for fault in checks.figure_refusals(rig, figure_of(rig), [("b5", "")])]
    assert sentences and not any("chain root" in sentence for sentence in sentences)


def test_an_ik_constraint_on_a_bone_below() -> None:
    rig = chain_rig(5)
    target = bpy.data.objects.new("T", None)
    bpy.context.collection.objects.link(target)
    constraint = rig.pose.bones["b3"].constraints.new("IK")
    constraint.target, constraint.chain_count = target, 3
    bpy.context.view_layer.update()
    (fault,) = faults_of(rig, ["b0", "b1"])
    assert "Constraint 'IK' of bone 'b3' moves 'b1'" in str(fault)
    assert faults_of(rig, ["b0"]) == []
    constraint.chain_count = 0
    assert len(faults_of(rig, ["b0"])) == 1
    (fault,) = faults_of(rig, ["b0", "b1", "b2", "b3"])
    assert "moves 'b3', 'b2', 'b1' and 1 more and would override" in str(fault)
    constraint.chain_count, constraint.use_tail = 2, False
    assert faults_of(rig, ["b3"]) == [] and len(faults_of(rig, ["b1"])) == 1


def test_constraints_that_limit_are_a_warning_and_scale_ones_nothing() -> None:
    rig = chain_rig(2)
    rig.pose.bones["b0"].constraints.new("LIMIT_ROTATION")
    rig.pose.bones["b1"].constraints.new("LIMIT_SCALE")
    assert faults_of(rig) == []
    solved = frozenset({"b0", "b1"})
    assert "Constraint 'Limit Rotation' of bone 'b0'" in checks.limiting_constraint(rig, solved)
    assert checks.limiting_constraint(rig, frozenset({"b1"})) == ""


def test_a_driver_on_a_channel() -> None:
    rig = chain_rig(2)
    rig.pose.bones["b1"].driver_add("rotation_quaternion", 1).driver.expression = "0.5"
    rig.pose.bones["b0"].driver_add("scale", 1)
    bpy.context.view_layer.update()
    (fault,) = faults_of(rig)
    assert "b1" in str(fault) and "driver on its rotation quaternion" in str(fault)
    rig.pose.bones["b1"].lock_rotation = (True, True, True)
    assert faults_of(rig) == []
    rig.pose.bones["b1"].lock_rotation = (True, False, False)  # the one that is driven
    assert faults_of(rig) == []


def test_a_bone_that_nothing_can_move() -> None:
    rig = chain_rig(3)
    b1, b2 = rig.pose.bones["b1"], rig.pose.bones["b2"]
    b2.lock_ik_x = b2.lock_ik_y = b2.lock_ik_z = True
    assert faults_of(rig, chains=[("b2", ""), ("b2", "b1")]) == []
    b1.lock_rotation = (True, True, True)
    (fault,) = faults_of(rig, chains=[("b2", ""), ("b2", "b1")])
    assert "b2" in str(fault) and "the bones from it up to 'b1' cannot turn about any axis" in str(fault)
    (fault,) = faults_of(rig, ["b2"], chains=[("b2", "b2")])
    assert "it cannot turn about any axis" in str(fault)


def test_a_bone_without_length() -> None:
    rig = chain_rig(2)
    figure = figure_of(rig)
    figure.bones.length[1] = 0.0  # Blender deletes such bones when it leaves Edit Mode; files can hold them
    (fault,) = checks.figure_refusals(rig, figure, [])
    assert "b1" in str(fault) and "Bone 'b1' of 'Rig' has no length" in str(fault)
