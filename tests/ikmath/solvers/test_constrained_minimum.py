# SPDX-License-Identifier: GPL-3.0-or-later
"""The hierarchical solver ends at the constrained minimum, counts its iterations and does not jump."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.model.pose import Pose
from ikmath.postures.objective import PostureObjective
from ikmath.solvers.driver import Budget, IterationDriver, Stop
from ikmath.solvers.hierarchical import posture_of
from ikmath.solvers.iterate import Iterate
from ikmath.solvers.newton_step import NewtonStep
from ikmath.solvers.parameters import DEFAULTS
from ikmath.solvers.step_bounds import StepBounds
from tests.ikmath import trees
from tests.ikmath.postures import people
from tests.ikmath.solvers.parts import complete

FEET, HANDS = ["ankle.L", "ankle.R"], ["wrist.L", "wrist.R"]


def in_conflict(seed, posture=True):
    """A person whose hands ask for more than planted feet allow."""
    figure, rng = ik.figures.human(), np.random.default_rng(seed)
    rest = ik.Pose.forward(figure, figure.rest)
    goals = [
        ik.Position(FEET, rest.point(FEET)),
        ik.Position(HANDS, rest.point(HANDS) + 0.5 * rng.normal(size=(2, 3)), priority=1),
    ]
    return ik.Problem(figure, [*goals, ik.Posture(figure.rest)] if posture else goals)


@pytest.mark.parametrize("seed", range(5))
def test_levels_in_conflict_and_a_posture_come_to_rest(seed):
    problem = in_conflict(seed)
    first = ik.solve(problem, problem.skeleton.rest, restarts=0)
    again = ik.solve(problem, first.q, restarts=0)
    assert first.status is ik.Status.BEST_EFFORT
    assert first.errors[:2].max() < 1e-8  # the feet
    assert np.abs(again.q - first.q).max() < 1e-6
    assert problem.skeleton.joint_limits.violation(first.q).max() < 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_out_of_reach_with_a_posture_stays_when_solved_again(seed):
    figure, rng = ik.figures.ball_chain(5, 1.0, limit=0.8), np.random.default_rng([4, seed])
    tip = ik.Pose.forward(figure, trees.inside(rng, figure)).point("tip")
    wish = ik.Posture(figure.joint_limits.project(0.4 * rng.normal(size=figure.n)))
    problem = ik.Problem(figure, [ik.Position("tip", 3.0 * tip), wish])
    first = ik.solve(problem, trees.inside(rng, figure))
    again = ik.solve(problem, first.q)
    assert np.abs(again.q - first.q).max() < 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_of_poses_that_reach_it_is_the_one_with_the_least_posture_cost(seed):
    """Against a penalty method of scipy's from the same end and from the start."""
    optimize = pytest.importorskip("scipy.optimize")
    figure, rng = ik.figures.ball_chain(4), np.random.default_rng(seed)
    target = ik.Pose.forward(figure, 0.4 * rng.normal(size=figure.n)).point("tip")
    reference = 0.2 * rng.normal(size=figure.n)
    problem = ik.Problem(figure, [ik.Position("tip", target), ik.Posture(reference)])
    found = ik.solve(problem, reference, tolerance=1e-8)

    def short(q):
        return ik.Pose.forward(figure, q).point("tip") - target

    known = optimize.minimize(
        lambda q: float(((q - reference) ** 2).sum()),
        found.q + 0.01 * rng.normal(size=figure.n),
        jac=lambda q: 2.0 * (q - reference),
        constraints={"type": "eq", "fun": short, "jac": lambda q: ik.Pose.forward(figure, q).jacobian("tip")},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 300},
    )
    assert found.status is ik.Status.REACHED
    np.testing.assert_allclose(found.q, known.x, atol=1e-5)


