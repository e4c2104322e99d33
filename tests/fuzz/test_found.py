# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults that random problems have shown, each as the smallest example of it."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.postures.objective import Effort
from tests.fuzz.cases import Case, GoalOf, JointOf, ObstacleOf, Own
from tests.fuzz.properties import (
    ODD_CALLS,
    SKELETON,
    handed_in,
    solve,
    solve_many,
    solve_naturally,
    solve_track,
    steps_alike,
)  # fmt: skip


@pytest.mark.parametrize("turns", ["xz", "xyz"])
@pytest.mark.parametrize(
    ("lower", "upper"),
    [(2.5, 2.9), (-2.9, -2.5), (3.2, 3.5), (4.0, np.inf), (-np.inf, -3.2)],
)
def test_swings_of_half_a_turn_and_more_are_refused(turns, lower, upper):
    """They were left through: coordinates outside were said to be REACHED, or not a number."""
    with pytest.raises(ik.BadValue, match=r"'ball\.turn_x'.* half a turn or more from rest"):
        ik.Skeleton([ik.Joint("ball", turns=turns, lower=lower, upper=upper)])
    figure = ik.Skeleton([ik.Joint("ball", turns=turns, lower=-1, upper=1)])
    count = len(turns)
    with pytest.raises(ik.BadValue, match="half a turn or more from rest"):
        figure.with_limits(np.full(count, lower), np.full(count, upper))


@pytest.mark.parametrize(("lower", "upper"), [(2.2, 2.5), (1.5, np.inf), (-np.inf, -1.4)])
def test_swings_short_of_half_a_turn_are_kept(lower, upper):
    """Of two such turns the half-angle sines would be longer than 1 together; one alone is not."""
    limits = {"lower": (lower, -1.0), "upper": (upper, 1.0)}
    figure = ik.Skeleton(
        [ik.Joint("ball", turns="xz", **limits), ik.Joint("tip", "ball", translation=(0, 1, 0))]
    )
    problem = ik.Problem(figure, [ik.Position("tip", (0.3, 0.9, 0.2))])
    for method in ik.METHODS:
        try:
            answer = ik.solve(problem, None, method)
        except ik.NotSupported:
            continue
        assert figure.joint_limits.violation(answer.q).max() <= 1e-9, method


def test_a_hinge_beyond_half_a_turn_is_kept():
    figure = ik.Skeleton(
        [ik.Joint("hinge", turns="x", lower=4.0, upper=5.0), ik.Joint("tip", "hinge", turns="")]
    )
    assert ik.solve(ik.Problem(figure), [0.0]).q == [4.0]


WEIGHTLESS = Case(joints=(JointOf(turns="yz", limits="all"),), goals=(GoalOf(weight=0.0),), seed=539)


@pytest.mark.parametrize("method", ik.METHODS)
@pytest.mark.parametrize("posture", ["", "even", "gains", "no gain"])
def test_all_weights_zero(method, posture):
    """ZeroDivisionError out of hierarchical, prioritized, nonlinear and lagrange."""
    for goals in (
        WEIGHTLESS.goals,
        (GoalOf("Orientation, one", 1e15, 0.0), GoalOf(far=3.0, weight=0.0, priority=1)),
    ):
        case = Case(**{**vars(WEIGHTLESS), "posture": posture, "goals": goals})
        solve(case, method)
        solve_track(Case(**{**vars(case), "frames": 2}), method)
        solve_many(case, method)


@pytest.mark.parametrize("method", ik.METHODS)
@pytest.mark.parametrize("posture", [True, False])
def test_a_goal_without_weight_is_told_as_it_is(method, posture):
    """Metres away is not reached, and says why."""
    arm = ik.figures.ball_chain(2, 0.5)
    goals = [ik.Position("tip", (5, 0, 0), weight=0.0)]
    answer = ik.solve(ik.Problem(arm, goals, posture=np.full(arm.n, 0.2) if posture else None), None, method)
    assert answer.status is not ik.Status.REACHED
    assert "weight is zero" in answer.message
    assert answer.errors[0] > 4.0


