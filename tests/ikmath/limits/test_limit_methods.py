# SPDX-License-Identifier: GPL-3.0-or-later
"""What each joint-limit method promises, and Ge's observation that clipping locks and projection does not."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize

import ikmath as ik
from ikmath.classic.limits.barrier import InverseBarrier, LogarithmicBarrier
from ikmath.classic.limits.base import ByRows
from ikmath.classic.limits.clipping import Clipping
from ikmath.classic.limits.penalty import Penalty
from ikmath.errors import BadValue
from ikmath.limits import LIMITS

STRICT = [name for name in LIMITS if LIMITS[name].strict]
INCREMENTAL = ["damped", "pseudoinverse", "control", "prioritized", "bounded", "transpose"]


def hinge_pair(limit=0.5):
    return ik.figures.planar_chain([1.0, 1.0], limit=limit)


def problem_of(skeleton, seed, limits, far=1.0):
    rng = np.random.default_rng(seed)
    goal = skeleton.joint_limits.project(rng.normal(size=skeleton.n))
    target = ik.Pose.forward(skeleton, goal).point("tip") * far
    return ik.Problem(skeleton, [ik.Position("tip", target)], limits=limits), skeleton.joint_limits.project(
        0.2 * rng.normal(size=skeleton.n)
    )


@pytest.mark.parametrize("limits", STRICT)
@pytest.mark.parametrize("method", INCREMENTAL)
@pytest.mark.parametrize("far", [1.0, 3.0])
def test_strict_methods_keep_every_limit(limits, method, far):
    for figure in (
        ik.figures.planar_chain([1, 1, 1, 1], limit=0.6),
        ik.figures.trunk(6),
        ik.figures.ball_chain(3, limit=0.8),
    ):
        for seed in range(3):
            problem, q0 = problem_of(figure, seed, limits, far)
            answer = ik.solve(problem, q0, method, max_iterations=60)
            assert figure.joint_limits.violation(answer.q).max() <= 1e-9


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("method", INCREMENTAL)
def test_any_limit_method_with_any_incremental_method(limits, method):
    """A target in the middle of the figure's room, where limits do not matter: all reach it."""
    figure = ik.figures.planar_chain([1, 1, 1, 1], limit=2.0)
    target = ik.Pose.forward(figure, np.array([0.3, 0.4, 0.2, 0.3])).point("tip")
    problem = ik.Problem(figure, [ik.Position("tip", target)], limits=limits)
    answer = ik.solve(problem, np.full(4, 0.15), method, tolerance=1e-3, max_iterations=500)
    assert answer.status is ik.Status.REACHED
    assert figure.joint_limits.violation(answer.q).max() <= 1e-9


def test_clipping_locks_where_projection_goes_on():
    """Ge, 5.1: a joint at its limit, the movement goes on in the same direction: the whole chain locks."""
    figure = hinge_pair()
    q0 = np.array([0.5, 0.0])  # the first joint is at its upper limit
    target = ik.Pose.forward(figure, np.array([0.5, 0.45])).point("tip") + np.array([-0.05, 0.03, 0.0])
    answers = {
        limits: ik.solve(ik.Problem(figure, [ik.Position("tip", target)], limits=limits), q0, "pseudoinverse")
        for limits in ("clipping", "projection")
    }
    assert (answers["clipping"].q == q0).all(), "nobody moves"
    assert answers["projection"].errors[0] < 0.3 * answers["clipping"].errors[0]
    assert answers["projection"].q[0] == 0.5, "the first joint stays"
    assert answers["projection"].q[1] > 0.3, "the second takes over"


def test_clipping_ends_where_the_first_joint_meets_its_limit():
    """Ge, figure 5.2: from o towards n the step ends at b, not at a."""
    region = hinge_pair().joint_limits
    propose = ByRows(lambda error, rows: np.array([1.0, 0.2]), np.zeros((1, 2)))
    q = Clipping().step(region, np.zeros(2), np.zeros(1), propose)
    assert q == pytest.approx([0.5, 0.1])
    a = LIMITS["projection"].step(region, np.zeros(2), np.zeros(1), propose)
    assert a == pytest.approx([0.5, 0.2])


