# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes of random smooth clips on figures that nothing was tuned for; more by `build.py bench -- clips`."""

from __future__ import annotations

import metarig_clips
import pytest

pytestmark = pytest.mark.solver


@pytest.mark.parametrize(
    ("rig", "seed"), [("basic_human", 0), ("horse", 0), ("bird", 1), ("basic_quadruped", 0)]
)
def test_what_can_be_reached_is_reached_without_pops(rig: str, seed: int) -> None:
    clip = metarig_clips.make(rig, "within", seed)
    misses, turns = metarig_clips.bake(clip)
    assert misses.max() < 1e-3 * clip.size
    assert turns.max() < 15.0


@pytest.mark.parametrize(("rig", "seed"), [("wolf", 0), ("wolf", 4), ("human", 0)])
def test_out_of_reach_nothing_pops(rig: str, seed: int) -> None:
    _, turns = metarig_clips.bake(metarig_clips.make(rig, "out", seed))
    assert turns.max() < 15.0


@pytest.mark.parametrize(("rig", "seed"), [("basic_quadruped", 0), ("shark", 0)])
def test_in_conflict_nothing_pops(rig: str, seed: int) -> None:
    _, turns = metarig_clips.bake(metarig_clips.make(rig, "conflict", seed))
    assert turns.max() < 15.0