@pytest.mark.parametrize("odd", [(0.0, 0.1, 0.0), [[0.0, 0.1, 0.0]], 0.1, None, "end", {"y": 1.0}])
@pytest.mark.parametrize("method", ik.METHODS)
def test_goals_of_ones_own_may_call_things_as_they_like(method, odd):
    """An attribute `offset` that is a tuple was taken for the library's own."""
    figure = ik.Skeleton([ik.Joint("a"), ik.Joint("tip", "a", translation=(0, 1, 0), turns="")])
    goals = [Own((0.3, 0.8, 0.1), {"offset": odd, "joints": odd}, "tip", 1.0, 0) for _ in range(2)]
    problem = ik.Problem(figure, goals[:1])
    try:
        assert np.isfinite(ik.solve(problem, None, method).q).all()
        assert np.isfinite(ik.solve(problem.with_targets(goals[1:]), None, method).q).all()
    except ik.NotSupported:
        pass


@pytest.mark.parametrize(
    ("place", "odd"),
    [
        (("position", "priority"), 1e25),
        (("position", "joint"), np.array("b")),
        (("cylinder", "radius"), 1e-320),
        (("position", "target"), (1e40, 0.0, 0.0)),
        (("joint", "translation"), (1e40, 0.0, 0.0)),
    ],
)
def test_what_cannot_be_computed_with_is_refused(place, odd):
    call, argument = place
    with pytest.raises(ik.IkError):
        ik.Problem(SKELETON, [ODD_CALLS[call](**{argument: odd})])
    handed_in(place, odd, "damped")


def test_a_message_is_told_where_its_causes_cannot_be_computed():
    """LinAlgError when the message was read."""
    case = Case(
        seed=201, scale=1000.0, joints=(JointOf(2, 1e25, "xy", "xz", "odd"),), posture="even", frames=2,
        goals=(GoalOf("Orientation, several", weight=1e12, priority=2), GoalOf("an aim")),
    )  # fmt: skip
    solve_track(case, "nonlinear")
    solve_many(case, "nonlinear")


def test_a_model_without_curvature_is_gone_down():
    """ZeroDivisionError out of the search of the quasi-Newton model."""
    joints = (JointOf(0, turns="y", limits="odd"), JointOf(long=1e12, turns="z", limits="wide"))
    goals = (
        GoalOf("Position, one", 1e40, 1e12),
        GoalOf("Loop, rigid", weight=1e-12, priority=1),
        GoalOf("Distance, outside a place", 3.0),
    )
    solve(Case(774, 1000.0, joints, goals, start="anywhere"), "nonlinear")


def test_a_slope_is_gone_down_whatever_its_size():
    """Overflow of squares in `transpose`, with a target of 1e40 that no check at the door sees."""
    joints = (
        JointOf(turns="yz"),
        JointOf(2, turns="z", slides="xyz", limits="all", inherits=False),
        JointOf(turns="", limits="all"),
        JointOf(2, 0.0, "z", "xyz", "one side, away"),
        JointOf(long=0.0, turns="y", limits="empty"),
    )
    case = Case(
        10000, 1e-6, joints, (GoalOf("own", 1e40, 1e12, 2),), limits="barrier", start="anywhere", frames=2,
        weighed=True,
    )  # fmt: skip
    solve_track(case, "transpose")
    solve_many(case, "transpose")


def test_a_step_too_long_to_compute_with_is_refused():
    """A slide of 1e251: overflow in `hierarchical`."""
    far = JointOf(3, 1e12, "y", "y", "some", inherits=False)
    twice = JointOf(3, turns="xyz", slides="xz", limits="all")
    joints = (far, twice, JointOf(3, turns="", slides="x", limits="odd"), far, far, twice)
    goals = (
        GoalOf("Aim, cone", 1e8, 1e-12, 2),
        GoalOf("Position, bone axes", 1e40, 1e12),
        GoalOf("Distance, at", 3.0, 1e-100),
    )
    case = Case(230, 1e-3, joints, goals, posture="even", obstacles=(ObstacleOf(),), start="rest")
    solve_naturally(case, Effort.NATURAL, "reached", 7.0, 0)


def test_free_swings_are_replaced_in_a_batch_as_in_its_frames():
    """Rounding chose: whether a step that ended at a limit had left it."""
    joints = (
        JointOf(turns="yz", slides="y", limits="odd"),
        JointOf(),
        JointOf(turns="x", slides="y", limits="some"),
        JointOf(turns="xy", slides="y"),
    )
    steps_alike(Case(530, 1e-3, joints, (GoalOf("Pole, slack"),), posture="gains"), 3)


