# SPDX-License-Identifier: GPL-3.0-or-later
"""What each of the papers' methods is defined by. What all methods promise is tested elsewhere."""

import numpy as np
import pytest
from scipy import optimize

import ikmath as ik
from ikmath.classic.linalg.lbfgsb import LbfgsbOptions, minimize
from ikmath.classic.methods.nonlinear import minimisation, objective
from ikmath.classic.svd.svd import SVD
from ikmath.errors import BadValue, NotSupported
from tests.ikmath.solvers.one_step import arm_problem, linear, step
from tests.ikmath.zoo import figures


# ------------------------------------------------------------------ pseudoinverse
@pytest.mark.parametrize("svd", SVD)
def test_pseudoinverse_step_is_the_general_solution(svd):
    """dh = J^+ dX + (I - J^+ J) z (Ki & Sheen, 4.3; Ge, eq. 4.2)."""
    problem, q = arm_problem(1)
    z = np.random.default_rng(5).normal(size=len(q))
    dq, error, rows = step("pseudoinverse", problem, q, z, svd=svd, tracking=np.inf)
    inverse = np.linalg.pinv(rows)
    assert np.abs(dq - (-inverse @ error + z - inverse @ (rows @ z))).max() < 1e-9


def test_pseudoinverse_is_the_same_through_every_svd():
    problem, q = arm_problem(2)
    answers = [ik.solve(problem, q, "pseudoinverse", svd=svd) for svd in SVD]
    for answer in answers:
        assert answer.status is ik.Status.REACHED
        assert np.abs(answer.q - answers[0].q).max() < 1e-8


def test_truncation_takes_the_small_singular_values_out():
    chain = ik.figures.planar_chain([1, 1, 1])
    q = np.array([0.3, 1e-4, -1e-4])  # nearly stretched: pulling along the arm is nearly singular
    target = 0.9 * ik.Pose.forward(chain, q).point("tip")
    problem = ik.Problem(chain, [ik.Position("tip", target)])
    wild, _, _ = step("pseudoinverse", problem, q, threshold=0.0, tracking=np.inf)
    tame, _, _ = step("pseudoinverse", problem, q, threshold=1e-2, tracking=np.inf)
    assert np.abs(wild).max() > 100
    assert np.abs(tame).max() < 1


def test_whitney_halves_a_step_until_the_linear_picture_holds():
    problem, q = arm_problem(3)
    problem.tasks[0].target[...] = (0.0, -3.0, 1.0)
    whole, error, rows = step("pseudoinverse", problem, q, tracking=np.inf)
    for tracking in (1.0, 0.3, 0.1):
        dq, _, _ = step("pseudoinverse", problem, q, tracking=tracking)
        share = dq @ whole / (whole @ whole)
        assert np.abs(dq - share * whole).max() < 1e-12
        assert np.log2(share) == pytest.approx(round(np.log2(share)), abs=1e-9), "a power of one half"

        def missed(part):
            after, _, _ = linear(problem, q + part * whole)
            return np.linalg.norm(after - error - part * rows @ whole) / np.linalg.norm(part * rows @ whole)

        assert missed(share) <= tracking
        assert share == 1.0 or missed(2 * share) > tracking
    assert share < 0.5


def test_stiff_joints_move_less():
    for name in ("pseudoinverse", "control", "prioritized", "bounded", "transpose"):
        loose, q = arm_problem(4)
        stiff, _ = arm_problem(4, stiffness=0.9)
        moved = [np.abs(step(name, problem, q)[0].reshape(7, 3)[1::2]).sum() for problem in (loose, stiff)]
        assert moved[1] < 0.6 * moved[0], name


# ------------------------------------------------------------------ bounded
def test_bounded_step_is_scipys():
    """Ki & Sheen, eq. 7.4 and 7.5."""
    figure = ik.figures.arm()
    tip = figure.names[-1]
    rng = np.random.default_rng(3)
    active = 0
    for _ in range(20):
        q = figure.joint_limits.project(rng.normal(size=figure.n) * 1.5)
        problem = ik.Problem(figure, [ik.Position(tip, rng.normal(size=3))])
        dq, error, rows = step("bounded", problem, q, damping=0.05)
        stacked = np.vstack([rows, 0.05 * np.eye(figure.n)])
        lower, upper = figure.lower - q, np.maximum(figure.upper - q, 1e-12)
        theirs = optimize.lsq_linear(
            stacked,
            np.concatenate([-error, np.zeros(figure.n)]),
            (np.minimum(lower, 0), upper),
            method="bvls",
            tol=1e-14,
        )
        assert np.abs(dq - theirs.x).max() < 1e-7
        active += np.count_nonzero(theirs.active_mask)
    assert active > 5, "or the test says nothing"


