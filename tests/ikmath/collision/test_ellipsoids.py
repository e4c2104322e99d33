# SPDX-License-Identifier: GPL-3.0-or-later
"""Ellipsoids against an optimiser, against spheres, and Ge's own test against the exact one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from zoo import rotation

from ikmath import IkError
from ikmath.classic.ellipsoids import Ellipsoids, collide, collide_by_slices, growth


def pairs(rng, count):
    def some():
        turns = np.stack([rotation(rng) for _ in range(count)])
        return Ellipsoids(0.6 * rng.normal(size=(count, 3)), rng.uniform(0.1, 1.2, (count, 3)), turns)

    return some(), some()


def least(first, second, i):
    """Smallest squared unit radius of the second inside the first, by a general optimiser."""

    def value(x):
        return float((second.into_unit(first.from_unit(x[None])[i])[i] ** 2).sum())

    ball = {"type": "ineq", "fun": lambda x: 1 - x @ x}
    return min(minimize(value, start, constraints=[ball]).fun for start in np.eye(3) * 0.5)


def test_exact_against_an_optimiser(rng):
    first, second = pairs(rng, 60)
    exact = collide(first, second)
    assert 10 < exact.sum() < 50
    for i in range(60):
        other = least(first, second, i)
        if abs(other - 1) > 1e-4:
            assert exact[i] == (other < 1)


def test_spheres_grow_by_the_sum_of_radii(rng):
    r = rng.uniform(0.1, 1, (2, 50, 1)) * np.ones(3)
    a, b = rng.normal(size=(2, 50, 3))
    expected = np.linalg.norm(a - b, axis=1) / (r[0, :, 0] + r[1, :, 0])
    np.testing.assert_allclose(growth(Ellipsoids(a, r[0]), Ellipsoids(b, r[1])), expected, atol=1e-12)


def test_symmetry_batch_and_the_same_centre(rng):
    first, second = pairs(rng, 40)
    np.testing.assert_allclose(growth(first, second), growth(second, first), atol=1e-12)
    for i in range(40):
        one = growth(
            Ellipsoids(first.center[i], first.scale[i], first.rotation[i]),
            Ellipsoids(second.center[i], second.scale[i], second.rotation[i]),
        )
        assert one == pytest.approx(growth(first, second)[i], abs=1e-12)
    assert collide(Ellipsoids((0, 0, 0), (1, 2, 3)), Ellipsoids((0, 0, 0), (3, 2, 1)))
    assert growth(Ellipsoids((0, 0, 0), (1, 2, 3)), Ellipsoids((0, 0, 0), (3, 2, 1))) == 0


def test_slices_are_never_wrong_and_seldom_blind(rng):
    first, second = pairs(rng, 2000)
    exact, sliced = collide(first, second), collide_by_slices(first, second, 12)
    assert not (sliced & ~exact).any()
    missed = exact & ~sliced
    assert missed.sum() < 0.15 * exact.sum()
    wholly = collide_by_slices(Ellipsoids((0, 0, 0), (2, 2, 2)), Ellipsoids((0, 0, 0), (0.1, 0.1, 0.1)))
    assert not wholly  # as the text's test does


def test_bad_input():
    with pytest.raises(IkError, match="half axis"):
        Ellipsoids((0, 0, 0), (1, 0, 1))
    with pytest.raises(IkError, match="center"):
        Ellipsoids((0, 0), (1, 1, 1))
    with pytest.raises(IkError, match="slices"):
        collide_by_slices(Ellipsoids((0, 0, 0), (1, 1, 1)), Ellipsoids((0, 0, 0), (1, 1, 1)), 0)
