# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the straight path between two poses is free, where both of its ends are."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.solvers.collision_guard import is_free_path


def arm(*obstacles: object, **options: object) -> ik.Problem:
    """An arm of one link, 1 m long, that turns about Z from +Y."""
    skeleton = ik.Skeleton([ik.Joint("arm", turns="z")])
    body = ik.Body([ik.Link("arm", (0, 0, 0), (0, 1, 0), radius=0.05)])
    goal = ik.Position("arm", target=(0, 1, 0), offset=(0, 1, 0))
    return ik.Problem(skeleton, [goal], obstacles=list(obstacles), body=body, **options)


def board(angle: float) -> ik.Rectangle:
    """A board without thickness across the way of the arm, at an angle of it."""
    way = np.array([-np.sin(angle), np.cos(angle), 0.0])
    return ik.Rectangle(0.8 * way, 0.1 * way, np.array([0.0, 0.0, 0.1]))


START, END = np.array([-1.0]), np.array([1.0])


def test_without_obstacles_every_path_is_free():
    assert is_free_path(ik.Problem(arm().skeleton, arm().goals), START, END)


@pytest.mark.parametrize("angle", np.linspace(-0.8, 0.8, 9))
def test_a_board_between_two_free_poses_is_met(angle: float):
    assert not is_free_path(arm(board(angle)), START, END)
    assert not is_free_path(arm(board(angle)), END, START)


@pytest.mark.parametrize("angle", [-1.5, 1.5, 3.0])
def test_a_board_aside_of_the_way_is_not(angle: float):
    assert is_free_path(arm(board(angle)), START, END)


def test_an_end_that_is_inside_is_not_free_and_a_start_may_not_go_deeper():
    assert not is_free_path(arm(board(1.0)), START, END)
    assert is_free_path(arm(board(-0.96)), START, np.array([-1.5]))


def test_avoidance_that_is_not_exact_knows_no_free_path():
    assert not is_free_path(arm(board(3.0), avoidance="cost"), START, END)
