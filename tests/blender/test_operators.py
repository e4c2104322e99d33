# SPDX-License-Identifier: GPL-3.0-or-later
"""Adding, removing and clearing effectors by their operators, as a script does."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import add, arm, evaluated, tip, two_arms


def test_an_effector_is_found_by_its_bones_name_and_has_an_empty_at_the_tip():
    rig = arm()
    assert bpy.ops.articulate.effector_add(bone="b3", kind="POSITION") == {"FINISHED"}
    effector = rig.articulate.effectors["b3"]
    assert (effector.bone, effector.kind, effector.enabled, effector.weight, effector.priority) == (
        "b3",
        "POSITION",
        True,
        1,
        0,
    )
    assert effector.target.type == "EMPTY" and effector.target.parent is None
    assert set(effector.target.users_collection) == set(rig.users_collection)
    assert np.allclose(evaluated(effector.target).matrix_world.translation, tip(rig, "b3"), atol=1e-5)
    assert rig.articulate.active == effector


@pytest.mark.parametrize("kind", ["ORIENTATION", "POSE"])
def test_a_target_that_turns_a_bone_is_turned_as_the_bone(kind):
    rig = arm()
    rig.location, rig.rotation_euler, rig.scale = (1, 2, 3), (0.3, 0.2, 0.1), (0.5, 0.5, 0.5)
    effector = add("b3", kind)
    target, shown = evaluated(effector.target), evaluated(rig)
    bone = (shown.matrix_world @ shown.pose.bones["b3"].matrix).to_quaternion()
    assert bone.rotation_difference(target.matrix_world.to_quaternion()).angle < 1e-5
    assert np.allclose(target.matrix_world.translation, tip(rig, "b3"), atol=1e-5)
    assert np.allclose(target.scale, 1)


def test_the_target_follows_a_moved_and_scaled_armature():
    rig = arm()
    rig.location, rig.rotation_euler, rig.scale = (1, 2, 3), (0.3, 0.2, 0.1), (0.01, 0.01, 0.01)
    effector = add("b3")
    assert np.allclose(evaluated(effector.target).matrix_world.translation, tip(rig, "b3"), atol=1e-6)
    assert 0.0005 < effector.target.empty_display_size < 0.02


def test_a_named_target_is_used_and_no_empty_is_made():
    arm()
    ball = bpy.data.objects.new("Ball", None)
    bpy.context.collection.objects.link(ball)
    before = len(bpy.data.objects)
    assert add("b2", target="Ball").target == ball
    assert len(bpy.data.objects) == before


def test_a_second_effector_of_another_kind_gets_a_name_of_its_own():
    rig = arm()
    add("b3")
    add("b3", "ORIENTATION")
    assert [e.name for e in rig.articulate.effectors] == ["b3", "b3 Orientation"]
    assert add("b3", point="HEAD").name == "b3 Position"


def test_all_arguments_arrive():
    arm()
    effector = add("b3", name="tip", weight=2.5, priority=3, chain_root="b1", point="HEAD")
    assert (effector.name, effector.weight, effector.priority, effector.chain_root, effector.point) == (
        "tip",
        2.5,
        3,
        "b1",
        "HEAD",
    )


def test_without_a_bone_the_selected_bones_are_taken_or_the_active_one():
    rig = two_arms()
    bpy.ops.object.mode_set(mode="POSE")
    rig.data.bones.active = rig.data.bones["chest"]
    for bone in rig.pose.bones:
        _select(bone, bone.name.startswith("hand"))
    bpy.ops.articulate.effector_add()
    assert sorted(e.name for e in rig.articulate.effectors) == ["hand.L", "hand.R"]
    bpy.ops.articulate.clear()
    for bone in rig.pose.bones:
        _select(bone, False)
    bpy.ops.articulate.effector_add()
    assert [e.name for e in rig.articulate.effectors] == ["chest"]


def test_bones_that_are_selected_in_another_armature_are_named(capfd):
    """In Pose Mode of both, a box selects bones and leaves the active armature as it is."""
    first, second = arm(), arm()
    for rig in (second, first):
        rig.select_set(True)
        bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="DESELECT")
    first.data.bones.active = first.data.bones["b1"]
    bpy.ops.pose.select_all(action="DESELECT")
    installed.module("compat").select_bone(second.pose.bones["b3"])
    with pytest.raises(RuntimeError, match=f"belong to armature '{second.name}'"):
        bpy.ops.articulate.pin()
    assert not first.articulate.effectors and not second.articulate.effectors
    installed.module("compat").select_bone(first.pose.bones["b3"])
    bpy.ops.articulate.pin()
    assert f"selected bones of armature '{second.name}' are left out" in capfd.readouterr().out
    assert len(first.articulate.effectors) == 1 and not second.articulate.effectors


def test_of_several_bones_all_or_none_get_an_effector():
    rig = two_arms()
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.articulate.effector_add(bone="hand.R")
    before = len(bpy.data.objects)
    for bone in rig.pose.bones:
        _select(bone, bone.name.startswith("hand"))
    with pytest.raises(RuntimeError, match=r"hand\.R"):
        bpy.ops.articulate.effector_add()
    assert [e.name for e in rig.articulate.effectors] == ["hand.R"]
    assert len(bpy.data.objects) == before


def test_remove_by_name_and_the_active_one():
    rig = two_arms()
    for bone in ("hand.L", "hand.R", "chest"):
        add(bone)
    bpy.ops.articulate.effector_remove(effector="hand.L")
    assert [e.name for e in rig.articulate.effectors] == ["hand.R", "chest"]
    rig.articulate.active_effector = 1
    bpy.ops.articulate.effector_remove()
    assert [e.name for e in rig.articulate.effectors] == ["hand.R"] and rig.articulate.active.name == "hand.R"
    assert len([o for o in bpy.data.objects if o.type == "EMPTY"]) == 3


def test_delete_target_deletes_only_what_was_made_and_is_not_used_elsewhere():
    arm()
    own = bpy.data.objects.new("Mine", None)
    bpy.context.collection.objects.link(own)
    add("b1", target="Mine")
    made = add("b3").target.name
    add("b2", target=made)
    bpy.ops.articulate.effector_remove(effector="b1", delete_target=True)
    bpy.ops.articulate.effector_remove(effector="b3", delete_target=True)
    assert {"Mine", made} <= set(bpy.data.objects.keys())
    bpy.ops.articulate.effector_remove(effector="b2", delete_target=True)
    assert "Mine" in bpy.data.objects and made not in bpy.data.objects


def test_target_create_replaces_the_target():
    rig = arm()
    effector = add("b3")
    old = effector.target
    effector.target = None
    bpy.ops.articulate.target_create(effector="b3")
    new = rig.articulate.effectors["b3"].target
    assert new is not None and new != old
    assert np.allclose(evaluated(new).matrix_world.translation, tip(rig, "b3"), atol=1e-5)


def test_clear_removes_the_effectors_and_keeps_the_settings():
    rig = two_arms()
    add("hand.L")
    add("hand.R")
    rig.articulate.solver.max_iterations = 7
    bpy.ops.articulate.clear(delete_targets=True)
    assert not rig.articulate.effectors and rig.articulate.report == {}
    assert rig.articulate.solver.max_iterations == 7
    assert not [o for o in bpy.data.objects if o.type == "EMPTY"]


@pytest.mark.parametrize("way", ["child", "constraint", "driver"])
def test_an_empty_that_something_else_uses_is_not_deleted(way: str):
    two_arms()
    target = add("hand.L").target
    add("hand.R")
    other = bpy.data.objects.new("Prop", None)
    if way == "child":
        other.parent = target
    elif way == "constraint":
        other.constraints.new("COPY_LOCATION").target = target
    else:
        variable = other.driver_add("location", 0).driver.variables.new()
        variable.type = "TRANSFORMS"
        variable.targets[0].id = target
    bpy.ops.articulate.clear(delete_targets=True)
    assert {o.name for o in bpy.data.objects if o.type == "EMPTY"} == {"Prop", "Target hand.L"}


def test_menus_come_from_the_registries():
    import ikmath as ik

    rig = arm()
    solver = rig.articulate.solver
    assert [item.identifier for item in solver.bl_rna.properties["method"].enum_items] == list(ik.METHODS)
    assert [item.identifier for item in solver.bl_rna.properties["limits"].enum_items] == list(ik.LIMITS)
    assert solver.method == ik.DEFAULT
    assert all(item.description for item in solver.bl_rna.properties["method"].enum_items)


def test_buttons_do_not_remember_what_was_done_last():
    """Blender fills an operator's properties from its last run else, and the armature's settings lose."""
    for name in ("effector_add", "effector_remove", "target_create", "bake", "clear"):
        for prop in getattr(bpy.ops.articulate, name).get_rna_type().properties:
            assert prop.is_skip_save or prop.identifier == "rna_type", (name, prop.identifier)


def test_every_property_and_operator_has_a_tooltip():
    rig = arm()
    effector = add("b3")
    for group in (effector, rig.articulate.solver, rig.articulate.bake):
        for prop in group.bl_rna.properties:
            if prop.identifier not in {"rna_type", "name"}:
                assert prop.description, prop.identifier
    for name in ("effector_add", "effector_remove", "target_create", "solve", "bake", "clear"):
        operator = getattr(bpy.ops.articulate, name).get_rna_type()
        assert operator.description
        assert all(p.description for p in operator.properties if p.identifier != "rna_type"), name


def _select(bone: bpy.types.PoseBone, state: bool) -> None:
    if hasattr(bone, "select"):
        bone.select = state
    else:
        bone.bone.select = state


@pytest.mark.parametrize("kind", ["POSITION", "POSE", "DISTANCE", "BALANCE", "LOOP", "ANY_OF"])
def test_the_redo_panel_shows_what_the_kind_has(kind):
    """Drawn with a stand-in, since there is no window."""
    cls = installed.module("operators.effector").ARTICULATE_OT_effector_add
    drawn: list[str] = []
    layout = SimpleNamespace(prop=lambda owner, name: drawn.append(name))
    cls.draw(SimpleNamespace(layout=layout, kind=kind), bpy.context)
    assert set(drawn) <= set(bpy.ops.articulate.effector_add.get_rna_type().properties.keys())
    assert ("distance" in drawn) == (kind == "DISTANCE") and ("rigid" in drawn) == (kind == "LOOP")
    assert ("alternatives" in drawn) == (kind == "ANY_OF") and {"bone", "weight"} <= set(drawn)
