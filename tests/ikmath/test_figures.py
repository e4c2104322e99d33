# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures built in code are what they say."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from tests.ikmath import oracle


def test_planar_chain_is_the_papers():
    """Ki & Sheen, example 3.1: x = sum l_i cos w_i, y = sum l_i sin w_i."""
    lengths, q = np.array([1.0, 0.7, 0.4]), np.array([0.3, -0.8, 1.1])
    skeleton = ik.figures.planar_chain(lengths)
    w = np.cumsum(q)
    expected = [(lengths * np.cos(w)).sum(), (lengths * np.sin(w)).sum(), 0.0]
    np.testing.assert_allclose(oracle.point(skeleton, q, "tip"), expected, atol=1e-14)
    limited = ik.figures.planar_chain([1.0], limit=0.5)
    np.testing.assert_array_equal([limited.lower[0], limited.upper[0]], [-0.5, 0.5])


def test_ball_chain():
    skeleton = ik.figures.ball_chain(3, 0.5)
    assert skeleton.n == 9
    np.testing.assert_allclose(oracle.point(skeleton, np.zeros(9), "tip"), (0, 1.5, 0))


def test_trunk():
    skeleton = ik.figures.trunk()
    assert skeleton.n == 90
    np.testing.assert_allclose(oracle.point(skeleton, np.zeros(90), "tip"), (0, 0, 30), atol=1e-12)
    np.testing.assert_allclose(np.degrees(skeleton.upper[:3]), (30, 15, 30))


def test_arm():
    skeleton = ik.figures.arm()
    assert skeleton.n == 7
    place = oracle.point(skeleton, np.zeros(7), "tool")
    np.testing.assert_allclose(place[:2], 0, atol=1e-12)
    assert 1.0 < place[2] < 1.5


def test_human_stands_upright_and_is_symmetric():
    skeleton = ik.figures.human()
    assert skeleton.n == 66
    frames = oracle.frames(skeleton, skeleton.rest)
    assert 1.5 < frames["head"][1][2] < 1.7
    for joint, (_, place) in frames.items():
        if joint.endswith(".L"):
            other = frames[joint[:-1] + "R"][1]
            np.testing.assert_allclose(place * (-1, 1, 1), other, atol=1e-12)
            assert place[0] > 0
    assert -0.1 < frames["ankle.L"][1][2] < 0.15
    # an elbow bends forward on both sides, a knee backward
    for side in "LR":
        bent = skeleton.rest.copy()
        bent[skeleton.columns(f"elbow.{side}").start] = 1.0
        wrist = oracle.point(skeleton, bent, f"wrist.{side}")
        assert wrist[1] < frames[f"wrist.{side}"][1][1] - 0.1
        bent = skeleton.rest.copy()
        bent[skeleton.columns(f"knee.{side}").start] = -1.0
        ankle = oracle.point(skeleton, bent, f"ankle.{side}")
        assert ankle[1] > frames[f"ankle.{side}"][1][1] + 0.1


@pytest.mark.parametrize(
    "build", [lambda: ik.figures.planar_chain([]), lambda: ik.figures.ball_chain(0)], ids=["planar", "ball"]
)
def test_chains_without_links(build):
    with pytest.raises(ik.BadValue, match=r"(of|in) the chain"):
        build()
