# SPDX-License-Identifier: GPL-3.0-or-later
"""Hierarchical least squares within bounds, beside scipy and quadprog."""

from __future__ import annotations

import numpy as np
import pytest

from ikmath.linalg import hierarchical_qp as qp
from ikmath.linalg.hierarchical_qp import Constraints, Level, hierarchical_qp

lsq_linear = pytest.importorskip("scipy.optimize").lsq_linear
quadprog = pytest.importorskip("quadprog")


def box(rng, n, share):
    """Bounds around zero, some of them missing or at zero."""
    lower, upper = -rng.uniform(0, 1, n), rng.uniform(0, 1, n)
    lower[rng.random(n) < share], upper[rng.random(n) < share] = -np.inf, np.inf
    return lower, upper


@pytest.mark.parametrize("seed", range(60))
def test_one_level_in_a_box_is_the_bounded_least_squares_solution(seed):
    rng = np.random.default_rng(seed)
    n, k = rng.integers(2, 40), rng.integers(1, 15)
    rows, wanted, damping = rng.normal(size=(k, n)), 3.0 * rng.normal(size=k), 10.0 ** rng.uniform(-6, 0)
    lower, upper = box(rng, n, 0.3)
    step = hierarchical_qp([Level(rows, wanted, damping)], Constraints(np.ones(n), lower, upper))
    above = np.vstack([rows, np.sqrt(damping) * np.eye(n)])
    right = np.concatenate([wanted, np.zeros(n)])
    known = lsq_linear(above, right, (lower, upper), method="bvls", tol=1e-15).x

    def cost(z):
        return float(((above @ z - right) ** 2).sum())

    assert cost(step.z) <= cost(known) * (1.0 + 1e-8)
    assert (step.z >= lower - 1e-6).all() and (step.z <= upper + 1e-6).all()


def by_quadprog(levels, target, rows, lower, upper):
    """The same level after level, stronger levels as equations; None where quadprog gives up."""
    n = len(target)
    kept, values = np.empty((0, n)), np.empty(0)
    bounds = np.vstack([rows, -rows])
    least = np.concatenate([lower, -upper])
    finite = np.isfinite(least)
    z = target
    stages = [(level.rows, level.wanted, level.damping, np.zeros(n)) for level in levels]
    for own, wanted, damping, centre in [*stages, (np.empty((0, n)), np.empty(0), 1.0, target)]:
        hessian = own.T @ own + damping * np.eye(n)
        gradient = own.T @ wanted + damping * centre
        constraints = np.vstack([kept, bounds[finite]])
        try:
            z = quadprog.solve_qp(
                hessian, gradient, constraints.T, np.concatenate([values, least[finite]]), len(kept)
            )[0]
        except ValueError:
            return None
        kept, values = np.vstack([kept, own]), np.concatenate([values, own @ z])
    return z


def test_levels_under_rows_and_a_target_are_those_of_quadprog():
    compared = 0
    for seed in range(80):
        rng = np.random.default_rng([1, seed])
        n, more = rng.integers(6, 30), rng.integers(0, 8)
        levels = [
            Level(rng.normal(size=(k, n)), 0.3 * rng.normal(size=k), 10.0 ** rng.uniform(-4, 0))
            for k in rng.integers(1, 4, rng.integers(1, 3))
        ]
        lower, upper = -rng.uniform(0.01, 1, n), rng.uniform(0.01, 1, n)
        rows, least = rng.normal(size=(more, n)), -rng.uniform(0, 1, more)
        target = rng.normal(size=n)
        constraints = Constraints(
            np.ones(n),
            np.concatenate([lower, least]),
            np.concatenate([upper, np.full(more, np.inf)]),
            rows,
        )
        known = by_quadprog(
            levels, target, np.vstack([np.eye(n), rows]), constraints.lower, constraints.upper
        )
        if known is None:
            continue
        compared += 1
        step = hierarchical_qp(levels, constraints, target)
        np.testing.assert_allclose(step.z, known, atol=2e-5)
        again = hierarchical_qp(levels, constraints, target, step.active)
        np.testing.assert_allclose(again.z, step.z, atol=1e-9)
    assert compared > 50


