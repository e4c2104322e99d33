# SPDX-License-Identifier: GPL-3.0-or-later
"""Internal points of a path: the text's law of sines, its smooth variant, and where it has no meaning."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ikmath as ik
from ikmath.classic.internal_points import subdivide
from ikmath.errors import BadShape, BadValue


def angle(a, b):
    return np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)


@given(seed=st.integers(0, 2**32 - 1), count=st.integers(0, 9))
def test_points_divide_the_angle_and_lie_on_the_segment(seed, count):
    rng = np.random.default_rng(seed)
    center, start, target = rng.normal(size=(3, 3))
    points = subdivide(start, target, count, center=center)
    assert points.shape == (count + 1, 3)
    assert (points[-1] == target).all() or np.abs(points[-1] - target).max() < 1e-12
    whole = angle(start - center, target - center)
    for i, point in enumerate(points, 1):
        assert angle(start - center, point - center) == pytest.approx(whole * i / (count + 1), abs=1e-7)
        assert np.linalg.norm(np.cross(point - start, target - start)) < 1e-9
    smooth = subdivide(start, target, count, center=center, smooth=True)
    y, x = np.linalg.norm(start - center), np.linalg.norm(target - center)
    for i, (point, straight) in enumerate(zip(smooth, points, strict=True), 1):
        t = i / (count + 1)
        assert np.linalg.norm(point - center) == pytest.approx(t * x + (1 - t) * y)
        assert angle(point - center, straight - center) < 1e-6


def test_the_text_does_not_divide_the_segment_equally():
    """Ki & Sheen: "we divide the segment YX equally" - their formula divides the angle."""
    points = subdivide((1, 0, 0), (0, 1, 0), 2)
    lengths = np.linalg.norm(np.diff(np.vstack([[1, 0, 0], points]), axis=0), axis=1)
    assert lengths[0] == pytest.approx(lengths[2])
    assert lengths[0] > 1.3 * lengths[1]


def test_in_one_direction_the_limit_is_taken():
    points = subdivide((1, 0, 0), (3, 0, 0), 3)
    near = subdivide((1, 0, 0), (3, 3e-5, 0), 3)
    assert np.abs(points - near).max() < 1e-4
    assert (np.diff(points[:, 0]) > 0).all()


def test_batches():
    rng = np.random.default_rng(1)
    start, target = rng.normal(size=(2, 4, 3))
    together = subdivide(start, target, 5, center=(0.1, 0.2, 0.3), smooth=True)
    assert together.shape == (6, 4, 3)
    for i in range(4):
        assert (
            np.abs(
                together[:, i] - subdivide(start[i], target[i], 5, center=(0.1, 0.2, 0.3), smooth=True)
            ).max()
            < 1e-14
        )


def test_refuses_what_has_no_direction():
    with pytest.raises(BadValue, match="center"):
        subdivide((1, 0, 0), (-2, 0, 0), 3)
    with pytest.raises(BadValue, match="center"):
        subdivide((0, 0, 0), (1, 0, 0), 3)
    with pytest.raises(BadValue, match="count"):
        subdivide((1, 0, 0), (0, 1, 0), -1)
    with pytest.raises(BadShape, match="target"):
        subdivide((1, 0, 0), (0, 1), 3)
    with pytest.raises(BadValue, match="start"):
        subdivide((np.nan, 0, 0), (0, 1, 0), 3)


def test_a_chain_follows_a_path():
    chain = ik.figures.planar_chain([1.0, 1.0, 1.0])
    q0 = np.array([0.2, 0.3, 0.4])
    start = ik.Pose.forward(chain, q0).point("tip")
    path = subdivide(start, (-1.0, 1.5, 0.0), 9, smooth=True)
    for method in ("pseudoinverse", "nonlinear"):
        track = ik.solve_track(ik.Problem(chain, [ik.Position("tip", path)]), q0, method)
        assert track.errors.max() < 1e-4
        assert np.abs(np.diff(np.vstack([q0, track.q]), axis=0)).max() < 0.6, "no jump"
