# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes: the tree against brute force, and everything that a real mesh has wrong."""

from __future__ import annotations

import meshes
import numpy as np
import pytest
from zoo import least_along

from ikmath import IkError
from ikmath.collision import TriangleMesh
from ikmath.collision.bvh import Bvh
from ikmath.collision.nearest_triangle import nearest_to_segments


def plain_point(p, corners):
    """Closest point of one triangle, after Ericson 5.1.5: by regions, in plain Python."""
    a, b, c = corners
    ab, ac, ap = b - a, c - a, p - a
    d1, d2 = ab @ ap, ac @ ap
    if d1 <= 0 and d2 <= 0:
        return a
    bp = p - b
    d3, d4 = ab @ bp, ac @ bp
    if d3 >= 0 and d4 <= d3:
        return b
    vc = d1 * d4 - d3 * d2
    if vc <= 0 <= d1 and d3 <= 0:
        return a + d1 / (d1 - d3) * ab
    cp = p - c
    d5, d6 = ab @ cp, ac @ cp
    if d6 >= 0 and d5 <= d6:
        return c
    vb = d5 * d2 - d1 * d6
    if vb <= 0 <= d2 and d6 <= 0:
        return a + d2 / (d2 - d6) * ac
    va = d3 * d6 - d5 * d4
    if va <= 0 and d4 >= d3 and d5 >= d6:
        return b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b)
    return a + (vb * ab + vc * ac) / (va + vb + vc)


def test_points_on_single_triangles(rng):
    corners = rng.normal(size=(2000, 3, 3))
    corners[:200, 2] = corners[:200, 1] + 1e-9 * rng.normal(size=(200, 3))  # needles
    points = rng.normal(size=(2000, 3)) * 1.5
    distance, _, point, _, _ = meshes.closest_to_segments(points, points, corners)
    for i in range(2000):
        assert distance[i] == pytest.approx(
            np.linalg.norm(points[i] - plain_point(points[i], corners[i])), abs=1e-8
        )
    np.testing.assert_allclose(np.linalg.norm(points - point, axis=1), distance, atol=1e-12)


def test_segments_on_single_triangles_against_a_search(rng):
    """Against bounded minimisation over segment and triangle, which is a convex problem."""
    from scipy.optimize import minimize

    for _ in range(60):
        corners = rng.normal(size=(3, 3))
        a, b = rng.normal(size=(2, 3)) * 1.2
        distance, t, point, _, through = meshes.closest_to_segments(a[None], b[None], corners[None])

        def gap(x, a=a, b=b, corners=corners):
            inner = np.array([1 - x[1], x[1] * (1 - x[2]), x[1] * x[2]])
            return ((a + x[0] * (b - a) - inner @ corners) ** 2).sum()

        best = min(minimize(gap, start, bounds=[(0, 1)] * 3).fun for start in rng.random((6, 3)))
        assert distance[0] <= np.sqrt(best) + 1e-9
        if not through[0]:
            np.testing.assert_allclose(np.linalg.norm(a + t[0] * (b - a) - point[0]), distance[0], atol=1e-12)
            assert np.sqrt(best) <= distance[0] + 1e-4


def test_lattice_segments_on_lattice_triangles():
    """Coplanar, touching and degenerate ones are the rule here; the oracle samples the segment densely."""
    rng = np.random.default_rng(1)
    corners = rng.integers(-2, 3, size=(3000, 3, 3)).astype(float)
    a, b = rng.integers(-2, 3, size=(2, 3000, 3)).astype(float)
    distance, t, point, _, _ = meshes.closest_to_segments(a, b, corners)
    places = a[:, None] + np.linspace(0, 1, 61)[:, None] * (b - a)[:, None]
    places = places.reshape(-1, 3)
    sampled = meshes.closest_to_segments(places, places, np.repeat(corners, 61, 0))[0].reshape(-1, 61).min(1)
    assert (distance <= sampled + 1e-12).all()
    assert (sampled <= distance + np.linalg.norm(b - a, axis=1) / 120 + 1e-12).all()
    np.testing.assert_allclose(np.linalg.norm(a + t[:, None] * (b - a) - point, axis=1), distance, atol=1e-12)