def test_clipping_in_a_swing_region_ends_at_its_boundary():
    figure = ik.figures.ball_chain(2, limit=0.7)
    rng = np.random.default_rng(2)
    for _ in range(20):
        q, dq = figure.joint_limits.project(0.3 * rng.normal(size=6)), 2 * rng.normal(size=6)
        moved = Clipping().step(figure.joint_limits, q, np.zeros(1), lambda e, dq=dq: dq)
        share = (moved - q) @ dq / (dq @ dq)
        assert np.abs(moved - q - share * dq).max() < 1e-9, "in the direction of the step"
        assert figure.joint_limits.violation(moved).max() <= 1e-9
        further = figure.joint_limits.violation(q + (share + 1e-4) * dq).max()
        assert share == pytest.approx(1.0) or further > 0, "and no shorter than need be"


def test_clipping_of_many_frames_is_that_of_each():
    figure = ik.figures.trunk(3)
    rng = np.random.default_rng(1)
    q = np.array([figure.joint_limits.project(0.2 * rng.normal(size=9)) for _ in range(8)]).T
    dq = rng.normal(size=(9, 8))
    dq[:, 0] *= 0.01
    together = Clipping().step_many(figure.joint_limits, q.copy(), np.zeros((1, 8)), lambda e: dq)
    for i in range(8):
        one = Clipping().step(figure.joint_limits, q[:, i].copy(), np.zeros(1), lambda e, i=i: dq[:, i])
        assert np.abs(one - together[:, i]).max() < 1e-12


def bent_arm(limits):
    """A target that asks for more of the first joint than it has."""
    figure = ik.figures.planar_chain([1.0, 1.0, 1.0], limit=0.5)
    target = ik.Pose.forward(figure, np.array([0.9, 0.3, 0.2])).point("tip")
    problem = ik.Problem(figure, [ik.Position("tip", target)])
    problem.limits = limits
    return problem


@pytest.mark.parametrize("method", ["prioritized", "lagrange"])
def test_limits_below_the_goals_give_as_little_as_the_goals_allow(method):
    """Springs are part of what is left to the goals (Ge, 2.5.3); scipy says how little would do."""
    figure = ik.figures.planar_chain([1.0, 1.0, 1.0], limit=0.1)
    target = np.array([1.5, 1.0, 0.0])
    answer = ik.solve(ik.Problem(figure, [ik.Position("tip", target)], limits="penalty"), method=method)
    assert answer.status is ik.Status.REACHED
    worst = figure.names[int(np.argmax(np.abs(answer.q)))]
    assert answer.message.startswith(f"All goals are reached, but {worst} is ")
    assert answer.message.endswith(" degrees beyond its limit.")
    outside = lambda q: float((np.maximum(np.abs(q) - 0.1, 0.0) ** 2).sum())  # noqa: E731
    there = lambda q: (ik.Pose.forward(figure, q).point("tip") - target)[:2]  # noqa: E731
    least = minimize(outside, answer.q, constraints={"type": "eq", "fun": there}, method="SLSQP", tol=1e-12)
    assert least.success and outside(answer.q) <= 1.02 * least.fun


def test_a_limit_method_may_be_handed_in():
    figure = ik.figures.planar_chain([1.0, 1.0, 1.0], limit=0.1)
    goal = ik.Position("tip", (1.5, 1.0, 0.0))
    soft, hard = (ik.Problem(figure, [goal], limits=Penalty(stiffness=k)) for k in (1.0, 1e4))
    given = [np.abs(ik.solve(problem, None, "damped").q).max() - 0.1 for problem in (soft, hard)]
    assert given[0] > 100 * given[1] > 0
    assert soft.with_targets([goal, ik.Posture(figure.rest)]).limits is soft.limits


def test_springs_give_in_proportion_to_their_stiffness():
    """Ge, 2.5.3: "as K is increased, more and more weight is attached to satisfying the constraint"."""
    give = []
    for stiffness in (1.0, 10.0, 100.0, 1000.0):
        problem = bent_arm(Penalty(stiffness))
        problem.tasks[0].target[...] *= 1.5  # out of reach, so that it pulls for ever
        answer = ik.solve(problem, np.full(3, 0.1), "damped", max_iterations=400)
        give.append(np.maximum(np.abs(answer.q) - 0.5, 0).max())
    assert all(a > b for a, b in pairwise(give))
    assert give[-1] < 1e-3
    assert give[-2] / give[-1] == pytest.approx(10, rel=0.2)


