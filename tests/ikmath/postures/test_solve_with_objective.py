# SPDX-License-Identifier: GPL-3.0-or-later
"""`ikmath.solve` with the objective as posture cost: everyday poses, rest, and the way there."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.model.figure_map import map_skeleton
from ikmath.postures.cost import PostureTerm
from ikmath.postures.objective import PostureObjective
from ikmath.postures.stance import stance
from tests.ikmath.postures import people

FIGURE, TIPS = people.skeleton()
MAP = map_skeleton(FIGURE, tips=TIPS)
STANDING = ik.Pose.forward(FIGURE, stance(FIGURE, MAP))
COST = PostureObjective.of(FIGURE, FIGURE.rest, tips=TIPS, figure=MAP).with_reference(STANDING)
FEET = ["foot.l", "foot.r", "toe.l", "toe.r"]
PLANTED = [ik.Position(FEET, STANDING.point(FEET)), ik.Orientation(FEET, STANDING.frame(FEET))]


def problem(place, name="hand.l"):
    """A standing person who is asked to put a joint somewhere, the feet planted."""
    return ik.Problem(FIGURE, [*PLANTED, ik.Position(name, place)], posture=COST)


def pulled(place, q0=STANDING.q):
    answer = ik.solve(problem(place), q0, "hierarchical")
    assert answer.status is ik.Status.REACHED, answer.message
    return answer


def moved(q, name):
    """Metres that a joint has moved from where it stood."""
    return float(np.linalg.norm(ik.Pose.forward(FIGURE, q).point(name) - STANDING.point(name)))


def test_a_hand_goes_up_by_the_arm_alone():
    q = pulled(STANDING.point("arm.l") + np.array([0.1, 0, 0.42])).q
    assert moved(q, "hips") < 0.05 and moved(q, "head") < 0.12
    shoulder, elbow, wrist = ik.Pose.forward(FIGURE, q).point(["arm.l", "forearm.l", "hand.l"])
    upper, lower = elbow - shoulder, wrist - elbow
    assert np.degrees(np.arccos(upper @ lower / np.linalg.norm(upper) / np.linalg.norm(lower))) > 60


def test_a_hand_to_the_mouth_leaves_the_hips():
    assert moved(pulled(STANDING.point("head") + np.array([0.02, -0.14, 0.05])).q, "hips") < 0.03


def test_solved_again_it_stays():
    target = STANDING.point("head") + np.array([0.3, -0.3, 0.0])
    first = pulled(target)
    again = pulled(target, first.q)
    assert np.abs(again.q - first.q).max() < 1e-5


def test_the_pose_does_not_depend_on_the_way_there():
    target = np.array([0.1, -0.5, 1.0])
    straight = pulled(target)
    detour = pulled(target, pulled(np.array([0.5, -0.1, 1.3])).q)
    np.testing.assert_allclose(detour.q, straight.q, atol=1e-4)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_the_scale_of_a_cost_means_nothing(scale):
    target = STANDING.point("arm.l") + np.array([0.1, -0.2, 0.3])

    class Scaled:
        def evaluate(self, pose):
            value, gradient, hessian, curvature = COST.evaluate(pose)
            return PostureTerm(
                scale * value, scale * gradient, scale * hessian, lambda: curvature().scaled(scale)
            )

    other = ik.Problem(FIGURE, problem(target).goals, posture=Scaled())
    np.testing.assert_allclose(ik.solve(other, STANDING.q, "hierarchical").q, pulled(target).q, atol=1e-6)


def test_other_methods_refuse_a_cost_with_a_sentence():
    with pytest.raises(ik.NotSupported, match="posture cost"):
        ik.solve(problem((0.3, -0.3, 1.2)), STANDING.q, "damped")


def test_a_cost_and_a_posture_goal_are_too_much():
    with pytest.raises(ik.BadValue, match="posture"):
        ik.Problem(FIGURE, [ik.Posture(FIGURE.rest)], posture=COST)


@pytest.mark.parametrize("seed", [2, 3, 4, 12])
def test_out_of_reach_beside_a_held_hand_a_drag_comes_to_rest(seed):
    """What a hand is short of is kept only along a curved valley: each step along it has to be put back."""
    rng = np.random.default_rng(seed)
    way = rng.normal(size=3) * (1.0, 1.0, 0.5)
    way[2] = abs(way[2])
    way /= np.linalg.norm(way)
    rng.normal(size=3)
    other = STANDING.point("hand.r") + 0.1 * rng.normal(size=3)
    q = STANDING.q
    for reach in (0.5, 0.7, 0.8, 0.9, 1.0):
        place = STANDING.point("arm.l") + reach * way
        goals = [*PLANTED, ik.Position("hand.r", other), ik.Position("hand.l", place, priority=1)]
        answer = ik.solve(ik.Problem(FIGURE, goals, posture=COST), q, max_iterations=60, restarts=0)
        q = answer.q
    assert answer.status is ik.Status.BEST_EFFORT
