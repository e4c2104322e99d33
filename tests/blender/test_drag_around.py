# SPDX-License-Identifier: GPL-3.0-or-later
"""Drags round what stands between a hand and where it is led: it gets there, and what is pinned stays."""

from __future__ import annotations

import sys
import time
from functools import cache
from itertools import count
from types import SimpleNamespace
from typing import Any

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import tip
from metarig_clips import metarig

pytestmark = pytest.mark.solver

UPDATES = 12
IN_WINDOW, RESTING = 60, 240  # updates with the mouse on its way, and at most so many with it at rest
NEED_A_SEARCH = (13,)
SEEDS = *range(2, 8), *NEED_A_SEARCH  # scenes
MOST = 200  # poses that one of them may look at
STEPS = 3  # of the solver, in an update whose time is over at once
LAST_TURN = 5.0  # degrees that a bone turns in it


def person(seed: int) -> tuple[bpy.types.Object, str, np.ndarray]:
    """A person with pinned feet and a ball, a block or a board on the way of a hand to a random place.

    Returns:
        The figure, the hand's bone, and the place (3,), world.
    """
    rng = np.random.default_rng([5, seed])
    rig = metarig("human")
    hand = rng.choice(["hand.L", "hand.R"])
    bpy.ops.object.mode_set(mode="POSE")
    for foot in ("foot.L", "foot.R"):
        bpy.ops.articulate.pin(bone=foot, kind="POSE")
    tails = np.array([rig.matrix_world @ bone.tail for bone in rig.pose.bones])
    height, start = np.ptp(tails, axis=0).max(), tip(rig, hand)
    goal = tails.mean(0) + rng.normal(size=3) * height * (0.3, 0.3, 0.25)
    middle = 0.5 * (start + goal)
    bpy.ops.object.mode_set(mode="OBJECT")
    if seed % 3 == 0:
        bpy.ops.mesh.primitive_uv_sphere_add(radius=0.12 * height, location=middle)
    elif seed % 3 == 1:
        bpy.ops.mesh.primitive_cube_add(size=0.3 * height, location=middle)
    else:
        bpy.ops.mesh.primitive_cube_add(location=(start[0], start[1] - 0.2 * height, 0.5 * height))
        bpy.context.object.scale = height * np.array((0.6, 0.01, 0.5))
    obstacle = bpy.context.object
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.articulate.obstacle_add(object=obstacle.name)
    return rig, str(hand), goal


@cache
def solved_error(seed: int) -> float:
    """How far from the place of a scene a *Solve* leaves the hand, metres; the file is then empty again."""
    rig, hand, goal = person(seed)
    bpy.ops.articulate.effector_add(bone=hand)
    rig.articulate.active.target.location = goal
    bpy.ops.articulate.solve()
    error = float(rig.articulate.effectors[hand].error)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return error


def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one for each pose that a solver looks at among obstacles."""
    guard: Any = sys.modules["ikmath.solvers.collision_guard"].CollisionGuard
    near, seen = guard.near, []

    def noted(self: Any, pose: Any) -> Any:
        seen.append(len(seen))
        return near(self, pose)

    monkeypatch.setattr(guard, "near", noted)
    return seen


def proposed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one for each step that a solver works out."""
    driver: Any = sys.modules["ikmath.solvers.driver"].IterationDriver
    propose, seen = driver._propose, []

    def noted(*given: Any, **options: Any) -> Any:
        seen.append(len(seen))
        return propose(*given, **options)

    monkeypatch.setattr(driver, "_propose", noted)
    return seen


@pytest.mark.parametrize("seed", SEEDS)
def test_a_hand_gets_to_where_a_solve_would_bring_it(seed):
    solved = solved_error(seed)
    rig, hand, goal = person(seed)
    feet = {name: tip(rig, name) for name in ("foot.L", "foot.R")}
    held = installed.module("control.drag.drag")
    drag = held.Drag(rig, bpy.context, held.Grip(bone=hand))
    way = goal - drag.anchor
    for share in np.linspace(0.0, 1.0, UPDATES + 1)[1:]:
        moved = drag.move_to(drag.anchor + share * way)
    drag.finish(bpy.context)
    bpy.context.view_layer.update()
    assert moved.error < 1.05 * solved + 1e-3, (moved.error, solved)
    assert all(np.linalg.norm(tip(rig, name) - place) < 1e-3 for name, place in feet.items())
    bpy.ops.articulate.solve()
    assert rig.articulate.report["clearance"] > -1e-3


