# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of one frame in which something is held: the best of those that go their way."""

import numpy as np
import pytest

import ikmath as ik
from ikmath.classic.limits.base import ByRows
from ikmath.classic.limits.projection import _OneHold
from ikmath.classic.methods.damped import Damped, DampedOptions
from tests.ikmath.solvers.one_step import linear

DAMPING = 1e-3


def person(stiff):
    """A problem, a pose of it at some limits, and what of a long step would leave them."""
    figure = ik.figures.human()
    if stiff:
        figure = figure.with_inertia(np.random.default_rng(1).uniform(0.2, 3.0, figure.n))
    rng = np.random.default_rng(0)
    names = ["wrist.L", "wrist.R", "head"]
    q = figure.joint_limits.project(0.5 * rng.normal(size=figure.n))
    problem = ik.Problem(figure, [ik.Position(names, rng.normal(size=(3, 3)))])
    exits = figure.joint_limits.crossings_of_one(q + 0.3 * rng.normal(size=figure.n))
    return problem, q, exits


@pytest.mark.parametrize("stiff", [False, True])
@pytest.mark.parametrize("wishing", [False, True])
def test_the_step_is_the_best_of_those_that_go_their_way(stiff, wishing):
    problem, q, exits = person(stiff)
    figure, rng = problem.skeleton, np.random.default_rng(2)
    wish = 0.1 * rng.normal(size=figure.n) if wishing else None
    error, rows, state = linear(problem, q, wish)
    state.mobility = figure.mobility if stiff else None
    assert len(exits.columns) > 2 and len(exits.pairs) > 2
    hold = _OneHold(q, state.mobility)
    hold.add(exits)
    held = hold.directions()
    options = DampedOptions(damping=DAMPING)
    step = Damped().proposal(rows, state, options)(error, held)

    constraints, wanted = np.zeros((len(held.way), figure.n)), []
    for row, (column, limit) in enumerate(exits.columns):
        constraints[row, column] = 1.0
        wanted.append(limit - q[column])
    for row, (pair, *columns, (*point, u, v)) in enumerate(exits.pairs, len(wanted)):
        assert columns == figure.joint_limits.pairs[pair].tolist()
        constraints[row, columns] = u, v
        wanted.append(np.dot((u, v), point - q[columns]))
    inverse = np.diag(1.0 / figure.mobility if stiff else np.ones(figure.n))
    hessian = rows.T @ rows + DAMPING * inverse
    towards = -rows.T @ error + (0.0 if wish is None else DAMPING * inverse @ wish)
    kkt = np.block([[hessian, constraints.T], [constraints, np.zeros((len(wanted), len(wanted)))]])
    best = np.linalg.solve(kkt, np.concatenate([towards, wanted]))[: figure.n]
    np.testing.assert_allclose(step, best, atol=1e-9)

    by_rows = ByRows(lambda e, j: Damped().step(e, j, state, options), rows, state.mobility)
    np.testing.assert_allclose(by_rows(error, held), step, atol=1e-9)


def test_with_more_rows_than_coordinates_it_is_the_same():
    chain = ik.figures.planar_chain([1.0, 1.0], limit=0.3)
    problem = ik.Problem(chain, [ik.Position(["link1", "tip"], [(1.0, 1.0, 0.0), (0.5, 2.0, 0.0)])])
    q = np.array([0.1, -0.2])
    error, rows, state = linear(problem, q)
    assert len(rows) > len(q)
    exits = chain.joint_limits.crossings_of_one(q + np.array([0.4, 0.1]))
    hold = _OneHold(q, None)
    hold.add(exits)
    step = Damped().proposal(rows, state, DampedOptions(damping=DAMPING))(error, hold.directions())
    assert step[0] == pytest.approx(0.2)
    rest = error + rows[:, 0] * 0.2
    assert step[1] == pytest.approx(-rows[:, 1] @ rest / (rows[:, 1] @ rows[:, 1] + DAMPING))
