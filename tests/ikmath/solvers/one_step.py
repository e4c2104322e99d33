# SPDX-License-Identifier: GPL-3.0-or-later
"""One step of a method, apart from the loop around it."""

import numpy as np

import ikmath as ik
from ikmath.classic.stepping import Linear
from ikmath.solvers.api import METHODS


def linear(problem, q, wish=None):
    """What a step is worked out from, and the rows."""
    stack = problem.stack
    raw, jacobian = stack.evaluate(problem.tasks, ik.Pose.forward(problem.skeleton, q))
    mobility = problem.skeleton.mobility if problem.skeleton.stiffness.any() else None
    error, rows = raw * stack.scale, jacobian * stack.scale[:, None]
    state = Linear(problem, q, float(error @ error), 1.0, mobility, wish, stack.level, {})
    return error, rows, state


def step(name, problem, q, wish=None, **options):
    method = METHODS[name]
    error, rows, state = linear(problem, q, wish)
    return method.step(error, rows, state, method.options(**options)), error, rows


def arm_problem(seed=0, priorities=(0,), stiffness=0.0):
    chain = ik.Skeleton(
        [
            ik.Joint(
                f"b{i}",
                f"b{i - 1}" if i else None,
                translation=(0, 1.0 if i else 0, 0),
                stiffness=stiffness * (i % 2),
            )
            for i in range(7)
        ]
    )
    rng = np.random.default_rng(seed)
    goals = []
    for k, priority in enumerate(priorities):
        goals.append(ik.Position(f"b{6 - 2 * k}", rng.normal(size=3), (0, 1, 0), priority=priority))
    return ik.Problem(chain, goals), 0.4 * rng.normal(size=chain.n)
