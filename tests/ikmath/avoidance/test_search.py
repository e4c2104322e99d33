# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies beyond obstacles: looked for where that is allowed, within bounds, and taken only as a whole."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.examples.elephant import ElephantScene
from tests.ikmath.avoidance import scenes

STEPS = 50


@pytest.fixture(scope="module")
def edge():
    """The elephant's trunk has to get round the edge of the table, from where it hangs at rest."""
    scene = ElephantScene()
    return scene.problem(300).at(119), scene.elephant.skeleton.rest


def test_a_search_gets_round_where_no_short_way_leads(edge):
    problem, start = edge
    plain = ik.solve(problem, start, tolerance=1e-3, restarts=0)
    assert plain.status is ik.Status.BLOCKED
    found = ik.solve(problem, start, tolerance=1e-3)
    assert found.status is ik.Status.REACHED
    assert found.clearance > -1e-6
    again = ik.solve(problem, start, tolerance=1e-3)
    assert (again.q == found.q).all(), "the same answer each time"


def test_who_asks_briefly_is_never_put_beyond(edge):
    problem, start = edge
    plain, asked = (ik.solve(problem, start, brief=True, restarts=count) for count in (0, 1))
    assert (plain.q == asked.q).all()
    assert plain.status is asked.status is ik.Status.BLOCKED


@pytest.mark.parametrize(("kind", "seed"), [("trunk", 6), ("trunk", 8), ("arm", 3), ("arm", 5), ("arm", 9)])
def test_what_a_search_finds_is_all_or_nothing(kind, seed):
    scene = scenes.scene(kind, seed)
    plain = ik.solve(scene.problem, scene.start, max_iterations=STEPS, restarts=0)
    found = ik.solve(scene.problem, scene.start, max_iterations=STEPS)
    assert found.iterations <= 2 * STEPS
    assert scenes.deepest(scene, found.q[None]) >= -1e-6
    if found.status is not ik.Status.REACHED:
        np.testing.assert_allclose(found.errors, plain.errors, atol=2e-3 * scene.problem.length)
