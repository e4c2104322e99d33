# SPDX-License-Identifier: GPL-3.0-or-later
"""A mouse that moves evenly moves the figure evenly, also where the bone in the hand cannot follow."""

from __future__ import annotations

import bpy
import drag_ways
import installed
import natural_poses as natural
import numpy as np
import pytest
from mathutils import Matrix

pytestmark = pytest.mark.solver

drag = installed.module("control.drag.drag")

STEP = 0.005  # of the figure's height, a centimetre
LED = {
    "head forward": ("head", (0.0, -0.2, 0.0)),  # level, so that the legs are too short for it
    "head aside": ("head", (0.2, 0.0, 0.0)),
    "chest forward": ("chest", (0.0, -0.2, 0.0)),
    "chest aside": ("chest", (0.2, 0.0, 0.0)),
    "hand aside": ("hand", (0.2, 0.0, 0.0)),  # the arm gets straight
}
BONES = {"head": "spine.006", "chest": "spine.003", "hand": "hand.L"}
SEEN = (
    "spine",
    "spine.001",
    "spine.003",
    "spine.005",
    "spine.006",
    "thigh.L",
    "shin.L",
    "upper_arm.L",
    "forearm.L",
)


def _turned(rig: bpy.types.Object, before: dict[str, Matrix]) -> np.ndarray:
    """(B, 3) rotation vectors of the bones since a pose, radians."""
    turns = [rig.pose.bones[name].matrix.to_3x3() @ before[name].inverted() for name in SEEN]
    return np.array([turn.to_quaternion().to_exponential_map() for turn in turns])


@pytest.mark.parametrize("led", LED)
def test_an_even_mouse_moves_no_bone_to_and_fro(led: str) -> None:
    """Bones kept changing their turn by up to 18 degrees from one centimetre to the next."""
    rig, (part, way) = drag_ways.figure("human"), LED[led]
    held = drag.Drag(rig, bpy.context, drag.Grip(bone=BONES[part]), budget=drag_ways.ENDLESS)
    count = round(np.linalg.norm(way) / STEP)
    end, turns = natural.height(rig) * np.array(way), []
    for share in np.linspace(0.0, 1.0, count + 1)[1:]:
        before = {name: rig.pose.bones[name].matrix.to_3x3() for name in SEEN}
        held.move_to(held.anchor + share * end)
        bpy.context.view_layer.update()
        turns.append(_turned(rig, before))
    changes = np.degrees(np.linalg.norm(np.diff(turns, axis=0), axis=2)).max(axis=1)
    assert np.quantile(changes, 0.95) < 5.0, np.round(changes, 1)
    assert np.median(changes) < 1.0, np.round(changes, 1)
