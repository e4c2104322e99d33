# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips solved frame after frame, warm."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from tests.ikmath import oracle


@pytest.fixture
def clip():
    skeleton = ik.figures.ball_chain(4)
    t = np.linspace(0, 1, 20)
    targets = np.stack([2 + 0.5 * np.sin(6 * t), 2 - t, np.cos(5 * t)], -1)
    return skeleton, targets, ik.Problem(skeleton, [ik.Position("tip", targets)])


def test_every_frame_is_reached_and_moves_on_from_the_last(clip):
    skeleton, targets, problem = clip
    solution = ik.solve_track(problem, np.full(12, 0.1))
    assert solution.q.shape == (20, 12)
    assert solution.errors.shape == (20, 1)
    assert solution.status.shape == solution.message.shape == solution.iterations.shape == (20,)
    for q, target in zip(solution.q, targets, strict=True):
        assert np.linalg.norm(oracle.point(skeleton, q, "tip") - target) <= 1e-4
    assert np.abs(np.diff(solution.q, axis=0)).max() < 0.5


def test_a_track_is_the_loop_of_warm_solves(clip):
    skeleton, targets, problem = clip
    solution = ik.solve_track(problem, np.full(12, 0.1))
    q, answer = np.full(12, 0.1), None
    for i, target in enumerate(targets):
        answer = ik.solve(ik.Problem(skeleton, [ik.Position("tip", target)]), q, following=answer)
        q = answer.q
        np.testing.assert_allclose(solution.q[i], q, atol=1e-12)


def test_one_frame_at_a_time_and_progress(clip):
    _, _, problem = clip
    told = []
    whole = ik.solve_track(problem, progress=lambda done, of: told.append((done, of)))
    assert told == [(i + 1, 20) for i in range(20)]
    for i, answer in enumerate(ik.track(problem)):
        np.testing.assert_array_equal(answer.q, whole.q[i])


def test_turns_go_farther_where_more_frames_pass():
    leg = [("thigh", "trunk", (0, 5, 0)), ("shin", "thigh", (0, 0.5, 0)), ("toe", "shin", (0, 0.5, 0))]
    skeleton = ik.Skeleton(
        [ik.Joint("trunk"), *(ik.Joint(name, above, translation=at, turns="xyz") for name, above, at in leg)]
    )
    t = np.radians(6.0) * np.arange(60)
    circle = np.stack([0.9 * np.cos(t), 5 + 0.9 * np.sin(t), 0 * t], -1)
    every = ik.Problem(skeleton, [ik.Position("toe", circle[::5])])
    assert (ik.solve_track(every, frames=5).status == ik.Status.REACHED).all()
    assert not (ik.solve_track(every).status == ik.Status.REACHED).all()


def test_tracks_need_frames(clip):
    skeleton, _, _ = clip
    with pytest.raises(ik.BadValue, match="no frames"):
        ik.solve_track(ik.Problem(skeleton, [ik.Position("tip", (1, 1, 1))]))


def test_options_and_methods_go_through(clip):
    _, _, problem = clip
    with pytest.raises(ik.UnknownName):
        ik.solve_track(problem, method="nonsense")
    with pytest.raises(ik.BadValue):
        ik.solve_track(problem, tolerance=-1.0)
    solution = ik.solve_track(problem, np.full(12, 0.1), "damped", max_iterations=3)
    assert (solution.iterations <= 3).all()


def two_levels(frames: int = 40) -> tuple[ik.Skeleton, ik.Problem, np.ndarray]:
    """A person whose feet stand while hands and head follow a smooth motion, as the weaker level."""
    figure = ik.figures.human()
    draw = np.random.default_rng(5)
    time = np.arange(frames)[:, None] * (2 * np.pi / 200)
    x = sum(
        np.cos(k * time) * draw.normal(size=figure.n) / k + np.sin(k * time) * draw.normal(size=figure.n) / k
        for k in (1, 2)
    )
    low, high = np.maximum(figure.lower, -1.0), np.minimum(figure.upper, 1.0)
    q = figure.joint_limits.project((low + high) / 2 + (high - low) / 2 * 0.35 * np.tanh(x))
    pose = ik.Pose.forward(figure, q)
    goals: list[ik.goals.Goal] = []
    for priority, names in enumerate((["ankle.L", "ankle.R"], ["wrist.L", "wrist.R", "head"])):
        goals.append(ik.Position(names, pose.point(names), priority=priority))
        goals.append(ik.Orientation(names, pose.frame(names), priority=priority))
    return figure, ik.Problem(figure, goals), q


def test_a_smooth_motion_takes_one_step_a_frame():
    _, problem, q = two_levels()
    answers = list(ik.track(problem, q[0]))
    assert all(answer.status is ik.Status.REACHED for answer in answers)
    assert np.mean([answer.iterations for answer in answers[4:]]) < 1.2


def test_a_motion_that_stops_or_turns_back_stands_still_or_follows():
    figure, problem, q = two_levels(24)
    order = [*range(12), *[11] * 4, *range(10, 2, -1)]
    answers = [ik.solve(problem.at(0), q[0])]
    for frame in order[1:]:
        answers.append(ik.solve(problem.at(frame), answers[-1].q, following=answers[-1]))
    assert all(answer.status is ik.Status.REACHED for answer in answers)
    for still in answers[12:16]:
        np.testing.assert_array_equal(still.q, answers[11].q)
    pose = ik.Pose.forward(figure, answers[-1].q)
    assert problem.at(order[-1]).errors(pose).max() <= 1e-4


def test_a_clip_without_frames_is_an_empty_solution():
    skeleton = ik.figures.ball_chain(2)
    empty = ik.Problem(skeleton, [ik.Position("tip", np.zeros((0, 3)))])
    for solution in (ik.solve_track(empty), ik.solve(empty)):
        assert solution.q.shape == (0, skeleton.n) and solution.errors.shape == (0, 1)
        assert solution.status.shape == solution.message.shape == (0,)
