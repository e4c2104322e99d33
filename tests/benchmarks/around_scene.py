# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands and paws that are led to random places with a ball, a block or a wall on the way.

Rigify's person and wolf, both feet pinned, self-collision in every second scene. *Scripted*: twelve updates
without a limit of time, each to its end, and the drag finished. *In the window*: the same way in sixty
updates with the operator's budget, then as many as it takes to come to rest. Told are an update's processor
time and steps of the solver (median and worst), and where it ends: how far the hand and the pins are from
where they are to be, and the clearance, in shares of the figure's size.

Run by `run.py around`, with the path of the extension's zip.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "blender"))

import bpy
import numpy as np
from blender_scene import addon_module, install
from metarig_clips import metarig
from timing import clock, machine, table

UPDATES, IN_WINDOW, RESTING = 12, 60, 160
BUDGET = 1.0 / 60.0  # seconds, as the operator has it
FIGURES = ("human", "basic_human", "wolf", "human")
FRONT = {"wolf": ("front_foot.L", "front_foot.R")}
HANDS, FEET = ("hand.L", "hand.R"), ("foot.L", "foot.R")


class Scene(NamedTuple):
    """Who is led where: the armature, the bone, the place (3,), and the figure's size in metres."""

    rig: bpy.types.Object
    end: str
    goal: np.ndarray
    size: float


class Way(NamedTuple):
    """What a drag came to: seconds and steps of each update, and where hand, pins and body end."""

    seconds: list[float]
    steps: list[int]
    hand: float
    pins: float
    clearance: float


def main(zip_path: Path, *options: str) -> None:
    """Drag in every scene and print what it came to."""
    told = dict(option.lstrip("-").split("=", 1) for option in options)
    first, count, draw = (int(told.get(*one)) for one in (("first", 0), ("scenes", 24), ("draw", 5)))
    print(f"\nBlender {bpy.app.version_string} ({machine()})")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    install(zip_path)
    rows, together = [], {scripted: list[Way](), in_window: list[Way]()}
    for seed in range(first, first + count):
        for way, others in together.items():
            scene = build(draw, seed)
            came = way(scene)
            others.append(came)
            ends = f"{came.hand:.4f}", f"{came.pins:.5f}", f"{came.clearance:.4f}"
            name = f"{seed} {scene.rig.name}, {way.__name__}"
            rows.append((name, *_cells(came.seconds, 1e3), *_cells(came.steps, 1), *ends))
    print(table(("", "ms", "worst ms", "steps", "worst", "hand", "pins", "clear"), rows))
    rows = [(way.__name__, *_summary(ways)) for way, ways in together.items()]
    print("\n" + table(("all scenes", "ms", "slowest", "worst ms", "slowest", "steps", "worst"), rows))


def build(draw: int, seed: int) -> Scene:
    """One scene."""
    rng = np.random.default_rng([draw, seed])
    name = FIGURES[seed % 4]
    rig = metarig(name)
    rig.name = name
    bpy.ops.object.mode_set(mode="POSE")
    for foot in FEET:
        bpy.ops.articulate.pin(bone=foot, kind="POSE")
    end = FRONT.get(name, HANDS)[rng.integers(2)]
    tails = np.array([rig.matrix_world @ bone.tail for bone in rig.pose.bones])
    size, start, middle = np.ptp(tails, axis=0).max(), _tip(rig, end), tails.mean(0)
    goal = middle + rng.normal(size=3) * size * (0.3, 0.3, 0.25)
    between = 0.5 * (start + goal)
    bpy.ops.object.mode_set(mode="OBJECT")
    if seed % 3 == 0:
        bpy.ops.mesh.primitive_uv_sphere_add(radius=0.12 * size, location=between)
    elif seed % 3 == 1:
        aside = 0.05 * size * rng.normal(size=3)
        bpy.ops.mesh.primitive_cube_add(size=0.3 * size, location=between + aside)
    else:
        bpy.ops.mesh.primitive_cube_add(size=1.0, location=(middle[0], start[1] - 0.35 * size, 0.5 * size))
        bpy.context.object.scale = size * np.array((1.2, 0.02, 1.0))
    obstacle = bpy.context.object
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.articulate.obstacle_add(object=obstacle.name)
    rig.articulate.body.self_collision = bool(seed % 2)
    return Scene(rig, end, goal, float(size))


def scripted(scene: Scene) -> Way:
    """Twelve updates to their ends."""
    return led(scene, UPDATES, 0, np.inf)


def in_window(scene: Scene) -> Way:
    """Many updates with the operator's budget."""
    return led(scene, IN_WINDOW, RESTING, BUDGET)


def led(scene: Scene, updates: int, resting: int, budget: float) -> Way:
    """Lead the hand to its place, in so many updates, and at most so many more with the mouse at rest."""
    module: Any = addon_module("control.drag.drag")
    rig, end, goal, size = scene
    pins = {foot: _tip(rig, foot) for foot in FEET}
    drag = module.Drag(rig, bpy.context, module.Grip(bone=end), budget=budget)
    seconds, steps, work = [], [], counted()
    for share in _shares(updates, resting):
        next(work)
        started = clock()
        moved = drag.move_to(drag.anchor + share * (goal - drag.anchor))
        seconds.append(clock() - started)
        steps.append(next(work))
        if share == 1.0 and moved.arrived:
            break
    next(work)
    started = clock()
    drag.finish(bpy.context)
    seconds.append(clock() - started)
    steps.append(next(work))
    work.close()
    bpy.context.view_layer.update()
    off = max(float(np.linalg.norm(_tip(rig, foot) - place)) for foot, place in pins.items())
    hand = float(np.linalg.norm(_tip(rig, end) - goal))
    bpy.ops.articulate.effector_add(bone=end, kind="POSITION")
    rig.articulate.active.target.location = _tip(rig, end)
    bpy.context.view_layer.update()
    bpy.ops.articulate.solve()
    return Way(seconds, steps, hand / size, off / size, rig.articulate.report["clearance"] / size)


def counted() -> Iterator[int]:
    """Steps that solvers have proposed, in turn with zeros from which they are counted anew."""
    driver: Any = sys.modules["ikmath.solvers.driver"].IterationDriver
    propose, count = driver._propose, 0

    def noted(*given: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        return propose(*given, **options)

    driver._propose = noted
    try:
        while True:
            count = 0
            yield 0
            yield count
    finally:
        driver._propose = propose


def _shares(updates: int, resting: int) -> list[float]:
    return [*np.linspace(0.0, 1.0, updates + 1)[1:].tolist(), *[1.0] * resting]


def _tip(rig: bpy.types.Object, bone: str) -> np.ndarray:
    return np.array(rig.matrix_world @ rig.pose.bones[bone].tail)


def _summary(ways: list[Way]) -> tuple[str, ...]:
    """Of all scenes' medians and worst updates the median and the largest; of their steps the medians."""
    took = np.array([(np.median(way.seconds), max(way.seconds)) for way in ways])
    steps = np.median([(np.median(way.steps), max(way.steps)) for way in ways], 0)
    cells = [f"{1e3 * one:.0f}" for pair in zip(np.median(took, 0), took.max(0), strict=True) for one in pair]
    return *cells, *(f"{one:.0f}" for one in steps)


def _cells(numbers: list[Any], scale: float) -> tuple[str, str]:
    return f"{scale * float(np.median(numbers)):.0f}", f"{scale * max(numbers):.0f}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
    sys.stdout.flush()
    os._exit(0)  # Blender 4.2 crashes and 4.5 hangs at exit while add-ons' handlers are registered
