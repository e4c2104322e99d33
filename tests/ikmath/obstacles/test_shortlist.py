# SPDX-License-Identifier: GPL-3.0-or-later
"""Among the triangles that are kept is the nearest, however segments move within what was told."""

from __future__ import annotations

import numpy as np
import pytest

from ikmath.obstacles.bvh import Tree
from ikmath.obstacles.nearest_triangle import nearest_to_segments
from ikmath.obstacles.shortlist import Shortlist
from ikmath.obstacles.triangles import closest_to_segments


@pytest.mark.parametrize("size", [1e-4, 0.1, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_nearest_is_among_them(seed, size):
    """Triangles like dust, for which nothing is left to luck, and larger ones; also beyond the limit."""
    rng = np.random.default_rng(seed)
    corners = rng.normal(size=(800, 1, 3)) + size * rng.normal(size=(800, 3, 3))
    tree = Tree.build(corners)
    a, b = rng.normal(size=(2, 12, 3))
    b[:3] = a[:3] + 0.1 * rng.normal(size=(3, 3))
    way, limit = rng.uniform(0.0, 0.4, 12), np.where(np.arange(12) % 4 == 3, 0.01, np.inf)
    shortlist = Shortlist(way)
    first = nearest_to_segments(tree, a, b, limit, shortlist=shortlist)
    alone = nearest_to_segments(tree, a, b, limit)
    for one, other in zip(first, alone, strict=True):
        np.testing.assert_array_equal(one, other)
    assert 0 < len(shortlist) < 12 * len(tree.corners)
    chosen = np.array([0, 1, 3, 4, 7, 8, 11])
    shorter = shortlist.of(chosen)
    for number in range(40):
        ends = rng.normal(size=(2, 12, 3))
        ends *= way[:, None] / np.sqrt((ends**2).sum(2, keepdims=True))
        ends *= 1.0 if number % 2 else rng.uniform(0.0, 1.0, (2, 12, 1))
        if number % 3 == 0:
            ends[1] = ends[0]
        moved, every = a + ends[0], np.arange(12)
        brute = closest_to_segments(
            moved.repeat(800, 0), (b + ends[1]).repeat(800, 0), np.tile(corners, (12, 1, 1))
        )[0].reshape(12, 800)
        for one, rows in ((shortlist, every), (shorter, chosen)):
            one.moved = np.sqrt((ends[:, rows] ** 2).sum(2)).max(0) + 1e-9
            hit = nearest_to_segments(tree, moved[rows], (b + ends[1])[rows], limit[rows], shortlist=one)
            near = brute.min(1)[rows] <= limit[rows]
            np.testing.assert_allclose(hit.distance[near], brute.min(1)[rows][near], atol=1e-12)
            assert (hit.distance >= brute.min(1)[rows] - 1e-12).all()
