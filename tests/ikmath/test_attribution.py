# SPDX-License-Identifier: GPL-3.0-or-later
"""What a message blames, held against solves without it; and figures that stand in obstacles."""

import re

import numpy as np
import pytest

import ikmath as ik
from ikmath.diagnosis import attribution

from .trees import tree


def torn(seed):
    """A random figure, and places for three of its joints that do not go together; where it ended."""
    rng = np.random.default_rng([31, seed])
    figure = tree(rng, 8, "some")
    low, high = np.maximum(figure.lower, -1.5), np.minimum(figure.upper, 1.5)
    goals = []
    for name in rng.permutation(figure.names[1:])[:3]:
        pose = ik.Pose.forward(figure, figure.joint_limits.project(rng.uniform(low, np.maximum(low, high))))
        place = pose.point(str(name), (0, 0.2, 0))
        goals.append(ik.Position(str(name), place, offset=(0, 0.2, 0), priority=int(rng.integers(2))))
    problem = ik.Problem(figure, goals)
    return problem, ik.solve(problem, figure.rest)


def test_without_what_is_named_the_effector_comes_nearer():
    """Of many random messages nearly all; the rest is what the others trade among themselves."""
    named, true = 0, 0
    for seed in range(60):
        problem, answer = torn(seed)
        found = re.match(r"(\S+) is \S+ m?m from its target: in conflict with ([^;]*)\.$", answer.message)
        if not found or "joint limit" in found[2]:
            continue
        named += 1
        others = re.split(", | and ", found[2])
        row = problem.effectors.index(found[1])
        alone = [goal for goal in problem.goals if goal.labels[0] not in others]
        free = ik.Problem(problem.skeleton, alone)
        errors = ik.solve(free, answer.q, restarts=2).errors
        true += errors[free.effectors.index(found[1])] < 0.95 * answer.errors[row]
    assert named > 15 and true >= 0.95 * named, (true, named)


def test_two_that_hold_together_are_both_named():
    """Either of two hands alone would keep the shoulder where it is."""
    figure = ik.figures.planar_chain([1.0, 1.0])
    keep = [ik.Position("tip", (0, 2, 0), name=name) for name in ("left", "right")]
    asked = ik.Position("tip", (1.2, 0.9, 0), priority=1, name="wish")
    answer = ik.solve(ik.Problem(figure, [*keep, asked]), figure.rest)
    assert answer.message.endswith("in conflict with left and right."), answer.message


def test_of_a_hundred_goals_that_hold_together_few_are_examined_alone(monkeypatch):
    """As a figure all of whose bones are pinned: each drag's message would take half a minute."""
    figure = ik.figures.planar_chain([0.1] * 50)
    here = ik.Pose.forward(figure, figure.rest)
    goals = [ik.Position(name, here.point(name), name=name) for name in figure.names[1:]]
    goals += [ik.Position(name, here.point(name), name=f"{name} too") for name in figure.names[1:]]
    problem = ik.Problem(figure, [*goals, ik.Position("tip", (1.2, 0.9, 0), name="wish")])
    examined = []
    guilty = attribution._Search.guilty
    monkeypatch.setattr(attribution._Search, "guilty", lambda *on: examined.append(1) or guilty(*on))
    found = attribution.causes_of(problem, here, len(problem.effectors) - 1)
    assert len(found.goals) == len(goals) and len(examined) < 20


def gripper(first_most, second_most):
    """Two fingers that open by the same angle."""
    fingers = [("left", 1.0, first_most, None), ("right", -1.0, second_most, ik.Mimic("left hinge"))]
    parts = [ik.Joint("palm", turns="")]
    for name, z, most, mimic in fingers:
        parts += ik.hinge(name, "palm", axis=(0, 0, z), lower=0, upper=most, mimic=mimic)
        parts.append(ik.Joint(f"{name} tip", name, translation=(1, 0, 0), turns=""))
    return ik.Skeleton(parts)


def opened(angle):
    """(3,) where the right tip is."""
    return np.cos(angle), -np.sin(angle), 0.0


@pytest.mark.parametrize("priority", [0, 1])
def test_what_a_leader_holds_is_named_where_its_follower_is_short(priority):
    left = ik.Position("left tip", (1, 0, 0), name="left")
    right = ik.Position("right tip", opened(0.3), priority=priority, name="right")
    answer = ik.solve(ik.Problem(gripper(1.0, 1.0), [left, right]))
    short = "right" if priority else answer.message.split()[0]
    other = {"left": "right", "right": "left"}[short]
    assert answer.message.startswith(short) and answer.message.endswith(f"in conflict with {other}.")


@pytest.mark.parametrize("first, second", [(0.5, 1.5), (1.5, 0.5), (0.5, 0.5)])
def test_the_limit_that_holds_a_pair_is_the_leaders(first, second):
    answer = ik.solve(ik.Problem(gripper(first, second), [ik.Position("right tip", opened(1.2))]))
    assert answer.q == pytest.approx([0.5, 0.5])
    assert answer.message.endswith("left hinge is at its joint limit."), answer.message


def test_two_limits_that_hold_together_are_both_named():
    joints = [ik.Joint("a", turns="x", lower=-0.2, upper=0.2)]
    joints += [ik.Joint("b", "a", turns="x", lower=-0.2, upper=0.2)]
    joints += [ik.Joint("tip", "b", translation=(0, 1, 0), turns="")]
    figure = ik.Skeleton(joints)
    one = ik.solve(ik.Problem(figure, [ik.Position("tip", (0, 0, 1))]), figure.rest)
    assert "is at its joint limit" in one.message  # either of them is enough