@pytest.mark.parametrize("method", ik.METHODS)
def test_a_step_turns_no_joint_by_more_than_sines_can_tell(method):
    """Turns of 1e29: the error told was not the one of the pose told."""
    joints = (
        JointOf(2, turns="x", slides="yz", limits="tiny"),
        JointOf(0, turns="x", limits="beyond half a turn", inherits=False),
        JointOf(2, slides="yz", limits="all"),
        JointOf(2, turns="x", slides="xz", limits="one side, away"),
        JointOf(turns="xz", limits="huge", inherits=False),
        JointOf(3, turns="x", slides="xz", limits="huge", inherits=False),
    )
    goals = (
        GoalOf("AnyOf, three", 3.0, priority=2),
        GoalOf("Aim, cone", 1e40, 0.0, 1),
        GoalOf("Balance, own masses", 1e15, 1e-30, 1),
    )
    solve(Case(154, 1e-30, joints, goals, posture="even", limits="penalty"), method)


@pytest.mark.parametrize("method", ["hierarchical", "damped"])
def test_a_gain_that_vanishes_in_products_counts_as_none(method):
    """A posture of such a gain was divided by its own stiffness, which is zero."""
    handed_in(("posture", "gain"), 1e-320, method)


def test_a_path_is_free_on_which_enormous_links_stay_where_they_are():
    """Room of 1e25 over a way of nothing."""
    joints = (
        JointOf(2, 0.0, turns="xyz", limits="huge"),
        JointOf(3, 1.0, turns="xy"),
        JointOf(1, 1.0, turns="z"),
        JointOf(3, 1e25, turns="yz", slides="z"),
    )
    goals = (GoalOf("Aim, several", 1.0, 1e6, 2),)
    case = Case(7016, 1e-6, joints, goals, "gains", limits="penalty", pairs=True, start="anywhere")
    solve_naturally(case, Effort.NATURAL, "reached", 1e-3, 0)


def test_a_segment_that_misses_an_enormous_face_is_measured():
    """Its height times its climb: the sixth power of 1e28, squared."""
    joints = (
        JointOf(2, 1.0, turns="yz", limits="tiny"),
        JointOf(1, 1e25, turns="x", slides="xyz", limits="tiny"),
        JointOf(1, 0.0, turns="z", slides="x", limits="wide"),
    )
    mesh, cylinder = ObstacleOf("mesh", 1.0, 1.0), ObstacleOf("cylinder", 1e6, 1e6)
    obstacles = (mesh, cylinder, ObstacleOf("mesh", 1.0, 1e25))
    solve(Case(1114, 1e3, joints, (), "", obstacles=obstacles, pairs=True, start="anywhere"), "hierarchical")


def test_a_cost_without_curvature_has_a_metric_that_can_be_squared():
    """Weights of 1e-100 in a figure of 1e12 m: the metric of steps by curvature was 1e161."""
    joints = (
        JointOf(2, 1.0, turns="y", slides="xy", limits="some"),
        JointOf(2, 1.0, turns="", slides="xy", limits="huge", inherits=False),
    )
    goals = (GoalOf("Balance, support on a slope", 1e15, 1e-100, 2),) * 2
    solve(Case(1128, 1e12, joints, goals, posture="no gain", limits="barrier"), "hierarchical")


def test_a_step_of_no_length_is_not_corrected():
    """ZeroDivisionError in `bounded`: on a figure of 1e25 metres steps were too small for their squares."""
    joints = (
        JointOf(3, turns="xyz", slides="xz", limits="huge"),
        JointOf(1, turns="xz", limits="huge"),
        JointOf(0, turns="xz", limits="tiny"),
        JointOf(1, 1e12, "yz", "z", "huge", inherits=False),
        JointOf(2, 1e-12, "xy", limits="huge"),
        JointOf(3, 1e25, "xyz", "z", "wide"),
    )
    goals = (GoalOf("Distance, one", 1.2, 1e-30),)
    case = Case(337, 1.0, joints, goals, posture="no gain", start="rest", frames=2)
    solve_track(case, "bounded")
    solve_many(case, "bounded")
