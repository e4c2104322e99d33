# SPDX-License-Identifier: GPL-3.0-or-later
"""What solvers found, judged alike: by plain forward kinematics, against targets, limits and obstacles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from models import Array, tips, turned
from problems import Task, collisions

TOLERANCE = 1e-3
"""Of a figure's size, and radians, within which a target counts as reached."""
LIMIT_SLACK = 1e-6


@dataclass(frozen=True)
class Result:
    """Answers of one solver.

    Attributes:
        solver: for the table; q: (T, n) in the model's coordinates; seconds, iterations: (T,).
        errors: (T, E) metres where the solver has a figure of its own, whose q says nothing to the model.
    """

    solver: str
    q: Array
    seconds: Array
    iterations: Array
    errors: Array | None = None


@dataclass(frozen=True)
class Verdict:
    """One row: see `row`.

    Attributes:
        ok: share reached inside the limits; cost: (T,) what is left, metres and radians together.
    """

    solver: str
    ok: float
    cost: Array
    median: float
    p95: float
    iterations: float
    jump: float | None
    colliding: int | None
    clearance: float | None


def judge(task: Task, result: Result) -> Verdict:
    """Judge answers to the first targets of a task."""
    count = len(result.q)
    turn = np.zeros(count)
    inside = np.ones(count, bool)
    if result.errors is None:
        place, frame = tips(task.model, result.q)
        away = np.linalg.norm(place - task.places[:count], axis=-1)
        if task.frames is not None:
            turn = turned(task.frames[:count, 0], frame[:, 0])
        low, high = task.model.lower - LIMIT_SLACK, task.model.upper + LIMIT_SLACK
        inside = ((result.q >= low) & (result.q <= high)).all(1)
    else:
        away = result.errors
    worst = away.max(1)
    ok = (worst < TOLERANCE * task.model.scale) & (turn < TOLERANCE) & inside
    hits, clear = (None, None)
    if task.obstacles is not None and result.errors is None:
        hits, clear = collisions(task, result.q)
    return Verdict(
        solver=result.solver,
        ok=float(ok.mean()),
        cost=np.sqrt((away**2).sum(1) + turn**2) + np.where(inside, 0.0, np.inf),
        median=1e3 * float(np.median(result.seconds)),
        p95=1e3 * float(np.percentile(result.seconds, 95)),
        iterations=float(np.mean(result.iterations)),
        jump=float(np.abs(np.diff(result.q, axis=0)).max()) if task.track else None,
        colliding=hits,
        clearance=clear,
    )
