# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometric stiffness is the derivative of the loads' generalised forces, by central differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ikmath as ik
from ikmath.model.frame_points import FramePoints
from ikmath.model.geometric_stiffness import Loads, geometric_stiffness
from ikmath.rotation import exp, log, log_curvature
from tests.ikmath import trees

STEP = 1e-6


def differences(function, q):
    """(n, ...) derivative of a function of q (n,)."""
    return np.array([(function(q + e) - function(q - e)) / (2 * STEP) for e in STEP * np.eye(len(q))])


@settings(max_examples=120, deadline=None)
@given(trees.skeletons(), st.sampled_from([1e-4, 0.6, 2.0]), st.integers(0, 10_000))
def test_it_is_the_derivative_of_generalised_forces(skeleton, size, seed):
    rng = np.random.default_rng(seed)
    q = size * rng.normal(size=skeleton.n)
    points = FramePoints(skeleton, rng.integers(0, len(skeleton), 4).tolist(), rng.normal(size=(4, 3)))
    carriers = FramePoints(skeleton, rng.integers(0, len(skeleton), 2).tolist())
    force, own, slope = rng.normal(size=(4, 3)), rng.normal(size=(2, 3)), rng.normal(size=(2, 3))

    def directions(pose):
        return np.einsum("eij,ej->ei", pose.frames(carriers), own)

    def forces(q):
        pose = ik.Pose.forward(skeleton, q)
        found = pose.point_jacobian(points, pose.points(points)).T @ force.ravel()
        return found + pose.turn_jacobian(carriers).T @ np.cross(directions(pose), slope).ravel()

    pose = ik.Pose.forward(skeleton, q)
    loads = Loads.on_points(points.joints, pose.points(points), force).along_with(
        Loads.of(carriers.joints, second=directions(pose)[:, :, None] * slope[:, None, :])
    )
    found, wanted = geometric_stiffness(pose, loads), differences(forces, q).reshape(len(q), len(q))
    np.testing.assert_allclose(found, wanted, atol=1e-7 * max(1.0, np.abs(wanted).max(initial=0.0)))


@pytest.mark.parametrize("size", [0.0, 1e-3, 0.29, 0.31, 1.0, 2.5])
def test_the_curvature_of_a_rotation_vector(size):
    rng = np.random.default_rng(1)
    v, pull, step = rng.normal(size=3), rng.normal(size=3), 1e-3
    v *= size / np.linalg.norm(v)

    def value(turn):
        return pull @ log(exp(turn) @ exp(v))

    axes = step * np.eye(3)
    corners = [[value(a + b) - value(a - b) - value(b - a) + value(-a - b) for b in axes] for a in axes]
    found = log_curvature(v[None], pull[None])[0]
    np.testing.assert_allclose(found, np.array(corners) / (4 * step * step), atol=1e-6)
