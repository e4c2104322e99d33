# SPDX-License-Identifier: GPL-3.0-or-later
"""Segments against segments, above all where they are degenerate: lattices make those the rule."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from zoo import ZOO, least_along

from ikmath.collision import Box, Capsule, Cylinder, HalfSpace, Rectangle, Sphere
from ikmath.collision.closest_points import closest_of_segments

lattice = st.tuples(*[st.integers(-2, 2)] * 3)


def oracle(a, b, c, d):
    """Distance of two segments: the crossing of the lines if it is inside both, else the best of the four
    ends."""

    def to_segment(p, u, v):
        w = v - u
        t = np.clip((p - u) @ w / (w @ w), 0, 1) if w @ w > 0 else 0.0
        return np.linalg.norm(u + t * w - p)

    best = min(to_segment(a, c, d), to_segment(b, c, d), to_segment(c, a, b), to_segment(d, a, b))
    x, y, r = b - a, d - c, c - a
    matrix = np.array([[x @ x, -x @ y], [-x @ y, y @ y]])
    if np.linalg.det(matrix) > 1e-9:
        s, t = np.linalg.solve(matrix, [x @ r, -y @ r])
        if 0 <= s <= 1 and 0 <= t <= 1:
            best = min(best, np.linalg.norm(a + s * x - c - t * y))
    return best


@settings(max_examples=400, deadline=None)
@given(lattice, lattice, lattice, lattice)
def test_lattice_segments(a, b, c, d):
    a, b, c, d = (np.array([p], float) for p in (a, b, c, d))
    s, t = closest_of_segments(a, b - a, c, d - c)
    assert 0 <= s[0] <= 1 and 0 <= t[0] <= 1
    found = np.linalg.norm(a + s[:, None] * (b - a) - c - t[:, None] * (d - c))
    assert abs(found - oracle(a[0], b[0], c[0], d[0])) < 1e-12


def test_random_and_nearly_parallel_segments(rng=None):
    rng = np.random.default_rng(3)
    a, b, c = rng.normal(size=(3, 3000, 3))
    d = rng.normal(size=(3000, 3))
    tilt = 10.0 ** rng.uniform(-16, 0, size=(1500, 1))
    d[:1500] = c[:1500] + rng.normal(size=(1500, 1)) * (b - a)[:1500] + tilt * rng.normal(size=(1500, 3))
    s, t = closest_of_segments(a, b - a, c, d - c)
    found = np.linalg.norm(a + s[:, None] * (b - a) - c - t[:, None] * (d - c), axis=-1)
    exact = np.array([oracle(*row) for row in zip(a, b, c, d, strict=True)])
    np.testing.assert_allclose(found, exact, atol=1e-9)


@pytest.mark.parametrize("scale", [2.0**-30, 2.0**20, 2.0**60])
def test_parallel_segments_of_any_size_without_a_warning(scale: float):
    """The products of parallel segments differ by rounding alone, of which the sign and size say nothing."""
    rng = np.random.default_rng(7)
    a, c, d = rng.normal(size=(3, 500, 3))
    e = d * rng.normal(size=(500, 1))
    with np.errstate(all="raise"):
        found = closest_of_segments(a * scale, d * scale, c * scale, e * scale)
    np.testing.assert_array_equal(found, closest_of_segments(a, d, c, e))


def test_parallel_overlap_is_met_in_its_middle():
    a, b = np.array([[0.0, 0, 0]]), np.array([[4.0, 0, 0]])
    c, d = np.array([[6.0, 1, 0]]), np.array([[2.0, 1, 0]])
    s, _ = closest_of_segments(a, b - a, c, d - c)
    np.testing.assert_allclose(s, 0.75)


def test_lattice_segments_against_every_shape():
    rng = np.random.default_rng(5)
    shapes = [
        Sphere((0, 0, 0), 1),
        HalfSpace((0, 0, 0), (0, 0, 1)),
        Rectangle((0, 0, 0), (1, 0, 0), (0, 1, 0)),
        Box((0, 0, 0), (2, 1, 3)),
        Cylinder((0, 0, -1), (0, 0, 1), 1),
        Capsule((0, 0, -1), (0, 0, 1), 1),
        Capsule((0, 0, 0), (0, 0, 0), 1),
    ]
    assert {shape.kind for shape in shapes} <= set(ZOO)
    a = rng.integers(-4, 5, size=(4000, 3)) / 2
    b = rng.integers(-4, 5, size=(4000, 3)) / 2
    for shape in shapes:
        answer = shape.nearest_segment(a, b)
        least = least_along(shape, a, b, 8)
        distance = np.maximum(answer.distance, 0) if shape.kind == "rectangle" else answer.distance
        assert (distance <= least + 1e-12).all(), shape.kind
        assert (least <= distance + np.linalg.norm(b - a, axis=-1) / 2**8 + 1e-12).all(), shape.kind
        assert np.isfinite(answer.point).all()
        np.testing.assert_allclose(np.linalg.norm(answer.normal, axis=-1), 1, atol=1e-12)


def test_depth_through_a_rectangle_is_the_shortest_way_out():
    """Against a search over directions for the shortest shift after which the segment is clear."""
    rng = np.random.default_rng(11)
    wall = Rectangle((0, 0, 0), (1.0, 0, 0), (0, 0.6, 0))
    directions = rng.normal(size=(4000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    met = 0
    for _ in range(60):
        a = rng.uniform(-1, 1, 3) * [1, 0.6, 1]
        b = rng.uniform(-1, 1, 3) * [1, 0.6, 1]
        depth = -wall.nearest_segment(a, b).distance
        if depth <= 1e-9:
            continue
        met += 1
        for share in (0.5, 0.9, 0.999):
            shift = share * depth * directions
            assert (wall.nearest_segment(a + shift, b + shift).distance <= 1e-12).all()
    assert met > 20


def test_a_bone_through_the_middle_is_pushed_sideways():
    """Where rounding leaves a difference of 1e-17, its direction means nothing."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        center, d = rng.normal(size=(2, 3))
        d /= np.linalg.norm(d)
        a, b = center - 0.7 * d, center + 0.9 * d
        axis = np.cross(d, rng.normal(size=3))
        for shape in (Sphere(center, 0.5), Capsule(center - axis, center + axis, 0.5)):
            answer = shape.nearest_segment(a, b)
            assert abs(answer.distance + 0.5) < 1e-12
            assert abs(answer.normal @ d) < 1e-9


def test_size_does_not_matter():
    """Millimetres or kilometres: the same answer in the other unit."""
    rng = np.random.default_rng(1)
    for name, entry in ZOO.items():
        if name == "mesh":
            continue
        shape = entry.make(rng)
        a, b = rng.normal(size=(2, 300, 3))
        answer = shape.nearest_segment(a, b)
        for unit in (1e-4, 1e4):
            fields = {key: unit * np.asarray(value) for key, value in vars(shape).items() if key in LENGTHS}
            if name == "half_space":
                fields["normal"] = shape.normal
            scaled = type(shape)(**fields).nearest_segment(unit * a, unit * b)
            np.testing.assert_allclose(scaled.distance / unit, answer.distance, atol=1e-9)


LENGTHS = {"center", "size", "radius", "origin", "axis_u", "axis_v", "a", "b"}
