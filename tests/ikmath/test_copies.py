# SPDX-License-Identifier: GPL-3.0-or-later
"""What is made once can be copied, sent to other processes and shared by threads, and answers as before."""

from __future__ import annotations

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ikmath as ik
from ikmath.postures.objective import PostureObjective

COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
}
BY = pytest.mark.parametrize("by", COPIES)


def problem(obstacles=False, **given):
    figure = ik.figures.human()
    goals = [
        ik.Position(["wrist.L", "ankle.L"], [(0.4, -0.4, 1.2), (0.1, 0.0, 0.1)]),
        ik.AnyOf(
            [ik.Position("wrist.R", (-0.4, -0.3, 1.1)), ik.Position("wrist.R", (-0.4, 0.2, 1.1))], priority=1
        ),
        ik.Posture(figure.rest),
    ]
    if not obstacles:
        return ik.Problem(figure, goals, **given)
    body = ik.Body([ik.Link("elbow.L", b=(0, 0.26, 0), radius=0.04), ik.Link("wrist.L", radius=0.05)])
    things = [
        ik.Sphere((0.5, -0.2, 1.1), 0.1),
        ik.TriangleMesh([(0, -1, 1), (1, -1, 1), (1, 0, 1)], [(0, 1, 2)], "two_sided"),
    ]
    return ik.Problem(figure, goals, things, body, **given)


def natural():
    figure = ik.figures.human()
    goals = [ik.Position("wrist.L", (0.4, -0.4, 1.2)), ik.Position("ankle.L", (0.1, 0.0, 0.1), priority=1)]
    return ik.Problem(figure, goals, posture=PostureObjective.of(figure, figure.rest))


@BY
@pytest.mark.parametrize(
    "make", [problem, lambda: problem(True), natural], ids=["plain", "obstacles", "natural"]
)
def test_problems_and_solutions(by, make):
    made = make()
    first = ik.solve(made)
    again = ik.solve(COPIES[by](made))
    np.testing.assert_array_equal(again.q, first.q)
    told = COPIES[by](first)
    assert told.status is first.status and told.message == first.message
    assert told.clearance == first.clearance
    np.testing.assert_array_equal(
        ik.solve(made, told.q, following=told).q, ik.solve(made, first.q, following=first).q
    )


@BY
def test_figures_poses_and_batches(by):
    figure = COPIES[by](ik.figures.human())
    pose = ik.Pose.forward(figure, np.linspace(0, 0.1, figure.n))
    np.testing.assert_array_equal(COPIES[by](pose).jacobian("head"), pose.jacobian("head"))
    many = ik.solve(problem(True), np.zeros((2, figure.n)), max_iterations=5)
    np.testing.assert_array_equal(COPIES[by](many).clearance, many.clearance)


@pytest.mark.parametrize(
    "error",
    [
        ik.BadValue("hand", "is gone."),
        ik.BadShape("q", "(3,)", (2,)),
        ik.UnknownName("joint", "hnd", ["hand"]),
        ik.NotSupported("Method CCD", "cannot."),
    ],
    ids=lambda error: type(error).__name__,
)
@BY
def test_errors(by, error):
    other = COPIES[by](error)
    assert type(other) is type(error) and str(other) == str(error) and vars(other) == vars(error)


@BY
@pytest.mark.parametrize("name", ["GOALS", "SHAPES", "METHODS", "LIMITS", "AVOIDANCE", "SVD"])
def test_registries(by, name):
    registry = getattr(ik, name)
    again = COPIES[by](registry)
    assert list(again) == list(registry) and len(again) == len(registry)
    assert [type(entry) for entry in again.values()] == [type(entry) for entry in registry.values()]
    assert repr(again) == repr(registry) and all(word in repr(registry) for word in registry)


def test_threads_do_not_disturb_each_other():
    made, starts = problem(), 0.05 * np.random.default_rng(0).normal(size=(8, ik.figures.human().n))
    alone = [ik.solve(made, start).q for start in starts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda start: ik.solve(made, start).q, starts))
    np.testing.assert_array_equal(together, alone)


def size(thing):
    return len(pickle.dumps(thing))


@pytest.mark.parametrize("make, most", [(problem, 25_000), (natural, 75_000)])
def test_a_problem_is_as_small_after_a_solve_as_before(make, most):
    made = make()
    before = size(made), size(made.skeleton)
    ik.solve(made)
    assert (size(made), size(made.skeleton)) == before
    assert size(made.skeleton) < 16_000 and size(made) < most  # 66 coordinates


def test_frames_sent_together_share_their_figure():
    figure = ik.figures.human()
    targets = np.random.default_rng(1).normal((0.3, -0.3, 1.1), 0.2, (100, 3))
    many = ik.Problem(figure, [ik.Position("wrist.L", targets)])
    assert size([many.at(frame) for frame in range(100)]) < size(many.at(0)) + 100 * 500


@pytest.mark.parametrize("obstacles", [False, True])
def test_a_compact_solution_has_the_answer_and_not_the_problem(obstacles):
    made = problem(obstacles)
    found = ik.solve(made)
    sent = pickle.loads(pickle.dumps(found.compact()))
    np.testing.assert_array_equal(sent.q, found.q)
    np.testing.assert_array_equal(sent.errors, found.errors)
    assert (sent.status, sent.iterations) == (found.status, found.iterations)
    assert sent.message == found.message and sent.clearance == found.clearance
    assert size(found.compact()) < 2_000


def test_a_compact_solution_of_many_frames():
    figure = ik.figures.human()
    targets = np.random.default_rng(1).normal((0.3, -0.3, 1.1), 0.2, (20, 3))
    found = ik.solve(ik.Problem(figure, [ik.Position("wrist.L", targets)]), np.tile(figure.rest, (20, 1)))
    sent = pickle.loads(pickle.dumps(found.compact()))
    assert list(sent.message) == list(found.message)
    np.testing.assert_array_equal(sent.clearance, found.clearance)
    assert size(found.compact()) < found.q.nbytes + 20 * 300


def test_solutions_may_be_kept_in_lists_and_sets():
    one, other = ik.solve(problem(False)), ik.solve(problem(False))
    assert [one, other].index(other) == 1 and one != other and len({one, other}) == 2


def test_joints_may_be_compared_and_stand_in_sets():
    """By identity, as solutions: arrays that are equal or not have no single truth."""
    one, other = (ik.Joint("a", translation=np.zeros(3)) for _ in range(2))
    assert one == one and one != other and len({one, other}) == 2 and [one, other].index(other) == 1


def test_goals_are_shared_by_threads_with_different_figures():
    """What a goal has read of one figure is never used for another."""
    interval = sys.getswitchinterval()
    goals = [ik.Position("tip", (0.5, 0.5, 1.0)), ik.Balance((0.1, 0.1), masses={"tip": 1, "ball1": 2})]
    problems = [ik.Problem(ik.figures.ball_chain(count), goals) for count in (4, 7)]
    alone = [ik.solve(problem, max_iterations=5).q for problem in problems]
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda i: ik.solve(problems[i % 2], max_iterations=5).q, range(100)))
    finally:
        sys.setswitchinterval(interval)
    for number, q in enumerate(together):
        np.testing.assert_array_equal(q, alone[number % 2])


def test_the_iterations_of_no_frames_are_whole_numbers():
    figure = ik.figures.planar_chain([1.0])
    assert ik.solve(ik.Problem(figure, []), np.zeros((0, 1))).iterations.dtype == int
