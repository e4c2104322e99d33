# SPDX-License-Identifier: GPL-3.0-or-later
"""Least squares within bounds, against scipy.optimize.lsq_linear and the conditions of first order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from ikmath.classic.linalg.bounded import active_set, bounded_damped_step, bounded_quadratic
from ikmath.errors import BadShape, BadValue


def within(matrix, right, lower, upper, start=None):
    """The minimiser of |A x - b| within bounds; of several one of them, by shortest steps from the start."""

    def step(free, x):
        return np.linalg.lstsq(matrix[:, free], right - matrix @ x, rcond=None)[0]

    return active_set(
        step, lambda x: matrix.T @ (matrix @ x - right), matrix.shape[1], lower, upper, start=start
    )


def assert_optimal(x, matrix, right, lower, upper):
    """Karush, Kuhn and Tucker: flat where free, falling only outwards at a bound."""
    slope = matrix.T @ (matrix @ x - right)
    scale = 1e-9 * max(1.0, np.abs(matrix.T @ right).max(), np.abs(slope).max())
    assert (x >= lower).all()
    assert (x <= upper).all()
    assert np.abs(slope[(x > lower) & (x < upper)]).max(initial=0) <= scale
    assert (slope[(x == lower) & (x < upper)] >= -scale).all()
    assert (slope[(x == upper) & (x > lower)] <= scale).all()


def random_problem(seed, m, n, rank, width):
    rng = np.random.default_rng(seed)
    rank = min(m, n, rank)
    matrix = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
    lower = rng.normal(size=n) * width
    upper = lower + rng.exponential(size=n) * width * (rng.random(n) > 0.1)
    lower = np.where(rng.random(n) < 0.2, -np.inf, lower)
    upper = np.where(rng.random(n) < 0.2, np.inf, upper)
    return matrix, rng.normal(size=m), lower, upper, rng


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1), m=st.integers(1, 12), n=st.integers(1, 12), rank=st.integers(1, 12),
    width=st.sampled_from([0.01, 0.3, 1.0, 10.0]),
)  # fmt: skip
def test_is_optimal(seed, m, n, rank, width):
    matrix, right, lower, upper, rng = random_problem(seed, m, n, rank, width)
    solution = within(matrix, right, lower, upper)
    assert_optimal(solution, matrix, right, lower, upper)
    started = within(matrix, right, lower, upper, start=rng.normal(size=n))
    assert_optimal(started, matrix, right, lower, upper)


@pytest.mark.parametrize(("m", "n"), [(3, 3), (8, 5), (20, 20), (93, 90), (5, 8)])
def test_agrees_with_scipy(m, n):
    for seed in range(8):
        matrix, right, lower, upper, _ = random_problem(seed, m, n, min(m, n), 0.3)
        upper = np.maximum(upper, lower + 1e-3)  # scipy asks for lower < upper
        lower = np.where(np.isinf(lower) & np.isinf(upper), -1e3, lower)
        solution = within(matrix, right, lower, upper)
        theirs = lsq_linear(matrix, right, (lower, upper), method="bvls", tol=1e-14, max_iter=2000)
        cost = 0.5 * np.sum((matrix @ solution - right) ** 2)
        assert cost <= theirs.cost * (1 + 1e-9) + 1e-12
        assert_optimal(solution, matrix, right, lower, upper)
        if m >= n:  # then there is one minimiser
            assert np.abs(solution - theirs.x).max() <= 1e-6 * max(1, np.abs(theirs.x).max())


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    m=st.integers(1, 6),
    n=st.integers(1, 20),
    c=st.sampled_from([1e-3, 0.1, 3]),
)
def test_damped_step_is_the_stacked_problem(seed, m, n, c):
    """Ki & Sheen's C and d of eq. 7.4, and the short cut that never makes them."""
    matrix, right, lower, upper, _ = random_problem(seed, m, n, m, 0.3)
    stacked, target = np.vstack([matrix, c * np.eye(n)]), np.concatenate([right, np.zeros(n)])
    step = bounded_damped_step(matrix, right, c, lower, upper)
    assert_optimal(step, stacked, target, lower, upper)
    whole = within(stacked, target, lower, upper)
    assert np.abs(step - whole).max() <= 1e-6 * max(1.0, np.abs(whole).max())


