# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures that obstacles hold fast: an update of a drag ends soon, nothing goes deeper in, and pins hold."""

from __future__ import annotations

from collections import Counter

import bpy
import installed
import numpy as np
import pytest
import unfriendly

import ikmath as ik
from ikmath.solvers.descent.guard import Guard
from ikmath.solvers.descent.picture import Picture

drag = installed.module("control.drag")

STEPS, LOOKS = 100, 400  # of one update, of which one of a figure that is stuck took thousands
UPDATES = 4
SLIGHT = 1e-3  # of the figure's height, that nobody sees


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts the steps that are worked out, and the poses that are measured among obstacles."""
    done: Counter[str] = Counter()

    def count(owner: type, name: str) -> None:
        own = getattr(owner, name)

        def counted(*given: object, **options: object) -> object:
            done[name] += 1
            return own(*given, **options)

        monkeypatch.setattr(owner, name, counted)

    count(Picture, "step")
    count(Guard, "near")
    return done


def depth(held) -> float:
    """How far inside the figure is, as Blender shows it, metres."""
    channels = held._figure.state.channels if held._last is None else held._last.channels
    shown, scene = held._figure.posed(channels), held._task.problem.scene
    return max(0.0, -float(scene.on(shown.shown).clearance(ik.Pose.forward(shown.shown, shown.q))))


@pytest.mark.parametrize("budget", [np.inf, 1e6], ids=["by script", "in the window"])
@pytest.mark.parametrize("seed", [0, 1, 4, 7, 8])
def test_an_update_ends_soon_and_leads_no_deeper(seed: int, budget: float, work: Counter[str]) -> None:
    scene = unfriendly.scene(seed)
    held = drag.Drag(scene.rig, bpy.context, drag.Grip(bone=scene.grips[0]), budget=budget)
    deep = depth(held)
    for share in np.linspace(0.0, 1.0, UPDATES + 1)[1:]:
        work.clear()
        held.move_to(held.anchor + share * scene.ways[0])
        assert work["step"] < STEPS and work["near"] < LOOKS, work
        now = depth(held)
        assert now < deep + SLIGHT * scene.height
        deep = min(deep, now)
    work.clear()
    held.finish(bpy.context)
    assert work["step"] < 2 * STEPS and work["near"] < 2 * LOOKS, work
    assert depth(held) < deep + SLIGHT * scene.height
