# SPDX-License-Identifier: GPL-3.0-or-later
"""Asking pose after pose with what is known from before gives the same answers as without."""

from __future__ import annotations

import figures
import meshes
import numpy as np
import pytest
from zoo import rotation

from ikmath import Pose
from ikmath.collision import Scene, Sphere, TriangleMesh, self_pairs
from ikmath.collision.broad_phase import GroupRange
from ikmath.collision.bvh_culling import BvhCulling
from ikmath.collision.coherence_cache import CoherenceCache
from ikmath.collision.triangles import closest_to_segments


@pytest.mark.parametrize("closely", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_a_coherence_cache_changes_nothing(seed, closely):
    """Pose after pose, by small steps and by leaps: the same pairs and the same clearances."""
    rng = np.random.default_rng(seed)
    skeleton, body = figures.chain(9, radius=0.3)
    modes = ["solid", "two_sided", "one_sided"]
    things = [TriangleMesh(*meshes.bumpy(rng), mode=mode) for mode in modes]
    things += [TriangleMesh(*meshes.grid(), mode=mode) for mode in ("auto", "two_sided", "one_sided")]
    things = [shape.moved(rotation(rng), 1.5 * rng.normal(size=3) + (0.0, 4.0, 0.0)) for shape in things]
    scene = Scene(skeleton, body, [*things, Sphere((0.5, 2.0, 0.0), 0.5)], self_pairs(skeleton, body))
    cache, q = scene.coherence_cache(steady=closely), 0.3 * rng.normal(size=skeleton.n)
    for number in range(60):
        q = q + rng.normal(size=skeleton.n) * (0.3 if number % 20 == 19 else 0.01)
        pose = Pose.forward(skeleton, q)
        expected, near = scene.near(pose, 0.4), scene.near(pose, 0.4, cache=cache)
        for name in ("link", "obstacle", "other"):
            assert np.array_equal(getattr(near, name), getattr(expected, name))
        np.testing.assert_allclose(near.clearance, expected.clearance, atol=1e-12)
        np.testing.assert_allclose(near.jacobian(pose), expected.jacobian(pose), atol=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_going_on_steadily_among_few_triangles(seed, monkeypatch):
    """What is near is sought among what was near, in most poses; the answers are those of brute force.

    The figure goes by, along and through round, hollow and flat meshes, at some points faster or standing
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
    asked, within = [], BvhCulling.within
    monkeypatch.setattr(BvhCulling, "within", lambda *args: asked.append(1) or within(*args))
    cache, q, way = (
        scene.coherence_cache(steady=True),
        0.5 * rng.normal(size=skeleton.n),
        rng.normal(size=skeleton.n),
    )
    sought = 0
    for number in range(80):
        if number % 10 == 9:
            way += 0.5 * rng.normal(size=skeleton.n)
        q = q + (0.0 if number % 31 == 30 else 0.03 if number % 17 == 16 else 0.003) * way
        pose, detect = Pose.forward(skeleton, q), 0.3 - 0.01 * (number % 3)
        asked.clear()
        near = scene.near(pose, detect, cache=cache)
        sought += len(asked)
        for k, shape in enumerate(scene.obstacles):
            a, b = body.segments(pose)
            inside = shape.nearest_segment(a, b, 2.0).distance
            corners = shape.geometry.corners @ shape.rotation.T + shape.translation
            pairs = np.repeat(np.arange(len(a)), len(corners)), np.tile(np.arange(len(corners)), len(a))
            brute = closest_to_segments(a[pairs[0]], b[pairs[0]], corners[pairs[1]])[0].reshape(len(a), -1)
            expected = np.where(inside < 0.0, inside, brute.min(1)) - body.radius
            rows = near.obstacle == k
            assert near.link[rows].tolist() == np.flatnonzero(expected < detect).tolist()
            np.testing.assert_allclose(near.clearance[rows], expected[near.link[rows]], atol=1e-12)
    assert sought < 60


@pytest.mark.parametrize("seed", range(3))
def test_a_fine_ball_is_not_sought_in_every_pose(seed, monkeypatch):
    """The triangles are much smaller than the steps, and those that may be next too many to be kept all."""
    rng = np.random.default_rng(seed)
    skeleton, body = figures.chain(9, radius=0.02)
    ball = TriangleMesh(*meshes.globe(64, 32)).moved(rotation(rng), (1.6, 4.0, 0.0))
    scene = Scene(skeleton, body, [ball])
    asked, within = [], BvhCulling.within
    monkeypatch.setattr(BvhCulling, "within", lambda *args: asked.append(1) or within(*args))
    cache, q = scene.coherence_cache(steady=True), 0.1 * rng.normal(size=skeleton.n)
    way = rng.normal(size=skeleton.n)
    corners = ball.geometry.corners @ ball.rotation.T + ball.translation
    most = 0
    for number in range(40):
        pose = Pose.forward(skeleton, q + 0.004 * number * way)
        near = scene.near(pose, 1.2, cache=cache)
        a, b = (ends.repeat(len(corners), 0) for ends in body.segments(pose))
        brute = closest_to_segments(a, b, np.tile(corners, (len(body), 1, 1)))[0].reshape(len(body), -1)
        least = brute.min(1) - body.radius
        assert near.link.tolist() == np.flatnonzero(least < 1.2).tolist()
        np.testing.assert_allclose(near.clearance, least[near.link], atol=1e-12)
        most = max(most, len(near))
    assert most > 2
    assert len(asked) < 24


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
        scene.broad_phase.groups = [GroupRange(0, 1, Counting(scene.broad_phase.groups[0].group))]
        cache = scene.coherence_cache() if watched else None
        for number in range(20):
            scene.near(Pose.forward(skeleton, np.full(skeleton.n, 1e-4 * number)), 0.4, cache=cache)
        counts.append(scene.broad_phase.groups[0].group.asked)
    assert counts[1] < 0.7 * counts[0]


def test_what_comes_near_soon_is_asked_with_what_is_near(monkeypatch):
    """A quick part that comes into reach beside one that is near and hardly moves."""
    skeleton, body = figures.chain(2, radius=0.05)
    scene = Scene(skeleton, body, [TriangleMesh(*meshes.globe(24, 12))])
    cache, refresh, calls = scene.coherence_cache(steady=True), CoherenceCache._refresh, []
    monkeypatch.setattr(CoherenceCache, "_refresh", lambda *args: calls.append(1) or refresh(*args))
    upright, across = (
        np.array([[0.0, -0.2, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.0]]),
        np.array([1.0, 0.0, 0.0]),
    )
    for number in range(60):
        slow, quick = upright - (1.2 + 1e-4 * number) * across, upright + (2.0 - 0.01 * number) * across
        places = np.stack([slow, quick])
        near = scene.near_places(places, 0.5, cache=cache)
        assert near.link.tolist() == scene.near_places(places, 0.5).link.tolist()
        np.testing.assert_allclose(near.clearance, scene.near_places(places, 0.5).clearance, atol=1e-12)
    assert near.link.tolist() == [0, 1]
    assert len(calls) < 12
