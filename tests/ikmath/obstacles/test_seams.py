# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside and outside of meshes, torn or not, against winding numbers."""

from __future__ import annotations

import meshes
import numpy as np
import pytest

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
