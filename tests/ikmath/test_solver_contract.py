# SPDX-License-Identifier: GPL-3.0-or-later
"""What every solving method promises. What it says is checked by forward kinematics in plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import ikmath as ik
from tests.ikmath import oracle
from tests.ikmath.zoo import SOLVER_CASES, figures

CASES = pytest.mark.parametrize("case", SOLVER_CASES, ids=lambda case: case.name)
EVERY = ("planar", "ball", "arm", "tree", "human", "two")
SEEDS = 4
TOLERANCE = 1e-4


def ids(pair):
    return f"{pair[0].name}-{pair[1]}"


def problem_of(skeleton, joints, seed, away=0.4):
    """A problem that surely has a solution inside the limits, and a start a moderate way off."""
    rng = np.random.default_rng(seed)
    start = skeleton.joint_limits.project(0.3 * rng.normal(size=skeleton.n))
    there = skeleton.joint_limits.project(start + away * rng.normal(size=skeleton.n))
    targets = np.array([oracle.point(skeleton, there, joint) for joint in joints])
    return ik.Problem(skeleton, [ik.Position(joints, targets)]), start, targets


def solved(case, problem, start, **options):
    """The solution, or None where the method says that it cannot take the problem."""
    try:
        return ik.solve(problem, start, case.name, **{**case.options, **options})
    except ik.NotSupported as refusal:
        assert len(str(refusal)) > 30
        return None


def reaching(skeleton, q, joints, targets):
    return max(np.linalg.norm(oracle.point(skeleton, q, j) - t) for j, t in zip(joints, targets, strict=True))


def moved(skeleton, a, b):
    """How far any joint goes between two coordinate vectors, metres and radians (as entries of rotations)."""
    before, after = oracle.frames(skeleton, a), oracle.frames(skeleton, b)
    return max(np.abs(before[j][i] - after[j][i]).max() for j in before for i in (0, 1))


def test_every_method_has_an_entry():
    assert {case.name for case in SOLVER_CASES} == set(ik.METHODS)


@pytest.mark.parametrize("pair", [(c, kind) for c in SOLVER_CASES for kind in c.reaches], ids=ids)
def test_reaches_what_can_be_reached(pair):
    case, kind = pair
    for skeleton, joints in figures(kind):
        for seed in range(SEEDS):
            problem, start, targets = problem_of(skeleton, joints, seed)
            solution = ik.solve(problem, start, case.name, **case.options)
            assert reaching(skeleton, solution.q, joints, targets) <= TOLERANCE * (1 + 1e-9), (seed, solution)
            assert solution.status is ik.Status.REACHED


@CASES
@pytest.mark.parametrize("kind", EVERY)
def test_keeps_limits_and_says_the_truth(case, kind):
    """Far targets, near targets, hard limits: whatever comes of it is inside, and told as it is."""
    answered = 0
    for skeleton, joints in figures(kind):
        for seed, away in ((10, 0.5), (11, 2.0)):
            problem, start, targets = problem_of(skeleton, joints, seed, away)
            if seed == 11:
                targets = 1.5 * targets + 0.3
                problem = ik.Problem(skeleton, [ik.Position(joints, targets)])
            before = start.copy()
            solution = solved(case, problem, start)
            np.testing.assert_array_equal(start, before)
            if solution is None:
                continue
            answered += 1
            assert oracle.outside_region(skeleton, solution.q) <= 1e-9
            errors = [
                np.linalg.norm(oracle.point(skeleton, solution.q, j) - t)
                for j, t in zip(joints, targets, strict=True)
            ]
            np.testing.assert_allclose(solution.errors, errors, atol=1e-9)
            assert (solution.status is ik.Status.REACHED) == (max(errors) <= TOLERANCE)
            begun = [
                np.linalg.norm(oracle.point(skeleton, start, j) - t)
                for j, t in zip(joints, targets, strict=True)
            ]
            if case.improves:
                assert np.linalg.norm(errors) <= np.linalg.norm(begun) + 1e-9, "worse than it began"
            assert solution.message.endswith(".")
            again = ik.solve(problem, start, case.name, **case.options)
            np.testing.assert_array_equal(again.q, solution.q)
            assert again.iterations == solution.iterations
    assert answered or kind in ("tree", "human")


FAR = ((0, 6, 0), (5, 1, 2), (3, -3, 3), (0, -7, 0), (2.9, 2.9, 0))


@CASES
@pytest.mark.parametrize("target", FAR)
def test_out_of_reach_it_ends_at_the_nearest_pose(case, target):
    skeleton = ik.figures.ball_chain(case.chain, 4.0 / case.chain)
    problem = ik.Problem(skeleton, [ik.Position("tip", target)])
    solution = ik.solve(problem, np.full(skeleton.n, 0.1), case.name, **case.options)
    nearest = np.linalg.norm(target) - 4.0
    excess = np.linalg.norm(oracle.point(skeleton, solution.q, "tip") - target) - nearest
    assert excess < 1e-3 * 4.0
    assert solution.status in (ik.Status.BEST_EFFORT, ik.Status.STOPPED)
    assert "reach" in solution.message or solution.status is ik.Status.STOPPED


@CASES
@pytest.mark.parametrize("target", FAR)
def test_out_of_reach_it_does_not_tremble(case, target):
    """Asked again where it ended, it stays: the second answer is the first within a micrometre."""
    skeleton = ik.figures.ball_chain(case.chain, 4.0 / case.chain)
    problem = ik.Problem(skeleton, [ik.Position("tip", target)])
    first = ik.solve(problem, np.full(skeleton.n, 0.1), case.name, **case.options)
    second = ik.solve(problem, first.q, case.name, **case.options)
    farther = moved(skeleton, first.q, second.q)
    assert farther <= 1e-6


@pytest.mark.parametrize(
    "pair", [(c, kind) for c in SOLVER_CASES for kind in c.reaches if kind not in ("tree", "two")], ids=ids
)
def test_figures_with_limits_do_not_tremble_either(pair):
    case, kind = pair
    (skeleton, joints), *_ = figures(kind)
    _, start, targets = problem_of(skeleton, joints, {"arm": 1, "human": 2}.get(kind, 0))
    problem = ik.Problem(skeleton, [ik.Position(joints, 1.5 * targets + 0.3)])
    first = ik.solve(problem, start, case.name, **case.options)
    assert first.status is ik.Status.BEST_EFFORT
    second = ik.solve(problem, first.q, case.name, **case.options)
    assert moved(skeleton, first.q, second.q) <= 1e-6


@pytest.mark.parametrize(
    "case", [c for c in SOLVER_CASES if "planar" in c.reaches], ids=lambda case: case.name
)
def test_the_nearest_pose_inside_limits(case):
    """Hinges of +-40 degrees cannot follow round the corner; scipy's best of many starts is the judge."""
    skeleton = ik.figures.planar_chain([1.0, 1.0, 1.0], limit=np.radians(40))
    bounds = list(zip(skeleton.lower, skeleton.upper, strict=True))
    for target in ((-0.5, 2.6, 0.0), (3.5, -1.5, 0.0), (0.2, -2.6, 0.0)):
        distance = lambda q, t=target: np.linalg.norm(oracle.point(skeleton, q, "tip") - t) ** 2  # noqa: E731
        starts = np.random.default_rng(0).uniform(skeleton.lower, skeleton.upper, (8, 3))
        best = min(np.sqrt(minimize(distance, s, bounds=bounds, tol=1e-12).fun) for s in starts)
        problem = ik.Problem(skeleton, [ik.Position("tip", target)])
        solution = ik.solve(problem, np.full(3, 0.05), case.name, **case.options)
        assert np.sqrt(distance(solution.q)) - best < 1e-3 * 3.0
        assert oracle.outside_region(skeleton, solution.q) <= 1e-9


