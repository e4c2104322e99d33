# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed linkages: rows that only rounding keeps apart hold no motion, whatever their priority."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath import rotation

START = np.array([0.0, -1.2, 0.3])


def four_bars(tilt: float, priority: int, degrees: int) -> ik.Problem:
    """A crank that is led once round, a coupler and a rocker, all in one plane but for so many radians."""
    rng = np.random.default_rng(0)

    def frame() -> np.ndarray:
        return rotation.exp(tilt * rng.normal(size=3))

    skeleton = ik.Skeleton(
        [
            ik.Joint("ground", None, turns=""),
            ik.Joint("crank", "ground", turns="z", rotation=frame()),
            ik.Joint("coupler", "crank", translation=(0, 1, 0), turns="z", rotation=frame()),
            ik.Joint("rocker", "ground", translation=(4, 0, 0), turns="z", rotation=frame()),
        ]
    )
    angle = np.radians(degrees) * np.arange(360 // degrees + 1)
    round_ = np.stack([np.sin(angle), np.cos(angle), 0.0 * angle], -1)[:, None]
    goals = [
        ik.Loop("coupler", (0, np.sqrt(10), 0), "rocker", (0, 2.5, 0)),
        ik.Position(["crank"], target=round_, offset=(0, 1, 0), priority=priority),
    ]
    return ik.Problem(skeleton, goals, posture=ik.Posture(START, gain=1e-3))


@pytest.mark.parametrize("degrees", [2, 10])
@pytest.mark.parametrize("priority", [0, 1])
@pytest.mark.parametrize("tilt", [0.0, 1e-9, 1e-7])
def test_a_crank_drives_four_bars_round(tilt: float, priority: int, degrees: int) -> None:
    track = ik.solve_track(four_bars(tilt, priority, degrees), START)
    assert track.errors.max() < 1e-4  # within the tolerance that is given where none is told


def test_hinges_that_say_the_same_twice_leave_a_door_free_to_turn() -> None:
    """Two points of a door on its hinges, a little off: each alone would hold it, and both together."""
    door = ik.Skeleton([ik.Joint("door", None, turns="xyz", slides="xyz")])
    for off in (0.0, 1e-8, 1e-7):
        hinges = [
            ik.Position("door", (0, 0, 0), name="lower hinge"),
            ik.Position("door", (off, 0, 1.0), offset=(0, 0, 1.0), name="middle hinge"),
            ik.Position("door", (0, off, 2.0), offset=(0, 0, 2.0), name="upper hinge"),
        ]
        q = np.zeros(6)
        for degrees in range(0, 91, 10):
            turned = np.radians(degrees)
            handle = ik.Position(
                "door", (np.cos(turned), np.sin(turned), 1.0), offset=(1, 0, 1.0), priority=1, name="handle"
            )
            answer = ik.solve(ik.Problem(door, [*hinges, handle], posture=ik.Posture(q)), q)
            assert answer.errors.max() < 1e-4, (off, degrees)
            q = answer.q
