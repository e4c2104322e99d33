# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of plain armatures, with all bones alike and by weight: degrees that each part turned.

And drags along straight ways in steps of the mouse of five centimetres, one, and two millimetres (of a figure
as tall as a person): how far a bone turns in one step at most, what it still turns when the hand lets go, and
by how much the pose at the end differs from that of the largest steps.

Run by `run.py natural`, with the path of the extension's zip.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "blender"))

import bpy
import drag_ways
import natural_poses as natural
from blender_scene import addon_module, install
from timing import table

STEPS, TALL = (0.05, 0.01, 0.002), 1.8  # metres


def main(zip_path: Path, only: str = "") -> None:
    """Take every pose and print what turned."""
    print(f"\nBlender {bpy.app.version_string}, degrees that the bones of each part turned together")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    install(zip_path)
    rows = []
    for name in natural.SCENES:
        if only not in name:
            continue
        for effort in ("EVEN", "WEIGHT"):
            taken = natural.take(name, effort=effort)
            parts = [f"{taken.parts[part]:.0f}" for part, _ in natural.PARTS]
            most = max(taken.turns, key=lambda bone: taken.turns[bone])
            row = [f"{1e3 * taken.misses.max():.1f}", f"{taken.lean:.0f}", *parts]
            rows.append((name, effort.lower(), *row, f"{most} {taken.turns[most]:.0f}"))
    print(table(("", "effort", "mm", "lean", *(part for part, _ in natural.PARTS), "most"), rows))
    print("\n" + table(("drag", "step mm", "leap", "", "late", "mm", "lean", "differs"), drags(only)))


def drags(only: str) -> list[tuple[str, ...]]:
    """Rows of the table of drags."""
    drag, rows = addon_module("control.drag.drag"), []
    for figure, parts in drag_ways.PARTS.items():
        for part, way in ((own, way) for own in parts for way in drag_ways.WAYS[own]):
            name, poses = f"{figure}, {part} {way}", []
            if only not in name:
                continue
            rig = drag_ways.figure(figure)
            for step in STEPS:
                felt = drag_ways.lead(drag, rig, parts[part], drag_ways.WAYS[part][way], step / TALL)
                poses.append(felt.poses[-1])
                differs = max(natural.turns_between(rig, poses[0], poses[-1]).values())
                numbers = f"{felt.late:.1f}", f"{1e3 * felt.error:.1f}", f"{felt.lean:.0f}", f"{differs:.1f}"
                rows.append((name, f"{1e3 * step:g}", f"{felt.leap:.1f}", felt.leaper, *numbers))
    return rows


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(option.removeprefix("--only=") for option in sys.argv[2:]))
