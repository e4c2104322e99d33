# SPDX-License-Identifier: GPL-3.0-or-later
"""Live: scrubbing, playing and rendering give one pose; what the user poses is respected."""

from __future__ import annotations

from pathlib import Path

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import add, animate, arm, curves, evaluated, miss, reach, tip, two_arms
from bridge_rigs import metarig
from live_scenes import FRAMES, live_arm, scrub, shown


def test_every_frame_is_solved_and_is_the_same_however_one_got_there():
    rig = live_arm()
    forward = scrub(rig, FRAMES)
    backward = scrub(rig, reversed(FRAMES))
    there = scrub(rig, np.random.default_rng(2).permutation(list(FRAMES)).tolist())
    for frame in FRAMES:
        assert np.abs(forward[frame] - backward[frame]).max() < 1e-6
        assert np.abs(forward[frame] - there[frame]).max() < 1e-6
    assert np.abs(forward[1] - forward[12]).max() > 0.1
    assert {path for path, _ in curves(rig)} == {'pose.bones["b1"].rotation_quaternion'}  # live sets no keys


def test_a_render_shows_the_same(tmp_path: Path):
    rig = live_arm()
    scrubbed = scrub(rig, FRAMES)
    scene = bpy.context.scene

    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 1
    scene.cycles.use_denoising = False
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.render.filepath = str(tmp_path / "frame")
    poses: dict[int, np.ndarray] = {}

    def rendered(scene, depsgraph) -> None:
        if depsgraph.mode == "RENDER":
            bones = bpy.data.objects["Rig"].pose.bones
            poses[scene.frame_current] = np.array([b.matrix_basis.to_quaternion() for b in bones])

    bpy.app.handlers.frame_change_post.append(rendered)
    try:
        scene.frame_start, scene.frame_end = 3, 9
        bpy.ops.render.render(animation=True)
    finally:
        bpy.app.handlers.frame_change_post.remove(rendered)
    assert sorted(poses) == list(range(3, 10))
    for frame in range(3, 10):
        scene.frame_set(frame)
        now = np.array([b.matrix_basis.to_quaternion() for b in rig.pose.bones])
        assert np.abs(poses[frame] - now).max() < 1e-6
        assert np.abs(shown(rig) - scrubbed[frame]).max() < 1e-6


def test_continuous_goes_on_from_the_frame_before():
    rig = live_arm("CONTINUOUS")
    scrub(rig, FRAMES)
    scrub(rig, reversed(FRAMES))


def test_a_moved_target_is_followed_at_once():
    rig = arm(4)
    target = reach(rig, "b3", (1.5, 0.5, 2.0))
    rig.articulate.live = True
    bpy.context.view_layer.update()
    assert miss(rig, "b3") < 1e-3
    parent = bpy.data.objects.new("Carrier", None)
    bpy.context.collection.objects.link(parent)
    target.parent = parent
    bpy.context.view_layer.update()
    parent.location.z = 0.5
    bpy.context.view_layer.update()
    assert miss(rig, "b3") < 1e-3
    rig.location.x = 0.3
    bpy.context.view_layer.update()
    assert miss(rig, "b3") < 1e-3


def test_a_moved_pin_is_followed_and_an_effector_that_is_switched_off_lets_go():
    rig = arm(4)
    before = shown(rig)
    bpy.ops.articulate.pin(bone="b3")
    rig.articulate.live = True
    bpy.context.view_layer.update()
    wanted = tip(rig, "b3") + np.array([0.3, 0.0, -0.3])
    rig.articulate.effectors["b3"].pin_location = wanted
    bpy.context.view_layer.update()
    assert np.linalg.norm(tip(rig, "b3") - wanted) < 1e-3
    rig.articulate.effectors["b3"].influence = 0.0
    bpy.context.view_layer.update()
    assert np.abs(shown(rig) - before).max() < 1e-4  # its own pose is not forgotten


def test_what_the_user_poses_is_the_pose_to_start_from():
    rig = live_arm()
    scene = bpy.context.scene
    scene.frame_set(5)
    before = shown(rig)
    rig.pose.bones["b3"].rotation_quaternion = (1.0, -0.6, 0.0, 0.0)
    bpy.context.view_layer.update()
    edited = shown(rig)
    assert miss(rig, "b4") < 1e-3 and np.abs(edited - before).max() > 0.02
    scene.frame_set(9)
    scene.frame_set(5)
    assert np.abs(shown(rig) - edited).max() < 1e-6


def test_obstacles_are_watched():
    rig = arm(4)
    reach(rig, "b3", (1.5, 0.5, 2.0))
    rig.articulate.live = True
    bpy.context.view_layer.update()
    ball = bpy.data.objects.new("Ball", bpy.data.meshes.new("Ball"))
    bpy.context.collection.objects.link(ball)
    rig.articulate.obstacles.add().object = ball
    watched = installed.module("control.live.following").watched(rig)
    assert watched == {ball, rig.articulate.effectors["b3"].target}


def test_another_object_that_moves_costs_no_solve(monkeypatch):
    rig = live_arm()
    other = bpy.data.objects.new("Other", None)
    bpy.context.collection.objects.link(other)
    bpy.context.view_layer.update()
    calls = []
    module = installed.module("control.live.live")
    monkeypatch.setattr(module, "solve_task", lambda *given: calls.append(given))
    other.location.x = 1.0
    bpy.context.view_layer.update()
    assert not calls and rig.articulate.live


