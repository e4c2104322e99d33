# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes with few keys: how many are left, how far the figure is off as Blender shows it, and the seconds.

Beside them Blender's own Decimate of the same bake, curve by curve, with the largest tolerance that keeps the
figure within the same margin, and with the one that also keeps as still what an effector holds. Run by
`keys.py`, with the path of the extension's zip.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "blender"))

import bpy
import keys_clips as clips
import numpy as np
from blender_scene import install
from timing import machine, table

MARGIN = 0.005
TREMBLE = 0.01  # m/s, how fast what stands still may move
_STILL = 0.002  # m/s: what is slower in the whole bake stands still
_HALVINGS = 7  # of the tolerance that Blender's Decimate is searched with


def main(zip_path: Path, only: str = "") -> None:
    """Bake all clips and print what came of them."""
    print(f"\nBlender {bpy.app.version_string}, margin {1e3 * MARGIN:g} mm ({machine()})\n")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    install(zip_path)
    rows = []
    for rig in clips.EFFECTORS:
        for motion in clips.MOTIONS:
            if only in f"{rig} {motion}":
                rows.append((rig, motion, *measure(rig, motion)))
    head = ("figure", "motion", "frames", "keys, all", "ours", "mm off", "held m/s", "seconds")
    head += ("Blender's", "held m/s", "as still")
    print(table(head, rows))


def measure(rig: str, motion: str) -> tuple[str, ...]:
    """One clip: baked in full, by us with few keys, and in full with Blender's Decimate after it."""
    module = importlib.import_module(f"{_package()}.control.bake.record")
    clips.make(rig, motion)
    figure = _baked()
    full, whole = clips.shown(figure, clips.FRAMES), _count(figure)
    native, calm = _native(rig, figure, full, np.inf), _native(rig, figure, full, TREMBLE)
    clips.make(rig, motion)
    plain, seconds = module.decimated, []

    def timed(*given: object, **named: object) -> object:
        started = time.perf_counter()
        found = plain(*given, **named)
        seconds.append(time.perf_counter() - started)
        return found

    module.decimated = timed
    try:
        figure = _baked(decimate=True, remove_error_margin=MARGIN)
    finally:
        module.decimated = plain
    shown = clips.shown(figure, clips.FRAMES)
    return (
        str(clips.FRAMES),
        str(whole),
        str(_count(figure)),
        f"{1e3 * np.linalg.norm(shown - full, axis=-1).max():.2f}",
        f"{_tremble(rig, figure, full, shown):.3f}",
        f"{seconds[0]:.2f}",
        str(native[0]),
        f"{native[1]:.3f}",
        str(calm[0]),
    )


def _tremble(rig: str, figure: bpy.types.Object, full: np.ndarray, shown: np.ndarray) -> float:
    """m/s, the fastest that the tip of an effector's bone moves where it stands still in the whole bake."""
    names = list(figure.pose.bones.keys())
    rows = [len(names) + names.index(bone) for bones in clips.EFFECTORS[rig] for bone in bones]
    rate = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    before, now = (
        rate * np.linalg.norm(np.diff(places[:, rows], axis=0), axis=-1) for places in (full, shown)
    )
    return float(now[before < _STILL].max(initial=0.0))


def _native(rig: str, figure: bpy.types.Object, full: np.ndarray, tremble: float) -> tuple[int, float]:
    """Number of keys and m/s, where Blender's own Decimate leaves fewest within the margin, and as still."""
    saved = [(curve, np.array([key.co for key in curve.keyframe_points])) for curve in _curves(figure)]
    low, high, best = 1e-6, 0.1, (_count(figure), 0.0)
    for _ in range(_HALVINGS):
        tolerance = float(np.sqrt(low * high))
        _decimate(tolerance)
        shown = clips.shown(figure, clips.FRAMES)
        off = float(np.linalg.norm(shown - full, axis=-1).max())
        moves = _tremble(rig, figure, full, shown)
        if off <= MARGIN and moves <= tremble:
            low, best = tolerance, (_count(figure), moves)
        else:
            high = tolerance
        for curve, keys in saved:
            points = curve.keyframe_points
            points.clear()
            points.add(len(keys))
            points.foreach_set("co", keys.astype(np.float32).ravel())
            for point in points:
                point.interpolation = "BEZIER"
                point.handle_left_type = point.handle_right_type = "AUTO_CLAMPED"
                point.select_control_point = True
            curve.update()
    return best


def _decimate(tolerance: float) -> None:
    window = bpy.context.window_manager.windows[0]
    area = window.screen.areas[0]
    before = area.type
    area.type = "GRAPH_EDITOR"
    try:
        region = next(region for region in area.regions if region.type == "WINDOW")
        with bpy.context.temp_override(window=window, area=area, region=region):
            bpy.ops.graph.decimate(mode="ERROR", remove_error_margin=tolerance)
    finally:
        area.type = before


def _baked(**options: object) -> bpy.types.Object:
    figure = bpy.context.object
    bpy.ops.articulate.bake(frame_start=1, frame_end=clips.FRAMES, **options)
    bpy.ops.object.mode_set(mode="POSE")
    return figure


def _count(figure: bpy.types.Object) -> int:
    return sum(len(curve.keyframe_points) for curve in _curves(figure))


def _curves(figure: bpy.types.Object) -> Iterator[bpy.types.FCurve]:
    compat = importlib.import_module(f"{_package()}.compat")
    yield from compat.find_bag(figure).fcurves


def _package() -> str:
    modules = (addon.module for addon in bpy.context.preferences.addons)
    return next(module for module in modules if module.endswith(".articulate"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(option.removeprefix("--only=") for option in sys.argv[2:]))
