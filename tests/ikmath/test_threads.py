# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear algebra on one thread: told by threadpoolctl, which asks the libraries themselves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import ikmath as ik
from ikmath.diagnosis import attribution
from ikmath.threads import OneThread

pytestmark = pytest.mark.skipif(
    not any(pool["internal_api"] == "openblas" for pool in threadpool_info()),
    reason="numpy works with something else than OpenBLAS",
)


def counts() -> set[int]:
    """How many threads numpy's OpenBLAS may use; scipy has one of its own."""
    return {pool["num_threads"] for pool in threadpool_info() if "numpy" in pool["filepath"]}


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    with threadpool_limits(2, "blas"):
        yield


def test_within_it_there_is_one_thread_and_then_as_many_as_before() -> None:
    assert counts() == {2}
    with OneThread():
        assert counts() == {1}
        with OneThread():
            assert counts() == {1}
        assert counts() == {1}
    assert counts() == {2}


def test_who_ends_first_leaves_the_other_on_one_thread() -> None:
    """As a render and the viewport do, whose solves overlap; on two threads sums round otherwise."""
    first, second = OneThread(), OneThread()
    first.__enter__()
    second.__enter__()
    first.__exit__()
    assert counts() == {1}
    second.__exit__()
    assert counts() == {2}


def test_an_error_leaves_no_trace() -> None:
    with pytest.raises(RuntimeError), OneThread():
        raise RuntimeError
    assert counts() == {2}


@pytest.mark.parametrize("track", [False, True])
def test_a_solve_has_one_thread_and_leaves_as_many_as_there_were(
    monkeypatch: pytest.MonkeyPatch, *, track: bool
) -> None:
    seen = []
    kind = type(ik.METHODS["damped"])
    solve = kind.solve

    def watched(self, problem, q, options):
        seen.append(counts())
        return solve(self, problem, q, options)

    monkeypatch.setattr(kind, "solve", watched)
    arm = ik.figures.planar_chain([1.0, 1.0, 1.0])
    place = np.array([1.0, 1.5, 0.0])
    goal = ik.Position(arm.names[-1], target=np.stack([place, 1.1 * place]) if track else place)
    (ik.solve_track if track else ik.solve)(ik.Problem(arm, [goal]), arm.rest, method="damped")
    assert seen == [{1}] * len(seen) and len(seen) == 1 + track
    assert counts() == {2}


def test_what_holds_back_is_looked_for_on_one_thread_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sentence is made for who asks, after the solve has ended."""
    seen = []
    hierarchical_qp = attribution.hierarchical_qp

    def watched(*args, **options):
        seen.append(counts())
        return hierarchical_qp(*args, **options)

    arm = ik.figures.planar_chain([1.0, 1.0, 1.0])
    places = {arm.names[-1]: [2.0, 0.0, 0.0], arm.names[-2]: [-2.0, 0.0, 0.0]}
    problem = ik.Problem(arm, [ik.Position(joint, target=place) for joint, place in places.items()])
    solution = ik.solve(problem, arm.rest)
    monkeypatch.setattr(attribution, "hierarchical_qp", watched)
    assert "in conflict" in solution.message
    assert seen == [{1}] * len(seen) and seen
    assert counts() == {2}
