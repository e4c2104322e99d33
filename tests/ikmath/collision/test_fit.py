# SPDX-License-Identifier: GPL-3.0-or-later
"""Capsules fitted to flesh whose shape is known."""

from __future__ import annotations

import numpy as np
import pytest
from zoo import capsule_surface, rotation

from ikmath import IkError
from ikmath.collision import Body, Capsule, Skin, fit_links
from ikmath.collision.body_fit import quantile


def skin_of(points, bone=0, weight=1.0):
    count = len(points)
    return Skin(points, np.arange(count), np.full(count, bone), np.full(count, weight))


def test_a_capsule_is_found_again(rng):
    turn, place = rotation(rng), rng.normal(size=3)
    true = Capsule((0.02, 0.1, -0.03), (0.02, 0.5, -0.03), 0.08)
    points = capsule_surface(true, rng, 5000) @ turn.T + place
    (link,) = fit_links(["arm"], turn[None], place[None], np.array([0.6]), skin_of(points), cover=1.0)
    assert link.joint == "arm"
    np.testing.assert_allclose(link.a, true.a, atol=0.005)
    np.testing.assert_allclose(link.b, true.b, atol=0.005)
    assert link.radius == pytest.approx(0.08, abs=0.005)
    Body([link])


def test_strays_and_small_weights_do_not_count(rng):
    true = Capsule((0, 0.1, 0), (0, 0.5, 0), 0.08)
    points = capsule_surface(true, rng, 2000)
    far = rng.normal(size=(50, 3)) * 3
    pose = np.eye(3)[None], np.zeros((1, 3)), np.array([0.6])
    clean = fit_links(["arm"], *pose, skin_of(points))[0]
    both = np.concatenate([points, far])
    weight = np.concatenate([np.ones(2000), np.full(50, 0.2)])
    some = fit_links(["arm"], *pose, Skin(both, np.arange(2050), np.zeros(2050, int), weight))[0]
    assert some == clean
    stray = fit_links(["arm"], *pose, skin_of(np.concatenate([points, far[:5]])))[0]
    assert stray.radius == pytest.approx(clean.radius, rel=0.05)


def test_bones_without_flesh_go_by_their_length():
    links = fit_links(["a", "b"], np.stack([np.eye(3)] * 2), np.zeros((2, 3)), np.array([0.5, 0.0]))
    assert links[0].radius == pytest.approx(0.05)
    np.testing.assert_allclose([links[0].a, links[0].b], [(0, 0.05, 0), (0, 0.45, 0)])
    assert links[1].radius == 0 and links[1].a == links[1].b
    few = skin_of(np.ones((3, 3)))
    assert fit_links(["a"], np.eye(3)[None], np.zeros((1, 3)), np.array([0.5]), few)[0] == links[0]


def test_a_short_thick_part_is_a_ball(rng):
    head = rng.normal(size=(3000, 3))
    head = 0.1 * head / np.linalg.norm(head, axis=1, keepdims=True) + [0, 0.12, 0.03]
    link = fit_links(["head"], np.eye(3)[None], np.zeros((1, 3)), np.array([0.2]), skin_of(head), cover=1)[0]
    np.testing.assert_allclose(link.a, (0, 0.12, 0.03), atol=0.01)
    np.testing.assert_allclose(link.a, link.b, atol=0.01)
    assert link.radius == pytest.approx(0.1, abs=0.005)


def test_weighted_quantiles():
    values, weight = np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0])
    assert quantile(values, weight, 0) == 1 and quantile(values, weight, 1) == 3
    assert quantile(values, weight, 0.5) == 2
    twice = np.array([3.0, 1.0, 2.0, 2.0])
    assert quantile(twice, np.ones(4), 0.3) == pytest.approx(quantile(values, weight, 0.3), abs=0.3)


def test_bad_input():
    with pytest.raises(IkError, match="cover"):
        fit_links(["a"], np.eye(3)[None], np.zeros((1, 3)), np.ones(1), cover=0)
    with pytest.raises(IkError, match="skin"):
        skin_of(np.full((2, 3), np.nan))
    with pytest.raises(IkError, match="length"):
        fit_links(["a"], np.eye(3)[None], np.zeros((1, 3)), np.zeros(2))
