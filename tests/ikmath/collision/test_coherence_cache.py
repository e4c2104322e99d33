# SPDX-License-Identifier: GPL-3.0-or-later
"""Asking pose after pose with what is known from before gives the same answers as without."""

from __future__ import annotations

import figures
import meshes
import numpy as np
import pytest
from zoo import rotation

from ikmath import Joint, Pose, Skeleton
from ikmath.collision import Body, Link, Scene, Sphere, TriangleMesh, self_pairs


@pytest.mark.parametrize("seed", range(8))
def test_a_coherence_cache_changes_nothing(seed):
    """Pose after pose, by small steps and by leaps: the same pairs and the same clearances."""
    rng = np.random.default_rng(seed)
    skeleton, body = figures.chain(9, radius=0.3)
    modes = ["solid", "two_sided", "one_sided"]
    things = [TriangleMesh(*meshes.bumpy(rng), mode=mode) for mode in modes]
    things += [TriangleMesh(*meshes.grid(), mode=mode) for mode in ("auto", "two_sided", "one_sided")]
    things = [shape.moved(rotation(rng), 1.5 * rng.normal(size=3) + (0.0, 4.0, 0.0)) for shape in things]
    scene = Scene(skeleton, body, [*things, Sphere((0.5, 2.0, 0.0), 0.5)], self_pairs(skeleton, body))
    cache, q = scene.coherence_cache(), 0.3 * rng.normal(size=skeleton.n)
    for number in range(60):
        q = q + rng.normal(size=skeleton.n) * (0.3 if number % 20 == 19 else 0.01)
        pose = Pose.forward(skeleton, q)
        expected, near = scene.near(pose, 0.4), scene.near(pose, 0.4, cache=cache)
        for name in ("link", "obstacle", "other"):
            assert np.array_equal(getattr(near, name), getattr(expected, name))
        np.testing.assert_allclose(near.clearance, expected.clearance, atol=1e-12)
        np.testing.assert_allclose(near.jacobian(pose), expected.jacobian(pose), atol=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_a_motion_through_meshes_equals_brute_force(seed):
    """The figure goes by, along and through round, hollow and flat meshes, at some points faster or standing
    still, and as far as a little more or less at a time is asked about.
    """
    rng = np.random.default_rng(100 + seed)
    skeleton, body = figures.chain(5, radius=0.05)
    around = int(rng.integers(12, 40))
    things = [
        TriangleMesh(*meshes.bumpy(rng, around, around // 2), mode="solid"),
        TriangleMesh(*meshes.globe(around, around // 2), mode="one_sided").moved(np.eye(3), (0.5, 2.5, 0.0)),
        TriangleMesh(*meshes.grid(cells=int(rng.integers(1, 12))), mode="two_sided"),
        TriangleMesh(*meshes.box((0.4, 0.7, 0.3)), mode="solid"),
    ]
    things = [shape.moved(rotation(rng), rng.normal(size=3) + np.array([0.0, 2.0, 0.0])) for shape in things]
    scene = Scene(skeleton, body, things)
    cache = scene.coherence_cache()
    q, way = 0.5 * rng.normal(size=skeleton.n), rng.normal(size=skeleton.n)
    for number in range(80):
        if number % 10 == 9:
            way += 0.5 * rng.normal(size=skeleton.n)
        q = q + (0.0 if number % 31 == 30 else 0.03 if number % 17 == 16 else 0.003) * way
        pose, detect = Pose.forward(skeleton, q), 0.3 - 0.01 * (number % 3)
        near = scene.near(pose, detect, cache=cache)
        for k, shape in enumerate(scene.obstacles):
            a, b = body.segments(pose)
            inside = shape.nearest_segment(a, b, 2.0).distance
            corners = shape.geometry.corners @ shape.rotation.T + shape.translation
            pairs = np.repeat(np.arange(len(a)), len(corners)), np.tile(np.arange(len(corners)), len(a))
            brute = meshes.closest_to_segments(a[pairs[0]], b[pairs[0]], corners[pairs[1]])[0].reshape(
                len(a), -1
            )
            expected = np.where(inside < 0.0, inside, brute.min(1)) - body.radius
            rows = near.obstacle == k
            assert near.link[rows].tolist() == np.flatnonzero(expected < detect).tolist()
            np.testing.assert_allclose(near.clearance[rows], expected[near.link[rows]], atol=1e-12)


class Counting:
    """Counts the segments that a scene's meshes are asked."""

    def __init__(self, group):
        self.group, self.limited, self.asked = group, True, 0

    def segments(self, a, *rest):
        self.asked += len(a)
        return self.group.segments(a, *rest)


def counted(mesh, *, watched):
    """How many segments a mesh beside a chain is asked in twenty poses."""
    skeleton, body = figures.chain(9, radius=0.3)
    scene = Scene(skeleton, body, [mesh])
    scene.broad_phase.groups = [Counting(scene.broad_phase.groups[0])]
    cache = scene.coherence_cache() if watched else None
    for number in range(20):
        scene.near(Pose.forward(skeleton, np.full(skeleton.n, 1e-4 * number)), 0.4, cache=cache)
    return scene.broad_phase.groups[0].asked


def test_what_is_far_is_not_asked_again():
    vertices, faces = meshes.globe()
    disc = TriangleMesh(vertices * [0.1, 1.0, 1.0], faces, name="disc").moved(np.eye(3), (1.2, 4.0, 0.0))
    assert counted(disc, watched=True) < 0.7 * counted(disc, watched=False)


def test_a_globe_fills_the_ball_around_it_and_is_asked_only_where_it_is_near():
    """The corners of its box are nearer."""
    for gap, asked in ((0.71, False), (0.69, True)):
        globe = TriangleMesh(*meshes.globe(), name="globe").moved(np.eye(3), (1.0 + gap, 4.5, 0.0))
        assert (counted(globe, watched=False) > 0) == asked


def test_a_link_beside_a_ball_is_as_far_from_it_as_its_axis():
    skeleton = Skeleton([Joint("arm")])
    body = Body([Link("arm", (0, 0, 0), (0, 4.0, 0), 0.1)])
    broad = Scene(
        skeleton, body, [Sphere((1.5, 1.0, 0), 0.5, margin=0.2), Sphere((0, 6.0, 0), 0.5)]
    ).broad_phase
    places = body.places(Pose.forward(skeleton, skeleton.rest), np.zeros(1, int))
    np.testing.assert_allclose(broad.lower_bounds(places, np.arange(2)), [0.9, 1.4], atol=1e-6)
    assert broad.near(places, 0.8)[0].tolist() == [0]
