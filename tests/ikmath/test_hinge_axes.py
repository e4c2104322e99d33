# SPDX-License-Identifier: GPL-3.0-or-later
"""Hinges and sliders along any axis, built by hand."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from tests.ikmath.oracle import rodrigues

AXES = [(1, 0, 0), (0, -3, 0), (0, 0, 1), (0, 1, 0), (0.3, -0.5, 0.8), (-1e-3, 1.0, 1e-3)]


@pytest.mark.parametrize("axis", AXES)
def test_a_link_turns_about_its_axis_and_not_otherwise(axis):
    rest, unit = rodrigues((0.4, 1.0, -2.0)), np.array(axis) / np.linalg.norm(axis)
    skeleton = ik.Skeleton(
        [
            ik.Joint("base", turns=""),
            *ik.hinge(
                "arm", "base", axis, translation=(1, 2, 3), rotation=rest, lower=-4, upper=4, max_speed=2
            ),
            *ik.slider("tool", "arm", axis, motion="rail", translation=(0, 0, 1), lower=0.0),
        ]
    )
    assert skeleton.coordinate_names == ("arm hinge.turn_y", "rail.slide_y")
    assert skeleton.lower.tolist() == [-4, 0] and skeleton.max_speed.tolist() == [2, np.inf]
    for angle in (0.0, 0.7, -3.5):
        pose = ik.Pose.forward(skeleton, (angle, 0.5))
        turned = rest @ rodrigues(unit * angle)
        np.testing.assert_allclose(pose.frame("arm"), turned, atol=1e-14)
        np.testing.assert_allclose(pose.point("arm"), (1, 2, 3), atol=1e-14)
        np.testing.assert_allclose(pose.frame("tool"), turned, atol=1e-14)
        np.testing.assert_allclose(
            pose.point("tool"), turned @ (unit * 0.5 + (0, 0, 1)) + (1, 2, 3), atol=1e-14
        )


def test_wrong_axes_and_speeds_are_named():
    with pytest.raises(ik.BadValue, match="axis of link 'arm' has no length"):
        ik.hinge("arm", axis=(0, 0, 0))
    with pytest.raises(ik.BadShape, match="axis of link 'arm'"):
        ik.slider("arm", axis=(0, 1))
    with pytest.raises(ik.BadValue, match=r"'arm hinge\.turn_y' has a max_speed"):
        ik.Skeleton(ik.hinge("arm", max_speed=0.0))
