# SPDX-License-Identifier: GPL-3.0-or-later
"""Live figures that hang from one another or follow each other: all are right in the frame that is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from addon_scenes import animate, arm, miss, reach, tip
from bridge_rigs import evaluated


@pytest.fixture
def only_frames() -> Iterator[None]:
    """Nothing but a change of frame lets live solve: what comes a frame late is not put right meanwhile."""
    handlers = bpy.app.handlers.depsgraph_update_post
    kept = list(handlers)
    handlers.clear()
    yield
    handlers.extend(kept)


def two_live() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A follower, which is first in the scene, without an effector; and a leader that moves."""
    follower = arm(4)
    follower.name, follower.location = "Follower", (0.5, 0.0, 0.0)
    leader = arm(4)
    leader.name = "Leader"
    animate(reach(leader, "b2", (1.5, 0.5, 2.0)), {1: (1.5, 0.5, 2.0), 9: (-1.0, 1.2, 2.0)})
    bpy.context.view_layer.objects.active = follower
    return follower, leader


def go_live(*rigs: bpy.types.Object) -> None:
    for rig in rigs:
        rig.articulate.live = True


def hang(thing: bpy.types.Object, rig: bpy.types.Object, bone: str) -> None:
    thing.parent, thing.parent_type, thing.parent_bone = rig, "BONE", bone


@pytest.mark.parametrize("mode", ["EACH", "CONTINUOUS"])
def test_a_target_on_another_live_figure_is_followed_in_the_same_frame(only_frames, mode):
    follower, leader = two_live()
    target = reach(follower, "b3", (0.0, 0.0, 0.0))
    middle = bpy.data.objects.new("Middle", None)
    bpy.context.scene.collection.objects.link(middle)
    hang(middle, leader, "b3")  # a bone below those that are solved
    middle.rotation_euler = (0.3, 0.2, 0.1)
    target.parent, target.location = middle, (-0.3, 0.2, 0.1)
    follower.articulate.live_mode = leader.articulate.live_mode = mode
    go_live(follower, leader)
    places = []
    for frame in (1, 4, 9, 2, 6):
        bpy.context.scene.frame_set(frame)
        assert miss(leader, "b2") < 1e-3 and miss(follower, "b3") < 1e-3
        places.append(tip(follower, "b3"))
    assert np.ptp(places, axis=0).max() > 0.5


def test_a_bone_of_another_live_figure_is_followed_in_the_same_frame(only_frames):
    follower, leader = two_live()
    bpy.ops.articulate.effector_add(bone="b3", target="Leader", subtarget="b2")
    go_live(follower, leader)
    for frame in (1, 4, 9, 2):
        bpy.context.scene.frame_set(frame)
        shown = evaluated(leader)
        head = np.array(shown.matrix_world @ shown.pose.bones["b2"].head)
        assert np.abs(tip(follower, "b3") - head).max() < 1e-3


def test_who_rides_on_another_live_figure_reaches_in_the_same_frame(only_frames):
    follower, leader = two_live()
    animate(reach(follower, "b3", (0.5, 1.0, 3.0)), {1: (0.5, 1.0, 3.0), 9: (0.0, 1.5, 3.0)})
    hang(follower, leader, "b1")
    follower.location = (0.2, 0.1, 0.0)
    third = arm(4)
    third.name = "Third"
    target = reach(third, "b3", (0.0, 0.0, 0.0))
    hang(target, follower, "b2")
    go_live(third, follower, leader)
    for frame in (1, 4, 9, 2):
        bpy.context.scene.frame_set(frame)
        assert miss(leader, "b2") < 1e-3 and miss(follower, "b3") < 1e-3 and miss(third, "b3") < 1e-3


def tie_by_copy(target: bpy.types.Object) -> None:
    constraint = target.constraints.new("COPY_TRANSFORMS")
    constraint.target, constraint.subtarget = bpy.data.objects["Leader"], "b3"


def tie_by_child_of(target: bpy.types.Object) -> None:
    constraint = target.constraints.new("CHILD_OF")
    constraint.target, constraint.subtarget = bpy.data.objects["Leader"], "b2"
    target.location = (0.3, 0.4, -0.2)


def tie_over_another_armature(target: bpy.types.Object) -> None:
    other = arm(2)
    constraint = other.pose.bones["b0"].constraints.new("COPY_LOCATION")
    constraint.target, constraint.subtarget = bpy.data.objects["Leader"], "b3"
    other.location = (0.1, 0.0, 0.0)
    hang(target, other, "b1")
    target.location = (0.0, -0.9, 0.1)


def tie_by_driver(target: bpy.types.Object) -> None:
    for axis, letter in enumerate("XYZ"):
        driver = target.driver_add("location", axis).driver
        driver.type = "SUM"
        read = driver.variables.new()
        read.type = "TRANSFORMS"
        read.targets[0].id, read.targets[0].bone_target = bpy.data.objects["Leader"], "b2"
        read.targets[0].transform_type = f"LOC_{letter}"


TIES = [tie_by_copy, tie_by_child_of, tie_over_another_armature, tie_by_driver]


