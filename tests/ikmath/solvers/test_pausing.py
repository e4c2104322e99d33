# SPDX-License-Identifier: GPL-3.0-or-later
"""A solve in parts ends as a solve at once does, whatever is solved in its pauses."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.errors import BadValue
from ikmath.solvers.hierarchical import Hierarchical
from tests.ikmath.avoidance import scenes
from tests.ikmath.solvers.parts import complete


def _reach(target=(0.4, 1.2, 0)):
    arm = ik.figures.planar_chain([1.0, 1.0, 1.0])
    return ik.Problem(arm, [ik.Position("tip", target)]), np.array([0.4, 0.3, 0.2])


def _walled():
    """An arm that searches its way past obstacles."""
    scene = scenes.scene("arm", 3)
    return scene.problem, scene.start


@pytest.mark.parametrize("case", [_reach, _walled])
@pytest.mark.parametrize("method", ["hierarchical", "damped"])
def test_parts_end_as_the_whole(case, method):
    problem, start = case()
    if method == "damped":  # it does not support obstacles
        problem = ik.Problem(problem.skeleton, problem.tasks)
    solver = ik.Solver(method)
    whole = solver.solve(problem, start)
    parts = complete(solver.in_parts(problem, start))
    assert (parts.q == whole.q).all()
    assert (parts.status, parts.iterations, parts.message) == (whole.status, whole.iterations, whole.message)


def test_nothing_solved_in_the_pauses_changes_the_end():
    problem, start = _walled()
    solver = ik.Solver()
    whole = solver.solve(problem, start)

    def disturbed():
        parts = solver.in_parts(problem, start)
        while True:
            try:
                yield next(parts)
            except StopIteration as end:
                return end.value
            ik.solve(problem, start + 1e-3, brief=True, max_iterations=2)

    assert (complete(disturbed()).q == whole.q).all()


def test_each_iteration_is_a_part():
    problem, start = _reach()
    solver = ik.Solver()
    assert len(list(solver.in_parts(problem, start))) == solver.solve(problem, start).iterations


def test_a_solve_that_nobody_ends_is_dropped():
    problem, start = _reach()
    work = ik.Solver().in_parts(problem, start)
    next(work)
    work.close()
    assert ik.solve(problem, start).status is ik.Status.REACHED


def test_a_figure_without_a_free_joint_is_solved_at_once():
    rigid = ik.Problem(ik.Skeleton([ik.Joint("only", turns="")]), [])
    assert complete(ik.Solver().in_parts(rigid, [])).q.shape == (0,)


def test_numbers_too_far_apart_end_in_a_sentence(monkeypatch):
    def fail(*_):
        raise np.linalg.LinAlgError
        yield

    problem, start = _reach()
    monkeypatch.setattr(Hierarchical, "in_parts", fail)
    with pytest.raises(BadValue, match="too far apart"):
        complete(ik.Solver().in_parts(problem, start))


def test_parts_begin_within_the_limits():
    problem, _ = _reach()
    low = problem.skeleton.with_limits(np.full(3, -0.2), np.full(3, 0.2))
    narrow, outside = ik.Problem(low, problem.tasks), [3, -3, 0]
    assert (complete(ik.Solver().in_parts(narrow, outside)).q == ik.solve(narrow, outside).q).all()