@pytest.mark.parametrize("seed", SEEDS)
def test_in_the_window_too_and_no_update_takes_long(seed, monkeypatch):
    solved = solved_error(seed)
    rig, hand, goal = person(seed)
    held, header = installed.module("control.drag.drag"), installed.module("operators.status_bar").header
    # a budget that is used up at once: each update ends as soon as it may
    drag = held.Drag(rig, bpy.context, held.Grip(bone=hand), budget=1e-9)
    seen, most, searched = looked_at(monkeypatch), 0, []
    for share in [*np.linspace(0.0, 1.0, IN_WINDOW + 1)[1:], *[1.0] * RESTING]:
        before = len(seen)
        moved = drag.move_to(drag.anchor + share * (goal - drag.anchor))
        most = max(most, len(seen) - before)
        searched.append("looking for another way" in header(drag, SimpleNamespace(turning=False, text=[])))
        if share == 1.0 and moved.arrived:
            break
    assert moved.error < 1.05 * solved + 1e-3, (moved.error, solved)
    assert most < MOST
    assert not any(searched[:IN_WINDOW]) and not searched[-1]
    assert any(searched) or seed not in NEED_A_SEARCH


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock on which each time limit is over when it is looked at."""
    seconds = count()
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(seconds)))


@pytest.mark.parametrize("seed", [5, 7, 13])
def test_each_part_of_an_update_ends_with_its_time(seed, monkeypatch):
    hurry(monkeypatch)
    rig, hand, goal = person(seed)
    held = installed.module("control.drag.drag")
    drag = held.Drag(rig, bpy.context, held.Grip(bone=hand), budget=1e-9)
    drag.move_to(drag.anchor)
    steps, most = proposed(monkeypatch), 0
    for share in [*np.linspace(0.0, 1.0, IN_WINDOW + 1)[1:], *[1.0] * RESTING]:
        before = len(steps)
        moved = drag.move_to(drag.anchor + share * (goal - drag.anchor))
        most = max(most, len(steps) - before)
        if share == 1.0 and moved.arrived:
            break
    assert moved.arrived
    assert most <= STEPS


def test_the_release_moves_no_joint_far_and_does_not_search(monkeypatch):
    """The hand is still on the wrong side of a ball, and a way round it would take seconds."""
    rig, hand, goal = person(NEED_A_SEARCH[0])
    feet = {name: tip(rig, name) for name in ("foot.L", "foot.R")}
    held = installed.module("control.drag.drag")
    drag = held.Drag(rig, bpy.context, held.Grip(bone=hand), budget=1e-9)
    for share in np.linspace(0.0, 1.0, IN_WINDOW + 1)[1:]:
        moved = drag.move_to(drag.anchor + share * (goal - drag.anchor))
    bpy.context.view_layer.update()
    assert moved.error > 0.05
    seen = {bone: bone.matrix_basis.to_quaternion() for bone in rig.pose.bones}
    hurry(monkeypatch)
    steps = proposed(monkeypatch)
    drag.finish(bpy.context)
    bpy.context.view_layer.update()
    turned = [one.rotation_difference(bone.matrix_basis.to_quaternion()) for bone, one in seen.items()]
    assert max(np.degrees(turn.angle) for turn in turned) < LAST_TURN
    assert len(steps) <= STEPS
    assert all(np.linalg.norm(tip(rig, name) - place) < 1e-3 for name, place in feet.items())


def test_to_begin_anew_is_not_tried_where_it_cannot_help(monkeypatch):
    """A hand is led into a ball: it lies on its surface, and nobody comes nearer."""
    rig, hand, _ = person(3)
    held, solver = installed.module("control.drag.drag"), installed.module("control.drag.solver")
    ball = rig.articulate.obstacles[0].object
    tried = []
    solve = solver.solve_task

    def noted(task: Any, before: Any = None, **options: Any) -> Any:
        tried.append(before is None)
        return solve(task, before, **options)

    monkeypatch.setattr(solver, "solve_task", noted)
    drag = held.Drag(rig, bpy.context, held.Grip(bone=hand))
    middle = np.array(ball.matrix_world.translation)
    out = (drag.anchor - middle) / np.linalg.norm(drag.anchor - middle)
    radius = 0.5 * max(ball.dimensions)
    for deep in (0.1, 0.2, 0.3, 0.4):
        drag.move_to(middle + (1.0 - deep) * radius * out)
    assert tried.count(True) <= 2  # the first of all is one
