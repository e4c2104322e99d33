# SPDX-License-Identifier: GPL-3.0-or-later
"""Singular value decompositions by Givens rotations that start from the previous one.

During a motion, the Jacobian changes little, so the rotations that made the previous one orthogonal make this
one nearly orthogonal (Maciejewski & Klein 1989; Ge, 3.4 and 3.5). There are two:

* `column_givens` rotates the columns until they are orthogonal: `J V = B`, `u_i = b_i / |b_i|` (Ge, eq. 3.7
  to 3.13). An n x n matrix is rotated for at most m singular values. Ge warns that n of them may differ from
  zero; after convergence, all but min(m, n) are rounding errors, and only the largest min(m, n) are returned.
* `row_givens`, Ge's own, rotates the rows: `U^T J = B`, `v_i = b_i / |b_i|`. U is m x m.

Differences from the text: "in most of the cases only one sweep is needed, checking for orthogonality can be
eliminated" holds for display precision only, so here sweeps continue until the rows are orthogonal to
rounding. The approximate rotation with cos = sin = 2 / sqrt(2) (it must be sqrt(2) / 2) is not orthogonal, so
rotations here are exact. Rounding errors accumulate in the basis, so it is reset to the identity every
`RESET_PERIOD` steps.

The angles only depend on the inner products of the rows (eq. 3.12). For one small matrix, the rotations are
computed from the m x m matrix of inner products in plain floats and applied to the rows all at once. Then the
inner products are recomputed from the rows, which keeps the accuracy that the squared matrix would lose.
"""

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Index
from ...errors import BadShape
from .decomposition import Basis, Svd, as_matrix

RESET_PERIOD = 100
"""Warm steps after which the basis is reset to the identity (Ge, 3.4: "reset V ... periodically")."""

MAX_SWEEPS = 60
"""Maximum number of sweeps; convergence is quadratic and takes 3 to 12."""

_EPSILON = float(np.finfo(np.float64).eps)
_SMALL = 8
_SMALLEST_SQUARE, _LARGEST_SQUARE = 1e-200, 1e200


def row_givens(matrix: Array, state: Basis | None = None) -> tuple[Svd, Basis]:
    """Decompose by orthogonalising the rows (Ge, 3.5): at most m singular values.

    Args:
        matrix: (*batch, m, n).
        state: the basis returned by the last call, or None for a cold start.

    Returns:
        The decomposition and the basis for the next call.

    Raises:
        BadShape: the matrix has fewer than two axes, or the state is of another shape.
        BadValue: the matrix is not finite.
    """
    array = as_matrix(matrix)
    rows, columns = array.shape[-2:]
    if rows > columns:
        # With more rows than columns, orthogonal rows would have to be zero. The rows of the transpose are
        # the columns.
        turned, following = row_givens(array.swapaxes(-1, -2), state)
        return Svd(turned.vt.swapaxes(-1, -2), turned.s, turned.u.swapaxes(-1, -2)), following
    if array.ndim == 2 and rows <= _SMALL:
        quick = _row_givens_small(array, state)
        if quick is not None:
            return quick
    flat, exponent, basis = _start(array, rows, state)
    vectors = basis.swapaxes(-1, -2) @ flat
    basis, vectors = _orthogonalize(basis, vectors)
    left, values, right = _normalize(basis, vectors, rows)
    return _finish(array.shape, left, np.ldexp(values, exponent), right, state)


def column_givens(matrix: Array, state: Basis | None = None) -> tuple[Svd, Basis]:
    """Decompose by orthogonalising the columns (Ge, 3.4).

    Args:
        matrix: (*batch, m, n).
        state: the basis returned by the last call, or None for a cold start.

    Returns:
        The decomposition and the basis for the next call.

    Raises:
        BadShape: the matrix has fewer than two axes, or the state is of another shape.
        BadValue: the matrix is not finite.
    """
    array = as_matrix(matrix)
    rows, columns = array.shape[-2:]
    flat, exponent, basis = _start(array, columns, state)
    vectors = (flat @ basis).swapaxes(-1, -2)
    basis, vectors = _orthogonalize(basis, vectors)
    right, values, left = _normalize(basis, vectors, min(rows, columns))
    decomposition, following = _finish(array.shape, right, np.ldexp(values, exponent), left, state)
    return (
        Svd(decomposition.vt.swapaxes(-1, -2), decomposition.s, decomposition.u.swapaxes(-1, -2)),
        following,
    )


