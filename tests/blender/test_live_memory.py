# SPDX-License-Identifier: GPL-3.0-or-later
"""What a live figure remembers, through undo, saving and loading and from frame to frame; when it forgets."""

from __future__ import annotations

from pathlib import Path

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import animate, arm, miss, reach, wall
from live_scenes import FRAMES, live_arm, scrub, shown, shown_at


def test_undo_and_redo_while_live():
    rig = arm(4)
    reach(rig, "b3", (1.5, 0.5, 2.0))
    bpy.ops.ed.undo_push(message="set-up")
    rig.articulate.live = True
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="live")
    bpy.data.objects["Target b3"].location.x = 1.0
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="moved")
    bpy.ops.ed.undo()
    bpy.context.scene.frame_set(2)
    assert miss(bpy.data.objects["Rig"], "b3") < 1e-3
    bpy.ops.ed.undo()
    assert not bpy.data.objects["Rig"].articulate.live
    assert not bpy.context.window_manager.articulate.any_live
    bpy.ops.ed.redo()
    bpy.context.scene.frame_set(3)
    assert miss(bpy.data.objects["Rig"], "b3") < 1e-3


def undo_script() -> bpy.types.Object:
    """A live figure with no keys, and an undo step; what moves its target comes after."""
    rig = arm(5)
    reach(rig, "b4", (1.5, 0.5, 3.0))
    rig.articulate.live = True
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="live")
    return rig


def test_undo_gives_back_the_pose_that_it_was_solved_from():
    rig = undo_script()
    before = shown(rig)
    for place in ((-1.5, 1.0, 2.0), (0.5, 2.0, 2.5)):
        bpy.data.objects["Target b4"].location = place
        bpy.context.view_layer.update()
        bpy.ops.ed.undo_push(message="moved")
    for _ in range(2):
        bpy.ops.ed.undo()
        bpy.context.view_layer.update()
    assert np.abs(shown(bpy.data.objects["Rig"]) - before).max() < 1e-6
    bpy.context.scene.frame_set(2)  # solved anew: not from the pose that was solved before
    assert np.abs(shown(bpy.data.objects["Rig"]) - before).max() < 1e-6
    bpy.data.objects["Target b4"].location = (-1.5, 1.0, 2.0)
    bpy.context.view_layer.update()
    there = shown(bpy.data.objects["Rig"])
    bpy.ops.ed.redo()
    bpy.context.scene.frame_set(3)
    assert np.abs(shown(bpy.data.objects["Rig"]) - there).max() < 1e-6


def test_undo_back_to_what_the_user_has_posed_before_it_was_solved():
    rig = undo_script()
    rig.pose.bones["b2"].rotation_quaternion = (1.0, -0.5, 0.0, 0.0)
    bpy.ops.ed.undo_push(message="posed")  # Blender pushes a step before it updates the scene
    bpy.context.view_layer.update()
    posed = shown(rig)
    bpy.data.objects["Target b4"].location = (-1.5, 1.0, 2.0)
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="moved")
    bpy.ops.ed.undo()
    bpy.context.scene.frame_set(2)
    assert np.abs(shown(bpy.data.objects["Rig"]) - posed).max() < 1e-6


