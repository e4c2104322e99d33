# SPDX-License-Identifier: GPL-3.0-or-later
"""The Jacobian transpose (Ge, 2.2.2): its gain is the best one, alone and with the step before."""

import numpy as np
import pytest

import ikmath as ik
from ikmath.classic.limits.base import ByRows
from ikmath.classic.methods.transpose import optimal_gain
from ikmath.solvers.api import METHODS
from tests.ikmath import trees
from tests.ikmath.solvers.one_step import arm_problem, linear, step


def test_transpose_has_the_optimal_gain():
    """Ge, 2.2.2: along J^T e no other gain leaves a smaller linear error."""
    problem, q = arm_problem(6)
    dq, error, rows = step("transpose", problem, q)
    assert np.abs(np.cross(np.pad(dq, (0, 0))[:3], (rows.T @ error)[:3])).max() < 1e-9
    best = np.linalg.norm(error + rows @ dq)
    for share in (0.9, 0.99, 1.01, 1.1):
        assert np.linalg.norm(error + share * rows @ dq) > best
    assert optimal_gain(rows, error, rows.T @ error) == pytest.approx(
        -(dq @ rows.T @ error) / np.sum((rows.T @ error) ** 2)
    )
    assert optimal_gain(np.zeros((3, 4)), np.ones(3), np.zeros(4)) == 0.0


def test_transpose_gain_is_optimal_with_weights_units_and_a_joint_at_its_limit():
    """Positions and a rotation, of weights 1, 9 and 0.2; what is held at its limit takes no part."""
    chain = ik.figures.ball_chain(3, 1.0, limit=0.8)
    rng = np.random.default_rng(2)
    goals = [
        ik.Position(["ball1", "tip"], rng.normal(size=(2, 3)), weight=[1.0, 9.0]),
        ik.Orientation("ball2", trees.rotation(rng), weight=0.2),
    ]
    problem = ik.Problem(chain, goals)
    held = 0
    for _ in range(20):
        q = chain.joint_limits.project(0.9 * rng.normal(size=9))
        error, rows, state = linear(problem, q)
        options = METHODS["transpose"].options()
        asked = []

        def propose(e, j, state=state, options=options, asked=asked):
            asked.append((e, j.copy(), METHODS["transpose"].step(e, j, state, options)))
            return asked[-1][2].copy()

        problem.limits.step(chain.joint_limits, q, error, ByRows(propose, rows))
        held += len(asked) > 1
        for e, j, dq in asked:
            least = np.linalg.norm(e + j @ dq)
            for share in (0.5, 0.99, 1.01, 2.0):
                assert np.linalg.norm(e + share * j @ dq) > least
    assert held > 5, "limits were met"


def test_transpose_with_the_step_before_is_the_best_of_their_plane():
    problem, q = arm_problem(6)
    method, options = METHODS["transpose"], METHODS["transpose"].options()
    error, rows, state = linear(problem, q)
    method.step(error, rows, state, options)
    way = 0.1 * np.random.default_rng(0).normal(size=len(q))
    error, rows, following = linear(problem, q + way)
    state.q, state.caution = following.q, 0.4
    dq = method.step(error, rows, state, options)
    plane = np.stack([rows.T @ error, way], 1)
    gains = np.linalg.lstsq(rows @ plane, -error, rcond=None)[0]
    np.testing.assert_allclose(dq, plane @ gains, atol=1e-9)
    alone = method.step(error, rows, state, method.options(remember=False))
    assert np.linalg.norm(error + rows @ dq) < np.linalg.norm(error + rows @ alone)
    state.caution = 5.0  # refused: back to the slope, and shorter
    np.testing.assert_allclose(method.step(error, rows, state, options), alone / 5.0, atol=1e-12)


def test_the_step_before_saves_the_transpose_most_of_its_steps():
    """The text's form zigzags (steepest descent); both come to the same end."""
    chain = ik.figures.planar_chain([1, 0.8, 0.6, 0.4], limit=2.0)
    steps = {True: [], False: []}
    for seed in range(6):
        rng = np.random.default_rng(seed)
        start = 0.3 * rng.normal(size=4)
        target = ik.Pose.forward(chain, start + 0.4 * rng.normal(size=4)).point("tip")
        problem = ik.Problem(chain, [ik.Position("tip", target)])
        for remember, counts in steps.items():
            answer = ik.solve(problem, start, "transpose", remember=remember, max_iterations=5000)
            assert answer.status is ik.Status.REACHED
            counts.append(answer.iterations)
    assert 5 * np.median(steps[True]) < np.median(steps[False])
