# SPDX-License-Identifier: GPL-3.0-or-later
"""A step bound and a restart strategy are added as the manual says."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import ikmath as ik
from ikmath.solvers.driver import Budget, IterationDriver
from ikmath.solvers.hierarchical import Hierarchical
from ikmath.solvers.iterate import Iterate
from ikmath.solvers.parameters import DEFAULTS
from ikmath.solvers.restarts import Ended, RestartStrategy
from ikmath.solvers.step_bounds import Inequalities, StepBounds
from tests.ikmath.solvers.parts import complete


class OnlyForward(IterationDriver):
    """Steps by which the first coordinate does not go back."""

    def inequalities(self, iterate: Iterate) -> list[Inequalities]:
        row = np.zeros((1, len(iterate.q)))
        row[0, 0] = 1.0
        return [*super().inequalities(iterate), Inequalities(row, np.zeros(1))]


class Mirrored:
    """The start on the other side."""

    jumps, costly = True, True

    def starts(self, ended: Ended) -> Iterator[Iterate]:
        yield ended.driver.begin(-ended.end.q)


class WithMirrored(Hierarchical):
    def strategies(self, options: object, *, guarded: bool) -> list[RestartStrategy]:
        return [Mirrored()]


def test_a_step_bound_holds() -> None:
    chain = ik.figures.planar_chain([1.0, 1.0, 1.0])
    start = np.array([0.4, 0.3, 0.2])
    target = ik.Pose.forward(chain, np.array([-0.2, 0.5, 0.4])).point("tip")
    problem = ik.Problem(chain, [ik.Position("tip", target)])
    ends = {}
    for kind in (IterationDriver, OnlyForward):
        bounds = StepBounds(chain, DEFAULTS)
        driver = kind(problem, None, bounds, None, DEFAULTS, np.full(1, 1e-6))
        ends[kind], _ = complete(driver.run(driver.begin(start), Budget(50), None, DEFAULTS.at_last))
    assert ends[IterationDriver].q[0] < start[0] - 1e-3
    assert ends[OnlyForward].q[0] >= start[0] - 1e-9
    assert ends[OnlyForward].reached(np.full(1, 1e-3))


def test_a_step_bound_holds_beside_a_floor() -> None:
    """Both have no names of their own."""
    chain = ik.figures.planar_chain([1.0, 1.0, 1.0])
    start, floor = np.array([0.4, 0.3, 0.2]), 0.6
    goals = [
        ik.Plane("tip", (0, floor, 0), (0, 1, 0), one_sided=True),
        ik.Position("tip", (1, 0, 0), priority=1),
    ]
    problem, bounds = ik.Problem(chain, goals), StepBounds(chain, DEFAULTS)
    driver = OnlyForward(problem, None, bounds, None, DEFAULTS, np.full(2, 1e-6))
    end, _ = complete(driver.run(driver.begin(start), Budget(50), None, DEFAULTS.at_last))
    end, _ = complete(driver.refine(end, Budget(50)))
    assert end.q[0] >= start[0] - 1e-9
    assert ik.Pose.forward(chain, end.q).point("tip")[1] >= floor - 1e-6


def test_a_restart_strategy_is_tried() -> None:
    elbow = ik.Skeleton(
        [
            ik.Joint("upper", turns="x", lower=(-2.0,), upper=(2.0,)),
            ik.Joint("lower", "upper", translation=(0, 1, 0), turns="x", lower=(-2.5,), upper=(2.5,)),
            ik.Joint("hand", "lower", translation=(0, 1, 0), turns=""),
        ]
    )
    there = np.array([-1.9, -2.0])
    problem = ik.Problem(elbow, [ik.Position("hand", ik.Pose.forward(elbow, there).point("hand"))])
    start, told = np.array([1.9, 2.0]), {"restarts": 0}
    plain = Hierarchical().solve(problem, start.copy(), Hierarchical.options(**told))
    found = WithMirrored().solve(problem, start.copy(), Hierarchical.options(**told))
    assert plain.status is not ik.Status.REACHED
    assert found.status is ik.Status.REACHED
    assert np.array_equal(ik.solve(problem, start, WithMirrored(), **told).q, found.q)
    moving = ik.Problem(elbow, [ik.Position("hand", np.repeat(problem.goals[0].target, 2, 0))])
    assert np.array_equal(ik.solve_track(moving, start, WithMirrored(), **told).q[0], found.q)
    with pytest.raises(ik.UnknownName, match="option of method hierarchical 'restart'"):
        ik.Solver(WithMirrored(), restart=0)