def test_after_loading_a_frame_is_what_it_was(tmp_path: Path):
    rig = undo_script()
    frames = {}
    for name, place in (("one", (-1.5, 1.0, 2.0)), ("two", (0.5, 2.0, 2.5))):
        bpy.data.objects["Target b4"].location = place
        bpy.context.view_layer.update()
        frames[name] = shown(rig)
    path = str(tmp_path / "live.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    bpy.context.scene.frame_set(2)
    assert np.abs(shown(bpy.data.objects["Rig"]) - frames["two"]).max() < 1e-6
    bpy.data.objects["Target b4"].location = (-1.5, 1.0, 2.0)
    bpy.context.scene.frame_set(3)
    assert np.abs(shown(bpy.data.objects["Rig"]) - frames["one"]).max() < 1e-6


def test_a_bone_that_is_put_back_by_escape_leaves_no_trace():
    rig = undo_script()
    before, bone = shown(rig), rig.pose.bones["b2"]
    solved = tuple(bone.rotation_quaternion)
    for turn in (-0.2, -0.5, -0.7):  # as Blender's own rotation does, from how it found the bone
        bone.rotation_quaternion = (solved[0], solved[1] + turn, *solved[2:])
        bpy.context.view_layer.update()
        assert np.abs(shown(rig) - before).max() > 0.01 and miss(rig, "b4") < 1e-3
    bone.rotation_quaternion = solved
    bpy.context.view_layer.update()
    assert np.abs(shown(rig) - before).max() < 1e-6
    bpy.context.scene.frame_set(2)
    assert np.abs(shown(rig) - before).max() < 1e-6


def test_a_library_override_is_live_and_stays_so(tmp_path: Path):
    undo_script().articulate.live = False
    path = str(tmp_path / "figure.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (there, here):
        here.collections = list(there.collections)
        here.objects = list(there.objects)
    linked = {thing.name: thing for thing in bpy.data.objects}
    scene = bpy.context.scene
    own = {name: thing.override_create(remap_local_usages=True) for name, thing in linked.items()}
    for thing in own.values():
        thing.override_library.is_system_override = False
        scene.collection.objects.link(thing)
    rig, target = own["Rig"], own["Target b4"]
    rig.articulate.effectors["b4"].target = target
    bpy.context.view_layer.update()
    rig.articulate.live = True
    bpy.context.view_layer.update()
    for frame, x in ((2, -1.0), (3, 1.0)):
        target.location.x = x
        scene.frame_set(frame)
        assert miss(rig, "b4") < 1e-3 and rig.articulate.message == ""
    assert not linked["Rig"].articulate.live  # what is linked is not written to
    saved = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=saved)
    bpy.ops.wm.open_mainfile(filepath=saved)
    rig = next(thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE")
    bpy.context.scene.frame_set(4)
    assert rig.articulate.live and miss(rig, "b4") < 1e-3


@pytest.mark.parametrize("obstacle", [False, True])
def test_what_was_seen_before_is_not_solved_again(obstacle: bool, monkeypatch):
    rig = live_arm()
    if obstacle:
        wall(rig, 3.0)
    first = scrub(rig, FRAMES)
    module = installed.module("control.live.live")

    def never(*_given: object, **_more: object) -> None:
        raise AssertionError("solved again")

    monkeypatch.setattr(module, "solve_task", never)
    again = scrub(rig, reversed(FRAMES))
    assert all(np.array_equal(first[frame], again[frame]) for frame in FRAMES)


def test_an_obstacle_that_moved_or_has_another_shape_is_noticed(monkeypatch):
    rig = live_arm()
    cube, frames = wall(rig, 3.0), (1, 6)
    first = scrub(rig, frames)
    module, calls = installed.module("control.live.live"), []
    solve = module.solve_task
    monkeypatch.setattr(
        module, "solve_task", lambda *given, **more: calls.append(given) or solve(*given, **more)
    )
    place = cube.location.copy()
    cube.location.x -= 0.5
    bpy.context.view_layer.update()
    moved = scrub(rig, frames)
    assert len(calls) == len(frames) and np.abs(moved[1] - first[1]).max() > 1e-3
    cube.location = place
    bpy.context.view_layer.update()
    again = scrub(rig, frames)
    assert len(calls) == len(frames) and all(np.array_equal(first[frame], again[frame]) for frame in frames)
    cube.data.vertices[0].co.x -= 0.01
    cube.data.update()
    scrub(rig, frames)
    assert len(calls) == 2 * len(frames)


def test_a_moved_armature_is_not_read_anew_and_a_changed_lock_is(monkeypatch):
    rig = live_arm()
    bpy.context.scene.frame_set(3)
    module = installed.module("control.live.live")
    read, calls = module.read_plan, []
    monkeypatch.setattr(
        module, "read_plan", lambda *given, **more: calls.append(given) or read(*given, **more)
    )
    rig.location.x = 0.2
    bpy.context.view_layer.update()
    assert not calls and miss(rig, "b4") < 1e-3
    rig.pose.bones["b2"].lock_ik_x = True
    bpy.context.view_layer.update()
    assert len(calls) == 1
    rig.articulate.effectors["b4"].offset = (0.1, 0.0, 0.0)
    bpy.context.scene.frame_set(4)
    assert len(calls) == 2


def test_bones_that_are_edited_are_read_anew():
    rig = live_arm()
    scrub(rig, (1, 2))
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["b4"].tail.z += 0.4
    rig.data.edit_bones["b1"].name = "elbow"
    bpy.ops.object.mode_set(mode="OBJECT")
    scrub(rig, (2, 7, 1))


def test_a_figure_that_hangs_from_an_animated_bone():
    rig = live_arm()
    rig.articulate.effectors["b4"].chain_root = "b2"
    forward = {frame: shown_at(rig, frame) for frame in FRAMES}
    rig.articulate.live = False
    rig.articulate.live = True
    backward = {frame: shown_at(rig, frame) for frame in reversed(FRAMES)}
    assert all(np.abs(forward[frame] - backward[frame]).max() < 1e-6 for frame in FRAMES)


def test_a_live_armature_that_comes_into_the_scene_later():
    rig = live_arm()
    collection = bpy.data.collections.new("Later")
    collection.objects.link(rig)
    bpy.context.scene.collection.objects.unlink(rig)
    bpy.context.scene.frame_set(2)
    bpy.context.scene.collection.children.link(collection)
    bpy.context.scene.frame_set(5)
    assert miss(rig, "b4") < 1e-3


def test_out_of_reach_is_solved_without_the_last_digits_and_the_same_from_everywhere():
    rig = live_arm()
    target = rig.articulate.effectors["b4"].target
    target.delta_location = (9.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    forward = {frame: shown_at(rig, frame) for frame in FRAMES}
    rig.articulate.live_mode = "CONTINUOUS"
    bpy.context.scene.frame_set(1)
    rig.articulate.live_mode = "EACH"
    backward = {frame: shown_at(rig, frame) for frame in reversed(FRAMES)}
    assert all(np.abs(forward[frame] - backward[frame]).max() < 1e-6 for frame in FRAMES)
    assert "from its target" in rig.articulate.message


def test_it_is_live_again_after_loading(tmp_path: Path):
    live_arm()
    bpy.context.scene.frame_set(4)
    path = str(tmp_path / "live.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert not bpy.context.window_manager.articulate.any_live
    bpy.ops.wm.open_mainfile(filepath=path)
    bpy.context.scene.frame_set(8)
    assert miss(bpy.data.objects["Rig"], "b4") < 1e-3


def test_a_live_figure_that_is_appended(tmp_path: Path):
    live_arm()
    path = str(tmp_path / "live.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert not bpy.context.window_manager.articulate.any_live
    for name in ("Rig", "Target b4"):
        bpy.ops.wm.append(directory=f"{path}/Object/", filename=name)
    bpy.context.scene.frame_set(6)
    rig = bpy.data.objects["Rig"]
    assert rig.articulate.live and miss(rig, "b4") < 1e-3


def test_enabling_the_add_on_in_a_file_that_is_live(tmp_path: Path):
    rig = arm()
    animate(reach(rig, "b3", (1.5, 0.5, 2.0)), {1: (1.5, 0.5, 2.0), 8: (0, 1.5, 2)})
    rig.articulate.live = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "live.blend"))
    installed.disable()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "live.blend"))
    installed.enable()
    bpy.context.scene.frame_set(5)
    assert miss(bpy.data.objects["Rig"], "b3") < 1e-3


def test_enabling_the_add_on_solves_the_frame_that_is_shown():
    rig = live_arm()
    installed.disable()
    bpy.context.scene.frame_set(8)
    installed.enable()
    bpy.context.view_layer.update()
    assert miss(rig, "b4") < 1e-3


@pytest.mark.parametrize("by_handler", [False, True])
def test_what_a_script_changes_between_frames_is_noticed(by_handler):
    """Without an update in between, and by a handler of its own, as other add-ons pose bones."""
    rig, scene = live_arm(), bpy.context.scene

    def grow(*_: object) -> None:
        rig.pose.bones["b3"].scale = (1.0 + 0.01 * scene.frame_current,) * 3

    def begun() -> float:
        """The scale from which the frame was solved."""
        channels = np.frombuffer(rig.articulate["live_start"], dtype=np.float32)
        return float(channels[14 * len(rig.pose.bones) + 3 * 3])

    for frame in (2, 3, 4):
        scene.frame_set(frame)
    grow.__module__ = None  # as of a script in Blender's text editor
    if by_handler:
        bpy.app.handlers.frame_change_post.append(grow)
    try:
        for frame in (5, 6, 7):
            before = rig.pose.bones["b3"].scale[0]
            if not by_handler:
                grow()
                before = rig.pose.bones["b3"].scale[0]
            scene.frame_set(frame)
            assert begun() == pytest.approx(before, abs=1e-6)
    finally:
        if by_handler:
            bpy.app.handlers.frame_change_post.remove(grow)
    assert before > 1.05
    effector, solver = rig.articulate.effectors["b4"], rig.articulate.solver
    for owner, name, value, said in (
        (effector, "enabled", False, "effector"),
        (solver, "method", "two_bone", "m from its target"),
    ):
        kept = getattr(owner, name)
        setattr(owner, name, value)
        scene.frame_set(8)
        assert said in rig.articulate.message
        setattr(owner, name, kept)
        scene.frame_set(9)
        assert miss(rig, "b4") < 1e-3 and not rig.articulate.message
    rig.articulate.effectors.remove(0)
    scene.frame_set(10)
    assert "effector" in rig.articulate.message


def test_what_is_set_for_the_solver_and_the_surroundings_is_noticed_at_once():
    """Nothing moves, and no frame passes: the settings alone have to be reason enough."""
    rig = live_arm()
    bpy.context.scene.frame_set(3)
    solver, tip = rig.articulate.solver, rig.articulate.effectors["b4"]
    solver.method = "two_bone"
    bpy.context.view_layer.update()
    assert "b4 is " in rig.articulate.message and "from its target" in rig.articulate.message
    solver.method = "damped"
    bpy.context.view_layer.update()
    free = shown(rig)
    assert miss(rig, "b4") < 1e-3
    solver.parameters.damped_damping = 1e4
    bpy.context.view_layer.update()
    assert miss(rig, "b4") > 0.01
    solver.parameters.damped_damping = 0.0
    bpy.context.view_layer.update()
    assert np.abs(shown(rig) - free).max() < 1e-6
    solver.method = "hierarchical"
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.4, location=tip.target.matrix_world.translation)
    ball = bpy.context.object
    bpy.context.view_layer.objects.active = rig
    bpy.ops.articulate.obstacle_add(object=ball.name)
    bpy.context.view_layer.update()
    assert miss(rig, "b4") > 0.2
    for owner, name, value in (
        (rig.articulate.obstacles[0], "enabled", False),
        (rig.articulate.obstacles[0], "enabled", True),
        (rig.articulate.obstacles[0], "margin", 0.3),
    ):
        before = miss(rig, "b4")
        setattr(owner, name, value)
        bpy.context.view_layer.update()
        assert abs(miss(rig, "b4") - before) > 0.1, (name, value)


def test_an_edit_between_two_frames_is_noticed():
    rig = live_arm()
    rig.animation_data_clear()
    for frame in (2, 3, 4):
        bpy.context.scene.frame_set(frame)
        assert miss(rig, "b4") < 1e-3 and not rig.articulate.message
    rig.pose.bones["b1"].location.x = 0.1
    bpy.context.scene.frame_set(7)
    assert miss(rig, "b4") < 1e-3 and rig.pose.bones["b1"].location.x == pytest.approx(0.1)