def _row_givens_small(array: Array, state: Basis | None) -> tuple[Svd, Basis] | None:
    """The fast path for one small matrix of full rank; None if the general one is needed."""
    order = len(array)
    fresh = state is None or state.age >= RESET_PERIOD
    basis = np.eye(order) if state is None or fresh else state.matrix
    if basis.shape != (order, order):
        return None
    vectors = basis.T.dot(array)
    basis, vectors = _orthogonalize_small(basis, vectors)
    squares = np.einsum("pd,pd->p", vectors, vectors)
    told = squares.tolist()
    noise = (_EPSILON * max(array.shape)) ** 2 * sum(told)
    if not (min(told) > max(noise, _SMALLEST_SQUARE) and max(told) < _LARGEST_SQUARE):
        return None  # low rank, or squares out of range: scaled and completed by the general path
    if any(a < b for a, b in pairwise(told)):
        down = np.argsort(-squares, kind="stable")
        squares, basis, vectors = squares[down], basis[:, down], vectors[down]
    values = np.sqrt(squares)
    age = 1 if state is None or fresh else state.age + 1
    return Svd(basis, values, vectors / values[:, None]), Basis(basis, age)


def _start(array: Array, order: int, state: Basis | None) -> tuple[Array, NDArray[np.intc], Array]:
    """Flatten the batch, scale it, and return the initial basis (B, order, order).

    Scaling by a power of two (returned, (B, 1)) is exact and prevents under- and overflow of the squares.
    """
    flat = array.reshape(-1, *array.shape[-2:])
    exponent = np.frexp(np.abs(flat).max(axis=(1, 2)))[1][:, None]
    flat = np.ldexp(flat, -exponent[..., None])
    if state is None or state.age >= RESET_PERIOD:
        return flat, exponent, np.broadcast_to(np.eye(order), (len(flat), order, order))
    expected = (*array.shape[:-2], order, order)
    if state.matrix.shape != expected:
        raise BadShape("state of the decomposition", str(expected), state.matrix.shape)
    return flat, exponent, state.matrix.reshape(-1, order, order)


def _finish(
    shape: tuple[int, ...], basis: Array, values: Array, others: Array, state: Basis | None
) -> tuple[Svd, Basis]:
    batch, kept = shape[:-2], values.shape[-1]
    age = 1 if state is None or state.age >= RESET_PERIOD else state.age + 1
    following = Basis(basis.reshape(*batch, *basis.shape[-2:]), age)
    decomposition = Svd(
        following.matrix[..., :kept], values.reshape(*batch, kept), others.reshape(*batch, *others.shape[-2:])
    )
    return decomposition, following


def _orthogonalize(basis: Array, vectors: Array) -> tuple[Array, Array]:
    """Rotate the rows of `vectors` (B, p, d) until they are orthogonal; `basis` follows by columns."""
    if len(vectors) == 1 and vectors.shape[1] <= _SMALL:
        small_basis, small = _orthogonalize_small(basis[0], vectors[0])
        return small_basis[None], small[None]
    return _orthogonalize_rounds(basis, vectors)


def _orthogonalize_small(basis: Array, vectors: Array) -> tuple[Array, Array]:
    """One matrix with few rows: rotations in floats from the inner products, applied to the rows at once."""
    tolerance = _tolerance(vectors.shape[1])
    for _ in range(MAX_SWEEPS):
        rotation = _gram_rotation((vectors @ vectors.T).tolist(), tolerance)
        if rotation is None:
            break
        turn = np.array(rotation)
        vectors = turn @ vectors
        basis = basis @ turn.T
    return basis, vectors


def _gram_rotation(gram: list[list[float]], tolerance: float) -> list[list[float]] | None:
    """Diagonalise a matrix of inner products by Givens rotations; None if it is already diagonal."""
    order = len(gram)
    floor = _EPSILON * _EPSILON * sum(gram[i][i] for i in range(order))
    rotation: list[list[float]] | None = None
    for _ in range(MAX_SWEEPS):
        quiet = True
        for i in range(order - 1):
            for j in range(i + 1, order):
                first, second, product = gram[i][i], gram[j][j], gram[i][j]
                if product * product <= tolerance * tolerance * first * second or abs(product) <= floor:
                    continue
                quiet = False
                if rotation is None:
                    rotation = [[float(a == b) for b in range(order)] for a in range(order)]
                slope = (second - first) / (2.0 * product)
                tangent = math.copysign(1.0, slope) / (abs(slope) + math.hypot(1.0, slope))
                cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
                sine = cosine * tangent
                gram[i][i], gram[j][j] = first - tangent * product, second + tangent * product
                gram[i][j] = gram[j][i] = 0.0
                row_i, row_j = rotation[i], rotation[j]
                for k in range(order):
                    if k != i and k != j:
                        a, b = gram[k][i], gram[k][j]
                        gram[k][i] = gram[i][k] = cosine * a - sine * b
                        gram[k][j] = gram[j][k] = sine * a + cosine * b
                    a, b = row_i[k], row_j[k]
                    row_i[k], row_j[k] = cosine * a - sine * b, sine * a + cosine * b
        if quiet:
            break
    return rotation


