# SPDX-License-Identifier: GPL-3.0-or-later
"""How near one can come to a target out of reach, found slowly: bounded minimisation from many starts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from models import Array, skeleton
from problems import Task
from scipy.optimize import minimize

import ikmath as ik

STORE = Path(__file__).resolve().parents[2] / "build" / "bench"


def nearest(task: Task, starts: int) -> Array:
    """(T,) smallest distance (metres and radians together) that was found; kept for the next run."""
    kept = STORE / f"{task.name}-{starts}.npy"
    if kept.is_file():
        return np.asarray(np.load(kept))
    print(f"Looking for the best poses of {task.name}, once ...", flush=True)
    model = task.model
    figure = skeleton(model)
    _, joint, point = model.effectors[0]
    name = model.joints[joint][0]
    bounds = list(zip(model.lower, model.upper, strict=True))
    draw = np.random.default_rng(0)
    out = np.empty(len(task.places))
    for number, places in enumerate(task.places):
        goals: list[ik.goals.Goal] = [ik.Position(name, places[0], point)]
        if task.frames is not None:
            goals.append(ik.Orientation(name, task.frames[number, 0]))

        def cost(q: Array, goals: list[ik.goals.Goal] = goals) -> tuple[float, Array]:
            parts = [goal.evaluate(ik.Pose.forward(figure, q)) for goal in goals]
            value = sum(float(part.error @ part.error) for part in parts)
            return value, np.sum([2.0 * part.error @ part.jacobian for part in parts], axis=0)

        tries = [model.start, *draw.uniform(model.lower, model.upper, (starts - 1, model.n))]
        found = [minimize(cost, q, jac=True, bounds=bounds, method="L-BFGS-B").fun for q in tries]
        out[number] = np.sqrt(min(found))
    STORE.mkdir(parents=True, exist_ok=True)
    np.save(kept, out)
    return out
