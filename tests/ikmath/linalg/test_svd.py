# SPDX-License-Identifier: GPL-3.0-or-later
"""Every SVD backend, against LAPACK and against the definition, cold and over ten thousand warm steps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ikmath.classic.svd import givens
from ikmath.classic.svd.svd import SVD, backend
from ikmath.errors import BadShape, BadValue, UnknownName

SHAPES = [(3, 9), (3, 30), (3, 90), (6, 7), (7, 6), (12, 12), (15, 66), (20, 4), (1, 5), (5, 1), (1, 1)]
TOLERANCE = 1e-9


def zoo(rng):
    """Matrices that decompositions fail on: random, low rank, near-singular, repeated values, zero."""
    for shape in SHAPES:
        yield f"random {shape}", rng.normal(size=shape)
    yield "rank 2 of 6", rng.normal(size=(6, 2)) @ rng.normal(size=(2, 30))
    yield "rank 1", np.ones((3, 9))
    yield "zero", np.zeros((3, 9))
    yield "zero row", np.vstack([rng.normal(size=(2, 9)), np.zeros(9)])
    yield "equal rows", np.vstack([np.arange(9.0), np.arange(9.0), rng.normal(size=9)])
    left, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    right, _ = np.linalg.qr(rng.normal(size=(40, 40)))
    for name, values in (
        ("near-singular", [3, 2, 1, 1e-5, 1e-9, 1e-13]),
        ("repeated", [3, 3, 3, 1, 1, 1]),
        ("all equal", [2, 2, 2, 2, 2, 2]),
        ("huge and tiny", [1e8, 1e4, 1, 1e-2, 1e-3, 1e-4]),
    ):
        yield name, left @ np.diag(values) @ right[:6]
    yield "small", 1e-150 * rng.normal(size=(3, 9))
    yield "large", 1e150 * rng.normal(size=(3, 9))


def assert_is_svd(matrix, decomposition, tolerance=TOLERANCE):
    scale = max(np.linalg.norm(matrix), np.finfo(float).tiny)
    u, s, vt = decomposition
    identity = np.eye(s.shape[-1])
    assert (s >= 0).all()
    assert (np.diff(s, axis=-1) <= 0).all()
    assert np.abs(u @ (s[..., None] * vt) - matrix).max() <= tolerance * scale
    assert np.abs(u.swapaxes(-1, -2) @ u - identity).max() <= tolerance
    assert np.abs(vt @ vt.swapaxes(-1, -2) - identity).max() <= tolerance
    reference = np.linalg.svd(matrix, compute_uv=False)
    assert np.abs(s - reference).max() <= tolerance * max(reference.max(), np.finfo(float).tiny)


@pytest.mark.parametrize("name", SVD)
def test_decomposes_the_zoo(name):
    for label, matrix in zoo(np.random.default_rng(3)):
        before = matrix.copy()
        decomposition, _ = SVD[name].decompose(matrix, None)
        assert_is_svd(matrix, decomposition)
        assert (matrix == before).all(), label


@pytest.mark.parametrize("name", SVD)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), m=st.integers(1, 10), n=st.integers(1, 14), rank=st.integers(0, 10))
def test_decomposes_any_rank(name, seed, m, n, rank):
    rng = np.random.default_rng(seed)
    rank = min(m, n, rank)
    matrix = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
    decomposition, _ = SVD[name].decompose(matrix, None)
    assert_is_svd(matrix, decomposition)
    assert np.count_nonzero(decomposition.rank(1e-9)) == rank


@pytest.mark.parametrize("name", SVD)
@pytest.mark.parametrize("batch", [(1,), (5,), (2, 3)])
@pytest.mark.parametrize("shape", [(3, 12), (12, 3), (9, 11)])
def test_batch_is_the_loop(name, batch, shape):
    rng = np.random.default_rng(5)
    matrices = rng.normal(size=(*batch, *shape))
    decomposition, state = SVD[name].decompose(matrices, None)
    assert_is_svd(matrices, decomposition)
    moved = matrices + 0.01 * rng.normal(size=matrices.shape)
    warm, _ = SVD[name].decompose(moved, state)
    assert_is_svd(moved, warm)
    for index in np.ndindex(*batch):
        single, _ = SVD[name].decompose(matrices[index], None)
        assert np.abs(single.s - decomposition.s[index]).max() <= 1e-12
        # Vectors may change their sign together; the projections on them may not.
        for one, many in ((single.u.T, decomposition.u[index].T), (single.vt, decomposition.vt[index])):
            assert (
                np.abs(np.einsum("ka,kb->kab", one, one) - np.einsum("ka,kb->kab", many, many)).max() <= 1e-10
            )


@pytest.mark.parametrize("shape", [(3, 30), (2, 4), (10, 14)])
@pytest.mark.parametrize("name", [name for name in SVD if SVD[name].warm])
def test_stays_exact_over_ten_thousand_warm_steps(name, shape):
    """A Jacobian in smooth motion; the rounding of one step must not survive in the next ones."""
    steps = 10_000 if shape == (2, 4) or (name, shape) == ("row_givens", (3, 30)) else 500
    rng = np.random.default_rng(11)
    start, waves = rng.normal(size=shape), rng.normal(size=(4, *shape))
    state, ages = None, set()
    for step in range(steps):
        angles = 0.002 * step * np.arange(1, 5) + np.arange(4)
        matrix = start + np.tensordot(np.sin(angles), waves, 1)
        decomposition, state = SVD[name].decompose(matrix, state)
        ages.add(state.age)
        if step % 97 == 0 or step >= steps - 5:
            assert_is_svd(matrix, decomposition, 1e-11)
            order = len(state.matrix)
            assert np.abs(state.matrix.T @ state.matrix - np.eye(order)).max() < 1e-11
    assert max(ages) == givens.RESET_PERIOD


@pytest.mark.parametrize("name", [name for name in SVD if SVD[name].warm])
def test_does_not_change_the_state_it_is_given(name):
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(3, 12))
    _, state = SVD[name].decompose(matrix, None)
    kept = state.matrix.copy()
    first, _ = SVD[name].decompose(matrix + 0.1, state)
    second, _ = SVD[name].decompose(matrix + 0.1, state)
    assert (state.matrix == kept).all()
    assert all((a == b).all() for a, b in zip(first, second, strict=True)), "same input, same output"


def test_small_and_batched_kernels_agree():
    rng = np.random.default_rng(8)
    matrix = rng.normal(size=(6, 40))
    single, _ = givens.row_givens(matrix)
    double, _ = givens.row_givens(np.stack([matrix, matrix]))
    assert np.abs(single.s - double.s).max() < 1e-12


def test_a_warm_start_turns_less_but_one_sweep_is_not_always_enough():
    """Ge, 3.4: "in most of the cases only one sweep is needed" - to a picture's precision."""
    rng = np.random.default_rng(4)
    matrix = rng.normal(size=(3, 90))
    _, state = givens.row_givens(matrix)
    moved = matrix + 1e-3 * rng.normal(size=matrix.shape)

    def largest_cosine(rows):
        lengths = np.linalg.norm(rows, axis=1)
        return np.abs((rows @ rows.T) / np.outer(lengths, lengths) - np.eye(3)).max()

    assert largest_cosine(state.matrix.T @ moved) < 0.01 * largest_cosine(moved), "nearly orthogonal at once"
    vectors = state.matrix.T @ moved
    for i, j in ((0, 1), (0, 2), (1, 2)):
        first, second = vectors[i].copy(), vectors[j].copy()
        slope = (second @ second - first @ first) / (2 * (first @ second))
        tangent = np.sign(slope) / (abs(slope) + np.hypot(1, slope))
        cosine = 1 / np.hypot(1, tangent)
        vectors[i], vectors[j] = cosine * (first - tangent * second), cosine * (tangent * first + second)
    assert largest_cosine(vectors) < 1e-4
    assert largest_cosine(vectors) > 1e-12, "one sweep without a check leaves more than rounding"


def test_text_prints_a_rotation_that_is_none():
    """Ge, 3.4, "both cos and sin can be assigned 2 / sqrt(2)": a rotation by 45 degrees has sqrt(2) / 2."""
    wrong, right = 2 / np.sqrt(2), np.sqrt(2) / 2
    assert wrong**2 + wrong**2 == pytest.approx(4.0)
    assert right**2 + right**2 == pytest.approx(1.0)


@pytest.mark.parametrize("name", SVD)
def test_refuses_what_is_no_matrix(name):
    decompose = SVD[name].decompose
    with pytest.raises(BadShape, match="matrix"):
        decompose(np.zeros(3), None)
    with pytest.raises(BadShape):
        decompose(np.zeros((0, 3)), None)
    with pytest.raises(BadValue, match="NaN"):
        decompose(np.full((2, 3), np.nan), None)


def test_refuses_a_foreign_state():
    _, state = givens.row_givens(np.eye(3, 9))
    with pytest.raises(BadShape, match="state"):
        givens.row_givens(np.eye(4, 9), state)


def test_unknown_backend_names_the_known_ones():
    assert backend("row_givens").name == "row_givens"
    with pytest.raises(UnknownName) as caught:
        backend("row_given")
    assert caught.value.known == tuple(SVD)
