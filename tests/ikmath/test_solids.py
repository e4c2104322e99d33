# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces to model with: closed, turned outward, as large as they should be; and how skin follows bones."""

from __future__ import annotations

import numpy as np
import pytest

from ikmath import TriangleMesh
from ikmath.examples.skinning import bone_weights
from ikmath.examples.solids import blocks, capsule, ellipsoid, loft, mirrored, together
from ikmath.rotation import about

TABLE = np.zeros((3, 3, 2), dtype=bool)
TABLE[:, :, 1] = TABLE[::2, ::2, 0] = True
SOLIDS = {
    "ellipsoid": (ellipsoid((1, 2, 3), (0.5, 1.0, 2.0)), 4 / 3 * np.pi),
    "turned": (ellipsoid((0, 0, 0), (0.5, 1.0, 2.0), about(0, 0.7)), 4 / 3 * np.pi),
    "capsule": (capsule((0, 0, 0), (0, 3, 1), 0.5), np.pi * 0.25 * np.sqrt(10) + np.pi / 6),
    "loft": (loft([(0, 0, 1, 0.5), (1, 0, 1, 0.5), (2, 0, 1, 0.5)]), np.pi),
    "table": (blocks((0, 1, 3, 4), (0, 1, 3, 4), (0, 2, 3), TABLE), 4 * 2 + 16),
    "mirrored": (mirrored(ellipsoid((1, 2, 3), (1, 1, 1))), 4 / 3 * np.pi),
}


def volume(solid) -> float:
    """By the divergence theorem: positive only where the faces look outward."""
    corners = solid.vertices[solid.triangles]
    return float(np.linalg.det(corners).sum() / 6.0)


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_are_closed_and_turned_outward(name):
    solid, expected = SOLIDS[name]
    assert TriangleMesh(solid.vertices, solid.triangles).closed
    assert volume(solid) == pytest.approx(expected, rel=1e-9 if name == "table" else 0.04)
    edges = [(f[i - 1], f[i]) for f in solid.faces for i in range(len(f))]
    assert len(set(edges)) == len(edges), "no edge is gone along twice in one direction"
    assert set(edges) == {(b, a) for a, b in edges}


def test_several_are_one_set_of_faces():
    parts = [solid for solid, _ in SOLIDS.values()]
    whole = together(parts)
    assert volume(whole) == pytest.approx(sum(map(volume, parts)))
    assert len(whole.vertices) == sum(len(part.vertices) for part in parts)


def test_every_point_follows_the_bones_that_are_nearest():
    heads = np.array([[0, 0, z] for z in range(6)], dtype=float)
    points = np.random.default_rng(0).uniform((-0.2, -0.2, 0), (0.2, 0.2, 6), (300, 3))
    weight = bone_weights(points, heads, heads + np.eye(3)[2], np.full(6, 0.1), soft=0.05)
    assert weight.shape == (6, 300)
    assert ((weight > 0).sum(0) <= 4).all()
    assert weight.sum(0) == pytest.approx(np.ones(300), abs=0.011)
    from_end = np.abs(points[:, 2] - points[:, 2].round())
    assert (weight.argmax(0) == points[:, 2].astype(int))[from_end > 0.03].all()
    far = from_end > 0.4
    assert (weight.max(0)[far] > 0.95).all(), "in the middle of a bone nothing else pulls"
