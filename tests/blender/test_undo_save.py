# SPDX-License-Identifier: GPL-3.0-or-later
"""One undo step each, and everything comes back from a file."""

from __future__ import annotations

import zlib
from pathlib import Path

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import add, animate, arm, curves, miss, reach, two_arms


def _turns(rig: bpy.types.Object) -> np.ndarray:
    return np.array([bone.rotation_quaternion for bone in rig.pose.bones])


def test_a_solve_is_one_undo_step():
    rig = arm()
    reach(rig, "b3", (1.5, 0.5, 2.0))
    before = _turns(rig)
    bpy.ops.ed.undo_push(message="set-up")
    assert bpy.ops.articulate.solve("EXEC_DEFAULT", True) == {"FINISHED"}
    solved = _turns(rig)
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    assert np.array_equal(_turns(rig), before) and rig.articulate.report == {}
    bpy.ops.ed.redo()
    rig = bpy.data.objects["Rig"]
    assert np.array_equal(_turns(rig), solved) and rig.articulate.report["status"] == "REACHED"


def test_a_bake_is_one_undo_step():
    rig = arm()
    animate(reach(rig, "b3", (1.5, 0.5, 2.0)), {1: (1.5, 0.5, 2.0), 8: (0, 1.5, 2)})
    rig.pose.bones["b3"].keyframe_insert("rotation_quaternion", frame=3)
    before, actions = curves(rig), len(bpy.data.actions)
    bpy.ops.ed.undo_push(message="set-up")
    bpy.ops.articulate.bake("EXEC_DEFAULT", True, frame_start=1, frame_end=8)
    baked = curves(rig)
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    assert curves(rig) == before and len(bpy.data.actions) == actions
    bpy.ops.ed.redo()
    assert curves(bpy.data.objects["Rig"]) == baked


def test_adding_and_removing_can_be_undone():
    arm()
    bpy.ops.ed.undo_push(message="set-up")
    bpy.ops.articulate.effector_add("EXEC_DEFAULT", True, bone="b3")
    bpy.ops.articulate.effector_remove("EXEC_DEFAULT", True, effector="b3", delete_target=True)
    assert not [o for o in bpy.data.objects if o.type == "EMPTY"]
    bpy.ops.ed.undo()
    assert bpy.data.objects["Rig"].articulate.effectors["b3"].target.type == "EMPTY"
    bpy.ops.ed.undo()
    assert not bpy.data.objects["Rig"].articulate.effectors


def test_undo_in_the_middle_of_a_bake_does_no_harm():
    rig = arm()
    reach(rig, "b3", (1.5, 0.5, 2.0))
    bpy.ops.ed.undo_push(message="set-up")
    rig.location.x = 2.0
    bpy.ops.ed.undo_push(message="moved")
    module = installed.module("control.bake.bake")
    running = module.Bake(rig, bpy.context, module.BakeOptions(frame_start=1, frame_end=6)).steps(bpy.context)
    for _step in range(8):  # all frames are sampled, two are solved
        next(running)
    bpy.ops.ed.undo()
    for _step in running:
        pass
    rig = bpy.data.objects["Rig"]
    assert curves(rig) and all(len(keys) == 6 for keys in curves(rig).values())


def test_everything_comes_back_from_a_file(tmp_path: Path):
    rig = two_arms()
    target = reach(rig, "hand.L", (1.0, -0.8, 1.6), priority=2, chain_root="chest", weight=0.5)
    reach(rig, "hand.R", (-1.0, -0.8, 1.6), kind="POSE")
    rig.articulate.effectors["hand.R"].influence = 0.25
    rig.articulate.solver.root, rig.articulate.solver.max_iterations = "FREE", 33
    rig.articulate.bake.use_range, rig.articulate.bake.step = True, 3
    bpy.ops.articulate.solve()
    report, name, error = rig.articulate.report, target.name, miss(rig, "hand.L")
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    rig = bpy.data.objects["Rig"]
    left, right = rig.articulate.effectors["hand.L"], rig.articulate.effectors["hand.R"]
    assert (left.bone, left.kind, left.target.name) == ("hand.L", "POSITION", name)
    assert (left.priority, left.chain_root, left.weight) == (2, "chest", 0.5)
    assert (right.kind, right.influence) == ("POSE", 0.25)
    assert (rig.articulate.solver.root, rig.articulate.solver.max_iterations) == ("FREE", 33)
    assert (rig.articulate.bake.use_range, rig.articulate.bake.step) == (True, 3)
    assert rig.articulate.report == report
    assert miss(rig, "hand.L") == pytest.approx(error, abs=1e-6)
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.articulate.solve() == {"FINISHED"}


def test_the_method_is_saved_by_its_name_and_not_by_its_place_in_the_menu():
    rig = arm()
    for name in ("method", "limits"):
        for item in rig.articulate.solver.bl_rna.properties[name].enum_items:
            assert item.value == zlib.crc32(item.identifier.encode()) & 0x7FFFFFFF


def test_a_copied_armature_has_effectors_of_its_own():
    rig = arm()
    reach(rig, "b3", (1.5, 0.5, 2.0))
    twin = rig.copy()
    bpy.context.collection.objects.link(twin)
    twin.articulate.effectors["b3"].weight = 0.5
    assert rig.articulate.effectors["b3"].weight == 1.0


def test_a_library_override_can_be_solved(tmp_path: Path):
    rig = arm()
    reach(rig, "b3", (1.5, 0.5, 2.0))
    path = str(tmp_path / "rig.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (source, wanted):
        wanted.objects = list(source.objects)
    for thing in list(bpy.data.objects):
        bpy.context.collection.objects.link(thing)
    rig = bpy.data.objects["Rig"].override_create(remap_local_usages=True)
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()
    assert bpy.ops.articulate.solve() == {"FINISHED"}
    assert miss(rig, "b3") < 1e-3
    rig.articulate.effectors["b3"].weight = 0.5
    bpy.ops.articulate.effector_add(bone="b1")
    assert [e.name for e in rig.articulate.effectors] == ["b3", "b1"]


def test_what_the_kinds_are_told_is_saved(tmp_path: Path):
    rig = arm()
    add("b3", axes=(True, False, True), space="BONE", slack=0.25, planted=True, footprint=0.1)
    add("b3", "LOOP", second_bone="b0", rigid=True, second_rotation=(0.6, 0.8, 0.0, 0.0))
    add("b2", "DISTANCE", keep="INSIDE", distance=0.7)
    add("b2", "ANY_OF")
    add("b1", "BALANCE", over="SUPPORT", margin=0.03)
    rig.pose.bones["b2"].articulate.mass = 4.5
    rig.articulate.solver.root_location_stiffness = (0.0, 0.5, 0.9)

    def told() -> list[object]:
        rig = bpy.data.objects["Rig"]
        found: list[object] = [rig.pose.bones["b2"].articulate.mass]
        found += list(rig.articulate.solver.root_location_stiffness)
        for effector in rig.articulate.effectors:
            found += [effector.kind, effector.follows, sorted(effector.settings.items())]
            found += [thing.name for thing in effector.alternative_objects]
            found += [
                getattr(effector, name) for name in ("slack", "distance", "margin", "planted", "footprint")
            ]
        return found

    before = told()
    path = str(tmp_path / "kinds.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert told() == before and "b0" in str(before)
