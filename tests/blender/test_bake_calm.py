# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes that do not shake: curves that go to and fro from frame to frame are no motion that was asked for."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import animate, curves, reach, tip
from bridge_rigs import metarig

pytestmark = pytest.mark.solver

FRAMES = 250
SEEN = 2e-3  # radians a frame; there and back by less is not seen


@pytest.mark.parametrize(
    ("hands", "feet", "size", "most"),
    [
        ({"hand.L": 0.0, "hand.R": 1.0}, True, 1.0, 0.02),
        ({"hand.L": 0.0, "hand.R": 1.0}, True, 0.3, 0.005),
        ({"hand.R": 1.0}, False, 1.0, 0.005),
        ({"hand.L": 0.0}, True, 1.0, 0.005),
    ],
)
def test_a_smooth_way_of_the_hands_gives_smooth_curves(hands, feet, size, most):
    rig = metarig("human")
    if feet:
        rig.articulate.solver.root = "FREE"
        for foot in ("foot.L", "foot.R"):
            bpy.ops.articulate.pin(bone=foot, kind="POSE")
    for hand, phase in hands.items():
        start = tip(rig, hand)
        ways = {
            f: (0.25 * np.sin(0.07 * f + phase) - 0.2, 0.3 * np.cos(0.05 * f) - 0.3, 0.3 * np.sin(0.11 * f))
            for f in range(1, FRAMES + 1)
        }
        animate(reach(rig, hand, start), {f: start + size * np.array(way) for f, way in ways.items()})
    bpy.ops.articulate.bake(frame_start=1, frame_end=FRAMES)
    keys = [np.array([value for _frame, value in curve]) for curve in curves(rig).values()]
    assert sum(_reversals(values) for values in keys) <= most * sum(len(values) for values in keys)


def _reversals(values: np.ndarray) -> int:
    """In how many frames a curve turns round with some speed."""
    steps = np.diff(values)
    apart = np.minimum(np.abs(steps[1:]), np.abs(steps[:-1]))
    return int(((steps[1:] * steps[:-1] < 0.0) & (apart > SEEN)).sum())
