# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that the solve itself moves are refused, whatever they hang by; others are reached."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import pytest
from addon_scenes import arm, miss, reach
from bridge_rigs import make_rig


def empty(name: str) -> bpy.types.Object:
    made = bpy.data.objects.new(name, None)
    bpy.context.collection.objects.link(made)
    return made


def constrain(owner: object, kind: str, rig: bpy.types.Object, bone: str) -> bpy.types.Constraint:
    constraint = owner.constraints.new(kind)
    constraint.target, constraint.subtarget = rig, bone
    return constraint


def by_constraint(rig: bpy.types.Object, target: bpy.types.Object) -> None:
    constrain(target, "COPY_LOCATION", rig, "b3")


def by_armature_constraint(rig: bpy.types.Object, target: bpy.types.Object) -> None:
    row = target.constraints.new("ARMATURE").targets.new()
    row.target, row.subtarget = rig, "b2"


def over_an_empty(rig: bpy.types.Object, target: bpy.types.Object) -> None:
    between = empty("Between")
    between.parent, between.parent_type, between.parent_bone = rig, "BONE", "b2"
    target.constraints.new("COPY_LOCATION").target = between


def by_driver(rig: bpy.types.Object, target: bpy.types.Object) -> None:
    driver = target.driver_add("location", 0).driver
    variable = driver.variables.new()
    variable.type = "TRANSFORMS"
    variable.targets[0].id, variable.targets[0].bone_target = rig, "b3"
    driver.expression = variable.name


def by_a_drivers_property(rig: bpy.types.Object, target: bpy.types.Object) -> None:
    driver = target.driver_add("location", 0).driver
    variable = driver.variables.new()
    variable.targets[0].id = rig
    variable.targets[0].data_path = 'pose.bones["b1"].rotation_quaternion[1]'
    driver.expression = variable.name


def by_skin(rig: bpy.types.Object, target: bpy.types.Object) -> None:
    mesh = bpy.data.meshes.new("Skin")
    mesh.from_pydata([(0, 0, 3), (1, 0, 3), (0, 1, 3)], [], [(0, 1, 2)])
    skin = bpy.data.objects.new("Skin", mesh)
    bpy.context.collection.objects.link(skin)
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    target.constraints.new("SHRINKWRAP").target = skin


def by_a_bone_elsewhere(rig: bpy.types.Object, target: bpy.types.Object) -> None:
    other = make_rig([("stick", None, (0, 0, 0), (0, 0, 1))])
    bpy.context.view_layer.objects.active = rig
    constrain(other.pose.bones["stick"], "COPY_LOCATION", rig, "b3")
    rig.articulate.effectors[0].target = other
    rig.articulate.effectors[0].subtarget = "stick"


@pytest.mark.parametrize(
    "hang",
    [by_constraint, by_armature_constraint, over_an_empty, by_driver, by_a_drivers_property, by_skin,
     by_a_bone_elsewhere],
)  # fmt: skip
def test_a_target_that_the_solve_moves_is_refused(hang: Callable) -> None:
    rig = arm()
    hang(rig, reach(rig, "b3", (1.0, 0.5, 2.0)))
    bpy.context.view_layer.update()
    for run in (bpy.ops.articulate.solve, bpy.ops.articulate.bake):
        with pytest.raises(RuntimeError, match=r"Effector 'b3': its target .* is attached to bone 'b\d'"):
            run()


def test_what_hangs_from_bones_that_stay_is_reached() -> None:
    rig = make_rig(
        [
            ("root", None, (0, 0, 0), (0, 0, 0.5)),
            ("a", "root", (0, 0, 0.5), (0, 0.05, 1.5)),
            ("b", "a", (0, 0.05, 1.5), (0, 0, 2.5)),
            ("control", "root", (1, 0.5, 1.5), (1, 0.5, 1.8)),
        ]
    )
    target = reach(rig, "b", (1.0, 0.5, 1.5), chain_root="a")
    constrain(target, "COPY_LOCATION", rig, "control")
    rig.pose.bones["root"].location = (0.2, 0.0, 0.1)
    bpy.ops.articulate.solve()
    assert miss(rig, "b") < 1e-3


def test_a_muted_constraint_carries_nothing() -> None:
    rig = arm()
    target = reach(rig, "b3", (1.0, 0.5, 2.0))
    by_constraint(rig, target)
    target.constraints[0].mute = True
    bpy.context.view_layer.update()
    bpy.ops.articulate.solve()
    assert miss(rig, "b3") < 1e-3


def hanging_from_frame_5() -> bpy.types.Object:
    """An arm whose target begins to hang from it, by a keyed influence."""
    rig = arm()
    held = constrain(reach(rig, "b3", (1.0, 0.5, 2.5)), "CHILD_OF", rig, "b3")
    key_influence(held, {1: 0.0, 4: 0.0, 5: 1.0})
    bpy.context.scene.frame_set(1)
    return rig


def key_influence(owner: object, values: dict[int, float]) -> None:
    """Keys of a constraint's or an effector's influence, by frame."""
    for frame, value in values.items():
        owner.influence = value
        owner.keyframe_insert("influence", frame=frame)


def test_a_bake_refuses_frames_in_which_the_target_hangs_from_the_figure_unless_it_does_not_count() -> None:
    rig = hanging_from_frame_5()
    with pytest.raises(RuntimeError, match=r"frame 5 .*'b3': its target .* is attached to bone 'b3'"):
        bpy.ops.articulate.bake(frame_start=1, frame_end=8)
    key_influence(rig.articulate.effectors["b3"], {1: 1.0, 4: 1.0, 5: 0.0})
    bpy.context.scene.frame_set(5)
    bpy.ops.articulate.bake(frame_start=1, frame_end=8)
    bpy.context.scene.frame_set(4)
    assert miss(rig, "b3") < 1e-3


def test_a_live_figure_says_from_when_on_its_target_hangs_from_it() -> None:
    rig = hanging_from_frame_5()
    rig.articulate.live = True
    for frame in (1, 4, 5, 8, 2):
        bpy.context.scene.frame_set(frame)
        assert ("is attached to bone 'b3'" in rig.articulate.message) == (frame > 4)
    assert miss(rig, "b3") < 1e-3