def test_two_live_armatures_and_one_that_is_deleted():
    one = arm(4)
    reach(one, "b3", (1.5, 0.5, 2.0))
    one.name = "One"
    two = two_arms()
    reach(two, "hand.L", (1.2, -0.8, 1.8))
    one.articulate.live = two.articulate.live = True
    bpy.context.scene.frame_set(2)
    assert miss(one, "b3") < 1e-3 and miss(two, "hand.L") < 1e-3
    bpy.data.objects.remove(one)
    two.articulate.effectors["hand.L"].target.location.x -= 0.2
    bpy.context.view_layer.update()
    assert miss(two, "hand.L") < 1e-3
    bpy.data.objects.remove(two)
    bpy.context.scene.frame_set(3)


def test_what_cannot_be_solved_is_said_and_live_goes_on():
    rig = arm(4)
    target = reach(rig, "b3", (1.5, 0.5, 2.0))
    rig.articulate.live = True
    bpy.context.view_layer.update()
    rig.articulate.effectors["b3"].target = None
    bpy.context.scene.frame_set(2)
    assert "has no target; choose or create one" in rig.articulate.message
    rig.articulate.effectors["b3"].target = target
    bpy.context.scene.frame_set(3)
    assert miss(rig, "b3") < 1e-3 and rig.articulate.message == ""
    target.location.x = 50.0
    bpy.context.view_layer.update()
    assert "from its target" in rig.articulate.message


def test_a_target_that_the_user_deletes_is_missed_by_name():
    rig = live_arm()
    target = rig.articulate.effectors[0].target
    with bpy.context.temp_override(selected_objects=[target]):
        bpy.ops.object.delete()
    bpy.context.scene.frame_set(3)
    assert f"Target '{target.name}' is not in scene 'Scene' (deleted?)" in rig.articulate.message


def test_a_constraint_that_comes_on_in_some_frames_is_said_there():
    rig = live_arm()
    bone = rig.pose.bones["b2"]
    constraint = bone.constraints.new("COPY_ROTATION")
    constraint.target = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(constraint.target)
    for frame, influence in ((1, 0.0), (5, 0.0), (6, 1.0), (9, 1.0), (10, 0.0)):
        constraint.influence = influence
        constraint.keyframe_insert("influence", frame=frame)
    for frame in (3, 7, 8, 4, 9, 10):
        bpy.context.scene.frame_set(frame)
        said = "Constraint 'Copy Rotation' of bone 'b2'" in rig.articulate.message
        assert said == (6 <= frame <= 9), (frame, rig.articulate.message)


def test_live_keeps_still_while_a_bake_goes_on(monkeypatch):
    rig = live_arm()
    bpy.context.scene.frame_set(1)
    module, calls = installed.module("control.live.live"), []
    real = module.LiveFigures._solve_one

    def count(self, *given) -> None:
        if bpy.context.window_manager.articulate.baking:
            calls.append(given)
        real(self, *given)

    monkeypatch.setattr(module.LiveFigures, "_solve_one", count)
    bpy.ops.articulate.bake(frame_start=1, frame_end=12)
    assert not calls and not bpy.context.window_manager.articulate.baking
    rig.articulate.live = False
    scrub(rig, FRAMES)


def test_nothing_is_done_while_nothing_is_live(monkeypatch):
    rig = live_arm()
    rig.articulate.live = False
    monkeypatch.setattr(installed.module("control.live.live").LiveFigures, "solve", None)
    monkeypatch.setattr(installed.module("control.live.live").LiveFigures, "armatures", None)
    bpy.context.scene.frame_set(3)
    rig.articulate.effectors["b4"].target.location.x = 1.0
    bpy.context.view_layer.update()


def test_a_live_frame_of_a_whole_figure():
    rig = metarig("human")
    bpy.context.view_layer.update()
    ways = {"hand.L": (-0.1, -0.1, 0.05), "hand.R": (0.1, -0.1, 0.05), "spine.006": (0.0, -0.05, -0.03)}
    ways.update({"foot.L": (0.0, -0.05, 0.1), "foot.R": (0.0, 0.05, 0.1)})
    for bone, way in ways.items():
        place = tip(rig, bone)
        bpy.ops.articulate.effector_add(bone=bone)
        target = rig.articulate.effectors[bone].target
        animate(target, {1: place + 0.3 * np.array(way), 40: place + np.array(way)})
    scene = bpy.context.scene
    rig.articulate.live = True
    for frame in (1, 20, 40, 7):
        scene.frame_set(frame)
        assert evaluated(rig) and all(miss(rig, e.name) < 1e-3 for e in rig.articulate.effectors)


@pytest.mark.parametrize("height", [1.0, 0.99, 0.98, 0.96])
def test_what_takes_many_steps_is_reached_too_where_it_can_be(height: float):
    """Both hands held, both feet, and the hips where they are: the arm has to find a way of its own."""
    rig = metarig("human")
    add("hand.L")
    add("hand.R", "POSE")
    bpy.ops.object.mode_set(mode="POSE")
    for foot in ("foot.L", "foot.R"):
        bpy.ops.articulate.pin(bone=foot, kind="POSE")
    rig.articulate.live = True
    rig.articulate.effectors["hand.L"].target.location.z = height
    bpy.context.view_layer.update()
    assert miss(rig, "hand.L") < 1e-3 and miss(rig, "hand.R") < 1e-3


@pytest.mark.parametrize("mode", ["EACH", "CONTINUOUS"])
def test_an_animated_influence_fades(mode):
    rig = live_arm(mode)
    effector = rig.articulate.effectors["b4"]
    for frame, value in ((1, 1.0), (6, 0.0), (12, 0.0)):
        effector.influence = value
        effector.keyframe_insert("influence", frame=frame)
    bpy.context.scene.frame_set(1)
    assert miss(rig, "b4") < 1e-3
    bpy.context.scene.frame_set(8)
    assert miss(rig, "b4") > 0.1
