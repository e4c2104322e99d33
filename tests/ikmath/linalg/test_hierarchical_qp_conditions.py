# SPDX-License-Identifier: GPL-3.0-or-later
"""Hierarchical least squares: the optimality conditions of every level, by an independent oracle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import nnls

from ikmath.linalg.hierarchical_qp import Constraints, Level, hierarchical_qp


@dataclass
class Case:
    levels: list[Level]
    lower: np.ndarray
    upper: np.ndarray
    rows: np.ndarray
    least: np.ndarray
    target: np.ndarray | None


def case(seed: int, tight: float = 1.0) -> Case:
    """Up to 3 levels, 60 coordinates, bounds that hold many of them, and a few inequality rows."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 60))
    levels = []
    for _ in range(int(rng.integers(1, 4))):
        m = int(rng.integers(1, max(2, min(12, n // 2))))
        levels.append(
            Level(rng.normal(size=(m, n)), rng.normal(size=m) * rng.choice([0.3, 3.0]) * tight, 1e-3)
        )
    lower = -rng.uniform(0, 1, n) * (rng.random(n) < 0.9)
    upper = rng.uniform(0, 1, n) * (rng.random(n) < 0.9)
    count = int(rng.integers(0, 5))
    target = rng.normal(size=n) if rng.random() < 0.5 else None
    return Case(levels, lower, upper, rng.normal(size=(count, n)), -rng.uniform(0, 0.5, count), target)


def solved(c: Case, levels: int, target: np.ndarray | None = None, active=()):
    lower = np.concatenate([c.lower, c.least])
    upper = np.concatenate([c.upper, np.full(len(c.least), np.inf)])
    constraints = Constraints(np.ones(len(c.lower)), lower, upper, c.rows)
    return hierarchical_qp(c.levels[:levels], constraints, target, active)


def conditions(c: Case, x: np.ndarray, slope: np.ndarray, kept: np.ndarray) -> float:
    """How far a slope is from a combination of kept rows and, with the right sign, active inequalities."""
    n = len(x)
    active = [np.eye(n)[i] for i in range(n) if x[i] - c.lower[i] < 1e-9]
    active += [-np.eye(n)[i] for i in range(n) if c.upper[i] - x[i] < 1e-9]
    active += [row for row, least in zip(c.rows, c.least, strict=True) if row @ x - least < 1e-9]
    columns = np.array([*kept, *-kept, *active]).reshape(-1, n).T
    if not columns.size:
        return float(np.linalg.norm(slope))
    return nnls(columns, slope, maxiter=4000)[1] / (1.0 + np.linalg.norm(slope))


@pytest.mark.parametrize("seed", range(60))
def test_every_level_is_optimal_under_the_levels_above(seed):
    c = case(seed)
    n = len(c.lower)
    kept, values = np.empty((0, n)), np.empty(0)
    for count, level in enumerate(c.levels, start=1):
        x = solved(c, count).z
        assert (x >= c.lower - 1e-9).all() and (x <= c.upper + 1e-9).all()
        assert (c.rows @ x >= c.least - 1e-9).all()
        if len(kept):
            np.testing.assert_allclose(kept @ x, values, atol=1e-8)
        slope = level.rows.T @ (level.rows @ x - level.wanted) + level.damping * x
        assert conditions(c, x, slope, kept) < 1e-8
        kept, values = np.vstack([kept, level.rows]), np.concatenate([values, level.rows @ x])
    if c.target is not None:
        x = solved(c, len(c.levels), c.target).z
        np.testing.assert_allclose(kept @ x, values, atol=1e-8)
        assert conditions(c, x, x - c.target, kept) < 1e-8


@pytest.mark.parametrize("seed", range(20))
def test_a_warm_start_changes_the_way_and_not_the_answer(seed):
    c = case(seed)
    cold = solved(c, len(c.levels), c.target)
    warm = solved(c, len(c.levels), c.target, cold.active)
    np.testing.assert_allclose(warm.z, cold.z, atol=1e-7)


@pytest.mark.parametrize("seed", range(20))
def test_sides_that_moved_or_are_gone_hold_nothing(seed):
    c = case(seed)
    before = solved(c, len(c.levels), c.target).active
    c.lower = np.where(np.arange(len(c.lower)) % 3 == 0, -np.inf, 2.0 * c.lower)
    c.upper = np.where(np.arange(len(c.upper)) % 3 == 1, np.inf, 3.0 * c.upper)
    cold = solved(c, len(c.levels), c.target)
    warm = solved(c, len(c.levels), c.target, before)
    np.testing.assert_allclose(warm.z, cold.z, atol=1e-7)


def test_without_any_bound_it_is_the_null_space_recursion():
    rng = np.random.default_rng(5)
    first, second = rng.normal(size=(3, 10)), rng.normal(size=(4, 10))
    b1, b2 = rng.normal(size=3), rng.normal(size=4)
    free = np.full(10, np.inf)
    levels = [Level(first, b1, 1e-12), Level(second, b2, 1e-12)]
    x = hierarchical_qp(levels, Constraints(np.ones(10), -free, free)).z
    null = np.eye(10) - np.linalg.pinv(first) @ first
    start = np.linalg.pinv(first) @ b1
    np.testing.assert_allclose(x, start + np.linalg.pinv(second @ null) @ (b2 - second @ start), atol=1e-8)
