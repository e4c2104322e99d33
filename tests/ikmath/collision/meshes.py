# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes for tests: spheres with bumps, boxes, grids."""

from __future__ import annotations

import numpy as np

from ikmath.collision.closest_points import FeatureDistances, facets_of


def globe(around=24, along=12):
    """A closed sphere of latitude and longitude, faces anticlockwise from outside."""
    u = np.linspace(0, 2 * np.pi, around, endpoint=False)
    v = np.linspace(0, np.pi, along + 1)[1:-1]
    ring = np.stack(
        [
            np.outer(np.cos(u), np.sin(v)),
            np.outer(np.sin(u), np.sin(v)),
            np.outer(np.ones(around), np.cos(v)),
        ],
        -1,
    )
    vertices = np.concatenate([ring.reshape(-1, 3), [[0, 0, 1], [0, 0, -1]]])
    rows = along - 1
    faces = []
    for i in range(around):
        k = (i + 1) % around
        for j in range(rows - 1):
            a, b, c, d = i * rows + j, k * rows + j, k * rows + j + 1, i * rows + j + 1
            faces += [(a, d, c), (a, c, b)]
        faces += [
            (i * rows, k * rows, around * rows),
            (i * rows + rows - 1, around * rows + 1, k * rows + rows - 1),
        ]
    return vertices, np.array(faces)


def bumpy(rng, around=24, along=12):
    """A closed mesh that is neither convex nor smooth."""
    vertices, faces = globe(around, along)
    size = rng.uniform(0.5, 1.2)
    waves = rng.uniform(0, 2 * np.pi, 3)
    bump = 1 + 0.25 * np.sin(4 * vertices[:, 0] + waves[0]) * np.cos(3 * vertices[:, 1] + waves[1])
    return vertices * (size * bump)[:, None] + 0.3 * rng.normal(size=3), faces


def box(half=(1.0, 1.0, 1.0)):
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * np.asarray(half)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def grid(cells=8, size=2.0):
    """A level square sheet, facing up."""
    x = np.linspace(-size / 2, size / 2, cells + 1)
    vertices = np.stack([*np.meshgrid(x, x, indexing="ij"), np.zeros((cells + 1, cells + 1))], -1).reshape(
        -1, 3
    )
    i, j = (k.ravel() for k in np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij"))
    a = i * (cells + 1) + j
    b, c, d = a + cells + 1, a + cells + 2, a + 1
    return vertices, np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)])


def winding(points, corners):
    """Generalised winding number of points: 1 inside a closed mesh, 0 outside (van Oosterom & Strackee)."""
    a, b, c = (corners[None, :, k] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=-1) for x in (a, b, c))
    top = (a * np.cross(b, c)).sum(-1)
    bottom = la * lb * lc + (a * b).sum(-1) * lc + (b * c).sum(-1) * la + (c * a).sum(-1) * lb
    return 2 * np.arctan2(top, bottom).sum(-1) / (4 * np.pi)


def closest_to_segments(a, b, corners):
    """Segments a-b, one triangle each: distance, parameter, point, feature, and whether it passes through."""
    return FeatureDistances.of(facets_of(corners), a, b - a).closest(np.arange(len(corners)))
