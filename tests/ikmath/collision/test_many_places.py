# SPDX-License-Identifier: GPL-3.0-or-later
"""One mesh at many places, as instances are, and ways among many obstacles."""

from __future__ import annotations

import figures
import meshes
import numpy as np

from ikmath import Pose
from ikmath.collision import Scene, TriangleMesh


def test_one_mesh_at_many_places_is_prepared_once():
    rng = np.random.default_rng(11)
    skeleton = figures.tree(rng)
    body = figures.body(rng, skeleton)
    kinds = [TriangleMesh(*meshes.bumpy(rng, 12, 7), mode="two_sided") for _ in range(2)]
    places = [kinds[k % 2].named(f"{k}").moved(figures.rotation(rng), rng.normal(size=3)) for k in range(9)]
    places[4] = places[4].named("4", mode="one_sided")
    scene = Scene(skeleton, body, places)
    assert len(scene.broad_phase.groups[0].distance.low) == 3, "two meshes, one of them in two modes"
    pose = Pose.forward(skeleton, rng.normal(size=skeleton.n))
    near = scene.near(pose, 2.0)
    found = {(int(i), name): c for i, name, c in zip(near.link, near.names, near.clearance, strict=True)}
    a, b = body.segments(pose)
    count = 0
    for link, radius in enumerate(body.radius):
        for shape in places:
            clearance = float(shape.nearest_segment(a[link], b[link]).distance) - radius
            if clearance < 2.0:
                count += 1
                assert abs(found[link, shape.name] - clearance) < 1e-9
    assert len(found) == count > 10


def test_passages_are_told_obstacle_by_obstacle():
    rng = np.random.default_rng(8)
    skeleton = figures.tree(rng)
    obstacles = figures.obstacles(rng)
    scene = Scene(skeleton, figures.body(rng, skeleton), obstacles)
    a, b = rng.normal(size=(2, 300, 3)) * 1.5
    b[::3] = a[::3]  # standing still, too
    for radius, margin in ((0.02, 0.0), (0.1, 0.03)):
        free = np.ones(len(a), dtype=bool)
        for shape in obstacles:
            free &= shape.nearest_segment(a, b).distance >= radius + margin + shape.margin
        assert 0 < free.sum() < len(a)
        np.testing.assert_array_equal(scene.broad_phase.passable(a, b, radius, margin), free)
