# SPDX-License-Identifier: GPL-3.0-or-later
"""Continuous live frames of a motion: steady targets give steady poses, also near straight and bent limbs."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import add, evaluated
from bridge_rigs import metarig

FRAMES = 40
MOTIONS = {
    "hand to the floor": ("hand.L", (-0.009, -0.012, -0.018), ("foot.L", "foot.R")),
    "step": ("foot.L", (0.0, -0.0125, 0.0025), ("foot.R",)),
    "hips down": ("spine", (0.0, 0.0, -0.0075), ("foot.L", "foot.R")),
}


@pytest.mark.solver
@pytest.mark.parametrize("name", MOTIONS)
def test_a_steady_target_moves_the_figure_steadily(name: str):
    """At no frame does a bone's motion change by more than a finger's breadth, mostly by a millimetre."""
    bone, step, pinned = MOTIONS[name]
    rig = metarig()
    for foot in pinned:
        bpy.ops.articulate.pin(bone=foot, kind="POSE")
    target = add(bone).target
    rig.articulate.live_mode = "CONTINUOUS"
    rig.articulate.live = True
    places = []
    for _ in range(FRAMES):
        target.location = np.array(target.location) + step
        bpy.context.view_layer.update()
        places.append([np.array(one.head) for one in evaluated(rig).pose.bones])
    changes = np.linalg.norm(np.diff(places[3:], 2, axis=0), axis=2).max(axis=1)  # the start is a change, too
    assert np.median(changes) < 2e-3
    assert changes.max() < 2e-2
