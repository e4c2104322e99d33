# SPDX-License-Identifier: GPL-3.0-or-later
"""Live figures that hang from one another or follow each other: all are right in the frame that is shown."""

from __future__ import annotations

from collections.abc import Iterator

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


def test_figures_that_follow_one_another_in_a_circle_are_solved_all_the_same():
    follower, leader = two_live()
    hang(reach(follower, "b3", (0.0, 0.0, 0.0)), leader, "b3")
    bpy.context.view_layer.objects.active = leader
    hang(reach(leader, "b3", (0.0, 0.0, 0.0)), follower, "b3")
    go_live(follower, leader)
    for frame in (1, 5, 9):
        bpy.context.scene.frame_set(frame)
        assert np.isfinite(tip(follower, "b3")).all() and np.isfinite(tip(leader, "b3")).all()
