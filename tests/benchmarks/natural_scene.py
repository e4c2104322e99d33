# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of plain armatures, with all bones alike and by weight: degrees that each part turned.

Run by `run.py natural`, with the path of the extension's zip.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "blender"))

import bpy
import natural_poses as natural
from blender_scene import install
from timing import table


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


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(option.removeprefix("--only=") for option in sys.argv[2:]))
