# SPDX-License-Identifier: GPL-3.0-or-later
"""Three rows in plain numbers, against LAPACK."""

from __future__ import annotations

import numpy as np
import pytest

from ikmath.linalg.small import solved


@pytest.mark.parametrize("rows", [1, 2, 3, 4])
@pytest.mark.parametrize("spread", [0.0, 4.0, 8.0])
def test_systems_are_solved_as_lapack_does(rows, spread):
    draw = np.random.default_rng(rows)
    for _ in range(20):
        a = draw.normal(size=(rows, 9)) * 10.0 ** (-spread * draw.uniform(size=(rows, 1)))
        gram, right = a @ a.T, a @ draw.normal(size=9)
        x = solved(gram, right)
        np.testing.assert_allclose(gram @ x, right, atol=1e-12 * np.abs(gram).max() * np.abs(x).max())


def test_singular_systems_are_refused_as_by_lapack():
    for gram in (np.zeros((3, 3)), np.diag([1.0, 0.0, 1.0]), np.diag([1.0, 1.0, 0.0])):
        with pytest.raises(np.linalg.LinAlgError):
            solved(gram, np.ones(3))
