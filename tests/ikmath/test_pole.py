# SPDX-License-Identifier: GPL-3.0-or-later
"""Poles: knees and elbows that point at a place."""

import numpy as np
import pytest

import ikmath as ik

LEG = ik.Skeleton(
    [
        ik.Joint("hip", None, turns="xyz"),
        ik.Joint("knee", "hip", translation=(0, 1, 0), turns="x", lower=(0.0,), upper=(2.6,)),
    ]
)
FOOT = (0, 1, 0)
BENT = np.array([-0.5, 0.0, 0.0, 1.0])


def knee_side(pose):
    """(3,) unit vector from the line between hip and foot to the knee."""
    root, knee, end = pose.point("hip"), pose.point("knee"), pose.point("knee", FOOT)
    line = (end - root) / np.linalg.norm(end - root)
    side = (knee - root) - line * (line @ (knee - root))
    return side / np.linalg.norm(side)


@pytest.mark.parametrize("degrees", [0, 40, 90, 150, 179, -90])
def test_the_knee_points_at_its_pole_and_the_foot_stays(degrees):
    start = ik.Pose.forward(LEG, BENT)
    foot = start.point("knee", FOOT)
    line = foot / np.linalg.norm(foot)
    side = ik.rotation.exp(np.radians(degrees) * line) @ knee_side(start)
    goals = [ik.Position("knee", foot, FOOT), ik.Pole("knee", 0.5 * foot + 3.0 * side, "hip", FOOT)]
    solution = ik.solve(ik.Problem(LEG, goals), BENT)
    pose = ik.Pose.forward(LEG, solution.q)
    assert solution.status is ik.Status.REACHED, solution.message
    np.testing.assert_allclose(pose.point("knee", FOOT), foot, atol=1e-4)
    assert knee_side(pose) @ side == pytest.approx(1.0, abs=1e-6)


def test_the_error_is_the_angle_about_the_line():
    pose = ik.Pose.forward(LEG, BENT)
    foot = pose.point("knee", FOOT)
    line = foot / np.linalg.norm(foot)
    for angle in (-3.0, -1.0, 0.3, 2.0):
        side = ik.rotation.exp(angle * line) @ knee_side(pose)
        error = ik.Pole("knee", 0.7 * foot + 2.0 * side, "hip", FOOT).evaluate(pose).error
        assert error == pytest.approx([-angle], rel=2e-3)
    assert ik.Pole("knee", 0.7 * foot + side, "hip", FOOT, slack=0.5).errors(pose) == pytest.approx(
        [1.5], rel=2e-3
    )


@pytest.mark.parametrize("pole", [(0.0, 5.0, 0.0), (0.0, 0.0, 0.0), (1.0, 1.0, 0.0)])
def test_a_straight_limb_or_a_pole_on_its_line_asks_for_nothing(pole):
    straight = ik.Pose.forward(LEG, np.zeros(4))
    residual = ik.Pole("knee", pole, "hip", FOOT).evaluate(straight)
    assert np.isfinite(residual.jacobian).all()
    np.testing.assert_allclose(residual.error, 0.0, atol=1e-9)


def test_a_limb_that_stretches_out_passes_no_jump():
    """The error goes to nothing as the limb straightens, as smoothly as its derivative says."""
    pole, sizes = ik.Pole("knee", (2.0, 1.0, 0.3), "hip", FOOT), []
    for bend in np.linspace(0.0, 0.1, 40):
        sizes.append(float(pole.errors(ik.Pose.forward(LEG, [-0.5 * bend, 0, 0, bend]))[0]))
    assert sizes[0] == pytest.approx(0.0, abs=1e-12)
    assert np.diff(sizes).min() > 0.0 and np.diff(sizes).max() < 0.2


def test_several_limbs_share_one_pole():
    human = ik.figures.human()
    pose = ik.Pose.forward(human, human.rest)
    knees, hips = ["knee.L", "knee.R"], ["hip.L", "hip.R"]
    offset = human.rest_translation[human.index("ankle.L")]
    both = ik.Pole(knees, (0.0, -3.0, 0.5), hips, offset).evaluate(pose)
    for row, (knee, hip) in enumerate(zip(knees, hips, strict=True)):
        one = ik.Pole(knee, (0.0, -3.0, 0.5), hip, offset).evaluate(pose)
        np.testing.assert_allclose(both.error[row], one.error[0], atol=1e-15)
        np.testing.assert_allclose(both.jacobian[row], one.jacobian[0], atol=1e-15)


def test_what_is_refused():
    with pytest.raises(ik.BadShape, match="root of Pole goal"):
        ik.Pole(["knee", "hip"], (1, 0, 0), "hip", FOOT)
    with pytest.raises(ik.UnknownName, match="thigh"):
        ik.Problem(LEG, [ik.Pole("knee", (1, 0, 0), "thigh", FOOT)])
