# SPDX-License-Identifier: GPL-3.0-or-later
"""Constrained minima by multipliers, against scipy's SLSQP and against the conditions themselves."""

import numpy as np
import pytest
from scipy.optimize import minimize

from ikmath.classic.linalg.lagrange import LagrangeOptions, _Newton, minimize_under


class Circle:
    """Nearest point of a circle (or of a sphere's hoop) to a given one."""

    def __init__(self, goal, radius=1.0):
        self.goal, self.radius = np.asarray(goal, dtype=float), radius

    def objective(self, x):
        away = x - self.goal
        return 0.5 * float(away @ away), away, np.eye(len(x))

    def constraints(self, x):
        return np.array([x @ x - self.radius**2]), 2 * x[None]

    def curvature(self, x, multipliers):
        return 2 * multipliers[0] * np.eye(len(x))


class Quadratic:
    """A random quadratic under random linear constraints: one Newton step solves it."""

    def __init__(self, rng, n, m):
        base = rng.normal(size=(n, n))
        self.hessian, self.slope = base @ base.T + np.eye(n), rng.normal(size=n)
        self.rows, self.right = rng.normal(size=(m, n)), rng.normal(size=m)

    def objective(self, x):
        return float(0.5 * x @ self.hessian @ x + self.slope @ x), self.hessian @ x + self.slope, self.hessian

    def constraints(self, x):
        return self.rows @ x - self.right, self.rows

    def curvature(self, x, multipliers):
        return np.zeros_like(self.hessian)


@pytest.mark.parametrize("form", ["full", "reduced"])
def test_quadratic_in_one_step(form):
    rng = np.random.default_rng(1)
    program = Quadratic(rng, 6, 3)
    options = LagrangeOptions(form=form, longest=1e9, tolerance=1e-8)
    found = minimize_under(program, rng.normal(size=6), options)
    system = np.block([[program.hessian, -program.rows.T], [program.rows, np.zeros((3, 3))]])
    exact = np.linalg.solve(system, np.concatenate([-program.slope, program.right]))
    assert np.abs(found.x - exact[:6]).max() < 1e-8
    assert np.abs(found.multipliers - exact[6:]).max() < 1e-6
    assert found.iterations <= 2


@pytest.mark.parametrize("form", ["full", "reduced"])
@pytest.mark.parametrize("goal", [[3, 1], [0.1, -0.2], [2, 2, -1], [0, 0, 5]])
def test_nearest_point_of_a_circle(form, goal):
    start = np.ones(len(goal)) * 0.5 + 0.1 * np.arange(len(goal))
    found = minimize_under(Circle(goal), start, LagrangeOptions(form=form))
    assert np.abs(found.x - np.array(goal) / np.linalg.norm(goal)).max() < 1e-7
    assert found.violation < 1e-9
    assert found.slope < 1e-7
    assert found.iterations < 20


def test_does_not_stop_at_the_farthest_point():
    """The farthest point is stationary too; Newton's method by itself would go there."""
    found = minimize_under(Circle([1.0, 0.0]), np.array([-0.95, 0.3]))
    assert np.abs(found.x - [1, 0]).max() < 1e-6


def test_both_forms_make_the_same_steps():
    paths = {}
    for form in ("full", "reduced"):
        visited = []

        class Watched(Circle):
            def constraints(self, x, visited=visited):
                visited.append(x)
                return super().constraints(x)

        minimize_under(Watched([1.5, 0.4, 0.2]), np.array([0.2, 0.9, 0.1]), LagrangeOptions(form=form))
        paths[form] = np.array(visited[:3])
    assert np.abs(paths["full"][1] - paths["reduced"][1]).max() < 1e-12, "Newton's own step"
    assert np.abs(paths["full"] - paths["reduced"]).max() < 1e-5, (
        "shortened ones are damped in slightly other ways"
    )


def test_dependent_constraints():
    rng = np.random.default_rng(3)
    program = Quadratic(rng, 5, 2)
    program.rows, program.right = program.rows[[0, 1, 0]], program.right[[0, 1, 0]]
    for form in ("full", "reduced"):
        found = minimize_under(program, np.zeros(5), LagrangeOptions(form=form, longest=1e9, tolerance=1e-8))
        assert found.violation < 1e-8
        assert found.slope < 1e-6


def test_constraints_that_cannot_be_met_end_where_they_are_least_violated():
    class Empty(Circle):
        def constraints(self, x):
            return np.array([x @ x + 1.0]), 2 * x[None]

    found = minimize_under(Empty([1.0, 1.0]), np.array([0.7, -0.4]))
    assert found.stalled
    assert np.abs(found.x).max() < 0.05


def test_agrees_with_slsqp():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        program = Quadratic(rng, 8, 3)
        theirs = minimize(
            lambda x, p=program: p.objective(x)[:2], np.zeros(8), jac=True, method="SLSQP",
            constraints={"type": "eq", "fun": lambda x, p=program: p.constraints(x)[0]},
            options={"ftol": 1e-14},
        )  # fmt: skip
        found = minimize_under(program, np.zeros(8), LagrangeOptions(tolerance=1e-8))
        assert program.objective(found.x)[0] == pytest.approx(theirs.fun, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("form", ["reduced", "full"])
@pytest.mark.parametrize("kind", ["convex", "bent down", "flat"])
@pytest.mark.parametrize("rank", [0, 1, 3, 6])
def test_a_step_is_that_along_a_basis_of_the_null_space(form, kind, rank):
    """As the texts write it, with what is negative or flat there taken for steep."""
    rng = np.random.default_rng(rank)
    bent = rng.normal(size=(6, 6))
    bent = (
        bent @ bent.T
        if kind == "convex"
        else bent + bent.T
        if kind == "bent down"
        else np.diag([1.0] + [0.0] * 5)
    )
    rows, gradient, error = rng.normal(size=(rank, 6)), rng.normal(size=6), 0.1 * rng.normal(size=rank)
    null = np.linalg.svd(rows)[2][rank:].T
    values, vectors = np.linalg.eigh(null.T @ bent @ null)
    steep = np.maximum(np.abs(values), 1e-4 * np.abs(values).max(initial=0.0))
    towards = -np.linalg.pinv(rows) @ error
    y = vectors @ (vectors.T @ (null.T @ (gradient + bent @ towards)) / steep)
    options = LagrangeOptions(form=form, longest=1e9)
    step = _Newton(gradient, bent, rows, options).at(0)(error, rows)
    np.testing.assert_allclose(step, towards - null @ y, rtol=1e-6, atol=1e-6 * np.abs(step).max())
