# SPDX-License-Identifier: GPL-3.0-or-later
"""A solver that is kept answers as one made anew, whatever was asked before and done with the answers."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from tests.ikmath.solvers.parts import complete

TARGETS = ((0.3, -0.4, 1.2), (0.35, -0.3, 1.3), (5.0, 0.0, 1.0), (0.3, -0.4, 1.2))


@pytest.mark.parametrize("method", ["hierarchical", "damped"])
@pytest.mark.parametrize("brief", [False, True])
def test_kept_and_made_anew(method, brief):
    skeleton = ik.figures.human()
    first = ik.Problem(skeleton, [ik.Position("wrist.L", TARGETS[0]), ik.Posture(skeleton.rest)])
    solver, following = ik.Solver(method, brief=brief, max_iterations=30), None
    for target in TARGETS:
        goals = [ik.Position("wrist.L", target), ik.Posture(skeleton.rest)]
        kept = solver.solve(first.with_targets(goals), skeleton.rest)
        anew = ik.solve(ik.Problem(skeleton, goals), method=method, brief=brief, max_iterations=30)
        assert np.array_equal(kept.q, anew.q)
        assert (kept.status, kept.iterations, kept.message) == (anew.status, anew.iterations, anew.message)
        kept.q[:] = 0.1  # it is the caller's own
        if following is not None:
            on = solver.solve(first.with_targets(goals), following.q, following=following)
            fresh = ik.Solver(method, brief=brief, max_iterations=30)
            again = fresh.solve(ik.Problem(skeleton, goals), following.q, following=following)
            assert np.array_equal(on.q, again.q)
        following = anew


def test_options_are_read_when_it_is_made():
    with pytest.raises(ik.UnknownName, match="dampling"):
        ik.Solver("damped", dampling=1.0)
    with pytest.raises(ik.BadValue, match="brief"):
        ik.Solver(brief="yes")
    for accuracy in ("exact", "fast"):
        with pytest.raises(ik.BadValue, match="accuracy is given, but brief sets it to 'fast'"):
            ik.Solver(brief=True, accuracy=accuracy)
    with pytest.raises(ik.BadValue, match="far"):
        ik.Solver("damped", far=-1.0)


def test_a_batch_of_one_start_serves_all_frames():
    arm = ik.figures.ball_chain(3)
    moving = ik.Problem(arm, [ik.Position(arm.names[-1], np.linspace((0.5, 1, 0), (0, 1, 0.5), 4))])
    assert np.array_equal(ik.solve(moving, arm.rest[None]).q, ik.solve(moving, arm.rest).q)
    with pytest.raises(ik.BadValue, match="q0"):
        ik.solve(moving, np.zeros((2, arm.n)))


@pytest.mark.parametrize("target", [(0.5, 0.6, 0.0), (0.0, 9.0, 0.0)])
def test_a_body_without_links_meets_nothing(target):
    arm = ik.figures.ball_chain(3)
    goal = ik.Position(arm.names[-1], target)
    among = ik.Problem(arm, [goal], obstacles=[ik.Sphere((0, 0, 1), 0.5)], body=ik.Body([]))
    answer = ik.solve(among)
    assert answer.clearance == np.inf
    assert answer.errors == pytest.approx(ik.solve(ik.Problem(arm, [goal])).errors, abs=1e-4)


@pytest.mark.parametrize("method", sorted(ik.METHODS))
def test_a_solve_leaves_no_trace_in_the_figure(method):
    """What was solved before, with the same figure or the same solver, makes no difference to what comes."""
    arm = ik.figures.ball_chain(4).with_limits(np.full(12, -0.5), np.full(12, 0.5))
    problem = ik.Problem(arm, [ik.Position(arm.names[-1], (0.6, 2.0, 0.3))])
    starts = [np.full(12, 0.9), arm.rest, np.full(12, -0.4)]
    fresh = [ik.solve(problem, q, method, brief=True).q for q in starts]
    before = {name: repr(value) for name, value in vars(arm.joint_limits).items()}
    solver = ik.Solver(method, brief=True)
    for q, expected in [*zip(starts, fresh, strict=True)] * 2:
        answer = solver.solve(problem, q)
        assert np.array_equal(answer.q, expected)
        again = solver.solve(problem, answer.q)
        assert np.array_equal(again.q, ik.solve(problem, answer.q, method, brief=True).q)
    assert {name: repr(value) for name, value in vars(arm.joint_limits).items()} == before


def test_what_linear_algebra_cannot_compute_is_an_error_of_the_librarys_own(monkeypatch):
    arm = ik.figures.planar_chain([1.0, 1.0])
    problem = ik.Problem(arm, [ik.Position("tip", (1.0, 1.0, 0.0))])
    first = ik.solve(problem, method="damped")

    def broken(*_given, **_more):
        raise np.linalg.LinAlgError("Singular matrix")

    monkeypatch.setattr(type(ik.METHODS["damped"]), "solve", broken)
    for go in (
        lambda: ik.solve(problem, method="damped"),
        lambda: ik.Solver("damped").follow(problem, first),
    ):
        with pytest.raises(ik.BadValue, match="too far apart"):
            go()


ARM = ik.figures.ball_chain(3)
GOAL = ik.Position(ARM.names[-1], (0.5, 1.0, 0.0))
SEVERAL = ik.Problem(ARM, [ik.Position(ARM.names[-1], np.full((4, 3), 0.5))])


def _is_refused(problem, before, error, message, method="hierarchical"):
    solver = ik.Solver(method)
    with pytest.raises(error, match=message):
        solver.follow(problem, before)
    if before.q.ndim == 1:
        with pytest.raises(error, match=message):
            complete(solver.in_parts(problem, before.q))


def test_a_frame_that_does_not_fit_is_refused():
    one, other = ik.Problem(ARM, [GOAL]), ik.Problem(ik.figures.ball_chain(2), [])
    _is_refused(SEVERAL, ik.solve(one), ik.BadValue, r"has frames; give one of them, problem.at\(frame\)")
    _is_refused(one, ik.solve(other), ik.BadShape, r"\(6,\); give \(9,\), one pose of this figure")
    _is_refused(one, ik.solve(SEVERAL), ik.BadShape, r"q of the frame before has shape \(4, 9\)")
    _is_refused(ARM, ik.solve(one), ik.BadValue, "give a Problem")


def test_what_a_method_cannot_take_is_refused_in_later_frames_too():
    before = ik.solve(ik.Problem(ARM, [GOAL]), method="fabrik")
    turned = ik.Problem(ARM, [ik.Orientation(ARM.names[-1], np.eye(3))])
    among = ik.Problem(ARM, [GOAL], [ik.Sphere((0, 0, 1), 0.1)], ik.Body([ik.Link(ARM.names[0])]))
    for problem in (turned, among):
        _is_refused(problem, before, ik.NotSupported, "FABRIK", "fabrik")
