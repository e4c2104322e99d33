# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside and outside of meshes, torn or not, against winding numbers."""

from __future__ import annotations

import meshes
import numpy as np
import pytest

from ikmath import BadValue
from ikmath.collision import TriangleMesh


@pytest.mark.parametrize("shape", ["bumpy", "box", "cone", "torn", "doubled", "bridged", "blurred"])
def test_sides_equal_winding_numbers(rng, shape):
    if shape == "box":
        vertices, faces = meshes.box((1, 0.5, 0.2))
    elif shape in ("cone", "bridged"):  # a needle's tip is where the nearest face's normal alone is wrong
        turn = np.linspace(0, 2 * np.pi, 9, endpoint=False)
        vertices = np.concatenate(
            [np.stack([0.3 * np.cos(turn), 0.3 * np.sin(turn), 0 * turn], -1), [[0, 0, 2], [0, 0, 0]]]
        )
        faces = np.array([f for i in range(9) for f in ((i, (i + 1) % 9, 9), ((i + 1) % 9, i, 10))])
    else:
        vertices, faces = meshes.bumpy(rng)
    if shape == "torn":  # every face with corners of its own, as in a file of triangles
        vertices, faces = vertices[faces].reshape(-1, 3), np.arange(3 * len(faces)).reshape(-1, 3)
    if shape == "bridged":  # edges with a corner between on one side only, and a face without area there
        vertices, faces = bridged(vertices, faces, range(0, len(faces), 3))
    if (
        shape == "blurred"
    ):  # every face with corners of its own, as a computation in single precision has them
        vertices = vertices[faces].reshape(-1, 3) + 2e-8 * rng.uniform(-1, 1, (3 * len(faces), 3))
        faces = np.arange(3 * len(faces)).reshape(-1, 3)
    if shape == "doubled":  # some faces twice, some without extent, vertices that nothing uses
        faces = np.concatenate([faces, faces[::3], np.stack([faces[:5, 0], faces[:5, 0], faces[:5, 1]], -1)])
        vertices = np.concatenate([vertices, [[np.nan, 0, 0], [50.0, 0, 0]]])
    mesh = TriangleMesh(vertices, faces)
    assert mesh.closed
    points = rng.normal(size=(3000, 3)) * 0.8
    tips = np.repeat(vertices[np.isfinite(vertices).all(1)], 20, 0)[:3000]
    points = np.concatenate([points, tips + 0.05 * rng.normal(size=tips.shape)])
    unique = np.unique(np.sort(faces, 1), axis=0, return_index=True)[1] if shape == "doubled" else slice(None)
    inside = winding(points, vertices, faces[unique]) > 0.5
    distance = mesh.nearest(points).distance
    assert 20 < inside.sum() < len(points) - 20
    wrong = (distance < 0) != inside
    assert not wrong[np.abs(distance) > 1e-9].any()


def bridged(vertices, faces, which):
    """Halve the first edge of some faces, but not that of their neighbours."""
    vertices, faces = vertices.tolist(), [tuple(face) for face in faces.tolist()]
    for face in which:
        a, b, e = faces[face]
        vertices.append((0.5 * (np.array(vertices[a]) + np.array(vertices[b]))).tolist())
        m = len(vertices) - 1
        faces[face] = (a, m, e)
        faces += [(m, b, e), (a, b, m)]
    return np.array(vertices), np.array(faces)


def test_an_open_mesh_is_not_closed_by_what_is_merely_near():
    vertices, faces = meshes.grid()
    lid = np.concatenate([vertices, np.add(vertices, (0, 0, 1e-4))])
    assert not TriangleMesh(lid, np.concatenate([faces, faces[:, ::-1] + len(vertices)])).closed


def winding(points, vertices, faces):
    return meshes.winding(points, vertices[faces])


def union_inside(points, parts):
    """Whether points are in any of several closed parts, each by its own winding number."""
    return np.any([meshes.winding(points, v[f]) > 0.5 for v, f in parts], 0)