def soup(rng, count):
    """Triangles of all sizes, some of no extent, some twice."""
    corners = rng.normal(size=(count, 1, 3)) + 10.0 ** rng.uniform(-3, 0, (count, 1, 1)) * rng.normal(
        size=(count, 3, 3)
    )
    corners[::17] = corners[::17, :1]
    corners[1::17] = (
        corners[2::17][: len(corners[1::17])]
        if len(corners[2::17]) == len(corners[1::17])
        else corners[1::17]
    )
    return corners


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 64, 65, 513, 3000])
def test_tree_equals_brute_force(rng, count):
    corners = soup(rng, count)
    tree = Bvh.build(corners)
    a, b = rng.normal(size=(2, 60, 3)) * 1.5
    b[:10] = a[:10]
    free = np.full(60, np.inf)
    pairs = np.repeat(np.arange(60), count)
    every = np.tile(corners, (60, 1, 1))
    brute = meshes.closest_to_segments(a[pairs], a[pairs], every)[0].reshape(60, count).min(1)
    hit = nearest_to_segments(tree, a, a, free)
    np.testing.assert_allclose(hit.distance, brute, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(a - hit.point, axis=1), brute, atol=1e-12)
    brute_segments = meshes.closest_to_segments(a[pairs], b[pairs], every)[0].reshape(60, count).min(1)
    hit = nearest_to_segments(tree, a, b, free)
    np.testing.assert_allclose(hit.distance, brute_segments, atol=1e-12)
    np.testing.assert_allclose(
        np.linalg.norm(a + hit.parameter[:, None] * (b - a) - hit.point, axis=1), brute_segments, atol=1e-9
    )
    for cut in (0.05, 0.3, 1.0):
        limited = nearest_to_segments(tree, a, b, np.full(60, cut))
        near = brute_segments <= cut
        np.testing.assert_allclose(limited.distance[near], brute_segments[near], atol=1e-12)
        assert np.isinf(limited.distance[~near]).all() and (limited.row[~near] == -1).all()
        limited = nearest_to_segments(tree, a, a, np.full(60, cut))
        np.testing.assert_allclose(limited.distance[brute <= cut], brute[brute <= cut], atol=1e-12)
        assert np.isinf(limited.distance[brute > cut]).all()


def test_a_forest_equals_its_trees(rng):
    soups = [soup(rng, count) for count in (3, 90, 700)]
    trees = [Bvh.build(corners) for corners in soups]
    forest = Bvh.side_by_side(trees)
    a, b = rng.normal(size=(2, 50, 3))
    root = rng.integers(0, 3, 50)
    hit = nearest_to_segments(forest, a, b, np.full(50, np.inf), root)
    for k, tree in enumerate(trees):
        mine = root == k
        alone = nearest_to_segments(tree, a[mine], b[mine], np.full(mine.sum(), np.inf))
        np.testing.assert_allclose(hit.distance[mine], alone.distance, atol=1e-12)


def test_far_from_the_origin(rng):
    """The tree's slack grows with the coordinates as rounding does."""
    corners = soup(rng, 500)
    a, b = rng.normal(size=(2, 40, 3))
    far = np.array([3e4, -2e4, 5e4])
    near = nearest_to_segments(Bvh.build(corners), a, b, np.full(40, np.inf)).distance
    moved = nearest_to_segments(Bvh.build(corners + far), a + far, b + far, np.full(40, np.inf)).distance
    np.testing.assert_allclose(moved, near, atol=1e-9)


def test_limit_never_makes_an_inside_free(rng):
    mesh = TriangleMesh(*meshes.globe(40, 20))
    near = mesh.nearest_segment((0, 0, 0), (0.1, 0, 0), limit=0.05)
    assert near.distance < -0.9
    assert mesh.nearest((0, 0, 0), limit=0.05).distance < -0.9
    away = mesh.nearest([[3.0, 0, 0], [0.99, 0.99, 0.99]], limit=0.05)
    assert np.isinf(away.distance).all() and np.isnan(away.point).all() and (away.normal == 0).all()


def test_one_sided_ground():
    ground = TriangleMesh(*meshes.grid(), mode="one_sided", name="ground")
    answer = ground.nearest([[0.1, 0.2, 0.3], [0.1, 0.2, -0.3], [1.5, 0, -0.3], [1.5, 0, 0.3]])
    np.testing.assert_allclose(answer.distance[:2], [0.3, -0.3])
    np.testing.assert_allclose(answer.normal[:2], [[0, 0, 1], [0, 0, 1]], atol=1e-12)
    assert (answer.distance[2:] > 0.5).all()  # beyond the rim there is nothing to be behind of
    foot = ground.nearest_segment((0, 0, 0.2), (0.05, 0, -0.1))
    assert foot.distance == pytest.approx(-0.1) and foot.parameter == 1.0
    np.testing.assert_allclose(foot.normal, [0, 0, 1], atol=1e-12)
    sunk = ground.nearest_segment((0, 0, -0.1), (0.3, 0, -0.2))
    assert sunk.distance == pytest.approx(-0.2, abs=0.01)
    np.testing.assert_allclose(sunk.normal, [0, 0, 1], atol=1e-12)


