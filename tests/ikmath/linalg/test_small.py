# SPDX-License-Identifier: GPL-3.0-or-later
"""Systems of a few rows, against LAPACK as numpy calls it."""

from __future__ import annotations

import numpy as np
import pytest

from ikmath.linalg import small
from ikmath.linalg.small import solved


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 4, 15])
@pytest.mark.parametrize("spread", [0.0, 4.0, 8.0])
def test_systems_are_solved_as_lapack_does(rows, spread):
    draw = np.random.default_rng(rows)
    for _ in range(20):
        a = draw.normal(size=(rows, 20)) * 10.0 ** (-spread * draw.uniform(size=(rows, 1)))
        gram, right = a @ a.T, a @ draw.normal(size=20)
        x = solved(gram, right)
        if rows != 3:
            np.testing.assert_array_equal(x, np.linalg.solve(gram, right))
        np.testing.assert_allclose(
            gram @ x, right, atol=1e-12 * np.abs(gram).max(initial=0.0) * np.abs(x).max(initial=0.0)
        )


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("rows", [2, 3, 4])
def test_singular_systems_are_refused_as_by_lapack(rows):
    for row in range(rows):
        gram = np.eye(rows)
        gram[row, row] = 0.0
        with pytest.raises(np.linalg.LinAlgError):
            solved(gram, np.ones(rows))


def test_numpy_has_what_it_is_asked_for():
    assert small._SOLVE is not np.linalg.solve  # else every step takes a few microseconds more
