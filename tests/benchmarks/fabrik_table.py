# SPDX-License-Identifier: GPL-3.0-or-later
"""FABRIK's own comparison (Aristidou & Lasenby 2011, tables 1 and 2) with every method of ours.

Ten free balls in a row, 900 mm in all, straight at the start; targets 600 mm from the tip, 20 of them within
reach and 20 beyond it; tolerance 1e-3 mm. Iterations can be compared with the published ones, times only with
each other.
"""

from __future__ import annotations

import statistics
import time

import numpy as np

import ikmath as ik

RUNS, JOINTS, LENGTH, DISTANCE, TOLERANCE, MOST = 20, 10, 0.9, 0.6, 1e-6, 3000
PUBLISHED = {
    "fabrik": ("15.5", "67.6"),
    "ccd, plain": ("26.3", "390"),
    "transpose": ("1311", "6549"),
    "damped": ("999", ""),
    "triangulation": ("1", ""),
}
VARIANTS: tuple[tuple[str, str, dict[str, bool]], ...] = (
    ("fabrik, without sweeps", "fabrik", {"finish": False}),
    ("ccd, plain", "ccd", {"leap": False, "stretch": False}),
)
LEFT_OUT = ("two_bone",)  # moves two joints of the ten


def targets(seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """(20, 3) within reach and (20, 3) beyond it, metres."""
    rng = np.random.default_rng(seed)
    ways = rng.normal(size=(2000, 3))
    places = np.array([0.0, LENGTH, 0.0]) + DISTANCE * ways / np.linalg.norm(ways, axis=1, keepdims=True)
    radius = np.linalg.norm(places, axis=1)
    return places[radius < LENGTH - 1e-3][:RUNS], places[radius > LENGTH + 1e-3][:RUNS]


def measure(method: str, options: dict[str, bool], places: np.ndarray) -> tuple[float, ...]:
    """Mean and median iterations, share at the nearest place, worst miss beyond it, median seconds."""
    figure = ik.figures.ball_chain(JOINTS, LENGTH / JOINTS)
    iterations, misses, times = [], [], []
    for place in places:
        problem = ik.Problem(figure, [ik.Position("tip", place)])
        began = time.perf_counter()
        solution = ik.solve(problem, method=method, max_iterations=MOST, tolerance=TOLERANCE, **options)
        times.append(time.perf_counter() - began)
        iterations.append(int(solution.iterations))
        misses.append(float(solution.errors[0]) - max(0.0, float(np.linalg.norm(place)) - LENGTH))
    there = float(np.mean([miss <= TOLERANCE for miss in misses]))
    return (
        statistics.mean(iterations),
        statistics.median(iterations),
        there,
        max(misses),
        statistics.median(times),
    )


def run(arguments: list[str] | None = None) -> None:
    """Print the table; no options."""
    del arguments
    cases = [(name, name, {}) for name in ik.METHODS if name not in LEFT_OUT]
    cases += VARIANTS
    columns = f"{'iterations':>10} {'median':>6} {'published':>9} {'there':>6} {'worst mm':>9} {'ms':>8}"
    print(f"\nTen balls, 900 mm, {RUNS} runs, tolerance 1e-3 mm (`there`: share at the nearest place)")
    print(f"{'':24} {'within reach':^53} | {'beyond reach':^53}")
    print(f"{'':24} {columns} | {columns}")
    for label, method, options in sorted(cases):
        cells = []
        for k, places in enumerate(targets()):
            mean, middle, there, worst, seconds = measure(method, options, places)
            printed = PUBLISHED.get(label, ("", ""))[k]
            passes = f"{mean:10.1f} {middle:6.0f} {printed:>9}"
            cells.append(f"{passes} {there:6.0%} {worst * 1e3:9.1e} {seconds * 1e3:8.2f}")
        print(f"{label:24} {cells[0]} | {cells[1]}")
    print(f"Left out: {', '.join(LEFT_OUT)} (moves two joints).")


if __name__ == "__main__":
    run()
