# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmarks: `python build.py bench` runs all of them, `python build.py bench -- iteration blender` two.

Each is a module here with a `run(arguments)`. One thread, medians; times are for comparing within one run,
not for comparing machines. Options after the names go to the benchmarks, see README.md beside this.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")  # before numpy is imported

BENCHMARKS = {
    "iteration": "what one iteration costs, beside the least that numpy allows",
    "at_limits": "whole solves where limits are met, beside the same",
    "solvers": "the problems P1 to P4, beside other software (--peers=pink,mink,placo,ikpy)",
    "levels": "a person with five poses in two levels of priority, frame after frame",
    "blender": "the metarig with five effectors, beside Blender's own IK",
    "interactive": "a live frame and an update of a drag, in Blender",
    "around": "drags of a hand round something, and where they end (--scenes=6 for fewer)",
    "overlay": "a redraw of the 3D view",
    "avoidance": "random scenes: does the default ever enter an obstacle (--scenes=300 for fewer)",
    "meshes": "a person among three meshes of 30,000 triangles, with our tree and with Blender's",
    "clips": "pops and errors of random clips on Rigify's metarigs (--clips=5 of each rig and kind)",
    "parameters": "the default solver's constants, halved and doubled (--count=3 --only=damping)",
    "keys": "bakes with few keys, beside Blender's own Decimate (--only=human)",
    "natural": "what turns when a hand, a paw, the hips are pulled; captured clips (--motion=folder)",
    "natural_clips": "sparse targets on captured motion against the truth (--motion=folder --frames=20)",
    "natural_examples": "postures from the own actions, one left out (--motion=folder --only=Fox)",
    "own_actions": "the same through the extension (--motion=folder --frames=8 --only=Fox)",
    "robots": "fifteen real robots from their URDF files (--count=20 for fewer targets)",
    "reach_around": "arms that reach into shelves, cages and slots without touching (--count=3 for fewer)",
    "fabrik_table": "every method on FABRIK's own comparison",
}
ONLY_IF_NAMED = (
    "around",
    "avoidance",
    "clips",
    "keys",
    "natural_clips",
    "natural_examples",
    "own_actions",
    "reach_around",
    "robots",
)  # take long, need a download, or are no matter of speed


def main(arguments: list[str]) -> int:
    """Run the named benchmarks, or all."""
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
    names = [argument for argument in arguments if argument in BENCHMARKS]
    options = [argument for argument in arguments if argument not in BENCHMARKS]
    if "--help" in options or any(not option.startswith("--") for option in options):
        print("\n".join([__doc__ or "", *(f"  {name:14} {text}" for name, text in BENCHMARKS.items())]))
        return 0 if "--help" in options else 2
    for name in names or [name for name in BENCHMARKS if name not in ONLY_IF_NAMED]:
        if (Path(__file__).parent / f"{name}.py").is_file():
            importlib.import_module(name).run(options if names or name == "solvers" else [])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