def test_bounded_beats_a_step_that_is_put_back_inside():
    chain = ik.figures.planar_chain([1, 1, 1], limit=0.5)
    q = np.array([0.45, 0.45, 0.0])
    problem = ik.Problem(chain, [ik.Position("tip", ik.Pose.forward(chain, [0.5, 0.5, 0.5]).point("tip"))])
    dq, error, rows = step("bounded", problem, q, damping=0.01)
    plain, _, _ = step("pseudoinverse", problem, q, tracking=np.inf)
    put_back = chain.joint_limits.project(q + plain) - q
    assert np.linalg.norm(error + rows @ dq) < 0.5 * np.linalg.norm(error + rows @ put_back)
    assert ((q + dq >= chain.lower - 1e-12) & (q + dq <= chain.upper + 1e-12)).all()


# ------------------------------------------------------------------ nonlinear
def test_nonlinear_gradient_and_the_texts_slip():
    """dF/dh_j = -2 sum (X_i - f_i) df_i/dh_j + 2 g^2 h_j; the text prints 2 g h_j."""
    problem, q = arm_problem(8)
    function = objective(problem, 0.3)
    value, gradient = function(q)
    error, rows, _ = linear(problem, q)
    numeric = np.zeros(len(q))
    for i in range(len(q)):
        nudge = 1e-6 * np.eye(len(q))[i]
        numeric[i] = (function(q + nudge)[0] - function(q - nudge)[0]) / 2e-6
    assert value == pytest.approx(error @ error + 0.09 * q @ q)
    assert gradient == pytest.approx(numeric, abs=1e-7)
    printed = 2 * rows.T @ error + 2 * 0.3 * q
    assert np.abs(printed - numeric).max() > 0.01


def figures_and_goals():
    rng = np.random.default_rng(0)
    for figure, joints in (
        (ik.figures.planar_chain([1, 1, 1]), ["tip"]),
        (ik.figures.planar_chain([1, 1, 1, 1], limit=0.5), ["tip"]),
        (ik.figures.arm(), [ik.figures.arm().names[-1]]),
        (ik.figures.planar_chain([1] * 12, limit=0.4), ["tip", "link5"]),
    ):
        for far in (1.0, 2.5):
            goal = figure.joint_limits.project(rng.normal(size=figure.n) * 0.5)
            targets = ik.Pose.forward(figure, goal).point(joints) * far
            yield figure, ik.Problem(figure, [ik.Position(joints, targets)])


@pytest.mark.parametrize("gamma", [1e-2, 0.1])
def test_nonlinear_agrees_with_scipys_lbfgsb(gamma):
    """On value, and on optimality of first order, for reachable and unreachable targets."""
    for figure, problem in figures_and_goals():
        function = objective(problem, gamma)
        start = figure.rest + 0.05
        start = figure.joint_limits.project(start)
        ours = minimize(function, start, figure.lower, figure.upper, LbfgsbOptions(max_iterations=3000))
        theirs = optimize.minimize(
            function, start, jac=True, method="L-BFGS-B", bounds=optimize.Bounds(figure.lower, figure.upper),
            options={"maxiter": 3000, "maxfun": 20000, "ftol": 1e-15, "gtol": 1e-9},
        )  # fmt: skip
        assert ours.optimality < 1e-6
        assert ours.value <= theirs.fun * (1 + 1e-6) + 1e-12


