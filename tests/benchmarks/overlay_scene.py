# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlay takes of a redraw: the metarig with five effectors and limits on knees and elbows.

It is among three meshes: a table before it, a ball at a hand, a monkey before its face.

*Same*: nothing has changed since the redraw before, as when the view is turned. *Else*: something has, but
nothing that is drawn. *Posed*: spine, arms and legs have been turned and the scene evaluated, which is not
counted; *dragged* is the same with the figure in the user's hand. All up to the arrays that go to the GPU;
without a window there is nothing to draw on. Processor time of the main thread, median, and what one in ten
of those that are posed exceeds: what is near is sought anew only every few redraws.
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
POSED = (
    "spine",
    "spine.003",
    *(f"{name}.{side}" for name in ("upper_arm", "forearm", "thigh") for side in "LR"),
)
HAND = (0.95, 0.0, 1.3)
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
    figure = prepare(zip_path)
    rows = []
    for name, parts in PARTS.items():
        *times, slow, lines = measure(figure, parts)
        dragged = measure(figure, parts, figure.session_uid)[2]
        rows.append((name, *(f"{time:.0f}" for time in (*times, dragged, slow)), lines))
    head = ("", "same us", "else us", "posed us", "dragged us", "posed p90 us", "lines")
    print(table(head, [*rows, ("bar", *[f"{BAR:.0f}"] * 4, "", "")]))


def prepare(zip_path: Path) -> bpy.types.Object:
    """The figure in its surroundings."""
    figure, targets = blender_scene.build_scene(1.0)
    blender_scene.install(zip_path)
    blender_scene.add_effectors(figure, targets)
    for side in "LR":
        for name in ("forearm", "shin"):
            bone = figure.pose.bones[f"{name}.{side}"]
            bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, 0.0, 2.4
    bpy.ops.articulate.body_fit()
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, -0.5, 0.8), scale=(1.2, 0.6, 0.05))
    bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=32, radius=0.12, location=HAND)
    bpy.ops.mesh.primitive_monkey_add(size=0.3, location=(0.0, -0.45, 1.6))
    for thing in [thing for thing in bpy.data.objects if thing.type == "MESH" and not thing.parent]:
        bpy.context.view_layer.objects.active = figure
        bpy.ops.articulate.obstacle_add(object=thing.name)
    return figure


def measure(
    figure: bpy.types.Object, parts: tuple[str, ...], dragged: int = 0
) -> tuple[float, float, float, float, int]:
    """Microseconds of a redraw, see the module, and how many lines there are.

    Args:
        figure: the armature; parts: what is switched on besides.
        dragged: session id of what is in the user's hand.
    """
    manager: Any = bpy.context.window_manager
    manager.articulate.dragged = dragged
    package = next(a.module for a in bpy.context.preferences.addons if a.module.endswith(".articulate"))
    sketch = importlib.import_module(f"{package}.viewport.draw_data").Sketch()
    rig: Any = figure
    for name in ("critical", "balance", "ellipsoid"):
        setattr(rig.articulate.overlay, name, name in parts)
    rig.articulate.body.show = "body" in parts
    bones = [figure.pose.bones[name] for name in POSED]

    def note(_scene: Any, depsgraph: Any) -> None:
        sketch.note(depsgraph)

    bpy.app.handlers.depsgraph_update_post.append(note)
    same, other, posed, lines = [], [], [], 0
    for number in range(REDRAWS):
        for bone in bones:
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
    same_us, other_us, posed_us = medians
    return same_us, other_us, posed_us, 1e6 * float(np.percentile(posed, 90)), lines


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    sys.stdout.flush()
    os._exit(0)  # Blender as a module may hang at the end
