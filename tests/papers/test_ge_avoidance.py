# SPDX-License-Identifier: GPL-3.0-or-later
"""What Ge says of the avoidance techniques (5.4 and 5.5), held against the numbers."""

from __future__ import annotations

import pytest

import ikmath as ik
from tests.papers.experiments import ge_avoidance

METHODS = (None, "task_priority", "objective", "cost", "velocity_damper")


def measured(things):
    return {
        name: ge_avoidance.measure(things, name, ik.DEFAULT if name == "velocity_damper" else "damped")
        for name in METHODS
    }


@pytest.fixture(scope="module")
def one():
    return measured(ge_avoidance.ball())


@pytest.fixture(scope="module")
def many():
    return measured(ge_avoidance.table_and_tree())


@pytest.mark.parametrize("scene", ["one", "many"])
def test_without_avoidance_the_trunk_goes_through(scene, request):
    assert request.getfixturevalue(scene)[None].inside > 20


@pytest.mark.parametrize("scene", ["one", "many"])
@pytest.mark.parametrize("name", ["task_priority", "objective"])
def test_those_by_joints_stay_clear_and_keep_the_path(scene, name, request):
    found = request.getfixturevalue(scene)[name]
    assert found.inside == 0 and found.clearance > 1.0
    assert found.worst < 1e-3 * 30


@pytest.mark.parametrize("scene", ["one", "many"])
def test_ours_goes_through_nothing(scene, request):
    found = request.getfixturevalue(scene)["velocity_damper"]
    assert found.inside == 0
    assert found.jump < 10.0
    assert found.worst < 1e-2 * 30


def test_task_priority_kinks_where_the_objective_function_is_smooth(one):
    assert one["task_priority"].kink > 3.0 * one["objective"].kink


def test_the_cost_function_has_no_physical_meaning_for_a_trunk(one, many):
    assert one["cost"].clearance < 0.0 and many["cost"].clearance < 0.0
    assert one["cost"].jump > 10.0 * one["objective"].jump
