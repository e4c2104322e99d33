# SPDX-License-Identifier: GPL-3.0-or-later
"""Lemmas and theorems of Ki & Sheen, sections 4 to 6, on random matrices; and where the text is wrong, by
example.

Sections 5 and 6 assume all effectors together to be of full rank; `ranks` draws such matrices. (Section
7's lemmas are tested with the functions that hold them, in tests/ikmath/linalg/test_damped.py.)
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ikmath.classic.svd.svd import SVD, lapack
from tests.ikmath.linalg import test_damped
from tests.ikmath.linalg.test_damped import general_solution, inverse_by
from tests.ikmath.linalg.test_priority import stacked_inverse

STATEMENTS = {
    "test_theorems_4_1_to_4_4": ("4.1", "4.2", "4.3", "4.4"),
    "test_theorems_4_6_and_4_7": ("4.6", "4.7"),
    "test_corollary_4_8_and_theorem_4_9": ("4.8", "4.9"),
    "test_lemmas_5_1_to_5_4_and_theorem_5_5": ("5.1", "5.2", "5.3", "5.4", "5.5"),
    "test_theorem_5_6_and_a_sign_in_its_proof": ("5.6",),
    "test_lemma_6_1_and_theorem_6_2": ("6.1", "6.2"),
    "test_lemmas_6_3_to_6_7_and_theorem_6_8": ("6.3", "6.4", "6.5", "6.6", "6.7", "6.8"),
    "test_lemma_6_9_and_theorem_6_13": ("6.9", "6.13"),
    "test_lemmas_6_11_6_12_6_16_6_17": ("6.10", "6.11", "6.12", "6.14", "6.15", "6.16", "6.17"),
    "test_theorems_6_18_6_19_and_the_formula_for_three": ("6.18", "6.19"),
    "test_moore_penrose": ("4.5",),
    "test_lemma_7_1": ("7.1",),
    "test_lemma_7_2": ("7.2",),
}
"""Every numbered definition, lemma, theorem and corollary of sections 4 to 7, and the test that holds it."""

seeds = st.integers(0, 2**32 - 1)
CLOSE = 1e-8


def pinv(matrix):
    return inverse_by(lapack(matrix)[0], threshold=1e-10)


def projection(matrix):
    return np.eye(matrix.shape[1]) - pinv(matrix) @ matrix


@st.composite
def ranks(draw, count, spare_at_least=1):
    """`count` matrices (m_i, n), well conditioned and of full rank together; and a generator."""
    rng = np.random.default_rng(draw(seeds))
    sizes = [draw(st.integers(1, 3)) for _ in range(count)]
    n = sum(sizes) + draw(st.integers(spare_at_least, 4))
    basis, _ = np.linalg.qr(rng.normal(size=(n, n)))
    stack = rng.uniform(0.5, 2, (sum(sizes), sum(sizes))) + 2 * np.eye(sum(sizes))
    stack = np.linalg.qr(stack)[0] * rng.uniform(0.5, 2, sum(sizes)) @ basis[: sum(sizes)]
    return np.split(stack, np.cumsum(sizes)[:-1]), rng


def generalized_inverse(matrix, rng):
    """Theorem 4.1: Q [[I, U], [V, W]] P with U, V, W arbitrary."""
    u, s, vt = np.linalg.svd(matrix)
    rank = int((s > 1e-10 * s.max(initial=1)).sum())
    p = u.T.copy()
    p[:rank] /= s[:rank, None]
    middle = rng.normal(size=(matrix.shape[1], matrix.shape[0]))
    middle[:rank, :rank] = np.eye(rank)
    return vt.T @ middle @ p


def test_every_statement_has_its_test():
    numbers = {number for held in STATEMENTS.values() for number in held}
    sections = {4: range(1, 10), 5: range(1, 7), 6: range(1, 20), 7: range(1, 3)}
    assert numbers == {f"{section}.{k}" for section, count in sections.items() for k in count}
    for name in STATEMENTS:
        assert callable(globals().get(name) or getattr(test_damped, name))


# ------------------------------------------------------------------ section 4
@settings(max_examples=80)
@given(seed=seeds, m=st.integers(1, 6), n=st.integers(1, 6), rank=st.integers(1, 6))
def test_theorems_4_1_to_4_4(seed, m, n, rank):
    rng = np.random.default_rng(seed)
    rank = min(m, n, rank)
    left, right = np.linalg.qr(rng.normal(size=(m, rank)))[0], np.linalg.qr(rng.normal(size=(n, rank)))[0]
    j = left * rng.uniform(0.5, 2, rank) @ right.T
    g1, g2 = generalized_inverse(j, rng), generalized_inverse(j, rng)
    assert np.abs(j @ g1 @ j - j).max() < CLOSE, "4.1"
    dx = j @ rng.normal(size=n)
    assert np.abs(j @ (g1 @ dx) - dx).max() < CLOSE, "4.2"
    z = rng.normal(size=n)
    assert np.abs(j @ (g1 @ dx + (g2 @ j - np.eye(n)) @ z) - dx).max() < CLOSE, "4.3"
    null = np.eye(n) - g2 @ j
    assert np.abs(null @ null - null).max() < 1e-6, "4.4: a projection"
    assert np.abs(j @ null).max() < CLOSE, "4.4: into the null space"
    inside = projection(j) @ z
    assert np.abs(null @ inside - inside).max() < 1e-6, "4.4: onto all of it"


@settings(max_examples=60)
@given(seed=seeds, m=st.integers(1, 6), n=st.integers(1, 6), rank=st.integers(1, 6))
def test_theorems_4_6_and_4_7(seed, m, n, rank):
    """By every decomposition. (The text prints s_1 > s_2 > ..., but they may be equal; and A^+ is n x m.)"""
    rng = np.random.default_rng(seed)
    rank = min(m, n, rank)
    a = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
    for name, backend in SVD.items():
        (u, s, vt), _ = backend.decompose(a, None)
        k = int((s > 1e-10 * s[0]).sum())
        assert k <= min(m, n), "4.6"
        assert (np.diff(s) <= 0).all(), "4.6"
        assert np.abs(u[:, :k].T @ u[:, :k] - np.eye(k)).max() < CLOSE, "4.6"
        assert np.abs(vt[:k] @ vt[:k].T - np.eye(k)).max() < CLOSE, "4.6"
        assert np.abs(u[:, :k].T @ a @ vt[:k].T - np.diag(s[:k])).max() < CLOSE * (1 + s[0]), "4.6"
        inverse = (vt[:k].T / s[:k]) @ u[:, :k].T
        assert inverse.shape == (n, m), "4.7"
        assert np.abs(inverse - pinv(a)).max() < CLOSE * (1 + np.abs(inverse).max()), f"4.7 by {name}"


@settings(max_examples=60)
@given(seed=seeds, m=st.integers(1, 6), n=st.integers(1, 6), rank=st.integers(1, 6))
def test_corollary_4_8_and_theorem_4_9(seed, m, n, rank):
    rng = np.random.default_rng(seed)
    rank = min(m, n, rank)
    a = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
    inverse = pinv(a)
    u, s, vt = np.linalg.svd(a)
    k = int((s > 1e-10 * s[0]).sum())
    assert np.abs(a @ inverse - u[:, :k] @ u[:, :k].T).max() < CLOSE, "4.8"
    assert np.abs(inverse @ a - vt[:k].T @ vt[:k]).max() < CLOSE, "4.8"
    b = rng.normal(size=m)
    x = inverse @ b
    for _ in range(5):
        other = x + 0.3 * rng.normal(size=n)
        assert np.linalg.norm(a @ x - b) <= np.linalg.norm(a @ other - b) + CLOSE, "4.9"
    longer = x + projection(a) @ rng.normal(size=n)
    assert np.linalg.norm(x) <= np.linalg.norm(longer) + CLOSE, "of all minimisers the shortest"


def test_full_rank_formulas():
    """After theorem 4.9: A^+ = A^T (A A^T)^-1 for k = m < n, A^+ = (A^T A)^-1 A^T for k = n < m."""
    rng = np.random.default_rng(0)
    wide, tall = rng.normal(size=(3, 5)), rng.normal(size=(5, 3))
    assert np.abs(pinv(wide) - wide.T @ np.linalg.inv(wide @ wide.T)).max() < CLOSE
    assert np.abs(pinv(tall) - np.linalg.inv(tall.T @ tall) @ tall.T).max() < CLOSE
    assert np.abs(wide @ pinv(wide) - np.eye(3)).max() < CLOSE
    assert np.abs(pinv(wide) @ wide - np.eye(5)).max() > 0.1


# ------------------------------------------------------------------ section 5
@settings(max_examples=60)
@given(data=ranks(2))
def test_lemmas_5_1_to_5_4_and_theorem_5_5(data):
    (j1, j2), rng = data
    n1, (m2, n) = projection(j1), j2.shape
    x = pinv(j2 @ n1)
    assert np.linalg.matrix_rank(j2 @ n1, tol=1e-8) == m2, "5.1 (the text prints m_1)"
    assert np.abs(j1 @ n1 @ x).max() < CLOSE, "5.2"
    assert np.abs(j2 @ n1 @ x - np.eye(m2)).max() < CLOSE, "5.2"
    assert np.abs(n1 @ x - x).max() < CLOSE, "5.3"
    both = n1 @ (np.eye(n) - x @ j2 @ n1)
    assert np.abs(both - projection(np.vstack([j1, j2]))).max() < CLOSE, "5.4"
    dx1, dx2, z = rng.normal(size=len(j1)), rng.normal(size=m2), rng.normal(size=n)
    dh = pinv(j1) @ dx1 + x @ (dx2 - j2 @ pinv(j1) @ dx1) + both @ z
    assert np.abs(j1 @ dh - dx1).max() < CLOSE, "5.5, eq. 5.1"
    assert np.abs(j2 @ dh - dx2).max() < CLOSE
    stack = general_solution(np.vstack([j1, j2]), np.concatenate([dx1, dx2]), z)
    assert np.abs(dh - stack).max() < CLOSE, "eq. 5.2"


@settings(max_examples=60)
@given(data=ranks(2))
def test_theorem_5_6_and_a_sign_in_its_proof(data):
    (j1, j2), rng = data
    x = pinv(j2 @ projection(j1))
    g = np.hstack([(np.eye(j1.shape[1]) - x @ j2) @ pinv(j1), x])
    stack = np.vstack([j1, j2])
    assert np.abs(g - pinv(stack)).max() < CLOSE, "5.6"
    gj = g @ stack
    plus = pinv(j1) @ j1 + x @ (j2 @ projection(j1))
    minus = pinv(j1) @ j1 - x @ (j2 @ projection(j1))
    assert np.abs(gj - plus).max() < CLOSE
    assert np.abs(gj - minus).max() > 0.1, "the proof prints a minus"
    dx1, dx2 = rng.normal(size=len(j1)), rng.normal(size=len(j2))
    dh = pinv(j1) @ dx1 + x @ (dx2 - j2 @ pinv(j1) @ dx1)
    assert np.abs(dh - pinv(stack) @ np.concatenate([dx1, dx2])).max() < CLOSE, (
        "eq. 5.3: the shortest solution"
    )


def test_lemma_5_1_needs_more_than_it_says():
    """J_1 and J_2 of full rank, m_1 + m_2 < n: equal ones, and ones that share a single row, leave less."""
    rng = np.random.default_rng(3)
    j1, j2 = rng.normal(size=(2, 7)), rng.normal(size=(2, 7))
    j2[1] = j1[0]
    assert np.linalg.matrix_rank(j1) == np.linalg.matrix_rank(j2) == 2
    assert np.linalg.matrix_rank(j2 @ projection(j1), tol=1e-9) == 1
    assert np.abs(j2 @ projection(j1) @ pinv(j2 @ projection(j1)) - np.eye(2)).max() > 0.1, (
        "lemma 5.2 falls with it"
    )


# ------------------------------------------------------------------ section 6
@settings(max_examples=60)
@given(data=ranks(3))
def test_lemma_6_1_and_theorem_6_2(data):
    tasks, rng = data
    z = np.split(pinv(np.vstack(tasks)), np.cumsum([len(t) for t in tasks])[:-1], axis=1)
    for i, zi in enumerate(z):
        for j, task in enumerate(tasks):
            assert np.abs(task @ zi - (np.eye(len(task)) if i == j else 0)).max() < CLOSE, "6.1"
    right = [rng.normal(size=len(t)) for t in tasks]
    for j, task in enumerate(tasks):
        first = pinv(task) @ right[j]
        dh = first + sum(z[i] @ (right[i] - tasks[i] @ first) for i in range(3))
        for one, dx in zip(tasks, right, strict=True):
            assert np.abs(one @ dh - dx).max() < CLOSE, "6.2, for every j"


@settings(max_examples=60)
@given(data=ranks(3))
def test_lemmas_6_3_to_6_7_and_theorem_6_8(data):
    (j1, j2, j3), rng = data
    n = j1.shape[1]
    g = np.hstack([pinv(j1 @ projection(j2)), pinv(j2 @ projection(j1))])
    assert np.abs(np.vstack([j1, j2]) @ g - np.eye(len(j1) + len(j2))).max() < CLOSE, "6.3"

    def of_three(a, b, c):
        p = np.eye(n) - pinv(b @ projection(c)) @ b - pinv(c @ projection(b)) @ c
        assert np.abs(p @ p - p).max() < CLOSE
        assert np.abs(p - p.T).max() < CLOSE
        return pinv(a @ p)

    x = of_three(j1, j2, j3)
    assert np.abs(j1 @ x - np.eye(len(j1))).max() < CLOSE, "6.4"
    assert np.abs(j2 @ x).max() < CLOSE
    assert np.abs(j3 @ x).max() < CLOSE
    n23 = projection(j3) @ (np.eye(n) - pinv(j2 @ projection(j3)) @ j2 @ projection(j3))
    assert np.linalg.matrix_rank(j1 @ n23, tol=1e-8) == len(j1), "6.5"
    y = pinv(j1 @ n23)
    assert np.abs(n23 @ y - y).max() < CLOSE, "6.6"
    last = n23 @ (np.eye(n) - y @ j1 @ n23)
    assert np.abs(last - projection(np.vstack([j1, j2, j3]))).max() < CLOSE, "6.7"
    dx = [rng.normal(size=len(j)) for j in (j1, j2, j3)]
    first = pinv(j1) @ dx[0]
    dh = first + of_three(j2, j3, j1) @ (dx[1] - j2 @ first) + of_three(j3, j1, j2) @ (dx[2] - j3 @ first)
    dh = dh + last @ rng.normal(size=n)
    for task, right in zip((j1, j2, j3), dx, strict=True):
        assert np.abs(task @ dh - right).max() < CLOSE, "6.8"


def without(tasks, j):
    return np.vstack([task for i, task in enumerate(tasks) if i != j])


@settings(max_examples=40)
@given(data=ranks(4))
def test_lemma_6_9_and_theorem_6_13(data):
    tasks, rng = data
    n = tasks[0].shape[1]
    z = []
    for j, task in enumerate(tasks):
        others = without(tasks, j)
        z.append(pinv(task @ (np.eye(n) - pinv(others) @ others)))
    assert np.abs(np.vstack(tasks) @ np.hstack(z) - np.eye(sum(len(t) for t in tasks))).max() < CLOSE, "6.9"
    right = [rng.normal(size=len(t)) for t in tasks]
    first = pinv(tasks[0]) @ right[0]
    dh = first + sum(z[i] @ (right[i] - tasks[i] @ first) for i in range(1, 4))
    _, free = stacked_inverse(tasks)
    dh = dh + free @ rng.normal(size=n)
    for task, dx in zip(tasks, right, strict=True):
        assert np.abs(task @ dh - dx).max() < CLOSE, "6.13"


def test_lemma_6_9_needs_the_pseudoinverse():
    """It asks only for an inverse from the right; its proof uses that I - sum Z J is symmetric."""
    rng = np.random.default_rng(5)
    tasks = [rng.normal(size=(2, 8)) for _ in range(3)]
    others = without(tasks, 0)
    oblique = pinv(others) + projection(others) @ rng.normal(size=(8, 4))
    assert np.abs(others @ oblique - np.eye(4)).max() < CLOSE, "what the lemma asks for"
    z = pinv(tasks[0] @ (np.eye(8) - oblique @ others))
    assert np.abs(others @ z).max() > 0.1, "what it claims to be zero"


@settings(max_examples=40)
@given(data=ranks(4))
def test_lemmas_6_11_6_12_6_16_6_17(data):
    tasks, rng = data
    n = tasks[0].shape[1]
    free = np.eye(n)
    for i, task in enumerate(tasks):
        before, seen = free, task @ free
        assert np.linalg.matrix_rank(seen, tol=1e-8) == len(task), "6.11.2"
        assert np.abs(before @ pinv(seen) - pinv(seen)).max() < CLOSE, "6.11.3"
        free = before @ (np.eye(n) - pinv(seen) @ seen)  # definition 6.10 and 6.14
        assert np.abs(free - free.T).max() < CLOSE, "6.11.1"
        stack = np.vstack(tasks[: i + 1])
        assert np.abs(stack @ free).max() < CLOSE, "6.11.4"
        inside = projection(stack) @ rng.normal(size=n)
        assert np.abs(free @ inside - inside).max() < CLOSE, "6.11.5 and 6.12"
        inverse, kept = stacked_inverse(tasks[: i + 1])
        assert np.abs(kept - free).max() < CLOSE, "definitions 6.10 and 6.14 are one"
        assert np.abs(kept - projection(stack)).max() < CLOSE, "6.12: the projection onto it"
        assert np.abs(stack @ inverse - np.eye(len(stack))).max() < CLOSE, "6.16"
        assert np.abs(inverse @ stack - (np.eye(n) - kept)).max() < CLOSE, "6.16"
        assert np.abs(inverse - pinv(stack)).max() < CLOSE, "6.17"


@settings(max_examples=40)
@given(data=ranks(3))
def test_theorems_6_18_6_19_and_the_formula_for_three(data):
    (j1, j2, j3), rng = data
    n = j1.shape[1]
    dx = [rng.normal(size=len(j)) for j in (j1, j2, j3)]
    f1 = np.eye(n) - pinv(j1) @ j1
    f2 = f1 @ (np.eye(n) - pinv(j2 @ f1) @ j2 @ f1)
    a, b = np.eye(n) - pinv(j3 @ f2) @ j3, np.eye(n) - pinv(j2 @ f1) @ j2
    dh = a @ b @ pinv(j1) @ dx[0] + a @ pinv(j2 @ f1) @ dx[1] + pinv(j3 @ f2) @ dx[2]
    shortest = pinv(np.vstack([j1, j2, j3])) @ np.concatenate(dx)
    assert np.abs(dh - shortest).max() < CLOSE
    inverse, free = stacked_inverse([j1, j2, j3])
    z = rng.normal(size=n)
    general = inverse @ np.concatenate(dx) + free @ z
    for task, right in zip((j1, j2, j3), dx, strict=True):
        assert np.abs(task @ general - right).max() < CLOSE, "6.18"
    assert np.linalg.norm(dh) <= np.linalg.norm(general) + CLOSE, "6.19"


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_the_order_does_not_matter_for_full_rank(order):
    rng = np.random.default_rng(9)
    tasks = [rng.normal(size=(2, 9)) for _ in range(3)]
    right = [rng.normal(size=2) for _ in range(3)]
    inverse, _ = stacked_inverse([tasks[i] for i in order])
    dh = inverse @ np.concatenate([right[i] for i in order])
    assert np.abs(dh - pinv(np.vstack(tasks)) @ np.concatenate(right)).max() < CLOSE