def together(parts):
    starts = np.cumsum([0, *(len(v) for v, _ in parts)])
    vertices = np.concatenate([v for v, _ in parts])
    return vertices, np.concatenate([f + s for (_, f), s in zip(parts, starts, strict=False)])


def shifted(part, way):
    return part[0] + np.asarray(way), part[1]


BOX = meshes.box((1.0, 0.5, 0.4))

PARTS = {
    "same triangles in the shared face": [BOX, (BOX[0] * (-1, 1, 1) + (2, 0, 0), BOX[1][:, ::-1])],
    "other triangles in the shared face": [BOX, shifted(BOX, (2, 0, 0))],
    "a part of a face is shared": [BOX, shifted(meshes.box((0.3, 0.2, 0.2)), (1.3, 0.1, 0))],
    "an edge is shared": [BOX, shifted(BOX, (2, 1, 0))],
    "overlapping": [BOX, shifted(meshes.globe(), (0.8, 0.2, 0.1))],
    "one within the other": [BOX, shifted(meshes.box((0.2, 0.2, 0.2)), (0.1, 0.2, 0.1))],
    "crossing": [BOX, meshes.box((0.2, 2, 0.1)), meshes.box((0.1, 0.2, 2))],
    "in a row": [shifted(meshes.globe(12, 6), (2.5 * k, 0, 0)) for k in range(4)],
}


@pytest.mark.parametrize("kind", PARTS)
def test_parts_that_touch_or_overlap_have_an_inside(rng, kind):
    parts = PARTS[kind]
    mesh = TriangleMesh(*together(parts), mode="solid")
    own = [TriangleMesh(*part, mode="solid") for part in parts]
    points = rng.uniform(mesh.geometry.low - 0.3, mesh.geometry.high + 0.3, (4000, 3))
    distance = mesh.nearest(points).distance
    alone = np.min([part.nearest(points).distance for part in own], 0)
    np.testing.assert_allclose(distance, alone, atol=1e-12)
    sure = np.abs(distance) > 1e-9
    assert (((distance < 0) == union_inside(points, parts)) | ~sure).all()
    a, b = points[:400], points[400:800]
    answer = mesh.nearest_segment(a, b)
    alone = np.min([part.nearest_segment(a, b).distance for part in own], 0)
    sampled = np.where(answer.distance < 0, np.linalg.norm(b - a, axis=1) / 32, 1e-12)  # depths are
    assert (np.abs(answer.distance - alone) <= sampled).all()
    limited = mesh.nearest_segment(a, b, 0.1)
    near = np.isfinite(limited.distance)
    np.testing.assert_allclose(limited.distance[near], answer.distance[near], atol=1e-12)
    assert (answer.distance[~near] > 0.1).all()


def test_a_wall_that_two_parts_have_in_common_is_no_surface(rng):
    """Two boxes of eleven sides: the wall between them occurs once."""
    one, two = BOX, shifted(BOX, (2, 0, 0))
    at_wall = (np.abs(two[0][two[1]][:, :, 0] - 1.0) < 1e-9).all(1)
    vertices, faces = together([one, (two[0], two[1][~at_wall])])
    mesh = TriangleMesh(vertices, faces, mode="solid")
    whole = TriangleMesh(*shifted(meshes.box((2.0, 0.5, 0.4)), (1, 0, 0)))
    points = rng.uniform((-1.5, -1, -1), (3.5, 1, 1), (3000, 3))
    np.testing.assert_allclose(mesh.nearest(points).distance, whole.nearest(points).distance, atol=1e-12)


def test_a_cavity_stays_hollow(rng):
    hollow = [BOX, (0.5 * BOX[0], BOX[1][:, ::-1]), meshes.box((0.1, 0.1, 0.1))]
    mesh = TriangleMesh(*together(hollow), mode="solid")
    points = rng.uniform(-1.2, 1.2, (4000, 3))
    inside = meshes.winding(points, together(hollow)[0][together(hollow)[1]]) > 0.5
    np.testing.assert_array_equal(mesh.nearest(points).distance < 0, inside)