@pytest.mark.parametrize("method", ["hierarchical", "damped"])
def test_who_stands_in_an_obstacle_is_told_so_whatever_is_reached(method):
    """The root is pinned inside; there is no way out of it."""
    chain = ik.figures.ball_chain(4, 0.5)
    links = [ik.Link(f"ball{i}", (0, 0, 0), (0, 0.5, 0), radius=0.05) for i in range(4)]
    table = ik.Sphere((0, 0, 0), 0.1, name="table")
    goal = ik.Position("tip", (0.3, 1.2, 0.2))
    avoidance = "velocity_damper" if method == "hierarchical" else "cost"
    problem = ik.Problem(chain, [goal], obstacles=[table], body=ik.Body(links), avoidance=avoidance)
    answer = ik.solve(problem, np.full(chain.n, 0.1), method)
    assert answer.status is ik.Status.INFEASIBLE
    assert answer.message.endswith("ball0 goes 150 mm into table."), answer.message
    assert answer.clearance == pytest.approx(-0.15, abs=1e-6)
    if answer.errors[0] < 1e-4:
        assert answer.message == "All goals are reached, but ball0 goes 150 mm into table."


def test_who_is_deep_in_an_obstacle_is_told_so_in_metres():
    chain = ik.figures.ball_chain(4, 0.5)
    links = [ik.Link(f"ball{i}", (0, 0, 0), (0, 0.5, 0), radius=0.05) for i in range(4)]
    rock = ik.Sphere((0, 0, 0), 12.5, name="rock")
    problem = ik.Problem(chain, [ik.Position("tip", (0.3, 1.2, 0.2))], obstacles=[rock], body=ik.Body(links))
    assert ik.solve(problem, chain.rest).message.endswith(" m into rock.")


def bent(place):
    """A limb of two bones that starts straight, and a target for its tip."""
    figure = ik.figures.planar_chain([1.0, 1.0])
    return ik.Problem(figure, [ik.Position("tip", place)])


def test_a_solve_that_ran_out_of_time_says_so():
    answer = ik.solve(bent((0.5, 0.5, 0.0)), seconds=1e-9)
    assert answer.status is ik.Status.STOPPED and answer.limited_by == "time"
    assert answer.message.endswith("the time ran out before the solve was finished."), answer.message


def test_a_solve_that_ran_out_of_iterations_says_so():
    for method in ("hierarchical", "damped"):
        answer = ik.solve(bent((0.5, 0.5, 0.0)), method=method, max_iterations=1)
        assert answer.status is ik.Status.STOPPED and answer.limited_by == "iterations"
        assert answer.message.endswith("still improving when the iterations ran out."), answer.message


def test_a_turn_limit_that_holds_a_solve_back_is_named():
    problem = bent((0.5, 0.5, 0.0))
    answer = ik.solve(problem, max_turn=0.1)
    assert answer.status is ik.Status.BEST_EFFORT and answer.limited_by == "max_turn"
    assert answer.message.endswith(
        "it would have to turn farther than max_turn; raise it, or solve again from here."
    ), answer.message
    for _ in range(40):
        answer = ik.solve(problem, answer.q, max_turn=0.1)
    assert answer.status is ik.Status.REACHED and not answer.limited_by


def test_a_turn_limit_is_not_blamed_for_what_is_out_of_reach():
    assert ik.solve(bent((5.0, 0.0, 0.0)), max_turn=0.1).message.endswith("the target is out of reach.")


def test_a_turn_limit_holds_in_a_motion_too():
    figure = ik.figures.planar_chain([1.0, 1.0])
    ends = ik.Pose.forward(figure, np.array([[0.3, 0.5], [0.4, 0.5]])).point("tip")
    problem = ik.Problem(figure, [ik.Position("tip", ends)])
    first = ik.solve(problem.at(0), [0.3, 0.5])
    answer = ik.solve(problem.at(1), first.q, following=first, max_turn=0.01)
    assert np.abs(answer.q - first.q).max() <= 0.01 + 1e-9
    assert answer.limited_by == "max_turn" and "max_turn" in answer.message


def test_solutions_of_many_frames_say_what_limited_each():
    figure = ik.figures.planar_chain([1.0, 1.0])
    problem = ik.Problem(figure, [ik.Position("tip", [(2.0, 0.0, 0.0), (0.5, 0.5, 0.0)])])
    answer = ik.solve(problem, np.zeros(2), max_iterations=1)
    assert answer.limited_by.shape == (2,) and answer.limited_by[1] == "iterations"


def test_goals_of_one_joint_that_do_not_go_together_are_named():
    figure = ik.figures.planar_chain([1.0, 1.0])
    goals = [ik.Position("tip", place) for place in ((0.5, 0.5, 0.0), (1.0, 0.5, 0.0))]
    message = ik.solve(ik.Problem(figure, goals)).message
    assert message.endswith("is 250 mm from its target: in conflict with another goal of tip."), message


def test_a_place_that_keeps_a_joint_from_its_rotation_is_named():
    figure = ik.figures.planar_chain([1.0, 1.0])
    turned = ik.Orientation("tip", ik.Pose.forward(figure, np.array([0.0, 1.0])).frame("tip"), priority=1)
    message = ik.solve(ik.Problem(figure, [ik.Position("tip", (1.9, 0.1, 0.0)), turned])).message
    assert message.endswith("in conflict with another goal of tip."), message
