# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever cannot be solved is refused in a sentence that names what is wrong, and nothing is half done."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from addon_scenes import add, animate, arm, miss, reach, snapshot, tip, two_arms

SOLVE_AND_BAKE = (
    lambda: bpy.ops.articulate.solve(),
    lambda: bpy.ops.articulate.bake(frame_start=1, frame_end=5),
)


def refused(rig: bpy.types.Object, *words: str) -> None:
    """Solve and bake both refuse with a sentence that holds these words, and change nothing."""
    bpy.context.view_layer.update()
    before = snapshot(rig)
    for operator in SOLVE_AND_BAKE:
        with pytest.raises(RuntimeError) as caught:
            operator()
        for word in words:
            assert word in str(caught.value), str(caught.value)
        assert snapshot(rig) == before
    assert words[0] in rig.articulate.message


def test_no_armature():
    for operator in (
        *SOLVE_AND_BAKE,
        lambda: bpy.ops.articulate.effector_add(bone="x"),
        lambda: bpy.ops.articulate.clear(),
    ):
        with pytest.raises(RuntimeError, match=r"No armature is active"):
            operator()
    bpy.ops.object.empty_add()
    with pytest.raises(RuntimeError, match=r"No armature is active"):
        bpy.ops.articulate.solve()


def test_no_effectors():
    refused(arm(), "no effectors", "Rig")


def test_all_effectors_off():
    rig = arm()
    add("b3").enabled = False
    refused(rig, "switched off", "Rig")


def delete_bone(rig: bpy.types.Object, name: str) -> None:
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones[name])
    bpy.ops.object.mode_set(mode="OBJECT")


def test_a_deleted_bone():
    rig = arm()
    add("b3")
    delete_bone(rig, "b3")
    refused(rig, "b3", "renamed or deleted")
    rig.articulate.effectors["b3"].bone = "b2"
    assert bpy.ops.articulate.solve() == {"FINISHED"}


def test_a_target_that_was_deleted():
    rig = arm()
    bpy.data.objects.remove(add("b3").target)
    refused(rig, "b3", "no target")


def test_a_target_that_was_deleted_from_the_scene_only():
    rig = arm()
    target = add("b3").target
    for collection in target.users_collection:
        collection.objects.unlink(target)
    refused(rig, target.name, "b3", "not in scene")


def test_a_linked_target_with_the_name_of_a_local_object_is_no_problem(tmp_path: Path):
    path = str(tmp_path / "ball.blend")
    for place in ((1.5, 0.5, 2.0), (9.0, 9.0, 9.0)):
        ball = bpy.data.objects.get("Ball") or bpy.data.objects.new("Ball", None)
        ball.location = place
        if place[0] < 9:
            bpy.context.collection.objects.link(ball)
            bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    with bpy.data.libraries.load(path, link=True) as (_source, wanted):
        wanted.objects = ["Ball"]
    (linked,) = (thing for thing in bpy.data.objects if thing.library)
    bpy.context.collection.objects.link(linked)
    rig = arm()
    add("b3").target = linked
    bpy.ops.articulate.solve()
    assert miss(rig, "b3") < 1e-3


def test_a_renamed_target_is_no_problem():
    rig = arm()
    reach(rig, "b3", (1.5, 0.5, 2.0)).name = "Renamed"
    assert bpy.ops.articulate.solve() == {"FINISHED"}
    assert rig.articulate.report["effectors"]["b3"]["target"] == "Renamed"


def test_a_target_bone_that_does_not_exist():
    other = arm()
    other.name = "Other"
    rig = two_arms()
    add("hand.L", target="Other", subtarget="b1")
    rig.articulate.effectors["hand.L"].subtarget = "elbow"
    refused(rig, "elbow", "hand.L", "Other")


def test_two_effectors_of_one_kind_on_one_bone():
    rig = arm()
    add("b3")
    with pytest.raises(RuntimeError, match=r"b3.*Position"):
        bpy.ops.articulate.effector_add(bone="b3", kind="POSITION")
    assert len(rig.articulate.effectors) == 1
    add("b3", point="HEAD")
    rig.articulate.effectors[1].point = "TIP"
    refused(rig, "b3", "Position")


def test_nothing_is_put_where_bones_are_while_they_are_edited():
    rig = arm()
    bpy.ops.articulate.pin(bone="b3", kind="POSITION")
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["b2"].tail.x += 1.0
    things = len(bpy.data.objects)
    for ask in (
        lambda: bpy.ops.articulate.pin(bone="b3", kind="POSE"),
        lambda: bpy.ops.articulate.pin(bone="b1", kind="POSE"),
        lambda: bpy.ops.articulate.effector_add(bone="b2", kind="POSITION"),
    ):
        with pytest.raises(RuntimeError, match="'Rig' is in Edit Mode"):
            ask()
    assert [(each.bone, each.kind) for each in rig.articulate.effectors] == [("b3", "POSITION")]
    assert len(bpy.data.objects) == things
    bpy.ops.object.mode_set(mode="POSE")
    assert bpy.ops.articulate.pin(bone="b3", kind="POSE") == {"FINISHED"}
    assert tuple(rig.articulate.effectors[0].pin_location) == pytest.approx(tuple(tip(rig, "b3")), abs=1e-5)


