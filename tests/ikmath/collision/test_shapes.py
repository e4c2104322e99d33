# SPDX-License-Identifier: GPL-3.0-or-later
"""What every shape promises: distances against brute force, normals against finite differences, batches,
motion."""

from __future__ import annotations

import meshes
import numpy as np
import pytest
from zoo import ZOO, least_along, rotation

from ikmath.collision import SHAPES, Box, TriangleMesh
from ikmath.errors import IkError


def test_every_registered_shape_is_in_the_zoo():
    assert set(ZOO) == set(SHAPES)
    for name, shape in SHAPES.items():
        assert shape.kind == name and shape.label and shape.description and shape.source


def test_points_against_the_covered_surface(entry, rng):
    for _ in range(entry.scenes):
        shape = entry.make(rng)
        surface = entry.surface(shape, rng, 20000)
        points = rng.normal(scale=1.5, size=(40, 3))
        answer = shape.nearest(points)
        brute = np.linalg.norm(points[:, None] - surface, axis=-1).min(1)
        assert (np.abs(answer.distance) <= brute + 1e-12).all()
        assert (brute <= np.abs(answer.distance) + 0.15).all()
        # the nearest point is on the surface and explains the distance
        np.testing.assert_allclose(shape.nearest(answer.point).distance, 0, atol=1e-12)
        np.testing.assert_allclose(
            points - answer.distance[:, None] * answer.normal, answer.point, atol=1e-12
        )
        np.testing.assert_allclose(np.linalg.norm(answer.normal, axis=-1), 1, atol=1e-12)


def test_inside_is_negative(entry, rng):
    for _ in range(entry.scenes):
        shape = entry.make(rng)
        surface = entry.surface(shape, rng, 2000)
        normal = shape.nearest(surface + 1e-3 * rng.normal(size=surface.shape)).normal
        step = 1e-6
        assert (shape.nearest(surface + step * normal).distance > -1e-9).all()
        below = shape.nearest(surface - step * normal).distance
        assert (below < 1e-9).all() if entry.solid else (below >= 0).all()


def test_segments_against_points_on_them(entry, rng):
    for _ in range(entry.scenes):
        shape = entry.make(rng)
        a, b = rng.normal(scale=1.5, size=(2, 30, 3))
        answer = shape.nearest_segment(a, b)
        size = np.linalg.norm(b - a, axis=-1)
        spacing, least = size / 2**11, least_along(shape, a, b, 11)
        # what passes through a wall is as deep as its way back is long
        thin = least > -1e-3 * size if entry.depth_error else np.zeros(30, bool)
        through = (answer.distance < 0) & (thin if entry.solid else True)
        free = ~through
        slack = np.where(answer.distance < 0, entry.depth_error * size, 0)
        assert (answer.distance[free] <= least[free] + slack[free] + 1e-10).all()
        assert (least[free] <= answer.distance[free] + spacing[free]).all()
        assert (answer.distance[through] <= least[through]).all()
        assert (least[through] <= spacing[through]).all()
        critical = a + answer.parameter[:, None] * (b - a)
        np.testing.assert_allclose(
            critical - answer.distance[:, None] * answer.normal, answer.point, atol=1e-12
        )
        np.testing.assert_allclose(np.linalg.norm(answer.normal, axis=-1), 1, atol=1e-9)
        assert ((answer.parameter >= 0) & (answer.parameter <= 1)).all()
        np.testing.assert_allclose(shape.nearest(critical[free]).distance, answer.distance[free], atol=1e-9)


def test_moving_along_the_normal_ends_a_penetration(entry, rng):
    """At least at the critical point; for convex shapes moving the segment by the depth must not go
    deeper."""
    met = 0
    for _ in range(4 * entry.scenes):
        shape = entry.make(rng)
        a, b = rng.normal(scale=0.8, size=(2, 30, 3))
        answer = shape.nearest_segment(a, b)
        deep = answer.distance < -1e-6
        met += deep.sum()
        shift = (-answer.distance[:, None] * answer.normal)[deep]
        after = shape.nearest_segment(a[deep] + shift, b[deep] + shift)
        if not entry.solid:
            assert (after.distance > -1e-9).all()
        if entry.convex:
            assert (after.distance >= answer.distance[deep] - 1e-9).all()
        critical = (a + answer.parameter[:, None] * (b - a))[deep] + shift
        assert (shape.nearest(critical).distance >= -1e-9).all()
    assert met > 30


def test_normal_is_the_gradient(entry, rng):
    step = 1e-6
    for _ in range(entry.scenes):
        shape = entry.make(rng)
        points = rng.normal(scale=1.5, size=(40, 3))
        a, b = rng.normal(scale=1.5, size=(2, 40, 3))
        deepest = a + shape.nearest_segment(a, b).parameter[:, None] * (b - a)
        # inside, the deepest point may sit on a ridge between two features: no gradient there
        ridge = np.zeros(40, bool)
        for side in (-1e-6, 1e-6):
            near = shape.nearest(deepest + side * (b - a)).normal
            ridge |= np.abs(near - shape.nearest_segment(a, b).normal).max(-1) > 1e-3
        if not entry.convex:
            ridge |= shape.nearest_segment(a, b).distance < 0
        for ask, places, sharp in (
            (shape.nearest, (points,), np.zeros(40, bool)),
            (shape.nearest_segment, (a, b), ridge & entry.solid),
        ):
            here = ask(*places)
            sides = [
                [ask(*(place + side * e for place in places)) for side in (step, -step)] for e in np.eye(3)
            ]
            gradient = np.stack([(up.distance - down.distance) / (2 * step) for up, down in sides], -1)
            smooth = ~sharp
            for up, down in sides:  # not across an edge between two features
                smooth &= np.abs(up.normal - here.normal).max(-1) < 1e-3
                smooth &= np.abs(down.normal - here.normal).max(-1) < 1e-3
            assert smooth.sum() > 20
            np.testing.assert_allclose(gradient[smooth], here.normal[smooth], atol=2e-5)