@pytest.mark.parametrize("posture", [False, True])
def test_the_curved_model_tells_the_merit_along_any_small_step(posture):
    problem = in_conflict(0, posture)
    figure, own = problem.skeleton, DEFAULTS
    driver = IterationDriver(
        problem,
        posture_of(problem),
        StepBounds(figure, own),
        None,
        own,
        np.full(4, 1e-4),
    )
    patience = DEFAULTS.before_curvature
    end, _ = complete(driver.run(driver.begin(figure.rest.copy()), Budget(9), None, patience))
    model = NewtonStep(problem, end, driver.merit.weights, own, [], lenient=False)
    rng = np.random.default_rng(1)
    inside = (end.q > figure.joint_limits.low + 0.01) & (end.q < figure.joint_limits.high - 0.01)
    inside[
        figure.joint_limits.pairs[figure.joint_limits.at_limit(end.q, 0.05)[figure.joint_limits.pairs].any(1)]
    ] = False
    for _ in range(5):
        dq = 1e-4 * rng.normal(size=figure.n) * inside
        there = Iterate(problem, Pose.trusted(figure, end.q + dq), posture_of(problem))
        before, after = end.all_costs, there.all_costs
        # of the level that is short and of the posture; what is met is a constraint
        weights = driver.merit.weights
        gain = weights[1] * (np.sqrt(before[1]) - np.sqrt(after[1])) + before[2] - after[2]
        linear = end.jacobian.dot(dq)[problem.stack.levels[0]]
        bent = there.error[problem.stack.levels[0]] - linear - end.error[problem.stack.levels[0]]
        force = np.linalg.lstsq(
            (end.jacobian[problem.stack.levels[0]] * problem.stack.metric).T, -model._gradient, rcond=1e-7
        )[0]
        assert gain == pytest.approx(model.promised(dq) + force.dot(bent), rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("most", [1, 3, 10, 400])
def test_every_step_that_is_worked_out_counts(most, monkeypatch):
    """Steps that are refused and second-order corrections, too."""
    problem, steps, step = in_conflict(1), [], StepBounds.step

    def counted(self, q, propose, others=()):
        steps.append(q)
        return step(self, q, propose, others)

    monkeypatch.setattr(StepBounds, "step", counted)
    answer = ik.solve(problem, problem.skeleton.rest, max_iterations=most, restarts=0)
    assert answer.iterations == len(steps) <= (1 + DEFAULTS.corrections) * most + DEFAULTS.corrections


def test_time_that_runs_out_ends_a_solve_with_what_it_has():
    problem = in_conflict(2)
    answer = ik.solve(problem, problem.skeleton.rest, seconds=1e-9)
    assert answer.status is ik.Status.STOPPED
    assert problem.skeleton.joint_limits.violation(answer.q).max() < 1e-9


def test_restarts_leave_a_local_minimum():
    arm, rng = ik.figures.arm(), np.random.default_rng(4)
    q0 = np.array([0.0, 0.4, 0.0, 1.2, 0.0, 0.6, 0.0])
    reached = 0
    for _ in range(40):
        pose = ik.Pose.forward(arm, rng.uniform(arm.lower, arm.upper))
        goals = [ik.Position("tool", pose.point("tool")), ik.Orientation("tool", pose.frame("tool"))]
        reached += ik.solve(ik.Problem(arm, goals), q0).status is ik.Status.REACHED
    assert reached == 40


def test_a_motion_that_stays_in_reach_turns_little():
    figure = ik.figures.human()
    rest = ik.Pose.forward(figure, figure.rest)
    way = 0.2 * np.sin(np.linspace(0.0, np.pi, 40))[:, None, None] * np.array([0.0, 0.5, -1.0])
    goals = [ik.Position(FEET, rest.point(FEET)), ik.Position(HANDS, rest.point(HANDS) + way)]
    track = ik.solve_track(ik.Problem(figure, goals), figure.rest, method="hierarchical")
    assert all(status is ik.Status.REACHED for status in track.status)
    assert np.abs(np.diff(track.q, axis=0))[:, figure.is_turn].max() < np.radians(7.1)


def test_a_target_that_leaps_is_followed_at_once():
    arm, rng = ik.figures.ball_chain(5, 0.4), np.random.default_rng(5)
    places = ik.Pose.forward(arm, rng.uniform(-0.6, 0.6, (10, arm.n))).point("tip")
    track = ik.solve_track(ik.Problem(arm, [ik.Position("tip", places)]), arm.rest, method="hierarchical")
    assert track.errors.max() < 1e-4


def test_a_step_by_curvature_is_newtons_also_where_a_level_is_only_nearly_met():
    """Against the linear system of the Lagrangian, whose Hessian is made of differences."""
    figure, rng = ik.figures.ball_chain(4), np.random.default_rng(2)
    target = ik.Pose.forward(figure, 0.4 * rng.normal(size=figure.n)).point("tip")
    reference = 0.2 * rng.normal(size=figure.n)
    problem = ik.Problem(figure, [ik.Position("tip", target), ik.Posture(reference)])
    posture = posture_of(problem)
    bounds = StepBounds(figure, DEFAULTS)
    driver = IterationDriver(problem, posture, bounds, None, DEFAULTS, np.full(1, 1e-8))
    patience = DEFAULTS.before_curvature
    near, stop = complete(driver.run(driver.begin(reference), Budget(50), None, patience, nearly=True))
    assert stop is Stop.NEAR and max(near.costs) > DEFAULTS.met**2

    def slope(q, push):
        there = Iterate(problem, ik.Pose.forward(figure, q), posture)
        return there.posture.gradient + there.jacobian.T @ push

    push = -np.linalg.lstsq(near.jacobian.T, near.posture.gradient, rcond=None)[0]
    steps = 1e-6 * np.eye(figure.n)
    hessian = np.array([slope(near.q + d, push) - slope(near.q - d, push) for d in steps]) / 2e-6
    count = len(near.error)
    system = np.block([[hessian, near.jacobian.T], [near.jacobian, np.zeros((count, count))]])
    exact = np.linalg.solve(system, -np.concatenate([near.posture.gradient, near.error]))[: figure.n]
    model = NewtonStep(problem, near, driver.merit.weights, DEFAULTS, [], lenient=True)
    own, _ = driver._propose(near, model, 1e-3)
    np.testing.assert_allclose(own, exact, atol=1e-4 * np.abs(exact).max())


_SHORT = [  # weak and strong targets, from where the bones are, and the iterations before
    (("shoulder.r", (0.3, 0.1, 0.3)), ("paw.r", (-0.3, 0.2, -0.1)), 325),
    (("paw.l", (0.0, 0.0, -0.6)), ("hock.l", (0.2, -0.6, 0.1)), 430),
]


@pytest.mark.parametrize(("weak", "strong", "before"), _SHORT)
def test_where_two_levels_are_short_the_posture_cost_still_converges_quadratically(weak, strong, before):
    """The damping of what is short outweighed the posture, its scale came from the start.

    Later, steps along the curved valley where the levels are least short were small: across it, too little
    was put right.
    """
    figure, tips = people.skeleton(people.DOG)
    stand = ik.Pose.forward(figure, figure.rest)
    paws = [name for name in figure.names if "paw" in name]
    goals = [ik.Position(paws, stand.point(paws))]
    for priority, (name, aside) in enumerate((strong, weak)):
        goals.append(ik.Position(name, stand.point(name) + np.array(aside), priority=priority))
    cost = PostureObjective.of(figure, figure.rest, tips=tips)
    problem = ik.Problem(figure, goals, posture=cost)
    answer = ik.solve(problem, figure.rest, restarts=0)
    again = ik.solve(problem, answer.q, restarts=0)
    assert np.abs(again.q - answer.q).max() < 1e-6
    assert answer.iterations < before / 2
