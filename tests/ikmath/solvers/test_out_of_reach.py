# SPDX-License-Identifier: GPL-3.0-or-later
"""What is far out of reach: fast solves end near the best pose, and nothing jumps on the way."""

import numpy as np
import pytest
from scipy.optimize import least_squares

import ikmath as ik
from ikmath.postures import JointPosture

TIPS = ("head", "hand.L", "hand.R", "foot.L", "foot.R")


def person(limit):
    """Spine, arms and legs of ball joints, each free to turn by `limit`, and tips that do not turn."""
    joints = [ik.Joint("root", turns="")]

    def add(name, above, place):
        joints.append(ik.Joint(name, above, translation=place, lower=-limit, upper=limit))

    above = "root"
    for number in range(4):
        add(f"spine{number}", above, (0.0, 0.12, 0.0))
        above = f"spine{number}"
    add("neck", above, (0.0, 0.12, 0.0))
    joints.append(ik.Joint("head", "neck", translation=(0.0, 0.2, 0.0), turns=""))
    for side, x in (("L", 1.0), ("R", -1.0)):
        add(f"arm.{side}", above, (0.2 * x, 0.1, 0.0))
        add(f"forearm.{side}", f"arm.{side}", (0.28 * x, 0.0, 0.02))
        add(f"thigh.{side}", "root", (0.1 * x, 0.0, 0.0))
        add(f"shin.{side}", f"thigh.{side}", (0.0, -0.45, 0.02))
        joints.append(ik.Joint(f"hand.{side}", f"forearm.{side}", translation=(0.26 * x, 0.0, 0.0), turns=""))
        joints.append(ik.Joint(f"foot.{side}", f"shin.{side}", translation=(0.0, -0.43, 0.0), turns=""))
    return ik.Skeleton(joints)


def asked(figure, seed, times):
    """Some tips with targets, most of them `times` as far from the root as they could be; and a start."""
    rng = np.random.default_rng([seed, 3])
    start = figure.joint_limits.project(0.15 * rng.normal(size=figure.n))
    pose = ik.Pose.forward(figure, figure.joint_limits.project(start + 0.4 * rng.normal(size=figure.n)))
    tips = list(rng.permutation(TIPS)[: rng.integers(1, 6)])
    places = np.array([pose.point(tip) for tip in tips])
    places[rng.random(len(tips)) < 0.6] *= times
    return ik.Problem(figure, [ik.Position(tips, places), ik.Posture(start)]), start


def tree(rng):
    """A branching figure of hinges, whose limits a minimiser that knows of intervals alone can hold."""
    joints, parents = [ik.Joint("b0", turns="y", lower=-1.0, upper=1.0)], {None}
    for number in range(1, rng.integers(10, 25)):
        above = f"b{rng.integers(max(0, number - 3), number)}"
        parents.add(above)
        low, high = rng.uniform([-1.6, 0.1], [-0.1, 1.6])
        place, axis = 0.3 * rng.normal(size=3), "xyz"[rng.integers(3)]
        joints.append(ik.Joint(f"b{number}", above, translation=place, turns=axis, lower=low, upper=high))
    return ik.Skeleton(joints), [joint.name for joint in joints if joint.name not in parents][:5]


def cost(answer):
    return float((answer.errors**2).sum())


@pytest.mark.parametrize("times", [1.3, 4.0])
@pytest.mark.parametrize("limit", [0.5, 3.0])
def test_it_ends_near_the_best_pose(limit, times):
    figure, more = person(limit), []
    for seed in range(6):
        problem, start = asked(figure, seed, times)
        few = ik.solve(problem, start, brief=True)
        best = ik.solve(problem, start, max_iterations=300)
        assert figure.joint_limits.violation(few.q).max() < 1e-9
        assert (few.status is ik.Status.REACHED) >= (best.status is ik.Status.REACHED)
        more.append((cost(few) - cost(best)) / max(cost(best), 0.01))
    assert max(more) < 0.03 and np.median(more) < 0.005


@pytest.mark.parametrize("seed", range(8))
def test_no_other_minimiser_comes_nearer_from_where_it_ends(seed):
    rng = np.random.default_rng([seed, 5])
    figure, tips = tree(rng)
    places = ik.Pose.forward(figure, rng.uniform(figure.lower, figure.upper)).point(tips)
    places = places * rng.choice([1.2, 1.6, 2.5]) + 0.3 * rng.normal(size=places.shape)
    answer = ik.solve(ik.Problem(figure, [ik.Position(tips, places)]))

    def errors(q):
        return (ik.Pose.forward(figure, q).point(tips) - places).ravel()

    def derivative(q):
        return ik.Pose.forward(figure, q).jacobian(tips).reshape(-1, figure.n)

    # a little room, for who may not begin on a bound
    bounds = figure.lower - 1e-9, figure.upper + 1e-9
    other = least_squares(errors, answer.q, derivative, bounds, ftol=1e-12, xtol=1e-12, gtol=1e-12)
    assert figure.joint_limits.violation(answer.q).max() < 1e-9
    assert np.sqrt(cost(answer)) < np.sqrt(2.0 * other.cost) * 1.0005 + 1e-5


