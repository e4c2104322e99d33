# SPDX-License-Identifier: GPL-3.0-or-later
"""Asking pose after pose with what is known from before gives the same answers as without."""

from __future__ import annotations

import figures
import meshes
import numpy as np
import pytest
from zoo import rotation

from ikmath import Pose
from ikmath.obstacles import Scene, Sphere, TriangleMesh, self_pairs


@pytest.mark.parametrize("seed", range(6))
def test_a_watch_changes_nothing(seed):
    """Pose after pose, by small steps and by leaps: the same pairs and the same clearances."""
    rng = np.random.default_rng(seed)
    skeleton, body = figures.chain(9, radius=0.3)
    modes = ["solid", "two_sided", "one_sided"]
    things = [TriangleMesh(*meshes.bumpy(rng), mode=mode) for mode in modes]
    things += [TriangleMesh(*meshes.grid(), mode=mode) for mode in modes]
    things = [shape.moved(rotation(rng), 1.5 * rng.normal(size=3) + (0.0, 4.0, 0.0)) for shape in things]
    scene = Scene(skeleton, body, [*things, Sphere((0.5, 2.0, 0.0), 0.5)], self_pairs(skeleton, body))
    watch, q = scene.watch(), 0.3 * rng.normal(size=skeleton.n)
    spared = 0
    for number in range(60):
        q = q + rng.normal(size=skeleton.n) * (0.3 if number % 20 == 19 else 0.01)
        pose = Pose.forward(skeleton, q)
        expected, near = scene.near(pose, 0.4), scene.near(pose, 0.4, watch=watch)
        for name in ("link", "obstacle", "other"):
            assert np.array_equal(getattr(near, name), getattr(expected, name))
        np.testing.assert_allclose(near.clearance, expected.clearance, atol=1e-12)
        np.testing.assert_allclose(near.jacobian(pose), expected.jacobian(pose), atol=1e-9)
        spared += int((watch.least > 0.75).sum())
    assert spared > 0
