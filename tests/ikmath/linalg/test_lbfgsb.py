# SPDX-License-Identifier: GPL-3.0-or-later
"""L-BFGS-B against scipy's, and against what a minimum within bounds is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from ikmath.classic.linalg.lbfgsb import LbfgsbOptions, Stop, minimize
from ikmath.errors import BadShape, BadValue


def rosenbrock(x):
    value = float(np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2))
    gradient = np.zeros_like(x)
    gradient[:-1] = -400 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2 * (1 - x[:-1])
    gradient[1:] += 200 * (x[1:] - x[:-1] ** 2)
    return value, gradient


def quadratic(rng, size, condition=1e4):
    base, _ = np.linalg.qr(rng.normal(size=(size, size)))
    hessian = base @ np.diag(np.geomspace(1, condition, size)) @ base.T
    offset = rng.normal(size=size) * 10

    def function(x):
        gradient = hessian @ x - offset
        return float(0.5 * x @ hessian @ x - offset @ x), gradient

    return function


def planar_arm(rng, size, gamma=1e-2):
    """Ki & Sheen, eq. 3.1, on a planar chain."""
    lengths, target = rng.uniform(0.5, 1.5, size), rng.normal(size=2) * 2

    def function(h):
        angles = np.cumsum(h)
        x = np.array([lengths @ np.cos(angles), lengths @ np.sin(angles)])
        columns = np.array([-lengths * np.sin(angles), lengths * np.cos(angles)])
        jacobian = np.cumsum(columns[:, ::-1], axis=1)[:, ::-1]
        error = x - target
        return float(error @ error + gamma**2 * h @ h), 2 * jacobian.T @ error + 2 * gamma**2 * h

    return function


def assert_is_minimum(result, function, lower, upper, tolerance):
    x = result.x
    assert (x >= lower).all()
    assert (x <= upper).all()
    value, gradient = function(x)
    assert value == pytest.approx(result.value, abs=1e-14, rel=1e-14)
    assert np.abs(np.clip(x - gradient, lower, upper) - x).max() <= tolerance


def against_scipy(function, start, lower, upper, tolerance=1e-5):
    ours = minimize(function, start, lower, upper, LbfgsbOptions(max_iterations=5000))
    theirs = optimize.minimize(
        function, start, jac=True, method="L-BFGS-B", bounds=optimize.Bounds(lower, upper),
        options={"maxiter": 5000, "maxfun": 50000, "ftol": 1e-15, "gtol": 1e-8, "maxcor": 10},
    )  # fmt: skip
    assert_is_minimum(ours, function, lower, upper, tolerance)
    return ours, theirs


@pytest.mark.parametrize("size", [2, 5, 20, 90])
@pytest.mark.parametrize("bounded", [False, True])
def test_quadratic_agrees_with_scipy(size, bounded):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        function = quadratic(rng, size, 1e3)
        half = rng.uniform(0.01, 2, size) if bounded else np.full(size, np.inf)
        start = rng.normal(size=size)
        # Differences of values below rounding say nothing: along a curvature of 1e3 that hides this gradient.
        hidden = 2 * np.sqrt(2e3 * np.finfo(float).eps * 1e4)
        ours, theirs = against_scipy(function, start, -half, half, 1e-6 + hidden)
        assert ours.value <= theirs.fun + 1e-8 * max(1, abs(theirs.fun))


@pytest.mark.parametrize("size", [2, 4, 10])
def test_rosenbrock(size):
    start = np.tile([-1.2, 1.0], size // 2)
    free = np.full(size, np.inf)
    result = minimize(rosenbrock, start, -free, free)
    assert result.stop is Stop.OPTIMAL
    assert np.abs(result.x - 1).max() < 1e-6 or size > 2  # from size 4 there is a second minimum
    bounded, theirs = against_scipy(rosenbrock, start, np.full(size, -2.0), np.full(size, 0.7), 1e-5)
    assert bounded.value == pytest.approx(theirs.fun, rel=1e-8)


@pytest.mark.parametrize("size", [2, 3, 10, 66])
def test_inverse_kinematics_agrees_with_scipy(size):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        function = planar_arm(rng, size)
        half = np.full(size, 0.4)
        ours, theirs = against_scipy(function, rng.uniform(-0.3, 0.3, size), -half, half, 1e-6)
        assert ours.value <= theirs.fun + 1e-7 * max(1, abs(theirs.fun))


def test_memory_and_evaluations_are_used_well():
    """As few evaluations as scipy's, within a third."""
    ours = theirs = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        function = planar_arm(rng, 30, 0.3)
        half = np.full(30, 0.4)
        mine, scipys = against_scipy(function, rng.uniform(-0.3, 0.3, 30), -half, half, 1e-6)
        ours, theirs = ours + mine.evaluations, theirs + scipys.nfev
    assert ours <= 1.34 * theirs


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 12))
def test_any_bounds(seed, size):
    """Equal, one-sided, infinite and zero-width bounds mixed; a start anywhere."""
    rng = np.random.default_rng(seed)
    function = quadratic(rng, size, 50.0)
    lower = np.where(rng.random(size) < 0.3, -np.inf, rng.normal(size=size))
    upper = np.where(
        rng.random(size) < 0.3, np.inf, lower + rng.uniform(0, 1, size) * (rng.random(size) < 0.8)
    )
    upper = np.where(np.isnan(upper), np.inf, np.where(np.isneginf(upper), rng.normal(size=size), upper))
    result = minimize(function, 5 * rng.normal(size=size), lower, upper)
    assert_is_minimum(result, function, lower, upper, 1e-6)


