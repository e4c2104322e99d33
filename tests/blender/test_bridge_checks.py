# SPDX-License-Identifier: GPL-3.0-or-later
"""Each thing that keeps an armature from being solved is named, and what is harmless is not."""

from __future__ import annotations

import dataclasses
import re

import bpy
import pytest
from bridge_rigs import chain_rig, evaluated
from installed import module

armature = module("bridge.armature")
checks = module("bridge.checks")
skeleton = module("bridge.skeleton")
space = module("bridge.space")
faults = module("bridge.faults")


def figure_of(rig: bpy.types.Object, solved=None, **options):
    bones = armature.read_bones(rig)
    shown = evaluated(rig)
    state = armature.read_state(shown, bones)
    return skeleton.read_figure(bones, state, space.read_space(shown), solved or bones.names, **options)


def faults_of(rig: bpy.types.Object, solved=None, chains=()) -> list:
    return list(checks.figure_faults(rig, figure_of(rig, solved), chains))


def test_a_good_armature_has_no_faults() -> None:
    rig = chain_rig(3)
    assert checks.armature_faults(rig) == ()
    assert faults_of(rig, chains=[("b2", ""), ("b2", "b1")]) == []
    faults.require(())


def test_what_is_no_armature() -> None:
    assert checks.armature_faults(None)[0].sentence == "There is no armature; select one."
    empty = bpy.data.objects.new("Thing", None)
    assert "'Thing' is not an armature" in checks.armature_faults(empty)[0].sentence
    bare = bpy.data.objects.new("Bare", bpy.data.armatures.new("Bare"))
    assert "has no bones" in checks.armature_faults(bare)[0].sentence


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
    fault = checks.armature_faults(rig)[0]
    assert fault.subject == "Rig" and words in fault.sentence and fault.blocking
    with pytest.raises(faults.FigureFault, match=re.escape(words)):
        faults.require([fault])


def test_sheared_by_a_parent() -> None:
    rig, parent = chain_rig(2), bpy.data.objects.new("Parent", None)
    bpy.context.collection.objects.link(parent)
    rig.parent, parent.scale = parent, (1, 3, 1)
    rig.rotation_euler = (0.7, 0, 0)
    bpy.context.view_layer.update()
    assert any(word in checks.armature_faults(rig)[0].sentence for word in ("unevenly", "sheared"))


def test_rest_position_and_edit_mode() -> None:
    rig = chain_rig(2)
    rig.data.pose_position = "REST"
    assert "rest position" in checks.armature_faults(rig)[0].sentence
    rig.data.pose_position = "POSE"
    bpy.ops.object.mode_set(mode="EDIT")
    assert "Edit Mode" in checks.armature_faults(rig)[0].sentence


def test_a_linked_armature(tmp_path) -> None:
    library = tmp_path / "library.blend"
    chain_rig(2)
    bpy.data.libraries.write(str(library), set(bpy.data.objects))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(library), link=True) as (there, here):
        here.objects = list(there.objects)
    rig = bpy.data.objects["Rig"]
    bpy.context.collection.objects.link(rig)
    assert "is linked from another file" in checks.armature_faults(rig)[0].sentence
    override = rig.override_create(remap_local_usages=True)
    bpy.context.view_layer.update()
    assert [f.sentence for f in checks.armature_faults(override) if "override" in f.sentence] == []


def test_a_constraint_that_overrides() -> None:
    rig = chain_rig(4)
    target = bpy.data.objects.new("T", None)
    bpy.context.collection.objects.link(target)
    constraint = rig.pose.bones["b1"].constraints.new("COPY_ROTATION")
    assert faults_of(rig) == []  # without a target it does nothing
    constraint.target = target
    bpy.context.view_layer.update()
    (fault,) = faults_of(rig)
    assert fault.subject == "b1" and fault.blocking
    assert "Constraint 'Copy Rotation' of bone 'b1' moves it and would override the result" in fault.sentence
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
    first, second = checks.figure_faults(rig, figure, [("b5", "")])
    assert first.subject == "b2" and "or choose 'b3' as the chain root of 'b5'." in first.sentence
    assert second.subject == "b0" and second.sentence.endswith("disable it.")
    first, second = checks.figure_faults(rig, figure, [("b2", "")])
    assert first.sentence.endswith("disable it.") and second.sentence.endswith("disable it.")
    bones = [f"b{i}" for i in range(3, 6)]
    assert checks.figure_faults(rig, figure_of(rig, bones), [("b5", "b3")]) == ()
    for axis in "xyz":  # what is left could not move
        for name in bones:
            setattr(rig.pose.bones[name], f"lock_ik_{axis}", True)
    sentences = [fault.sentence for fault in checks.figure_faults(rig, figure_of(rig), [("b5", "")])]
    assert sentences and not any("chain root" in sentence for sentence in sentences)


def test_an_ik_constraint_on_a_bone_below() -> None:
    rig = chain_rig(5)
    target = bpy.data.objects.new("T", None)
    bpy.context.collection.objects.link(target)
    constraint = rig.pose.bones["b3"].constraints.new("IK")
    constraint.target, constraint.chain_count = target, 3
    bpy.context.view_layer.update()
    (fault,) = faults_of(rig, ["b0", "b1"])
    assert "Constraint 'IK' of bone 'b3' moves 'b1'" in fault.sentence
    assert faults_of(rig, ["b0"]) == []
    constraint.chain_count = 0
    assert len(faults_of(rig, ["b0"])) == 1
    constraint.chain_count, constraint.use_tail = 2, False
    assert faults_of(rig, ["b3"]) == [] and len(faults_of(rig, ["b1"])) == 1


def test_constraints_that_limit_are_a_warning_and_scale_ones_nothing() -> None:
    rig = chain_rig(2)
    rig.pose.bones["b0"].constraints.new("LIMIT_ROTATION")
    rig.pose.bones["b1"].constraints.new("LIMIT_SCALE")
    (fault,) = faults_of(rig)
    assert fault.subject == "b0" and not fault.blocking
    faults.require([fault])


def test_a_driver_on_a_channel() -> None:
    rig = chain_rig(2)
    rig.pose.bones["b1"].driver_add("rotation_quaternion", 1).driver.expression = "0.5"
    rig.pose.bones["b0"].driver_add("scale", 1)
    bpy.context.view_layer.update()
    (fault,) = faults_of(rig)
    assert fault.subject == "b1" and "driver on its rotation quaternion" in fault.sentence
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
    assert (
        fault.subject == "b2" and "the bones from it up to 'b1' cannot turn about any axis" in fault.sentence
    )
    (fault,) = faults_of(rig, ["b2"], chains=[("b2", "b2")])
    assert "it cannot turn about any axis" in fault.sentence


def test_a_bone_without_length() -> None:
    rig = chain_rig(2)
    figure = figure_of(rig)
    length = figure.bones.length.copy()
    length[1] = 0.0  # Blender deletes such bones when it leaves Edit Mode; files can hold them
    figure = dataclasses.replace(figure, bones=dataclasses.replace(figure.bones, length=length))
    (fault,) = checks.figure_faults(rig, figure, [])
    assert fault.subject == "b1" and "Bone 'b1' of 'Rig' has no length" in fault.sentence
