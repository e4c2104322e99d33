# SPDX-License-Identifier: GPL-3.0-or-later
"""Thousands of obstacles, as in a scattered set: the same results, without looking at each of them."""

from __future__ import annotations

import tracemalloc

import figures
import numpy as np
import pytest

import ikmath as ik
from ikmath import Body, Link, Pose
from ikmath.collision import HalfSpace, Scene, Sphere, critical_points
from ikmath.solvers.collision_guard import CollisionGuard, is_free_path


def pebbles(rng, count, size=0.03, around=2.0):
    places = rng.uniform(-around, around, (count, 3))
    radii = rng.uniform(0.3, 1.0, count) * size
    margins = rng.choice([0.0, 0.01, -0.01], count)
    return [
        Sphere(place, radius, margin=margin, name=f"{k}")
        for k, (place, radius, margin) in enumerate(zip(places, radii, margins, strict=True))
    ]


def figure(rng):
    skeleton = figures.tree(rng)
    return skeleton, figures.body(rng, skeleton)


@pytest.mark.parametrize("seed", range(3))
def test_near_pairs_equal_those_of_each_obstacle_alone(seed):
    rng = np.random.default_rng(seed)
    skeleton, body = figure(rng)
    some = [*pebbles(rng, 800, around=1.2), HalfSpace((0.0, 0.0, -1.0), (0.0, 0.0, 1.0), name="floor")]
    pairs = [(0, 2), (1, 3)]
    scene = Scene(skeleton, body, some, pairs)
    poses = Pose.forward(skeleton, rng.normal(size=(4, skeleton.n)))
    near = scene.near(poses, 0.1)
    rows = zip(near.frame, near.link, near.names, near.clearance, strict=True)
    found = {(int(f), int(i), name): c for f, i, name, c in rows}
    for frame in range(4):
        pose = Pose.forward(skeleton, poses.q[frame])
        single = scene.near(pose, 0.1)
        alone = [critical_points(pose, body, [one], detect=0.1) for one in some]
        alone.append(critical_points(pose, body, (), pairs, detect=0.1))
        known = {
            (frame, int(i), name): c
            for one in alone
            for i, name, c in zip(one.link, one.names, one.clearance, strict=True)
        }
        assert len(single) == len(known) > 5
        here = {key: c for key, c in found.items() if key[0] == frame}
        assert here.keys() == known.keys()
        np.testing.assert_allclose([here[key] for key in known], list(known.values()), atol=1e-12)
        nearest = min(float(critical_points(pose, body, [one]).clearance.min()) for one in some)
        between = critical_points(pose, body, (), pairs).clearance.min()
        assert abs(float(scene.clearance(pose)) - min(nearest, between)) < 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_the_free_share_of_a_path_is_that_of_all_pairs(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    skeleton, body = figure(rng)
    some = pebbles(rng, 400, 0.02)
    target = ik.Position(skeleton.names[-1], (1.0, 0.0, 0.0))
    problem = ik.Problem(skeleton, [target], obstacles=some, body=body, self_pairs=[(0, 2), (1, 3)])
    guard = CollisionGuard(problem, problem.scene, problem.stack.metric)
    broad, shares = guard.pairs, []
    every = np.arange(len(broad.link))
    for _ in range(40):
        q = 0.5 * rng.normal(size=skeleton.n)
        way = rng.normal(size=skeleton.n) * rng.choice([0.003, 0.03, 0.3])
        old, new = guard.at(q), guard.at(q + way)
        share = guard.share(old, new)
        with monkeypatch.context() as patched:
            patched.setattr(broad, "near_path", lambda *_: every)
            whole = guard.share(old, new)
        assert min(share, 1.0) == min(whole, 1.0)
        looked_at = broad.near_path(old.places, new.places, guard.moved(old, new))
        shares.append((share, len(looked_at)))
    assert min(share for share, _ in shares) < 1.0 < max(share for share, _ in shares)
    assert np.median([count for _, count in shares]) < 0.2 * len(every)


def test_a_path_that_meets_one_of_many_is_not_free():
    skeleton = ik.Skeleton([ik.Joint("arm", turns="z")])
    body = Body([Link("arm", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.01)])
    ring = [Sphere((0.9 * np.cos(a), 0.9 * np.sin(a), 0.0), 0.005) for a in np.linspace(0.5, 5.5, 300)]
    problem = ik.Problem(skeleton, [ik.Position("arm", (1.0, 0.0, 0.0))], obstacles=ring, body=body)
    start = skeleton.rest
    turned = np.zeros((3, skeleton.n))
    turned[:, -1] = 0.45, 0.55, -0.95
    assert [is_free_path(problem, start, end) for end in turned] == [True, False, False]


def test_a_batch_among_thousands_needs_little_memory():
    rng = np.random.default_rng(5)
    skeleton, body = figure(rng)
    scene = Scene(skeleton, body, pebbles(rng, 4000, 0.005))
    poses = Pose.forward(skeleton, rng.normal(size=(64, skeleton.n)))
    tracemalloc.start()
    scene.near(poses, 0.01)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    pairs = 64 * 4000 * len(body)
    assert most < 24 * pairs, f"{most / 1e6:.0f} MB: a gap (3,) for each pair is {24 * pairs / 1e6:.0f}"
