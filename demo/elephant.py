# SPDX-License-Identifier: GPL-3.0-or-later
"""The elephant, from the menu to a film: added by its operator, baked, measured by Blender alone, drawn."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import bpy
import measuring
import pictures
import stage
from mathutils import Vector

FRAMES = 300
STILL, LOOP = (900, 700), (400, 311)
STILL_FRAME = 48
CAMERA = ((3.6, -7.4, 2.9), (0.05, -1.25, 1.0), 46.0)
"""Where it stands, what it looks at (metres), and its lens (millimetres)."""


def run(out: Path, manual: Path, skip: set[str]) -> None:
    """Make all of it: elephant.blend and elephant.json in one directory, pictures in another."""
    figure, report = make()
    set_up(figure)
    with pictures.logged(out / "render.log"):
        if "still" not in skip:
            (picture,) = pictures.render_frames([STILL_FRAME], STILL)
            pictures.save_picture(picture, manual / "elephant.webp")
        if "film" not in skip:
            frames = pictures.render_frames(range(1, FRAMES, 6), LOOP)
            pictures.save_loop(frames, manual / "elephant-loop.webp", quality=60)
    bpy.context.scene.frame_set(1)
    blend = out / "elephant.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend.resolve()), compress=True, check_existing=False)
    (out / "elephant.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(table(report))


def make() -> tuple[bpy.types.Object, dict[str, Any]]:
    """Add the elephant, bake it and measure what came of it."""
    if bpy.ops.articulate.elephant_add(frames=FRAMES) != {"FINISHED"}:
        raise RuntimeError("The elephant was not added")
    figure = bpy.context.object
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    frames = range(1, FRAMES + 1)
    started, busy = time.perf_counter(), time.process_time()
    if bpy.ops.articulate.bake(frame_start=1, frame_end=FRAMES) != {"FINISHED"}:
        raise RuntimeError(f"The bake did not finish: {figure.articulate.message}")
    seconds, busy = time.perf_counter() - started, time.process_time() - busy
    body = {bone.name for bone in figure.data.bones if not bone.name.startswith("trunk")}
    near = {
        name: measuring.clearance(figure, bpy.data.objects[name], body, frames) for name in ("Table", "Tree")
    }
    return figure, {
        "blender": bpy.app.version_string,
        "frames": FRAMES,
        "bake_seconds": seconds,
        "ms_a_frame": 1e3 * seconds / FRAMES,
        "ms_a_frame_of_processor": 1e3 * busy / FRAMES,
        "message": figure.articulate.report["message"],
        "told_clearance": figure.articulate.report["clearance"],
        "effectors": measuring.measure(figure, frames),
        "largest_turn": measuring.largest_turn(figure, frames),
        "clearance": near,
    }


def set_up(figure: bpy.types.Object) -> None:
    """A room, a camera; the bones are not rendered."""
    room = stage.room(stage.make_materials()["Room"])
    room.location, room.scale = (0.0, 2.6, 0.0), (1.6, 1.6, 1.6)
    place, towards, lens = CAMERA
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = place
    camera.rotation_euler = (Vector(towards) - Vector(place)).to_track_quat("-Z", "Y").to_euler()
    camera.data.lens = lens
    scene = bpy.context.scene
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.world = bpy.data.worlds.new("World")
    scene.world.color = (0.62, 0.60, 0.57)
    figure.hide_render = True
    pictures.workbench()


def table(report: dict[str, Any]) -> str:
    """What the bake came to, for people."""
    (tip,) = report["effectors"].values()
    turn, near = report["largest_turn"], report["clearance"]
    head = (
        f"\nBlender {report['blender']}: {report['frames']} frames, {report['ms_a_frame']:.2f} ms each,"
        f" {report['ms_a_frame_of_processor']:.2f} ms of it by the processor.\n{report['message']}"
    )
    worst = (
        f"Tip of the trunk from its target: mean {tip['mean_mm']:.2f} mm, worst {tip['worst_mm']:.1f} mm"
        f" (frame {tip['worst_mm_frame']}, where the target is in the table)."
    )
    fastest = f"Fastest turn of a bone: {turn['degrees']:.2f} degrees in one frame ({turn['bone']})."
    lines = [head, worst, fastest]
    for name, found in near.items():
        where = f"{found['mm']:.2f} mm to the {name.lower()} (frame {found['frame']})"
        lines.append(f"The trunk's skin comes as near as {where}.")
    return "\n".join(lines)