@pytest.mark.parametrize(
    ("kind", "gamma"),
    [("planar", 0.01), ("arm", 0.01), *((kind, 0.1) for kind in ("planar", "ball", "arm", "tree", "human"))],
)
def test_nonlinear_agrees_with_scipy_over_the_zoo(kind, gamma):
    """The very function that the method minimises, targets within reach and out of it: neither betters the
    other's end. (Which of several minima a run ends in is no matter of either.)

    At the edge of a swing limit that function has a crease, where a gradient says nothing of optimality, and
    where scipy stops short of our end.
    """
    options = {"maxiter": 3000, "maxfun": 20000, "ftol": 1e-15, "gtol": 1e-9}
    for figure, joints in figures(kind):
        share = 1e-3 if len(figure.joint_limits.pairs) else 1e-9
        for seed, away in ((0, 0.4), (1, 2.0)):
            rng = np.random.default_rng(seed)
            start = figure.joint_limits.project(0.3 * rng.normal(size=figure.n))
            there = figure.joint_limits.project(start + away * rng.normal(size=figure.n))
            targets = ik.Pose.forward(figure, there).point(joints)
            targets = 1.5 * targets + 0.3 if away > 1 else targets
            problem = ik.Problem(figure, [ik.Position(joints, targets)])
            function, lower, upper = minimisation(problem, gamma)
            bounds = optimize.Bounds(lower, upper)
            theirs = lambda x, f=function, b=bounds: optimize.minimize(  # noqa: E731
                f, x, jac=True, method="L-BFGS-B", bounds=b, options=options
            )
            ours = lambda x, f=function, b=bounds: minimize(  # noqa: E731
                f, x, b.lb, b.ub, LbfgsbOptions(max_iterations=3000)
            )
            first, second = ours(start), theirs(start)
            assert theirs(first.x).fun >= first.value * (1 - share), "scipy finds nothing better near our end"
            if not len(figure.joint_limits.pairs):
                assert ours(second.x).value >= second.fun * (1 - share), "nor do we near scipy's"
                assert first.optimality < 1e-7


def test_nonlinear_keeps_swing_limits_and_ends_at_a_minimum():
    """No interval expresses them: no pose inside and nearby is better."""
    figure = ik.figures.trunk(5, bend=20.0, twist=10.0)
    rng = np.random.default_rng(2)
    target = (
        ik.Pose.forward(figure, figure.joint_limits.project(rng.normal(size=figure.n))).point("tip") * 1.1
    )
    problem = ik.Problem(figure, [ik.Position("tip", target)])
    answer = ik.solve(problem, None, "nonlinear", gamma=1e-2, max_iterations=2000)
    assert figure.joint_limits.violation(answer.q).max() <= 1e-9
    assert figure.joint_limits.at_limit(answer.q).any(), "or the test says nothing"
    value = objective(problem, 1e-2)(answer.q)[0]
    for _ in range(300):
        near = figure.joint_limits.project(answer.q + 1e-3 * rng.normal(size=figure.n))
        assert objective(problem, 1e-2)(near)[0] > value - 1e-9


# ------------------------------------------------------------------ control
def test_control_draws_to_the_desired_angles_while_it_reaches():
    """Parent: the higher the gain, the sooner the joint is at its desired angle."""
    chain = ik.figures.planar_chain([1, 1, 1, 1])
    start = np.array([0.4, 0.5, 0.3, 0.2])
    target = ik.Pose.forward(chain, [0.9, 0.1, 0.6, -0.2]).point("tip")
    desired = np.array([0.9, 0.1, 0.6, -0.2])
    away = []
    for gain in (0.0, 0.2, 1.0):
        goals = [ik.Position("tip", target), ik.Posture(desired, gain=gain)]
        answer = ik.solve(ik.Problem(chain, goals), start, "control", max_iterations=15)
        assert answer.status is ik.Status.REACHED
        away.append(np.linalg.norm(answer.q - desired))
    assert away[0] > away[1] > away[2]
    assert away[2] < 1e-3
    with pytest.raises(BadValue, match="even"):
        ik.solve(ik.Problem(chain, [ik.Position("tip", target)]), start, "control", norm=3)


def test_high_norms_do_not_jump_beyond():
    chain = ik.figures.planar_chain([1, 1, 1, 1])
    goals = [ik.Position("tip", (1, 2, 0)), ik.Posture(np.full(4, 3.0))]
    for norm in (2, 4, 8):
        answer = ik.solve(ik.Problem(chain, goals), np.full(4, 0.3), "control", norm=norm, max_iterations=300)
        assert answer.errors[0] < 1e-3


# ------------------------------------------------------------------ lagrange
def tip(q):
    """Of a planar chain of unit links."""
    angles = np.cumsum(q)
    return np.array([np.cos(angles).sum(), np.sin(angles).sum()])