def test_the_active_set_says_what_pushes_which_way():
    constraints = Constraints(np.ones(2), np.array([-1.0, -1.0]), np.array([0.5, 1.0]))
    step = hierarchical_qp([Level(np.eye(2), np.array([2.0, 0.0]), 1e-6)], constraints)
    np.testing.assert_allclose(step.z, [0.5, 0.0], atol=1e-6)
    assert step.active[0].tolist() == [1, 0]


def test_rows_that_repeat_or_vanish_do_no_harm():
    rows = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    weak = Level(np.array([[1.0, 1.0, 0.0]]), np.array([1.0]), 1e-8)
    free = Constraints(np.ones(3), np.full(3, -np.inf), np.full(3, np.inf))
    step = hierarchical_qp([Level(rows, np.array([0.3, 0.3, 5.0]), 1e-8), weak], free)
    np.testing.assert_allclose(step.z, [0.3, 0.7, 0.0], atol=1e-6)


def test_a_dense_scale_bounds_other_coordinates_than_z():
    rng = np.random.default_rng(0)
    scale, rows = rng.normal(size=(5, 5)), rng.normal(size=(2, 5))
    step = hierarchical_qp(
        [Level(rows, np.array([2.0, -3.0]), 1e-3)], Constraints(scale, np.full(5, -0.2), np.full(5, 0.2))
    )
    assert np.abs(scale @ step.z).max() < 0.2 + 1e-9


@pytest.mark.parametrize(("size", "count", "seed"), [(6, 2, 20), (6, 4, 3), (12, 2, 288), (12, 4, 79)])
def test_a_corner_that_rounding_exceeds_is_found_without_going_round_in_circles(
    size, count, seed, monkeypatch
):
    """One constraint was added and dropped by turns until the changes ran out."""
    rng = np.random.default_rng([size, count, seed])
    scale = rng.normal(size=(size, size)) * 0.3 + np.eye(size)
    rows = rng.normal(size=(count, size))
    held, sides = rng.random(size) < 0.9, np.where(rng.random(size) < 0.5, -0.06, 0.06)
    corner = np.where(held, sides, rng.uniform(-0.06, 0.06, size))
    z = np.linalg.solve(scale, corner)
    target = z * 10 ** rng.uniform(0, 3) + 5.0 * rng.normal(size=size)
    solved, stationary = [], qp._stationary

    def noted(*arguments):
        solved.append(1)
        return stationary(*arguments)

    monkeypatch.setattr(qp, "_stationary", noted)
    limits = Constraints(scale, np.full(size, -0.06), np.full(size, 0.06))
    step = hierarchical_qp([Level(rows, rows.dot(z), 1e-8)], limits, target)
    assert np.abs(scale.dot(step.z)).max() < 0.06 + 1e-8
    assert len(solved) < 4 * size


def test_bounds_that_are_equal_hold_from_the_start(monkeypatch):
    """Each of them was found by itself, as if it were free at first."""
    rng, solved, stationary = np.random.default_rng(0), [], qp._stationary

    def noted(*arguments):
        solved.append(1)
        return stationary(*arguments)

    monkeypatch.setattr(qp, "_stationary", noted)
    scale = np.eye(20) + 0.2 * rng.normal(size=(20, 20))
    upper = np.where(np.arange(20) < 12, 0.0, 5.0)
    level = Level(rng.normal(size=(4, 20)), rng.normal(size=4), 1e-6)
    step = hierarchical_qp([level], Constraints(scale, -upper, upper))
    assert len(solved) == 1
    assert step.active[0].tolist() == [2] * 12 + [0] * 8
    np.testing.assert_allclose(scale[:12] @ step.z, 0.0, atol=1e-10)
    free = np.linalg.svd(scale[:12])[2][12:].T  # what the equal bounds leave
    rows = np.vstack([level.rows @ free, 1e-3 * np.eye(8)])
    best = np.linalg.lstsq(rows, np.concatenate([level.wanted, np.zeros(8)]), rcond=None)[0]
    np.testing.assert_allclose(step.z, free @ best, atol=1e-8)
    again = hierarchical_qp([level], Constraints(scale, -upper - 1.0, upper + 1.0), active=step.active)
    assert np.abs(again.z[:12]).max() > 0.01  # they may be apart in the next step