def test_a_zero_length_bone():
    rig = arm()
    bpy.ops.object.mode_set(mode="EDIT")
    bone = rig.data.edit_bones["b3"]
    bone.tail = bone.head + bone.vector * 2e-6
    bpy.ops.object.mode_set(mode="OBJECT")
    add("b3")
    refused(rig, "b3", "length")


def test_a_bone_with_no_free_coordinate():
    rig = arm()
    for bone in rig.pose.bones:
        bone.lock_ik_x = bone.lock_ik_y = bone.lock_ik_z = True
    add("b3")
    refused(rig, "b3")


def test_a_chain_root_that_is_not_an_ancestor():
    rig = two_arms()
    effector = add("hand.L")
    effector.chain_root = "arm.R"
    refused(rig, "arm.R", "hand.L", "ancestor")
    with pytest.raises(RuntimeError, match=r"arm\.L.*ancestor|arm\.R"):
        bpy.ops.articulate.effector_add(bone="hand.R", chain_root="arm.L")
    assert len(rig.articulate.effectors) == 1


def test_a_chain_root_that_does_not_exist():
    rig = two_arms()
    add("hand.L").chain_root = "pelvis"
    refused(rig, "pelvis", "hand.L")


def test_a_target_that_is_no_number():
    rig = arm()
    target = add("b3").target
    target.location.x = float("nan")
    refused(rig, target.name)


def test_an_empty_frame_range():
    rig = arm()
    add("b3")
    before = snapshot(rig)
    with pytest.raises(RuntimeError, match=r"10 to 3"):
        bpy.ops.articulate.bake(frame_start=10, frame_end=3)
    assert snapshot(rig) == before


def test_only_selected_with_nothing_selected():
    rig = arm()
    add("b3")
    for bone in rig.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = False
    before = snapshot(rig)
    with pytest.raises(RuntimeError, match=r"selected"):
        bpy.ops.articulate.bake(frame_start=1, frame_end=3, only_selected=True)
    assert snapshot(rig) == before


@pytest.mark.parametrize("scale", [(1, 2, 1), (0, 0, 0), (-1, 1, 1)])
def test_an_armature_scaled_unevenly_to_zero_or_mirrored(scale):
    rig = arm()
    add("b3")
    rig.scale = scale
    refused(rig, "Rig", "scale")


@pytest.mark.parametrize("kind", ["COPY_ROTATION", "DAMPED_TRACK", "CHILD_OF"])
def test_a_bone_whose_constraint_overrides_the_result(kind):
    rig = arm()
    other = bpy.data.objects.new("Other", None)
    bpy.context.collection.objects.link(other)
    add("b3")
    rig.pose.bones["b2"].constraints.new(kind).target = other
    refused(rig, "b2")
    rig.pose.bones["b2"].constraints[0].mute = True
    assert bpy.ops.articulate.solve() == {"FINISHED"}


def test_an_ik_constraint_of_a_bone_below():
    rig = arm()
    other = bpy.data.objects.new("Other", None)
    bpy.context.collection.objects.link(other)
    constraint = rig.pose.bones["b3"].constraints.new("IK")
    constraint.target, constraint.chain_count = other, 2
    add("b2")
    refused(rig, "b2")


def test_a_linked_armature(tmp_path: Path):
    rig = arm()
    add("b3")
    path = str(tmp_path / "rig.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (source, wanted):
        wanted.objects = list(source.objects)
    for thing in bpy.data.objects:
        bpy.context.collection.objects.link(thing)
    rig = bpy.data.objects["Rig"]
    bpy.context.view_layer.objects.active = rig
    for operator in (*SOLVE_AND_BAKE, lambda: bpy.ops.articulate.effector_add(bone="b2")):
        with pytest.raises(RuntimeError, match=r"Rig.*is linked: choose Object > Library Override > Make"):
            operator()


def test_an_armature_that_is_not_in_the_view_layer():
    rig = arm()
    add("b3")
    for collection in rig.users_collection:
        collection.objects.unlink(rig)
    with bpy.context.temp_override(object=rig), pytest.raises(RuntimeError, match=r"Rig.*view layer"):
        bpy.ops.articulate.solve()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"bone": "nobody"}, "nobody"),
        ({"bone": "b3", "target": "Nothing"}, "Nothing"),
        ({"bone": "b3", "target": "Rig"}, "Rig"),
        ({"bone": "b3", "chain_root": "nobody"}, "nobody"),
        ({"bone": "b1", "chain_root": "b3"}, "b3"),
    ],
)
def test_effector_add_refuses_and_makes_nothing(arguments, words):
    rig = arm()
    before = len(bpy.data.objects)
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.articulate.effector_add(**arguments)
    assert not rig.articulate.effectors and len(bpy.data.objects) == before