@pytest.mark.parametrize(
    "case", [c for c in SOLVER_CASES if ik.METHODS[c.name].batched], ids=lambda c: c.name
)
def test_a_batch_is_as_good_as_the_loop(case):
    for skeleton, joints in figures(case.reaches[-1]):
        starts, targets = [], []
        for seed in range(5):
            _, start, target = problem_of(skeleton, joints, seed)
            starts.append(start)
            targets.append(target)
        many = ik.Problem(skeleton, [ik.Position(joints, np.array(targets))])
        together = ik.solve(many, np.array(starts), case.name, **case.options)
        assert together.q.shape == (5, skeleton.n)
        assert together.errors.shape == (5, len(joints))
        for i in range(5):
            alone = ik.solve(many.at(i), starts[i], case.name, **case.options)
            assert together.status[i] is alone.status
            assert together.iterations[i] == alone.iterations
            np.testing.assert_allclose(together.q[i], alone.q, atol=1e-7)


@CASES
def test_starts_without_frames_and_frames_without_starts(case):
    (skeleton, joints), *_ = figures(case.reaches[0])
    problem, start, target = problem_of(skeleton, joints, 0)
    many = ik.solve(problem, np.stack([start, start * 0.5]), case.name, **case.options)
    assert many.q.shape == (2, skeleton.n)
    assert many.message.shape == (2,)
    moving = ik.Problem(skeleton, [ik.Position(joints, np.stack([target, target]))])
    both = ik.solve(moving, start, case.name, **case.options)
    np.testing.assert_allclose(both.q[0], both.q[1], atol=1e-12)
    assert ik.solve(problem, None, case.name, **case.options).q.shape == (skeleton.n,)