@pytest.mark.parametrize("barrier", [InverseBarrier, LogarithmicBarrier])
def test_barriers_stay_inside_and_lead_to_the_limit_as_they_fade(barrier):
    """Interior methods approach the constrained optimum from inside as K goes to zero."""
    best = ik.solve(bent_arm(LIMITS["projection"]), np.full(3, 0.1), "damped", max_iterations=200).errors[0]
    gaps, q = [], np.full(3, 0.1)
    for strength in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8):
        answer = ik.solve(bent_arm(barrier(strength)), q, "damped", max_iterations=400, tolerance=1e-9)
        q = answer.q
        assert (np.abs(q) < 0.5).all()
        gaps.append(answer.errors[0] - best)
    assert all(a > b for a, b in pairwise(gaps))
    assert gaps[-1] < 2e-3


@pytest.mark.parametrize("method", [Penalty(3.0), InverseBarrier(0.1), LogarithmicBarrier(0.1)])
def test_rows_are_derivatives_of_themselves(method):
    figure = ik.Skeleton(
        [
            ik.Joint("a", turns="z", lower=-1.0, upper=0.4),
            ik.Joint(
                "b", "a", translation=(0, 1, 0), turns="xyz", lower=(-0.3, -0.5, -0.2), upper=(0.6, 0.5, 0.4)
            ),
            ik.Joint("c", "b", translation=(0, 1, 0), turns="x", lower=0.1),
        ]
    )
    rng = np.random.default_rng(0)
    for _ in range(10):
        inside = figure.joint_limits.project(0.3 * rng.normal(size=5) + 0.1) * 0.9 + 0.1 * figure.rest
        inside[4] = 0.1 + rng.uniform(0.05, 1)
        q = (
            inside
            if not isinstance(method, Penalty)
            else np.array([0.7, 0.2, 0.8, 0.1, -0.3]) + 0.05 * rng.normal(size=5)
        )
        rows = method.rows(ik.Pose.forward(figure, q))
        for i in range(5):
            nudge = 1e-6 * np.eye(5)[i]
            sides = [method.rows(ik.Pose.forward(figure, q + s * nudge)).error for s in (1, -1)]
            assert rows.jacobian[:, i] == pytest.approx((sides[0] - sides[1]) / 2e-6, abs=2e-4)


def test_squares_of_barrier_rows_are_the_texts_prices():
    figure = hinge_pair()
    q = np.array([0.2, -0.4])
    low, high = (q + 0.5) / 0.5, (0.5 - q) / 0.5  # in half ranges
    inverse = InverseBarrier(0.3).rows(ik.Pose.forward(figure, q))
    assert (inverse.error**2).sum() == pytest.approx(0.3 * (1 / low + 1 / high).sum())
    logarithm = LogarithmicBarrier(0.3).rows(ik.Pose.forward(figure, q))
    assert (logarithm.error**2).sum() == pytest.approx(-0.3 * np.log(low * high).sum())


def test_a_start_at_the_limit_is_not_lost_in_a_barrier():
    for barrier in (InverseBarrier(1e-4), LogarithmicBarrier(1e-4)):
        problem = bent_arm(barrier)
        problem.tasks[0].target[...] = ik.Pose.forward(problem.skeleton, np.array([0.1, 0.2, 0.1])).point(
            "tip"
        )
        answer = ik.solve(problem, np.array([0.5, -0.5, 0.5]), "damped", max_iterations=200)
        assert answer.errors[0] < 0.02


def test_refuse_what_is_no_price():
    for make in (Penalty, InverseBarrier, LogarithmicBarrier):
        for bad in (0.0, -1.0, np.nan, np.inf):
            with pytest.raises(BadValue):
                make(bad)


@pytest.mark.parametrize("limits", STRICT)
@pytest.mark.parametrize("method", ["hierarchical", *INCREMENTAL])
def test_no_way_round_leads_past_a_limit_on_one_side(method, limits):
    """Whoever goes on past half a turn on the open side is beyond the limit of the other one."""
    arm = ik.Skeleton(
        [
            ik.Joint("a", turns="xz", lower=[-1.0, -0.5], upper=[1.0, np.inf]),
            ik.Joint("b", "a", translation=(0, 1, 0), turns=""),
        ]
    )
    problem = ik.Problem(arm, [ik.Position("b", (-np.sin(3.6), np.cos(3.6), 0.0))], limits=limits)
    for start in ([0.1, 2.9], [0.0, 3.1], [0.02, 1.0]):
        for answer in (
            ik.solve(problem, start, method),
            ik.solve(problem, np.array([start, start]), method),
        ):
            np.testing.assert_allclose(arm.joint_limits.project(answer.q), answer.q, atol=1e-9)
            assert (answer.errors > 0.1).all()