def tied(tie: Callable[[bpy.types.Object], None]) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Two live figures; the target of the first is tied to the second, which leads."""
    follower, leader = two_live()
    target = reach(follower, "b3", (0.0, 0.0, 0.0))
    tie(target)
    go_live(follower, leader)
    return follower, leader


@pytest.mark.parametrize("tie", TIES)
@pytest.mark.parametrize("mode", ["EACH", "CONTINUOUS"])
def test_what_is_tied_to_a_live_figure_is_followed_in_the_same_frame(only_frames, tie, mode):
    follower, leader = tied(tie)
    follower.articulate.live_mode = leader.articulate.live_mode = mode
    places = []
    for frame in (1, 4, 9, 2, 6, 4):
        bpy.context.scene.frame_set(frame)
        assert miss(leader, "b2") < 1e-3 and miss(follower, "b3") < 1e-3
        places.append(tip(follower, "b3"))
    assert np.ptp(places, axis=0).max() > 0.3
    if mode == "EACH":
        assert np.abs(places[1] - places[5]).max() < 1e-6


@pytest.mark.parametrize("tie", TIES)
def test_what_is_tied_follows_when_the_leader_is_led_by_hand(tie):
    follower, leader = tied(tie)
    target = leader.articulate.effectors["b2"].target
    target.animation_data_clear()
    for place in ((1.5, 0.5, 2.0), (-1.0, 1.2, 2.0), (0.2, 1.2, 2.2)):
        target.location = place
        bpy.context.view_layer.update()
        assert miss(leader, "b2") < 1e-3 and miss(follower, "b3") < 1e-3


def test_a_follower_that_is_tied_itself(only_frames):
    follower, leader = two_live()
    reach(follower, "b3", (0.5, 1.0, 3.0))
    constraint = follower.constraints.new("CHILD_OF")
    constraint.target, constraint.subtarget = leader, "b1"
    go_live(follower, leader)
    for frame in (1, 4, 9, 2):
        bpy.context.scene.frame_set(frame)
        assert miss(leader, "b2") < 1e-3 and miss(follower, "b3") < 1e-3


def test_a_tie_that_is_made_while_live():
    follower, leader = two_live()
    target = reach(follower, "b3", (0.5, 1.0, 3.0))
    go_live(follower, leader)
    bpy.context.scene.frame_set(3)
    tie_by_copy(target)
    bpy.context.view_layer.update()
    for frame in (1, 4, 9, 2):
        bpy.context.scene.frame_set(frame)
        assert miss(leader, "b2") < 1e-3 and miss(follower, "b3") < 1e-3


def test_renders_show_what_is_tied_where_it_is(tmp_path: Path):
    tied(tie_by_child_of)
    seen: dict[int, float] = {}

    def look(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        """After live has solved: what it wrote is evaluated next, so the originals say what is shown."""
        if depsgraph.mode == "RENDER":
            depsgraph.update()
            one = bpy.data.objects["Follower"].evaluated_get(depsgraph)
            end = one.matrix_world @ one.pose.bones["b3"].tail
            wanted = one.articulate.effectors["b3"].target.evaluated_get(depsgraph).matrix_world.translation
            seen[scene.frame_current] = (end - wanted).length

    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    bpy.context.scene.collection.objects.link(camera)
    render = bpy.context.scene.render
    bpy.context.scene.camera, render.engine, render.filepath = camera, "CYCLES", str(tmp_path / "f")
    render.resolution_x = render.resolution_y = 8
    bpy.context.scene.cycles.samples, bpy.context.scene.cycles.use_denoising = 1, False
    bpy.context.scene.frame_start, bpy.context.scene.frame_end, bpy.context.scene.frame_step = 1, 9, 4
    bpy.app.handlers.frame_change_post.append(look)
    try:
        bpy.ops.render.render(animation=True)
    finally:
        bpy.app.handlers.frame_change_post.remove(look)
    assert sorted(seen) == [1, 5, 9] and max(seen.values()) < 1e-3


def test_who_follows_nobody_has_nothing_evaluated_for_it():
    """Two live figures that have nothing to do with each other; and a thing tied to one of them."""
    follower, leader = two_live()
    reach(follower, "b3", (0.5, 1.0, 3.0))
    thing = bpy.data.objects.new("Hat", None)
    bpy.context.scene.collection.objects.link(thing)
    tie_by_copy(thing)
    go_live(follower, leader)
    updates = []
    bpy.app.handlers.depsgraph_update_pre.append(lambda *_: updates.append(1))
    try:
        for frame in (1, 4, 9):
            bpy.context.scene.frame_set(frame)
            shown = evaluated(leader)
            bone = np.array(shown.matrix_world @ shown.pose.bones["b3"].matrix)
            assert np.abs(np.array(evaluated(thing).matrix_world) - bone).max() < 1e-5
    finally:
        bpy.app.handlers.depsgraph_update_pre.pop()
    assert not updates


def test_figures_that_follow_one_another_in_a_circle_are_solved_all_the_same():
    follower, leader = two_live()
    hang(reach(follower, "b3", (0.0, 0.0, 0.0)), leader, "b3")
    bpy.context.view_layer.objects.active = leader
    hang(reach(leader, "b3", (0.0, 0.0, 0.0)), follower, "b3")
    go_live(follower, leader)
    for frame in (1, 5, 9):
        bpy.context.scene.frame_set(frame)
        assert np.isfinite(tip(follower, "b3")).all() and np.isfinite(tip(leader, "b3")).all()


@pytest.mark.parametrize("mode", ["EACH", "CONTINUOUS"])
def test_a_bake_follows_a_live_figure_as_it_is_shown(mode):
    follower, leader = two_live()
    hang(reach(follower, "b3", (0.0, 0.0, 0.0)), leader, "b3")
    leader.articulate.live_mode = mode
    go_live(leader)
    bpy.ops.articulate.bake(frame_start=1, frame_end=9)
    misses = []
    for frame in range(1, 10):
        bpy.context.scene.frame_set(frame)
        assert miss(leader, "b2") < 1e-3
        misses.append(miss(follower, "b3"))
    told = follower.articulate.report["effectors"]["b3"]["worst"]
    assert told < 0.01 and max(misses) == pytest.approx(told, abs=1e-4)