@CASES
def test_no_start_at_all_has_no_answer_and_is_no_error(case):
    (skeleton, joints), *_ = figures(case.reaches[0])
    problem, *_ = problem_of(skeleton, joints, 0)
    none = ik.solve(problem, np.empty((0, skeleton.n)), case.name, **case.options)
    assert none.q.shape == (0, skeleton.n)
    assert none.errors.shape == (0, len(joints))
    assert none.status.shape == none.message.shape == none.iterations.shape == none.clearance.shape == (0,)


@CASES
def test_a_problem_without_goals_is_solved_where_it_stands(case):
    (skeleton, _), *_ = figures(case.reaches[0])
    start = skeleton.joint_limits.project(np.full(skeleton.n, 0.2))
    solution = ik.solve(ik.Problem(skeleton), start, case.name, **case.options)
    if not case.wish:
        np.testing.assert_allclose(solution.q, start, atol=1e-12)
    assert solution.status is ik.Status.REACHED
    assert solution.errors.shape == (0,)


@CASES
def test_a_posture_alone_is_gone_to_or_left_alone(case):
    """Methods that know postures come to it; the geometric ones keep the start, as they say."""
    skeleton = ik.figures.ball_chain(3, limit=1.0)
    wish = np.full(skeleton.n, 0.2)
    felt = {"gamma": 0.1} if case.name == "nonlinear" else {}  # by itself it is next to nothing
    solution = ik.solve(ik.Problem(skeleton, [ik.Posture(wish)]), None, case.name, **felt, **case.options)
    assert solution.status is ik.Status.REACHED
    geometric = case.name in ("fabrik", "ccd", "triangulation", "reach_hierarchy", "two_bone")
    np.testing.assert_allclose(solution.q, 0.0 if geometric else wish, atol=0.02)


@CASES
def test_a_figure_that_cannot_move_is_told_where_it_is(case):
    stiff = ik.Skeleton([ik.Joint("a", turns=""), ik.Joint("b", "a", translation=(0, 1, 0), turns="")])
    assert ik.solve(ik.Problem(stiff), None, case.name).status is ik.Status.REACHED
    path = np.array([(0.0, 1, 0), (0, 1, 2)])
    problem = ik.Problem(stiff, [ik.Position("b", path), ik.Posture([])])
    for solution in (ik.solve(problem, None, case.name), ik.solve_track(problem, None, case.name)):
        assert solution.q.shape == (2, 0)
        assert [status.name for status in solution.status] == ["REACHED", "BEST_EFFORT"]
        np.testing.assert_allclose(solution.errors, [[0.0], [2.0]])


@CASES
def test_bad_input_is_named(case):
    skeleton = ik.figures.planar_chain([1.0, 1.0])
    problem = ik.Problem(skeleton, [ik.Position("tip", (1, 1, 0))])
    with pytest.raises(ik.BadShape, match="q0"):
        ik.solve(problem, np.zeros(3), case.name)
    with pytest.raises(ik.BadValue, match="q0"):
        ik.solve(problem, [0.0, np.nan], case.name)
    with pytest.raises(ik.UnknownName, match=f"option of method {case.name} 'iterations'"):
        ik.solve(problem, None, case.name, iterations=3)
    for name, value in (
        ("max_iterations", 0),
        ("max_iterations", 2.5),
        ("tolerance", 0.0),
        ("tolerance", np.nan),
    ):
        with pytest.raises(ik.BadValue, match=name):
            ik.solve(problem, None, case.name, **{name: value})


def test_an_unknown_method_is_named():
    problem = ik.Problem(ik.figures.planar_chain([1.0]))
    with pytest.raises(ik.UnknownName, match=r"'dampd'.*'damped'"):
        ik.solve(problem, None, "dampd")
    with pytest.raises(ik.UnknownName):
        ik.solve(problem, None, ["damped"])
