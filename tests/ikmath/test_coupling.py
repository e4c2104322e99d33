# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates that follow others."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import ikmath as ik
from ikmath.solvers.search import scattered

FOLLOWS = {"b": ik.Mimic("a", -0.5, 0.2), "d": ik.Mimic("b", 2.0, -0.1)}


def _chain(**changes):
    """Five hinges of length one; b follows a, and d follows b."""
    parts = []
    for name, parent in zip("abcde", (None, *"abcd"), strict=True):
        options = {"lower": -2.0, "upper": 2.0, "mimic": FOLLOWS.get(name), **changes.get(name, {})}
        place = (0, 1, 0) if parent else (0, 0, 0)
        parts.append(ik.Joint(name, parent, translation=place, turns="z" if name != "c" else "x", **options))
    return ik.Skeleton([*parts, ik.Joint("tip", "e", translation=(0, 1, 0), turns="")])


def _is_coupled(skeleton, q):
    a, b, _, d, _ = np.moveaxis(q, -1, 0)
    return np.allclose(b, 0.2 - 0.5 * a, atol=1e-12) and np.allclose(d, 2.0 * b - 0.1, atol=1e-12)


def test_followers_narrow_their_leader():
    skeleton = _chain(b={"lower": -0.1})
    assert skeleton.upper[0] == pytest.approx(0.6) and skeleton.lower[0] == pytest.approx(-1.7)
    assert _is_coupled(skeleton, skeleton.rest)
    assert _is_coupled(skeleton, skeleton.project(np.random.default_rng(0).normal(size=(7, 5))))
    with pytest.raises(ik.BadValue, match="lower limit above its upper"):
        _chain(b={"lower": 1.9})


@pytest.mark.parametrize("seed", range(8))
def test_solves_keep_them_together(seed):
    skeleton, rng = _chain(), np.random.default_rng(seed)
    q = skeleton.project(rng.uniform(-2, 2, 5))
    pose = ik.Pose.forward(skeleton, q)
    solution = ik.solve(ik.Problem(skeleton, [ik.Position("tip", pose.point("tip"))]), rng.normal(size=5))
    assert solution.status is ik.Status.REACHED and _is_coupled(skeleton, solution.q)
    assert (solution.q >= skeleton.lower - 1e-9).all() and (solution.q <= skeleton.upper + 1e-9).all()


@pytest.mark.parametrize("posture", [False, True])
def test_out_of_reach_the_pose_is_the_nearest_one_of_those(posture):
    skeleton, target = _chain(), np.array([5.0, 3.0, 1.0])
    own = skeleton.rest if posture else None
    solution = ik.solve(ik.Problem(skeleton, [ik.Position("tip", target)], posture=own))
    rng = np.random.default_rng(1)
    q = skeleton.project(rng.uniform(-2, 2, (20000, 5)))
    for size in (0.1, 0.01, 0.001):  # a random search from the best poses on
        far = np.linalg.norm(ik.Pose.forward(skeleton, q).point("tip") - target, axis=-1)
        q = q[far.argsort()[:20]].repeat(500, 0)
        q = skeleton.project(q + size * rng.normal(size=q.shape))
    best = np.linalg.norm(ik.Pose.forward(skeleton, q).point("tip") - target, axis=-1).min()
    assert _is_coupled(skeleton, solution.q)
    assert solution.errors[0] <= best + 1e-4


def test_tracks_obstacles_starts_and_copies_keep_them_together():
    skeleton = _chain()
    targets = np.linspace((1.0, 3.5, 0.5), (-2.0, 3.0, 1.0), 12)
    track = ik.solve_track(ik.Problem(skeleton, [ik.Position("tip", targets)]))
    assert _is_coupled(skeleton, track.q)
    body = ik.Body([ik.Link("e", (0, 0, 0), (0, 1, 0), 0.05)])
    ball = ik.Sphere(ik.Pose.forward(skeleton, skeleton.rest).point("tip"), 0.3)
    scene = ik.Problem(skeleton, [ik.Position("tip", (1.0, 3.5, 0.5))], obstacles=[ball], body=body)
    assert _is_coupled(skeleton, ik.solve(scene).q)
    assert _is_coupled(skeleton, scattered(scene, skeleton.rest, np.random.default_rng(0), 9))
    again = pickle.loads(pickle.dumps(skeleton))
    narrow = skeleton.with_limits(-np.ones(5), np.ones(5))
    assert _is_coupled(again, again.rest) and _is_coupled(narrow, narrow.rest)


def test_what_is_wrong_is_named():
    for changes, message in (
        ({"b": {"mimic": ik.Mimic("z")}}, "no joint 'z'"),
        ({"a": {"mimic": ik.Mimic("d")}}, "follows itself"),
        ({"b": {"mimic": "a"}}, "mimic of joint 'b'"),
    ):
        with pytest.raises(ik.IkError, match=message):
            _chain(**changes)
    with pytest.raises(ik.BadValue, match="multiplier of the joint that mimics 'a' is zero; lock the joint"):
        ik.Mimic("a", 0.0)
    with pytest.raises(ik.BadValue, match="offset of the joint that mimics 'a' is '1'; give a finite number"):
        ik.Mimic("a", offset="1")
    with pytest.raises(ik.BadValue, match="'b' leads or follows; give it one coordinate"):
        ik.Skeleton([ik.Joint("a", turns="x"), ik.Joint("b", "a", turns="xy", mimic=ik.Mimic("a"))])
    with pytest.raises(ik.BadValue, match="multiplier"):
        ik.Mimic("a", 0.0)
    with pytest.raises(ik.NotSupported, match="mimic"):
        ik.solve(ik.Problem(_chain(), [ik.Position("tip", (1, 1, 1))]), method="damped")