def test_starts_at_the_minimum():
    result = minimize(rosenbrock, np.ones(3), np.full(3, -5.0), np.full(3, 5.0))
    assert result.iterations == 0
    assert result.evaluations == 1
    assert result.stop is Stop.OPTIMAL


def test_stops_when_told():
    options = LbfgsbOptions(max_iterations=3)
    result = minimize(rosenbrock, np.array([-1.2, 1.0]), np.full(2, -5.0), np.full(2, 5.0), options)
    assert result.iterations == 3
    assert result.stop is Stop.ITERATIONS


def test_same_input_same_output_and_inputs_kept():
    rng = np.random.default_rng(1)
    function, start = planar_arm(rng, 12), rng.normal(size=12)
    kept = start.copy()
    half = np.full(12, 0.5)
    first, second = (minimize(function, start, -half, half) for _ in range(2))
    assert (first.x == second.x).all()
    assert (start == kept).all()


def test_survives_a_function_with_holes():
    """Infinite beyond a wall, as a logarithmic barrier is."""

    def function(x):
        if x[0] >= 1:
            return np.inf, np.full(1, np.nan)
        return float((x[0] - 2) ** 2 - 1e-3 * np.log(1 - x[0])), np.array(
            [2 * (x[0] - 2) + 1e-3 / (1 - x[0])]
        )

    result = minimize(function, np.array([-3.0]), np.array([-np.inf]), np.array([np.inf]))
    assert result.optimality < 1e-6
    assert 0.99 < result.x[0] < 1


def test_refuses_bad_input():
    def function(x):
        return float(x @ x), 2 * x

    free = np.full(2, np.inf)
    with pytest.raises(BadShape, match="upper"):
        minimize(function, np.zeros(2), -free, np.ones(3))
    with pytest.raises(BadValue, match="entry 1"):
        minimize(function, np.zeros(2), np.array([0.0, 2.0]), np.ones(2))
    with pytest.raises(BadValue, match="start"):
        minimize(function, np.array([np.nan, 0]), -free, free)
    with pytest.raises(BadValue, match="function"):
        minimize(lambda x: (np.nan, x), np.zeros(2), -free, free)
