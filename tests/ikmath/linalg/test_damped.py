# SPDX-License-Identifier: GPL-3.0-or-later
"""Pseudo-inverse and damped inverse by their definitions; Ki & Sheen's lemmas 7.1 and 7.2."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ikmath.classic.linalg import damped, pseudoinverse
from ikmath.classic.svd.svd import SVD, lapack
from ikmath.errors import BadValue

sizes = st.integers(1, 9)
seeds = st.integers(0, 2**32 - 1)


def random_matrix(seed, m, n, rank=None, batch=()):
    rng = np.random.default_rng(seed)
    rank = min(m, n) if rank is None else min(m, n, rank)
    return rng.normal(size=(*batch, m, rank)) @ rng.normal(size=(*batch, rank, n)), rng


def inverse_by(decomposition, threshold=None):
    """The pseudo-inverse, by its columns."""
    units = np.eye(decomposition.u.shape[-2])
    columns = [pseudoinverse.least_squares(decomposition, unit, threshold=threshold) for unit in units]
    return np.stack(columns, -1)


def damped_inverse(matrix, c):
    """The damped inverse, by its columns."""
    decomposition, _ = lapack(matrix)
    units = np.eye(matrix.shape[-2])
    return np.stack([damped.damped_least_squares(decomposition, unit, c) for unit in units], -1)


def general_solution(matrix, right, z):
    """`dh = J^+ dX + (I - J^+ J) z` (Ki & Sheen, 4.3; Ge, eq. 4.2)."""
    decomposition, _ = lapack(matrix)
    shortest = pseudoinverse.least_squares(decomposition, right)
    return shortest + pseudoinverse.project_to_null_space(decomposition, z)


@pytest.mark.parametrize("name", SVD)
@settings(max_examples=40, deadline=None)
@given(seed=seeds, m=sizes, n=sizes, rank=st.integers(0, 9))
def test_moore_penrose(name, seed, m, n, rank):
    """The four conditions (Ki & Sheen, definition 4.5), for any rank."""
    matrix, _ = random_matrix(seed, m, n, rank)
    decomposition, _ = SVD[name].decompose(matrix, None)
    inverse = inverse_by(decomposition, threshold=1e-10)
    size = max(1.0, np.abs(inverse).max()) * max(1.0, np.abs(matrix).max())
    for left, right in (
        (matrix @ inverse @ matrix, matrix),
        (inverse @ matrix @ inverse, inverse),
        ((matrix @ inverse).T, matrix @ inverse),
        ((inverse @ matrix).T, inverse @ matrix),
    ):
        assert np.abs(left - right).max() <= 1e-9 * size**2
    assert np.abs(inverse - np.linalg.pinv(matrix, rcond=1e-10)).max() <= 1e-9 * size**2


@settings(max_examples=40, deadline=None)
@given(seed=seeds, m=sizes, n=sizes)
def test_general_solution(seed, m, n):
    """Of all solutions the one nearest to z."""
    matrix, rng = random_matrix(seed, m, n, batch=(3,))
    z, right = rng.normal(size=(3, n)), np.einsum("bmn,bn->bm", matrix, rng.normal(size=(3, n)))
    solution = general_solution(matrix, right, z)
    projector = pseudoinverse.null_space_projector(lapack(matrix)[0])
    scale = max(1.0, np.abs(solution).max())
    assert np.abs(np.einsum("bmn,bn->bm", matrix, solution) - right).max() <= 1e-8 * scale
    away = solution - z
    assert np.abs(np.einsum("bij,bj->bi", projector, away)).max() <= 1e-8 * scale, "nothing left to gain"
    assert np.abs(projector @ projector - projector).max() < 1e-10


@settings(max_examples=60, deadline=None)
@given(seed=seeds, m=sizes, n=sizes, rank=st.integers(1, 9), c=st.floats(1e-3, 1e3))
def test_damped_inverse_solves_the_normal_equations(seed, m, n, rank, c):
    """Ki & Sheen, eq. 7.2, and the two forms of Ge, 3.2."""
    matrix, rng = random_matrix(seed, m, n, rank)
    inverse = damped_inverse(matrix, c)
    assert np.abs(inverse - np.linalg.solve(matrix.T @ matrix + c**2 * np.eye(n), matrix.T)).max() < 1e-6
    assert np.abs(inverse - matrix.T @ np.linalg.inv(matrix @ matrix.T + c**2 * np.eye(m))).max() < 1e-6
    assert np.linalg.norm(inverse, 2) <= 1 / (2 * c) * (1 + 1e-12), "Ge: at most 1 / (2 lambda)"
    right = rng.normal(size=m)
    decomposition, _ = lapack(matrix)
    assert np.abs(damped.damped_least_squares(decomposition, right, c) - inverse @ right).max() < 1e-9 * (
        1 + np.abs(inverse @ right).max()
    )


def test_no_damping_is_the_pseudoinverse():
    for rank in (1, 2, 3):
        matrix, _ = random_matrix(rank, 3, 8, rank)
        plain = inverse_by(lapack(matrix)[0])
        assert np.abs(damped_inverse(matrix, 0.0) - plain).max() < 1e-10


@settings(max_examples=60, deadline=None)
@given(seed=seeds, m=sizes, n=sizes, c=st.floats(1e-2, 1e2))
def test_lemma_7_1(seed, m, n, c):
    matrix, _ = random_matrix(seed, m, n)
    values = np.linalg.svd(matrix, compute_uv=False)
    number = float(damped.condition_number(matrix, c))
    assert number == pytest.approx(np.linalg.cond(matrix.T @ matrix + c**2 * np.eye(n)), rel=1e-6)
    printed = (values[0] ** 2 + c**2) / c**2
    if n > m:
        assert number == pytest.approx(printed)
    else:
        assert number <= printed, "the text assumes a redundant figure"


def test_lemma_7_1_does_not_hold_for_a_square_jacobian():
    matrix = np.diag([2.0, 1.0])
    assert float(damped.condition_number(matrix, 1.0)) == pytest.approx(2.5)
    assert (2.0**2 + 1) / 1 == 5.0, "what the text prints"
    assert float(damped.condition_number(np.zeros((2, 3)), 0.0)) == np.inf


@settings(max_examples=60, deadline=None)
@given(seed=seeds, m=sizes, n=sizes, rank=st.integers(1, 9), c=st.floats(1e-2, 1e2))
def test_lemma_7_2(seed, m, n, rank, c):
    matrix, rng = random_matrix(seed, m, n, rank)
    lower, upper = damped.residual_bounds(matrix, c)
    right = rng.normal(size=(50, m))
    left = right - right @ (matrix @ damped_inverse(matrix, c)).T
    share = np.linalg.norm(left, axis=1) / np.linalg.norm(right, axis=1)
    assert (share >= lower - 1e-12).all()
    assert (share <= upper + 1e-12).all()


def test_lemma_7_2_is_not_strict_and_needs_full_rank():
    """Along the first and last singular vector both bounds are met; a singular J leaves all of dX undone."""
    matrix, _ = random_matrix(3, 3, 8)
    u, _, _ = np.linalg.svd(matrix)
    lower, upper = damped.residual_bounds(matrix, 0.5)
    left = np.eye(3) - matrix @ damped_inverse(matrix, 0.5)
    assert np.linalg.norm(left @ u[:, 0]) == pytest.approx(float(lower))
    assert np.linalg.norm(left @ u[:, 2]) == pytest.approx(float(upper))
    singular = np.vstack([matrix[:2], matrix[:1]])
    assert float(damped.residual_bounds(singular, 0.5)[1]) == pytest.approx(1.0)


def test_table_1_follows_from_the_singular_values():
    """Ki & Sheen, table 1: from the singular values printed under figures 11 to 14 to the printed digits."""
    for c, largest, smallest, condition, low, high in (
        (0.1, 12.3701, 0.1495, "1.5303e+04", "6.5347e-05", "0.3091"),
        (0.25, 12.3812, 0.1669, "2.4537e+03", "4.0755e-04", "0.6917"),
        (1.5, 12.160653, 0.5714, "66.7251", "0.0150", "0.8733"),
        (10.0, 11.7280, 0.5837, "2.3755", "0.4210", "0.9966"),
    ):
        jacobian = np.zeros((4, 9))
        jacobian[np.arange(4), np.arange(4)] = [largest, 5.0, 2.0, smallest]
        lower, upper = damped.residual_bounds(jacobian, c)
        style = ".4e" if "e" in condition else ".4f"
        assert format(float(damped.condition_number(jacobian, c)), style) == condition
        assert format(float(lower), ".4e" if "e" in low else ".4f") == low
        assert format(float(upper), ".4f") == high


def test_refuses_bad_damping():
    matrix = np.eye(2, 4)
    for bad in (-1.0, np.nan, np.inf):
        with pytest.raises(BadValue, match="damping"):
            damped_inverse(matrix, bad)
        with pytest.raises(BadValue, match="damping"):
            damped.condition_number(matrix, bad)
    with pytest.raises(BadValue, match="positive"):
        damped.residual_bounds(matrix, 0.0)


def test_batches():
    matrix, rng = random_matrix(1, 3, 7, batch=(4, 2))
    c = rng.uniform(0.1, 1, (4, 2))
    inverse = damped_inverse(matrix, c)
    number = damped.condition_number(matrix, c)
    lower, upper = damped.residual_bounds(matrix, c)
    for i in np.ndindex(4, 2):
        assert np.abs(inverse[i] - damped_inverse(matrix[i], c[i])).max() < 1e-12
        assert number[i] == pytest.approx(float(damped.condition_number(matrix[i], c[i])), rel=1e-12)
        assert (lower[i], upper[i]) == pytest.approx(damped.residual_bounds(matrix[i], c[i]), rel=1e-12)
