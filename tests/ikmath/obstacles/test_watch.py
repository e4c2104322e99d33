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


@pytest.mark.parametrize("seed", range(8))
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
    for number in range(60):
        q = q + rng.normal(size=skeleton.n) * (0.3 if number % 20 == 19 else 0.01)
        pose = Pose.forward(skeleton, q)
        expected, near = scene.near(pose, 0.4), scene.near(pose, 0.4, watch=watch)
        for name in ("link", "obstacle", "other"):
            assert np.array_equal(getattr(near, name), getattr(expected, name))
        np.testing.assert_allclose(near.clearance, expected.clearance, atol=1e-12)
        np.testing.assert_allclose(near.jacobian(pose), expected.jacobian(pose), atol=1e-9)


def test_what_is_far_is_not_asked_again():
    class Counting:
        """Tells how many segments a scene's meshes are asked."""

        def __init__(self, group):
            self.group, self.limited, self.asked = group, True, 0

        def segments(self, a, *rest):
            self.asked += len(a)
            return self.group.segments(a, *rest)

    skeleton, body = figures.chain(9, radius=0.3)
    ball = TriangleMesh(*meshes.globe(), name="ball").moved(np.eye(3), (1.9, 4.0, 0.0))
    counts = []
    for watched in (False, True):
        scene = Scene(skeleton, body, [ball])
        scene._groups = [(0, 1, Counting(scene._groups[0][2]))]
        watch = scene.watch() if watched else None
        for number in range(20):
            scene.near(Pose.forward(skeleton, np.full(skeleton.n, 1e-4 * number)), 0.4, watch=watch)
        counts.append(scene._groups[0][2].asked)
    assert counts[1] < 0.7 * counts[0]
