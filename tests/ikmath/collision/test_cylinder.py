# SPDX-License-Identifier: GPL-3.0-or-later
"""Segments that meet a cylinder's axis, where the distance from the axis has no slope."""

from __future__ import annotations

import numpy as np
import pytest

from ikmath.collision import Cylinder
from ikmath.collision.shapes.cylinder import _Profile
from ikmath.rotation import exp

UP = np.array([0.0, 0.0, 1.0])
FEET = {"on the axis": 0.0, "beside it by rounding": 1e-17, "beside it": 0.1}


def segments(foot: float, turn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From beside a cylinder and over it to the axis, across it, and along it, all of it turned (3, 3)."""
    ends = [
        ((1.0, 0.3, 2.0), (foot, 0.0, 1.5)),
        ((foot, 0.0, 1.5), (1.0, 0.3, 2.0)),
        ((1.0, 0.3, 2.0), (-1.0, foot - 0.3, 1.2)),
        ((foot, 0.0, 3.0), (0.0, foot, 1.1)),
        ((0.0, foot, 1.1), (foot, foot, 1.7)),
        ((2.0, 0.0, 0.3), (foot, 0.0, 4.0)),
        ((-0.6, foot, 4.0), (2.0, 0.0, 0.9)),
    ]
    return np.array([a for a, _ in ends]) @ turn.T, np.array([b for _, b in ends]) @ turn.T


def turned() -> list[np.ndarray]:
    """Rotations with which places on the axis are off it by rounding, and the one with which they are not."""
    rng = np.random.default_rng(5)
    return [np.eye(3), *(exp(rng.normal(size=3)) for _ in range(40))]


@pytest.mark.parametrize("foot", FEET.values(), ids=FEET)
def test_a_segment_that_meets_the_axis_is_measured_without_a_warning(foot):
    t = np.linspace(0, 1, 1001)
    for turn in turned():
        cylinder = Cylinder(-turn @ UP, turn @ UP, 0.4)
        a, b = segments(foot, turn)
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            answer = cylinder.nearest_segment(a, b)
        along = cylinder.nearest(a[:, None] + t[:, None] * (b - a)[:, None]).distance.min(1)
        assert (answer.distance <= along + 1e-12).all()
        np.testing.assert_allclose(answer.distance, along, atol=1e-5)


@pytest.mark.parametrize("foot", FEET.values(), ids=FEET)
def test_slopes_are_those_of_half_the_squared_distance(foot):
    turn, step = turned()[1], 1e-4
    cylinder = Cylinder(-turn @ UP, turn @ UP, 0.4)
    a, b = segments(foot, turn)
    rows = np.broadcast_to(cylinder.parameters, (len(a), 8))
    profile = _Profile(a - rows[:, :3], b - a, rows)

    def energy(t: np.ndarray) -> np.ndarray:
        return 0.5 * np.maximum(profile._value(t), 0.0) ** 2

    for t in np.array([0.0, 0.13, 0.37, 0.5, 0.81, 1.0])[:, None, None] * np.ones((len(a), 1)):
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            first, second = profile._slopes(t)
        before, here, after = energy(t - step), energy(t), energy(t + step)
        np.testing.assert_allclose(first, (after - before) / (2 * step), atol=1e-6)
        np.testing.assert_allclose(second, (after - 2 * here + before) / step**2, atol=1e-5)
