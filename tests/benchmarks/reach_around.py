# SPDX-License-Identifier: GPL-3.0-or-later
"""Arms that reach into shelves, cages, boxes and slots: how many answers reach and touch nothing, and when.

Ten kinds of furniture, three arms, each target the hand of a pose that touches nothing
(`tests.ikmath.avoidance.reaching`). Answers are judged by plain loops.

Options: --count=N seeds of each arm and kind (default 30); --kinds=cage,slot; --arms=seven,offset,elbow;
--only=ROW;ROW of the table.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from timing import clock, machine, table

import ikmath as ik
from tests.ikmath.avoidance import reaching

WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "hierarchical, no restarts": ("hierarchical", {"restarts": 0}),
    "hierarchical": ("hierarchical", {}),
}


def run(arguments: list[str]) -> None:
    """Print the table."""
    options = _options(arguments)
    ways = {name: way for name, way in WAYS.items() if not options.only or name in options.only}
    print(
        f"\nReaching among furniture ({machine()}), {options.count} seeds of each arm and kind\n", flush=True
    )
    rows, kinds = [], {name: {kind: [] for kind in options.kinds} for name in ways}
    for arm in options.arms:
        answered: dict[str, list[bool]] = {name: [] for name in ways}
        took: dict[str, list[float]] = {name: [] for name in ways}
        for kind in options.kinds:
            for seed in range(options.count):
                scene = reaching.reach(arm, kind, seed)
                for name, (method, told) in ways.items():
                    began = clock()
                    q = ik.solve(scene.problem, scene.start, method, **told).q
                    took[name].append(1e3 * (clock() - began))
                    answered[name].append(reaching.is_answered(scene, q))
                    kinds[name][kind].append(answered[name][-1])
        rows += [[name, arm, *_figures(answered[name], took[name])] for name in ways]
    print(table(("", "arm", "answered %", "mean ms", "median ms", "p95 ms"), rows), "\n")
    shares = [[kind, *(f"{100 * np.mean(kinds[name][kind]):.1f}" for name in ways)] for kind in options.kinds]
    print(table(("answered %", *ways), shares), "\n")


def _figures(answered: list[bool], took: list[float]) -> list[str]:
    times = (np.mean(took), np.median(took), np.percentile(took, 95))
    return [f"{100 * np.mean(answered):.1f}", *(f"{value:.1f}" for value in times)]


def _options(arguments: list[str]) -> argparse.Namespace:
    def names(text: str) -> list[str]:
        return text.split(",")

    parser = argparse.ArgumentParser(prog="reach_around", description=__doc__)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--kinds", type=names, default=list(reaching.KINDS))
    parser.add_argument("--arms", type=names, default=list(reaching.ARMS))
    parser.add_argument("--only", type=lambda text: text.split(";"), default=[])
    return parser.parse_args(arguments)