def test_effector_add_with_an_unknown_kind():
    arm()
    with pytest.raises(TypeError, match=r"NONSENSE"):
        bpy.ops.articulate.effector_add(bone="b3", kind="NONSENSE")


def test_removing_what_is_not_there():
    rig = arm()
    with pytest.raises(RuntimeError, match=r"active"):
        bpy.ops.articulate.effector_remove()
    add("b3")
    with pytest.raises(RuntimeError, match=r"b9"):
        bpy.ops.articulate.effector_remove(effector="b9")
    assert len(rig.articulate.effectors) == 1


def test_a_target_that_the_solve_itself_moves():
    rig = two_arms()
    effector = add("hand.L", target="Rig", subtarget="chest")
    refused(rig, "chest", "hand.L")
    effector.subtarget = ""
    effector.target = bpy.data.objects.new("Ring", None)
    bpy.context.collection.objects.link(effector.target)
    effector.target.parent, effector.target.parent_type, effector.target.parent_bone = rig, "BONE", "hand.L"
    refused(rig, "Ring", "hand.L")
    effector.chain_root = "arm.L"
    effector.target.parent_bone = "hand.R"
    assert bpy.ops.articulate.solve() == {"FINISHED"}


def test_bad_input_is_found_before_frames_are_sampled():
    rig = arm()
    target = reach(rig, "b3", (1.5, 0.5, 2.0))
    animate(target, {1: (1, 0, 2), 5: (1, 1, 2)})
    bpy.context.scene.frame_set(3)
    delete_bone(rig, "b3")
    refused(rig, "b3")
    assert bpy.context.scene.frame_current == 3


def test_a_drag_that_nothing_can_follow_blames_the_bone_in_the_hand_and_not_a_pin():
    rig = two_arms()
    bpy.ops.articulate.pin(bone="hand.R")
    for bone in rig.pose.bones:
        bone.lock_ik_x = bone.lock_ik_y = bone.lock_ik_z = True
    with pytest.raises(RuntimeError, match=r"Bone 'hand\.L' .*cannot move"):
        bpy.ops.articulate.drag(bone="hand.L", move=(0.1, 0.0, 0.0))


@pytest.mark.parametrize("way", [{"move": (float("nan"), 0.0, 0.0)}, {"turn": (0.0, float("nan"), 0.0)}])
def test_a_drag_by_what_is_no_number(way):
    rig = two_arms()
    before = snapshot(rig)
    with pytest.raises(RuntimeError, match="must be finite numbers"):
        bpy.ops.articulate.drag(bone="hand.L", **way)
    assert snapshot(rig) == before


def test_dragging_an_armature_scaled_to_zero_warns_of_nothing(recwarn):
    rig = arm()
    rig.scale = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="is scaled to zero"):
        bpy.ops.articulate.drag(bone="b3", move=(0.1, 0.0, 0.0))
    assert not recwarn.list


def test_a_capsule_for_a_bone_that_is_not_there_fits_no_others():
    rig = arm()
    with pytest.raises(RuntimeError, match="has no bone 'missing'"):
        bpy.ops.articulate.link_add(bone="missing")
    assert not rig.articulate.body.links


def test_an_effector_that_is_refused_leaves_the_active_one():
    rig = arm()
    for bone in ("b0", "b1", "b2"):
        add(bone)
    rig.articulate.active_effector = 1
    rig.scale = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="has no mass to balance"):
        bpy.ops.articulate.effector_add(bone="b3", kind="BALANCE")
    assert rig.articulate.active_effector == 1 and len(rig.articulate.effectors) == 3


def test_a_distance_on_an_armature_scaled_to_zero_is_added():
    rig = arm()
    rig.scale = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    assert bpy.ops.articulate.effector_add(bone="b3", kind="DISTANCE") == {"FINISHED"}
    with pytest.raises(RuntimeError, match="is scaled to zero"):
        bpy.ops.articulate.solve()


def test_keeping_to_a_bone_scaled_to_zero():
    rig = arm()
    loop = add("b3", kind="LOOP", second_bone="b1", as_posed=False)
    loop.second_point = "TIP"
    rig.pose.bones["b1"].scale = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="Bone 'b1' is scaled to zero"):
        bpy.ops.articulate.keep_as_posed(effector=loop.name)
    assert loop.second_point == "TIP"
