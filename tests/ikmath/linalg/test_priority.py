# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks in order: Ki & Sheen's recursion where its assumption holds, and what remains of it where not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ikmath.classic.linalg.priority import solve_in_order

seeds = st.integers(0, 2**32 - 1)


def random_tasks(seed, sizes, n, shared=0):
    """Tasks (m_i, n); the first `shared` rows of the later ones repeat those of the first."""
    rng = np.random.default_rng(seed)
    tasks = [rng.normal(size=(m, n)) for m in sizes]
    for task in tasks[1:]:
        for row in range(min(shared, len(task), len(tasks[0]))):
            task[row] = tasks[0][row]
    return tasks, rng


def stacked_inverse(tasks, threshold=None):
    """~J_M and F_M of 6.1 to 6.4: what `solve_in_order` makes of the right sides' unit vectors."""
    rows, n = sum(map(len, tasks)), tasks[0].shape[1]
    columns, free = [], np.eye(n)
    for unit in np.eye(rows):
        rights = np.split(unit, np.cumsum([len(task) for task in tasks])[:-1])
        x, free = solve_in_order(list(zip(tasks, rights, strict=True)), n, threshold=threshold)
        columns.append(x)
    return np.array(columns).T, free


@settings(max_examples=60)
@given(seed=seeds, sizes=st.lists(st.integers(1, 3), min_size=1, max_size=4), spare=st.integers(0, 5))
def test_recursion_is_the_pseudoinverse_of_the_stack(seed, sizes, spare):
    """Lemmas 6.16, 6.17 and theorems 6.18, 6.19, for full rank."""
    n = sum(sizes) + spare
    tasks, rng = random_tasks(seed, sizes, n)
    stack = np.vstack(tasks)
    inverse, free = stacked_inverse(tasks)
    size = np.linalg.cond(stack) ** 2
    assert np.abs(inverse - np.linalg.pinv(stack)).max() < 1e-13 * size
    assert np.abs(stack @ inverse - np.eye(len(stack))).max() < 1e-12 * size
    assert np.abs(inverse @ stack - (np.eye(n) - free)).max() < 1e-12 * size
    right = [rng.normal(size=m) for m in sizes]
    answer = solve_in_order(list(zip(tasks, right, strict=True)), n)
    assert np.abs(answer.x - inverse @ np.concatenate(right)).max() < 1e-11 * size
    assert np.abs(answer.free - free).max() < 1e-11 * size


@settings(max_examples=60)
@given(seed=seeds, sizes=st.lists(st.integers(1, 3), min_size=2, max_size=3), shared=st.integers(1, 3))
def test_conflict_is_decided_by_order(seed, sizes, shared):
    """Of tasks in conflict the first is met exactly, and the later ones as well as it leaves."""
    n = 7
    tasks, rng = random_tasks(seed, sizes, n, shared)
    right = [rng.normal(size=m) for m in sizes]
    answer = solve_in_order(list(zip(tasks, right, strict=True)), n, threshold=1e-8)
    assert np.abs(tasks[0] @ answer.x - right[0]).max() < 1e-8
    free = np.eye(n) - np.linalg.pinv(tasks[0]) @ tasks[0]
    # The second: no step within what the first leaves could lower its error.
    assert np.abs(free @ tasks[1].T @ (tasks[1] @ answer.x - right[1])).max() < 1e-7
    assert np.abs(answer.x).max() < 1e4


def test_damping_keeps_a_near_singular_task_small_and_the_order_strict():
    rng = np.random.default_rng(4)
    first = rng.normal(size=(2, 6))
    second = first + 1e-7 * rng.normal(size=(2, 6))
    right = [rng.normal(size=2), rng.normal(size=2)]
    wild = solve_in_order([(first, right[0]), (second, right[1])], 6).x
    assert np.abs(wild).max() > 1e5, "the text's form"
    tame = solve_in_order([(first, right[0]), (second, right[1])], 6, damping=0.01).x
    assert np.abs(tame).max() < 10
    assert np.linalg.norm(first @ tame - right[0]) < 1e-3 * np.linalg.norm(right[0])


def test_lemma_5_1_does_not_follow_from_full_rank_of_each():
    """Ki & Sheen, lemma 5.1, claims it for any two of full rank with m_1 + m_2 < n."""
    task = np.random.default_rng(0).normal(size=(2, 6))
    free = np.eye(6) - np.linalg.pinv(task) @ task
    assert np.linalg.matrix_rank(task) == 2
    assert np.linalg.matrix_rank(task @ free, tol=1e-9) == 0
    inverse, _ = stacked_inverse([task, task], threshold=1e-9)
    assert np.isfinite(inverse).all()


@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_no_tasks_and_no_rows(damping):
    answer = solve_in_order([], 4, damping=damping)
    assert (answer.x == 0).all()
    assert (answer.free == np.eye(4)).all()
    still = solve_in_order([(np.zeros((2, 4)), np.ones(2))], 4, damping=damping)
    assert (still.x == 0).all()
    assert (still.free == np.eye(4)).all()