def test_hundreds_of_parts_overlap_or_lie_in_each_other(rng):
    middle, half = rng.uniform(-4, 4, (400, 3)), rng.uniform(0.05, 1.0, (400, 3))
    hollow = rng.random(400) < 0.3  # a wall of a fifth
    box, faces = meshes.box((1.0, 1.0, 1.0))
    parts = [(m + h * box, faces) for m, h in zip(middle, half, strict=True)]
    cavities = zip(middle[hollow], half[hollow], strict=True)
    parts += [(m + 0.8 * h * box, faces[:, ::-1]) for m, h in cavities]
    mesh = TriangleMesh(*together(parts), mode="solid")
    points = rng.uniform(-4.5, 4.5, (4000, 3))
    away = np.abs(points[:, None] - middle) / half
    walls = (away < 1.0).all(2) & ~((away < 0.8).all(2) & hollow)
    np.testing.assert_array_equal(mesh.nearest(points).distance < 0, walls.any(1))


def test_parts_that_all_overlap_are_too_many_for_an_inside(rng):
    box, faces = meshes.box((0.5, 0.5, 0.5))
    pile = [(box + 0.1 * shift, faces) for shift in rng.uniform(-1, 1, (1500, 3))]
    mesh = TriangleMesh(*together(pile), name="Leaves")
    assert mesh.mode == "two_sided" and "has too many parts that overlap and so no inside" in mesh.note
    apart = [(box + 2.0 * np.array((*divmod(k, 40), 0)), faces) for k in range(1600)]
    assert TriangleMesh(*together(apart)).closed


OPEN = {
    "a face is missing": (BOX[0], BOX[1][1:], "open rim"),
    "a face is turned": (BOX[0], np.concatenate([BOX[1][:1, ::-1], BOX[1][1:]]), "disagree"),
    "a fin": (np.append(BOX[0], [[3, 0, 0]], 0), np.append(BOX[1], [[0, 1, 8]], 0), "open rim"),
    "inside out": (BOX[0], BOX[1][:, ::-1], "has faces that point inwards and so no inside"),
    "a sheet": (*meshes.grid(), "open rim"),
}


@pytest.mark.parametrize("kind", OPEN)
def test_a_mesh_without_an_inside_is_refused_as_a_solid_or_becomes_two_sided(kind):
    vertices, faces, word = OPEN[kind]
    with pytest.raises(BadValue, match=word) as caught:
        TriangleMesh(vertices, faces, name="Truck", mode="solid")
    assert "Truck" in str(caught.value)
    mesh = TriangleMesh(vertices, faces, name="Truck")
    assert mesh.mode == "two_sided" and not mesh.closed
    assert word in mesh.note and "'Truck'" in mesh.note and "two-sided" in mesh.note
    assert "'Lorry'" in mesh.named("Lorry").note and mesh.moved(np.eye(3), (1, 0, 0)).note
    assert not mesh.named("Truck", mode="one_sided").note
    assert mesh.named("Truck", mode="one_sided").named("Truck", mode="auto").note
    with pytest.raises(BadValue, match=word):
        mesh.named("Truck", mode="solid")


def test_nothing_outside_the_bounding_box_is_inside(rng):
    """Meshes with random faces missing, turned or repeated: of chairs and trucks the same is true."""
    for _ in range(40):
        vertices, faces = together([meshes.bumpy(rng, 12, 6), BOX, meshes.grid(3)][: rng.integers(1, 4)])
        faces = np.concatenate([faces, faces[rng.random(len(faces)) < 0.05]])
        faces = faces[rng.random(len(faces)) > rng.choice([0.0, 0.02, 0.3])]
        turned = rng.random(len(faces)) < rng.choice([0.0, 0.02])
        faces[turned] = faces[turned, ::-1]
        mesh = TriangleMesh(vertices, faces)
        points = rng.normal(size=(500, 3)) * 3
        outside = ((points < mesh.geometry.low) | (points > mesh.geometry.high)).any(1)
        assert (mesh.nearest(points[outside]).distance > 0).all()
        a, b = points[outside][:50], points[outside][:50] * 1.0001
        assert (mesh.nearest_segment(a, b).distance > 0).all()
        assert not mesh.note or mesh.mode == "two_sided"