@pytest.mark.parametrize("form", ["full", "reduced"])
def test_lagrange_is_the_nearest_pose_that_reaches(form):
    """Against scipy's SLSQP, and by the multiplier rule itself."""
    chain = ik.figures.planar_chain([1, 1, 1, 1])
    target = np.array([1.5, 1.8, 0.0])
    reference = np.array([0.2, 0.4, 0.1, 0.3])
    problem = ik.Problem(chain, [ik.Position("tip", target), ik.Posture(reference)])
    answer = ik.solve(problem, reference, "lagrange", form=form)
    assert answer.errors[0] < 1e-8
    jacobian = ik.Pose.forward(chain, answer.q).jacobian("tip")[:2]
    free = np.eye(4) - np.linalg.pinv(jacobian) @ jacobian
    assert np.abs(free @ (answer.q - reference)).max() < 1e-7
    theirs = optimize.minimize(
        lambda q: 0.5 * np.sum((q - reference) ** 2), reference, method="SLSQP",
        constraints={"type": "eq", "fun": lambda q: tip(q) - target[:2]},
        options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    assert np.abs(answer.q - theirs.x).max() < 1e-5


@pytest.mark.parametrize("bounds", ["active", "slack", "method"])
def test_lagrange_with_limits_is_the_best_admissible_pose(bounds):
    """Ge, 2.5.1 and 2.5.2, and a limit method: the same optimum, with one and with two joints at limits."""
    target = np.array([1.9, 2.6, 0.0])
    reference = np.array([0.1, 0.0, -0.1, 0.0])
    for limit, at_limits in ((0.6, 1), (0.578, 2)):
        chain = ik.figures.planar_chain([1, 1, 1, 1], limit=limit)
        problem = ik.Problem(chain, [ik.Position("tip", target), ik.Posture(reference)])
        start = np.array([0.5, 0.3, 0.2, 0.1])
        answer = ik.solve(problem, start, "lagrange", bounds=bounds, max_iterations=300)
        theirs = optimize.minimize(
            lambda q: 0.5 * np.sum((q - reference) ** 2), start, method="SLSQP",
            bounds=[(-limit, limit)] * 4, options={"ftol": 1e-14, "maxiter": 500},
            constraints={"type": "eq", "fun": lambda q: tip(q) - target[:2]},
        )  # fmt: skip
        assert theirs.success
        assert np.count_nonzero(np.abs(np.abs(theirs.x) - limit) < 1e-6) == at_limits
        assert answer.errors[0] < 1e-4
        assert chain.joint_limits.violation(answer.q).max() <= 1e-9
        value = 0.5 * np.sum((answer.q - reference) ** 2)
        assert value == pytest.approx(theirs.fun, rel=2e-3 if bounds == "method" else 1e-5)


def test_one_joint_at_a_time_is_not_enough():
    """Ge, 2.5.1: "setting one q_i to its lower bound or upper bound each time" solves 2n problems.

    An optimum with two joints at their limits is among none of them.
    """
    limit, target, reference = 0.578, np.array([1.9, 2.6]), np.array([0.1, 0.0, -0.1, 0.0])

    def solve(held):
        free = [i for i in range(4) if i not in held]

        def whole(x):
            q = np.zeros(4)
            q[free], q[list(held)] = x, list(held.values())
            return q

        found = optimize.minimize(
            lambda x: 0.5 * np.sum((whole(x) - reference) ** 2), np.full(len(free), 0.3), method="SLSQP",
            constraints={"type": "eq", "fun": lambda x: tip(whole(x)) - target},
            options={"ftol": 1e-14, "maxiter": 500},
        )  # fmt: skip
        q = whole(found.x)
        return found.success and (np.abs(q) <= limit + 1e-7).all()

    assert not solve({})
    assert not any(solve({i: side * limit}) for i in range(4) for side in (-1, 1)), "the text's 2n problems"
    assert any(
        solve({i: a * limit, j: b * limit})
        for i in range(4)
        for j in range(i)
        for a in (-1, 1)
        for b in (-1, 1)
    )


def test_lagrange_knows_its_size():
    trunk = ik.figures.trunk(4)
    problem = ik.Problem(trunk, [ik.Position("tip", (1, 1, 2))])
    for bounds in ("active", "slack"):
        with pytest.raises(NotSupported, match="at most"):
            ik.solve(problem, None, "lagrange", bounds=bounds)
    with pytest.raises(BadValue, match="objective"):
        ik.solve(problem, None, "lagrange", objective="beauty")


def test_lagrange_towards_the_middle_of_the_limits():
    figure = ik.figures.planar_chain([1, 1, 1, 1, 1], limit=1.2)
    target = ik.Pose.forward(figure, [0.9, -0.8, 0.9, 0.2, 0.5]).point("tip")
    start = np.array([0.9, -0.8, 0.9, 0.2, 0.5])
    answer = ik.solve(
        ik.Problem(figure, [ik.Position("tip", target)]), start + 0.01, "lagrange", objective="limits"
    )
    assert answer.errors[0] < 1e-6
    assert np.linalg.norm(answer.q) < 0.6 * np.linalg.norm(start)
