# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations: inverses of each other, exact near zero and near half a turn, and scipy as a witness."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import ikmath as ik
from ikmath import euler, rotation
from tests.ikmath import oracle

EXPONENTS = st.floats(-14, 0)


@st.composite
def vectors(draw):
    """Rotation vectors up to half a turn: anywhere, near zero, near half a turn, along an axis."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    axis = rng.normal(size=3)
    if draw(st.booleans()):
        axis = np.eye(3)[rng.integers(3)] + (1e-9 * axis if draw(st.booleans()) else 0)
    axis /= np.linalg.norm(axis)
    where = draw(st.sampled_from(("anywhere", "zero", "half")))
    small = 10.0 ** draw(EXPONENTS)
    length = {"anywhere": rng.uniform(0, np.pi), "zero": small, "half": np.pi - small}[where]
    return axis * length


@given(vectors())
def test_exponential_is_rodrigues_and_scipy(v):
    matrix = rotation.exp(v)
    np.testing.assert_allclose(matrix, oracle.rodrigues(v), atol=4e-15)
    np.testing.assert_allclose(matrix, Rotation.from_rotvec(v).as_matrix(), atol=4e-15)


@given(vectors())
def test_logarithm_undoes_the_exponential(v):
    back = rotation.log(rotation.exp(v))
    length = np.linalg.norm(v)
    if length > np.pi - 1e-7:  # either way round
        back = back if back @ v > 0 else back * (1 - 2 * np.pi / np.linalg.norm(back))
    np.testing.assert_allclose(back, v, rtol=1e-12, atol=1e-15 if length < 1 else 1e-14)


@given(vectors())
def test_angle_is_exact_at_both_ends(v):
    assert rotation.angle(rotation.exp(v)) == pytest.approx(np.linalg.norm(v), rel=1e-8, abs=3e-16)


@given(vectors())
def test_quaternions_there_and_back(v):
    matrix = rotation.exp(v)
    q = rotation.quaternion_from_matrix(matrix)
    assert q[0] >= 0
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-15)
    np.testing.assert_allclose(rotation.matrix_from_quaternion(q), matrix, atol=2e-15)
    np.testing.assert_allclose(rotation.matrix_from_quaternion(-3.0 * q), matrix, atol=2e-15)
    np.testing.assert_allclose(np.abs(rotation.quaternion_from_vector(v) @ q), 1.0, atol=1e-15)
    scipys = Rotation.from_matrix(matrix).as_quat()[[3, 0, 1, 2]]
    np.testing.assert_allclose(abs(scipys @ q), 1.0, atol=1e-14)


@given(vectors(), vectors())
def test_quaternions_multiply_as_matrices(a, b):
    product = rotation.multiply_quaternions(
        rotation.quaternion_from_vector(a), rotation.quaternion_from_vector(b)
    )
    together = rotation.exp(a) @ rotation.exp(b)
    np.testing.assert_allclose(rotation.matrix_from_quaternion(product), together, atol=4e-15)


@pytest.mark.parametrize("order", euler.EULER_ORDERS)
@given(v=vectors(), pole=st.sampled_from((None, 0.0, 1e-12, 1e-7)))
def test_euler_angles_there_and_back(order, v, pole):
    if pole is not None:
        v = v.copy()
        v["XYZ".index(order[1])] = np.pi / 2 - pole
    matrix = euler.matrix_from_euler(v, order)
    back = euler.euler_from_matrix(matrix, order)
    # within 1e-9 of the pole the angle that the first and the third share is the first's alone
    np.testing.assert_allclose(euler.matrix_from_euler(back, order), matrix, atol=3e-9)
    if pole is None:
        np.testing.assert_allclose(euler.matrix_from_euler(back, order), matrix, atol=1e-12)
    assert abs(back["XYZ".index(order[1])]) <= np.pi / 2 + 1e-15


@pytest.mark.parametrize("order", euler.EULER_ORDERS)
@pytest.mark.parametrize("pole", [None, 0.0, 1e-12, 1e-10, 1e-4])
def test_euler_angles_of_a_quaternion_turn_as_it_does(order, pole):
    angles = np.random.default_rng(4).uniform(-np.pi, np.pi, (200, 3))
    if pole is not None:
        angles[:, "XYZ".index(order[1])] = np.pi / 2 - pole
    quaternions = rotation.quaternion_from_matrix(euler.matrix_from_euler(angles, order))
    matrices = rotation.matrix_from_quaternion(quaternions)
    found = euler.euler_from_matrix(matrices, order)
    turns = euler.matrix_from_euler(found, order)
    np.testing.assert_allclose(turns, matrices, atol=1e-12 if pole is None else 3e-9)
    assert (np.abs(found[:, "XYZ".index(order[1])]) <= np.pi / 2 + 1e-15).all()


def test_euler_order_is_blenders():
    """Blender's XYZ turns about X first: with column vectors X stands at the right."""
    x, y, z = 0.3, -0.4, 0.5
    expected = oracle.rodrigues((0, 0, z)) @ oracle.rodrigues((0, y, 0)) @ oracle.rodrigues((x, 0, 0))
    np.testing.assert_allclose(euler.matrix_from_euler((x, y, z), "XYZ"), expected, atol=1e-15)
    for order in itertools.permutations("XYZ"):
        name = "".join(order)
        scipys = Rotation.from_euler(name.lower(), [(x, y, z)["XYZ".index(c)] for c in name]).as_matrix()
        np.testing.assert_allclose(euler.matrix_from_euler((x, y, z), name), scipys, atol=1e-15)


