# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that are renamed: effectors, the body and whoever follows them go on naming the same bones."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from addon_scenes import animate, arm, miss, reach, tip, two_arms


def in_pose(rig: bpy.types.Object, renamed: dict[str, str]) -> None:
    for was, name in renamed.items():
        rig.data.bones[was].name = name


def by_pose_bone(rig: bpy.types.Object, renamed: dict[str, str]) -> None:
    for was, name in renamed.items():
        rig.pose.bones[was].name = name


def in_edit_mode(rig: bpy.types.Object, renamed: dict[str, str]) -> None:
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for was, name in renamed.items():
        rig.data.edit_bones[was].name = name
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.fixture
def rig() -> bpy.types.Object:
    """A chain whose effector names a second bone and a chain root, with a body, and pairs of it."""
    rig = arm(5)
    reach(rig, "b4", (2.0, 0.5, 3.0))
    effector = rig.articulate.effectors["b4"]
    effector.chain_root, effector.second_bone = "b1", "b0"
    bpy.ops.articulate.body_fit()
    bpy.ops.articulate.pair_add(a="b0", b="b4")
    return rig


def mentioned(rig: bpy.types.Object) -> tuple[str, ...]:
    effector, body = rig.articulate.effectors[0], rig.articulate.body
    names = effector.name, effector.bone, effector.chain_root, effector.second_bone
    return *names, *(link.name for link in body.links), body.pairs[0].a, body.pairs[0].b


NEW = {"b4": "hand", "b1": "waist", "b0": "hips"}


@pytest.mark.parametrize("how", [in_pose, by_pose_bone, in_edit_mode])
def test_all_that_names_a_bone_follows(rig, how):
    before = mentioned(rig)
    how(rig, NEW)
    bpy.context.view_layer.update()
    assert mentioned(rig) == tuple(NEW.get(name, name) for name in before)
    how(rig, {new: was for was, new in NEW.items()})
    bpy.context.view_layer.update()
    assert mentioned(rig) == before


def test_an_operator_knows_at_once(rig):
    in_pose(rig, NEW)
    assert bpy.ops.articulate.solve() == {"FINISHED"}
    assert mentioned(rig)[:4] == ("hand", "hand", "waist", "hips") and miss(rig, "hand") < 1e-3


def test_sides_that_are_swapped():
    rig = two_arms()
    reach(rig, "hand.L", (1.0, 0.5, 2.5))
    reach(rig, "hand.R", (-1.0, 0.5, 2.5))
    first, second = rig.articulate.effectors
    first.name = "Mine"
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.armature.select_all(action="SELECT")
    bpy.ops.armature.flip_names()
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    assert (first.name, first.bone, second.bone) == ("Mine", "hand.R", "hand.L")
    assert rig.data.bones["hand.R"].head_local.x > 0.0


def test_a_copied_bone_is_another_one(rig):
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.armature.select_all(action="SELECT")
    bpy.ops.armature.duplicate()
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    assert rig.articulate.effectors[0].bone == "b4"
    in_pose(rig, {"b4.001": "other"})
    bpy.context.view_layer.update()
    assert rig.articulate.effectors[0].bone == "b4"
    in_pose(rig, {"b4": "hand"})
    bpy.context.view_layer.update()
    assert rig.articulate.effectors[0].bone == "hand"


def test_a_name_that_is_taken_over(rig):
    """The old bone is deleted, another one gets its name: it is by name that it is meant now."""
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones["b4"])
    rig.data.edit_bones["b3"].name = "b4"
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    assert rig.articulate.effectors[0].bone == "b4"


def test_two_objects_of_one_armature(rig):
    twin = rig.copy()
    bpy.context.scene.collection.objects.link(twin)
    bpy.context.view_layer.update()
    in_pose(rig, NEW)
    bpy.context.view_layer.update()
    assert mentioned(twin) == mentioned(rig) and "hand" in mentioned(twin)


def test_a_bone_of_another_armature_that_is_the_target():
    leader = arm(3)
    leader.name = "Leader"
    follower = arm(4)
    bpy.ops.articulate.effector_add(bone="b3", target="Leader", subtarget="b2")
    in_pose(leader, {"b2": "tail"})
    bpy.context.view_layer.update()
    assert follower.articulate.effectors["b3"].subtarget == "tail"
    assert follower.articulate.effectors["b3"].bone == "b3"


def test_it_stays_live():
    rig = arm(5)
    animate(reach(rig, "b4", (2.5, 0.5, 3.0)), {1: (2.5, 0.5, 3.0), 12: (-1.5, 2.0, 3.0)})
    rig.articulate.live = True
    bpy.context.scene.frame_set(3)
    before = tip(rig, "b4")
    in_pose(rig, {"b4": "hand", "b2": "middle"})
    bpy.context.view_layer.update()
    for frame in (6, 3):
        bpy.context.scene.frame_set(frame)
        assert miss(rig, "hand") < 1e-3
    assert abs(tip(rig, "hand") - before).max() < 1e-6
    assert rig.articulate.message == ""


def test_undo_and_redo(rig):
    bpy.ops.ed.undo_push(message="Built")
    in_pose(rig, NEW)
    bpy.ops.ed.undo_push(message="Renamed")  # as in the window: what follows the name comes later
    bpy.context.view_layer.update()
    assert mentioned(rig)[0] == "hand"
    bpy.ops.ed.undo_push(message="Something")
    name = rig.name
    bpy.ops.ed.undo()
    assert mentioned(bpy.data.objects[name])[:4] == ("hand", "hand", "waist", "hips")
    bpy.ops.ed.undo()
    assert mentioned(bpy.data.objects[name])[:4] == ("b4", "b4", "b1", "b0")
    bpy.ops.ed.redo()
    assert mentioned(bpy.data.objects[name])[:4] == ("hand", "hand", "waist", "hips")


def test_renamed_while_the_add_on_was_off(rig, tmp_path: Path):
    """Its handlers are not there, as in a file that was worked on without it."""
    handlers, name = bpy.app.handlers.depsgraph_update_post, rig.name
    kept = list(handlers)
    handlers.clear()
    in_pose(rig, NEW)
    bpy.context.view_layer.update()
    assert mentioned(rig)[1] == "b4"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    handlers.extend(kept)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    assert mentioned(bpy.data.objects[name])[:4] == ("hand", "hand", "waist", "hips")