def test_batch_equals_loop_and_changes_no_input(entry, rng):
    shape = entry.make(rng)
    a, b = rng.normal(size=(2, 2, 3, 4, 3))
    a0, b0 = a.copy(), b.copy()
    points, segments = shape.nearest(a), shape.nearest_segment(a, b)
    assert points.point.shape == a.shape and segments.parameter.shape == a.shape[:-1]
    for where in np.ndindex(2, 3, 4):
        one, two = shape.nearest(a[where]), shape.nearest_segment(a[where], b[where])
        for field in ("distance", "point", "normal"):
            np.testing.assert_allclose(getattr(one, field), getattr(points, field)[where], atol=1e-12)
            np.testing.assert_allclose(getattr(two, field), getattr(segments, field)[where], atol=1e-12)
    np.testing.assert_array_equal(a, a0)
    np.testing.assert_array_equal(b, b0)
    assert shape.nearest(np.zeros((0, 3))).distance.shape == (0,)
    assert shape.nearest_segment(np.zeros((0, 3)), np.zeros((0, 3))).distance.shape == (0,)


def test_a_moved_shape_answers_as_if_the_world_had_moved(entry, rng):
    shape = entry.make(rng)
    turns = np.stack([rotation(rng) for _ in range(4)])
    shifts = rng.normal(size=(4, 3))
    a, b = rng.normal(size=(2, 4, 5, 3))
    moving = shape.moved(turns, shifts)
    assert moving.frames == (4,) and shape.frames == ()
    points, segments = moving.nearest(a), moving.nearest_segment(a, b)
    for frame in range(4):
        turn, shift = turns[frame], shifts[frame]
        still = shape.nearest((a[frame] - shift) @ turn)
        np.testing.assert_allclose(points.distance[frame], still.distance, atol=1e-12)
        np.testing.assert_allclose(points.point[frame], still.point @ turn.T + shift, atol=1e-12)
        np.testing.assert_allclose(points.normal[frame], still.normal @ turn.T, atol=1e-12)
        alone = moving.at(frame).nearest_segment(a[frame], b[frame])
        np.testing.assert_allclose(segments.distance[frame], alone.distance, atol=1e-12)
        np.testing.assert_allclose(segments.normal[frame], alone.normal, atol=1e-12)
    # carried twice, and one point asked in all frames
    twice = shape.moved(turns[0], shifts[0]).moved(turns[1], shifts[1])
    point = rng.normal(size=3)
    np.testing.assert_allclose(
        twice.nearest(point).distance,
        shape.nearest(turns[0].T @ (turns[1].T @ (point - shifts[1]) - shifts[0])).distance,
        atol=1e-12,
    )
    assert moving.nearest(point).distance.shape == (4,)


def test_bounds_hold_the_surface(entry, rng):
    for _ in range(entry.scenes):
        shape = entry.make(rng)
        moved = shape.moved(rotation(rng), rng.normal(size=3))
        center, radius = moved.bounds
        surface = entry.surface(shape, rng, 500) @ moved.rotation.T + moved.translation
        assert (np.linalg.norm(surface - center, axis=-1) <= radius + 1e-9).all()


def test_a_segment_of_no_length_is_a_point(entry, rng):
    shape = entry.make(rng)
    points = rng.normal(size=(50, 3))
    np.testing.assert_allclose(
        shape.nearest_segment(points, points).distance, shape.nearest(points).distance, atol=1e-9
    )


def test_bad_input_names_what_is_wrong(entry, rng):
    shape = entry.make(rng)
    with pytest.raises(IkError, match=shape.name):
        shape.moved(2 * np.eye(3), np.zeros(3))
    with pytest.raises(IkError, match=shape.name):
        shape.moved(np.eye(3), [np.nan, 0, 0])
    with pytest.raises(IkError, match=shape.name):
        shape.nearest([1.0, 2.0])
    with pytest.raises(AttributeError):
        shape.name = "other"


def test_a_turned_box_is_the_box_of_a_mesh(rng):
    """Also where the segment passes through, lies along an edge, or is a point on a corner."""
    turn = rotation(rng)
    box = Box((0.0, 0.0, 0.0), (2.0, 2.0, 2.0), rotation=turn, translation=(1.0, 2.0, 3.0))
    corners, faces = meshes.box()
    mesh = TriangleMesh(corners @ turn.T + box.translation, faces, mode="solid")
    lattice = rng.integers(-4, 5, size=(2, 600, 3)) / 2.0
    a, b = lattice @ turn.T + box.translation
    near, other = box.nearest_segment(a, b), mesh.nearest_segment(a, b)
    outside = other.distance > 1e-9
    np.testing.assert_allclose(near.distance[outside], other.distance[outside], atol=1e-9)
    depth_error = np.linalg.norm(b - a, axis=-1) / 32  # of the mesh, which samples depths
    assert (np.abs(near.distance - other.distance) <= depth_error + 1e-9)[~outside].all()