def test_two_sided_sheet():
    sheet = TriangleMesh(*meshes.grid(), mode="two_sided")
    answer = sheet.nearest([[0.1, 0.2, 0.3], [0.1, 0.2, -0.3]])
    np.testing.assert_allclose(answer.distance, [0.3, 0.3])
    np.testing.assert_allclose(answer.normal, [[0, 0, 1], [0, 0, -1]], atol=1e-12)
    for sign in (1, -1):
        through = sheet.nearest_segment((0.03, 0.01, 0.5 * sign), (0.1, 0.02, -0.1 * sign))
        assert through.distance == pytest.approx(-0.1)
        np.testing.assert_allclose(through.normal, [0, 0, sign], atol=1e-12)
        assert through.parameter == 1.0
        after = sheet.nearest_segment((0.03, 0.01, 0.6 * sign), (0.1, 0.02, 0.0))
        assert after.distance == pytest.approx(0, abs=1e-12)


def test_thin_solid_wall_is_not_missed():
    wall = TriangleMesh(*meshes.box((1, 1, 1e-5)), name="wall")
    through = wall.nearest_segment((0, 0, 0.7), (0.1, 0.1, -0.2))
    assert through.distance < -0.19
    np.testing.assert_allclose(np.abs(through.normal), [0, 0, 1], atol=1e-12)


def test_inside_a_hollow_of_long_triangles_against_all_of_them(rng):
    """Balls around long triangles leave all of them; their planes tell which are nearest."""
    turn = np.linspace(0.0, 2.0 * np.pi, 33)[:-1]
    ring = np.stack([np.cos(turn), np.sin(turn)], 1)
    low, high = (np.column_stack([ring, np.full(32, z)]) for z in (-9.0, 9.0))
    near, far = np.arange(32), np.roll(np.arange(32), -1)
    faces = np.concatenate([np.stack([near, far, near + 32], 1), np.stack([far, far + 32, near + 32], 1)])
    corners = np.concatenate([low, high])[faces]
    tree = Bvh.build(corners)
    a = rng.uniform(-0.6, 0.6, (80, 3)) * (1.0, 1.0, 8.0)
    b = a + 0.2 * rng.normal(size=(80, 3))
    free = np.full(80, np.inf)
    every = np.tile(corners, (80, 1, 1))
    distance = meshes.closest_to_segments(a.repeat(64, 0), a.repeat(64, 0), every)[0]
    np.testing.assert_allclose(
        nearest_to_segments(tree, a, a, free).distance, distance.reshape(80, 64).min(1)
    )
    distance = meshes.closest_to_segments(a.repeat(64, 0), b.repeat(64, 0), every)[0]
    found = nearest_to_segments(tree, a, b, free).distance
    np.testing.assert_allclose(found, distance.reshape(80, 64).min(1), atol=1e-12)


def test_bones_much_deeper_than_long_are_measured_to_a_tenth(rng):
    for vertices, faces in (meshes.box((1.0, 0.8, 1.2)), meshes.globe()):
        mesh = TriangleMesh(vertices, faces)
        a = rng.uniform(-0.4, 0.4, (300, 3))
        b = a + rng.normal(size=(300, 3)) * 10.0 ** rng.uniform(-3, -0.8, (300, 1))
        answer = mesh.nearest_segment(a, b)
        dense = least_along(mesh, a, b, 8)
        assert ((answer.distance < 0) == (dense < 0)).all()
        assert (answer.distance <= 0.9 * dense + 1e-12).all() and (answer.distance >= dense - 0.05).all()
        critical = a + answer.parameter[:, None] * (b - a)
        np.testing.assert_allclose(
            answer.point, critical - answer.distance[:, None] * answer.normal, atol=1e-12
        )


