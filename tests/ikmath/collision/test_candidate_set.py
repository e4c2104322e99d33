# SPDX-License-Identifier: GPL-3.0-or-later
"""Among the triangles that are kept is the nearest, however segments move within what was told."""

from __future__ import annotations

import numpy as np
import pytest

from ikmath.collision.bvh import Bvh
from ikmath.collision.candidate_set import CandidateSet
from ikmath.collision.nearest_triangle import nearest_to_segments
from ikmath.collision.triangles import closest_to_segments


@pytest.mark.parametrize("size", [1e-4, 0.1, 1.0])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("count", [60, 800])
def test_the_nearest_is_among_them(seed, size, count):
    """Triangles like dust, for which nothing is left to luck, and larger ones; also beyond the limit.

    Of many that are as good as each other none are kept, and all are asked again.
    """
    rng = np.random.default_rng(seed)
    corners = rng.normal(size=(count, 1, 3)) + size * rng.normal(size=(count, 3, 3))
    tree = Bvh.build(corners)
    a, b = rng.normal(size=(2, 12, 3))
    b[:3] = a[:3] + 0.1 * rng.normal(size=(3, 3))
    way, limit = rng.uniform(0.0, 0.4, 12), np.where(np.arange(12) % 4 == 3, 0.01, np.inf)
    candidates = CandidateSet(way, np.full(12, -1))
    first = nearest_to_segments(tree, a, b, limit, candidates=candidates)
    alone = nearest_to_segments(tree, a, b, limit)
    found = np.isfinite(alone.distance)
    for one, other in zip(first, alone, strict=True):
        np.testing.assert_allclose(one[found], other[found], atol=1e-12)
    assert np.isinf(first.distance[~found]).all()
    assert 0 < len(candidates) < 12 * count if count < 100 else candidates.worn
    chosen = np.array([0, 1, 3, 4, 7, 8, 11])
    shorter = candidates.of(chosen)
    for number in range(40):
        ends = rng.normal(size=(2, 12, 3))
        ends *= way[:, None] / np.sqrt((ends**2).sum(2, keepdims=True))
        ends *= 1.0 if number % 2 else rng.uniform(0.0, 1.0, (2, 12, 1))
        if number % 3 == 0:
            ends[1] = ends[0]
        moved, every = a + ends[0], np.arange(12)
        brute = closest_to_segments(
            moved.repeat(count, 0), (b + ends[1]).repeat(count, 0), np.tile(corners, (12, 1, 1))
        )[0].reshape(12, count)
        for one, rows in ((candidates, every), (shorter, chosen)):
            hit = nearest_to_segments(tree, moved[rows], (b + ends[1])[rows], limit[rows], candidates=one)
            near = brute.min(1)[rows] <= limit[rows]
            np.testing.assert_allclose(hit.distance[near], brute.min(1)[rows][near], atol=1e-12)
            found = np.isfinite(hit.distance)
            np.testing.assert_allclose(hit.distance[found], brute.min(1)[rows][found], atol=1e-12)