@given(vectors(), st.floats(-np.pi + 1e-6, np.pi))
def test_swing_and_twist_there_and_back(v, twist):
    turns = np.array([v[0], twist, v[2]])
    matrix = rotation.swing_twist_matrix(turns)
    expected = oracle.rodrigues((v[0], 0, v[2])) @ oracle.rodrigues((0, twist, 0))
    np.testing.assert_allclose(matrix, expected, atol=1e-14)
    back = rotation.swing_twist_turns(matrix)
    np.testing.assert_allclose(rotation.swing_twist_matrix(back), matrix, atol=1e-11)
    if np.hypot(v[0], v[2]) < np.pi - 1e-3:
        np.testing.assert_allclose(np.exp(1j * back[1]), np.exp(1j * twist), atol=1e-11)
        np.testing.assert_allclose(back[[0, 2]], turns[[0, 2]], atol=1e-11)


def test_swing_of_half_a_turn_is_still_a_rotation():
    matrix = rotation.swing_twist_matrix((np.pi, 0.7, 0.0))
    np.testing.assert_allclose(
        rotation.swing_twist_matrix(rotation.swing_twist_turns(matrix)), matrix, atol=1e-12
    )


@given(vectors(), vectors())
def test_skew_and_cross(a, b):
    np.testing.assert_allclose(rotation.skew(a) @ b, np.cross(a, b), atol=1e-15)
    np.testing.assert_allclose(rotation.cross(a, b), np.cross(a, b), atol=1e-15)


BATCHED = {
    "exp": (rotation.exp, (3,)),
    "skew": (rotation.skew, (3,)),
    "quaternion_from_vector": (rotation.quaternion_from_vector, (3,)),
    "vector_from_quaternion": (rotation.vector_from_quaternion, (4,)),
    "matrix_from_quaternion": (rotation.matrix_from_quaternion, (4,)),
    "matrix_from_euler": (euler.matrix_from_euler, (3,)),
    "swing_twist_matrix": (rotation.swing_twist_matrix, (3,)),
    "log": (rotation.log, (3, 3)),
    "angle": (rotation.angle, (3, 3)),
    "quaternion_from_matrix": (rotation.quaternion_from_matrix, (3, 3)),
    "euler_from_matrix": (euler.euler_from_matrix, (3, 3)),
    "swing_twist_turns": (rotation.swing_twist_turns, (3, 3)),
}


@pytest.mark.parametrize("name", BATCHED)
@pytest.mark.parametrize("batch", [(5,), (2, 3), (0,)])
def test_batches_and_inputs(name, batch):
    function, tail = BATCHED[name]
    rng = np.random.default_rng(3)
    values = rng.normal(size=(*batch, *tail))
    if tail == (3, 3):
        values = rotation.exp(rng.normal(size=(*batch, 3)))
    if tail == (4,):
        values /= np.linalg.norm(values, axis=-1, keepdims=True)
    before = values.copy()
    together = function(values)
    np.testing.assert_array_equal(values, before)
    for index in np.ndindex(batch):
        np.testing.assert_allclose(together[index], function(values[index]), atol=1e-14)
    with pytest.raises(ik.BadShape):
        function(np.zeros((*tail[:-1], 5)))
    with pytest.raises(ik.BadShape):
        function(0.0)


def test_an_unknown_euler_order_names_the_six():
    with pytest.raises(ik.UnknownName, match=r"XYX.*ZYX"):
        euler.matrix_from_euler((0, 0, 0), "XYX")


@given(vectors(), st.sampled_from((0.0, 1e-7, 0.5, 3.1, np.pi)))
def test_the_shortest_rotation_between_directions_turns_by_their_angle(v, angle):
    first = rotation.exp(v)[:, 0]
    second = rotation.exp(angle * rotation.across(first)[0]) @ first
    turn = rotation.shortest(first, second)
    np.testing.assert_allclose(turn @ first, second, atol=2e-9)
    assert rotation.angle(turn) == pytest.approx(angle, abs=2e-9)