def test_depth_is_within_the_stated_bound(rng):
    mesh = TriangleMesh(*meshes.bumpy(rng))
    a, b = rng.normal(size=(2, 60, 3)) * 0.5
    answer = mesh.nearest_segment(a, b)
    dense = least_along(mesh, a, b, 8)
    deep = dense < 0
    assert deep.sum() > 20
    assert (answer.distance[deep] <= dense[deep] + np.linalg.norm(b - a, axis=1)[deep] / 32).all()
    assert ((answer.distance < 0) == deep)[np.abs(dense) > 1e-2].all()


def test_moved_mesh_keeps_its_tree_and_batch_equals_loop(rng):
    mesh = TriangleMesh(*meshes.bumpy(rng))
    moved = mesh.moved(np.eye(3), (1, 2, 3))
    assert moved.geometry is mesh.geometry
    assert mesh.named("other", mode="two_sided").geometry is mesh.geometry
    with pytest.raises(IkError, match="three_sided"):
        mesh.named("other", mode="three_sided")


def test_bad_meshes_are_named():
    vertices, faces = meshes.box()
    for bad_vertices, bad_faces, word in (
        (vertices, np.zeros((0, 3), int), "no faces"),
        (vertices, [], "no faces"),
        (np.where(np.arange(8)[:, None] == 3, np.nan, vertices), faces, "Vertex 3"),
        (vertices, faces + 5, "not exist"),
        (vertices, faces.astype(float), "whole numbers"),
        (vertices, faces[:, :2], r"\(F, 3\)"),
        (vertices[:, :2], faces, r"\(V, 3\)"),
    ):
        with pytest.raises(IkError, match=word) as caught:
            TriangleMesh(bad_vertices, bad_faces, name="Table")
        assert "Table" in str(caught.value)
    with pytest.raises(IkError, match="Table"):
        TriangleMesh(vertices, faces, name="Table", mode="hollow")
    assert not TriangleMesh(*meshes.grid(), mode="one_sided").closed


def test_a_million_triangles():
    vertices, faces = meshes.grid(708)
    assert len(faces) > 1_000_000
    vertices[:, 2] = 0.1 * np.sin(9 * vertices[:, 0]) * np.cos(7 * vertices[:, 1])
    mesh = TriangleMesh(vertices, faces, mode="two_sided")
    a, b = np.array([0, 0, 0.4]), np.array([0.1, 0.1, 0.5])
    answer = mesh.nearest_segment(a, b)
    along = (b - a) / np.linalg.norm(b - a)
    part = np.clip((vertices - a) @ along, 0.0, np.linalg.norm(b - a))
    least = np.linalg.norm(vertices - a - part[:, None] * along, axis=1).min()
    assert least - 1e-4 < answer.distance <= least


def test_clipped_corners_and_touching_ends_of_a_box():
    """On a lattice segments run through corners, along faces and end on them; a box has its distance in
    closed form."""
    half = np.array([1.0, 0.5, 0.25])
    mesh = TriangleMesh(*meshes.box(half))
    rng = np.random.default_rng(5)
    a, b = rng.integers(-8, 9, size=(2, 1500, 3)) / 8.0 + 1e-7 * rng.normal(size=(2, 1500, 3))

    def exact(p):
        beyond = np.abs(p) - half
        return np.linalg.norm(np.maximum(beyond, 0), axis=-1) + np.minimum(beyond.max(-1), 0)

    size = np.linalg.norm(b - a, axis=1)
    least = exact(a[:, None] + np.linspace(0, 1, 321)[:, None] * (b - a)[:, None]).min(1)
    answer = mesh.nearest_segment(a, b)
    free, deep = least > size / 300, least < -size / 300
    assert free.sum() > 300 and deep.sum() > 300
    assert (np.abs(answer.distance - least)[free] <= size[free] / 320).all()
    assert (answer.distance[deep] <= least[deep] + size[deep] / 32).all()
    assert (answer.distance[deep] >= least[deep] - size[deep] / 320).all()
    # clipped along an edge, shallow: never taken for a wall that is passed through
    depth = 10.0 ** rng.uniform(-5, -3, 200)
    middle = np.stack([1 - depth, 0.5 - depth, rng.uniform(-0.2, 0.2, 200)], -1)
    along = rng.uniform(0.2, 0.6, (200, 1)) * np.stack(
        [np.ones(200), -np.ones(200), rng.uniform(-0.3, 0.3, 200)], -1
    )
    clipped = mesh.nearest_segment(middle - along, middle + along)
    assert (clipped.distance <= 0).all()
    assert (clipped.distance >= -depth - 1e-9).all()
