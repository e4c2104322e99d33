# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole solves where limits are met, to one tolerance: iterations count as much as what one costs.

From the rest pose to places along a motion, one by one. The yardsticks of `reference_kernel` have no reasons
to stop: how many iterations they need is counted beforehand, and only these are timed, without any check.
Their damping is the one of a few powers of ten with which they are quickest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from iteration import DAMPING, targets_of
from models import Array, Model, native, native_effectors, tips
from problems import human, trunk
from reference_kernel import One
from timing import interleaved, machine, table

import ikmath as ik

COUNT = 40
MOST = 300
TOLERANCES = (1e-3, 1e-6)  # body scales
DAMPINGS = (DAMPING, 0.1 * DAMPING, 0.01 * DAMPING)  # lengths in figure sizes
ROUNDS = 11


def run(_arguments: list[str]) -> None:
    """Print the table."""
    print(f"\nWhole solves at limits ({machine()})\n")
    cases = [(model, tolerance) for model in (trunk(), human()) for tolerance in TOLERANCES]
    rows = [row for case in cases for row in _rows(*case)]
    print(table(("figure", "to", "", "reached", "iterations", "us a solve", "of clipping"), rows))
    print(f"\nMeans over {COUNT} solves, tolerances in body scales.")


def _rows(model: Model, tolerance: float) -> list[list[str]]:
    """Ours, the clipping and the locking yardstick."""
    names, offsets = native_effectors(model)
    figure, (_, places) = native(model), targets_of(model, COUNT)
    problem = ik.Problem(figure, [ik.Position(names, places, offsets)])
    frames, least = [problem.at(i) for i in range(COUNT)], tolerance * model.scale

    def ours() -> list[ik.Solution]:
        options = {"method": "damped", "tolerance": least, "max_iterations": MOST}
        return [ik.solve(frame, figure.rest, **options) for frame in frames]

    answers = ours()
    works: list[Callable[[], object]] = [ours]
    counts = [np.array([answer.iterations for answer in answers])]
    reached = [np.mean([answer.status is ik.Status.REACHED for answer in answers])]
    yardstick = One(model)
    for locking in (False, True):
        tried = []
        for damping in DAMPINGS:
            settings = damping * problem.length**2, locking
            needed = [_needed(model, yardstick, target, least, *settings) for target in places]
            tried.append((sum(needed), needed, settings))
        _, needed, settings = min(tried)
        works.append(partial(_iterate_all, model, yardstick, places, needed, *settings))
        counts.append(np.array(needed))
        reached.append(np.mean(np.array(needed) < MOST))
    took = interleaved(works, repeats=1, rounds=ROUNDS)
    who = ("ikmath, damped", "yardstick, clipping", "yardstick, locking")
    return [
        [model.name, f"{tolerance:g}", name, f"{share:.3f}", f"{count.mean():.1f}",
         f"{1e6 * seconds / COUNT:.0f}", f"{seconds / took[1]:.2f}"]
        for name, share, count, seconds in zip(who, reached, counts, took, strict=True)
    ]  # fmt: skip


def _start(model: Model, yardstick: One) -> tuple[Array, Array | None]:
    """Turns and slides at rest."""
    slides = yardstick.figure.slides
    return model.start[yardstick.figure.turns], model.start[slides] if slides else None


def _needed(
    model: Model, yardstick: One, target: Array, tolerance: float, damping: float, locking: bool
) -> int:
    """Iterations to the first pose that is within the tolerance, `MOST` if none is."""
    turns, slide = _start(model, yardstick)
    q = model.start.copy()
    for iteration in range(MOST):
        q[yardstick.figure.turns] = turns
        if slide is not None:
            q[yardstick.figure.slides] = slide
        if np.linalg.norm(tips(model, q[None])[0][0] - target, axis=-1).max() < tolerance:
            return iteration
        turns, slide = yardstick.iterate(turns, slide, target.ravel(), damping, locking)
    return MOST


def _iterate_all(
    model: Model, yardstick: One, places: Array, needed: list[int], damping: float, locking: bool
) -> None:
    """As many iterations towards each place as it needs."""
    for target, count in zip(places, needed, strict=True):
        state = _start(model, yardstick)
        for _ in range(count):
            state = yardstick.iterate(*state, target.ravel(), damping, locking)
