# SPDX-License-Identifier: GPL-3.0-or-later
"""Thousands of random scenes: does the default method ever enter or pass through anything?

python build.py bench -- avoidance                   2,100 scenes
python build.py bench -- avoidance --scenes=300      fewer
python build.py bench -- avoidance --first=700       other ones: seeds from there on
"""

from __future__ import annotations

import time
from collections import Counter

import numpy as np

from tests.ikmath.avoidance import scenes

WALLS = ("rectangle", "sheet mesh")


def run(arguments: list[str]) -> None:
    """Print a line for each kind of figure, and the seed of every scene that fails."""
    options = dict(argument.lstrip("-").split("=", 1) for argument in arguments if "=" in argument)
    count, first = int(options.get("scenes", 2100)) // 3, int(options.get("first", 1000))
    kinds = options.get("figures", ",".join(scenes.FIGURES)).split(",")
    print(f"{count} scenes a figure, 1 to 20 obstacles each, every third one with walls only")
    for kind in kinds:
        statuses: Counter[str] = Counter()
        deepest, steps, spent, failures = np.inf, 0, [], []
        for seed in range(first, first + count):
            walls = seed % 3 == 0
            scene = scenes.scene(kind, seed, **({"kinds": WALLS, "margin": 0.0} if walls else {}))
            began = time.thread_time()
            watched = scenes.Watched(scene)
            spent.append(time.thread_time() - began)
            depth = scenes.deepest(scene, watched.poses)
            through = scenes.passed_through(scene, watched.moves)
            deepest, steps = min(deepest, depth), steps + len(watched.moves)
            statuses[watched.solution.status.name] += 1
            if depth < -1e-6 or through:
                failures.append(f"    seed {seed}: clearance {depth:.2e} m, {through} steps through a wall")
        print(
            f"  {kind:6} {steps} steps, least clearance {deepest:.1e} m, failed {len(failures)};"
            f" {', '.join(f'{n} {s.lower()}' for s, n in sorted(statuses.items()))};"
            f" median {1e3 * np.median(spent):.0f} ms"
        )
        print("\n".join(failures), end="\n" if failures else "", flush=True)