def _orthogonalize_rounds(basis: Array, vectors: Array) -> tuple[Array, Array]:
    """Any batch, any number of rows: a sweep is p - 1 rounds of p / 2 disjoint pairs, rotated all at once."""
    basis, vectors = basis.swapaxes(-1, -2).copy(), vectors.copy()
    tolerance = _tolerance(vectors.shape[-1])
    # A row below this is rounding error; its direction is arbitrary, and rotating it would never end.
    floor = _noise(vectors)[:, None] ** 2
    rounds = _tournament(vectors.shape[1])
    for _ in range(MAX_SWEEPS):
        # Largest rows first: sweeps then converge on matrices of low rank (de Rijk 1989).
        order = np.argsort(-np.einsum("bpd,bpd->bp", vectors, vectors), axis=1, kind="stable")[..., None]
        vectors, basis = np.take_along_axis(vectors, order, 1), np.take_along_axis(basis, order, 1)
        quiet = True
        for i, j in rounds:
            first, second = vectors[:, i], vectors[:, j]
            first_square = np.einsum("bpd,bpd->bp", first, first)
            second_square = np.einsum("bpd,bpd->bp", second, second)
            product = np.einsum("bpd,bpd->bp", first, second)
            turn = product * product > tolerance * tolerance * first_square * second_square
            turn &= (first_square > floor) & (second_square > floor)
            if not turn.any():
                continue
            quiet = False
            slope = (second_square - first_square) / (2.0 * np.where(turn, product, 1.0))
            tangent = np.where(turn, np.copysign(1.0, slope) / (np.abs(slope) + np.hypot(1.0, slope)), 0.0)
            cosine = (1.0 / np.sqrt(1.0 + tangent * tangent))[..., None]
            sine = cosine * tangent[..., None]
            vectors[:, i], vectors[:, j] = cosine * first - sine * second, sine * first + cosine * second
            first, second = basis[:, i], basis[:, j]
            basis[:, i], basis[:, j] = cosine * first - sine * second, sine * first + cosine * second
        if quiet:
            break
    return basis.swapaxes(-1, -2), vectors


def _tournament(count: int) -> list[tuple[Index, Index]]:
    """All pairs once, in rounds of disjoint pairs (the circle method)."""
    seats = list(range(count)) + ([-1] if count % 2 else [])
    half = len(seats) // 2
    rounds = []
    for _ in range(len(seats) - 1):
        pairs = [
            (min(a, b), max(a, b))
            for a, b in zip(seats[:half], seats[: half - 1 : -1], strict=True)
            if min(a, b) >= 0
        ]
        if pairs:
            table = np.array(pairs, dtype=np.intp)
            rounds.append((table[:, 0], table[:, 1]))
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return rounds


def _tolerance(length: int) -> float:
    """Cosine between two rows of this length that rounding errors can leave."""
    return 4.0 * _EPSILON * math.sqrt(length)


def _noise(vectors: Array) -> Array:
    """Length (B,) below which a row of (B, p, d) is rounding error of the others."""
    norm: Array = np.sqrt(np.einsum("bpd,bpd->b", vectors, vectors))
    return _EPSILON * max(vectors.shape[1:]) * norm


def _normalize(basis: Array, vectors: Array, kept: int) -> tuple[Array, Array, Array]:
    """Sort by length, split orthogonal rows into lengths and directions, complete those without length."""
    limit = _noise(vectors)[:, None]
    lengths = np.sqrt(np.einsum("bpd,bpd->bp", vectors, vectors))
    order = np.argsort(-lengths, axis=1, kind="stable")
    basis = np.take_along_axis(basis, order[:, None, :], 2)
    values = np.take_along_axis(lengths, order, 1)[:, :kept]
    vectors = np.take_along_axis(vectors, order[:, :kept, None], 1)
    noise = values <= limit
    directions = vectors / np.where(noise, 1.0, values)[..., None]
    for index in np.flatnonzero(noise.any(axis=1)):
        known = int(np.count_nonzero(~noise[index]))
        complete, _ = np.linalg.qr(directions[index, :known].T, mode="complete")
        directions[index, known:] = complete.T[known:kept]
    return basis, np.where(noise, 0.0, values), directions
