# SPDX-License-Identifier: GPL-3.0-or-later
"""Parent's control expression: his equations 23 and 24 against the textbook form 21."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ikmath.classic.linalg.control import control_gradient, control_step
from ikmath.errors import BadValue
from tests.ikmath.linalg.test_damped import general_solution


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    m=st.integers(1, 6),
    spare=st.integers(0, 6),
    norm=st.sampled_from([2, 4, 6]),
)
def test_is_the_projection_form(seed, m, spare, norm):
    rng = np.random.default_rng(seed)
    n = m + spare
    jacobian, velocity = rng.normal(size=(m, n)), rng.normal(size=m)
    angles, desired, gains = rng.normal(size=n), rng.normal(size=n), rng.uniform(0, 1, n)
    gradient = control_gradient(angles, desired, gains, norm)
    step = control_step(jacobian, velocity, gradient)
    inverse = np.linalg.pinv(jacobian)
    textbook = inverse @ velocity + (inverse @ jacobian - np.eye(n)) @ gradient  # eq. 21
    size = np.linalg.cond(jacobian) ** 2 * (1 + np.abs(gradient).max())
    assert np.abs(step - textbook).max() < 1e-12 * size
    assert np.abs(step - general_solution(jacobian, velocity, -gradient)).max() < 1e-12 * size
    assert np.abs(jacobian @ step - velocity).max() < 1e-12 * size, "eq. 18: it adds nothing to the velocity"


@pytest.mark.parametrize("norm", [2, 4, 8])
def test_gradient_is_the_derivative(norm):
    rng = np.random.default_rng(norm)
    angles, desired, gains = rng.normal(size=5), rng.normal(size=5), rng.uniform(0, 1, 5)
    gradient = control_gradient(angles, desired, gains, norm)
    for i in range(5):
        nudge = 1e-6 * np.eye(5)[i]
        values = [np.sum(gains * (angles + side * nudge - desired) ** norm) for side in (1, -1)]
        assert gradient[i] == pytest.approx((values[0] - values[1]) / 2e-6, rel=1e-6, abs=1e-6)


def test_no_gain_is_the_pseudoinverse():
    jacobian, velocity = np.random.default_rng(0).normal(size=(3, 8)), np.ones(3)
    gradient = control_gradient(np.ones(8), np.zeros(8), 0.0)
    assert (
        np.abs(control_step(jacobian, velocity, gradient) - np.linalg.pinv(jacobian) @ velocity).max() < 1e-12
    )


def test_says_what_cannot_be():
    for norm in (1, 3, 0, -2, 2.5):
        with pytest.raises(BadValue, match="even"):
            control_gradient(np.ones(2), np.zeros(2), 1.0, norm)
    singular = np.zeros((2, 4))
    with pytest.raises(BadValue, match="damping"):
        control_step(singular, np.ones(2), np.zeros(4))
    assert np.abs(control_step(singular, np.ones(2), np.ones(4), damping=0.1) + 1).max() < 1e-12
