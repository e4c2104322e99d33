# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlay takes of a redraw: the metarig with five effectors, limits on knees and elbows.

*Same*: nothing has changed since the redraw before, as when the view is turned. *Else*: something has, but
nothing that is drawn. *Posed*: a bone has been turned and the scene evaluated, which is not counted. All up
to the arrays that go to the GPU; without a window there is nothing to draw on. Processor time of the main
thread, median.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import blender_scene
import bpy
import numpy as np
from timing import clock, machine, table

REDRAWS = 150
BAR = 1000.0  # us
PARTS = {
    "as it is at first": (),
    "with manipulability": ("ellipsoid",),
    "with the centre of mass": ("balance",),
    "with capsules": ("body",),
    "with critical points": ("critical",),
}


def main(zip_path: Path) -> None:
    """Measure and print."""
    print(f"\nBlender {bpy.app.version_string} ({machine()})\n")
    figure, targets = blender_scene.build_scene(1.0)
    blender_scene.install(zip_path)
    blender_scene.add_effectors(figure, targets)
    for side in "LR":
        for name in ("forearm", "shin"):
            bone = figure.pose.bones[f"{name}.{side}"]
            bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, 0.0, 2.4
    bpy.ops.articulate.body_fit()
    bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=32, location=(1.7, 0.0, 1.0))
    sphere = bpy.context.object
    bpy.context.view_layer.objects.active = figure
    bpy.ops.articulate.obstacle_add(object=sphere.name)
    rows = []
    for name, parts in PARTS.items():
        *times, lines = measure(figure, parts)
        rows.append((name, *(f"{time:.0f}" for time in times), lines))
    print(table(("", "same us", "else us", "posed us", "lines"), [*rows, ("bar", *[f"{BAR:.0f}"] * 3, "")]))


def measure(figure: bpy.types.Object, parts: tuple[str, ...]) -> tuple[float, float, float, int]:
    """Median microseconds of a redraw, see the module, and how many lines there are."""
    package = next(a.module for a in bpy.context.preferences.addons if a.module.endswith(".articulate"))
    sketch = importlib.import_module(f"{package}.viewport.draw_data").Sketch()
    rig: Any = figure
    for name in ("critical", "balance", "ellipsoid"):
        setattr(rig.articulate.overlay, name, name in parts)
    rig.articulate.body.show = "body" in parts
    bone = figure.pose.bones["upper_arm.L"]

    def note(_scene: Any, depsgraph: Any) -> None:
        sketch.note(depsgraph)

    bpy.app.handlers.depsgraph_update_post.append(note)
    same, other, posed, lines = [], [], [], 0
    for number in range(REDRAWS):
        bone.rotation_quaternion = (1.0, 0.0, 0.0, 0.001 * (number + 1))
        bpy.context.view_layer.update()
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for times in (posed, same, other):
            if times is other:
                sketch.note(depsgraph)
            start = clock()
            drawing = sketch.drawing(figure, depsgraph)
            times.append(clock() - start)
        lines = len(drawing.lines) // 2
    bpy.app.handlers.depsgraph_update_post.remove(note)
    medians = [1e6 * float(np.median(times)) for times in (same, other, posed)]
    return *medians, lines


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    sys.stdout.flush()
    os._exit(0)  # Blender as a module may hang at the end
