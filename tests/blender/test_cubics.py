# SPDX-License-Identifier: GPL-3.0-or-later
"""Cubics through few keys are those of least squares, piece by piece from corner to corner."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from installed import module

cubics = module("bridge.cubics")
interpolate = pytest.importorskip("scipy.interpolate")

FRAMES, TRACKS, COMPONENTS = 40, 7, 3


def by_hand(times, values, keys, pull):
    """Values in all frames and slopes of the keys of one piece, by one large system for each component."""
    count = len(keys)
    columns = [
        interpolate.CubicHermiteSpline(times[keys], *np.split(unit, 2))(times) for unit in np.eye(2 * count)
    ]
    slopes = np.eye(2 * count)[count:]
    system = np.vstack([np.array(columns).T, np.sqrt(cubics._PULL) * slopes])
    wanted = np.vstack([values, np.sqrt(cubics._PULL) * pull[keys]])
    free = [i for i in range(2 * count) if i not in (0, count - 1)]
    found = np.zeros((2 * count, values.shape[1]))
    found[[0, count - 1]] = values[[0, -1]]
    found[free] = np.linalg.lstsq(system[:, free], wanted - system @ found, rcond=None)[0]
    return np.array(columns).T @ found, found[count:]


def test_they_are_the_least_squares_of_every_piece():
    rng = np.random.default_rng(3)
    times = np.cumsum(rng.uniform(0.5, 1.5, FRAMES))
    given = rng.normal(size=(TRACKS, FRAMES, COMPONENTS))
    kept = rng.random((TRACKS, FRAMES)) < 0.25
    kept[:, [0, -1]], kept[1, 1:-1], kept[2] = True, False, True
    corners = rng.random((TRACKS, FRAMES)) < 0.3
    some = np.array([5, 1, 2, 0])
    fitted = cubics.Cubics(times, given)
    fitted.fit(some, kept[some], corners[some])
    unit = np.ptp(times) / (FRAMES - 1)
    even = (times - times[0]) / unit
    pull = np.gradient(given, even, axis=1, edge_order=2)
    for track in some:
        inner = np.flatnonzero(kept[track] & corners[track])
        cuts = [0, *inner[(inner > 0) & (inner < FRAMES - 1)], FRAMES - 1]
        for a, b in pairwise(cuts):
            piece, keys = slice(a, b + 1), np.flatnonzero(kept[track, a : b + 1])
            values, slopes = by_hand(even[piece], given[track, piece], keys, pull[track, piece])
            assert fitted.values[track, piece] == pytest.approx(values, abs=1e-9)
            assert fitted.slopes[track, a + keys[:-1], 1] * unit == pytest.approx(slopes[:-1], abs=1e-9)
            assert fitted.slopes[track, a + keys[1:], 0] * unit == pytest.approx(slopes[1:], abs=1e-9)
    rest = [track for track in range(TRACKS) if track not in some]
    assert (fitted.values[rest] == given[rest]).all()


def test_with_all_keys_they_go_through_all_frames():
    given = np.random.default_rng(4).normal(size=(2, FRAMES, 1))
    fitted = cubics.Cubics(np.arange(FRAMES), given)
    every = np.ones((2, FRAMES), dtype=bool)
    fitted.fit(np.arange(2), every, ~every)
    assert fitted.values == pytest.approx(given, abs=1e-9)
    assert (fitted.slopes[:, :, 0] == fitted.slopes[:, :, 1]).all()


def test_one_gap_between_two_keys():
    times = np.arange(10.0)
    given = (0.3 * times**3 - 2.0 * times**2 + times)[None, :, None]
    fitted = cubics.Cubics(times, given)
    ends = np.zeros((1, 10), dtype=bool)
    ends[:, [0, -1]] = True
    fitted.fit(np.arange(1), ends, ~ends)
    assert fitted.values == pytest.approx(given, abs=0.02)
    assert fitted.slopes[0, [0, -1], :, 0] == pytest.approx(np.array([[1.0, 1.0], [37.9, 37.9]]), abs=0.05)
