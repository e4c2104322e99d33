# SPDX-License-Identifier: GPL-3.0-or-later
"""What each constant of drags is good for: halved and doubled, on drags of the metarig's hand and head.

A drag goes along half a circle, then straight out of reach, and rests at the end of both. Updates have the
time that the operator gives them, so the numbers vary a little from run to run. Each row is one constant with
one value:

- error: mean distance of the hand from the mouse while it moves, millimetres;
- at rest: the same at the end of the half circle and at the end of the way out of reach;
- updates: until the figure rests, both ends together; ms: of one update, median;
- turn: degrees that a bone turns in one update at most.
"""

from __future__ import annotations

import importlib
import os
import sys
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import blender_scene
import bpy
import numpy as np
from interactive_scene import BUDGET, person
from timing import clock, machine, table
from variation import variations

HEADER = ("constant", "value", "error", "at rest", "out of reach", "updates", "ms", "turn")
MOVING, RESTING = 20, 40
"""Updates while the mouse moves, and at most while it rests."""
HELD = {"hand.L": 0.2, "spine.006": 0.15}
"""Bone -> radius of its half circle, metres."""


@dataclass
class Found:
    """What the drags came to: errors in metres, seconds, radians."""

    moving: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    updates: int = 0
    turn: float = 0.0

    def row(self, name: str, value: str) -> tuple[str, ...]:
        """A line of the table."""
        near, far = 1e3 * np.mean(self.ends[::2]), 1e3 * np.mean(self.ends[1::2])
        cells = f"{1e3 * np.mean(self.moving):.2f}", f"{near:.3f}", f"{far:.2f}", f"{self.updates}"
        return name, value, *cells, f"{1e3 * np.median(self.seconds):.2f}", f"{np.degrees(self.turn):.1f}"


def main(zip_path: Path, arguments: list[str]) -> None:
    """Measure and print."""
    options = dict(argument.removeprefix("--").split("=") for argument in arguments)
    blender_scene.build_scene(1.0)  # which also enables Rigify
    blender_scene.install(zip_path)
    print(f"\nBlender {bpy.app.version_string} ({machine()})\n")
    package = next(a.module for a in bpy.context.preferences.addons if a.module.endswith("articulate"))
    drag, solver = (importlib.import_module(f"{package}.control.drag.{name}") for name in ("drag", "solver"))
    rig = person()
    dragged(drag, rig)  # warm
    rows = [dragged(drag, rig).row("(defaults)", "1")]
    for name, values in variations(solver.DEFAULTS, options.get("only", "")):
        for value, constants in values:
            drag.DragSolver = partial(solver.DragSolver, parameters=constants)
            rows.append(dragged(drag, rig).row(name, value))
    print(table(HEADER, rows))


def dragged(module: Any, rig: bpy.types.Object) -> Found:
    """All drags with the constants that the module has at the moment."""
    found = Found()
    for bone, radius in HELD.items():
        held = module.Drag(rig, bpy.context, module.Grip(bone=bone), budget=BUDGET)
        angles = np.linspace(0.0, np.pi, MOVING)
        circle = radius * np.stack([np.cos(angles) - 1.0, -0.3 * np.sin(angles), np.sin(angles)], 1)
        out = circle[-1] + np.linspace(0.0, 1.0, MOVING)[:, None] * [0.0, -0.8, 0.6]
        for way in (circle, out):
            for point in way:
                found.moving.append(update(rig, held, point, found))
            for _ in range(RESTING):
                update(rig, held, way[-1], found)
                found.updates += 1
                if held.moved.arrived:
                    break
            found.ends.append(held.moved.error)
        held.cancel()
        bpy.context.view_layer.update()
    return found


def update(rig: bpy.types.Object, held: Any, way: np.ndarray, found: Found) -> float:
    """One update with the mouse at a point from the anchor; the error in metres."""
    before = turns(rig)
    began = clock()
    moved = held.move_to(held.anchor + way)
    found.seconds.append(clock() - began)
    bpy.context.view_layer.update()
    cosine = (before * turns(rig)).sum((1, 2))
    angle = np.arccos(np.clip(0.5 * (cosine - 1.0), -1.0, 1.0))
    found.turn = max(found.turn, float(angle.max()))
    return float(moved.error)


def turns(rig: bpy.types.Object) -> np.ndarray:
    """(B, 3, 3) the bones' rotations, each against its parent."""
    return np.array([bone.matrix_basis.to_3x3() for bone in rig.pose.bones])


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
    sys.stdout.flush()
    os._exit(0)  # Blender 4.2 crashes and 4.5 hangs at exit while add-ons' handlers are registered
