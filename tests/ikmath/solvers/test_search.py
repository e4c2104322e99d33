# SPDX-License-Identifier: GPL-3.0-or-later
"""A solve that obstacles stop finds a pose elsewhere, where a jump is allowed, and says that it is one."""

from __future__ import annotations

import pytest

import ikmath as ik
from tests.ikmath.avoidance import reaching

NO_WAY = "The way there was not checked and may lead through obstacles."


@pytest.mark.parametrize("arm", reaching.ARMS)
def test_arms_find_a_pose_among_furniture_wherever_there_is_one(arm):
    alone = answered = 0
    for kind in ("cage", "over a table", "poles", "corner"):  # the quickest to put up
        scene = reaching.reach(arm, kind, 1)
        alone += reaching.is_answered(scene, ik.solve(scene.problem, scene.start, restarts=0).q)
        answered += reaching.is_answered(scene, ik.solve(scene.problem, scene.start).q)
    assert alone < answered == 4


@pytest.fixture(scope="module")
def stopped():
    """A scene in which the direct way ends at an obstacle."""
    scenes = (reaching.reach("seven", "corner", seed) for seed in range(20))
    return next(
        scene
        for scene in scenes
        if ik.solve(scene.problem, scene.start, restarts=0).status is ik.Status.BLOCKED
    )


def test_what_is_found_says_that_no_way_there_is_known(stopped):
    found = ik.solve(stopped.problem, stopped.start)
    assert found.status is ik.Status.REACHED
    assert found.message == f"All goals are reached. {NO_WAY}"
    near = ik.solve(stopped.problem, stopped.known)
    assert NO_WAY not in near.message


def test_it_finds_the_same_each_time_and_by_its_seed(stopped):
    first, again = (ik.solve(stopped.problem, stopped.start, seed=3) for _ in range(2))
    assert first.q.tobytes() == again.q.tobytes()
    assert first.iterations == again.iterations


@pytest.mark.parametrize("margin", [0.0, 0.01])
def test_what_touches_is_not_taken(stopped, margin):
    inside = stopped.problem.obstacles[0].vertices.mean(0)
    problem = ik.Problem(
        stopped.problem.skeleton,
        [ik.Position("tool", inside)],
        obstacles=stopped.problem.obstacles,
        body=stopped.problem.body,
        margin=margin,
    )
    plain, found = (ik.solve(problem, stopped.start, restarts=count) for count in (0, 1))
    assert (plain.q == found.q).all()
    assert found.status is ik.Status.BLOCKED
    assert found.clearance >= margin - 1e-9


@pytest.mark.parametrize("told", [{"max_turn": 4.0}, {"accuracy": "fast"}, {"brief": True}])
def test_nothing_jumps_where_no_jump_is_allowed(stopped, told):
    plain, found = (ik.solve(stopped.problem, stopped.start, restarts=n, **told) for n in (0, 1))
    assert (plain.q == found.q).all()


def test_only_the_first_frame_of_a_track_jumps(stopped):
    position, orientation = stopped.problem.goals
    start = ik.Pose.forward(stopped.problem.skeleton, stopped.start)

    def track(before, after):
        place, frame = start.point("tool", (0.0, 0.0, 0.1)), start.frame("tool")
        places, frames = [position.target[0], place], [orientation.target[0], frame]
        goals = [
            ik.Position("tool", [places[i] for i in (before, after)], offset=(0.0, 0.0, 0.1)),
            ik.Orientation("tool", [frames[i] for i in (before, after)]),
        ]
        problem = ik.Problem(
            stopped.problem.skeleton, goals, obstacles=stopped.problem.obstacles, body=stopped.problem.body
        )
        return [ik.solve_track(problem, stopped.start, restarts=count) for count in (0, 1)]

    plain, found = track(0, 0)
    assert plain.status[0] is ik.Status.BLOCKED
    assert found.status[0] is found.status[1] is ik.Status.REACHED
    plain, found = track(1, 0)
    assert (plain.q == found.q).all()
    assert found.status[1] is not ik.Status.REACHED
