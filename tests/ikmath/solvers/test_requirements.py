# SPDX-License-Identifier: GPL-3.0-or-later
"""A method's objection to requirements is the same as its objection to the problem."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik


class Half(ik.Position):
    """A position that may use a part of the figure only."""

    whole = False


FIGURE = ik.figures.ball_chain(3)
PLACE = (1.0, 1.0, 0.5)
GOALS = {
    "position": [ik.Position("tip", PLACE)],
    "one axis": [ik.Position("tip", PLACE, axes="x")],
    "a part": [Half("tip", PLACE)],
    "two levels": [ik.Position("tip", PLACE), ik.Position("ball1", PLACE, priority=1)],
    "orientation": [ik.Orientation("tip", np.eye(3))],
    "aim": [ik.Aim("tip", PLACE)],
    "any": [ik.AnyOf([ik.Position("tip", PLACE), ik.Position("tip", (0, 1, 1))])],
}


@pytest.mark.parametrize("name", GOALS)
@pytest.mark.parametrize("method", ik.METHODS)
def test_the_menu_and_the_solve_agree(method, name):
    problem = ik.Problem(FIGURE, GOALS[name])
    objection = ik.METHODS[method].objection(ik.Requirements.of(problem))
    geometric = ik.METHODS[method].takes is not None
    assert bool(objection) == (geometric and name != "position")
    try:
        ik.solve(problem, None, method, max_iterations=2)
    except ik.NotSupported as refusal:
        assert objection or method == "two_bone", refusal  # which also minds what hangs between the joints
        assert refusal.what == objection or not objection
    else:
        assert not objection


def test_a_wish_can_be_named_before_there_is_a_goal():
    wish = ik.GoalRequirement(kind="Aim", name="effector 'look'")
    assert "cannot take the effector 'look'" in ik.METHODS["fabrik"].objection(ik.Requirements(goals=(wish,)))
    assert ik.METHODS["hierarchical"].objection(ik.Requirements(goals=(wish,))) == ""


def test_avoidance_is_part_of_the_requirements():
    for name, method in ik.METHODS.items():
        for avoidance in ik.AVOIDANCE.values():
            objection = method.objection(ik.Requirements(avoidance=avoidance))
            fits = method.obstacles and method.bounding == avoidance.bounds
            assert (objection == "") == fits, name