def test_agrees_with_scipy_on_the_papers_problem():
    for seed in range(5):
        matrix, right, lower, upper, _ = random_problem(seed, 4, 9, 4, 0.2)
        upper = np.maximum(upper, lower + 1e-3)
        stacked, target = np.vstack([matrix, 0.25 * np.eye(9)]), np.concatenate([right, np.zeros(9)])
        theirs = lsq_linear(stacked, target, (lower, upper), method="bvls", tol=1e-15)
        step = bounded_damped_step(matrix, right, 0.25, lower, upper)
        assert np.abs(step - theirs.x).max() < 1e-9


@pytest.mark.parametrize("seed", range(40))
def test_a_quadratic_is_minimised_within_its_bounds(seed):
    """First-order conditions hold, whatever the width of the bounds and the condition of the matrix."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    axes = np.linalg.qr(rng.normal(size=(n, n)))[0]
    matrix = (axes * 10.0 ** rng.uniform(-float(seed % 7), 0.0, n)) @ axes.T
    gradient = rng.normal(size=n)
    lower, upper = -rng.exponential(size=n), rng.exponential(size=n)
    lower[rng.random(n) < 0.2], upper[rng.random(n) < 0.2] = -np.inf, np.inf
    lower[rng.random(n) < 0.2], upper[rng.random(n) < 0.1] = 0.0, 0.0
    x = bounded_quadratic(matrix, gradient, lower, upper)
    assert (x >= lower).all() and (x <= upper).all()
    slope = gradient + matrix @ x
    inside = (x > lower) & (x < upper)
    small = 1e-8 * np.abs(gradient).max()
    assert np.abs(slope[inside]).max(initial=0.0) < small
    assert (slope[x == lower][upper[x == lower] > 0.0] > -small).all()
    assert (slope[(x == upper) & (x > lower)] < small).all()


def test_without_bounds_it_is_the_shortest_solution():
    rng = np.random.default_rng(0)
    matrix, right = rng.normal(size=(3, 7)), rng.normal(size=3)
    solution = within(matrix, right, np.full(7, -np.inf), np.full(7, np.inf))
    assert np.abs(solution - np.linalg.pinv(matrix) @ right).max() < 1e-12


def test_equal_bounds():
    solution = within(np.eye(3), np.array([1.0, 2, 3]), np.array([0, 5, 0]), np.array([9, 5, 1.0]))
    assert solution.tolist() == [1, 5, 1]


def test_inputs_stay_as_they_are():
    matrix, right, lower, upper, rng = random_problem(3, 4, 6, 4, 0.3)
    start = rng.normal(size=6)
    kept = [array.copy() for array in (matrix, right, lower, upper, start)]
    first = within(matrix, right, lower, upper, start=start)
    second = within(matrix, right, lower, upper, start=start)
    assert (first == second).all()
    assert all((a == b).all() for a, b in zip(kept, (matrix, right, lower, upper, start), strict=True))


def test_refuses_bad_input():
    matrix, right, zero, one = np.eye(2), np.zeros(2), np.zeros(2), np.ones(2)
    with pytest.raises(BadShape, match="right side"):
        bounded_damped_step(matrix, np.zeros(3), 1.0, zero, one)
    with pytest.raises(BadShape, match="upper"):
        bounded_damped_step(matrix, right, 1.0, zero, np.ones(3))
    with pytest.raises(BadValue, match="entry 0"):
        bounded_damped_step(matrix, right, 1.0, one, zero)
    with pytest.raises(BadValue, match="NaN"):
        bounded_damped_step(matrix, right, 1.0, np.array([np.nan, 0]), one)
    with pytest.raises(BadValue, match="positive"):
        bounded_damped_step(matrix, right, 0.0, zero, one)
