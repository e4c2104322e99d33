# SPDX-License-Identifier: GPL-3.0-or-later
"""Pops and errors in bakes of random smooth clips on Rigify's metarigs, as Blender shows them.

Run by `run.py clips`, with the path of the extension's zip, and how many clips of each rig and kind.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "blender"))

import bpy
import metarig_clips as clips
from blender_scene import install

BAR = 15.0  # degrees that a bone may turn in a frame
REACHED = 1e-3  # metres


def main(zip_path: Path, count: int = 2) -> None:
    """Bake all of them and print what there is to see."""
    print(f"\nBlender {bpy.app.version_string}, {count} clips of each rig and kind")
    installed = False
    for kind in clips.KINDS:
        over = short = total = 0
        for name in clips.RIGS:
            for seed in range(count):
                if not installed:
                    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
                    install(zip_path)
                    installed = True
                clip = clips.make(name, kind, seed)
                misses, turns = clips.bake(clip)
                total += 1
                over += bool(turns.max() > BAR)
                missed = float(misses.max()) > REACHED * max(1.0, clip.size)
                short += missed
                if turns.max() > BAR or (missed and kind == "within"):
                    at = int(turns.argmax()) + 2
                    print(
                        f"{kind} {name} {seed}: {turns.max():.1f} degrees at frame {at}, over the bar"
                        f" in {int((turns > BAR).sum())}, worst {1e3 * misses.max():.2f} mm at frame"
                        f" {int(misses.max(1).argmax()) + 1} of {len(misses)},"
                        f" mean {1e3 * misses.mean():.2f}, size {clip.size:.1f} m, {', '.join(clip.bones)}"
                    )
        print(f"{kind}: {total} clips, {over} turn a bone farther than {BAR:g} degrees, {short} are short.")


if __name__ == "__main__":
    given = [int(option.removeprefix("--clips=")) for option in sys.argv[2:]]
    main(Path(sys.argv[1]), *given)