@pytest.mark.parametrize("seed", range(8))
def test_of_poses_as_near_it_is_the_one_nearest_to_the_posture(seed):
    """A stretched limb may turn about itself, and errors hardly tell one such pose from another."""
    figure = person(2.8)
    problem, start = asked(figure, seed, 1.6)
    answer = ik.solve(problem, start)
    assert answer.status is ik.Status.BEST_EFFORT

    (position,) = problem.tasks
    tips, places = position.joints, position.target

    def rows(q, share):
        off = ik.Pose.forward(figure, q).point(tips) - places
        return np.concatenate([off.ravel(), share * (q - start)])

    def derivative(q, share):
        off = ik.Pose.forward(figure, q).jacobian(tips).reshape(-1, figure.n)
        return np.concatenate([off, share * np.eye(figure.n)])

    other = answer.q
    for share in (1e-2, 1e-3, 1e-4):
        other = least_squares(rows, other, derivative, args=(share,), ftol=1e-13, xtol=1e-13, gtol=1e-13).x
    assert figure.joint_limits.violation(other).max() < 1e-9, "The other minimiser knows of no limits."
    assert np.linalg.norm(answer.errors) < np.linalg.norm(rows(other, 0.0)) * (1.0 + 1e-6)
    assert np.linalg.norm(answer.q - start) < np.linalg.norm(other - start) * 1.005 + 1e-3


def test_within_reach_it_reaches():
    figure = person(1.0)
    for seed in range(8):
        problem, start = asked(figure, seed, 1.0)
        assert ik.solve(problem, start, brief=True).status is ik.Status.REACHED, seed


def test_strings_lead_there_in_fewer_steps():
    figure, steps = person(3.0), {"rest": False, "settle": False, "max_iterations": 14}
    left = {np.inf: 0.0, 0.3: 0.0}
    for seed in range(8):
        problem, start = asked(figure, seed, 4.0)
        best = cost(ik.solve(problem, start, max_iterations=300))
        for string in left if best > 1.0 else ():
            end = ik.solve(problem, start, "damped", far=0.3, string=string, **steps)
            left[string] += cost(end) / best - 1.0
    assert left[0.3] < 0.25 * left[np.inf]


def test_a_straight_limb_bends_though_another_one_is_pulled_away():
    figure = person(2.0)
    away = (0.3, 40.0, 0.2)
    folded = ik.Pose.forward(figure, figure.rest).point("hand.R") * (0.6, 1.0, 1.0)
    problem = ik.Problem(figure, [ik.Position(["foot.L", "hand.R"], [away, folded])])
    assert ik.solve(problem, figure.rest, brief=True).errors[1] < 0.02


@pytest.mark.parametrize("limit", [1.0, 3.0])
def test_a_target_that_goes_away_steadily_makes_nothing_jump(limit):
    """Every frame is solved by itself, from the same start, as live does it."""
    figure = person(limit)
    start = np.full(figure.n, 0.05)
    pose = ik.Pose.forward(figure, start)
    here = np.array([pose.point(tip) for tip in TIPS])
    places = []
    for share in np.linspace(0.0, 2.0, 61):
        target = here.copy()
        target[1] += share * np.array([1.0, 0.2, 0.3])
        problem = ik.Problem(figure, [ik.Position(list(TIPS), target), ik.Posture(start)])
        answer = ik.solve(problem, start, brief=True)
        places.append(ik.Pose.forward(figure, answer.q).position)
    steps = np.linalg.norm(np.diff(places, axis=0), axis=-1).max(1)
    turns = np.linalg.norm(np.diff(places, n=2, axis=0), axis=-1).max(1)
    way = 2.0 / 60 * np.linalg.norm([1.0, 0.2, 0.3])
    assert steps.max() < 4.0 * way and turns.max() < 4.0 * way
    assert np.median(turns) < 0.3 * way


@pytest.mark.parametrize("count", [4, 8, 12])
def test_a_straight_chain_that_is_pulled_aside_stays_straight(count):
    """Its first bone holds, and its tip is wanted a little farther away than it reaches."""
    chain = ik.figures.ball_chain(count, 0.1)
    holds = [ik.Position("ball1", (0, 0.1, 0)), ik.Orientation("ball0", np.eye(3))]
    posture, q = JointPosture(chain.rest, np.full(chain.n, 1e-3)), chain.rest
    for aside in np.linspace(0.0, 0.1, 21)[1:]:
        target = np.array([aside, 0.1 * count, 0.0])
        pulled = ik.Position("tip", target, priority=1)
        answer = ik.solve(ik.Problem(chain, [*holds, pulled], posture=posture), q, accuracy="exact")
        q = answer.q
        beyond = np.linalg.norm(target - (0, 0.1, 0)) - 0.1 * (count - 1)
        assert answer.errors[-1] == pytest.approx(beyond, abs=1e-7)
        turned = np.arctan2(aside, 0.1 * (count - 1))
        assert np.abs(q).max() == pytest.approx(turned, abs=1e-3)
