# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be nearer than something that is known, against every triangle looked at by itself."""

from __future__ import annotations

import numpy as np
import pytest

from ikmath.collision.bvh import Bvh


@pytest.mark.parametrize("seed", range(6))
def test_all_that_reaches_so_far_and_is_so_near_is_told(seed):
    """In one tree and in several of different depths side by side; also with nothing asked of one test."""
    rng = np.random.default_rng(seed)
    counts = [1500, 5, 40, 9000, 16][: 1 + seed % 5]
    clouds = [rng.normal(size=(n, 1, 3)) + 0.05 * rng.normal(size=(n, 3, 3)) for n in counts]
    forest = Bvh.side_by_side([Bvh.build(cloud) for cloud in clouds])
    root = rng.integers(0, len(counts), 20)
    a = 1.5 * rng.normal(size=(20, 3))
    b = a + 0.5 * rng.normal(size=(20, 3))
    gap = rng.normal(size=(20, 3))
    gap /= np.linalg.norm(gap, axis=1)[:, None]
    reach = rng.uniform(0.05, 1.0, 20)
    ahead = np.minimum((a * gap).sum(1), (b * gap).sum(1)) - reach
    ahead[::7] = -np.inf
    query, row = forest.culling.within(a, b, gap, ahead, reach, root)
    assert (np.diff(query) >= 0).all()
    assert len({*zip(query.tolist(), row.tolist(), strict=True)}) == len(query)
    middle, half = 0.5 * (a + b), 0.5 * np.linalg.norm(b - a, axis=1)
    for k in range(20):
        corners = clouds[root[k]]
        found = {tuple(triangle.ravel()) for triangle in forest.corners[row[query == k]]}
        assert found <= {tuple(triangle.ravel()) for triangle in corners}
        near = np.linalg.norm(corners - middle[k], axis=2).min(1) < reach[k] + half[k]
        wanted = corners[near & ((corners @ gap[k]).max(1) > ahead[k])]
        assert {tuple(triangle.ravel()) for triangle in wanted} <= found


def test_a_guess_is_a_triangle_of_the_right_tree_and_not_far():
    rng = np.random.default_rng(0)
    clouds = [rng.normal(size=(n, 1, 3)) + 0.01 * rng.normal(size=(n, 3, 3)) for n in (3000, 7, 200)]
    forest = Bvh.side_by_side([Bvh.build(cloud) for cloud in clouds])
    points, root = rng.normal(size=(60, 3)), np.arange(60) % 3
    guessed = forest.corners[forest.culling.guess(points, root)]
    for point, own, triangle in zip(points, root, guessed, strict=True):
        every = np.linalg.norm(clouds[own] - point, axis=2).min(1)
        assert (clouds[own] == triangle).all((1, 2)).any()
        assert np.linalg.norm(triangle - point, axis=1).min() <= np.median(every)
