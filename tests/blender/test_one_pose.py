# SPDX-License-Identifier: GPL-3.0-or-later
"""A target in the same place gives the same pose by every tool, whichever way the figure came."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from drag_ways import ENDLESS
from installed import module
from test_posture import FEET, ends, hold, person, pull, solve

pytestmark = pytest.mark.solver
FRAMES = 24
BONES = ("spine", "spine.003", "spine.006", "forearm.L", "forearm.R", "hand.L", "hand.R", "shin.L", "shin.R")
ALIKE = 2e-3  # metres


@pytest.fixture(params=[(0.25, -0.05, 2.0), (0.05, -0.18, 1.6), (0.12, -0.45, 0.09), (1.0, -0.1, 1.4)])
def solved(request):
    """A person at ease on both feet, whose left hand can go to a place: rig, place, and the pose there.

    The places are above the head, at the mouth, on the floor and far aside.
    """
    rig = person(root="AUTO")
    bpy.ops.articulate.relaxed_stance()
    bpy.context.view_layer.update()
    hold(rig, *FEET)
    at_ease = [bone.matrix_basis.copy() for bone in rig.pose.bones]
    pull(rig, "hand.L", request.param)
    solve(rig)
    known = ends(rig, *BONES)
    for bone, basis in zip(rig.pose.bones, at_ease, strict=True):
        bone.matrix_basis = basis
    bpy.context.view_layer.update()
    return rig, np.array(request.param), known


def animate(rig, place):
    """The target leaves the hand, comes to the place, and stays for some frames."""
    target = rig.articulate.effectors["hand.L"].target
    start = ends(rig, "hand.L")[1]
    for frame, there in ((1, start), (FRAMES, place), (FRAMES + 8, place)):
        target.location = there
        target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)


@pytest.mark.parametrize("mode", ["EACH", "CONTINUOUS"])
def test_live_takes_the_pose_of_a_solve(solved, mode):
    rig, place, known = solved
    animate(rig, place)
    rig.articulate.live_mode, rig.articulate.live = mode, True
    for frame in range(1, FRAMES + 9):
        bpy.context.scene.frame_set(frame)
    np.testing.assert_allclose(ends(rig, *BONES), known, atol=ALIKE)


def test_a_bake_takes_the_pose_of_a_solve(solved):
    rig, place, known = solved
    animate(rig, place)
    bpy.ops.articulate.bake(frame_start=1, frame_end=FRAMES + 8)
    bpy.context.scene.frame_set(FRAMES + 8)
    np.testing.assert_allclose(ends(rig, *BONES), known, atol=ALIKE)


def test_a_drag_takes_the_pose_of_a_solve(solved):
    rig, place, known = solved
    bpy.ops.articulate.clear()
    drag = module("control.drag.drag")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="hand.L"), budget=ENDLESS)
    for share in np.linspace(0.0, 1.0, FRAMES + 1)[1:]:
        held.move_to(held.anchor + share * (place - held.anchor))
    held.finish(bpy.context)
    np.testing.assert_allclose(ends(rig, *BONES), known, atol=ALIKE)
