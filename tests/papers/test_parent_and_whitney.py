# SPDX-License-Identifier: GPL-3.0-or-later
"""Parent's Jacobian and Whitney's positioning, as the texts have them, and what the texts have wrong."""

from itertools import pairwise

import numpy as np
import pytest

import ikmath as ik
from tests.papers.experiments import parent_control


def random_figure(seed, turns=("x", "y", "z", "xyz", "xz"), slides=("", "", "y")):
    rng = np.random.default_rng(seed)
    joints = []
    for i in range(8):
        joints.append(
            ik.Joint(
                f"j{i}", f"j{rng.integers(max(0, i - 2), i)}" if i else None, translation=rng.normal(size=3),
                turns=str(rng.choice(turns)), slides=str(rng.choice(slides)),
            )
        )  # fmt: skip
    return ik.Skeleton(joints), rng


@pytest.mark.parametrize("seed", range(8))
def test_columns_are_axis_cross_lever_and_the_axis_itself(seed):
    """Parent, figure 1; for prismatic joints (Ge, 1.1) the axis alone. The angular part is the axis."""
    figure, rng = random_figure(seed)
    pose = ik.Pose.forward(figure, 0.5 * rng.normal(size=figure.n))
    offset = rng.normal(size=3)
    tip, linear = pose.point("j7", offset), pose.jacobian("j7", offset)
    angular = pose.rotation_jacobian("j7")
    above = figure.influence[:, figure.index("j7")]
    for i, axis in enumerate(np.where(figure.is_turn[:, None], *pose.screws)):
        if not above[i]:
            expected, turn = np.zeros(3), np.zeros(3)
        elif figure.is_turn[i]:
            expected, turn = np.cross(axis, tip - pose.position[figure.owner[i]]), axis
        else:
            expected, turn = axis, np.zeros(3)
        assert np.abs(linear[:, i] - expected).max() < 1e-12
        assert np.abs(angular[:, i] - turn).max() < 1e-12
        if len(figure.joints[figure.owner[i]].turns) < 2:  # a swing about x and z together has no unit axes
            assert np.linalg.norm(axis) == pytest.approx(1)


def test_equation_10():
    """The planar manipulator of three hinges."""
    chain = ik.figures.planar_chain([1.0, 0.8, 0.6])
    pose = ik.Pose.forward(chain, [0.4, 0.5, -0.3])
    e, p1, p2 = pose.point("tip"), pose.point("link1"), pose.point("link2")
    z = np.array([0, 0, 1.0])
    printed = np.array([np.cross(z, e), np.cross(z, e - p1), np.cross(z, e - p2)]).T
    assert np.abs(pose.jacobian("tip") - printed).max() < 1e-12


def test_equation_13_holds_on_one_side_at_a_time():
    """The text writes (J^T J)^-1 J^T = J^T (J J^T)^-1 for a redundant J; the left one does not exist then."""
    j = np.random.default_rng(0).normal(size=(2, 5))
    assert np.abs(j.T @ np.linalg.inv(j @ j.T) - np.linalg.pinv(j)).max() < 1e-12
    assert np.linalg.matrix_rank(j.T @ j) == 2, "5 x 5 and singular"
    tall = j.T
    assert np.abs(np.linalg.inv(tall.T @ tall) @ tall.T - np.linalg.pinv(tall)).max() < 1e-12
    assert np.linalg.matrix_rank(tall @ tall.T) == 2


def test_the_singular_pose_of_the_text():
    """A stretched planar arm, the goal on its forearm: every column is at right angles to the way."""
    chain = ik.figures.planar_chain([1, 1, 1])
    pose = ik.Pose.forward(chain, np.zeros(3))
    goal = np.array([2.5, 0, 0])
    assert np.abs(pose.jacobian("tip").T @ (goal - pose.point("tip"))).max() < 1e-12
    problem = ik.Problem(chain, [ik.Position("tip", goal)])
    answer = ik.solve(problem, np.zeros(3), "pseudoinverse", rest=False)
    assert (answer.q == 0).all(), "no method that follows the Jacobian can leave it"
    assert ik.solve(problem, [0, 1e-2, 0], "pseudoinverse", rest=False).errors[0] < 1e-4
    assert ik.solve(problem, np.zeros(3), "pseudoinverse").errors[0] < 1e-4, "the second derivative can"


@pytest.mark.parametrize("norm", parent_control.NORMS)
def test_gains_draw_to_the_desired_angles(norm):
    distances = []
    for gain in parent_control.GAINS:
        answer, away = parent_control.follow(gain, norm)
        assert answer.errors[0] < 1e-4, "the goal is met with any gain"
        distances.append(away)
    assert all(a >= b - 1e-9 for a, b in pairwise(distances))
    assert distances[-1] < 0.5 * distances[0]


def test_no_gain_is_the_plain_pseudoinverse():
    answer, _ = parent_control.follow(0.0, 2)
    chain = ik.figures.planar_chain(parent_control.LENGTHS)
    q = np.array(parent_control.START)
    for _ in range(answer.iterations):
        error = parent_control.goal() - ik.Pose.forward(chain, q).point("tip")
        q = q + np.linalg.pinv(ik.Pose.forward(chain, q).jacobian("tip"), rcond=1e-9) @ error
    assert np.abs(answer.q - q).max() < 1e-3


def errors_on_the_way(start, goal, tracking, steps=8):
    """The tip's distance to the goal before and after each of the first steps."""
    chain = ik.figures.planar_chain([1, 1, 1])
    problem = ik.Problem(chain, [ik.Position("tip", goal)])
    begun = np.linalg.norm(ik.Pose.forward(chain, start).point("tip") - goal)
    found = [
        ik.solve(problem, start, "pseudoinverse", tracking=tracking, max_iterations=k).errors[0]
        for k in range(1, steps)
    ]
    return [begun, *found]


def test_whitneys_halving_never_leads_away():
    """A far goal: whole steps leave the linear picture and overshoot; halved ones come nearer every time."""
    start, goal = np.array([0.05, 0.05, 0.05]), np.array([-1.2, 0.8, 0])
    euler, halved = (errors_on_the_way(start, goal, tracking) for tracking in (np.inf, 0.5))
    assert any(after > before + 0.1 for before, after in pairwise(euler))
    assert all(after < before for before, after in pairwise(halved))
    assert halved[-1] < 1e-2


def test_without_control_it_is_plain_euler_integration():
    """h += J^+ (X - f(h)) until the tolerance is met (Parent; Ge, 2.2.1)."""
    chain = ik.figures.planar_chain([1, 1, 1])
    q, goal = np.array([0.3, 0.4, 0.2]), np.array([-1.5, -1.0, 0])
    answer = ik.solve(ik.Problem(chain, [ik.Position("tip", goal)]), q, "pseudoinverse", tracking=np.inf)
    steps = 0
    while np.linalg.norm(goal - ik.Pose.forward(chain, q).point("tip")) > 1e-4:
        pose = ik.Pose.forward(chain, q)
        q = q + np.linalg.pinv(pose.jacobian("tip"), rcond=1e-3) @ (goal - pose.point("tip"))
        steps += 1
    assert answer.iterations == steps
    assert np.abs(answer.q - q).max() < 1e-9
